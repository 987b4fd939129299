// sestina resume CHECKPOINT [--out FILE.{csv,h5}] [--threads N] [--every-wall SECONDS] [--trace]
//                [--real-time [FACTOR]] [--max-steps N] [--max-wall SECONDS] [--quiet]
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "particles.h"
#include "printing.h"
#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/particle_run/particle_run.h"
#include "sestina/workspace/checkpoint.h"
#include "simulate.h"

namespace sestina::cli {
namespace {

struct ResumeOptions {
  std::string checkpoint;
  SimulateOptions simulate;
  std::optional<double> every_wall;
};

int resume(const ResumeOptions& given) {
  if (is_particle_checkpoint(given.checkpoint)) {
    return resume_particle_run(given.checkpoint, given.simulate, given.every_wall);
  }
  ResumeOptions options = given;
  const Checkpoint checkpoint = read_checkpoint(options.checkpoint);
  if (checkpoint.is_complete) {
    if (!options.simulate.quiet) {
      print("{}: the run is complete; there is nothing to resume\n", options.checkpoint);
    }
    return kSuccess;
  }
  if (checkpoint.program != "sestina " + version()) {
    print_error(
        "sestina: warning: {} was written by {}; whether the run continues bit for bit is not known\n",
        options.checkpoint, checkpoint.program);
  }
  Workspace workspace(read_model_of(checkpoint));
  std::string& out = options.simulate.out;
  if (out.empty()) out = checkpoint.result_file;
  if (checkpoint.reactions) workspace.record_reactions();
  workspace.set_checkpoint({.path = options.checkpoint,
                            .every_wall = options.every_wall.value_or(checkpoint.every_wall),
                            .model_file = checkpoint.model_file,
                            .result_file = out});
  return simulate(workspace, options.simulate, options.checkpoint, [&] {
    return out.empty() ? workspace.resume(checkpoint) : workspace.resume(checkpoint, out);
  });
}

}  // namespace

void add_resume(CLI::App& app, int& status) {
  auto options = std::make_shared<ResumeOptions>();
  CLI::App* command = app.add_subcommand("resume", "Continue a run from its checkpoint");
  command
      ->add_option("CHECKPOINT", options->checkpoint, "Checkpoint written by `sestina run --checkpoint FILE`")
      ->required()
      ->type_name("FILE");
  options->simulate.add_to(*command, "Where the result file of the run is now, if it was moved");
  command
      ->add_option("--every-wall", options->every_wall, "Wall time between checkpoints (default: as before)")
      ->type_name("SECONDS");
  command->callback([options, &status] { status = resume(*options); });
}

}  // namespace sestina::cli
