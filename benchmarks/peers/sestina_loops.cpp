// Closed loops by Sestina: the recursion with multipliers, as forward dynamics evaluates it. The conditions
// are joints that close loops: a ball, a hinge or a weld.
#include <algorithm>

#include "loop_engines.h"
#include "sestina/base/version.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/freeze.h"
#include "sestina_model.h"

namespace peers {
namespace {

using namespace sestina;

// "link3.a2", a new point of the model.
std::string add_frame(System& system, const LinkFrame& frame, const std::string& name) {
  const Vector3& p = frame.position;
  const EulerParameters& e = frame.orientation;
  PointSpec& point = frame.link < 0 ? system.add_ground_point(name, {p[0], p[1], p[2]})
                                    : system.body(link_name(frame.link)).add_point(name, {p[0], p[1], p[2]});
  point.axes = RotationSpec::euler_parameters(e[0], e[1], e[2], e[3]);
  return (frame.link < 0 ? "ground" : link_name(frame.link)) + "." + name;
}

std::shared_ptr<const Model> make_closed_model(const LoopMechanism& mechanism) {
  System system = make_system(mechanism.tree);
  int i = 0;
  for (const Closure& closure : mechanism.closures) {
    const std::string number = std::to_string(i++);
    const std::string a = add_frame(system, closure.a, "a" + number);
    const std::string b = add_frame(system, closure.b, "b" + number);
    const char* type = closure.type == ClosureType::kPoint   ? "spherical"
                       : closure.type == ClosureType::kHinge ? "revolute"
                                                             : "weld";
    JointSpec& joint = system.add_joint("closure" + number, type, a, b);
    joint.cut = true;
    if (closure.type == ClosureType::kHinge) joint.axis = Triple{0, 0, 1};
  }
  return freeze(system);
}

class SestinaLoops final : public Engine {
 public:
  SestinaLoops(const LoopMechanism& mechanism, const peers::States& states)
      : model_(make_closed_model(mechanism)),
        order_(mechanism.tree, *model_),
        dynamics_(model_, calc_properties(*model_), "recursive"),
        udot_(static_cast<std::size_t>(mechanism.tree.nu)) {
    State<double> state = calc_initial_state(*model_);
    for (const DrivenState& driven : states) {
      state.q = order_.reorder_q(driven.q), state.u = order_.reorder_u(driven.u);
      dynamics_.update_history(state);  // as after a step
      states_.push_back({state, order_.reorder_u(driven.tau)});
    }
  }

  std::vector<Routine> routines() override {
    return {make_routine(
        Kernel::kForwardDynamics, "Sestina", "recursive", static_cast<int>(states_.size()),
        [this](int k) {
          const OurState& s = states_[static_cast<std::size_t>(k)];
          dynamics_.calc_udot(s.state, udot_, s.tau);
        },
        [this](int) { return order_.restore_u(udot_); })};
  }

 private:
  struct OurState {
    State<double> state;
    std::vector<double> tau;
  };

  std::shared_ptr<const Model> model_;
  LinkOrder order_;
  ForwardDynamics dynamics_;
  std::vector<double> udot_;
  std::vector<OurState> states_;
};

}  // namespace

std::unique_ptr<Engine> make_sestina_loops(const LoopMechanism& mechanism, const States& states) {
  return std::make_unique<SestinaLoops>(mechanism, states);
}

std::string sestina_version() { return sestina::version(); }

}  // namespace peers
