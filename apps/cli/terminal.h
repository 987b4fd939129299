// The progress display of a run, and its interruption by Ctrl-C.
#pragma once

#include <atomic>
#include <string>

#include "sestina/sweep/sweep.h"
#include "sestina/workspace/workspace.h"

namespace sestina::cli {

// A bar on the last line of a terminal; nothing when the error output goes elsewhere.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // takes the bar away
  void show(const RunProgress& progress);
  void show(const SweepProgress& progress);
  void tell(const std::string& line);  // on the error output, whatever it is

 private:
  void draw(double fraction, const std::string& numbers);

  bool is_terminal_;
  bool is_shown_ = false;
};

// Becomes true at the first Ctrl-C (or SIGTERM); a second one ends the program at once. Likewise when the
// terminal is closed (SIGHUP), unless that is ignored (nohup).
const std::atomic<bool>& catch_interrupt();

}  // namespace sestina::cli
