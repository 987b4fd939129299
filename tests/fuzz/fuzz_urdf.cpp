// Any text is either a robot, which freezes or says why not, or an InputError.
#include <cstdint>
#include <string_view>

#include "sestina/base/error.h"
#include "sestina/io/urdf.h"
#include "sestina/model/freeze.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    sestina::ImportNotes notes;
    sestina::freeze(sestina::read_urdf(text, "fuzz.urdf", {}, &notes));
  } catch (const sestina::InputError&) {
  }
  return 0;
}
