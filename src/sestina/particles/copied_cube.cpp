#include "sestina/particles/copied_cube.h"

#include <algorithm>
#include <cmath>

#include "sestina/particles/fast_multipole.h"

namespace sestina {

std::optional<std::array<int, 3>> CopiedCube::find_copies(const Box& box) {
  const double longest = *std::ranges::max_element(box.length);
  for (int of_longest = 1; of_longest <= kMostCopies; ++of_longest) {
    std::array<int, 3> copies{};
    bool is_whole = true;
    for (int a = 0; a < 3; ++a) {
      const double ratio = of_longest * longest / box.length[a];
      if (!(ratio < kMostCopies + 0.5)) return std::nullopt;
      copies[a] = static_cast<int>(std::lround(ratio));
      is_whole = is_whole && std::abs(ratio - copies[a]) <= 1e-12 * ratio;
    }
    if (copies[0] * copies[1] * copies[2] > kMostCopies) return std::nullopt;
    if (is_whole) return copies;
  }
  return std::nullopt;
}

void CopiedCube::calc(FastMultipole& multipole, const Box& box,
                      const std::array<std::span<const double>, 3>& position, std::span<const double> charge,
                      std::span<double> potential, const std::array<std::span<double>, 3>& gradient) {
  const std::size_t n = charge.size();
  for (auto& values : position_) values.clear();
  charge_.clear();
  for (int x = 0; x < copies_[0]; ++x) {
    for (int y = 0; y < copies_[1]; ++y) {
      for (int z = 0; z < copies_[2]; ++z) {
        const std::array<int, 3> copy{x, y, z};
        for (std::size_t a = 0; a < 3; ++a) {
          const double shift = copy[a] * box.length[a];
          for (const double value : position[a]) position_[a].push_back(value + shift);
        }
        charge_.insert(charge_.end(), charge.begin(), charge.end());
      }
    }
  }
  potential_.resize(charge_.size());
  for (auto& values : gradient_) values.resize(charge_.size());
  Box cube = box;
  cube.length.fill(copies_[0] * box.length[0]);
  multipole.set_cube(cube);
  multipole.calc(position_[0], position_[1], position_[2], charge_, potential_, gradient_[0], gradient_[1],
                 gradient_[2]);
  std::copy_n(potential_.begin(), n, potential.begin());
  for (std::size_t a = 0; a < 3; ++a) std::copy_n(gradient_[a].begin(), n, gradient[a].begin());
}

}  // namespace sestina
