// Numbers in lanes: number i of lane l at [i * lanes + l], each set of lanes within a cache line.
#pragma once

#include "sestina/numerics/cache_line_vector.h"

namespace sestina {

class LaneArray {
 public:
  LaneArray() = default;
  LaneArray(int count, int lanes)
      : numbers_(static_cast<std::size_t>(count) * static_cast<std::size_t>(lanes)) {}

  double* data() { return numbers_.data(); }
  const double* data() const { return numbers_.data(); }
  double& operator[](int i) { return numbers_[static_cast<std::size_t>(i)]; }
  double operator[](int i) const { return numbers_[static_cast<std::size_t>(i)]; }

 private:
  CacheLineVector<double> numbers_;
};

}  // namespace sestina
