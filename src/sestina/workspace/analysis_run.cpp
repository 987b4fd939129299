#include "sestina/workspace/analysis_run.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/equilibrium.h"
#include "sestina/workspace/quadrature_rates.h"
#include "sestina/workspace/run_origin.h"

namespace sestina {
namespace {

constexpr double kProgressPeriod = 0.1;  // s of wall time

std::vector<Column> mode_columns(const Model& model) {
  std::vector<Column> columns{{"mode", "1"},
                              {"eigenvalue.real", "1/s"},
                              {"eigenvalue.imag", "rad/s"},
                              {"frequency", "Hz"},
                              {"damping_ratio", "1"}};
  for (std::size_t k = 0; k < model.u_names().size(); ++k) {
    // The name is "hip.u" or "base.u[0]".
    const std::string& name = model.u_names()[k];
    const std::size_t dot = name.rfind(".u");
    const std::string joint = name.substr(0, dot), index = name.substr(dot + 2);
    const std::string unit = model.u_units()[k] == "rad/s" ? "rad" : "m";
    columns.push_back({joint + ".shape.real" + index, unit});
    columns.push_back({joint + ".shape.imag" + index, unit});
  }
  for (const StateInfo& state : model.states()) {
    columns.push_back({state.name + ".shape.real", state.unit});
    columns.push_back({state.name + ".shape.imag", state.unit});
  }
  return columns;
}

// Inserts the part: "base.q[2]" and "phase" give "base.q.phase[2]".
std::string name_part(const std::string& column, const char* part) {
  const std::size_t bracket = column.back() == ']' ? column.rfind('[') : column.size();
  return column.substr(0, bracket) + '.' + part + column.substr(bracket);
}

std::vector<Column> response_columns(const std::vector<Column>& of_rows) {
  std::vector<Column> columns{{"frequency", "Hz"}};
  for (const Column& column : of_rows) {
    if (!has_response(column.name)) continue;
    columns.push_back({name_part(column.name, "magnitude"), column.unit});
    columns.push_back({name_part(column.name, "phase"), "rad"});
  }
  return columns;
}

}  // namespace

bool has_response(const std::string& column) {
  return column != "t" && column != "energy.supplied" && column != "energy.dissipated";
}

std::vector<Column> run_columns(const Model& model, const Analysis& analysis, bool reactions) {
  if (analysis.type == "modes") return mode_columns(model);
  std::vector<Column> columns = result_columns(model, reactions);
  if (analysis.type == "frequency_response") return response_columns(columns);
  if (analysis.type == "statics") columns.push_back({"load", "1"});
  return columns;
}

void add_analysis_faults(const System& system, const Model& model, const Analysis& analysis,
                         FaultList& faults) {
  const AnalysisSpec& spec = system.analysis;
  if (analysis.coordinates != "relative") {
    faults.add({spec.coordinates.mark, "analysis.coordinates"},
               fmt::format("{} is for dynamics; {} takes relative", analysis.coordinates, analysis.type));
  }
  if (analysis.type == "kinematics") {
    if (!model.events().empty()) {
      faults.add({spec.type.mark, "analysis.type"},
                 fmt::format("kinematics has no events, and the model has {}: take dynamics",
                             model.events().front().name));
    }
    return;
  }
  const bool is_free = std::ranges::any_of(
      model.parameters(), [&](const ParameterInfo& parameter) { return parameter.name == analysis.input; });
  if (analysis.type == "frequency_response" && !is_free) {
    faults.add({spec.input.mark, "analysis.input"},
               fmt::format("{} follows from other parameters or decides how the model is built: it cannot "
                           "oscillate",
                           analysis.input));
  }
  if (!model.user_forces().empty()) {
    faults.add({spec.type.mark, "analysis.type"},
               fmt::format("{} needs derivatives of all forces, and {} has none", analysis.type,
                           model.forces()[model.user_forces().front().index].name));
  }
  if (!model.user_constraints().empty()) {
    const int constraint = model.user_constraints().front().constraint;
    faults.add({spec.type.mark, "analysis.type"},
               fmt::format("{} needs second derivatives of all constraints, and {} has none", analysis.type,
                           model.constraints()[static_cast<std::size_t>(constraint)].name));
  }
}

AnalysisRun::AnalysisRun(Workspace& workspace)
    : workspace_(workspace),
      settings_(workspace.settings()),
      analysis_(workspace.analysis()),
      log_(settings_.recorders),
      limits_(workspace.limits()) {
  FaultList faults;
  const Place place{workspace.described().analysis.type.mark, "analysis.type"};
  if (settings_.checkpoint) {
    faults.add(place, fmt::format("{} writes no checkpoints: leave them out", analysis_.type));
  }
  if (settings_.real_time) {
    faults.add(place, fmt::format("{} cannot keep pace with the wall clock: leave that out", analysis_.type));
  }
  faults.throw_if_any();
}

RunReport AnalysisRun::start() {
  AssemblyReport assembly;
  State<double> state = workspace_.calc_initial_state(&assembly);
  for (const AssemblyReport::Moved& moved : assembly.moved) report_.assembly.push_back(describe(moved));
  state.z.assign(static_cast<std::size_t>(num_quadratures(workspace_.model())), 0.0);
  log_.begin(make_header(workspace_, run_columns(workspace_.model(), analysis_, settings_.reactions)));
  try {
    compute(state);
  } catch (const Interrupted&) {  // the status says so
  } catch (const ComputationError& error) {
    report_.status = RunStatus::kFailed;
    report_.failure = error.what();
  }
  if (const std::string failure = log_.end(); !failure.empty()) {
    if (report_.status != RunStatus::kFailed) report_.failure = failure;
    report_.status = RunStatus::kFailed;
  }
  report_.rows = log_.rows();
  report_.t = state.t;
  report_.final_state = state;
  report_.wall_seconds = wall_seconds();
  return report_;
}

bool AnalysisRun::goes_on(double done, double whole) {
  const double now = wall_seconds();
  if (settings_.interrupt != nullptr && settings_.interrupt->load()) {
    report_.status = RunStatus::kInterrupted;
    return false;
  }
  if (limits_.meets(report_.steps.steps, now)) {
    throw ComputationError(done, limits_.explain(report_.steps.steps, now));
  }
  if (settings_.on_progress && now >= next_progress_) {
    next_progress_ = now + kProgressPeriod;
    settings_.on_progress({done, whole, now, report_.steps.steps});
  }
  return true;
}

void AnalysisRun::watch(Equilibrium& equilibrium, const double* done) {
  equilibrium.set_watch([this, done] {
    if (!goes_on(done == nullptr ? 0.0 : *done, 1.0)) throw Interrupted();
  });
}

std::unique_ptr<AnalysisRun> make_analysis_run(Workspace& workspace) {
  const std::string& type = workspace.analysis().type;
  if (type == "kinematics") return make_kinematics_run(workspace);
  if (type == "frequency_response") return make_frequency_run(workspace);
  return type == "statics" ? make_statics_run(workspace) : make_modes_run(workspace);
}

}  // namespace sestina
