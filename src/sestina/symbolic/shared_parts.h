// Names for the shared parts of large expressions: z0 = ..., z1 = ..., as on paper; with another letter if
// symbols are called z1 or z_1 already.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "sestina/symbolic/matrix.h"

namespace sestina::symbolic {

struct SharedParts {
  std::vector<std::pair<Expression, Expression>>
      definitions;               // symbol and its expression, by earlier symbols
  std::vector<Matrix> matrices;  // by these symbols
};

// Number of operations in the matrices written out without names for shared parts.
double written_size(Mechanics& mechanics, const std::vector<Matrix>& matrices);

// Names parts that occur more than once and take at least `least` operations to write, and sums within
// products or functions that take more than `most`.
SharedParts share_parts(Mechanics& mechanics, const std::vector<Matrix>& matrices, std::size_t least,
                        std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace sestina::symbolic
