#include "replay_options.h"

#include <filesystem>

#include "sestina/base/error.h"

namespace sestina::cli {
namespace {

bool is_model(const std::string& path) {
  const auto suffix = std::filesystem::path(path).extension();
  return suffix == ".yaml" || suffix == ".yml" || suffix == ".urdf";
}

}  // namespace

const char* const kGhostHelp = "Result of a second run, drawn translucent; plots show both";

studio::Ghost load_ghost(const std::string& result, const ModelOptions& model, std::size_t most_bytes) {
  const std::filesystem::path path(result);
  std::optional<System> system;
  if (path.extension() != ".h5" && !model.path.empty()) system = model.read();
  return studio::make_ghost(studio::read_replay(result, std::move(system)), path.filename().string(),
                            most_bytes);
}

void ReplayOptions::add_to(CLI::App& command) {
  command.add_option("RESULT", result, "Result file (.csv, .h5), or a model, which is run first")
      ->required()
      ->type_name("FILE");
  command.add_option("--model", model.path, "Model of the result; .h5 files hold it")
      ->type_name("FILE")
      ->check(check_file_name);
  model.add_set_to(command);
  command.add_flag("--reactions", reactions, "Model: also record the reactions of all joints");
}

studio::Replay ReplayOptions::load(RunReport& report) {
  if (is_model(result)) {
    if (!model.path.empty()) throw InputError("--model: RESULT is a model already");
    model.path = result;
    return studio::run_replay(model.read(), reactions, report);
  }
  if (reactions) throw InputError("--reactions: a result has what was recorded; run the model with it");
  if (model.path.empty() && !model.set.empty()) throw InputError("--set: there is no --model to change");
  std::optional<System> system;
  if (!model.path.empty()) system = model.read();
  return studio::read_replay(result, std::move(system));
}

}  // namespace sestina::cli
