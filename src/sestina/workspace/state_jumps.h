// Finds jumps of forces, and of rates of states, where a condition on the motion changes: if(x.q < w, ...),
// sign(x.u). The derivatives of a run jump there, which their equations do not show.
//
// It examines the states at the ends of steps. If a condition has changed in between, the state at the change
// is found on the straight line between the two.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/expression/tape.h"

namespace sestina {

class StateJumps {
 public:
  // The dynamics must outlive this.
  explicit StateJumps(ForwardDynamics& dynamics);

  // Takes the next state of the run. Throws InputError, which names the condition, if a force or a rate has
  // jumped since the last one.
  void look(const State<double>& state);

 private:
  void fill_inputs(const State<double>& state);
  void check(std::size_t condition, double t);
  double evaluate_condition(std::size_t condition, double part);
  void evaluate_at(double part);

  ForwardDynamics& dynamics_;
  std::vector<std::string> texts_;  // of the conditions
  Tape conditions_;                 // what passes zero
  Tape values_;                     // of forces and rates
  bool uses_cut_joints_ = false;
  bool has_looked_ = false;
  std::vector<double> inputs_, last_inputs_, between_;  // of the tapes
  std::vector<double> now_, last_, scratch_, at_begin_, at_end_, before_, after_;
};

}  // namespace sestina
