// Several processes that compute one result together: `mpirun -n 4 sestina run MODEL`. The first one writes
// and prints; if the program was built without MPI there is only one.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>

#include "sestina/workspace/workspace.h"

namespace sestina::cli {

bool is_first_process();
int process_count();

// Calls `work` in every process; it returns the exit status and writes errors to `message`. Prints each
// message once, and ends all processes if one of them fails alone.
int run_in_processes(const std::function<int(std::string& message)>& work);

// How the equations between time stretches of several processes are solved (interface_solver.h).
class ProcessOptions {
 public:
  ProcessOptions();
  ~ProcessOptions();
  void add_to(CLI::App& command);
  // Lets all processes solve the run together. Throws InputError if there are several and the analysis does
  // not have coordinates: state_time.
  void share(Workspace& workspace);

 private:
  std::string name_ = "scan";
  std::unique_ptr<InterfaceSolver> solver_;
};

}  // namespace sestina::cli
