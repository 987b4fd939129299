// sestina studio [MODEL|RESULT] [--model MODEL] [--set PATH=VALUE]... [--port N] [--no-browser]
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "printing.h"
#include "replay_options.h"
#include "sestina/base/error.h"
#include "studio/page.h"
#include "studio/server.h"
#include "terminal.h"

extern char** environ;

namespace sestina::cli {
namespace {

namespace fs = std::filesystem;

struct StudioOptions {
  ModelOptions model;  // its path is that of --model
  std::string path, ghost;
  unsigned short port = 0;
  bool no_browser = false;
};

#ifdef SESTINA_STUDIO

// Opens the desktop's browser, if there is a desktop; its output is discarded.
void open_browser(const std::string& url) {
  const bool has_desktop = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (!has_desktop) return;
  std::string program = "xdg-open", address = url;
  char* arguments[] = {program.data(), address.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0);
  }
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ) != 0) child = 0;
  posix_spawn_file_actions_destroy(&actions);
}

std::unique_ptr<studio::Session> make_session(const StudioOptions& options, studio::Send send) {
  const fs::path path = options.path;
  if (path.empty() || path.extension() == ".yaml" || path.extension() == ".yml") {
    if (!options.model.path.empty() || !options.model.set.empty() || !options.ghost.empty()) {
      throw InputError("--model, --set and --ghost are for results; in a model change the text");
    }
    const fs::path folder = path.empty() ? fs::current_path() : fs::absolute(path).parent_path();
    if (!path.empty() && !fs::is_directory(folder)) {
      throw InputError(fmt::format("there is no directory '{}'", folder.string()));
    }
    return std::make_unique<studio::Session>(path.empty() ? path : fs::absolute(path), folder,
                                             std::move(send));
  }
  if (path.extension() == ".urdf") {
    throw InputError("a robot is edited as a model: sestina convert ROBOT.urdf -o MODEL.yaml");
  }
  if (fs::is_directory(path)) {
    throw InputError(fmt::format(
        "'{}' is a folder: name a model (.yaml) or a result (.csv, .h5) in it, or no file", options.path));
  }
  if (SweepFile::is_sweep_file(path)) {
    if (!options.model.path.empty() || !options.ghost.empty()) {
      throw InputError("--model and --ghost are for results of single runs; this is a sweep");
    }
    return std::make_unique<studio::Session>(studio::SweepReplay(path), std::move(send));
  }
  std::optional<System> model;
  if (!options.model.path.empty()) model = options.model.read();
  std::optional<studio::Ghost> ghost;
  if (!options.ghost.empty()) ghost = load_ghost(options.ghost, options.model, studio::kLargestMotion);
  return std::make_unique<studio::Session>(studio::read_replay(options.path, std::move(model)),
                                           std::move(send), std::move(ghost));
}

int serve(const StudioOptions& options) {
  if (studio::page_text().empty()) {
    throw InputError(
        "this program was built without the page of the studio: esbuild or libjs-three was missing");
  }
  studio::Server server({options.port},
                        [&](studio::Send send) { return make_session(options, std::move(send)); });
  const std::atomic<bool>& stop = catch_interrupt();
  print("{}\nCtrl-C ends the studio. Anyone who knows this address can use it, but only from this machine.\n",
        server.url());
  std::fflush(stdout);
  if (!options.no_browser) open_browser(server.url());
  server.run(stop);
  return kSuccess;
}

#else

int serve(const StudioOptions& /*options*/) {
  throw InputError("this program was built without the studio: Boost.Beast was missing");
}

#endif

}  // namespace

void add_studio(CLI::App& app, int& status) {
  auto options = std::make_shared<StudioOptions>();
  CLI::App* command = app.add_subcommand("studio", "Build, run and view a model in a browser");
  command
      ->add_option("FILE", options->path,
                   "Model file (.yaml), which need not exist, or result of a run (.csv, .h5) or "
                   "sweep;\nwithout one, an empty model")
      ->type_name("MODEL|RESULT");
  command->add_option("--model", options->model.path, "Model of a result; .h5 files hold it")
      ->type_name("FILE")
      ->check(check_file_name);
  options->model.add_set_to(*command);
  command->add_option("--ghost", options->ghost, kGhostHelp)->type_name("FILE")->check(check_file_name);
  command->add_option("--port", options->port, "Port of the loopback address (one that is free)")
      ->type_name("N");
  command->add_flag("--no-browser", options->no_browser, "Open no browser; the address is printed");
  command->callback([options, &status] { status = serve(*options); });
}

}  // namespace sestina::cli
