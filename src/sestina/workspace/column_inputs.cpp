#include "sestina/workspace/column_inputs.h"

#include <algorithm>

#include "sestina/dynamics/belt_forces.h"
#include "sestina/dynamics/reduced_bodies.h"
#include "sestina/flexible/reduced_stress.h"

namespace sestina {
namespace {

double* put(const Vec3<double>& v, double* next) {
  *next++ = v.x, *next++ = v.y, *next++ = v.z;
  return next;
}

// Writes nothing if the shape is not known.
double* put_stress(const SectionShape& shape, const Vec3<double>& force, const Vec3<double>& moment,
                   double* next) {
  if (shape.kind == SectionShape::Kind::kNone) return next;
  const SectionStress stress = calc_section_stress(shape, force, moment);
  *next++ = stress.max, *next++ = stress.min, *next++ = stress.mises;
  return next;
}

}  // namespace

ColumnInputs::ColumnInputs(const Model& model, std::span<const double> parameters, bool reactions)
    : model_(model),
      columns_(output_columns(model)),
      layout_(row_layout(model)),
      shapes_(calc_section_shapes(model, parameters)),
      row_start_(3 * columns_.points.size() + parameters.size()),
      memory_(row_start_ + static_cast<std::size_t>(
                               reactions || columns_.use_reactions ? layout_.end : layout_.reactions)) {
  std::ranges::copy(parameters, row_in_memory() - parameters.size());
}

void ColumnInputs::set_state(const State<double>& state) {
  *at(0) = state.t;
  if (model_.is_cartesian()) {
    const auto put_shown = [](const std::vector<int>& shown, const std::vector<double>& values,
                              double* next) {
      for (const int i : shown) *next++ = values[static_cast<std::size_t>(i)];
    };
    put_shown(model_.shown_q(), state.q, at(layout_.q));
    put_shown(model_.shown_u(), state.u, at(layout_.u));
  } else {
    std::ranges::copy(state.q, at(layout_.q));
    std::ranges::copy(state.u, at(layout_.u));
  }
  std::ranges::copy(state.x, std::ranges::copy(state.d, at(layout_.d)).out);
}

void ColumnInputs::set_points(const ForwardDynamics& dynamics) {
  double* next = memory_.data();
  for (const PointIndex point : columns_.points) {
    const Marker<double>& marker = dynamics.properties().points[point];
    next = put(marker_motion(dynamics.kinematics().motion.data(), marker).position, next);
  }
}

void ColumnInputs::set_origins(const ForwardDynamics& dynamics) {
  double* next = at(layout_.origins);
  for (BodyIndex b{1}; b.value() < dynamics.model().bodies().size(); ++b) {
    if (dynamics.model().bodies()[b].is_mode) continue;
    const Marker<double> marker{frame_of(b), dynamics.properties().bodies[b].X_MB};
    next = put(marker_motion(dynamics.kinematics().motion.data(), marker).position, next);
  }
}

void ColumnInputs::set_energies(const Energy<double>& energy, double supplied, double dissipated) {
  const double values[] = {energy.kinetic, energy.potential, energy.kinetic + energy.potential, supplied,
                           dissipated};
  std::ranges::copy(values, at(layout_.energy));
}

void ColumnInputs::set_momentum(const Momentum<double>& momentum) {
  put(momentum.angular, put(momentum.linear, at(layout_.momentum)));
}

void ColumnInputs::set_constraints(const ForwardDynamics& dynamics) {
  const ConstrainedDynamics* const constrained = dynamics.constrained();
  if (constrained == nullptr) return;
  const ConstraintRows<double>& rows = constrained->rows();
  std::ranges::copy(rows.cut_u, std::ranges::copy(rows.cut_q, at(layout_.cut)).out);
  double* next = at(layout_.constraints);
  for (const ConstraintInfo& constraint : dynamics.model().constraints()) {
    // The multipliers of a point or a disc act on it, and it is named first.
    const double sign = constraint.type.starts_with("point_on") || constraint.type == "rolling" ? -1.0 : 1.0;
    const int end = constraint.first_row + constraint.rows;
    for (int r = constraint.first_row; r < end; ++r) {
      *next++ = sign * constrained->lambda()[static_cast<std::size_t>(r)];
    }
    for (int r = constraint.first_row; r < end; ++r) {
      const ConstraintRow<double>& row = rows.rows[static_cast<std::size_t>(r)];
      *next++ = row.is_on_position ? row.error : row.velocity;
    }
    if (!constraint.has_parameter()) continue;
    *next++ = rows.curve_s[static_cast<std::size_t>(dynamics.model().curve_parameter_of(constraint))];
  }
  const ConstraintErrors errors = constrained->errors();
  *next++ = errors.position, *next++ = errors.velocity;
}

void ColumnInputs::set_compliant_contacts(const State<double>& state, const ForwardDynamics& dynamics) {
  const std::vector<CompliantContact<double>>& pairs = dynamics.properties().forces.connectors.contacts;
  if (pairs.empty()) return;
  const ForceInput<double> in = force_input(state, dynamics.kinematics(), dynamics.forces());
  for (std::size_t i = 0; i < pairs.size();) {
    const int contact = pairs[i].contact;
    ContactTotals totals;
    for (; i < pairs.size() && pairs[i].contact == contact; ++i) pairs[i].add_totals(in, totals);
    const double values[] = {totals.normal_force, totals.friction_force, totals.gap, totals.slip};
    std::ranges::copy(values, at(layout_.contacts) + RowLayout::kOfContact * contact);
  }
}

void ColumnInputs::set_flexible_bodies(const State<double>& state, const ForwardDynamics& dynamics) {
  if (model_.beams().empty() && model_.reduced_bodies().empty()) return;
  const std::vector<BodyMotion<double>>& motion = dynamics.kinematics().motion;
  const ForceInput<double> in = force_input(state, dynamics.kinematics(), dynamics.forces());
  const std::vector<BeamForce<double>>& elements = dynamics.properties().forces.connectors.beams;
  const std::vector<CableForce<double>>& cables = dynamics.properties().cable_elements;
  double* next = at(layout_.flexible_bodies);
  const auto put_pose = [&](const Pose<double>& X) {
    next = put(X.p, next);
    euler_parameters_of(X.R, next);
    next += 4;
  };
  double energy = calc_reduced_strain_energy(model_, state.q);
  for (std::size_t i = 0; i < model_.beams().size(); ++i) {
    const BeamInfo& beam = model_.beams()[i];
    if (beam.is_cable) {
      next = set_cable(i, state, dynamics, next);
      for (int k = 0; k < beam.element_count(); ++k) {
        energy += cables[static_cast<std::size_t>(beam.first_element + k)].potential_energy(in);
      }
      continue;
    }
    for (const BeamInfo::Point& point : beam.points) {
      put_pose(motion[static_cast<std::size_t>(point.node.value())].X_WB);
    }
    for (std::size_t k = 0; k + 1 < beam.nodes.size(); ++k) {
      const BeamForce<double>& force = elements[static_cast<std::size_t>(beam.first_element) + k];
      const BeamElement<double> element = force.relax(in);
      const Vec6<double> wrench = element.section_wrench(0.0), strain = force.segment.compliance * wrench;
      next = put(angular(wrench), put(linear(wrench), next));
      next = put(angular(strain), put(linear(strain), next));
      next = put_stress(item_of_element(shapes_, i, k), linear(wrench), angular(wrench), next);
      energy += element.energy(force.segment);
    }
  }
  for (const ReducedBodyInfo& body : model_.reduced_bodies()) {
    const auto first = static_cast<std::size_t>(body.first_frame.value());
    for (std::size_t i = 0; i < body.points.size(); ++i) put_pose(motion[first + i].X_WB);
    if (body.modes->stress_nodes.empty()) continue;
    const ReducedStress stress = calc_largest_stress(*body.modes, state.q.data() + body.q_start);
    *next++ = stress.mises, *next++ = stress.node;
  }
  for (const BeltContact<double>& belt : dynamics.properties().forces.connectors.belts) {
    const BeltTotals totals = calc_belt_totals(belt, in);
    *next++ = totals.normal_force, *next++ = totals.torque, *next++ = totals.angle;
  }
  for (const SlidingPointForce<double>& force : dynamics.properties().forces.connectors.sliding_forces) {
    const Sliding<double> sliding = force.sliding(in);
    *next++ = force.force(in, sliding), *next++ = sliding.speed;
  }
  *next = energy;
}

double* ColumnInputs::set_cable(std::size_t index, const State<double>& state,
                                const ForwardDynamics& dynamics, double* next) const {
  const BeamInfo& cable = model_.beams()[index];
  const ForceInput<double> in = force_input(state, dynamics.kinematics(), dynamics.forces());
  for (const BeamInfo::Point& point : cable.points) {
    const auto k = static_cast<std::size_t>(std::ranges::find(cable.nodes, point.node) - cable.nodes.begin());
    next = put(in.frames[point.node.value()].X_WB.p, next);
    next = std::copy_n(state.q.begin() + cable.slope_q[k], 3, next);
  }
  for (int k = 0; k < cable.element_count(); ++k) {
    const CableForce<double>& element =
        dynamics.properties().cable_elements[static_cast<std::size_t>(cable.first_element + k)];
    const CableSection<double> section = calc_cable_section(element.segment, element.nodes(in));
    *next++ = section.tension, *next++ = section.strain;
    next = put(section.curvature, put(section.moment, next));
    // A circle or tube bends alike in all directions.
    const SectionShape& shape = item_of_element(shapes_, index, static_cast<std::size_t>(k));
    next = put_stress(shape, {section.tension, 0.0, 0.0}, {0.0, norm(section.moment), 0.0}, next);
  }
  return next;
}

void ColumnInputs::set_reactions(std::span<const SpatialForce<double>> reactions) {
  double* next = at(layout_.reactions);
  for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
    if (model_.bodies()[b].hangs_on_cut || model_.bodies()[b].is_mode) continue;
    const SpatialForce<double>& reaction = reactions[static_cast<std::size_t>(b.value())];
    next = put(reaction.force, put(reaction.torque, next));
  }
}

SpatialForce<double> reaction_of_cut_joint(const ForwardDynamics& dynamics, std::size_t i) {
  const std::vector<SpatialForce<double>>& driving = dynamics.forces().cut.forces;
  SpatialForce<double> reaction = dynamics.constrained()->reaction(dynamics.model().cut_joints()[i]);
  if (!driving.empty()) reaction += driving[i];
  return reaction;
}

void ColumnInputs::set_reactions_of_loops(const ForwardDynamics& dynamics) {
  const std::size_t joints = model_.cut_joints().size();
  double* next = at(layout_.end) - 6 * static_cast<std::ptrdiff_t>(joints);
  for (std::size_t i = 0; i < joints; ++i) {
    const SpatialForce<double> reaction = reaction_of_cut_joint(dynamics, i);
    next = put(reaction.force, put(reaction.torque, next));
  }
}

}  // namespace sestina
