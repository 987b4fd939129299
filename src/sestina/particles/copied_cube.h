// Charges in a periodic box that is not a cube, for the fast multipole method: copies of the box fill a
// periodic cube if its lengths are in ratios of small whole numbers. The sum over all images is the same.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "sestina/particles/box.h"

namespace sestina {

class FastMultipole;

class CopiedCube {
 public:
  // The number of copies up to which this is faster than Ewald's sum for thousands of charges.
  static constexpr int kMostCopies = 18;

  // Returns the numbers of copies along the axes that make a cube; nothing if that takes more than
  // kMostCopies in all.
  static std::optional<std::array<int, 3>> find_copies(const Box& box);

  explicit CopiedCube(const std::array<int, 3>& copies) : copies_(copies) {}

  // Does the same as FastMultipole::calc, for the charges of the box.
  void calc(FastMultipole& multipole, const Box& box, const std::array<std::span<const double>, 3>& position,
            std::span<const double> charge, std::span<double> potential,
            const std::array<std::span<double>, 3>& gradient);

 private:
  std::array<int, 3> copies_{1, 1, 1};
  std::array<std::vector<double>, 3> position_, gradient_;  // of all copies; the first is the box itself
  std::vector<double> charge_, potential_;
};

}  // namespace sestina
