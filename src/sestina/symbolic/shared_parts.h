// What large expressions have in common, under names of its own: z0 = ..., z1 = ..., as on paper.
#pragma once

#include <cstddef>
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

// Names what occurs more than once and takes at least `least` operations to write.
SharedParts share_parts(Mechanics& mechanics, const std::vector<Matrix>& matrices, std::size_t least);

}  // namespace sestina::symbolic
