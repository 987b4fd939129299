#include "sestina/particles/kernels/multipole_kernels.h"
#include "sestina/particles/kernels/particle_kernels.h"
#include "sestina/particles/kernels/rigid_bond_kernels.h"

namespace sestina {

const ParticleKernels* particle_kernels_portable();
const MultipoleKernels* multipole_kernels_portable();
const RigidBondKernels* rigid_bond_kernels_portable();
#ifdef SESTINA_X86_KERNELS
const ParticleKernels* particle_kernels_avx2();
const ParticleKernels* particle_kernels_avx512();
const MultipoleKernels* multipole_kernels_avx2();
const RigidBondKernels* rigid_bond_kernels_avx2();
const MultipoleKernels* multipole_kernels_avx512();
const RigidBondKernels* rigid_bond_kernels_avx512();
#endif

const ParticleKernels& particle_kernels(InstructionSet set) {
#ifdef SESTINA_X86_KERNELS
  if (set == InstructionSet::kAvx2) return *particle_kernels_avx2();
  if (set == InstructionSet::kAvx512) return *particle_kernels_avx512();
#else
  (void)set;
#endif
  return *particle_kernels_portable();
}

const MultipoleKernels& multipole_kernels(InstructionSet set) {
#ifdef SESTINA_X86_KERNELS
  if (set == InstructionSet::kAvx2) return *multipole_kernels_avx2();
  if (set == InstructionSet::kAvx512) return *multipole_kernels_avx512();
#else
  (void)set;
#endif
  return *multipole_kernels_portable();
}

const RigidBondKernels& rigid_bond_kernels(InstructionSet set) {
#ifdef SESTINA_X86_KERNELS
  if (set == InstructionSet::kAvx2) return *rigid_bond_kernels_avx2();
  if (set == InstructionSet::kAvx512) return *rigid_bond_kernels_avx512();
#else
  (void)set;
#endif
  return *rigid_bond_kernels_portable();
}

}  // namespace sestina
