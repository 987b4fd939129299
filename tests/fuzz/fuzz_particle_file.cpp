// Any text of a model with particles is either an InputError or a run of them.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sestina/base/error.h"
#include "sestina/particle_run/particle_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const sestina::ModelTree tree = sestina::parse_model_tree({data, data + size}, "model.yaml", {});
    if (!sestina::has_particles(tree)) return 0;
    const sestina::ParticleRunSpec run = sestina::read_particle_run(tree);
    if (!(run.dt > 0.0) || run.steps() < 0) std::abort();
  } catch (const sestina::InputError&) {
  }
  return 0;
}
