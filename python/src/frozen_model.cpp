#include "frozen_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "python_force.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/model/check.h"

namespace sestina::python {

namespace {

struct Shared {
  std::mutex mutex;
  int threads = 0;  // 0: the number of processors
  std::shared_ptr<Executor> executor;
};
Shared& shared() {
  static Shared shared;
  return shared;
}

}  // namespace

std::shared_ptr<Executor> shared_executor() {
  Shared& s = shared();
  const std::lock_guard lock(s.mutex);
  if (!s.executor) {
    s.executor = std::make_shared<Executor>(s.threads > 0 ? s.threads : default_thread_count());
  }
  return s.executor;
}

void set_shared_threads(int threads) {
  auto executor = std::make_shared<Executor>(threads);  // throws InputError
  Shared& s = shared();
  const std::lock_guard lock(s.mutex);
  s.threads = threads;
  s.executor = std::move(executor);
}

Scratch::Scratch(std::shared_ptr<const Model> model_, const Properties<double>& properties_)
    : model(std::move(model_)),
      properties(&properties_),
      recursive(model, properties_, "recursive"),
      kinematics(*model),
      inverse(*model),
      udot(static_cast<std::size_t>(model->nu())),
      reactions(static_cast<std::size_t>(model->bodies().size())),
      columns(static_cast<std::size_t>(model->nu())) {
  state.q.resize(static_cast<std::size_t>(model->nq()));
  state.u.resize(static_cast<std::size_t>(model->nu()));
  state.d.resize(static_cast<std::size_t>(model->nd()));
  const State<double> initial = calc_initial_state(*model);
  state.x = initial.x;
  state.h = initial.h;
}

ForwardDynamics& Scratch::dynamics(const std::string& solver) {
  if (solver.empty() || solver == "recursive") return recursive;
  std::unique_ptr<ForwardDynamics>& other = others_[solver];
  if (!other) {
    const auto& names = solver_names();
    if (std::find(names.begin(), names.end(), solver) == names.end()) {
      others_.erase(solver);
      throw InputError(fmt::format("solver: there is no '{}'{}", solver, suggestion(solver, names)));
    }
    other = std::make_unique<ForwardDynamics>(model, *properties, solver);
  }
  return *other;
}

Simulator& Scratch::simulator(const SimulatorOptions& options) {
  if (!simulator_ || !(simulator_->options() == options)) {
    simulator_ = std::make_unique<Simulator>(model, *properties, options);
  }
  return *simulator_;
}

MassMatrix<double>& Scratch::mass_matrix() {
  if (!mass_matrix_) mass_matrix_.emplace(*model);
  return *mass_matrix_;
}
ForwardDynamicsDerivatives& Scratch::forward_derivatives() {
  if (!forward_derivatives_) forward_derivatives_.emplace(*model, *properties);
  return *forward_derivatives_;
}
InverseDynamicsDerivatives& Scratch::inverse_derivatives() {
  if (!inverse_derivatives_) inverse_derivatives_.emplace(*model, *properties);
  return *inverse_derivatives_;
}
ParameterDerivatives& Scratch::parameter_derivatives() {
  if (!parameter_derivatives_) parameter_derivatives_.emplace(*model, *properties);
  return *parameter_derivatives_;
}
DrivingForces& Scratch::driving_forces(const std::vector<std::string>& drives) {
  if (!driving_forces_ || drives_ != drives) {
    driving_forces_.emplace(*model, *properties, drives);
    drives_ = drives;
  }
  return *driving_forces_;
}

BatchScratch::BatchScratch(std::shared_ptr<const Model> model, const Properties<double>& properties)
    : executor(shared_executor()), dynamics(std::move(model), properties, executor.get()) {}

StepScratch::StepScratch(std::shared_ptr<const Model> model, const Properties<double>& properties,
                         const SimulatorOptions& options_)
    : executor(shared_executor()),
      options(options_),
      stepper(std::move(model), properties, options, executor.get()) {}

FrozenModel::FrozenModel(const System& system)
    : described_(std::make_shared<const System>(copy_with_callbacks(system))),
      model_(freeze(*described_)),
      properties_(calc_properties(*model_)),
      initial_(calc_initial_state(*model_)) {}

FrozenModel::FrozenModel(const FrozenModel& other, std::vector<double> parameters)
    : described_(other.described_),
      model_(other.model_),
      properties_(calc_properties<double>(*model_, parameters)),
      initial_(calc_initial_state<double>(*model_, parameters)) {
  bool is_shared = model_->user_forces().empty();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    is_shared &= model_->is_free_of_settings(i) || parameters[i] == other.properties_.parameters[i];
  }
  if (is_shared) {
    has_described_values_ = false;
    check(*model_, properties_);  // throws InputError if these values are not valid
    return;
  }
  auto system = std::make_shared<System>(other.make_system(parameters));
  own_callbacks(*system);
  model_ = freeze(*system);
  properties_ = calc_properties<double>(*model_, parameters);
  described_ = std::move(system);
}

System FrozenModel::make_system(std::span<const double> parameters) const {
  System system = *described_;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    system.set_parameter(model_->parameters()[i].name, parameters[i]);
  }
  return system;
}

const System& FrozenModel::system() const {
  if (has_described_values_) return *described_;
  std::call_once(has_system_,
                 [this] { system_ = std::make_unique<const System>(make_system(properties_.parameters)); });
  return *system_;
}

Pool<Scratch>::Lease FrozenModel::scratch() {
  return scratch_.borrow([this] { return std::make_unique<Scratch>(model_, properties_); });
}

Pool<StepScratch>::Lease FrozenModel::stepper(const SimulatorOptions& options) {
  const auto make = [&] { return std::make_unique<StepScratch>(model_, properties_, options); };
  return steppers_.borrow(make, [&](const StepScratch& free) {
    return free.executor == shared_executor() && free.options == options;
  });
}

Pool<BatchScratch>::Lease FrozenModel::batch() {
  const auto make = [this] { return std::make_unique<BatchScratch>(model_, properties_); };
  return batch_.borrow(make, [](const BatchScratch& free) { return free.executor == shared_executor(); });
}

}  // namespace sestina::python
