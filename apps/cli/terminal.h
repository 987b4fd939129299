// The progress display of a run, and its interruption by Ctrl-C.
#pragma once

#include <atomic>
#include <string>

#include "sestina/sweep/sweep.h"
#include "sestina/workspace/workspace.h"

namespace sestina::cli {

// A progress bar on the last line of a terminal; no output if the error output is not a terminal.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // takes the bar away
  void show(const RunProgress& progress);
  void show(const SweepProgress& progress);
  void tell(const std::string& line);  // on the error output of any kind

 private:
  void draw(double fraction, const std::string& numbers);

  bool is_terminal_;
  bool is_shown_ = false;
};

// Becomes true at the first Ctrl-C (or SIGTERM); a second one ends the program at once. The same holds if the
// terminal is closed (SIGHUP), unless that signal is ignored (nohup).
const std::atomic<bool>& catch_interrupt();

}  // namespace sestina::cli
