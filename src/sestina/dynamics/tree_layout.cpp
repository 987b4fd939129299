#include "sestina/dynamics/tree_layout.h"

namespace sestina {

TreeLayout::TreeLayout(const Model& model) : links(static_cast<std::size_t>(model.bodies().size())) {
  for (std::size_t i = links.size() - 1; i > 0; --i) {
    const BodyInfo& body = model.bodies()[BodyIndex(static_cast<int>(i))];
    BodyLink& link = links[i];
    BodyLink& parent = links[static_cast<std::size_t>(body.parent.value())];
    link.parent = body.parent.value();
    link.q_start = body.q_start;
    link.u_start = body.u_start;
    link.nu = static_cast<std::int16_t>(body.nu);
    link.is_revolute = body.joint_type == JointType::kRevolute;
    link.begins_sum = parent.is_leaf;
    parent.is_leaf = false;
  }
  for (std::size_t i = 1; i < links.size(); ++i) {
    if (!links[i].is_revolute) continue;
    if (angles.empty() || angles.back().q_start + angles.back().count != links[i].q_start) {
      angles.push_back({links[i].q_start, 0});
    }
    ++angles.back().count;
  }
}

}  // namespace sestina
