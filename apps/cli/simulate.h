// What `run` and `resume` have in common: how a run is watched, and what is told of it at the end.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>

#include "sestina/workspace/workspace.h"

namespace sestina::cli {

// --max-steps and --max-wall: what a run may take.
struct LimitOptions {
  std::optional<long> steps;
  std::optional<double> wall_time;  // s

  void add_to(CLI::App& command);
  RunLimits limits() const;  // InputError for what is not positive
};

// The options of both commands.
struct SimulateOptions {
  std::string out;
  std::string threads;
  bool trace = false;
  std::optional<double> real_time;
  LimitOptions limits;
  bool quiet = false;

  // `describe_out` says what --out means.
  void add_to(CLI::App& command, const std::string& describe_out);
};

// --threads, which --help describes alike wherever it is.
void add_threads_option(CLI::App& command, std::string& threads);
void set_threads(Workspace& workspace, const std::string& threads);

// Lets `run` do the work on the workspace, tells what came of it, and returns the exit status. `checkpoint`
// is the name of the checkpoint file, empty for none.
int simulate(Workspace& workspace, const SimulateOptions& options, const std::string& checkpoint,
             const std::function<RunReport()>& run);

}  // namespace sestina::cli
