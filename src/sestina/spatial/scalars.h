// The one list of scalars for which the recursions are instantiated (docs/decisions/scalars.md).
#pragma once

#include "sestina/numerics/dual.h"
#include "sestina/numerics/scalar.h"

// X(T) for every scalar T.
#define SESTINA_FOR_EACH_SCALAR(X) \
  X(double)                        \
  X(::sestina::Dual)
