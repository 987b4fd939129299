// sestina run MODEL [--set PATH=VALUE]... [--out FILE.{csv,h5}] [--reactions] [--threads N]
//             [--checkpoint FILE] [--every-wall SECONDS] [--trace] [--real-time [FACTOR]] [--quiet]
//             [--max-steps N] [--max-wall SECONDS] [--time-interface scan|mumps]
#include <memory>

#include "commands.h"
#include "particles.h"
#include "processes.h"
#include "sestina/base/error.h"
#include "simulate.h"

namespace sestina::cli {
namespace {

struct RunOptions {
  ModelOptions model;
  SimulateOptions simulate;
  bool reactions = false;
  std::string checkpoint;
  std::optional<double> every_wall;
  ProcessOptions processes;
};

int run(RunOptions& options) {
  if (is_particle_model(options.model)) {
    if (options.reactions) throw InputError("--reactions: particles have no joints");
    return run_particle_model(options.model, options.simulate, options.checkpoint, options.every_wall);
  }
  Workspace workspace(options.model.read());
  options.processes.share(workspace);
  const std::string out = is_first_process() ? options.simulate.out : "";
  if (options.reactions) workspace.record_reactions();
  if (options.every_wall && options.checkpoint.empty()) {
    throw InputError("--every-wall: there is no --checkpoint FILE to write");
  }
  if (!options.checkpoint.empty()) {
    workspace.set_checkpoint({.path = options.checkpoint,
                              .every_wall = options.every_wall.value_or(CheckpointOptions{}.every_wall),
                              .model_file = options.model.path,
                              .result_file = out});
  }
  return simulate(workspace, options.simulate, options.checkpoint,
                  [&] { return out.empty() ? workspace.run() : workspace.run(out); });
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a model");
  options->model.add_to(*command);
  options->simulate.add_to(*command, "Result file (.csv, .h5)");
  command->add_flag("--reactions", options->reactions, "Also record the reactions of all joints");
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "Write checkpoints to FILE, from which `sestina resume FILE` continues the run")
      ->type_name("FILE")
      ->check(check_file_name);
  command->add_option("--every-wall", options->every_wall, "Wall time between checkpoints (default: 60)")
      ->type_name("SECONDS");
  options->processes.add_to(*command);
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace sestina::cli
