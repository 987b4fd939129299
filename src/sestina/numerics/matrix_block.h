// A view of a matrix by rows, in memory owned by the caller.
#pragma once

#include <cstddef>

namespace sestina {

struct MatrixBlock {
  const double* first = nullptr;
  std::ptrdiff_t stride = 0;

  const double* row(int i) const { return first + i * stride; }
  double operator()(int i, int j) const { return row(i)[j]; }
};

}  // namespace sestina
