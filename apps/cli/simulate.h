// Common parts of `run` and `resume`: the display of a run and its final report.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>

#include "sestina/workspace/workspace.h"

namespace sestina::cli {

// --max-steps and --max-wall: the limits of a run.
struct LimitOptions {
  std::optional<long> steps;
  std::optional<double> wall_time;  // s

  void add_to(CLI::App& command);
  RunLimits limits() const;  // throws InputError unless positive
};

// The options of both commands.
struct SimulateOptions {
  std::string out;
  std::string threads;
  bool trace = false;
  std::optional<double> real_time;
  LimitOptions limits;
  bool quiet = false;

  // `describe_out` is the help text of --out.
  void add_to(CLI::App& command, const std::string& describe_out);
};

// --threads, with the same help text in all commands.
void add_threads_option(CLI::App& command, std::string& threads);
void set_threads(Workspace& workspace, const std::string& threads);

// Runs `run` on the workspace, prints the outcome, and returns the exit status. `checkpoint` is the name of
// the checkpoint file, or empty.
int simulate(Workspace& workspace, const SimulateOptions& options, const std::string& checkpoint,
             const std::function<RunReport()>& run);

}  // namespace sestina::cli
