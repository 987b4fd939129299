// Any text is a checkpoint of particles or an InputError, also where its checksum fits; a checkpoint is
// written as it was read.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "sestina/base/error.h"
#include "sestina/io/checksum.h"
#include "sestina/particle_run/particle_checkpoint.h"

namespace {

void read(const std::string& text) {
  try {
    const std::string written = to_text(sestina::parse_particle_checkpoint(text, "c"));
    if (to_text(sestina::parse_particle_checkpoint(written, "c")) != written) std::abort();
  } catch (const sestina::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(data, data + size);
  read(text);
  const std::size_t last_line = text.rfind("\nchecksum ");
  if (last_line != std::string::npos) text.resize(last_line + 1);
  sestina::Checksum sum;
  sum.add(text);
  read(text + fmt::format("checksum {:016x}\n", sum.value()));
  return 0;
}
