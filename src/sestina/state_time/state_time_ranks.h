// Processes that solve every window of the state-time equations together.
#pragma once

namespace sestina {

class Communicator;
class InterfaceSolver;

// Each process has its own stretches. All processes make a solver of the same model and options and call
// start() and solve_window() together; each then has the whole solution, and all throw the same error if one
// does. Every rank computes the initial guess itself.
struct StateTimeRanks {
  Communicator* communicator = nullptr;  // null: this process alone
  InterfaceSolver* interface_solver = nullptr;
};

}  // namespace sestina
