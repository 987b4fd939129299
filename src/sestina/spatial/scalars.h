// The scalars for which this and all higher folders are instantiated; see the list itself.
#pragma once

#include "sestina/numerics/scalar_list.h"
