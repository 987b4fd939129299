// sestina view RESULT -o FILE.html [--model MODEL] [--set PATH=VALUE]... [--reactions] [--max-size MB]
// RESULT is that of a run, or a model, which is run first.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "commands.h"
#include "particles.h"
#include "printing.h"
#include "replay_options.h"
#include "sestina/base/error.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/output_file.h"
#include "studio/particle_replay.h"
#include "studio/view_file.h"

namespace sestina::cli {
namespace {

struct ViewOptions {
  ReplayOptions replay;
  std::string output;
  std::string ghost;
  double max_size = 50.0;  // MB
};

// "1.2 MB"
std::string size_text(std::size_t bytes) {
  return fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(bytes));
}

// Pages of particles have no plots but the time; `most` bytes for the motion.
int view_particles(const ViewOptions& options, std::size_t most) {
  const std::string& path = options.replay.result;
  if (!options.ghost.empty()) throw InputError("--ghost: not for particles");
  const studio::ParticleReplay replay =
      studio::read_particle_replay(path, read_particles(path, options.replay.model.set), most);
  const std::string page = studio::make_view_page(replay.scene, replay.motion, {});
  write_whole_file(options.output, page);
  for (const std::string& note : replay.scene.notes) print_error("note: {}\n", note);
  print("{}: {} {}, {}\n", options.output, replay.motion.rows, replay.motion.rows == 1 ? "row" : "rows",
        size_text(page.size()));
  return kSuccess;
}

int view(ViewOptions& options) {
  if (std::filesystem::path(options.output).extension() != ".html") {
    throw InputError(fmt::format("'{}': the name of a page ends in .html", options.output));
  }
  // As text, three bytes take four.
  const auto most = static_cast<std::size_t>(0.75e6 * options.max_size);
  if (shows_particles(options.replay.result)) return view_particles(options, most);
  RunReport report;
  const studio::Replay replay = options.replay.load(report);
  FileUses files;
  files.add_input("the result", options.replay.result);
  files.add_inputs_of(replay.workspace->described());
  if (!options.ghost.empty()) files.add_input("the second result", options.ghost);
  files.add_output("the page", options.output);
  files.check();
  const Scene scene = studio::make_scene(replay);
  const Motion motion = studio::make_motion(replay, scene, most);
  std::optional<studio::Ghost> ghost;
  if (!options.ghost.empty()) ghost = load_ghost(options.ghost, options.replay.model, most);
  const std::string page =
      studio::make_view_page(scene, motion, replay.table.header().provenance, ghost ? &*ghost : nullptr);
  write_whole_file(options.output, page);
  for (const std::string& note : scene.notes) print_error("note: {}\n", note);
  print("{}: {} {}, {}\n", options.output, motion.rows, motion.rows == 1 ? "row" : "rows",
        size_text(page.size()));
  if (motion.stride > 1) {
    print("every {}. row of {}, so that the motion takes at most {} MB (--max-size)\n", motion.stride,
          replay.table.rows(), options.max_size);
  }
  if (report.status == RunStatus::kComplete) return kSuccess;
  print_error("sestina: the computation failed: {}\n", report.failure);
  return kComputationFailed;
}

}  // namespace

void add_view(CLI::App& app, int& status) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* command = app.add_subcommand("view", "Write a motion as a page for a browser");
  options->replay.add_to(*command);
  command->add_option("-o,--out", options->output, "Page (.html); it needs no other file")
      ->required()
      ->type_name("FILE")
      ->check(check_file_name);
  command
      ->add_option("--max-size", options->max_size,
                   "Leave out rows until the motion takes at most this many megabytes")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 2000.0).description(""))
      ->type_name("MB");
  command->add_option("--ghost", options->ghost, kGhostHelp)->type_name("FILE")->check(check_file_name);
  command->callback([options, &status] { status = view(*options); });
}

}  // namespace sestina::cli
