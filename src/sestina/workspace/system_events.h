// A model's events as seen by the locator, and their effects on the state.
#pragma once

#include <optional>
#include <vector>

#include "sestina/dynamics/cartesian_coordinates.h"
#include "sestina/numerics/dual.h"
#include "sestina/run/run_events.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {

class SystemEvents final : public RunEvents {
 public:
  // Both must outlive this object.
  SystemEvents(ForwardDynamics& dynamics, SystemEquations& equations);

  int size() const override { return static_cast<int>(model_.events().size()); }
  std::vector<EventWatch> watches() const override;
  const std::string& name(int event) const override { return info(event).name; }
  bool is_terminal(int event) const override { return info(event).is_terminal; }

  // No allocation.
  void calc(const State<double>& state, std::span<double> values) override;
  // The first call for an event extracts its part from the tape of all events.
  double calc_one(const State<double>& state, int event) override;
  void calc_rates(const State<double>& state, std::span<double> rates) override;
  std::string explain(const State<double>& state, int event) override;

  // Applies the assignments of the event, all computed from the state before. Loops are closed around the
  // values that are set. Energy that this removes from the system counts as dissipated, energy that it adds
  // as supplied. Throws ComputationError if an assigned value cannot be kept, or it or the energy after the
  // event, is not finite.
  void apply(int event, State<double>& state) override;

 private:
  const EventInfo& info(int event) const { return model_.events()[static_cast<std::size_t>(event)]; }
  double calc_energy(const State<double>& state);
  // Fills the inputs of the tapes.
  void fill_inputs(const State<double>& state);
  void assign(const Model& model, const EventInfo& info, State<double>& state) const;
  void assign_to_joints(const EventInfo& info, State<double>& state);
  void assign_and_close(const EventInfo& info, State<double>& state);
  // Closes the loops around the values just assigned. Throws ComputationError where none of the states that
  // close them has these values.
  void close_around_values(const Model& model, const Properties<double>& properties, const EventInfo& info,
                           State<double>& state) const;

  ForwardDynamics& dynamics_;
  SystemEquations& equations_;
  const Model& model_;
  std::vector<std::optional<Tape>> tapes_;  // (events) of events that were evaluated alone
  std::vector<double> inputs_, scratch_, assigned_;
  std::vector<Dual> dual_inputs_, dual_scratch_, dual_values_;
  std::vector<double> qdot_, udot_, xdot_, zdot_;
  std::vector<double> cut_qdot_, cut_udot_;  // of cut joints
  // For events that set coordinates or speeds of joints in cartesian coordinates: the mechanism in relative
  // coordinates, made for the first such event.
  struct Twin {
    CartesianCoordinates coordinates;
    State<double> state;
  };
  std::unique_ptr<Twin> twin_;
};

}  // namespace sestina
