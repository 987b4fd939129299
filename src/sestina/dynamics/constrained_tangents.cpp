#include "sestina/dynamics/constrained_tangents.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

#include "sestina/numerics/least_norm_solver.h"

namespace sestina {
namespace {

// A pivot below this fraction of the largest counts as zero: of the mass matrix, then of G.
constexpr double kSingularMass = 1e-13;
constexpr double kImplied = 1e-11;

Eigen::Index place(std::size_t i) { return static_cast<Eigen::Index>(i); }

void set_three(const Vec3<double>& x, Eigen::Index row, Eigen::Index column, Eigen::MatrixXd& to) {
  to(row, column) = x.x, to(row + 1, column) = x.y, to(row + 2, column) = x.z;
}
void set_three(const Vec3<double>& x, Eigen::Index row, Eigen::Index column, ColumnBlock& to) {
  for (int i = 0; i < 3; ++i) to.row(static_cast<int>(row) + i)[column] = x[i];
}
template <class Numbers>
void add_three(const Vec3<double>& x, Eigen::Index row, Numbers&& to) {
  to[row] += x.x, to[row + 1] += x.y, to[row + 2] += x.z;
}
Vec3<double> change_of(const Vec3<Dual>& x) { return {x.x.d, x.y.d, x.z.d}; }

template <class RowMatrix>
MatrixBlock block_of(const RowMatrix& matrix) {
  return {matrix.data(), matrix.outerStride()};
}

std::vector<double> no_numbers(int count) { return std::vector<double>(static_cast<std::size_t>(count)); }

}  // namespace

ConstrainedTangents::ConstrainedTangents(const Model& model, const Properties<double>& properties,
                                         std::span<const int> parameters)
    : model_(model),
      parameters_(parameters.begin(), parameters.end()),
      seeds_(model, properties, parameters),
      tree_(model, properties, Conditions::kAsForces),
      by_parameters_(model, properties),
      inputs_(model, properties, parameters),
      place_of_body_(model.bodies().size(), -1),
      subtree_end_(find_subtree_ends(model)),
      A_(model.bodies().size()),
      s_q_(model.nu(), 0),
      s_u_(model.nu(), 0),
      minus_dr_(model.nu(), 0),
      da_(model.constraint_rows(), 0),
      mass_(model.nu(), model.nu()),
      Y_(model.nu(), model.constraint_rows()),
      properties_(properties),
      kinematics_(model),
      no_forces_(model),
      rows_(model),
      sums_(model, properties, Conditions::kAsForces),
      displaced_(model, properties),
      mass_matrix_(model),
      no_udot_(no_numbers(model.nu())) {
  for (const ConditionSeeds::Source& source : seeds_.sources()) {
    if (source.kind != ConditionSeeds::Kind::kBody) continue;
    place_of_body_[source.index] = static_cast<int>(bodies_.size());
    bodies_.push_back(source.index), first_.push_back(source.first);
  }
  for (std::size_t r = 0; r < rows_.rows.size(); ++r) is_inertia_.push_back(seeds_.is_inertia(r) ? 1 : 0);
  const Eigen::Index n = model.nu(), m = model.constraint_rows(), directions = place(seeds_.directions()),
                     of_bodies = 6 * place(bodies_.size()), count = place(parameters_.size());
  const auto block = [](Eigen::Index rows, Eigen::Index columns) {
    return ColumnBlock(static_cast<int>(rows), static_cast<int>(columns));
  };
  R_q_ = R_u_ = block(directions, n);
  A_q_ = A_u_ = block(of_bodies, n);
  r_q_ = r_u_ = block(n, n);
  a_q_ = a_u_ = v_q_ = block(m, n);
  J_.setZero(of_bodies, n);
  D_.setZero(m, directions), F_.setZero(n, directions), W_.setZero(m, of_bodies);
  C_.setZero(m, n);
  C_g_.setZero(m, n);
  for (Matrix* matrix : {&a_p_, &g_p_, &v_p_}) matrix->setZero(m, count);
  r_p_.setZero(n, count);
  force_changes_.setZero(of_bodies, directions);
  rho_.setZero(directions), alpha_.setZero(of_bodies);
  for (const ConditionSeeds::Source& source : seeds_.sources()) {
    if (source.kind == ConditionSeeds::Kind::kBody) continue;
    ColumnBlock& R = source.kind == ConditionSeeds::Kind::kCoordinate ? R_q_ : R_u_;
    R.row(static_cast<int>(source.first))[source.index] = 1.0;
  }
}

// The rates of a body outboard of the joint whose frame is displaced: (2) and (3) of motion_gradient.h.
ConstrainedTangents::BodyRates ConstrainedTangents::calc_rates(std::size_t body, const Displacement& d,
                                                               const Kinematics<double>& kinematics,
                                                               const SubtreeSums& sums) const {
  const BodyMotion<double>&base = kinematics.motion[d.body], &at = kinematics.motion[body];
  const Vec3<double> p = at.X_WB.p - base.X_WB.p, v = at.V_WB.v - base.V_WB.v;
  const SpatialMotion<double>& A = sums.acceleration(body);
  return {d.theta,
          d.eta + cross(d.theta, p),
          cross(d.theta, at.V_WB.w) + d.psi,
          d.dv + cross(d.theta, v) + cross(d.psi, p),
          cross(d.theta, A.w) + d.beta + cross(d.psi, at.V_WB.w),
          cross(d.theta, A.v) + d.gamma + cross(d.beta, p) + 2.0 * cross(d.psi, v)};
}

// R_q, R_u, J, A_q and A_u: a displacement by q_k, then the motion by u_k, of each joint inboard of a body.
void ConstrainedTangents::set_rates_of_bodies(const Kinematics<double>& kinematics, const SubtreeSums& sums) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Eigen::Index row = place(first_[i]), at = 6 * place(i);
    for (int body = static_cast<int>(bodies_[i]); body > 0;) {
      const auto j = static_cast<std::size_t>(body);
      const BodyLink& link = kinematics.tree.links[j];
      for (Eigen::Index k = link.u_start; k < link.u_start + link.nu; ++k) {
        const SubtreeSums::Column& column = sums.column(static_cast<std::size_t>(k));
        const Vec3<double> theta = to_vec3(column.theta), eta = to_vec3(column.eta);
        const BodyRates q = calc_rates(bodies_[i],
                                       {j, theta, eta, to_vec3(column.psi), to_vec3(column.dv),
                                        to_vec3(column.beta_q), to_vec3(column.gamma_q)},
                                       kinematics, sums);
        const Vec3<double>* const parts[] = {&q.theta, &q.p, &q.w, &q.v};
        for (int part = 0; part < 4; ++part) set_three(*parts[part], row + 3 * part, k, R_q_);
        set_three(q.alpha, at, k, A_q_), set_three(q.a, at + 3, k, A_q_);
        // By u_k nothing turns, and psi = theta.
        const BodyMotion<double>&own = kinematics.motion[bodies_[i]], &base = kinematics.motion[j];
        const Vec3<double> beta = to_vec3(column.beta_u);
        set_three(q.theta, row + 6, k, R_u_), set_three(q.p, row + 9, k, R_u_);
        set_three(q.theta, at, k, J_), set_three(q.p, at + 3, k, J_);
        set_three(beta + cross(theta, own.V_WB.w), at, k, A_u_);
        set_three(to_vec3(column.gamma_u) + cross(beta, own.X_WB.p - base.X_WB.p) +
                      2.0 * cross(theta, own.V_WB.v - base.V_WB.v),
                  at + 3, k, A_u_);
      }
      body = link.parent;
    }
  }
}

// W and C.
void ConstrainedTangents::set_rows(const ConstraintRows<double>& rows) {
  W_.setZero();
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const auto add = [&](FrameIndex frame, const SpatialForce<double>& force) {
      const int i = place_of_body_[static_cast<std::size_t>(frame.value())];
      if (i < 0) return;
      add_three(force.torque, 6 * i, W_.row(place(r)));
      add_three(force.force, 6 * i + 3, W_.row(place(r)));
    };
    for_each_pair(rows, rows.rows[r], [&](const FramePair<double>& pair) {
      add(pair.b, shift_back(pair.force, pair.arm_b));
      add(pair.a, -1.0 * shift_back(pair.force, pair.arm_a));
    });
  }
  C_.noalias() = W_ * J_;
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const ConstraintRow<double>& row = rows.rows[r];
    for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
      const SpeedTerm<double>& term = rows.terms[static_cast<std::size_t>(i)];
      C_(place(r), term.speed) += term.coefficient;
    }
  }
}

// The change of the forces that lambda of one row exerts on bodies and along speeds.
void ConstrainedTangents::add_force_changes(const ConstraintRows<Dual>& rows, std::size_t r, double lambda,
                                            Eigen::Ref<Eigen::VectorXd> of_bodies,
                                            Eigen::Ref<Eigen::VectorXd> of_speeds) const {
  const ConstraintRow<Dual>& row = rows.rows[r];
  const auto add = [&](FrameIndex frame, const Vec3<Dual>& arm, const SpatialForce<Dual>& force,
                       double sign) {
    const int i = place_of_body_[static_cast<std::size_t>(frame.value())];
    if (i < 0) return;
    const SpatialForce<Dual> at = shift_back(force, arm);
    add_three(sign * lambda * change_of(at.torque), 6 * i, of_bodies);
    add_three(sign * lambda * change_of(at.force), 6 * i + 3, of_bodies);
  };
  for_each_pair(rows, row, [&](const FramePair<Dual>& pair) {
    add(pair.b, pair.arm_b, pair.force, 1.0), add(pair.a, pair.arm_a, pair.force, -1.0);
  });
  for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
    const SpeedTerm<Dual>& term = rows.terms[static_cast<std::size_t>(i)];
    of_speeds[term.speed] -= lambda * term.coefficient.d;
  }
}

// D and F.
void ConstrainedTangents::set_directions(const ConstraintRows<double>& rows, std::span<const double> lambda,
                                         std::span<const double> udot) {
  D_.setZero(), F_.setZero(), force_changes_.setZero();
  seeds_.visit(false, [&](const ConstraintRows<Dual>& moved, std::size_t r, std::size_t direction) {
    const Eigen::Index d = place(direction);
    D_(place(r), d) = moved.rows[r].bias.d + calc_rate_change(moved, moved.rows[r], A_, udot);
    add_force_changes(moved, r, lambda[r], force_changes_.col(d), F_.col(d));
  });
  const Eigen::VectorXd forces =
      W_.transpose() * Eigen::Map<const Eigen::VectorXd>(lambda.data(), place(rows.rows.size()));
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Eigen::Index at = 6 * place(i), first = place(first_[i]);
    const Vec3<double> torque{forces[at], forces[at + 1], forces[at + 2]},
        force{forces[at + 3], forces[at + 4], forces[at + 5]};
    for (int x = 0; x < 3; ++x) {
      Vec3<double> theta;
      theta[x] = -1.0;
      add_three(cross(theta, torque), at, force_changes_.col(first + x));
      add_three(cross(theta, force), at + 3, force_changes_.col(first + x));
    }
  }
  F_.noalias() -= J_.transpose() * force_changes_;
}

// (1) and (2)
void ConstrainedTangents::set_matrices() {
  F_rows_ = F_;
  for (int i = 0; i < r_q_.rows(); ++i) {
    std::copy_n(tree_.by_q().row(i), r_q_.count(), r_q_.row(i));
    std::copy_n(tree_.by_u().row(i), r_u_.count(), r_u_.row(i));
  }
  r_q_.add_product(1.0, block_of(F_rows_), R_q_), r_u_.add_product(1.0, block_of(F_rows_), R_u_);
  a_q_.set_zero(), a_u_.set_zero();
  a_q_.add_product(1.0, block_of(D_), R_q_), a_u_.add_product(1.0, block_of(D_), R_u_);
  a_q_.add_product(1.0, block_of(W_), A_q_), a_u_.add_product(1.0, block_of(W_), A_u_);
}

void ConstrainedTangents::update(const State<double>& state, const ForwardDynamics& dynamics,
                                 std::span<const double> udot) {
  const Kinematics<double>& kinematics = dynamics.kinematics();
  const ConstrainedDynamics& constrained = *dynamics.constrained();
  tree_.update(state, kinematics, dynamics.forces(), udot);
  for (std::size_t b = 1; b < A_.size(); ++b) {
    A_[b] = tree_.sums().acceleration(b);
    A_[b].v += properties_.gravity;
  }
  set_rates_of_bodies(kinematics, tree_.sums());
  set_rows(constrained.rows());
  seeds_.set_state(state, kinematics);
  set_directions(constrained.rows(), constrained.lambda(), udot);
  set_matrices();
  by_parameters_.start(state, kinematics, udot, tree_.sums());
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    if (by_parameters_.changes_joint(parameters_[k])) {
      const InputTangent& input = inputs_.calc(k, state, udot, constrained.lambda());
      r_p_.col(place(k)) = input.r_p, a_p_.col(place(k)) = input.a_p;
      continue;
    }
    by_parameters_.calc(parameters_[k], {r_p_.col(place(k)).data(), udot.size()});
    const bool is_moved = move_by(k, by_parameters_, kinematics, tree_.sums());
    set_input(k, is_moved, udot, constrained.lambda());
  }
  const auto n = static_cast<int>(C_.cols());
  M_.resize(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) M_(i, j) = tree_.mass_matrix()(i, j);
  }
  factor(state.t);
}

// rho and alpha: how a parameter moves the bodies on which conditions act.
bool ConstrainedTangents::move_by(std::size_t k, InverseDynamicsByParameters& by_parameters,
                                  const Kinematics<double>& kinematics, const SubtreeSums& sums) {
  rho_.setZero(), alpha_.setZero();
  bool is_moved = false;
  by_parameters.for_each_displacement(parameters_[k], [&](const Displacement& d) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i] < d.body || bodies_[i] >= subtree_end_[d.body]) continue;
      is_moved = true;
      const BodyRates rates = calc_rates(bodies_[i], d, kinematics, sums);
      const Vec3<double>* const parts[] = {&rates.theta, &rates.p, &rates.w, &rates.v};
      for (int part = 0; part < 4; ++part) add_three(*parts[part], place(first_[i]) + 3 * part, rho_);
      add_three(rates.alpha, 6 * place(i), alpha_), add_three(rates.a, 6 * place(i) + 3, alpha_);
    }
  });
  return is_moved;
}

// a_p, and the part of r_p due to the forces of conditions.
void ConstrainedTangents::set_input(std::size_t k, bool is_moved, std::span<const double> udot,
                                    std::span<const double> lambda) {
  auto r_p = r_p_.col(place(k));
  auto a_p = a_p_.col(place(k));
  a_p.setZero();
  if (is_moved) {
    r_p.noalias() += F_ * rho_;
    a_p.noalias() += D_ * rho_;
    a_p.noalias() += W_ * alpha_;
  }
  const ConstraintRows<Dual>* rows = seeds_.update_by_parameter(k);
  if (rows == nullptr) return;
  Eigen::VectorXd of_bodies = Eigen::VectorXd::Zero(J_.rows());
  for (std::size_t r = 0; r < rows->rows.size(); ++r) {
    a_p[place(r)] += rows->rows[r].bias.d + calc_rate_change(*rows, rows->rows[r], A_, udot);
    add_force_changes(*rows, r, lambda[r], of_bodies, r_p);
  }
  r_p.noalias() -= J_.transpose() * of_bodies;
}

// Factors M, and computes P of (4).
void ConstrainedTangents::factor(double t) {
  const Eigen::Index n = C_.cols(), m = C_.rows();
  conditions_ = C_;
  for (Eigen::Index r = 0; r < m; ++r) {
    if (is_inertia_[static_cast<std::size_t>(r)] == 0) continue;
    M_.noalias() += C_.row(r).transpose() * C_.row(r);
    conditions_.row(r).setZero();
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) mass_.row(static_cast<int>(i))[j] = M_(i, j);
  }
  mass_.factor();
  dense_.reset();
  double smallest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < n; ++k) smallest = std::min(smallest, mass_.row(k)[k]);
  if (!(smallest > kSingularMass * M_.diagonal().maxCoeff())) {
    dense_.emplace(M_, conditions_, t);
    return;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index r = 0; r < m; ++r) Y_.row(static_cast<int>(i))[r] = conditions_(r, i);
  }
  Y_.solve_inward(mass_);
  Matrix G = Matrix::Zero(m, m);
  for (int k = 0; k < n; ++k) {
    const Eigen::Map<const Eigen::VectorXd> y(Y_.row(k), m);
    G.noalias() += y * (y.transpose() / mass_.row(k)[k]);
  }
  for (Eigen::Index r = 0; r < m; ++r) {
    if (is_inertia_[static_cast<std::size_t>(r)] != 0) G(r, r) = 1.0;  // Y is zero there
  }
  Y_.solve_outward(mass_);
  const Eigen::Map<const RowMatrix, 0, Eigen::OuterStride<>> Y(Y_.row(0), n, m,
                                                               Eigen::OuterStride<>(Y_.as_matrix().stride));
  if (m == 0) return;
  const Eigen::LLT<Matrix> independent(G);
  if (independent.info() == Eigen::Success &&
      independent.matrixLLT().diagonal().cwiseAbs2().minCoeff() > kImplied * G.diagonal().maxCoeff()) {
    P_ = independent.solve(Y.transpose()).transpose();
  } else {
    P_ = Y * LeastNormSolver(kImplied).compute(G).pseudo_inverse();
  }
}

void ConstrainedTangents::start_changes(const GivenChanges& s_q, const GivenChanges& s_u) {
  const auto count = static_cast<int>(s_q.cols());
  for (ColumnBlock* block : {&s_q_, &s_u_, &minus_dr_, &da_}) {
    if (block->count() != count) *block = ColumnBlock(block->rows(), count);
  }
  s_q_.load(s_q.data(), s_q.outerStride());
  s_u_.load(s_u.data(), s_u.outerStride());
}

// Overwrites the block by what the causes change.
void ConstrainedTangents::set_causes(ColumnBlock& block, double sign, std::span<const Cause> causes,
                                     const Matrix& by_parameter) const {
  for (std::size_t k = 0; k < causes.size(); ++k) {
    const auto [parameter, scale] = causes[k];
    for (int i = 0; i < block.rows(); ++i) {
      block.row(i)[k] = parameter < 0 ? 0.0 : sign * scale * by_parameter(i, parameter);
    }
  }
}

// (4)
void ConstrainedTangents::solve() {
  for (Eigen::Index r = 0; r < C_.rows(); ++r) {
    if (is_inertia_[static_cast<std::size_t>(r)] == 0) continue;
    for (int i = 0; i < minus_dr_.rows(); ++i) {
      for (int k = 0; k < da_.count(); ++k) minus_dr_.row(i)[k] -= C_(r, i) * da_.row(static_cast<int>(r))[k];
    }
  }
  if (dense_) {
    Matrix dr(minus_dr_.rows(), minus_dr_.count()), da(da_.rows(), da_.count());
    minus_dr_.store(dr.data(), dr.outerStride());
    da_.store(da.data(), da.outerStride());
    const Matrix udot = dense_->solve(-dr, da);
    minus_dr_.load(udot.data(), udot.outerStride());
    return;
  }
  minus_dr_.solve(mass_);
  da_.add_product(1.0, block_of(conditions_), minus_dr_);
  minus_dr_.add_product(-1.0, block_of(P_), da_);
}

void ConstrainedTangents::calc_udot_changes(const GivenChanges& s_q, const GivenChanges& s_u,
                                            std::span<const Cause> causes, Changes changes) {
  start_changes(s_q, s_u);
  set_causes(minus_dr_, -1.0, causes, r_p_);
  set_causes(da_, 1.0, causes, a_p_);
  minus_dr_.add_product(-1.0, r_q_.as_matrix(), s_q_);
  minus_dr_.add_product(-1.0, r_u_.as_matrix(), s_u_);
  da_.add_product(1.0, a_q_.as_matrix(), s_q_);
  da_.add_product(1.0, a_u_.as_matrix(), s_u_);
  solve();
  minus_dr_.store(changes.data(), changes.outerStride());
}

void ConstrainedTangents::update_projection(const State<double>& state) {
  const auto n = static_cast<int>(C_.cols());
  update_kinematics(model_, properties_, state, kinematics_);
  update_constraint_rows(model_, properties_, state, kinematics_, rows_);
  sums_.update(state, kinematics_, no_forces_, no_udot_);
  set_rates_of_bodies(kinematics_, sums_);
  set_rows(rows_);
  seeds_.set_state(state, kinematics_);
  D_.setZero();
  seeds_.visit(true, [&](const ConstraintRows<Dual>& moved, std::size_t r, std::size_t direction) {
    D_(place(r), place(direction)) = moved.rows[r].velocity.d;
  });
  // The rates of conditions change with velocities of bodies as W tells.
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    D_.middleCols(place(first_[i]) + 6, 6) = W_.middleCols(6 * place(i), 6);
  }
  v_q_.set_zero();
  v_q_.add_product(1.0, block_of(D_), R_q_);
  C_g_ = C_;
  for (std::size_t r = 0; r < is_inertia_.size(); ++r) {
    if (!rows_.rows[r].is_on_position || is_inertia_[r] != 0) C_g_.row(place(r)).setZero();
    if (is_inertia_[r] != 0) std::fill_n(v_q_.row(static_cast<int>(r)), v_q_.count(), 0.0);
  }
  set_projected_parameters(state);
  mass_matrix_.update(properties_, kinematics_);
  M_.resize(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) M_(i, j) = M_(j, i) = mass_matrix_.matrix()(i, j);
  }
  factor(state.t);
}

// g_p and v_p.
void ConstrainedTangents::set_projected_parameters(const State<double>& state) {
  displaced_.start(state, kinematics_, no_udot_, sums_);
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    auto g_p = g_p_.col(place(k)), v_p = v_p_.col(place(k));
    if (displaced_.changes_joint(parameters_[k])) {
      const InputTangent& input = inputs_.calc_conditions(k, state);
      g_p = input.g_p, v_p = input.v_p;
      continue;
    }
    g_p.setZero(), v_p.setZero();
    if (move_by(k, displaced_, kinematics_, sums_)) {
      for (std::size_t i = 0; i < bodies_.size(); ++i) {
        g_p.noalias() += W_.middleCols(6 * place(i), 6) * rho_.segment(place(first_[i]), 6);
      }
      v_p.noalias() += D_ * rho_;
    }
    const ConstraintRows<Dual>* moved = seeds_.update_by_parameter(k);
    for (std::size_t r = 0; r < is_inertia_.size(); ++r) {
      if (moved != nullptr)
        g_p[place(r)] += moved->rows[r].error.d, v_p[place(r)] += moved->rows[r].velocity.d;
      if (!rows_.rows[r].is_on_position || is_inertia_[r] != 0) g_p[place(r)] = 0.0;
      if (is_inertia_[r] != 0) v_p[place(r)] = 0.0;
    }
  }
}

// Adds -P da.
void ConstrainedTangents::add_projected(ColumnBlock& s) {
  if (dense_) {
    minus_dr_.set_zero();
    solve();
    for (int i = 0; i < s.rows(); ++i) {
      for (int k = 0; k < s.count(); ++k) s.row(i)[k] += minus_dr_.row(i)[k];
    }
    return;
  }
  s.add_product(-1.0, block_of(P_), da_);
}

void ConstrainedTangents::project(Changes s_q, Changes s_u, std::span<const Cause> causes) {
  start_changes(s_q, s_u);
  set_causes(da_, 1.0, causes, g_p_);
  da_.add_product(1.0, block_of(C_g_), s_q_);
  add_projected(s_q_);
  set_causes(da_, 1.0, causes, v_p_);
  da_.add_product(1.0, v_q_.as_matrix(), s_q_);
  da_.add_product(1.0, block_of(conditions_), s_u_);
  add_projected(s_u_);
  s_q_.store(s_q.data(), s_q.outerStride());
  s_u_.store(s_u.data(), s_u.outerStride());
}

}  // namespace sestina
