// sestina info MODEL [--set PATH=VALUE]...
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numbers>

#include "commands.h"
#include "printing.h"
#include "sestina/base/suggest.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/contact_pairs.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/mobility.h"
#include "sestina/flexible/reduced_body.h"
#include "sestina/model/output_columns.h"
#include "sestina/model/tape_inputs.h"
#include "sestina/workspace/state_time_options.h"
#include "sestina/workspace/workspace.h"

namespace sestina::cli {
namespace {

std::string numbers(const std::vector<double>& values, int start, int count) {
  std::string text;
  for (int i = start; i < start + count; ++i)
    text += fmt::format("{}{:.6g}", i > start ? " " : "", values[static_cast<std::size_t>(i)]);
  return text;
}

// Nodes of cables are not listed in the table.
bool is_listed(const Model& model, BodyIndex body) {
  const auto has_node = [body](const BeamInfo& beam) {
    return beam.is_cable && std::ranges::find(beam.nodes, body) != beam.nodes.end();
  };
  return !model.bodies()[body].is_mode && std::ranges::none_of(model.beams(), has_node);
}

// kg, from the first element to before the last.
double mass_of_cables(const Properties<double>& properties, std::size_t first, std::size_t last) {
  double sum = 0.0;
  for (std::size_t k = first; k < last; ++k) {
    const CableSegment<double>& segment = properties.cable_elements[k].segment;
    sum += segment.mass * segment.length;
  }
  return sum;
}

double total_mass(const Model& model, const Properties<double>& properties) {
  double sum = mass_of_cables(properties, 0, properties.cable_elements.size());
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    if (is_listed(model, b)) sum += properties.bodies[b].M.mass;
  }
  return sum;
}

void print_cables(const Model& model, const Properties<double>& properties) {
  for (const BeamInfo& beam : model.beams()) {
    if (!beam.is_cable) continue;
    const auto first = static_cast<std::size_t>(beam.first_element);
    const std::size_t last = first + static_cast<std::size_t>(beam.element_count());
    double length = 0.0;
    for (std::size_t k = first; k < last; ++k) length += properties.cable_elements[k].segment.length;
    print("cable {}: {} elements, {:.6g} m, {:.6g} kg; points", beam.name, beam.element_count(), length,
          mass_of_cables(properties, first, last));
    for (const BeamInfo::Point& point : beam.points) print(" {}", point.name);
    print("\n");
  }
}

void print_tree(const Model& model, const Properties<double>& properties, const State<double>& state) {
  std::vector<int> depth(static_cast<std::size_t>(model.bodies().size()), 0);
  std::size_t body_width = 4, joint_width = 5;
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    if (!is_listed(model, b)) continue;
    int& own = depth[static_cast<std::size_t>(b.value())];
    own = depth[static_cast<std::size_t>(info.parent.value())] + 1;
    body_width = std::max(body_width, info.name.size() + 2 * static_cast<std::size_t>(std::min(own, 12) - 1));
    joint_width = std::max(joint_width, info.joint_name.size());
  }
  print("{:<{}}  {:<{}}  {:<11}  {:>10}  {}\n", "body", body_width, "joint", joint_width, "type", "mass / kg",
        "initial q | u");
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    if (!is_listed(model, b)) continue;
    const auto indent =
        2 * static_cast<std::size_t>(std::min(depth[static_cast<std::size_t>(b.value())], 12) - 1);
    print("{:<{}}  {:<{}}  {:<11}  {:>10.6g}  {} | {}\n", std::string(indent, ' ') + info.name, body_width,
          info.joint_name, joint_width, joint_info(info.joint_type).keyword, properties.bodies[b].M.mass,
          numbers(state.q, info.q_start, info.nq), numbers(state.u, info.u_start, info.nu));
  }
  print_cables(model, properties);
  for (const ReducedBodyInfo& body : model.reduced_bodies()) {
    const ReducedModes& modes = *body.modes;
    print("reduced body {}: {} modes", body.name, modes.count);
    if (modes.count > 0) {
      const auto [least, most] = std::ranges::minmax(modes.frequencies);
      print(", {:.6g} to {:.6g} Hz", least / (2.0 * std::numbers::pi), most / (2.0 * std::numbers::pi));
    }
    print("; interfaces");
    for (const ReducedModes::Interface& interface : modes.interfaces) print(" {}", interface.name);
    print("\n");
  }
}

void print_energy(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
                  const State<double>& state) {
  ForwardDynamics dynamics(model, properties, "recursive");
  dynamics.update(state);
  const Energy<double> energy = dynamics.energy(state);
  const Momentum<double> momentum = calc_momentum(*model, properties, state, dynamics.kinematics());
  print("initial energy: kinetic {:.6g} J, potential {:.6g} J\n", energy.kinetic, energy.potential);
  print("initial momentum: ({:.6g}, {:.6g}, {:.6g}) kg m/s\n", momentum.linear.x, momentum.linear.y,
        momentum.linear.z);
}

// The values of the event functions at a state.
std::vector<double> event_values(const Model& model, const Properties<double>& properties,
                                 const State<double>& state) {
  std::vector<double> inputs(static_cast<std::size_t>(model.num_force_tape_inputs()));
  std::vector<double> scratch(model.event_tape().scratch_size()), values(model.events().size());
  CutCoordinates<double> cut;
  ConstraintRows<double> rows(model);
  if (model.events_use_cut_joints()) {
    Kinematics<double> kinematics(model);
    update_kinematics(model, properties, state, kinematics);
    update_constraint_rows(model, properties, state, kinematics, rows);
    cut = {rows.cut_q, rows.cut_u};
  }
  fill_tape_inputs<double>(state, properties.parameters, cut, inputs);
  model.event_tape().evaluate<double>(inputs, values, scratch);
  return values;
}

// "FORCE" of a state FORCE.bristle_3 that a force adds; empty for a state of the description.
std::string_view owner_of_state(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

// A line " valve.p1 = 1e+05 ...". Many states of one force are one entry.
void print_states(const Model& model, const State<double>& state) {
  constexpr std::size_t kMost = 12;
  const auto& states = model.states();
  if (!state.x.empty()) print("\nstates with a rate:");
  for (std::size_t i = 0; i < state.x.size();) {
    const std::string_view owner = owner_of_state(states[i].name);
    std::size_t end = i + 1;
    while (!owner.empty() && end < state.x.size() && owner_of_state(states[end].name) == owner) ++end;
    if (end - i > kMost) {
      const auto [least, most] = std::minmax_element(state.x.begin() + static_cast<std::ptrdiff_t>(i),
                                                     state.x.begin() + static_cast<std::ptrdiff_t>(end));
      print(" {} to {} ({} states from {:.6g} to {:.6g})", states[i].name, states[end - 1].name, end - i,
            *least, *most);
      i = end;
    }
    for (; i < end; ++i) print(" {} = {:.6g}", states[i].name, state.x[i]);
  }
  if (!state.x.empty()) print("\n");
}

// "event floor: flight.q - r, falling, to 1e-09 s; sets flight.u, bounces; ends the run"
void print_events(const Model& model, const Properties<double>& properties, const State<double>& state) {
  if (!model.variables().empty()) print("\nvariables:");
  for (std::size_t i = 0; i < model.variables().size(); ++i) {
    print(" {} = {:.6g}", model.variables()[i].name, state.d[i]);
  }
  if (!model.variables().empty()) print("\n");
  print_states(model, state);
  if (!model.events().empty()) print("\n");
  const std::vector<double> values = event_values(model, properties, state);
  for (std::size_t e = 0; e < model.events().size(); ++e) {
    const EventInfo& event = model.events()[e];
    const char* direction = event.direction == CrossingDirection::kBoth     ? "rising or falling"
                            : event.direction == CrossingDirection::kRising ? "rising"
                                                                            : "falling";
    print("event {}: {}, {}", event.name, event.when, direction);
    if (event.tolerance > 0.0) print(", to {:.6g} s", event.tolerance);
    for (int i = 0; i < event.assignments; ++i) {
      const auto k = static_cast<std::size_t>(event.first_assignment + i);
      print("{}{}", i == 0 ? "; sets " : ", ", model.name_of(model.assignments()[k]));
    }
    if (event.is_terminal) print("; ends the run");
    if (values[e] == 0.0) print("; zero at the start");
    print("\n");
  }
}

// "column work: integral of drive.value*hip.u, J"
void print_columns(const Model& model) {
  const std::vector<DefinedColumn>& columns = output_columns(model).columns;
  if (!columns.empty()) print("\n");
  for (const DefinedColumn& column : columns) {
    print("column {}: {}{}{}{}\n", column.name, column.integral < 0 ? "" : "integral of ", column.value,
          column.unit.empty() ? "" : ", ", column.unit);
  }
}

std::string method_in_words(const Analysis& analysis) {
  if (analysis.type != "dynamics") return analysis.type;
  if (is_state_time(analysis)) return "state_time, " + elements_in_words(analysis);
  const bool is_cartesian = analysis.coordinates == "cartesian";
  return fmt::format("{}, {}, {}", is_cartesian ? analysis.coordinates : analysis.solver, analysis.integrator,
                     analysis.driver == "fixed" ? fmt::format("fixed step of {:.6g} s", analysis.dt)
                                                : fmt::format("variable step (rtol {:.6g}, atol {:.6g})",
                                                              analysis.rtol, analysis.atol));
}

// "closes a loop: joint pin (revolute), from rocker.tip to coupler.tip"
void print_constraints(const Model& model, const Properties<double>& properties, const State<double>& state,
                       const AssemblyReport& assembly) {
  if (!model.is_constrained()) return;
  print("\n");
  for (const CutJointInfo& joint : model.cut_joints()) {
    print("closes a loop: joint {} ({}), from {} to {}\n", joint.name, joint_info(joint.type).keyword,
          model.points()[joint.parent_point].name, model.points()[joint.child_point].name);
  }
  for (const ConstraintInfo& constraint : model.constraints()) {
    print("constraint {} ({}{})\n", constraint.name, constraint.type,
          constraint.is_on_position ? "" : ", on speeds");
  }
  for (const AssemblyReport::Moved& moved : assembly.moved)
    print("to close the loops, {}\n", describe(moved));
  const Mobility mobility = calc_mobility(model, properties, state);
  print("degrees of freedom: {} ({} speeds, {} conditions, of which {} are redundant)\n",
        mobility.degrees_of_freedom(), mobility.speeds, mobility.conditions, mobility.redundant());
  if (!mobility.undetermined.empty()) {
    print("not determined by the equations: the forces of {} (those of least norm are given)\n",
          join_words(mobility.undetermined));
  }
  print("distance from a singular position: {:.2g} (smallest to largest singular value)\n",
        mobility.distance_from_singular);
}

// "rigid, friction 0.6, restitution 0.8 (stronge)"; for a force element with its first pair of shapes
std::string law_in_words(const Model& model, const Properties<double>& properties, std::size_t contact) {
  const std::string& law = model.contacts()[contact].law;
  const ContactLaw<double>& numbers = properties.contacts.contacts[contact];
  const std::string friction = fmt::format("friction {:.6g}", numbers.friction);
  if (model.contacts()[contact].is_force) {
    const auto& element = *std::ranges::find(properties.forces.connectors.contacts, static_cast<int>(contact),
                                             &CompliantContact<double>::contact);
    const std::string bristles =
        element.bristle < 0 ? "" : fmt::format(" by bristles of {:.6g} 1/m", element.bristle_stiffness);
    return fmt::format(
        "{}, {}{}, stiffness {:.6g}, exponent {:.6g}, dissipation {:.6g} s/m, damping {:.6g} N s/m", law,
        friction, bristles, element.stiffness, element.exponent, element.dissipation, element.damping);
  }
  if (numbers.stiffness == 0.0) {
    return fmt::format("rigid, {}, restitution {:.6g} ({})", friction, numbers.restitution, law);
  }
  return fmt::format("compliant, {}, stiffness {:.6g} N/m, damping {:.6g} N s/m", friction, numbers.stiffness,
                     numbers.damping);
}

std::string gap_in_words(const ContactPair& pair) {
  if (pair.is_overlap()) return fmt::format("overlaps by {:.6g} m at the start", -pair.gap);
  if (pair.is_closed()) return "closed at the start";
  return fmt::format("gap {:.6g} m", pair.gap);
}

// "contact feet: rigid, friction 0.6, restitution 0 (stronge)" and a line for each pair of shapes; of many
// pairs only those that touch, and the number of the others.
void print_contacts(const Model& model, const Properties<double>& properties, const State<double>& state) {
  constexpr std::ptrdiff_t kMost = 12;
  if (model.contacts().empty()) return;
  print("\n");
  const std::vector<ContactPair> pairs = list_contact_pairs(model, properties, state);
  for (std::size_t i = 0; i < model.contacts().size(); ++i) {
    const ContactInfo& info = model.contacts()[i];
    print("contact {}: {}\n", info.name, law_in_words(model, properties, i));
    const auto is_own = [&](const ContactPair& pair) { return pair.contact == static_cast<int>(i); };
    const bool are_many = std::ranges::count_if(pairs, is_own) > kMost;
    int apart = 0;
    for (const ContactPair& pair : pairs) {
      if (!is_own(pair)) continue;
      if (are_many && pair.gap > ContactPair::kTouching) {
        ++apart;
        continue;
      }
      print("  {} ({}) with {} ({}): {}\n", pair.first, name_of(pair.first_type), pair.second,
            name_of(pair.second_type), gap_in_words(pair));
    }
    if (apart > 0) print("  {} pairs of shapes are apart\n", apart);
  }
}

int info(const ModelOptions& options) {
  const Workspace workspace(options.read());
  // In cartesian coordinates too, the same mechanism has a tree.
  const auto relative = workspace.model().relative();
  const auto model = relative ? relative : workspace.shared_model();
  const Properties<double> properties = calc_properties(*model);
  AssemblyReport assembly;
  const State<double> state = calc_assembled_state(*model, properties, &assembly);
  const double mass = total_mass(*model, properties);
  print("{}\n{}, {:.6g} kg\n\n", model->name().empty() ? options.path : model->name(), size_in_words(*model),
        mass);
  print_tree(*model, properties, state);
  if (!model->forces().empty()) {
    print("\n");
    for (const ForceInfo& force : model->forces()) print("force {} ({})\n", force.name, force.type);
  }
  print_constraints(*model, properties, state, assembly);
  print_contacts(*model, properties, state);
  if (relative) {
    print("\ncartesian coordinates: every joint is cut; {} speeds of bodies, {} conditions\n",
          workspace.model().nu(), workspace.model().constraint_rows());
  }
  print_events(*model, properties, state);
  print_columns(*model);
  if (!model->parameters().empty()) {
    print("\nparameters:");
    for (const ParameterInfo& parameter : model->parameters())
      print(" {} = {:.6g}", parameter.name, parameter.value);
    print("\n");
  }
  print("\ngravity: ({:.6g}, {:.6g}, {:.6g}) m/s^2\n", properties.gravity.x, properties.gravity.y,
        properties.gravity.z);
  print_energy(model, properties, state);
  const Analysis& analysis = workspace.analysis();
  print("analysis: {}, duration {:.6g} s, output every {:.6g} s\n", method_in_words(analysis),
        analysis.duration, analysis.output_every);
  return kSuccess;
}

}  // namespace

void add_info(CLI::App& app, int& status) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App* command = app.add_subcommand("info", "Check a model and show what is in it");
  options->add_to(*command);
  command->callback([options, &status] { status = info(*options); });
}

}  // namespace sestina::cli
