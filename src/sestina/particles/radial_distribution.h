// The radial distribution function, accumulated frame by frame.
#pragma once

#include <span>
#include <vector>

#include "sestina/particles/box.h"

namespace sestina {

class RadialDistribution {
 public:
  // Counts pairs up to the reach (m), which is at most half of each periodic length.
  RadialDistribution(double reach, int bins);

  // Positions (n x 3). `molecule_of` (n) distinguishes pairs within one molecule; -1: none.
  void add(const Box& box, std::span<const double> position, std::span<const int> molecule_of);

  std::vector<double> distances() const;  // m, middles of the bins
  std::vector<double> all() const;        // g(r)
  std::vector<double> between() const;    // g(r) of pairs of different molecules

 private:
  std::vector<double> normalise(const std::vector<double>& counts) const;

  double reach_;
  std::vector<double> all_, between_;  // pairs
  double expected_ = 0.0;              // pairs for each m^3 of shell, of particles without forces
};

}  // namespace sestina
