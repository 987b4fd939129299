// What large expressions have in common, under names of its own: z0 = ..., z1 = ..., as on paper. Where
// symbols are called z1 or z_1 already, by another letter.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "sestina/symbolic/matrix.h"

namespace sestina::symbolic {

struct SharedParts {
  std::vector<std::pair<Expression, Expression>>
      definitions;               // symbol and what it stands for, by earlier ones
  std::vector<Matrix> matrices;  // by these symbols
};

// The number of operations that are written when everything is written out.
double written_size(Mechanics& mechanics, const std::vector<Matrix>& matrices);

// Names what occurs more than once and takes at least `least` operations to write, and sums within products
// or functions that take more than `most`.
SharedParts share_parts(Mechanics& mechanics, const std::vector<Matrix>& matrices, std::size_t least,
                        std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace sestina::symbolic
