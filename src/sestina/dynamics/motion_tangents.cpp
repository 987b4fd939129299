#include "sestina/dynamics/motion_tangents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/index.h"
#include "sestina/numerics/copy_state.h"

namespace sestina {
namespace {

template <class T>
State<T> make_state(const Model& model) {
  State<T> state;
  state.q.resize(static_cast<std::size_t>(model.nq()));
  state.u.resize(static_cast<std::size_t>(model.nu()));
  state.x.resize(static_cast<std::size_t>(model.nx()));
  state.d.resize(static_cast<std::size_t>(model.nd()));
  state.h.resize(static_cast<std::size_t>(model.nh()));
  return state;
}

bool has_rotors(const ConstraintRows<Dual>& rows) {
  return std::ranges::any_of(rows.rows, &ConstraintRow<Dual>::is_inertia);
}

Dual calc_acceleration(const ConstraintRows<Dual>& rows, const ConstraintRow<Dual>& row,
                       std::span<const SpatialMotion<Dual>> accelerations, std::span<const Dual> udot) {
  return row.bias + calc_rate<Dual>(rows, row, accelerations, udot);
}

}  // namespace

MotionTangents::MotionTangents(const Model& model, const Properties<double>& properties)
    : model_(model),
      beams_(model, properties),
      belts_(model, properties),
      numbers_(properties),
      properties_(calc_properties<Dual>(
          model, std::vector<Dual>(properties.parameters.begin(), properties.parameters.end()))),
      state_(make_state<Dual>(model)),
      kinematics_(model),
      forces_(model),
      rows_(model),
      inverse_(model),
      udot_(state_.u.size()),
      lambda_(static_cast<std::size_t>(model.constraint_rows())),
      plain_kinematics_(model),
      plain_forces_(model),
      plain_rows_(model),
      plain_inverse_(model),
      mass_(model),
      qdot_(state_.q.size()),
      unit_(state_.u.size()),
      matrix_(lambda_.size() * udot_.size()),
      gravity_(properties.gravity) {
  const auto n = static_cast<Eigen::Index>(udot_.size()), m = static_cast<Eigen::Index>(lambda_.size());
  for (Eigen::VectorXd* vector : {&r, &scale}) vector->setZero(n);
  for (Eigen::VectorXd* vector : {&g, &v, &a}) vector->setZero(m);
  for (Eigen::MatrixXd* matrix : {&M, &r_q, &r_u}) matrix->setZero(n, n);
  for (Eigen::MatrixXd* matrix : {&C, &v_q, &a_q, &a_u}) matrix->setZero(m, n);
  const Eigen::Index states = model.nx();
  r_x.setZero(n, states);
  rate_x.setZero(states, states);
  for (Eigen::MatrixXd* matrix : {&rate_q, &rate_u}) matrix->setZero(states, n);
  rate.setZero(states);
  numbers_.forces.connectors.clear_beams(), properties_.forces.connectors.clear_beams();
}

void MotionTangents::set_wrenches(Wrenches wrenches) {
  if (wrenches == Wrenches::kKept) beams_.keep_wrenches();
  wrenches_ = wrenches;
}

void MotionTangents::add_beams(const State<double>& state) {
  if (wrenches_ == Wrenches::kKept) {
    beams_.advance(state, plain_kinematics_);
  } else {
    beams_.update(state, plain_kinematics_);
  }
  for (const BeamForces::Element& element : beams_.elements()) {
    for (int end = 0; end < 2; ++end) {
      for (int i = 0; i < 6; ++i) {
        r[element.speed(end, i)] += element.f[end][i];
        scale[element.speed(end, i)] += std::abs(element.f[end][i]);
      }
    }
  }
}

// The pulleys' part is that of the wrenches held (belt_forces.h).
void MotionTangents::add_belts() {
  for (const BeltForces::Block& block : belts_.blocks()) {
    for (std::size_t i = 0; i < block.numbers.size(); ++i) {
      const Eigen::Index row = block.numbers[i];
      if (row >= nu()) {
        rate[row - nu()] += block.r[i];
      } else {
        r[row] += block.r[i];
        scale[row] += std::abs(block.r[i]);
      }
    }
  }
}

void MotionTangents::set_load(double load) {
  forces_.load = plain_forces_.load = load;
  numbers_.gravity = load * gravity_;
  properties_.gravity = {numbers_.gravity.x, numbers_.gravity.y, numbers_.gravity.z};
}

std::string MotionTangents::explain_non_finite(const State<double>& state) {
  if (const auto beam = beams_.find_non_finite()) {
    return fmt::format(
        "the beam {} is bent too much between two of its nodes: take more elements or load steps",
        model_.forces()[*beam].name);
  }
  std::string reason = explain_non_finite_force(model_, numbers_, state, plain_kinematics_, plain_forces_);
  for (Eigen::Index i = 0; i < nx() && reason.empty(); ++i) {
    if (!std::isfinite(rate[i])) reason = model_.explain_rate(static_cast<int>(i), numbers_, state);
  }
  if (reason.empty()) reason = explain_non_finite_constraint(model_, numbers_, state, plain_rows_);
  return reason.empty() ? "its forces are not finite: numbers are too large" : reason;
}

bool MotionTangents::is_on_position(Eigen::Index row) const {
  const ConstraintRow<double>& of = plain_rows_.rows[at(row)];
  return of.is_on_position && !of.is_inertia;
}

// Evaluates on dual numbers, for the present tangents of state_.
void MotionTangents::evaluate(std::span<const double> udot, const Eigen::VectorXd& lambda) {
  update_kinematics(model_, properties_, state_, kinematics_);
  update_applied_forces(model_, properties_, state_, kinematics_, forces_);
  std::transform(udot.begin(), udot.end(), udot_.begin(), [](double x) { return Dual(x); });
  if (!lambda_.empty()) {
    update_constraint_rows(model_, properties_, state_, kinematics_, rows_);
    if (has_rotors(rows_)) {  // accelerations first; the rest once the forces are complete
      update_inverse_dynamics<Dual>(model_, properties_, kinematics_, forces_, udot_, inverse_);
    }
    for (std::size_t i = 0; i < lambda_.size(); ++i) {
      const ConstraintRow<Dual>& row = rows_.rows[i];
      lambda_[i] = lambda[static_cast<Eigen::Index>(i)];
      if (row.is_inertia) lambda_[i] = -calc_acceleration(rows_, row, inverse_.acceleration, udot_);
    }
    add_constraint_forces<Dual>(rows_, lambda_, forces_.tau, forces_.body);
  }
  update_inverse_dynamics<Dual>(model_, properties_, kinematics_, forces_, udot_, inverse_);
}

// M and C
void MotionTangents::set_mass_and_rows(const State<double>& state) {
  const Eigen::Index n = nu(), m = rows();
  update_kinematics(model_, numbers_, state, plain_kinematics_);
  mass_.update(numbers_, plain_kinematics_);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      M(i, j) = M(j, i) = mass_.matrix()(static_cast<int>(i), static_cast<int>(j));
    }
  }
  if (m == 0) return;
  update_constraint_rows(model_, numbers_, state, plain_kinematics_, plain_rows_);
  calc_constraint_matrix(model_, plain_kinematics_, plain_rows_, matrix_);
  C = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(matrix_.data(), m, n);
  for (Eigen::Index i = 0; i < m; ++i) {
    if (!plain_rows_.rows[at(i)].is_inertia) continue;
    M += C.row(i).transpose() * C.row(i);
    C.row(i).setZero();
  }
}

void MotionTangents::set_matrices(const State<double>& state, std::span<const double> udot,
                                  const Eigen::VectorXd& lambda) {
  const Eigen::Index n = nu();
  set_mass_and_rows(state);
  update_applied_forces(model_, numbers_, state, plain_kinematics_, plain_forces_);
  if (rows() > 0) {
    std::vector<double> forces(lambda_.size());
    std::ranges::transform(lambda_, forces.begin(), &Dual::v);
    add_constraint_forces<double>(plain_rows_, forces, plain_forces_.tau, plain_forces_.body);
  }
  update_inverse_dynamics<double>(model_, numbers_, plain_kinematics_, plain_forces_, udot, plain_inverse_);
  const std::vector<double> sums =
      calc_residual_scale(model_, numbers_, plain_kinematics_, plain_forces_, udot, plain_inverse_);
  scale = Eigen::Map<const Eigen::VectorXd>(sums.data(), n) + C.cwiseAbs().transpose() * lambda.cwiseAbs();
}

void MotionTangents::update(const State<double>& state, std::span<const double> udot,
                            const Eigen::VectorXd& lambda) {
  copy_state(state, state_);
  if (!belts_.empty()) {
    update_kinematics(model_, numbers_, state, plain_kinematics_);
    belts_.update(state, plain_kinematics_, properties_);
    belts_.hold(properties_.forces.connectors.held);
  }
  evaluate(udot, lambda);
  for (Eigen::Index i = 0; i < nu(); ++i) r[i] = inverse_.residual[at(i)].v;
  for (Eigen::Index i = 0; i < nx(); ++i) rate[i] = forces_.rates[at(i)].v;
  for (Eigen::Index i = 0; i < rows(); ++i) {
    const ConstraintRow<Dual>& row = rows_.rows[at(i)];
    const bool is_condition = !row.is_inertia;
    g[i] = is_condition && row.is_on_position ? row.error.v : 0.0;
    v[i] = is_condition ? row.velocity.v : 0.0;
    a[i] = is_condition ? calc_acceleration(rows_, row, inverse_.acceleration, udot_).v : 0.0;
  }
  set_matrices(state, udot, lambda);
  if (has_beams()) add_beams(state);
  if (!belts_.empty()) add_belts();
}

void MotionTangents::update_conditions(const State<double>& state) {
  copy_state(state, state_);
  set_mass_and_rows(state);
  for (Eigen::Index k = 0; k < nu(); ++k) {
    seed_q(k, state);
    update_kinematics(model_, properties_, state_, kinematics_);
    update_constraint_rows(model_, properties_, state_, kinematics_, rows_);
    for (Eigen::Index i = 0; i < rows(); ++i) {
      const ConstraintRow<Dual>& row = rows_.rows[at(i)];
      v_q(i, k) = row.is_inertia ? 0.0 : row.velocity.d;
    }
  }
  for (Dual& q : state_.q) q.d = 0.0;
}

// Moves state_ along the k-th displacement.
void MotionTangents::seed_q(Eigen::Index k, const State<double>& state) {
  unit_[at(k)] = 1.0;
  calc_q_dot<double>(model_, state.q, unit_, qdot_);
  unit_[at(k)] = 0.0;
  for (std::size_t i = 0; i < qdot_.size(); ++i) state_.q[i].d = qdot_[i];
}

void MotionTangents::update_tangents(const State<double>& state, std::span<const double> udot,
                                     const Eigen::VectorXd& lambda, bool by_speeds) {
  update(state, udot, lambda);
  const auto take_forces = [&](Eigen::Index k, Eigen::MatrixXd& of_r, Eigen::MatrixXd& of_rate) {
    evaluate(udot, lambda);
    for (Eigen::Index i = 0; i < nu(); ++i) of_r(i, k) = inverse_.residual[at(i)].d;
    for (Eigen::Index i = 0; i < nx(); ++i) of_rate(i, k) = forces_.rates[at(i)].d;
  };
  const auto take_column = [&](Eigen::Index k, Eigen::MatrixXd& of_r, Eigen::MatrixXd* of_v,
                               Eigen::MatrixXd& of_a, Eigen::MatrixXd& of_rate) {
    take_forces(k, of_r, of_rate);
    for (Eigen::Index i = 0; i < rows(); ++i) {
      const ConstraintRow<Dual>& row = rows_.rows[at(i)];
      if (row.is_inertia) continue;
      if (of_v != nullptr) (*of_v)(i, k) = row.velocity.d;
      of_a(i, k) = calc_acceleration(rows_, row, inverse_.acceleration, udot_).d;
    }
  };
  for (Eigen::Index k = 0; k < nu(); ++k) {
    seed_q(k, state);
    take_column(k, r_q, &v_q, a_q, rate_q);
    for (Dual& q : state_.q) q.d = 0.0;
    if (!by_speeds) continue;
    state_.u[at(k)].d = 1.0;
    take_column(k, r_u, nullptr, a_u, rate_u);
    state_.u[at(k)].d = 0.0;
  }
  for (Eigen::Index k = 0; by_speeds && k < nx(); ++k) {
    state_.x[at(k)].d = 1.0;
    take_forces(k, r_x, rate_x);
    state_.x[at(k)].d = 0.0;
  }
  add_tangents_of_belts(by_speeds);
  for (const BeamForces::Element& element : beams_.elements()) {
    element.for_each_number([&](int row, int column, int i, int j, int k, int l) {
      r_q(row, column) += element.K[i][j].m[k][l];
      if (by_speeds) r_u(row, column) += element.D[i][j].m[k][l];
    });
  }
}

void MotionTangents::add_tangents_of_belts(bool by_speeds) {
  for (const BeltForces::Block& block : belts_.blocks()) {
    block.for_each_number([&](int row, int column, std::size_t place) {
      const double K = block.K[place], D = block.D[place];
      const bool is_rate = row >= nu(), is_state = column >= nu();
      const Eigen::Index i = is_rate ? row - nu() : row, j = is_state ? column - nu() : column;
      if (!is_state) (is_rate ? rate_q : r_q)(i, j) += is_rate ? -K : K;
      if (!by_speeds) return;
      if (is_state) {
        (is_rate ? rate_x : r_x)(i, j) += is_rate ? -D : D;
      } else {
        (is_rate ? rate_u : r_u)(i, j) += is_rate ? -D : D;
      }
    });
  }
}

}  // namespace sestina
