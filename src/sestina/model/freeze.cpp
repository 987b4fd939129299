#include "sestina/model/freeze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/suggest.h"
#include "sestina/flexible/reduced_body.h"
#include "sestina/model/check.h"
#include "sestina/model/check_flexible.h"
#include "sestina/model/column_collector.h"
#include "sestina/model/expand_belts.h"
#include "sestina/model/expand_bristles.h"
#include "sestina/model/expand_hydraulics.h"
#include "sestina/model/expand_lugre.h"
#include "sestina/model/expand_reduced.h"
#include "sestina/model/expand_second_order.h"
#include "sestina/model/freeze_analysis.h"
#include "sestina/model/freezer.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

// Limit for a state_time run.
constexpr int kMostTimeElements = 10'000'000;
// Limit for statics.
constexpr int kMostLoadSteps = 1'000'000;
// Limit for the rows of a frequency response.
constexpr int kMostFrequencies = 1'000'000;

}  // namespace

std::shared_ptr<const Model> freeze(const System& system) { return freeze_with_analysis(system).model; }

FrozenSystem freeze_with_analysis(const System& system) {
  if (!has_beams(system) && !has_reduced_bodies(system) && !has_hydraulics(system) &&
      !has_second_orders(system) && !has_lugre_friction(system) && !has_bristles(system)) {
    return Freezer(system).freeze();
  }
  check_flexible_bodies(system);
  ExpandedSystem expanded = expand_beams(system);
  expand_reduced_bodies(expanded);
  expand_hydraulics(expanded), expand_second_orders(expanded), expand_belts(expanded);
  expand_lugre(expanded), expand_bristles(expanded);
  return Freezer(expanded).freeze();
}

Analysis freeze_analysis(const System& system, const Model& model) {
  return Freezer(system).freeze_analysis(model);
}

Freezer::Freezer(const System& system)
    : system_(system),
      described_states_(system.states.size()),
      described_columns_(system.output.columns.size()),
      graph_(std::make_shared<Graph>()),
      numbers_(*graph_, faults_) {}

Freezer::Freezer(const ExpandedSystem& expanded) : Freezer(expanded.system) {
  beams_ = expanded.beams;
  reduced_bodies_ = expanded.reduced_bodies;
  hydraulics_ = expanded.hydraulics, second_orders_ = expanded.second_orders, belts_ = expanded.belts;
  lugres_ = expanded.lugres, bristles_ = expanded.bristles;
  described_states_ = expanded.described_states;
  described_columns_ = expanded.described_columns;
  for (const BeamLayout& beam : beams_) {
    beam_of_name_.emplace(beam.name, &beam);
    for (const int node : beam.nodes) beam_of_node_.emplace(node, &beam);
    for (const int slope : beam.slopes) {
      for (int i = 0; i < 3; ++i) described_of_mode_.emplace(slope + i, beam.position);
    }
  }
  for (const ReducedLayout& reduced : reduced_bodies_) {
    const BodySpec& body = system_.bodies[static_cast<std::size_t>(reduced.body)];
    for (std::size_t k = 0; k < body.reduced->modes->count; ++k) {
      described_of_mode_.emplace(reduced.first_mode + static_cast<int>(k), reduced.body);
    }
  }
}

FrozenSystem Freezer::freeze() {
  data_.name = system_.name;
  check_names();
  numbers_.define_parameters(system_.parameters);
  collect_analysis();
  if (system_.bodies.empty()) fail({}, "bodies", "is empty: a model needs at least one body");
  build_topology();
  data_.plan.gravity = numbers_.add_list(system_.gravity, "gravity");
  collect_bodies();
  collect_points();
  collect_cut_joints();
  collect_initial_state();
  check_left_out_joints();
  collect_variables();
  collect_forces();
  collect_rates();
  collect_beams();
  collect_constraints();
  collect_contacts();
  collect_reduced_bodies();
  collect_events();
  collect_columns();
  faults_.throw_if_any();

  compile_tapes();
  data_.depends_on_time = depends_on_time();
  set_duration(analysis_, analysis_.duration, data_.depends_on_time);
  prepare_user_parts();
  if (is_cartesian()) add_relative_model();
  auto model = std::make_shared<const Model>(std::move(data_));
  check_beam_mesh(*model);
  check_range(*model, calc_properties(*model));
  return {std::move(model), std::move(analysis_)};
}

Analysis Freezer::freeze_analysis(const Model& model) {
  numbers_.define_parameters(system_.parameters);
  collect_analysis();
  faults_.throw_if_any();
  set_duration(analysis_, analysis_.duration, model.depends_on_time());
  return std::move(analysis_);
}

void Freezer::prepare_user_parts() {
  if (data_.user_forces.empty() && data_.user_constraints.empty()) return;
  UserForceLayout& layout = data_.user_layout;
  for (const BodyInfo& body : data_.bodies) {
    layout.bodies.push_back(body.name);
    if (layout.bodies.size() == 1 || body.hangs_on_cut) continue;  // the ground, or no joint of its own
    layout.joints.push_back({body.joint_name, body.q_start, body.nq, body.u_start, body.nu});
  }
  for (const UserForceInfo& info : data_.user_forces) {
    system_.forces[static_cast<std::size_t>(info.index.value())].user->prepare(layout.bodies);
  }
  for (const UserConstraintInfo& info : data_.user_constraints) {
    const ConstraintInfo& constraint = data_.constraints[static_cast<std::size_t>(info.constraint)];
    system_.constraints[static_cast<std::size_t>(constraint.position)].user->prepare(layout);
  }
}

void Freezer::check_word(const Name& word, const std::string& path, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), word.text) != allowed.end()) return;
  fail(word.mark, path, fmt::format("'{}' is unknown{}", word.text, suggestion(word.text, allowed)));
}

double Freezer::collect_setting(const Number& number, const std::string& path) {
  settings_.push_back(numbers_.next());
  return numbers_.add(number, path);
}

void Freezer::hold(ValueRule rule) {
  const std::string fault = find_fault(rule, numbers_.values());
  if (!fault.empty()) fail(rule.place.mark, rule.place.path, fault);
  const int count = number_count(rule.kind);
  const bool varies =
      numbers_.varies(rule.slot, count) || (rule.other.is_given() && numbers_.varies(rule.other, count));
  if (varies) data_.value_rules.push_back(std::move(rule));
}

void Freezer::hold(ValueRule::Kind kind, Slot slot, const Number& number, const std::string& path) {
  hold({kind, slot, {number.mark, path}, number.expression()});
}

Slot Freezer::collect_number(const Number& number, const NumberInfo& info, const std::string& path) {
  const Slot slot = numbers_.next();
  numbers_.add(number, path);
  using Allowed = NumberInfo::Allowed;
  if (info.allowed == Allowed::kNotNegative) hold(ValueRule::Kind::kNotNegative, slot, number, path);
  if (info.allowed == Allowed::kPositive) hold(ValueRule::Kind::kPositive, slot, number, path);
  return slot;
}

void Freezer::check_unused(ValueRule::Kind kind, const Number& number, const std::string& path) {
  const Slot slot = numbers_.next();
  const double value = numbers_.add_if_it_varies(number, path);
  if (numbers_.next().first > slot.first) {
    hold(kind, slot, number, path);
    return;
  }
  const std::string fault =
      find_fault({kind, {0}, {number.mark, path}, number.expression()}, std::span(&value, 1));
  if (!fault.empty()) fail(number.mark, path, fault);
}

double Freezer::positive(const Number& number, const std::string& path, bool zero_allowed) {
  const double value = collect_setting(number, path);
  if (value < 0.0) {
    fail(number.mark, path, describe(number, value) + " is negative");
  } else if (value == 0.0 && !zero_allowed) {
    fail(number.mark, path, describe(number, value) + " is not positive");
  }
  return value;
}

void Freezer::collect_analysis() {
  const AnalysisSpec& spec = system_.analysis;
  check_word(spec.type, "analysis.type", analysis_types());
  check_word(spec.coordinates, "analysis.coordinates", coordinates_names());
  check_word(spec.solver, "analysis.solver", solver_names());
  if (spec.coordinates == "state_time") {
    collect_time_elements();
  } else {
    collect_integrator();
  }
  check_word(spec.step.driver, "analysis.step.driver", driver_names());
  check_word(spec.step.control, "analysis.step.control", control_names());
  Analysis& analysis = analysis_;
  analysis.type = spec.type.text;
  analysis.coordinates = spec.coordinates.text;
  analysis.solver = spec.solver.text;
  analysis.driver = spec.step.driver.text;
  analysis.control = spec.step.control.text;
  analysis.land_on_output = spec.step.land_on_output;
  analysis.rtol = positive(spec.step.rtol, "analysis.step.rtol", true);
  analysis.atol = positive(spec.step.atol, "analysis.step.atol", true);
  if (analysis.rtol == 0.0 && analysis.atol == 0.0) {
    fail(spec.step.mark, "analysis.step", "rtol and atol cannot both be zero");
  }
  if (spec.step.dt) {
    analysis.dt = positive(*spec.step.dt, "analysis.step.dt", false);
  } else if (spec.step.driver == "fixed") {
    fail(spec.step.mark, "analysis.step.dt", "is missing: the fixed driver needs it");
  }
  if (spec.step.max_step) {
    analysis.max_step = positive(*spec.step.max_step, "analysis.step.max_step", false);
    analysis.has_own_max_step = true;
  }
  collect_limits(spec.limits);
  analysis.duration = positive(spec.duration, "analysis.duration", true);
  if (analysis.duration > 0.0 && analysis.duration < kShortestDuration) {
    fail(spec.duration.mark, "analysis.duration",
         fmt::format("{} is too short a run: expected 0 or at least {} s",
                     describe(spec.duration, analysis.duration), kShortestDuration));
  }
  if (system_.output.every) {
    analysis.output_every = positive(*system_.output.every, "output.every", false);
    analysis.has_own_rows = true;
  }
  analysis.load_steps = collect_count(spec.load_steps, "analysis.load_steps", kMostLoadSteps, "");
  analysis.arc_length = spec.arc_length;
  check_word(spec.about, "analysis.about", mode_states());
  analysis.about = spec.about.text;
  collect_frequencies(spec);
  analysis.most_rows = positive(system_.output.max_rows, "output.max_rows", false);
}

void Freezer::collect_frequencies(const AnalysisSpec& spec) {
  const FrequenciesSpec& given = spec.frequencies;
  const std::string path = "analysis.frequencies";
  analysis_.input = spec.input.text;
  analysis_.frequencies = collect_count(given.points, path + ".points", kMostFrequencies, "");
  if (given.from) analysis_.lowest_frequency = positive(*given.from, path + ".from", false);
  if (given.to) analysis_.highest_frequency = positive(*given.to, path + ".to", false);
  if (given.from && given.to && analysis_.lowest_frequency > analysis_.highest_frequency) {
    fail(given.mark, path,
         fmt::format("goes from {} to {} Hz: expected `from` not above `to`", analysis_.lowest_frequency,
                     analysis_.highest_frequency));
  }
  if (spec.type.text != "frequency_response") return;
  const auto is_input = [&](const ParameterSpec& p) { return p.name.text == spec.input.text; };
  if (spec.input.empty()) {
    fail(spec.type.mark, "analysis.input",
         "is missing: frequency_response needs the parameter that oscillates, such as the value of a force");
  } else if (std::ranges::none_of(system_.parameters, is_input)) {
    fail(spec.input.mark, "analysis.input", fmt::format("there is no parameter '{}'", spec.input.text));
  }
}

void Freezer::collect_limits(const RunLimitsSpec& limits) {
  constexpr double kMost = 1e15;  // whole numbers of that size are exact
  if (limits.steps) {
    const std::string path = "analysis.limits.steps";
    const double steps = collect_setting(*limits.steps, path);
    if (std::isfinite(steps) && (steps < 1.0 || steps > kMost || steps != std::floor(steps))) {
      fail(limits.steps->mark, path,
           describe(*limits.steps, steps) + fmt::format(" is not a whole number from 1 to {:.0e}", kMost));
    } else if (std::isfinite(steps)) {
      analysis_.most_steps = static_cast<long>(steps);
    }
  }
  if (limits.wall_time) {
    analysis_.most_wall_time = positive(*limits.wall_time, "analysis.limits.wall_time", false);
  }
}

bool Freezer::needs_contact_rule(const System& system) {
  const auto is_stop = [](const JointSpec& joint) { return joint.limits && joint.limits->enforced; };
  const auto sticks = [](const ForceSpec& force) {
    return force.type == "coordinate_friction" && force.friction && !force.creep_speed;
  };
  return !std::ranges::all_of(system.contacts, is_force_element) ||
         std::ranges::any_of(system.joints, is_stop) || std::ranges::any_of(system.forces, sticks);
}

// The other integrator whose stages may be chosen.
static constexpr std::string_view kIntegratorWithStages = "radau_iia";

void Freezer::collect_integrator() {
  const IntegratorSpec& spec = system_.analysis.integrator;
  Analysis& analysis = analysis_;
  const std::optional<TimeElementsSpec>& elements = system_.analysis.time_elements;
  // An unknown keyword in `coordinates` is reported as such.
  const std::string& coordinates = system_.analysis.coordinates.text;
  if (elements && (coordinates == "relative" || is_cartesian())) {
    fail(elements->mark, "analysis.integrator",
         fmt::format("elements in time belong to coordinates: state_time, and these are {}: expected {}",
                     coordinates, join_words(integrator_names(), " or ")));
  }
  const bool is_given = !spec.name.empty();
  if (is_given) check_word(spec.name, "analysis.integrator", integrator_names());
  const bool has_contacts = needs_contact_rule(system_);
  const bool is_flexible =
      !beams_.empty() || !reduced_bodies_.empty() || has_beams(system_) || has_reduced_bodies(system_);
  analysis.integrator = is_given       ? spec.name.text
                        : has_contacts ? std::string(kIntegratorWithContacts)
                        : is_flexible  ? std::string(kIntegratorWithBeams)
                                       : default_integrator(coordinates);
  const std::string stages_path = "analysis.integrator.stages", form_path = "analysis.integrator.form";
  const bool has_options = analysis.integrator == kIntegratorWithOptions;
  const bool has_stages = has_options || analysis.integrator == kIntegratorWithStages;
  const auto refuse = [&](const Mark& mark, const std::string& path, const std::string& those) {
    fail(mark, path, fmt::format("{} has no such option; {}", analysis.integrator, those));
  };
  if (spec.stages) {
    const double stages = collect_setting(*spec.stages, stages_path);
    if (!has_stages) {
      refuse(spec.stages->mark, stages_path,
             fmt::format("{} and {} have", kIntegratorWithOptions, kIntegratorWithStages));
    } else if (std::isfinite(stages) && stages != 2.0 && stages != 3.0) {
      fail(spec.stages->mark, stages_path, describe(*spec.stages, stages) + " is not 2 or 3");
    } else {
      analysis.integrator_stages = static_cast<int>(stages);
    }
  }
  if (spec.spectral_radius) {
    const std::string path = "analysis.integrator.spectral_radius";
    const double radius = collect_setting(*spec.spectral_radius, path);
    if (analysis.integrator != kIntegratorWithRadius) {
      refuse(spec.spectral_radius->mark, path, fmt::format("{} has", kIntegratorWithRadius));
    } else if (std::isfinite(radius) && !(radius >= 0.0 && radius <= 1.0)) {
      fail(spec.spectral_radius->mark, path, describe(*spec.spectral_radius, radius) + " is not from 0 to 1");
    } else {
      analysis.spectral_radius = radius;
    }
  }
  if (spec.form) {
    if (!has_options) {
      refuse(spec.form->mark, form_path, fmt::format("{} has", kIntegratorWithOptions));
    } else {
      check_word(*spec.form, form_path, integrator_forms());
      analysis.integrator_form = spec.form->text;
    }
  }
}

Expr Freezer::collect_expression(const Number& number, const std::string& path, StateExpressions& into) {
  const Expr expr = numbers_.parse_text(
      number, path, [&](std::string_view name) { return resolve_coordinate(std::string(name)); });
  into.add(expr, numbers_.explain_constant(number, expr));
  return expr;
}

// Returns 0 and adds a fault if it is not valid. `meaning` follows the limit in messages: ", the elements".
int Freezer::collect_count(const Number& number, const std::string& path, int most,
                           std::string_view meaning) {
  const double value = collect_setting(number, path);
  if (!std::isfinite(value)) return 0;  // the fault is reported
  if (value < 1.0 || value > most || value != std::floor(value)) {
    fail(number.mark, path,
         describe(number, value) + fmt::format(" is not a whole number from 1 to {}{}", most, meaning));
    return 0;
  }
  return static_cast<int>(value);
}

// Collects the tolerance of elements in time.
void Freezer::collect_tolerance(const Number& number, const std::string& path) {
  constexpr double kLeast = 1e-12;  // of Newton's method
  const double value = collect_setting(number, path);
  if (!std::isfinite(value)) return;  // the fault is reported
  if (value < kLeast || value >= 1.0) {
    fail(number.mark, path, describe(number, value) + fmt::format(" is not from {} to less than 1", kLeast));
    return;
  }
  analysis_.tolerance = value;
}

void Freezer::collect_time_elements() {
  const AnalysisSpec& spec = system_.analysis;
  const Name& rule = spec.integrator.name;
  // A program that adds elements to the standard rule of a file does not mean that rule.
  const bool is_standard = rule == default_integrator("relative");
  const bool has_rule = !rule.empty() && !(is_standard && spec.time_elements);
  if (has_rule || spec.integrator.stages || spec.integrator.form) {
    fail(rule.mark, "analysis.integrator",
         fmt::format("state_time has no integration rule such as {}: give {{elements, pair, tests, scheme, "
                     "windows, tolerance, stretches}}",
                     rule.text));
  }
  const TimeElementsSpec elements = spec.time_elements.value_or(TimeElementsSpec{});
  Analysis& analysis = analysis_;
  const std::string path = "analysis.integrator.";
  check_word(elements.pair, path + "pair", pair_names());
  check_word(elements.tests, path + "tests", test_function_names());
  check_word(elements.scheme, path + "scheme", scheme_names());
  analysis.pair = elements.pair.text;
  analysis.scheme = elements.scheme.text;
  analysis.tests = elements.tests.text;
  analysis.elements = collect_count(elements.elements, path + "elements", kMostTimeElements, "");
  const bool has_elements = analysis.elements > 0;
  analysis.windows =
      collect_count(elements.windows, path + "windows", has_elements ? analysis.elements : kMostTimeElements,
                    has_elements ? ", the elements" : "");
  if (elements.tolerance) collect_tolerance(*elements.tolerance, path + "tolerance");
  if (elements.pair.text == pair_names().back() && !elements.tolerance) {
    fail(elements.pair.mark, path + "pair",
         fmt::format("auto needs a tolerance, by which the degree is chosen; without one: {}",
                     join_words(element_pair_names(), " or ")));
  }
  if (elements.stretches) collect_stretches(*elements.stretches, path + "stretches");
}

void Freezer::collect_stretches(const Number& number, const std::string& path) {
  Analysis& analysis = analysis_;
  const bool has_windows = analysis.elements > 0 && analysis.windows > 0;
  analysis.stretches =
      collect_count(number, path, has_windows ? analysis.elements / analysis.windows : kMostTimeElements,
                    has_windows ? ", the elements of a window" : "");
  if (analysis.stretches > 1 && analysis.scheme == "linear_quadratic") {
    fail(number.mark, path,
         describe(number, analysis.stretches) + " is not 1: the linear_quadratic scheme has one stretch");
  }
}

void Freezer::find_parameters_of_settings() {
  std::vector<Expr> settings;
  for (const Slot slot : settings_) settings.push_back(data_.numbers[static_cast<std::size_t>(slot.first)]);
  const std::vector<Expr> symbols = graph_->free_symbols(settings);
  for (const Expr parameter : numbers_.free_symbols()) {
    data_.is_of_settings.push_back(std::binary_search(symbols.begin(), symbols.end(), parameter));
  }
}

void Freezer::compile_tapes() {
  numbers_.add_dependent_parameters();
  data_.numbers = numbers_.outputs();
  find_parameters_of_settings();
  data_.number_sources = numbers_.take_sources();
  data_.parameters = numbers_.free_parameters();
  data_.number_tape = Tape(*graph_, data_.numbers, numbers_.free_symbols());
  std::vector<Expr> inputs{graph_->symbol("t")};
  inputs.insert(inputs.end(), numbers_.free_symbols().begin(), numbers_.free_symbols().end());
  for (const VariableInfo& variable : data_.variables) inputs.push_back(graph_->symbol(variable.name));
  for (const StateInfo& state : data_.states) inputs.push_back(graph_->symbol(state.name));
  for (const std::string& name : data_.q_names) inputs.push_back(graph_->symbol(name));
  for (const std::string& name : data_.u_names) inputs.push_back(graph_->symbol(name));
  for (const std::string& name : data_.cut_q_names) inputs.push_back(graph_->symbol(name));
  for (const std::string& name : data_.cut_u_names) inputs.push_back(graph_->symbol(name));
  find_uses_of_cut_joints();
  data_.force_tape = Tape(*graph_, data_.force_expressions.exprs, inputs);
  data_.constraint_tape = Tape(*graph_, data_.constraint_expressions.exprs, inputs);
  for (CurveInfo& curve : data_.curves) {
    std::vector<Expr> curve_inputs{graph_->symbol(kCurveParameter)};
    curve_inputs.insert(curve_inputs.end(), numbers_.free_symbols().begin(), numbers_.free_symbols().end());
    curve.tape = Tape(*graph_, curve.exprs, curve_inputs);
  }
  for (BeamCurve& curve : data_.beam_curves) {
    std::vector<Expr> curve_inputs{graph_->symbol(kCurveParameter)};
    curve_inputs.insert(curve_inputs.end(), numbers_.free_symbols().begin(), numbers_.free_symbols().end());
    curve.tape = Tape(*graph_, curve.exprs, curve_inputs);
  }
  data_.rate_tape = Tape(*graph_, data_.rate_expressions.exprs, inputs);
  data_.event_tape = Tape(*graph_, data_.event_expressions.exprs, inputs);
  data_.assignment_tape = Tape(*graph_, data_.assignment_expressions.exprs, inputs);
  if (columns_) {
    ColumnCollector::compile(*graph_, *columns_);
    data_.output_columns = columns_;
  }
  find_conditions_in_time(inputs);
  data_.graph = graph_;
}

void Freezer::find_uses_of_cut_joints() {
  if (data_.cut_joints.empty()) return;
  const auto use_cut_joints = [&](const std::vector<Expr>& exprs) {
    const std::vector<Expr> symbols = graph_->free_symbols(exprs);
    return std::ranges::any_of(symbols, [&](Expr symbol) {
      const std::string& name = graph_->name_of(symbol);
      return cut_index_.contains(name.substr(0, name.find('.')));
    });
  };
  const PropertyPlan& plan = data_.plan;
  const auto acts_on_one = [&](const auto& element) { return element.u >= data_.nu; };
  data_.forces_use_cut_joints =
      std::ranges::any_of(plan.joint_springs, acts_on_one) ||
      std::ranges::any_of(plan.joint_dampers, acts_on_one) ||
      std::ranges::any_of(plan.joint_forces, acts_on_one) ||
      std::ranges::any_of(plan.connectors.coordinate_frictions, acts_on_one) ||
      std::ranges::any_of(plan.connectors.lugre_frictions, acts_on_one) ||
      std::ranges::any_of(plan.connectors.second_orders,
                          [&](const SecondOrderPlan& element) {
                            return std::ranges::any_of(element.u, [&](int u) { return u >= data_.nu; });
                          }) ||
      std::ranges::any_of(data_.cut_joints, [](const CutJointInfo& cut) { return cut.armature_row >= 0; }) ||
      use_cut_joints(data_.force_expressions.exprs) || use_cut_joints(data_.rate_expressions.exprs);
  data_.events_use_cut_joints =
      use_cut_joints(data_.event_expressions.exprs) || use_cut_joints(data_.assignment_expressions.exprs);
}

// `inputs` of the tapes: t, free parameters, variables, states, q, u, those of cut joints.
void Freezer::find_conditions_in_time(std::span<const Expr> inputs) {
  const std::vector<Expr>& events = data_.event_expressions.exprs;
  const std::vector<Expr> exprs = driving_expressions();
  const auto constants = inputs.subspan(1, data_.parameters.size() + data_.variables.size());
  TimeConditions found = find_time_conditions(*graph_, inputs[0], constants, exprs, events);
  if (found.conditions.empty()) return;
  data_.time_conditions = std::make_shared<const TimeConditions>(std::move(found));
}

// Returns the expressions of forces, events and rates of integrals, which an integration rule must resolve.
std::vector<Expr> Freezer::driving_expressions() const {
  std::vector<Expr> exprs = data_.force_expressions.exprs;
  exprs.insert(exprs.end(), data_.rate_expressions.exprs.begin(), data_.rate_expressions.exprs.end());
  exprs.insert(exprs.end(), data_.event_expressions.exprs.begin(), data_.event_expressions.exprs.end());
  exprs.insert(exprs.end(), data_.constraint_expressions.exprs.begin(),
               data_.constraint_expressions.exprs.end());
  if (columns_) exprs.insert(exprs.end(), columns_->rates.exprs.begin(), columns_->rates.exprs.end());
  return exprs;
}

bool Freezer::depends_on_time() const {
  const std::vector<Expr> exprs = driving_expressions();
  const std::vector<Expr> symbols = graph_->free_symbols(exprs);
  const bool has_time = std::find(symbols.begin(), symbols.end(), graph_->symbol("t")) != symbols.end();
  return has_time || !data_.user_forces.empty() || !data_.user_constraints.empty();
}

}  // namespace sestina
