// Many runs of one model, with other values of some of its keys each (docs/sweep.md).
//
//   SweepOptions options;
//   options.out = "pendulum.sweep.h5";
//   SweepReport report =
//       run_sweep(read_model_tree("pendulum.yaml"), parse_sweep_axes({"parameters.l1=0.5:1.5:100"}),
//       options);
//
// The runs are all combinations of the axes' values; the last axis varies fastest. Each is done by one thread
// and depends on nothing but its values, so that the numbers do not depend on the number of threads, nor on
// interruptions, bit for bit (the wall times apart). A run that fails is recorded with its reason.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sestina/io/model_file.h"
#include "sestina/io/sweep_file.h"
#include "sestina/sweep/sweep_axis.h"
#include "sestina/workspace/ensemble.h"

namespace sestina {

struct SweepProgress {
  std::size_t runs = 0;
  std::size_t done = 0;  // complete or failed, those of former processes included
  std::size_t failed = 0;
  double wall_seconds = 0.0;
  double seconds_left = 0.0;  // as the pace of this process tells; NaN while there is none
  double fraction = 0.0;      // of all the work, the parts of runs at hand included
};

struct SweepOptions {
  std::filesystem::path out;
  int threads = 1;
  // The columns that are kept over time: names, `*` for any letters. Empty: all, where the file then takes no
  // more than kMostUnasked. `none`: only the last row of each run.
  std::vector<std::string> record;
  bool reactions = false;
  // Runs advance in SIMD lanes where they can (workspace/ensemble.h); otherwise each by itself, with the last
  // bits of Workspace::run. A resumed sweep goes on as it was begun.
  bool lanes = true;
  bool resume = false;  // continue what `out` has; where there is no such file, begin
  RunLimits limits;     // of each run, beside those of the analysis; see Workspace::set_limits
  std::function<void(const SweepProgress&)> on_progress;  // some ten times a second, from any thread
  const std::atomic<bool>* interrupt = nullptr;

  static constexpr double kMostUnasked = 1 << 30;  // bytes
};

struct SweepReport {
  static constexpr std::size_t kMostReasons = 5;
  struct Failure {
    std::string settings;  // "parameters.l1=0.5, parameters.m=2"
    std::string reason;
  };

  RunStatus status =
      RunStatus::kComplete;  // kFailed: at least one run failed; kInterrupted: some are missing
  std::size_t runs = 0, complete = 0, failed = 0;
  std::size_t cut = 0;    // of this process, with more rows over time than the file has room for
  std::size_t rows = 0;   // for which the file has room
  std::size_t found = 0;  // done before, by the process that this one resumed
  std::string begun_by;   // program and version that made the file
  // Of this process: runs that were computed in lanes, of which instruction set; and why the first of the
  // others was not.
  std::size_t in_lanes = 0;
  std::optional<InstructionSet> lanes;  // none: they are off
  std::string reason_alone;
  std::vector<Failure> failures;  // the first ones, in the order of the runs
  double wall_seconds = 0.0;      // of this process
  std::uintmax_t file_bytes = 0;
};

// Checks the values of every axis (20000 of them, where it has more), and that the file can be written,
// before the first run: throws InputError with all faults, and then has changed nothing. A value is refused
// where none of the runs that have it could begin. Throws std::runtime_error when the disk fails later.
SweepReport run_sweep(const ModelTree& model, const std::vector<SweepAxis>& axes,
                      const SweepOptions& options);

}  // namespace sestina
