#include "sestina/dynamics/speed_blocks.h"

#include "sestina/numerics/lanes8.h"

namespace sestina {

SpeedBlocks::SpeedBlocks(const Model& model)
    : block_of_speed(static_cast<std::size_t>(model.nu())),
      block_of_body(static_cast<std::size_t>(model.bodies().size()), -1) {
  const auto nu = static_cast<std::size_t>(model.nu());
  std::vector<int> before(nu, -1);        // the next speed inboard
  std::vector<int> num_after(nu + 1, 0);  // how many speeds follow it; the last number is the ground's
  std::vector<int> last_speed(block_of_body.size(), -1);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    int last = last_speed[static_cast<std::size_t>(info.parent.value())];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      before[static_cast<std::size_t>(k)] = last;
      ++num_after[last < 0 ? nu : static_cast<std::size_t>(last)];
      last = k;
    }
    last_speed[static_cast<std::size_t>(b.value())] = last;
  }
  for (std::size_t k = 0; k < nu; ++k) {
    const int last = before[k];
    const bool goes_on = last >= 0 && last + 1 == static_cast<int>(k) && num_after[k - 1] == 1 &&
                         blocks.back().count < kLanes8;
    if (!goes_on) {
      blocks.push_back(
          {static_cast<int>(k), 0, last < 0 ? -1 : block_of_speed[static_cast<std::size_t>(last)]});
    }
    ++blocks.back().count;
    block_of_speed[k] = static_cast<int>(blocks.size()) - 1;
  }
  for (std::size_t i = 1; i < last_speed.size(); ++i) {
    if (last_speed[i] >= 0) block_of_body[i] = block_of_speed[static_cast<std::size_t>(last_speed[i])];
  }
}

}  // namespace sestina
