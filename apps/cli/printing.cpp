#include "printing.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>

#include "sestina/base/text.h"

namespace sestina::cli {
namespace {

bool g_ignores_pipes = false;  // as inherited from the parent process

}  // namespace

void prepare_standard_files() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The file gets the lowest free number.
    if (::fcntl(file, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDWR));
  }
  g_ignores_pipes = std::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
}

void end_without_reader() {
  if (g_ignores_pipes) return;
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

void write_output(std::string_view text) {
  const std::string escaped = escape_controls(text);
  if (std::fwrite(escaped.data(), 1, escaped.size(), stdout) == escaped.size()) return;
  throw std::system_error(errno, std::generic_category(), "cannot write to the standard output");
}

void write_error(std::string_view text) {
  const std::string escaped = escape_controls(text);
  static_cast<void>(std::fwrite(escaped.data(), 1, escaped.size(), stderr));
}

}  // namespace sestina::cli
