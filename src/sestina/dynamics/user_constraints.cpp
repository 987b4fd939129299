#include "sestina/dynamics/user_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/base/error.h"
#include "sestina/dynamics/marker_jacobian.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

// Step of central differences (rad or m, for unit speeds): their error is 1e-10 of third derivatives plus a
// round-off of 1e-11.
constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-6;  // relative to the compared numbers, or to 1 if they are smaller

bool differ(double given, double found, double size) {
  return !(std::abs(given - found) <= kTolerance * std::max(1.0, size));
}

double largest_of(std::span<const double> numbers) {
  double size = 0.0;
  for (const double x : numbers) size = std::max(size, std::abs(x));
  return size;
}

}  // namespace

UserConstraints::UserConstraints(const Model& model)
    : model_(&model), numbers_(model.user_constraints().size()), kinematics_(model) {
  const auto nu = static_cast<std::size_t>(model.nu()),
             bodies = static_cast<std::size_t>(model.bodies().size());
  std::size_t most = 0;
  is_row_.resize(static_cast<std::size_t>(model.constraint_rows()));
  const auto resize = [nu, bodies](Numbers& numbers, std::size_t count) {
    for (auto* list : {&numbers.error, &numbers.time_rate, &numbers.velocity, &numbers.bias})
      list->resize(count);
    numbers.jacobian.resize(count * nu), numbers.generalized.resize(count * nu);
    numbers.bodies.resize(count * bodies);
  };
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const int constraint = model.user_constraints()[i].constraint;
    const auto count =
        static_cast<std::size_t>(model.constraints()[static_cast<std::size_t>(constraint)].rows);
    resize(numbers_[i], count);
    const int first = model.constraints()[static_cast<std::size_t>(constraint)].first_row;
    std::fill_n(is_row_.begin() + first, count, true);
    most = std::max(most, count);
  }
  resize(moved_, most);
  displacement_.resize(nu), motion_.resize(bodies), body_forces_.resize(most * bodies);
}

bool UserConstraints::call(std::size_t i, const Properties<double>& properties, const State<double>& state,
                           const Kinematics<double>& kinematics, Numbers& numbers) {
  const UserConstraintInfo& info = model_->user_constraints()[i];
  const std::size_t nu = state.u.size(), bodies = motion_.size(), count = numbers_[i].error.size();
  for (std::size_t b = 1; b < bodies; ++b) {
    const BodyIndex body(static_cast<int>(b));
    motion_[b] = {calc_body_pose(properties, kinematics, body),
                  calc_body_velocity(properties, kinematics, body)};
  }
  for (auto* list :
       {&numbers.error, &numbers.time_rate, &numbers.velocity, &numbers.bias, &numbers.jacobian}) {
    std::fill(list->begin(), list->end(), 0.0);
  }
  std::fill(body_forces_.begin(), body_forces_.end(), SpatialForce<double>{});
  const auto rows = [count](std::vector<double>& list) { return std::span(list).first(count); };
  const bool has_bias = info.user->calc(
      {model_->user_layout(), state.t, state.q, state.u, motion_},
      {rows(numbers.error), rows(numbers.time_rate), std::span(numbers.jacobian).first(count * nu),
       rows(numbers.bias), std::span(body_forces_).first(count * bodies)});
  std::copy_n(numbers.jacobian.begin(), count * nu, numbers.generalized.begin());
  for (std::size_t r = 0; r < count; ++r) {
    const std::span<double> J = std::span(numbers.jacobian).subspan(r * nu, nu);
    numbers.bodies[r * bodies] = body_forces_[r * bodies];
    for (std::size_t b = 1; b < bodies; ++b) {
      const SpatialForce<double>& force = body_forces_[r * bodies + b];
      numbers.bodies[r * bodies + b] = {};
      if (dot(force.torque, force.torque) + dot(force.force, force.force) == 0.0) continue;
      const BodyIndex body(static_cast<int>(b));
      const Pose<double>& X_MB = properties.bodies[body].X_MB;
      add_generalized_force(*model_, kinematics, {frame_of(body), X_MB}, force, J);
      numbers.bodies[r * bodies + b] = shift_back(force, kinematics.motion[b].X_WB.R * X_MB.p);
    }
    numbers.velocity[r] = info.user->is_on_position()
                              ? std::inner_product(J.begin(), J.end(), state.u.begin(), numbers.time_rate[r])
                              : numbers.error[r];
  }
  return has_bias;
}

const UserConstraints::Numbers& UserConstraints::call_at(std::size_t i, const Properties<double>& properties,
                                                         const State<double>& state) {
  update_kinematics(*model_, properties, state, kinematics_);
  call(i, properties, state, kinematics_, moved_);
  return moved_;
}

// Moves along the motion with udot = 0.
void UserConstraints::move(const State<double>& from, double dt, State<double>& to) {
  to = from;
  to.t += dt;
  for (std::size_t k = 0; k < displacement_.size(); ++k) displacement_[k] = dt * from.u[k];
  plus_q<double>(*model_, from.q, displacement_, to.q);
}

void UserConstraints::find_bias(std::size_t i, const Properties<double>& properties,
                                const State<double>& state, std::vector<double>& bias) {
  const double dt = kStep / std::max(1.0, largest_of(state.u));
  for (const double sign : {1.0, -1.0}) {
    move(state, sign * dt, state_);
    const Numbers& moved = call_at(i, properties, state_);
    for (std::size_t r = 0; r < bias.size(); ++r) {
      bias[r] = (sign > 0.0 ? 0.0 : bias[r]) + sign * moved.velocity[r] / (2.0 * dt);
    }
  }
}

const UserConstraints::Numbers& UserConstraints::update(std::size_t i, const Properties<double>& properties,
                                                        const State<double>& state,
                                                        const Kinematics<double>& kinematics) {
  if (!call(i, properties, state, kinematics, numbers_[i])) {
    find_bias(i, properties, state, numbers_[i].bias);
  }
  return numbers_[i];
}

void UserConstraints::add_forces(std::span<const double> lambda, std::span<double> tau,
                                 std::span<SpatialForce<double>> body) const {
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const int constraint = model_->user_constraints()[i].constraint;
    const ConstraintInfo& info = model_->constraints()[static_cast<std::size_t>(constraint)];
    const Numbers& numbers = numbers_[i];
    for (std::size_t r = 0; r < numbers.error.size(); ++r) {
      const double force = lambda[static_cast<std::size_t>(info.first_row) + r];
      for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += force * numbers.generalized[r * tau.size() + k];
      const auto bodies = static_cast<std::size_t>(model_->bodies().size());
      for (std::size_t b = 0; b < bodies; ++b) body[b] += force * numbers.bodies[r * bodies + b];
    }
  }
}

// ---- against differences ----------------------------------------------------------------------------------

void UserConstraints::check(const Properties<double>& properties, const State<double>& state) {
  FaultList faults;
  State<double> moving = state;
  for (std::size_t k = 0; k < moving.u.size(); ++k) {
    moving.u[k] += 0.3 + 0.7 * std::sin(1.0 + 2.0 * static_cast<double>(k));
  }
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    check_jacobian(i, properties, moving, faults);
    check_rates(i, properties, moving, faults);
  }
  faults.throw_if_any();
}

void UserConstraints::check_jacobian(std::size_t i, const Properties<double>& properties,
                                     const State<double>& state, FaultList& faults) {
  const UserConstraintInfo& info = model_->user_constraints()[i];
  const ConstraintInfo& constraint = model_->constraints()[static_cast<std::size_t>(info.constraint)];
  const std::size_t nu = state.u.size();
  update_kinematics(*model_, properties, state, kinematics_);
  call(i, properties, state, kinematics_, numbers_[i]);
  const Numbers& here = numbers_[i];
  const double size = largest_of(here.jacobian);
  std::vector<double> difference(here.error.size());
  for (std::size_t k = 0; k < nu; ++k) {
    for (const double sign : {1.0, -1.0}) {
      State<double> near = state;
      if (info.user->is_on_position()) {
        std::fill(displacement_.begin(), displacement_.end(), 0.0);
        displacement_[k] = sign * kStep;
        plus_q<double>(*model_, state.q, displacement_, near.q);
      } else {
        near.u[k] += sign * kStep;
      }
      const Numbers& moved = call_at(i, properties, near);
      for (std::size_t r = 0; r < difference.size(); ++r) {
        difference[r] = (sign > 0.0 ? 0.0 : difference[r]) + sign * moved.error[r] / (2.0 * kStep);
      }
    }
    for (std::size_t r = 0; r < difference.size(); ++r) {
      const double given = here.jacobian[r * nu + k];
      if (!differ(given, difference[r], size)) continue;
      faults.add({constraint.mark, fmt::format("constraints[{}]", constraint.position)},
                 fmt::format("{}: jacobian[{}][{}], by {}, is {:.9g}, but differences give {:.9g}",
                             constraint.name, r, k, model_->u_names()[k], given, difference[r]));
    }
  }
}

void UserConstraints::check_rates(std::size_t i, const Properties<double>& properties,
                                  const State<double>& state, FaultList& faults) {
  const UserConstraintInfo& info = model_->user_constraints()[i];
  const ConstraintInfo& constraint = model_->constraints()[static_cast<std::size_t>(info.constraint)];
  update_kinematics(*model_, properties, state, kinematics_);
  const bool has_bias = call(i, properties, state, kinematics_, numbers_[i]);
  const Numbers& here = numbers_[i];
  const auto compare = [&](const char* what, std::span<const double> given, std::span<const double> found) {
    for (std::size_t r = 0; r < given.size(); ++r) {
      if (!differ(given[r], found[r], largest_of(found))) continue;
      faults.add({constraint.mark, fmt::format("constraints[{}]", constraint.position)},
                 fmt::format("{}: {}[{}] is {:.9g}, but differences give {:.9g}", constraint.name, what, r,
                             given[r], found[r]));
    }
  };
  std::vector<double> difference(here.error.size());
  if (info.user->is_on_position()) {
    for (const double sign : {1.0, -1.0}) {
      State<double> near = state;
      near.t += sign * kStep;
      const Numbers& moved = call_at(i, properties, near);
      for (std::size_t r = 0; r < difference.size(); ++r) {
        difference[r] = (sign > 0.0 ? 0.0 : difference[r]) + sign * moved.error[r] / (2.0 * kStep);
      }
    }
    compare("time_rate", here.time_rate, difference);
  }
  if (!has_bias) return;
  const std::vector<double> given = here.bias;
  find_bias(i, properties, state, difference);
  compare("bias", given, difference);
}

}  // namespace sestina
