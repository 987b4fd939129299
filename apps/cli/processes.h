// Several processes of the program that compute one result together: `mpirun -n 4 sestina run MODEL`. The
// first one writes and tells; where the program was built without MPI there is one alone.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>

#include "sestina/workspace/workspace.h"

namespace sestina::cli {

bool is_first_process();
int process_count();

// Calls `work` in every process; it returns the exit status and leaves in `message` what went wrong. Prints
// messages, each once, and ends all processes where one fails by itself.
int run_in_processes(const std::function<int(std::string& message)>& work);

// How the stretches of time of several processes are put together (interface_solver.h).
class ProcessOptions {
 public:
  ProcessOptions();
  ~ProcessOptions();
  void add_to(CLI::App& command);
  // Lets all processes solve the run together. Throws InputError where there are several and the analysis has
  // other coordinates than state_time.
  void share(Workspace& workspace);

 private:
  std::string name_ = "scan";
  std::unique_ptr<InterfaceSolver> solver_;
};

}  // namespace sestina::cli
