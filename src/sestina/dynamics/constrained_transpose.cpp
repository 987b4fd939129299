#include "sestina/dynamics/constrained_transpose.h"

#include <algorithm>

namespace sestina {
namespace {

// The parameters that change an axis or a pitch of a joint, and for each parameter its place among them.
std::vector<int> find_dense_places(InverseDynamicsByParameters& by_parameters,
                                   std::span<const int> parameters, std::vector<int>& changing) {
  std::vector<int> places;
  for (const int parameter : parameters) {
    places.push_back(by_parameters.changes_joint(parameter) ? static_cast<int>(changing.size()) : -1);
    if (places.back() >= 0) changing.push_back(parameter);
  }
  return places;
}

std::vector<int> find_joint_parameters(const Model& model, const Properties<double>& properties,
                                       std::span<const int> parameters) {
  InverseDynamicsByParameters by_parameters(model, properties);
  std::vector<int> changing;
  find_dense_places(by_parameters, parameters, changing);
  return changing;
}

double product_of(std::span<const double> a, const Eigen::VectorXd& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[static_cast<Eigen::Index>(i)];
  return sum;
}

}  // namespace

bool ConstrainedTranspose::takes(const Model& model) {
  return model.is_constrained() && ConditionSeeds::take(model) && model.nx() == 0 && !model.is_cartesian() &&
         !model.forces_use_cut_joints();
}

ConstrainedTranspose::ConstrainedTranspose(const Model& model, const Properties<double>& properties,
                                           std::span<const int> parameters)
    : parameters_(parameters.begin(), parameters.end()),
      seeds_(model, properties, parameters),
      tree_(model, properties, Conditions::kAsForces),
      gradient_(model),
      of_positions_(model),
      inputs_(model, properties, find_joint_parameters(model, properties, parameters)),
      sums_(model, properties, Conditions::kAsForces),
      displaced_(model, properties) {
  std::vector<int> changing;
  dense_ = find_dense_places(displaced_, parameters, changing);
  const auto nu = static_cast<std::size_t>(model.nu()),
             bodies = static_cast<std::size_t>(model.bodies().size());
  for (std::vector<double>* numbers : {&z_, &minus_y_, &no_udot_, &unused_}) numbers->resize(nu);
  for (std::vector<double>* numbers : {&w_, &nu_, &mu_}) {
    numbers->resize(static_cast<std::size_t>(model.constraint_rows()));
  }
  along_.resize(seeds_.directions());
  A_.resize(bodies);
  for (Forces* forces : {&of_lambda_, &of_w_}) forces->body.resize(bodies), forces->tau.resize(nu);
}

void ConstrainedTranspose::Forces::update(const ConstraintRows<double>& rows,
                                          std::span<const double> multipliers) {
  std::ranges::fill(body, SpatialForce<double>{});
  std::ranges::fill(tau, 0.0);
  add_constraint_forces<double>(rows, multipliers, tau, body);
}

// The terms of (3) of one row that come from its dual numbers.
double ConstrainedTranspose::calc_product(const ConstraintRows<Dual>& rows, std::size_t r,
                                          std::span<const double> lambda) const {
  const ConstraintRow<Dual>& row = rows.rows[r];
  return w_[r] * (row.bias.d + calc_rate_change(rows, row, A_, udot_)) -
         lambda[r] * calc_rate_change(rows, row, tree_.virtual_motion().V, z_);
}

// Sums along_ over the directions of each source.
void ConstrainedTranspose::take_sources(MotionGradient& gradient, std::span<double> by_q,
                                        std::span<double> by_u) const {
  for (const ConditionSeeds::Source& source : seeds_.sources()) {
    const double* const along = along_.data() + source.first;
    if (source.kind == ConditionSeeds::Kind::kCoordinate) {
      by_q[source.index] += *along;
    } else if (source.kind == ConditionSeeds::Kind::kSpeed) {
      by_u[source.index] += *along;
    } else {
      MotionGradient::Of& of = gradient.of(source.index);
      of.T = {along[0], along[1], along[2]}, of.P = {along[3], along[4], along[5]};
      of.S = {along[6], along[7], along[8]}, of.H = {along[9], along[10], along[11]};
    }
  }
}

// Completes the gradient of each body by the terms of (3) that need no dual numbers.
void ConstrainedTranspose::start_gradient(const Kinematics<double>& kinematics) {
  const std::vector<SpatialMotion<double>>& Z = tree_.virtual_motion().V;
  for (const ConditionSeeds::Source& source : seeds_.sources()) {
    if (source.kind != ConditionSeeds::Kind::kBody) continue;
    const std::size_t b = source.index;
    MotionGradient::Of& of = gradient_.of(b);
    const SpatialForce<double>&turning = of_lambda_.body[b], &w = of_w_.body[b];
    const SpatialMotion<double>& A = tree_.sums().acceleration(b);
    const Vec3<double>& omega = kinematics.motion[b].V_WB.w;
    of.t = w.torque, of.f = w.force;
    of.T += cross(turning.torque, Z[b].w) + cross(turning.force, Z[b].v) + cross(omega, of.S) +
            cross(A.w, of.t) + cross(A.v, of.f);
    of.S += cross(omega, of.t);
  }
}

void ConstrainedTranspose::calc(const State<double>& state, ForwardDynamics& dynamics,
                                std::span<const double> udot, std::span<const double> y,
                                std::span<double> by_q, std::span<double> by_u,
                                std::span<double> by_parameters) {
  ConstrainedDynamics& constrained = *dynamics.constrained();
  const Kinematics<double>& kinematics = dynamics.kinematics();
  std::ranges::transform(y, minus_y_.begin(), std::negate<>());
  std::ranges::transform(constrained.solve_again(kinematics, minus_y_, z_), w_.begin(),
                         std::negate<>());  // (2)
  udot_ = udot;
  tree_.calc(state, kinematics, dynamics.forces(), udot, z_, by_q, by_u);
  const Vec3<double>& gravity = dynamics.properties().gravity;
  for (std::size_t b = 1; b < A_.size(); ++b) {
    A_[b] = tree_.sums().acceleration(b);
    A_[b].v += gravity;
  }
  const std::span<const double> lambda = constrained.lambda();
  of_lambda_.update(constrained.rows(), lambda), of_w_.update(constrained.rows(), w_);
  seeds_.set_state(state, kinematics);
  std::ranges::fill(along_, 0.0);
  seeds_.visit(false, [&](const ConstraintRows<Dual>& rows, std::size_t r, std::size_t direction) {
    along_[direction] += calc_product(rows, r, lambda);
  });
  gradient_.clear();
  take_sources(gradient_, by_q, by_u);
  start_gradient(kinematics);
  gradient_.pass_inward(kinematics, tree_.sums(), by_q, by_u);
  add_parameters(state, lambda, by_parameters);
}

void ConstrainedTranspose::add_parameters(const State<double>& state, std::span<const double> lambda,
                                          std::span<double> by_parameters) {
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    if (dense_[k] >= 0) {
      const InputTangent& input = inputs_.calc(static_cast<std::size_t>(dense_[k]), state, udot_, lambda);
      by_parameters[k] += product_of(z_, input.r_p) + product_of(w_, input.a_p);
      continue;
    }
    double sum = tree_.calc_by_parameter(parameters_[k]);
    tree_.by_parameters().for_each_displacement(
        parameters_[k], [&](const auto& displacement) { sum += gradient_.calc_product(displacement); });
    if (const ConstraintRows<Dual>* rows = seeds_.update_by_parameter(k); rows != nullptr) {
      for (std::size_t r = 0; r < w_.size(); ++r) sum += calc_product(*rows, r, lambda);
    }
    by_parameters[k] += sum;
  }
}

// y_q += v_q^T nu. The rates of the conditions change with velocities as their forces act.
void ConstrainedTranspose::add_rates_of_poses(const ConstraintRows<double>& rows, std::span<double> y_q) {
  std::ranges::fill(along_, 0.0);
  seeds_.visit(true, [&](const ConstraintRows<Dual>& moved, std::size_t r, std::size_t direction) {
    along_[direction] += nu_[r] * moved.rows[r].velocity.d;
  });
  gradient_.clear();
  take_sources(gradient_, y_q, unused_);
  of_w_.update(rows, nu_);
}

// y += C^T multipliers.
void ConstrainedTranspose::add_forces(const ConstraintRows<double>& rows, std::span<const double> multipliers,
                                      const Kinematics<double>& kinematics, std::span<double> y) {
  of_lambda_.update(rows, multipliers);
  of_positions_.clear();
  for (const ConditionSeeds::Source& source : seeds_.sources()) {
    if (source.kind != ConditionSeeds::Kind::kBody) continue;
    MotionGradient::Of& of = of_positions_.of(source.index);
    of.T = of_lambda_.body[source.index].torque, of.P = of_lambda_.body[source.index].force;
  }
  of_positions_.pass_inward(kinematics, sums_, y, unused_);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += of_lambda_.tau[i];
}

void ConstrainedTranspose::transpose_projection(const State<double>& state, ForwardDynamics& dynamics,
                                                std::span<double> y, std::span<double> by_parameters) {
  const std::size_t n = z_.size();
  const std::span<double> y_q = y.first(n), y_u = y.subspan(n, n);
  dynamics.calc_velocity_jump(state, y_u, z_);  // factors at this state
  ConstrainedDynamics& constrained = *dynamics.constrained();
  const Kinematics<double>& kinematics = dynamics.kinematics();
  const ConstraintRows<double>& rows = constrained.rows();
  const auto solve = [&](std::span<const double> tau, std::vector<double>& multipliers, bool of_positions) {
    std::ranges::copy(constrained.solve_again(kinematics, tau, z_), multipliers.begin());
    for (std::size_t r = 0; r < multipliers.size(); ++r) {
      const ConstraintRow<double>& row = rows.rows[r];
      if (row.is_inertia || (of_positions && !row.is_on_position)) multipliers[r] = 0.0;
    }
  };
  sums_.update(state, kinematics, dynamics.forces(), no_udot_);
  seeds_.set_state(state, kinematics);
  solve(y_u, nu_, false);  // (5)
  add_forces(rows, nu_, kinematics, y_u);
  add_rates_of_poses(rows, y_q);
  for (const ConditionSeeds::Source& source : seeds_.sources()) {
    if (source.kind != ConditionSeeds::Kind::kBody) continue;
    MotionGradient::Of& of = gradient_.of(source.index);
    of.S = of_w_.body[source.index].torque, of.H = of_w_.body[source.index].force;
    of.T += cross(kinematics.motion[source.index].V_WB.w, of.S);
  }
  gradient_.pass_inward(kinematics, sums_, y_q, unused_);
  solve(y_q, mu_, true);
  add_forces(rows, mu_, kinematics, y_q);
  displaced_.start(state, kinematics, no_udot_, sums_);
  add_projected_parameters(state, by_parameters);
}

void ConstrainedTranspose::add_projected_parameters(const State<double>& state,
                                                    std::span<double> by_parameters) {
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    if (dense_[k] >= 0) {
      const InputTangent& input = inputs_.calc_conditions(static_cast<std::size_t>(dense_[k]), state);
      by_parameters[k] += product_of(nu_, input.v_p) + product_of(mu_, input.g_p);
      continue;
    }
    double sum = 0.0;
    displaced_.for_each_displacement(parameters_[k], [&](const auto& displacement) {
      sum += gradient_.calc_product(displacement) + of_positions_.calc_product(displacement);
    });
    if (const ConstraintRows<Dual>* rows = seeds_.update_by_parameter(k); rows != nullptr) {
      for (std::size_t r = 0; r < nu_.size(); ++r) {
        sum += nu_[r] * rows->rows[r].velocity.d + mu_[r] * rows->rows[r].error.d;
      }
    }
    by_parameters[k] += sum;
  }
}

}  // namespace sestina
