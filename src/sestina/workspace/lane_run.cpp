#include "sestina/workspace/lane_run.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/batch/lane_signature.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/run_origin.h"
#include "sestina/workspace/state_time_options.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {
namespace {

// Explains why columns that a model defines cannot be evaluated in lanes; empty if they can.
std::string explain_no_columns_in_lanes(const Model& model) {
  const OutputColumns& columns = output_columns(model);
  if (!columns.integrals.empty()) {
    return fmt::format("the column {} is an integral",
                       columns.columns[static_cast<std::size_t>(columns.integrals.front())].name);
  }
  if (!columns.points.empty()) {
    return fmt::format("a column uses the position of {}", model.points()[columns.points.front()].name);
  }
  return columns.use_reactions ? "a column uses reactions" : "";
}

}  // namespace

std::string explain_no_lanes(const Workspace& workspace) {
  const Model& model = workspace.model();
  const Analysis& analysis = workspace.analysis();
  if (analysis.type != "dynamics") return "the analysis is " + analysis.type;
  if (analysis.coordinates != "relative") return "the coordinates are " + analysis.coordinates;
  if (analysis.solver != "recursive") return "the solver is " + analysis.solver + ", and not recursive";
  if (find_tableau(analysis.integrator) == nullptr) {
    return "the integrator " + analysis.integrator + " is not an explicit Runge-Kutta rule";
  }
  if (!model.events().empty()) return "the model has events";
  if (model.nx() > 0) return "the model has the state " + model.states().front().name + ", which has a rate";
  if (!model.user_forces().empty()) return "the model has a user force";
  if (!model.plan().connectors.empty()) {
    const ForceInfo& force = model.forces()[model.plan().connectors.first()];
    return fmt::format("the model has {}, a {}", force.name, force.type);
  }
  if (model.is_constrained()) return "the model has closed loops or constraints";
  if (std::string column = explain_no_columns_in_lanes(model); !column.empty()) return column;
  if (analysis.duration == 0.0) return "the duration is zero";
  const RunSettings& settings = workspace.settings();
  if (settings.reactions) return "reactions are recorded";
  if (settings.checkpoint || settings.trace || settings.real_time) {
    return "the run has checkpoints, a trace, or the pace of the wall clock";
  }
  return "";
}

LaneRun::LaneRun(Workspace& workspace)
    : workspace_(workspace),
      analysis_(workspace.analysis()),
      properties_(workspace.properties()),
      switches_(make_time_switches(workspace.model(), properties_)),
      signature_(analysis_.integrator + '\n' + calc_lane_signature(workspace.model(), properties_)),
      initial_(workspace.calc_initial_state()),
      limits_(workspace.limits()),
      rows_(0.0, analysis_.duration, analysis_.output_every),
      row_(workspace.model(), properties_.parameters, false),
      stuck_(workspace.model()),
      log_(workspace.settings().recorders) {}

LaneIntegrator LaneRun::make_integrator(InstructionSet instruction_set) const {
  return {workspace_.shared_model(), properties_, *find_tableau(analysis_.integrator), instruction_set};
}

void LaneRun::start(LaneIntegrator& integrator, int lane) {
  const StepOptions options = step_options(analysis_);
  const ErrorTolerances tolerances = tolerances_of(options);
  LaneStart run{.properties = properties_,
                .initial = initial_,
                .t_end = analysis_.duration,
                .length = FixedStepLength(options.dt, options.land_every),
                .tolerances = tolerances,
                .control = {}};
  if (analysis_.driver == "variable") {
    // The driver for single runs determines the length of the first step.
    ForwardDynamics dynamics(workspace_.shared_model(), properties_, analysis_.solver);
    SystemEquations equations(dynamics);
    const auto rule = make_integration_rule(rule_options(analysis_));
    const auto driver = make_step_driver(options);
    driver->start(*rule, equations, initial_, analysis_.duration);
    run.control = driver->step_control();
    const auto control =
        options.control == "pid" ? VariableStepLength::Control::kPID : VariableStepLength::Control::kPI;
    VariableStepLength length(tolerances, control, options.land_every);
    length.start(rule->error_order(), initial_.t, analysis_.duration);
    run.length = length;
    run.switches = switches_.get();
  }
  integrator.start(lane, run);
  log_.begin(make_header(workspace_, row_.columns()));
}

void LaneRun::count_row() {
  has_more_rows_ = !rows_.stop(next_row_).is_last;
  ++next_row_;
}

void LaneRun::record(const State<double>& state, const Observables& observables) {
  if (has_failed_) return;
  try {
    stuck_.check(state);
    const std::span<const double> row = row_.calc(state, observables);
    log_.see_row(row, RowKind::kRegular);
    energy_.add(row_);
  } catch (const ComputationError&) {
    has_failed_ = true;
  }
}

bool LaneRun::stops_at_limit(const LaneIntegrator& integrator, int lane, double wall_time) {
  const long steps = integrator.statistics(lane).steps;
  if (!limits_.meets(steps, wall_time)) return false;
  report_.status = RunStatus::kFailed;
  report_.failure = ComputationError(integrator.t(lane), limits_.explain(steps, wall_time)).what();
  return true;
}

// Records the last state of a run that ended early, evaluated separately; once per run.
void LaneRun::record_last_state() {
  try {
    ForwardDynamics dynamics(workspace_.shared_model(), properties_, analysis_.solver);
    log_.see_row(row_.calc(report_.final_state, dynamics), RowKind::kBetween);
    energy_.add(row_);
  } catch (const ComputationError&) {
    // The last state cannot be evaluated: the reason for the end of the run is already known.
  }
}

RunReport LaneRun::finish(const LaneIntegrator& integrator, int lane) {
  report_.t = integrator.t(lane);
  report_.steps = integrator.statistics(lane);
  report_.lanes = integrator.lanes();
  report_.final_state = initial_;
  report_.final_state.t = report_.t;
  const double* number = integrator.states() + lane;
  for (std::vector<double>* part : {&report_.final_state.q, &report_.final_state.u, &report_.final_state.z}) {
    for (double& x : *part) {
      x = *number;
      number += integrator.lanes();
    }
  }
  if (report_.status == RunStatus::kFailed) record_last_state();
  report_.rows = log_.rows();
  report_.energy_drift = energy_.drift;
  report_.kinetic_energy = energy_.kinetic;
  if (const std::string failure = log_.end(); !failure.empty()) {
    if (report_.status != RunStatus::kFailed) report_.failure = failure;
    report_.status = RunStatus::kFailed;
  }
  return std::move(report_);
}

}  // namespace sestina
