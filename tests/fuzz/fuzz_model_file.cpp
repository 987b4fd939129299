// Any text is either a system, which is written to a text that reads back to the same, and which freezes or
// says why not, or an InputError.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

namespace {

// Writing may fail (numbers that are not finite); what was written must read, and be written, as before.
void check_round_trip(const sestina::System& system) {
  std::string written;
  try {
    written = sestina::write_model(system);
  } catch (const sestina::InputError&) {
    return;
  }
  if (sestina::write_model(sestina::read_model(written)) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  sestina::System system;
  try {
    system = sestina::read_model(text);
  } catch (const sestina::InputError&) {
    return 0;
  }
  check_round_trip(system);
  try {
    sestina::freeze(system);
  } catch (const sestina::InputError&) {
  }
  return 0;
}
