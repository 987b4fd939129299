#include "sestina/particles/kernels/articulated_kernels.h"
#include "sestina/particles/kernels/granular_kernels.h"
#include "sestina/particles/kernels/multipole_kernels.h"
#include "sestina/particles/kernels/particle_kernels.h"
#include "sestina/particles/kernels/rigid_bond_kernels.h"

namespace sestina {

const ParticleKernels* particle_kernels_portable();
const MultipoleKernels* multipole_kernels_portable();
const RigidBondKernels* rigid_bond_kernels_portable();
const ArticulatedKernels* articulated_kernels_portable();
const GranularKernels* granular_kernels_portable();
#ifdef SESTINA_X86_KERNELS
const ParticleKernels* particle_kernels_avx2();
const ParticleKernels* particle_kernels_avx512();
const MultipoleKernels* multipole_kernels_avx2();
const RigidBondKernels* rigid_bond_kernels_avx2();
const MultipoleKernels* multipole_kernels_avx512();
const RigidBondKernels* rigid_bond_kernels_avx512();
const ArticulatedKernels* articulated_kernels_avx2();
const ArticulatedKernels* articulated_kernels_avx512();
const GranularKernels* granular_kernels_avx2();
const GranularKernels* granular_kernels_avx512();
#endif

namespace {

// Returns the table for the instruction set. Machines other than x86 have the portable one only.
template <class Table>
const Table& choose(InstructionSet set, const Table* (*portable)(), const Table* (*avx2)(),
                    const Table* (*avx512)()) {
  if (set == InstructionSet::kAvx2) return *avx2();
  if (set == InstructionSet::kAvx512) return *avx512();
  return *portable();
}

}  // namespace

#ifdef SESTINA_X86_KERNELS
#define SESTINA_CHOOSE(name) choose(set, name##_portable, name##_avx2, name##_avx512)
#else
#define SESTINA_CHOOSE(name) choose(set, name##_portable, name##_portable, name##_portable)
#endif

const ParticleKernels& particle_kernels(InstructionSet set) { return SESTINA_CHOOSE(particle_kernels); }
const MultipoleKernels& multipole_kernels(InstructionSet set) { return SESTINA_CHOOSE(multipole_kernels); }
const RigidBondKernels& rigid_bond_kernels(InstructionSet set) { return SESTINA_CHOOSE(rigid_bond_kernels); }
const ArticulatedKernels& articulated_kernels(InstructionSet set) {
  return SESTINA_CHOOSE(articulated_kernels);
}
const GranularKernels& granular_kernels(InstructionSet set) { return SESTINA_CHOOSE(granular_kernels); }

}  // namespace sestina
