#include "sestina/workspace/integrator_options.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/base/memory.h"
#include "sestina/run/row_schedule.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/state_time_options.h"

namespace sestina {
namespace {

// No row's time may be off by more than this fraction of the output interval.
constexpr double kTellApart = 1e-3;

// Adds the faults reported by an integrator, at the keys of the model.
void add_integrator_faults(const InputError& error, const System& system, FaultList& faults) {
  const StepSpec& step = system.analysis.step;
  for (const Fault& fault : error.faults()) {
    const std::string& key = fault.place.path;
    Mark mark = system.analysis.integrator.name.mark;
    if (key == "step.dt" && step.dt) mark = step.dt->mark;
    if (key == "step.rtol") mark = step.rtol.mark;
    if (key == "step.atol") mark = step.atol.mark;
    if (key == "step.max_step" && step.max_step) mark = step.max_step->mark;
    faults.add({mark, "analysis." + (key.empty() ? "integrator" : key)}, fault.message);
  }
}

// A result stores numbers of eight bytes (HDF5, memory); CSV takes more.
void add_fault_of_rows(const System& system, const Model& model, const Analysis& analysis,
                       FaultList& faults) {
  const double rows = std::ceil(analysis.duration / analysis.output_every - kSameRow) + 1.0;
  if (!(rows > analysis.most_rows)) return;
  const auto columns = static_cast<double>(model.row_columns(false).size());
  faults.add(
      {system.output.every ? system.output.every->mark : Mark{}, "output.every"},
      fmt::format("rows every {} s of {} s are {:.10g}, which take {}; allowed are {:.10g} (output.max_rows)",
                  analysis.output_every, analysis.duration, rows,
                  bytes_in_words(rows * columns * sizeof(double)), analysis.most_rows));
}

// Adds faults of a model with loops or constraints: solvers and rules that do not support them.
void add_constraint_faults(const System& system, const Model& model, const Analysis& analysis,
                           FaultList& faults) {
  const AnalysisSpec& spec = system.analysis;
  if (!model.is_cartesian() && analysis.solver == "compiled") {
    try {
      model.refuse_constraints(analysis.solver);
    } catch (const InputError& error) {
      faults.add({spec.solver.mark, "analysis.solver"},
                 error.faults().front().message + "; the other solvers take them");
    }
  }
  if (!make_integration_rule(rule_options(analysis))->projects()) {
    faults.add({spec.integrator.name.mark, "analysis.integrator"}, analysis.integrator + kDoesNotProject);
  }
}

// Adds faults of rules that do not support contacts.
void add_contact_faults(const System& system, const Model& model, const Analysis& analysis,
                        FaultList& faults) {
  if (make_integration_rule(rule_options(analysis))->takes_contacts()) return;
  try {
    model.refuse_contacts(analysis.integrator);
  } catch (const InputError& error) {
    faults.add({system.analysis.integrator.name.mark, "analysis.integrator"},
               error.faults().front().message + "; moreau and time_stepping do");
  }
}

// For analyses without time steps and without rows over time.
void add_faults_without_contacts(const System& system, const Model& model, const Analysis& analysis,
                                 FaultList& faults) {
  const bool is_dynamics = analysis.type == "dynamics";
  const AnalysisSpec& spec = system.analysis;
  try {
    model.refuse_contacts(is_dynamics ? analysis.coordinates : analysis.type);
  } catch (const InputError& error) {
    faults.add({is_dynamics ? spec.coordinates.mark : spec.type.mark,
                is_dynamics ? "analysis.coordinates" : "analysis.type"},
               error.faults().front().message);
  }
}

}  // namespace

RuleOptions rule_options(const Analysis& analysis) {
  RuleOptions options;
  options.name = analysis.integrator;
  options.stages = analysis.integrator_stages;
  options.form = analysis.integrator_form;
  options.spectral_radius = analysis.spectral_radius;
  return options;
}

StepOptions step_options(const Analysis& analysis) {
  StepOptions options;
  options.driver = analysis.driver;
  options.dt = analysis.dt;
  options.rtol = analysis.rtol;
  options.atol = analysis.atol;
  if (analysis.max_step > 0.0) options.max_step = analysis.max_step;  // zero if the run has no duration
  options.control = analysis.control;
  if (analysis.land_on_output) options.land_every = analysis.output_every;
  return options;
}

Place place_of_states(const System& system, const Model& model) {
  if (!system.states.empty()) return {system.states.front().mark, "states"};
  const std::string& state = model.states().front().name;
  for (std::size_t i = 0; i < system.forces.size(); ++i) {
    if (state.starts_with(system.forces[i].name.text + "."))
      return {system.forces[i].mark, fmt::format("forces[{}]", i)};
  }
  return {system.analysis.coordinates.mark, "analysis"};
}

void check_analysis(const System& system, const Model& model, const Analysis& analysis) {
  FaultList faults;
  try {
    const bool steps = analysis.type == "dynamics" && !is_state_time(analysis);
    if (!steps) add_faults_without_contacts(system, model, analysis, faults);
    const bool follows_path = analysis.type == "statics" && analysis.arc_length;
    if (model.nx() > 0 && (analysis.type == "kinematics" || follows_path)) {
      faults.add(
          place_of_states(system, model),
          fmt::format("the analysis {} does not support states with a rate, such as {}{}", analysis.type,
                      model.states().front().name, follows_path ? ", along an arc_length" : ""));
    }
    if (analysis.type == "dynamics" && analysis.solver == "compiled" && model.nx() > 0) {
      faults.add({system.analysis.solver.mark, "analysis.solver"},
                 fmt::format("compiled does not support states with a rate, such as {}; the other solvers do",
                             model.states().front().name));
    }
    if (analysis.type != "dynamics") {
      add_analysis_faults(system, model, analysis, faults);
    } else if (is_state_time(analysis)) {
      add_state_time_faults(system, model, analysis, faults);
    } else {
      if (model.has_contacts()) add_contact_faults(system, model, analysis, faults);
      if (model.is_constrained()) add_constraint_faults(system, model, analysis, faults);
      make_step_driver(step_options(analysis))
          ->check(*make_integration_rule(rule_options(analysis)), 0.0, analysis.duration);
    }
  } catch (const InputError& error) {
    add_integrator_faults(error, system, faults);
  }
  if (kTellApart * analysis.output_every < std::numeric_limits<double>::epsilon() * analysis.duration) {
    faults.add({system.output.every ? system.output.every->mark : Mark{}, "output.every"},
               fmt::format("{} s is too short to distinguish the rows of a run of {} s",
                           analysis.output_every, analysis.duration));
  } else {
    add_fault_of_rows(system, model, analysis, faults);
  }
  faults.throw_if_any();
}

}  // namespace sestina
