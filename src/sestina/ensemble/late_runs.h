// Detects that some of many runs take much longer than the others did.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace sestina {

class LateRuns {
 public:
  explicit LateRuns(std::size_t runs) : runs_(runs) {}

  // Call from time to time with the number of runs that have ended and the wall time (s). Returns a hint,
  // once, if none has ended for kPatience and for the time in which kMany others ended; otherwise nothing.
  std::string look(std::size_t ended, double seconds) {
    if (ended != ended_) {
      ended_ = ended;
      last_end_ = seconds;
    }
    if (is_told_ || ended_ == 0 || ended_ == runs_) return {};
    const double late = seconds - last_end_, mean = last_end_ / static_cast<double>(ended_);
    if (late < kPatience || late < kMany * mean) return {};
    is_told_ = true;
    return fmt::format(
        "{} of {} runs have ended, one every {:.2g} s, and none since {:.0f} s: limits of steps or of wall "
        "time "
        "(analysis.limits, --max-steps, --max-wall, max_steps, max_wall) end runs that do not finish",
        ended_, runs_, mean, late);
  }

 private:
  static constexpr double kPatience = 10.0, kMany = 200.0;  // s, runs
  std::size_t runs_, ended_ = 0;
  double last_end_ = 0.0;  // s
  bool is_told_ = false;
};

}  // namespace sestina
