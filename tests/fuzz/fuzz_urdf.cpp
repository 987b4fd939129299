// Any text is either a robot with names that a model may have, which freezes or says why not, or an
// InputError.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "sestina/base/error.h"
#include "sestina/io/urdf.h"
#include "sestina/model/freeze.h"
#include "sestina/model/names.h"

namespace {

void check_names(const sestina::System& robot) {
  std::set<std::string> names;
  const auto check = [&](const auto& things) {
    for (const auto& thing : things) {
      const std::string& name = thing.name.text;
      const bool is_good = sestina::is_identifier(name) && !sestina::is_reserved_name(name);
      if (!is_good || !names.insert(name).second) std::abort();
    }
  };
  check(robot.bodies), check(robot.joints), check(robot.forces);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    sestina::ImportNotes notes;
    const sestina::System robot = sestina::read_urdf(text, "fuzz.urdf", {}, &notes);
    check_names(robot);
    sestina::freeze(robot);
  } catch (const sestina::InputError&) {
  }
  return 0;
}
