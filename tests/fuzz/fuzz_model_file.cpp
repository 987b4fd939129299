// Any text is either an InputError or a system; one that freezes is written to a text that reads back to the
// same system.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sestina::System system;
  try {
    system = sestina::read_model({reinterpret_cast<const char*>(data), size});
    sestina::freeze(system);
  } catch (const sestina::InputError&) {
    return 0;
  }
  const std::string written = sestina::write_model(system);
  if (sestina::write_model(sestina::read_model(written)) != written) std::abort();
  return 0;
}
