// One row of a result: its columns, and their values at a state.
//
//   t; every q; every u; q and u of joints that close loops; every variable; the event; the position of every
//   body's origin; energies; momenta; forces and errors of constraints; contacts; beams; the columns that the
//   model defines; on request the reactions
#pragma once

#include <span>
#include <vector>

#include "sestina/io/result.h"
#include "sestina/workspace/column_inputs.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {

// Quantities of a row that are computed from the state.
struct Observables {
  std::vector<double> origins;  // (3 (bodies - 1)) m, of the body frames, ground axes
  Energy<double> energy;
  Momentum<double> momentum;
};

// The columns of a model's results.
std::vector<Column> result_columns(const Model& model, bool reactions);

class ResultRow {
 public:
  // For the model with these values of its free parameters. With `reactions`, there are six columns per
  // joint: JOINT.reaction.torque.x ... JOINT.reaction.force.z, the force of the parent on the child at M's
  // origin, ground axes, actuation included. The model must outlive this object.
  ResultRow(const Model& model, std::span<const double> parameters, bool reactions);

  const std::vector<Column>& columns() const { return columns_; }
  // Provides the columns of contacts; must outlive this. Without it they are zero.
  void set_contacts(SystemEquations* equations) { contacts_ = equations; }

  // Generalised forces (nu) that act beside those of the model; not copied. The equations of contacts have
  // the same.
  void set_tau(std::span<const double> tau) { tau_ = tau; }

  // Evaluates `dynamics` at the state and returns the row, valid until the next call. `event` is the number,
  // from 1, of the event that has just led to the state, or 0. Throws ComputationError if a number in the row
  // is not finite; otherwise no allocation.
  std::span<const double> calc(const State<double>& state, ForwardDynamics& dynamics, int event = 0);

  // The same with given accelerations, and multipliers lambda (rows) of loops and constraints.
  std::span<const double> calc(const State<double>& state, ForwardDynamics& dynamics,
                               std::span<const double> udot, std::span<const double> lambda);

  // The same if the state has been evaluated elsewhere; see needs_dynamics().
  std::span<const double> calc(const State<double>& state, const Observables& observables, int event = 0);
  // Whether rows have reactions, or a column of the model uses more than Observables contains.
  bool needs_dynamics() const;

  // For the last row: kinetic + potential - supplied + dissipated, constant for the exact motion (J).
  double energy_balance() const { return energy_balance_; }
  Energy<double> energy() const { return energy_; }

 private:
  void set_state(const State<double>& state, const Energy<double>& energy, int event);
  std::span<const double> fill(const State<double>& state, ForwardDynamics& dynamics,
                               std::span<const double> udot, int event);
  std::span<const double> calc_defined(const State<double>& state);
  std::span<const double> row() const { return inputs_.row().first(columns_.size()); }
  void check_finite() const;

  const Model& model_;
  SystemEquations* contacts_ = nullptr;
  std::span<const double> tau_;
  const OutputColumns& defined_;
  bool needs_reactions_, has_events_;
  std::vector<Column> columns_;
  ColumnInputs inputs_;
  std::vector<double> scratch_;
  std::vector<double> udot_;
  std::vector<SpatialForce<double>> reactions_;
  Energy<double> energy_;
  double energy_balance_ = 0.0;
};

}  // namespace sestina
