#include "sestina/model/output_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sestina/expression/evaluate.h"
#include "sestina/flexible/reduced_body.h"

namespace sestina {
namespace {

constexpr const char* kAxisNames[] = {"x", "y", "z"};

void add_vector(std::vector<RowColumn>& row, const std::string& name, const char* unit) {
  for (const char* axis : kAxisNames) row.push_back({name + "." + axis, unit});
}

bool is_constrained(const ModelData& data) { return data.constraint_rows > 0 || !data.cut_joints.empty(); }

// Some bodies float only because the joints that would carry them are cut.
bool is_cartesian(const ModelData& data) { return data.carrying_joints > 0; }

// Returns all names, or those that are shown.
void add_coordinates(std::vector<RowColumn>& row, const std::vector<std::string>& names,
                     const std::vector<std::string>& units, const std::vector<int>* shown) {
  const std::size_t count = shown != nullptr ? shown->size() : names.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = shown != nullptr ? static_cast<std::size_t>((*shown)[k]) : k;
    row.push_back({names[i], units[i]});
  }
}

// Adds NAME.force and NAME.error of each, NAME.s of points on curves and beams, and the largest errors of
// all.
void add_constraints(std::vector<RowColumn>& row, const std::vector<ConstraintInfo>& constraints) {
  for (const ConstraintInfo& constraint : constraints) {
    for (const bool is_force : {true, false}) {
      for (int i = 0; i < constraint.rows; ++i) {
        row.push_back({constraint.name + (is_force ? ".force" : ".error") +
                           (constraint.rows == 1 ? "" : fmt::format("[{}]", i)),
                       is_force ? constraint.force_unit : constraint.unit_of_error(i)});
      }
    }
    if (constraint.has_parameter())
      row.push_back({constraint.name + ".s", constraint.curve >= 0 ? "1" : "m"});
  }
  row.push_back({"constraints.position_error", "m"});
  row.push_back({"constraints.velocity_error", "m/s"});
}

void add_pose(std::vector<RowColumn>& row, const std::string& point) {
  add_vector(row, point, "m");
  for (int i = 0; i < 4; ++i) row.push_back({fmt::format("{}.axes[{}]", point, i), "1"});
}

// The section of a beam is given by its shape.
bool has_stress(const PropertyPlan& plan, std::size_t beam) {
  return plan.connectors.beams[beam].has_outline();
}

// For each beam its points and the middles of its elements, the interfaces of each reduced body, and the
// contacts of cables with pulleys; then the strain energy of all.
void add_flexible_bodies(std::vector<RowColumn>& row, const ModelData& data) {
  if (data.beams.empty() && data.reduced_bodies.empty()) return;
  for (std::size_t i = 0; i < data.beams.size(); ++i) {
    const BeamInfo& beam = data.beams[i];
    for (const BeamInfo::Point& point : beam.points) {
      if (beam.is_cable) {
        add_vector(row, point.name, "m"), add_vector(row, point.name + ".slope", "1");
      } else {
        add_pose(row, point.name);
      }
    }
    for (int k = 0; k < beam.element_count(); ++k) {
      const std::string section = fmt::format("{}.section[{}]", beam.name, k);
      if (beam.is_cable) {
        row.push_back({section + ".tension", "N"});
        row.push_back({section + ".strain", "1"});
        add_vector(row, section + ".moment", "N m");
        add_vector(row, section + ".curvature", "1/m");
      } else {
        add_vector(row, section + ".force", "N");
        add_vector(row, section + ".moment", "N m");
        add_vector(row, section + ".strain", "1");
        add_vector(row, section + ".curvature", "1/m");
      }
      if (!has_stress(data.plan, i)) continue;
      for (const char* kind : {"max", "min", "mises"}) row.push_back({section + ".stress." + kind, "Pa"});
    }
  }
  for (const ReducedBodyInfo& body : data.reduced_bodies) {
    for (const PointIndex point : body.points) add_pose(row, data.points[point].name);
    if (body.modes->stress_nodes.empty()) continue;
    row.push_back({body.name + ".stress.mises", "Pa"}), row.push_back({body.name + ".stress.node", "1"});
  }
  for (const BeltInfo& belt : data.belts) {
    row.push_back({belt.name + ".normal_force", "N"});
    row.push_back({belt.name + ".torque", "N m"});
    row.push_back({belt.name + ".angle", "rad"});
  }
  for (const SlidingForcePlan& force : data.plan.connectors.sliding_forces) {
    row.push_back({data.forces[force.index].name + ".force", "N"});
    row.push_back({data.forces[force.index].name + ".speed", "m/s"});
  }
  row.push_back({"energy.strain", "J"});
}

int count_of_flexible_bodies(const PropertyPlan& plan, const std::vector<BeamInfo>& beams,
                             const std::vector<ReducedBodyInfo>& reduced_bodies,
                             const std::vector<BeltInfo>& belts) {
  int count = beams.empty() && reduced_bodies.empty() ? 0 : 1;
  count += RowLayout::kOfBelt * static_cast<int>(belts.size());
  count += RowLayout::kOfSlidingForce * static_cast<int>(plan.connectors.sliding_forces.size());
  for (const ReducedBodyInfo& body : reduced_bodies) {
    count += RowLayout::kOfPoint * static_cast<int>(body.points.size());
    if (!body.modes->stress_nodes.empty()) count += RowLayout::kOfReducedStress;
  }
  for (std::size_t i = 0; i < beams.size(); ++i) {
    const BeamInfo& beam = beams[i];
    const int of_point = beam.is_cable ? RowLayout::kOfCablePoint : RowLayout::kOfPoint;
    const int of_section = (beam.is_cable ? RowLayout::kOfCableSection : RowLayout::kOfSection) +
                           (has_stress(plan, i) ? RowLayout::kOfStress : 0);
    count += of_point * static_cast<int>(beam.points.size()) + of_section * beam.element_count();
  }
  return count;
}

// Without the ground and the bodies of modes.
int count_of_bodies(const IndexedVector<BodyIndex, BodyInfo>& bodies) {
  int count = -1;
  for (const BodyInfo& body : bodies) count += body.is_mode ? 0 : 1;
  return count;
}

int count_of_constraints(const std::vector<ConstraintInfo>& constraints, bool is_constrained) {
  int count = is_constrained ? 2 : 0;
  for (const ConstraintInfo& constraint : constraints) {
    count += 2 * constraint.rows + (constraint.has_parameter() ? 1 : 0);
  }
  return count;
}

template <class Forces>
JointContactColumns find_joint_contacts(const PropertyPlan& plan, const std::vector<std::string>& u_names,
                                        const std::vector<std::string>& u_units, const Forces& forces) {
  JointContactColumns found;
  const auto add = [&](std::string name, int speed) {
    const bool turns = u_units[static_cast<std::size_t>(speed)] == "rad/s";
    found.columns.push_back({std::move(name), turns ? "N m" : "N"});
    return static_cast<int>(found.columns.size()) - 1;
  };
  for (std::size_t i = 0; i < plan.stops.size(); ++i) {
    const int speed = plan.stops[i].u;
    const auto same = std::ranges::find(plan.stops, speed, &StopPlan::u);
    const auto before = static_cast<std::size_t>(same - plan.stops.begin());
    if (before < i) {  // a lower and an upper limit
      found.of_stop.push_back(found.of_stop[before]);
      continue;
    }
    std::string name = u_names[static_cast<std::size_t>(speed)];  // hip.u, base.u[3]
    const std::size_t dot = name.rfind(".u");
    name.replace(dot, 2, ".limit_force");
    found.of_stop.push_back(add(std::move(name), speed));
  }
  for (const CoordinateFrictionPlan& friction : plan.connectors.coordinate_frictions) {
    const std::string& name = forces[friction.index].name;
    found.of_friction.push_back(friction.sticks() ? add(name + ".force", friction.u) : -1);
  }
  return found;
}

std::string explain(const Model& model, const StateExpressions& expressions, int number,
                    std::span<const double> inputs) {
  const auto i = static_cast<std::size_t>(number);
  const std::vector<Expr>& symbols = output_columns(model).inputs;
  assert(inputs.size() == symbols.size());
  std::vector<Binding> bindings;
  for (std::size_t k = 0; k < symbols.size(); ++k) bindings.emplace_back(symbols[k], inputs[k]);
  const auto reason = find_non_finite(model.graph(), expressions.exprs[i], bindings);
  if (!reason) return "it overflows";
  const std::string& as_written = expressions.constant_faults[i];
  const bool is_constant = model.graph().has_constant_fault(reason->where);
  return is_constant && !as_written.empty() ? as_written : reason->message;
}

}  // namespace

RowLayout::RowLayout(const Counts& counts)
    : q(1),
      u(q + counts.nq),
      cut(u + counts.nu),
      d(cut + counts.cut_numbers),
      event(d + counts.nd),
      origins(event + (counts.has_events ? 1 : 0)),
      energy(origins + 3 * counts.bodies),
      momentum(energy + kEnergies),
      constraints(momentum + 6),
      contacts(constraints + counts.of_constraints),
      joint_contacts(contacts + kOfContact * counts.contacts),
      flexible_bodies(joint_contacts + counts.joint_contacts),
      defined(flexible_bodies + counts.of_flexible_bodies),
      reactions(defined + counts.defined),
      end(reactions + 6 * counts.joints) {}

JointContactColumns joint_contact_columns(const Model& model) {
  return find_joint_contacts(model.plan(), model.u_names(), model.u_units(), model.forces());
}

RowLayout row_layout(const Model& model) {
  const bool is_cartesian = model.carrying_joints() > 0;
  RowLayout::Counts counts{.nq = is_cartesian ? static_cast<int>(model.shown_q().size()) : model.nq(),
                           .nu = is_cartesian ? static_cast<int>(model.shown_u().size()) : model.nu(),
                           .nd = model.nd() + model.nx(),
                           .has_events = !model.events().empty(),
                           .bodies = count_of_bodies(model.bodies()),
                           .joints = count_of_bodies(model.bodies()) -
                                     static_cast<int>(model.carrying_joints()) +
                                     static_cast<int>(model.cut_joints().size()),
                           .cut_numbers = model.cut_nq() + model.cut_nu(),
                           .defined = static_cast<int>(output_columns(model).columns.size())};
  counts.of_constraints = count_of_constraints(model.constraints(), model.is_constrained());
  counts.contacts = static_cast<int>(model.contacts().size());
  counts.joint_contacts = static_cast<int>(joint_contact_columns(model).columns.size());
  counts.of_flexible_bodies =
      count_of_flexible_bodies(model.plan(), model.beams(), model.reduced_bodies(), model.belts());
  return RowLayout(counts);
}

RowLayout row_layout(const ModelData& data) {
  RowLayout::Counts counts{.nq = is_cartesian(data) ? static_cast<int>(data.shown_q.size()) : data.nq,
                           .nu = is_cartesian(data) ? static_cast<int>(data.shown_u.size()) : data.nu,
                           .nd = static_cast<int>(data.variables.size() + data.states.size()),
                           .has_events = !data.events.empty(),
                           .bodies = count_of_bodies(data.bodies),
                           .joints = count_of_bodies(data.bodies) - static_cast<int>(data.carrying_joints) +
                                     static_cast<int>(data.cut_joints.size()),
                           .cut_numbers = data.cut_nq + data.cut_nu};
  counts.of_constraints = count_of_constraints(data.constraints, is_constrained(data));
  counts.contacts = static_cast<int>(data.contacts.size());
  counts.joint_contacts = static_cast<int>(
      find_joint_contacts(data.plan, data.u_names, data.u_units, data.forces).columns.size());
  counts.of_flexible_bodies =
      count_of_flexible_bodies(data.plan, data.beams, data.reduced_bodies, data.belts);
  return RowLayout(counts);
}

std::vector<RowColumn> row_columns(const ModelData& data, bool reactions) {
  std::vector<RowColumn> row{{"t", "s"}};
  add_coordinates(row, data.q_names, data.q_units, is_cartesian(data) ? &data.shown_q : nullptr);
  add_coordinates(row, data.u_names, data.u_units, is_cartesian(data) ? &data.shown_u : nullptr);
  for (std::size_t i = 0; i < data.cut_q_names.size(); ++i)
    row.push_back({data.cut_q_names[i], data.cut_q_units[i]});
  for (std::size_t i = 0; i < data.cut_u_names.size(); ++i)
    row.push_back({data.cut_u_names[i], data.cut_u_units[i]});
  for (const VariableInfo& variable : data.variables) row.push_back({variable.name, "1"});
  for (const StateInfo& state : data.states) row.push_back({state.name, state.unit});
  if (!data.events.empty()) row.push_back({"event", "1"});
  for (BodyIndex b{1}; b.value() < data.bodies.size(); ++b) {
    if (!data.bodies[b].is_mode) add_vector(row, data.bodies[b].name + ".origin", "m");
  }
  for (const char* kind : {"kinetic", "potential", "total", "supplied", "dissipated"}) {
    row.push_back({std::string("energy.") + kind, "J"});
  }
  add_vector(row, "momentum", "kg m/s");
  add_vector(row, "angular_momentum", "kg m^2/s");
  if (is_constrained(data)) add_constraints(row, data.constraints);
  for (const ContactInfo& contact : data.contacts) {
    row.push_back({contact.name + ".normal_force", "N"});
    row.push_back({contact.name + ".friction_force", "N"});
    row.push_back({contact.name + ".gap", "m"});
    row.push_back({contact.name + ".slip", "m/s"});
  }
  for (RowColumn& column : find_joint_contacts(data.plan, data.u_names, data.u_units, data.forces).columns)
    row.push_back(std::move(column));
  add_flexible_bodies(row, data);
  if (data.output_columns) {
    for (const DefinedColumn& column : data.output_columns->columns)
      row.push_back({column.name, column.unit});
  }
  if (!reactions) return row;
  const auto add_reaction = [&](const std::string& joint) {
    add_vector(row, joint + ".reaction.torque", "N m");
    add_vector(row, joint + ".reaction.force", "N");
  };
  for (BodyIndex b{1}; b.value() < data.bodies.size(); ++b) {
    if (!data.bodies[b].hangs_on_cut && !data.bodies[b].is_mode) add_reaction(data.bodies[b].joint_name);
  }
  for (const CutJointInfo& joint : data.cut_joints) add_reaction(joint.name);
  return row;
}

std::vector<RowColumn> Model::row_columns(bool reactions) const {
  return sestina::row_columns(data_, reactions);
}

const OutputColumns& output_columns(const Model& model) {
  static const OutputColumns none;
  return model.output_columns() ? *model.output_columns() : none;
}

std::string explain_column(const Model& model, int column, std::span<const double> inputs) {
  const OutputColumns& columns = output_columns(model);
  return fmt::format("column {} is not finite: {}", columns.columns[static_cast<std::size_t>(column)].name,
                     explain(model, columns.values, column, inputs));
}

std::string explain_rate(const Model& model, int integral, std::span<const double> inputs) {
  const OutputColumns& columns = output_columns(model);
  const auto column = static_cast<std::size_t>(columns.integrals[static_cast<std::size_t>(integral)]);
  return fmt::format("the rate of column {} is not finite: {}", columns.columns[column].name,
                     explain(model, columns.rates, integral, inputs));
}

}  // namespace sestina
