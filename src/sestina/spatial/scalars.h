// The scalars of everything from here upward: see the list itself.
#pragma once

#include "sestina/numerics/scalar_list.h"
