// The one list of scalars for which the recursions are instantiated (docs/decisions/scalars.md).
//
// The sources that instantiate templates by it are compiled again for each instruction set, with
// SESTINA_BATCH_LANES set to its number of lanes, and then for nothing but lanes (docs/decisions/batch.md).
#pragma once

#ifdef SESTINA_BATCH_LANES

#include "sestina/numerics/batch.h"

#define SESTINA_FOR_EACH_SCALAR(X) X(::sestina::Batch<SESTINA_BATCH_LANES>)

#else

#include "sestina/numerics/dual.h"

// X(T) for every scalar T.
#define SESTINA_FOR_EACH_SCALAR(X) \
  X(double)                        \
  X(::sestina::Dual)

#endif
