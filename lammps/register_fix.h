// Adds fix sestina to the fixes of LAMMPS.
#pragma once

#include "fix_sestina.h"
#include "lammps.h"
#include "modify.h"

namespace sestina::lammps {

inline LAMMPS_NS::Fix* make_fix(LAMMPS_NS::LAMMPS* lmp, int narg, char** arg) {
  return new LAMMPS_NS::FixSestina(lmp, narg, arg);
}

inline void register_fix(LAMMPS_NS::LAMMPS& lmp) { (*lmp.modify->fix_map)["sestina"] = make_fix; }

}  // namespace sestina::lammps
