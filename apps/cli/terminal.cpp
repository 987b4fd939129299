#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "printing.h"

namespace sestina::cli {
namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

// The kernel and the shell may both signal that the terminal is closed: this counts once.
void handle_interrupt(int signal) {
  g_interrupted.store(true);
  if (signal != SIGHUP) std::signal(signal, SIG_DFL);
}

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// "3 min"
std::string rough_time(double seconds) {
  if (seconds >= 3600.0) return fmt::format("{:.1f} h", seconds / 3600.0);
  if (seconds >= 60.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.0f} s", seconds);
}

std::string time_left(const RunProgress& progress, double fraction) {
  if (fraction <= 0.0) return "";
  return rough_time(progress.wall_seconds * (1.0 - fraction) / fraction) + " left";
}

}  // namespace

ProgressBar::ProgressBar() : is_terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(const RunProgress& progress) {
  const double fraction = std::clamp(progress.t / progress.duration, 0.0, 1.0);
  draw(fraction, fmt::format(" {:3.0f} %  t = {:.3g} of {:.3g} s  {} steps  {}", 100.0 * fraction, progress.t,
                             progress.duration, progress.steps, time_left(progress, fraction)));
}

void ProgressBar::show(const SweepProgress& progress) {
  const std::string failed = progress.failed == 0 ? "" : fmt::format("  {} failed", progress.failed);
  const std::string left =
      std::isfinite(progress.seconds_left) ? "  " + rough_time(progress.seconds_left) + " left" : "";
  draw(progress.fraction,
       fmt::format(" {:3.0f} %  {} of {} runs{}  {}{}", 100.0 * progress.fraction, progress.done,
                   progress.runs, failed, rough_time(progress.wall_seconds), left));
}

void ProgressBar::tell(const std::string& line) {
  if (is_shown_) std::fputs("\r\033[K", stderr);
  print_error("{}\n", line);
}

void ProgressBar::draw(double fraction, const std::string& numbers) {
  if (!is_terminal_) return;
  const int room = std::clamp(terminal_width() - static_cast<int>(numbers.size()) - 3, 0, 40);
  const int filled = static_cast<int>(fraction * room);
  const std::string bar = room < 5 ? ""
                                   : fmt::format("[{}{}]", std::string(static_cast<std::size_t>(filled), '#'),
                                                 std::string(static_cast<std::size_t>(room - filled), '.'));
  std::fputs(fmt::format("\r\033[K{}{}", bar, numbers).c_str(), stderr);
  std::fflush(stderr);
  is_shown_ = true;
}

const std::atomic<bool>& catch_interrupt() {
  std::signal(SIGINT, handle_interrupt);
  std::signal(SIGTERM, handle_interrupt);
  if (std::signal(SIGHUP, handle_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  return g_interrupted;
}

}  // namespace sestina::cli
