// The runs of a sweep: the values of its axes, the last rows, and the model of each run, whose motion is
// computed again.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/io/model_file.h"
#include "sestina/io/sweep_file.h"

namespace sestina::studio {

class SweepReplay {
 public:
  static constexpr std::size_t kMostRuns = 100'000;

  // Throws InputError, also for a sweep of more than kMostRuns.
  explicit SweepReplay(const std::filesystem::path& path);

  std::size_t runs() const { return file_.header().runs(); }
  std::size_t first_complete() const;  // 0 if no run is complete
  // Equal to `sestina run --set PATH=VALUE` with the values of the run. Throws InputError.
  System system_of(std::size_t run) const;
  // The message {"type": "sweep"}: name, axes with their values as text, columns, and the status of each run
  // (0 pending, 1 complete, 2 failed).
  std::string message() const;
  // The message {"type": "members"}: the values of a column in the last row of each run, null where there is
  // none. Throws InputError.
  std::string message_of(std::string_view column) const;

 private:
  SweepFile file_;
  ModelTree model_;
};

}  // namespace sestina::studio
