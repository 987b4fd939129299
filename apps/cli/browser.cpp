#include "browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

extern char** environ;

namespace sestina::cli {
namespace {

// Starts a program as the first of a group of its own, which a signal can reach as a whole.
pid_t start(const std::vector<std::string>& words, const std::filesystem::path& output) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string temporary = "TMPDIR=" + output.parent_path().string();
  std::vector<char*> environment = {temporary.data()};
  for (char** one = environ; *one != nullptr; ++one) {
    if (!std::string_view(*one).starts_with("TMPDIR=")) environment.push_back(*one);
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start " + words[0]);
  return child;
}

}  // namespace

std::optional<std::filesystem::path> find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::filesystem::path program = std::filesystem::path(folder) / name;
      if (access(program.c_str(), X_OK) == 0) return program;
    }
  }
  return std::nullopt;
}

std::optional<int> run_quietly(const std::vector<std::string>& words, const std::filesystem::path& output,
                               const std::atomic<bool>& stop) {
  const pid_t child = start(words, output);
  bool is_killed = false;
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, is_killed ? 0 : WNOHANG);
    if (ended < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "lost " + words[0]);
    if (ended == child && is_killed) return std::nullopt;
    if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (stop && !is_killed) {
      kill(-child, SIGKILL);
      is_killed = true;
    } else if (!is_killed) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

}  // namespace sestina::cli
