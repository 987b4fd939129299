#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "printing.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file.h"

namespace sestina::cli {

void ModelOptions::add_to(CLI::App& command) {
  command.add_option("MODEL", path, "Model file (.yaml), or a robot (.urdf)")->required()->type_name("FILE");
  add_set_to(command);
  robot.add_to(command);
}

void ModelOptions::add_set_to(CLI::App& command) {
  command
      .add_option("--set", set,
                  "Change any key of the model, as often as needed: parameters.l1=0.5,\n"
                  "bodies.upper.mass=2, 'analysis.step={driver: fixed, dt: 1e-3}'")
      ->type_name("PATH=VALUE")
      ->take_all()
      ->expected(1);
}

namespace {

bool is_robot(const std::filesystem::path& path) { return path.extension() == ".urdf"; }

// Reports where the imported robot differs from its file, since a run would not mention it.
System read_robot(const std::string& path, const UrdfOptions& options) {
  ImportNotes notes;
  System robot = read_urdf_file(path, options, &notes);
  for (const ImportNote& note : notes) {
    if (!note.is_about_mimic) continue;
    print_error("note: {}{}\n", note.place.mark.file ? "" : path + ": ", to_string(note));
  }
  return robot;
}

void refuse_robot_options(const ModelOptions& options) {
  if (options.robot.given.empty()) return;
  throw InputError(fmt::format("{} is for robots (.urdf); '{}' is none", options.robot.given, options.path));
}

}  // namespace

System ModelOptions::read() const {
  if (!is_robot(path)) refuse_robot_options(*this);
  if (!is_robot(path)) return read_model_file(path, {set});
  // The paths for --set are those of the model file to which the robot is converted.
  const System system = read_robot(path, robot.urdf);
  return set.empty() ? system : read_model(write_model(system), path, {set});
}

ModelTree ModelOptions::read_tree() const {
  if (!is_robot(path)) refuse_robot_options(*this);
  if (!is_robot(path)) return read_model_tree(path, {set});
  return parse_model_tree(write_model(read_robot(path, robot.urdf)), path, {set});
}

std::string check_file_name(const std::string& name) {
  return name.empty() ? "the name of the file is empty" : "";
}

std::string size_in_words(const Model& model) {
  const int bodies = model.bodies().size() - 1;
  std::string text = fmt::format("{} {}, {} {}", bodies, bodies == 1 ? "body" : "bodies", model.nu(),
                                 model.nu() == 1 ? "speed" : "speeds");
  const std::size_t events = model.events().size();
  if (events > 0) text += fmt::format(", {} {}", events, events == 1 ? "event" : "events");
  return text;
}

}  // namespace sestina::cli
