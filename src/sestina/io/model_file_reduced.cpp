// Reduced flexible bodies: the file with their modes, and their pose.
#include "sestina/base/error.h"
#include "sestina/io/model_file_parts.h"
#include "sestina/io/reduced_file.h"

namespace sestina {

void read_reduced(ReadContext& context, const MapReader& map, BodySpec& out) {
  ReducedSpec& reduced = out.reduced.emplace();
  map.read("file", reduced.file);
  map.read("position", reduced.position);
  map.read("axes", reduced.axes);
  map.read("damping", reduced.damping);
  if (reduced.file.empty()) return;  // the fault is reported
  try {
    reduced.modes = read_reduced_modes(context.directory / reduced.file.text);
  } catch (const InputError& error) {
    context.fault(reduced.file.mark, map.path_of("file"), error.what());
    context.lose_names();
  }
}

}  // namespace sestina
