#include "sestina/state_time/interface_map.h"

#include <algorithm>
#include <array>

#include "sestina/dynamics/dual_forces.h"
#include "sestina/state_time/element_equations.h"
#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/joint_coordinates.h"
#include "sestina/state_time/relative_motion.h"

namespace sestina {
namespace {

// Reads three numbers of a body with their tangents.
Vec3<Dual> read(std::span<const double> numbers, std::span<const double> change, std::size_t at) {
  return {{numbers[at], change[at]}, {numbers[at + 1], change[at + 1]}, {numbers[at + 2], change[at + 2]}};
}
Vec3<double> read(std::span<const double> numbers, std::size_t at) {
  return {numbers[at], numbers[at + 1], numbers[at + 2]};
}
void write(std::span<Dual> numbers, std::size_t at, const Vec3<Dual>& a) {
  numbers[at] = a.x, numbers[at + 1] = a.y, numbers[at + 2] = a.z;
}

// Computes the numbers of an end from the motion of the joint frames.
void calc_numbers(const Model& model, const Properties<Dual>& properties, const Kinematics<Dual>& kinematics,
                  std::span<Dual> numbers) {
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyMotion<Dual>& motion = kinematics.motion[index(b.value())];
    const Vec3<Dual> c = motion.X_WB.R * properties.bodies[b].M.c;
    const std::size_t at = index(ElementLayout::kEndNumbers * (b.value() - 1));
    write(numbers, at, motion.V_WB.v + cross(motion.V_WB.w, c));
    write(numbers, at + 3, transpose_times(motion.X_WB.R, motion.V_WB.w));
    for (int j = 0; j < 3; ++j) write(numbers, at + 6 + index(3 * j), motion.X_WB.R.column(j));
    write(numbers, at + 15, motion.X_WB.p + c);
  }
}

}  // namespace

EndToJoints::EndToJoints(const Model& model, const Properties<double>& properties)
    : model_(model),
      loads_(std::make_unique<AppliedLoads>(model, properties)),
      dual_(std::make_unique<DualForces>(model, properties)) {}
EndToJoints::~EndToJoints() = default;

void EndToJoints::find_state(std::span<const double> end, State<double>& state) {
  end_.assign(end.begin(), end.end());
  std::vector<BodyInstant> bodies;
  for (int b = 1; b < model_.bodies().size(); ++b) {
    const std::size_t at = index(ElementLayout::kEndNumbers * (b - 1));
    bodies.push_back({Mat3<double>::from_columns(read(end, at + 6), read(end, at + 9), read(end, at + 12)),
                      read(end, at + 15), read(end, at), read(end, at + 3)});
  }
  loads_->find_state(bodies, state);
  q_ = state.q;
}

void EndToJoints::calc_displacement(std::span<const double> change, std::span<double> displacement) {
  DualForces& dual = *dual_;
  for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
    const BodyInfo& info = model_.bodies()[b];
    const BodyProperties<Dual>& body = dual.properties.bodies[b];
    const std::size_t at = index(ElementLayout::kEndNumbers * (b.value() - 1));
    const auto vector = [&](std::size_t i) { return read(end_, change, at + i); };
    const Rotation<Dual> C = Rotation<Dual>::from_columns(vector(6), vector(9), vector(12));
    const Vec3<Dual> w = vector(3), c = body.M.c;
    const BodyMotion<Dual> motion{{C, vector(15) - C * c}, {C * w, vector(0) - C * cross(w, c)}};
    dual.kinematics.motion[index(b.value())] = motion;
    const BodyMotion<Dual>& parent = dual.kinematics.motion[index(info.parent.value())];
    const RelativeMotion<Dual> relative =
        calc_relative_motion<Dual>(parent.X_WB, parent.V_WB, body.X_PF, motion.X_WB, motion.V_WB);
    visit_joint(body.joint, [&](const auto& joint) {
      using Joint = std::remove_cvref_t<decltype(joint)>;
      if constexpr (Joint::kNu > 0) {
        std::array<Dual, static_cast<std::size_t>(Joint::kNu)> d, u;
        Dual* const q = dual.state.q.data() + info.q_start;
        std::copy_n(q_.begin() + info.q_start, Joint::kNq, q);
        solve_for_speeds(joint.H(q), calc_misfit<Dual>(joint, relative.X_FM, q), d.data());
        Joint::plus(q, d.data(), q);
        find_speeds<Dual>(joint, relative.V_FM, q, u.data());
        for (std::size_t i = 0; i < d.size(); ++i) {
          displacement[index(info.u_start) + i] = d[i].d;
          displacement[index(model_.nu() + info.u_start) + i] = u[i].d;
        }
      }
    });
  }
}

JointsToStart::JointsToStart(const Model& model, const Properties<double>& properties)
    : model_(model), dual_(std::make_unique<DualForces>(model, properties)) {
  numbers_.resize(index(ElementLayout::kEndNumbers * (model.bodies().size() - 1)));
  displacement_.resize(index(model.nu()));
}
JointsToStart::~JointsToStart() = default;

void JointsToStart::put_state(const State<double>& state, std::span<double> start) {
  state_ = state;
  DualForces& dual = *dual_;
  std::copy(state.q.begin(), state.q.end(), dual.state.q.begin());
  std::copy(state.u.begin(), state.u.end(), dual.state.u.begin());
  update_kinematics<Dual>(model_, dual.properties, dual.state, dual.kinematics);
  calc_numbers(model_, dual.properties, dual.kinematics, numbers_);
  std::transform(numbers_.begin(), numbers_.end(), start.begin(), [](const Dual& a) { return a.v; });
}

void JointsToStart::calc_change(std::span<const double> displacement, std::span<double> change) {
  DualForces& dual = *dual_;
  const std::size_t nu = displacement_.size();
  std::copy(state_.q.begin(), state_.q.end(), dual.state.q.begin());
  for (std::size_t i = 0; i < nu; ++i) {
    displacement_[i] = {0.0, displacement[i]};
    dual.state.u[i] = {state_.u[i], displacement[nu + i]};
  }
  plus_q<Dual>(model_, dual.state.q, displacement_, dual.state.q);
  update_kinematics<Dual>(model_, dual.properties, dual.state, dual.kinematics);
  calc_numbers(model_, dual.properties, dual.kinematics, numbers_);
  std::transform(numbers_.begin(), numbers_.end(), change.begin(), [](const Dual& a) { return a.d; });
}

}  // namespace sestina
