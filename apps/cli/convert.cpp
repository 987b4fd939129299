// sestina convert ROBOT.urdf -o MODEL.yaml [--floating-base] [--mimic free|weld|force|couple]
// [--mimic-frequency W]
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "commands.h"
#include "printing.h"
#include "sestina/base/error.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/model_file.h"
#include "sestina/io/urdf.h"
#include "sestina/model/freeze.h"

namespace sestina::cli {
namespace {

struct Options {
  std::string input, output;
  UrdfOptions urdf;
  std::string mimic = "free";
};

int convert(const Options& options) {
  const auto suffix = std::filesystem::path(options.input).extension();
  if (suffix == ".yaml" || suffix == ".yml")
    throw InputError(
        fmt::format("'{}' is a model file already; convert takes a robot (.urdf)", options.input));
  ImportNotes notes;
  const System robot = read_urdf_file(options.input, options.urdf, &notes);
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
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "Turn a robot (.urdf) into a model file");
  command->add_option("ROBOT", options->input, "Robot (.urdf)")->required()->type_name("FILE");
  command->add_option("-o,--out", options->output, "Model file (.yaml)")
      ->required()
      ->type_name("FILE")
      ->check(check_file_name);
  command->add_flag("--floating-base", options->urdf.floating_base,
                    "Let the base float instead of welding it to the ground");
  static const std::map<std::string, UrdfMimic> kMimic = {{"free", UrdfMimic::kFree},
                                                          {"weld", UrdfMimic::kWeld},
                                                          {"force", UrdfMimic::kForce},
                                                          {"couple", UrdfMimic::kCouple}};
  command
      ->add_option("--mimic", options->mimic,
                   "What becomes of joints that mimic others: they move by themselves (free),\n"
                   "follow exactly, by constraints (couple), are welded at their offsets (weld),\n"
                   "or are pulled by springs and dampers (force)")
      ->capture_default_str()
      ->check(CLI::IsMember({"free", "weld", "force", "couple"}).description(""))
      ->type_name("WAY");
  command
      ->add_option("--mimic-frequency", options->urdf.mimic_frequency,
                   "Of --mimic force: rad/s, natural frequency of what is pulled")
      ->capture_default_str()
      ->type_name("W");
  command->callback([options, &status] {
    options->urdf.mimic = kMimic.at(options->mimic);
    status = convert(*options);
  });
}

}  // namespace sestina::cli
