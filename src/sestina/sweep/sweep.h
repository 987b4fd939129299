// Many runs of one model, each with other values of some of its keys (docs/sweep.md).
//
//   SweepOptions options;
//   options.out = "pendulum.sweep.h5";
//   SweepReport report =
//       run_sweep(read_model_tree("pendulum.yaml"), parse_sweep_axes({"parameters.l1=0.5:1.5:100"}),
//       options);
//
// The runs are all combinations of the axes' values; the last axis varies fastest. Each is computed by one
// thread and depends only on its values, so that the numbers do not depend on the number of threads or on
// interruptions, bit for bit (except wall times). A run that fails is recorded with its reason.
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
  std::size_t done = 0;  // complete or failed, including earlier processes
  std::size_t failed = 0;
  double wall_seconds = 0.0;
  double seconds_left = 0.0;  // estimated from the pace of this process; NaN at first
  double fraction = 0.0;      // of all work, including fractions of current runs
};

struct SweepOptions {
  std::filesystem::path out;
  int threads = 1;
  // Columns stored over time: names, `*` for any letters. Empty: all, if the file then takes at most
  // kMostUnasked. `none`: only the last row of each run.
  std::vector<std::string> record;
  bool reactions = false;
  // Runs advance in SIMD lanes where they can (workspace/ensemble.h); otherwise each by itself, with the same
  // bits as Workspace::run. A resumed sweep continues in the way it was begun.
  bool lanes = true;
  bool resume = false;                                    // continue `out`; begin if there is no such file
  RunLimits limits;                                       // of each run, in addition to those of the analysis
  std::function<void(const SweepProgress&)> on_progress;  // about ten times a second, from any thread
  // Called once if runs take much longer than others did (late_runs.h), from any thread.
  std::function<void(const std::string&)> on_hint;
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
  std::size_t cut = 0;    // in this process, with more rows than the file has room for
  std::size_t rows = 0;   // room of the file
  std::size_t found = 0;  // done before, by resumed processes
  std::string begun_by;   // program and version that made the file
  // In this process: the number of runs in lanes, their instruction set, and why the first of the other runs
  // was not in lanes.
  std::size_t in_lanes = 0;
  std::optional<InstructionSet> lanes;  // none: they are off
  std::string reason_alone;
  std::vector<Failure> failures;  // the first ones, in the order of the runs
  double wall_seconds = 0.0;      // of this process
  std::uintmax_t file_bytes = 0;
};

// Checks the values of every axis (up to 20000 of them), and that the file can be written, before the first
// run: throws InputError with all faults without changing anything. A value is rejected if no run with it
// could begin. Throws std::runtime_error if the disk fails later.
SweepReport run_sweep(const ModelTree& model, const std::vector<SweepAxis>& axes,
                      const SweepOptions& options);

}  // namespace sestina
