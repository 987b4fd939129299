// Closed loops by Pinocchio, compiled from its headers with the flags of this program.
//
// It solves the equations with a small compliance mu instead of zero and improves the result by
// proximal iterations: constraintDynamics by a sparse Cholesky factorisation of the whole system,
// lcaba by a recursion along the tree. Its conditions hold a point (3D) or a frame (6D); a hinge is
// none of them.
//
// lcaba of 4.1.0 takes the accelerations of the call before into the conditions of a frame, where they do not
// belong: they are set to zero here before each call, without which its result is wrong.
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/constraints.hpp>

#include "loop_engines.h"
#include "pinocchio_model.h"

namespace peers {
namespace {

using Conditions = std::vector<pin::RigidConstraintModel>;
using ConditionData = std::vector<pin::RigidConstraintData>;

// A closure to the ground has its only joint first: joint2 is the world.
Conditions make_conditions(const pin::Model& model, const LoopMechanism& mechanism) {
  Conditions conditions;
  for (const Closure& closure : mechanism.closures) {
    const auto type = closure.type == ClosureType::kPoint ? pin::CONTACT_3D : pin::CONTACT_6D;
    const auto a = static_cast<pin::JointIndex>(closure.a.link + 1);
    const auto b = static_cast<pin::JointIndex>(closure.b.link + 1);
    const pin::SE3 on_a = to_se3(closure.a.orientation, closure.a.position);
    const pin::SE3 on_b = to_se3(closure.b.orientation, closure.b.position);
    conditions.emplace_back(type, model, b, on_b, a, on_a, pin::LOCAL);
  }
  return conditions;
}

// Each way has data of its own: what one leaves there would make the other wrong.
struct Workplace {
  pin::Data data;
  ConditionData condition_data;
  pin::ProximalSettings settings;

  Workplace(const pin::Model& model, const Conditions& conditions, double mu, int iterations)
      : data(model), settings(kAccuracy, mu, iterations) {
    for (const pin::RigidConstraintModel& condition : conditions) condition_data.emplace_back(condition);
  }
  static constexpr double kAccuracy = 1e-10;  // at which the iterations end
};

class PinocchioLoops final : public Engine {
 public:
  PinocchioLoops(const LoopMechanism& mechanism, const States& states)
      : mechanism_(mechanism),
        states_(states),
        model_(make_pinocchio_model(mechanism.tree)),
        conditions_(make_conditions(model_, mechanism)),
        native_(make_pinocchio_states(mechanism.tree, states)),
        whole_(model_, conditions_, 1e-8, 10),
        recursive_(model_, conditions_, 1e-6, 10),
        recursive_once_(model_, conditions_, 1e-6, 1) {
    pin::initConstraintDynamics(model_, whole_.data, conditions_, whole_.condition_data);
    pin::computeJointMinimalOrdering(model_, recursive_.data, conditions_);
    pin::computeJointMinimalOrdering(model_, recursive_once_.data, conditions_);
  }

  std::vector<Routine> routines() override {
    return {make("constraintDynamics", whole_,
                 [this](const PinocchioState& s) {
                   pin::constraintDynamics(model_, whole_.data, s.q, s.v, s.tau, conditions_,
                                           whole_.condition_data, whole_.settings);
                 }),
            make("lcaba", recursive_, [this](const PinocchioState& s) { calc_lcaba(s, recursive_); }),
            make("lcaba, one pass", recursive_once_,
                 [this](const PinocchioState& s) { calc_lcaba(s, recursive_once_); })};
  }

 private:
  template <class F>
  Routine make(const char* method, const Workplace& place, F evaluate) {
    return make_routine(
        Kernel::kForwardDynamics, "Pinocchio", method, static_cast<int>(native_.size()),
        [this, evaluate](int k) { evaluate(native_[static_cast<std::size_t>(k)]); },
        [this, &place](int k) {
          return udot_from_engine(mechanism_.tree, states_[static_cast<std::size_t>(k)],
                                  to_std(place.data.ddq), kConvention);
        });
  }

  void calc_lcaba(const PinocchioState& s, Workplace& place) {
    for (const pin::RigidConstraintModel& condition : conditions_) {
      place.data.oa[condition.joint1_id].setZero();
      place.data.oa[condition.joint2_id].setZero();
    }
    pin::lcaba(model_, place.data, s.q, s.v, s.tau, conditions_, place.condition_data, place.settings);
  }

  const LoopMechanism& mechanism_;
  const States& states_;
  pin::Model model_;
  Conditions conditions_;
  std::vector<PinocchioState> native_;
  Workplace whole_, recursive_, recursive_once_;
};

}  // namespace

std::unique_ptr<Engine> make_pinocchio_loops(const LoopMechanism& mechanism, const States& states) {
  for (const Closure& closure : mechanism.closures) {
    if (closure.type == ClosureType::kHinge) return nullptr;
  }
  return std::make_unique<PinocchioLoops>(mechanism, states);
}

std::string pinocchio_version() { return PINOCCHIO_VERSION; }

}  // namespace peers
