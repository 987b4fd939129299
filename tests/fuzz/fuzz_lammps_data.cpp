// Any text is either particles, whose numbers fit together, or an InputError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sestina/base/error.h"
#include "sestina/particle_run/lammps_data.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const sestina::LammpsData found = sestina::parse_lammps_data({data, data + size}, "melt.data");
    const std::size_t n = found.type.size();
    if (found.position.size() != 3 * n) std::abort();
    if (!found.velocity.empty() && found.velocity.size() != 3 * n) std::abort();
    if (!found.charge.empty() && found.charge.size() != n) std::abort();
    if (!found.molecule.empty() && found.molecule.size() != n) std::abort();
    for (const auto* groups : {&found.bonds, &found.angles, &found.dihedrals}) {
      for (const auto& group : *groups) {
        for (const int atom : group.atoms) {
          if (atom < 0 || atom >= static_cast<int>(n)) std::abort();
        }
      }
    }
  } catch (const sestina::InputError&) {
  }
  return 0;
}
