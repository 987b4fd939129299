#include "sestina/dynamics/applied_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/dynamics/cut_joint_forces.h"
#include "sestina/dynamics/reduced_bodies.h"
#include "sestina/model/properties.h"
#include "sestina/model/tape_inputs.h"
#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
AppliedForces<T>::AppliedForces(const Model& model)
    : tau(static_cast<std::size_t>(model.nu())),
      body(model.num_frames()),
      expressions(static_cast<std::size_t>(model.num_force_expressions())),
      rates(static_cast<std::size_t>(model.nx())),
      tape_inputs(static_cast<std::size_t>(model.num_force_tape_inputs())),
      tape_scratch(static_cast<std::size_t>(model.force_tape_scratch_size())) {
  const PropertyPlan& plan = model.plan();
  has_body_forces = !plan.spring_dampers.empty() || !plan.point_forces.empty() ||
                    plan.connectors.act_on_bodies() || !model.user_forces().empty() ||
                    model.is_constrained() || model.has_contacts();
  if (model.forces_use_cut_joints()) {
    cut.q.resize(static_cast<std::size_t>(model.nq() + model.cut_nq()));
    cut.u.resize(static_cast<std::size_t>(model.nu() + model.cut_nu()));
    cut.tau.resize(cut.u.size());
    cut.motions.resize(model.cut_joints().size());
    cut.forces.resize(model.cut_joints().size());
  }
  if (!model.user_forces().empty()) {
    user_motion.resize(static_cast<std::size_t>(model.bodies().size()));
    user_forces.resize(user_motion.size());
    user_tau.resize(tau.size());
  }
}

namespace {

// Updates the poses and velocities of the bodies' own frames, which a UserForce reads.
void update_user_motion(const Properties<double>& properties, const Kinematics<double>& kinematics,
                        std::vector<BodyMotion<double>>& motion) {
  for (std::size_t i = 1; i < motion.size(); ++i) {
    const BodyIndex b(static_cast<int>(i));
    motion[i] = {calc_body_pose(properties, kinematics, b), calc_body_velocity(properties, kinematics, b)};
  }
}

void clear_user_forces(AppliedForces<double>& forces) {
  std::fill(forces.user_forces.begin(), forces.user_forces.end(), SpatialForce<double>{});
  std::fill(forces.user_tau.begin(), forces.user_tau.end(), 0.0);
}

void call_user_force(const Model& model, const UserForceInfo& info, const State<double>& state,
                     AppliedForces<double>& forces) {
  info.force->add_forces({model.user_layout(), state.t, state.q, state.u, forces.user_motion},
                         {forces.user_tau, forces.user_forces});
}

bool are_user_forces_finite(const AppliedForces<double>& forces) {
  double sum = 0.0;
  for (const double tau : forces.user_tau) sum += std::abs(tau);
  for (const auto& f : forces.user_forces) sum += dot(f.force, f.force) + dot(f.torque, f.torque);
  return std::isfinite(sum);
}

void add_user_forces(const Model& model, const Properties<double>& properties, const State<double>& state,
                     const Kinematics<double>& kinematics, AppliedForces<double>& forces) {
  update_user_motion(properties, kinematics, forces.user_motion);
  clear_user_forces(forces);
  for (const UserForceInfo& info : model.user_forces()) call_user_force(model, info, state, forces);
  for (std::size_t i = 0; i < forces.tau.size(); ++i) forces.tau[i] += forces.user_tau[i];
  for (std::size_t i = 1; i < forces.user_forces.size(); ++i) {
    const Vec3<double> arm =
        kinematics.motion[i].X_WB.R * properties.bodies[BodyIndex(static_cast<int>(i))].X_MB.p;
    forces.body[i] += shift_back(forces.user_forces[i], arm);
  }
}

template <class T>
CutCoordinates<T> coordinates_of_cut_joints(const State<T>& state, const AppliedForces<T>& forces) {
  return {std::span(forces.cut.q).subspan(forces.cut.q.empty() ? 0 : state.q.size()),
          std::span(forces.cut.u).subspan(forces.cut.u.empty() ? 0 : state.u.size())};
}

template <class T>
void evaluate_expressions(const Model& model, const Properties<T>& properties, const State<T>& state,
                          AppliedForces<T>& forces) {
  if constexpr (std::is_same_v<T, double>) {
    if (forces.compiled_expressions) return forces.compiled_expressions->evaluate(state, forces.expressions);
  }
  model.calc_force_expressions<T>(properties, state, coordinates_of_cut_joints(state, forces),
                                  forces.tape_inputs, forces.tape_scratch, forces.expressions);
}

// Returns the arrays to which force elements add their forces.
template <class T>
ForceOutput<T> force_output(AppliedForces<T>& forces) {
  return {forces.cut.motions.empty() ? forces.tau.data() : forces.cut.tau.data(), forces.body.data(),
          forces.rates.data()};
}

}  // namespace

template <class T>
void update_applied_forces(const Model& model, const Properties<T>& properties, const State<T>& state,
                           const Kinematics<T>& kinematics, AppliedForces<T>& forces) {
  std::fill(forces.tau.begin(), forces.tau.end(), T(0));
  if (forces.has_body_forces) std::fill(forces.body.begin(), forces.body.end(), SpatialForce<T>{});
  const bool use_cut_joints = !forces.cut.motions.empty();
  if constexpr (kTakesConstraints<T>) {
    if (use_cut_joints) find_cut_joints(properties, state, kinematics, forces);
  }
  if (!forces.expressions.empty()) {
    evaluate_expressions(model, properties, state, forces);
    if (forces.load != 1.0) {
      for (T& value : forces.expressions) value *= T(forces.load);
    }
  }
  if (!forces.rates.empty()) {
    model.calc_state_rates<T>(properties, state, coordinates_of_cut_joints(state, forces), forces.tape_inputs,
                              forces.tape_scratch, forces.rates);
  }
  const ForceInput<T> in = force_input(state, kinematics, forces);
  ForceOutput<T> out = force_output(forces);
  properties.forces.for_each([&](const auto& element) { element.add_force(in, out); });
  if constexpr (kTakesConstraints<T>) {
    if (use_cut_joints) apply_cut_joint_forces(properties, forces);
    apply_interface_forces<T>(model, state, kinematics, forces.body, forces.tau);
  }
  if (!model.user_forces().empty()) {
    if constexpr (std::is_same_v<T, double>) {
      add_user_forces(model, properties, state, kinematics, forces);
    } else {
      throw InputError(fmt::format("{}: a user force has no derivatives and no symbolic form",
                                   model.forces()[model.user_forces().front().index].name));
    }
  }
}

std::string explain_non_finite_force(const Model& model, const Properties<double>& properties,
                                     const State<double>& state, const Kinematics<double>& kinematics,
                                     AppliedForces<double>& forces) {
  update_applied_forces(model, properties, state, kinematics, forces);
  for (std::size_t i = 0; i < forces.expressions.size(); ++i) {
    if (!std::isfinite(forces.expressions[i]))
      return model.explain_force_expression(static_cast<int>(i), properties, state);
  }
  const ForceInput<double> in = force_input(state, kinematics, forces);
  std::string explanation;
  properties.forces.for_each([&](const auto& element) {
    if (!explanation.empty()) return;
    std::fill(forces.tau.begin(), forces.tau.end(), 0.0);
    std::fill(forces.cut.tau.begin(), forces.cut.tau.end(), 0.0);
    std::fill(forces.body.begin(), forces.body.end(), SpatialForce<double>{});
    ForceOutput<double> out = force_output(forces);
    element.add_force(in, out);
    double sum = 0.0;
    for (double tau : forces.tau) sum += tau;
    for (double tau : forces.cut.tau) sum += tau;
    for (const auto& f : forces.body) {
      sum += f.force.x + f.force.y + f.force.z + f.torque.x + f.torque.y + f.torque.z;
    }
    if (std::isfinite(sum)) return;
    using Element = std::decay_t<decltype(element)>;
    const std::string& name = model.forces()[element.index].name;
    if constexpr (std::is_same_v<Element, SpringDamper<double>> ||
                  std::is_same_v<Element, GravityBetween<double>>) {
      explanation = fmt::format("the two points of {} coincide, so that its force has no direction", name);
    } else if constexpr (std::is_same_v<Element, Rope<double>>) {
      explanation = fmt::format("two points of {} coincide, so that its force has no direction there", name);
    } else {
      explanation = fmt::format("the force {} is not finite", name);
    }
  });
  if (!explanation.empty()) return explanation;
  for (const UserForceInfo& info : model.user_forces()) {
    clear_user_forces(forces);
    call_user_force(model, info, state, forces);
    if (!are_user_forces_finite(forces)) {
      return fmt::format("the user force {} is not finite", model.forces()[info.index].name);
    }
  }
  return {};
}

#define SESTINA_INSTANTIATE(T)                                                             \
  template struct AppliedForces<T>;                                                        \
  template void update_applied_forces(const Model&, const Properties<T>&, const State<T>&, \
                                      const Kinematics<T>&, AppliedForces<T>&);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
