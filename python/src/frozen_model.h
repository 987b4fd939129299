// The implementation of sestina.Model: a frozen description with one set of parameter values, and the
// working memory of its functions.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sestina/batch/batch_dynamics.h"
#include "sestina/dynamics/driving_forces.h"
#include "sestina/dynamics/forward_dynamics_derivatives.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "sestina/parallel/executor.h"
#include "sestina/workspace/batch_stepper.h"

namespace sestina::python {

// The threads that share arrays of many states; made when first used.
std::shared_ptr<Executor> shared_executor();
void set_shared_threads(int threads);

// The working memory of one thread for one state. Parts that need much memory are made on first use.
struct Scratch {
  Scratch(std::shared_ptr<const Model> model, const Properties<double>& properties);

  ForwardDynamics& dynamics(const std::string& solver);   // empty: recursive
  Simulator& simulator(const SimulatorOptions& options);  // of the last options, or a new one
  MassMatrix<double>& mass_matrix();
  ForwardDynamicsDerivatives& forward_derivatives();
  InverseDynamicsDerivatives& inverse_derivatives();
  ParameterDerivatives& parameter_derivatives();
  DrivingForces& driving_forces(const std::vector<std::string>& drives);  // of the last drives, or a new one

  std::shared_ptr<const Model> model;
  const Properties<double>* properties;  // of the FrozenModel
  ForwardDynamics recursive;
  State<double> state;
  Kinematics<double> kinematics;  // for functions that need no forces
  InverseDynamics<double> inverse;
  std::vector<double> udot;
  std::vector<SpatialForce<double>> reactions;  // by BodyIndex
  std::vector<SpatialMotion<double>> columns;   // (nu)

 private:
  std::map<std::string, std::unique_ptr<ForwardDynamics>> others_;
  std::unique_ptr<Simulator> simulator_;
  std::optional<MassMatrix<double>> mass_matrix_;
  std::optional<ForwardDynamicsDerivatives> forward_derivatives_;
  std::optional<InverseDynamicsDerivatives> inverse_derivatives_;
  std::optional<ParameterDerivatives> parameter_derivatives_;
  std::optional<DrivingForces> driving_forces_;
  std::vector<std::string> drives_;  // as given
};

// A dynamics of many states, with the threads for which it was made.
struct BatchScratch {
  BatchScratch(std::shared_ptr<const Model> model, const Properties<double>& properties);

  std::shared_ptr<Executor> executor;
  BatchDynamics dynamics;
};

// Steps of many states, with the threads for which they were made.
struct StepScratch {
  StepScratch(std::shared_ptr<const Model> model, const Properties<double>& properties,
              const SimulatorOptions& options);

  std::shared_ptr<Executor> executor;
  SimulatorOptions options;
  BatchStepper stepper;
};

// A pool of objects, each used by one thread at a time and returned afterwards.
template <class T>
class Pool {
 public:
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<T> thing) : pool_(&pool), thing_(std::move(thing)) {}
    Lease(Lease&&) = delete;
    Lease& operator=(Lease&&) = delete;
    ~Lease() { pool_->give_back(std::move(thing_)); }
    T* operator->() { return thing_.get(); }
    T& operator*() { return *thing_; }

   private:
    Pool* pool_;
    std::unique_ptr<T> thing_;
  };

  // Returns a free object that fits, or the result of make(); drops free objects that do not fit.
  template <class Make, class IsFit>
  Lease borrow(const Make& make, const IsFit& is_fit) {
    while (std::unique_ptr<T> thing = take_free()) {
      if (is_fit(*thing)) return Lease(*this, std::move(thing));
    }
    return Lease(*this, make());
  }
  template <class Make>
  Lease borrow(const Make& make) {
    return borrow(make, [](const T&) { return true; });
  }

 private:
  std::unique_ptr<T> take_free() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<T> thing = std::move(free_.back());
    free_.pop_back();
    return thing;
  }
  void give_back(std::unique_ptr<T> thing) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(thing));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

class FrozenModel {
 public:
  explicit FrozenModel(const System& system);
  // The same model with other values of some parameters.
  FrozenModel(const FrozenModel& other, std::vector<double> parameters);

  const Model& model() const { return *model_; }
  std::shared_ptr<const Model> shared_model() const { return model_; }
  const Properties<double>& properties() const { return properties_; }
  std::span<const double> initial_d() const { return initial_.d; }  // (nd)
  std::span<const double> initial_x() const { return initial_.x; }  // (nx)
  const System& system() const;                                     // with these values of the parameters
  // Whether these are the values with which the model was frozen.
  bool has_described_values() const { return has_described_values_; }
  // The system as it was frozen: perhaps with other values, but with the same callbacks.
  const System& described() const { return *described_; }
  Pool<Scratch>::Lease scratch();
  Pool<BatchScratch>::Lease batch();
  Pool<StepScratch>::Lease stepper(const SimulatorOptions& options);

 private:
  System make_system(std::span<const double> parameters) const;

  std::shared_ptr<const System> described_;
  std::shared_ptr<const Model> model_;
  Properties<double> properties_;
  bool has_described_values_ = true;
  mutable std::once_flag has_system_;
  mutable std::unique_ptr<const System> system_;  // with other values: made on first use
  State<double> initial_;
  Pool<Scratch> scratch_;
  Pool<BatchScratch> batch_;
  Pool<StepScratch> steppers_;
};

}  // namespace sestina::python
