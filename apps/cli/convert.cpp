// sestina convert ROBOT.urdf -o MODEL.yaml [--floating-base] [--mimic free|weld|force|couple]
// [--mimic-frequency W]
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "printing.h"
#include "sestina/base/error.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

namespace sestina::cli {
namespace {

struct ConvertOptions {
  std::string input, output;
  RobotOptions robot;
};

int convert(const ConvertOptions& options) {
  const auto suffix = std::filesystem::path(options.input).extension();
  if (suffix == ".yaml" || suffix == ".yml")
    throw InputError(
        fmt::format("'{}' is a model file already; convert takes a robot (.urdf)", options.input));
  ImportNotes notes;
  const System robot = read_urdf_file(options.input, options.robot.urdf, &notes);
  FileUses files;
  files.add_input("the robot", options.input);
  files.add_output("the model", options.output);
  files.check();
  const auto model = freeze(robot);  // a file that cannot be run is not written
  write_model_file(robot, options.output);
  for (const ImportNote& note : notes) print("note: {}\n", to_string(note));
  print("{}: {}\n", options.output, size_in_words(*model));
  return kSuccess;
}

}  // namespace

void add_convert(CLI::App& app, int& status) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Turn a robot (.urdf) into a model file");
  command->add_option("ROBOT", options->input, "Robot (.urdf)")->required()->type_name("FILE");
  command->add_option("-o,--out", options->output, "Model file (.yaml)")
      ->required()
      ->type_name("FILE")
      ->check(check_file_name);
  options->robot.add_to(*command);
  command->callback([options, &status] { status = convert(*options); });
}

}  // namespace sestina::cli
