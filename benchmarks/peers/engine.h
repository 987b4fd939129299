// The interface of an engine in the benchmark.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mechanism.h"

namespace peers {

// Computations from a state alone, kinematics included, without results of an earlier evaluation.
enum class Kernel {
  kForwardDynamics,  // udot from q, u, tau
  kInverseDynamics,  // tau from q, u, udot
  kDerivatives,      // of forward dynamics, by q, u and tau
  kMassMatrix,       // from q
  kKinematics,       // poses and velocities of all links from q and u
  // The first two for many states at once, which of all engines ours alone can do: beside the peers one by
  // one.
  kManyForward,
  kManyInverse,
};
constexpr Kernel kKernels[] = {Kernel::kForwardDynamics, Kernel::kInverseDynamics, Kernel::kDerivatives,
                               Kernel::kMassMatrix,      Kernel::kKinematics,      Kernel::kManyForward,
                               Kernel::kManyInverse};
// The same computation for a single state.
constexpr Kernel of_one_state(Kernel kernel) {
  return kernel == Kernel::kManyForward   ? Kernel::kForwardDynamics
         : kernel == Kernel::kManyInverse ? Kernel::kInverseDynamics
                                          : kernel;
}
const char* to_string(Kernel kernel);

// One way in which one engine computes one kernel.
struct Routine {
  Kernel kernel{};
  std::string engine, method;
  // Evaluates `count` states from state `first` on, the first state following the last.
  std::function<void(int first, int count)> evaluate;
  // Evaluates state k and returns, in the conventions of mechanism.h:
  //   forward dynamics  udot (nu)
  //   inverse dynamics  tau (nu)
  //   derivatives       of a mechanism of revolute joints dudot/dq, dudot/du, dudot/dtau (nu x nu each),
  //                     otherwise only the last, which does not depend on the choice of speeds
  //   mass matrix       (nu x nu)
  //   kinematics        position of each link's origin, then the angular velocity of each, ground axes
  std::function<std::vector<double>(int k)> result;
};

// A model of the mechanism in one engine, with its states in that engine's coordinates.
class Engine {
 public:
  virtual ~Engine() = default;
  // They refer to the engine and last as long as it does.
  virtual std::vector<Routine> routines() = 0;
  // The result of a kernel at state k by a slow way, where there is no routine of ours to check others with;
  // empty if there is none.
  virtual std::vector<double> slow_result(Kernel, int) { return {}; }
};

// From what evaluates state k (a routine that takes several states at once fills in `evaluate` itself), for
// the timing without a call through a pointer for each evaluation.
template <class F, class R>
Routine make_routine(Kernel kernel, std::string engine, std::string method, int num_states, F evaluate,
                     R result) {
  Routine routine{kernel, std::move(engine), std::move(method), {}, {}};
  routine.evaluate = [evaluate, num_states](int first, int count) {
    for (int i = 0, k = first; i < count; ++i, k = k + 1 == num_states ? 0 : k + 1) evaluate(k);
  };
  routine.result = [evaluate, result](int k) {
    evaluate(k);
    return result(k);
  };
  return routine;
}

// Matrices of nu x nu are requested up to this size only.
constexpr int kLargestMatrix = 300;

using States = std::vector<DrivenState>;
std::unique_ptr<Engine> make_sestina_engine(const Mechanism& mechanism, const States& states);
std::unique_ptr<Engine> make_pinocchio_engine(const Mechanism& mechanism, const States& states);
std::unique_ptr<Engine> make_mujoco_engine(const Mechanism& mechanism, const States& states);
std::unique_ptr<Engine> make_simbody_engine(const Mechanism& mechanism, const States& states);
std::string sestina_version();
std::string pinocchio_version();
std::string mujoco_version();
std::string simbody_version();

}  // namespace peers
