// One row of a result: which columns it has, and their values at a state.
//
//   t; every q; every u; q and u of joints that close loops; every variable; the event; the position of every
//   body's origin; energies; momenta; forces and errors of constraints; on request the reactions
#pragma once

#include <span>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/integrate/equations_of_motion.h"
#include "sestina/io/result.h"

namespace sestina {

// What a row tells of a state beyond the state itself.
struct Observables {
  std::vector<double> origins;  // (3 (bodies - 1)) m, of the bodies' own frames, ground axes
  Energy<double> energy;
  Momentum<double> momentum;
};

class ResultRow {
 public:
  // With `reactions`, six columns for each joint: JOINT.reaction.torque.x ... JOINT.reaction.force.z, what
  // the parent exerts on the child at M's origin, ground axes, actuation included.
  ResultRow(const Model& model, bool reactions);

  const std::vector<Column>& columns() const { return columns_; }

  // Evaluates `dynamics` at the state and returns the row, valid until the next call. `event` is the number,
  // from 1, of the event that has just led to the state, or 0. Throws ComputationError where a number of the
  // row is not finite; otherwise no allocation.
  std::span<const double> calc(const State<double>& state, ForwardDynamics& dynamics, int event = 0);

  // The same, without reactions, where somebody else has evaluated the state.
  std::span<const double> calc(const State<double>& state, const Observables& observables, int event = 0);

  // Of the last row: kinetic + potential - supplied + dissipated, which the exact motion keeps constant (J).
  double energy_balance() const { return energy_balance_; }
  Energy<double> energy() const { return energy_; }

 private:
  void add_columns(const Model& model);
  std::vector<double>::iterator put_together(const State<double>& state, const Observables& observables,
                                             int event);
  void add_constraint_columns(const Model& model);
  std::vector<double>::iterator put_constraints(const ForwardDynamics& dynamics,
                                                std::vector<double>::iterator next);
  void calc_reactions(ForwardDynamics& dynamics, std::vector<double>::iterator next);
  void check_finite() const;

  bool reactions_wanted_, has_events_, is_constrained_;
  Observables observables_;
  std::vector<Column> columns_;
  std::vector<double> row_;
  std::vector<double> udot_;
  std::vector<SpatialForce<double>> reactions_;
  std::vector<double> cut_coordinates_;  // q and u of joints that close loops
  Energy<double> energy_;
  double energy_balance_ = 0.0;
};

}  // namespace sestina
