#include "sestina/workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/cartesian_coordinates.h"
#include "sestina/model/check.h"
#include "sestina/model/freeze_analysis.h"
#include "sestina/model/properties.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/model_run.h"
#include "sestina/workspace/quadrature_rates.h"
#include "sestina/workspace/run_origin.h"
#include "sestina/workspace/state_time_options.h"
#include "sestina/workspace/state_time_run.h"

namespace sestina {

Workspace::Workspace(System system) : Workspace(std::make_shared<const System>(std::move(system))) {}

Workspace::Workspace(const std::shared_ptr<const System>& described)
    : Workspace(described, freeze_with_analysis(*described)) {}

Workspace::Workspace(System system, const std::shared_ptr<const Model>& model)
    : Workspace(std::make_shared<const System>(std::move(system)), model) {}

Workspace::Workspace(const std::shared_ptr<const System>& described,
                     const std::shared_ptr<const Model>& model)
    : Workspace(described, FrozenSystem{model, freeze_analysis(*described, *model)}) {}

Workspace::Workspace(std::shared_ptr<const System> described, FrozenSystem frozen)
    : described_(std::move(described)),
      model_(std::move(frozen.model)),
      analysis_(std::move(frozen.analysis)) {
  described_duration_ = analysis_.duration;
  properties_ = std::make_unique<const Properties<double>>(calc_properties(*model_));
  check_analysis(*described_, *model_, analysis_);
  auto places = std::make_shared<Places>();
  for (std::size_t i = 0; i < model_->parameters().size(); ++i) {
    places->emplace(model_->parameters()[i].name, i);
  }
  places_ = std::move(places);
}

Workspace::Workspace(const Workspace& other, std::unique_ptr<const Properties<double>> properties)
    : described_(other.described_),
      model_(other.model_),
      analysis_(other.analysis_),
      described_duration_(other.described_duration_),
      places_(other.places_),
      properties_(std::move(properties)),
      has_described_values_(false) {}
Workspace::~Workspace() = default;

std::unique_ptr<Workspace> Workspace::share_model(std::span<const ParameterValue> values) const {
  // Other solvers read the values of the description when they are constructed.
  static const std::set<std::string, std::less<>> solvers{"recursive", "kane", "compiled"};
  const bool is_cartesian = model_->is_cartesian();
  if (is_state_time(analysis_) || (!is_cartesian && !solvers.contains(analysis_.solver))) return nullptr;
  std::vector<double> parameters = properties_->parameters;
  for (const auto& [name, value] : values) {
    const auto found = places_->find(name);
    if (found == places_->end() || !model_->is_free_of_settings(found->second)) return nullptr;
    parameters[found->second] = value;
  }
  auto properties = std::make_unique<const Properties<double>>(calc_properties<double>(*model_, parameters));
  try {
    check(*model_, *properties);
  } catch (const InputError&) {
    return nullptr;
  }
  return std::unique_ptr<Workspace>(new Workspace(*this, std::move(properties)));
}

std::unique_ptr<Workspace> Workspace::with_parameters(std::span<const ParameterValue> values) const {
  if (auto workspace = share_model(values)) return workspace;
  System system = make_system();
  for (const auto& [name, value] : values) {
    check_parameter(name);
    system.set_parameter(name, value);
  }
  return std::make_unique<Workspace>(std::move(system));
}

void Workspace::check_parameter(std::string_view name) const {
  const auto& all = described_->parameters;
  if (std::ranges::any_of(all, [&](const ParameterSpec& one) { return one.name == name; })) return;
  const auto known = names_to_suggest(all, [](const ParameterSpec& one) { return one.name.text; });
  throw InputError(fmt::format("there is no parameter '{}'{}", name, suggestion(name, known)));
}

void Workspace::set_duration(double duration) {
  if (duration == analysis_.duration) return;
  Analysis analysis = analysis_;
  sestina::set_duration(analysis, duration, model_->depends_on_time());
  if (const std::string fault = find_duration_fault(duration); !fault.empty()) {
    FaultList faults;
    faults.add({described_->analysis.duration.mark, "analysis.duration"}, fault);
    faults.throw_if_any();
  }
  check_analysis(*described_, *model_, analysis);
  analysis_ = std::move(analysis);
  has_described_values_ = false;
  system_.reset();
}

System Workspace::make_system() const {
  System system = *described_;
  if (!(analysis_.duration == described_duration_)) system.analysis.duration = analysis_.duration;
  for (std::size_t i = 0; i < properties_->parameters.size(); ++i) {
    const auto& [name, value] = model_->parameters()[i];
    if (value != properties_->parameters[i]) system.set_parameter(name, properties_->parameters[i]);
  }
  return system;
}

const System& Workspace::system() const {
  if (has_described_values_) return *described_;
  if (!system_) system_ = std::make_unique<const System>(make_system());
  return *system_;
}

void Workspace::add_recorder(std::unique_ptr<Recorder> recorder) {
  settings_.recorders.push_back(std::move(recorder));
}

void Workspace::set_initial_state(std::vector<double> q, std::vector<double> u, std::vector<double> x) {
  const auto check = [](const char* name, const std::vector<double>& given, int size) {
    if (given.size() != static_cast<std::size_t>(size)) {
      throw InputError(
          fmt::format("the initial {} has {} numbers; the model has {}", name, given.size(), size));
    }
    if (const int bad = first_not_finite(given); bad >= 0) {
      throw InputError(
          fmt::format("number {} of the initial {} is {}", bad, name, given[static_cast<std::size_t>(bad)]));
    }
  };
  // In cartesian coordinates too they are coordinates of joints.
  std::optional<CartesianCoordinates> cartesian;
  if (model_->is_cartesian()) cartesian.emplace(*model_, properties_->parameters);
  const Model& model = cartesian ? cartesian->relative() : *model_;
  check("q", q, model.nq());
  check("u", u, model.nu());
  if (!x.empty()) check("x", x, model.nx());
  State<double> state = sestina::calc_initial_state<double>(model, properties_->parameters);
  state.z.assign(static_cast<std::size_t>(num_quadratures(model)), 0.0);
  state.q = std::move(q);
  state.u = std::move(u);
  if (!x.empty()) state.x = std::move(x);
  normalize_q<double>(model, state.q);
  if (first_not_finite(state.q) >= 0) throw InputError("Euler parameters of the initial q are all zero");
  assemble(model, cartesian ? cartesian->relative_properties() : *properties_, {}, {}, state);
  check_stops(model, cartesian ? cartesian->relative_properties() : *properties_, state);
  if (cartesian) {
    cartesian->to_cartesian(state, initial_.emplace());
  } else {
    initial_ = std::move(state);
  }
}

void Workspace::set_limits(const RunLimits& limits) {
  check_run_limits(limits);
  settings_.limits = limits;
}

RunLimits Workspace::limits() const {
  const RunLimits& set = settings_.limits;
  return {set.steps > 0 ? set.steps : analysis_.most_steps,
          set.wall_time > 0.0 ? set.wall_time : analysis_.most_wall_time};
}

State<double> Workspace::calc_initial_state(AssemblyReport* assembly) const {
  if (initial_) return *initial_;
  State<double> state = calc_assembled_state(*model_, *properties_, assembly);
  state.z.assign(static_cast<std::size_t>(num_quadratures(*model_)), 0.0);
  return state;
}

RunReport Workspace::run() {
  if (analysis_.type != "dynamics") return make_analysis_run(*this)->start();
  if (is_state_time(analysis_)) return StateTimeRun(*this).start();
  return ModelRun(*this).start();
}

RunReport Workspace::resume(const Checkpoint& checkpoint) {
  if (is_state_time(analysis_)) throw InputError("a state_time run cannot be resumed");
  if (analysis_.type != "dynamics") throw InputError(analysis_.type + " cannot be resumed");
  return ModelRun(*this).resume(checkpoint);
}

RunReport Workspace::run(const std::filesystem::path& result_file) {
  return with_recorder(result_file, [this] { return run(); });
}

RunReport Workspace::resume(const Checkpoint& checkpoint, const std::filesystem::path& result_file) {
  return with_recorder(result_file, [&] { return resume(checkpoint); });
}

RunReport Workspace::with_recorder(const std::filesystem::path& result_file,
                                   const std::function<RunReport()>& run) {
  check_files(*this, result_file);
  add_recorder(make_recorder(result_file));
  try {
    RunReport report = run();
    settings_.recorders.pop_back();
    return report;
  } catch (...) {
    settings_.recorders.pop_back();
    throw;
  }
}

void Workspace::set_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads) {
    throw InputError(fmt::format("{} is not a number of threads from 1 to {}", threads, kMaxThreads));
  }
  threads_ = threads;
  executor_.reset();
}

Executor* Workspace::executor() {
  if (!threads_) threads_ = default_thread_count();
  if (*threads_ > 1 && !executor_) executor_ = std::make_unique<Executor>(*threads_);
  return executor_.get();
}

}  // namespace sestina
