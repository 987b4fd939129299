// The memory that holds a row and the inputs of the expressions of a model's own columns: [positions of
// points, free parameters, row]; see output_columns.h.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/beam_sections.h"
#include "sestina/model/output_columns.h"

namespace sestina {

class ColumnInputs {
 public:
  // The model must outlive this object. With `reactions` the row has room for them; it also has if the
  // expressions use them.
  ColumnInputs(const Model& model, std::span<const double> parameters, bool reactions);

  const RowLayout& layout() const { return layout_; }
  // The row from t to the last of the model's own columns, with the reactions if it has them.
  std::span<const double> row() const { return std::span(memory_).subspan(row_start_); }
  double* at(int place_in_row) { return row_in_memory() + place_in_row; }
  // The inputs of the tapes.
  std::span<const double> values() const { return std::span(memory_).first(columns_.inputs.size()); }

  // Writes t, q, u, d.
  void set_state(const State<double>& state);
  // Writes the points of the state that the dynamics has evaluated last.
  void set_points(const ForwardDynamics& dynamics);
  void set_origins(const ForwardDynamics& dynamics);
  void set_origins(std::span<const double> origins) { std::ranges::copy(origins, at(layout_.origins)); }
  void set_energies(const Energy<double>& energy, double supplied, double dissipated);
  void set_momentum(const Momentum<double>& momentum);
  // Writes values of cut joints and constraints for the last state whose accelerations are known.
  void set_constraints(const ForwardDynamics& dynamics);
  // Writes the columns of contacts that are force elements, likewise.
  void set_compliant_contacts(const State<double>& state, const ForwardDynamics& dynamics);
  // Writes points, sections and strain energy of flexible bodies for the state that the dynamics has
  // evaluated last.
  void set_flexible_bodies(const State<double>& state, const ForwardDynamics& dynamics);
  // Writes the columns of a cable from `next` on, and returns the position after them.
  double* set_cable(std::size_t cable, const State<double>& state, const ForwardDynamics& dynamics,
                    double* next) const;
  void set_reactions(std::span<const SpatialForce<double>> reactions);  // by body, the ground included
  void set_reactions_of_loops(const ForwardDynamics& dynamics);         // columns after them

 private:
  double* row_in_memory() { return memory_.data() + row_start_; }

  const Model& model_;
  const OutputColumns& columns_;
  RowLayout layout_;
  ItemsOfElements<SectionShape> shapes_;
  std::size_t row_start_;
  std::vector<double> memory_;
};

// The force and torque that the parent exerts on the child through cut joint i, driving forces included,
// about the origin of the child's joint frame, ground axes, after calc_udot().
SpatialForce<double> reaction_of_cut_joint(const ForwardDynamics& dynamics, std::size_t i);

}  // namespace sestina
