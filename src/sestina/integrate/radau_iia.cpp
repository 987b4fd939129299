#include "sestina/integrate/radau_iia.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/integrate/displacement.h"
#include "sestina/integrate/newton_progress.h"

namespace sestina {
namespace {

constexpr double kSameStep = 1e-9;      // steps whose lengths differ by less share their factors
constexpr double kFarthestGuess = 5.0;  // largest ratio to the previous step for extrapolation
constexpr int kSweeps = 20;             // largest number of iterations of (1)

// Layout of the memory of the rule.
constexpr std::size_t kHasSteps = 0, kH = 1, kHasTangents = 2, kFactorsH = 3, kMustRenew = 4, kRate = 5,
                      kLeastIterations = 6, kExtraIterations = 7, kHead = 8;

// The Lagrange weights at theta for the nodes 0 (if `has_zero`) and c_1 ... c_s.
std::array<double, 4> lagrange(const RadauTableau& tableau, double theta, bool has_zero) {
  std::array<double, 4> nodes = {0.0}, weights = {};
  const std::size_t first = has_zero ? 0 : 1, end = static_cast<std::size_t>(tableau.stages) + 1;
  for (std::size_t i = 1; i < end; ++i) nodes[i] = tableau.c[i - 1];
  for (std::size_t i = first; i < end; ++i) {
    weights[i] = 1.0;
    for (std::size_t j = first; j < end; ++j) {
      if (j != i) weights[i] *= (theta - nodes[j]) / (nodes[i] - nodes[j]);
    }
  }
  return weights;
}

void set_inverse(RadauTableau& tableau) {
  const int s = tableau.stages;
  Eigen::MatrixXd a(s, s);
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) a(i, j) = tableau.a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  const Eigen::MatrixXd inverse = a.inverse();
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) {
      tableau.a_inverse[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = inverse(i, j);
    }
  }
}

// The estimate of order 2 has the weights b^_0 = gamma at the beginning and b^_1, b^_2 at the stages with
//   b^_0 + b^_1 + b^_2 = 1,   b^_1/3 + b^_2 = 1/2,
// so that b^ - b = gamma (1, -3/2, 1/2); with h w' = A^-1 z this is gamma h (w'_n + (-9/2 z_1 + 1/2 z_2)/h).
RadauTableau make_two_stages() {
  RadauTableau tableau = {.stages = 2,
                          .c = {1.0 / 3, 1.0},
                          .a = {{{5.0 / 12, -1.0 / 12, 0.0}, {3.0 / 4, 1.0 / 4, 0.0}, {}}},
                          .gamma = 1.0 / std::sqrt(6.0),
                          .d = {-9.0 / 2, 1.0 / 2}};
  set_inverse(tableau);
  return tableau;
}

RadauTableau make_three_stages() {
  const double r = std::sqrt(6.0);
  RadauTableau tableau = {.stages = 3,
                          .c = {(4 - r) / 10, (4 + r) / 10, 1.0},
                          .a = {{{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
                                 {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
                                 {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}}},
                          .d = {-(13 + 7 * r) / 3, (-13 + 7 * r) / 3, -1.0 / 3}};
  set_inverse(tableau);
  return tableau;
}

}  // namespace

const RadauTableau& radau_tableau(int stages) {
  static const RadauTableau two = make_two_stages(), three = make_three_stages();
  assert(stages == 2 || stages == 3);
  return stages == 2 ? two : three;
}

RadauIIA::RadauIIA(int stages) : tableau_(radau_tableau(stages)) { find_eigenvalues(); }

const std::string& RadauIIA::name() const {
  static const std::string kName = "radau_iia";
  return kName;
}

void RadauIIA::find_eigenvalues() {
  const auto s = static_cast<Eigen::Index>(stages());
  Eigen::MatrixXd matrix(s, s);
  for (Eigen::Index i = 0; i < s; ++i) {
    for (Eigen::Index j = 0; j < s; ++j) {
      matrix(i, j) = tableau_.a_inverse[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix);
  const Eigen::MatrixXcd V = solver.eigenvectors(), V_inverse = V.inverse();
  for (Eigen::Index k = 0; k < s; ++k) {
    const std::complex<double> mu = solver.eigenvalues()[k];
    const bool is_real = std::abs(mu.imag()) < 1e-9;
    if (is_real) {
      has_real_stages_ = true;
      real_.mu = mu.real();
    } else if (mu.imag() > 0.0) {
      complex_.mu = mu;
    }
    for (Eigen::Index i = 0; i < s; ++i) {
      const auto to = static_cast<std::size_t>(i);
      if (is_real) {
        real_.from_stages[to] = V_inverse(k, i).real(), real_.to_stages[to] = V(i, k).real();
      } else if (mu.imag() > 0.0) {
        complex_.from_stages[to] = V_inverse(k, i), complex_.to_stages[to] = 2.0 * V(i, k);
      }
    }
  }
  if (has_real_stages_) tableau_.gamma = 1.0 / real_.mu;
}

// ---- memory -----------------------------------------------------------------------------------------------

void RadauIIA::do_start(std::span<const double> memory) {
  equations_.start(equations());
  const std::size_t s = stages(), nw = equations_.nw(), rows = equations_.rows(), nu = state().u.size();
  states_.assign(s, state());
  moved_state_ = state();
  for (auto* v : {&z_, &w_dot_, &r_}) v->assign(s * nw, 0.0);
  for (auto* v : {&lambda_, &v_}) v->assign(s * rows, 0.0);
  for (auto* v : {&X_, &X_dot_}) v->assign(s * nu, 0.0);
  zdot_.assign(s * state().z.size(), 0.0);
  for (auto* v : {&start_, &e_w_, &b_w_}) v->assign(nw, 0.0);
  for (auto* v : {&start_lambda_, &mu_}) v->assign(rows, 0.0);
  for (auto* v : {&e_x_, &b_x_, &moved_}) v->assign(nu, 0.0);
  equations_.resize(real_.matrix), equations_.resize(complex_.matrix);
  real_.f.assign(nw, 0.0), real_.d.assign(rows, 0.0);
  complex_.f.assign(nw, 0.0), complex_.d.assign(rows, 0.0);
  memory_.assign(kHead + z_.size() + lambda_.size() + equations_.memory_size(), 0.0);
  memory_[kRate] = 1.0;
  if (!memory.empty()) std::ranges::copy(memory, memory_.begin());
  previous_memory_ = memory_;
  take_memory();
  has_start_ = has_tangents_of_start_ = false;
  attempts_ = 0;
}

bool RadauIIA::do_can_remember(std::span<const double> memory) const {
  return is_count(memory[kHasSteps], 1) && is_count(memory[kHasTangents], 1) &&
         is_count(memory[kMustRenew], 1) && memory[kRate] >= 0.0 && memory[kLeastIterations] >= 0.0 &&
         memory[kExtraIterations] >= 0.0;
}

// Restores the tangents and factors.
void RadauIIA::take_memory() {
  rate_ = memory_[kRate];
  wear_ = TangentWear(memory_[kLeastIterations], memory_[kExtraIterations]);
  must_renew_ = memory_[kMustRenew] != 0.0;
  factors_h_ = 0.0;
  equations_.forget();
  if (memory_[kHasTangents] == 0.0) return;
  const std::span<const double> place = std::span<const double>(memory_).last(equations_.memory_size());
  if (equations_.restore(place, state()) && memory_[kFactorsH] != 0.0) factorize(memory_[kFactorsH]);
}

void RadauIIA::do_accept() {
  std::swap(previous_memory_, memory_);
  memory_[kHasSteps] = 1.0;
  memory_[kH] = state().t - previous().t;
  memory_[kHasTangents] = equations_.has_tangents() ? 1.0 : 0.0;
  memory_[kFactorsH] = factors_h_;
  memory_[kMustRenew] = must_renew_ ? 1.0 : 0.0;
  memory_[kRate] = rate_;
  memory_[kLeastIterations] = wear_.least();
  memory_[kExtraIterations] = wear_.extra();
  auto to = std::ranges::copy(z_, memory_.begin() + kHead).out;
  to = std::ranges::copy(lambda_, to).out;
  std::ranges::copy(equations_.memory(), to);
  has_start_ = has_tangents_of_start_ = false;
  attempts_ = 0;
}

// ---- one step ---------------------------------------------------------------------------------------------

StepReport RadauIIA::do_step(double t_end, State<double>& candidate) {
  const double h = t_end - state().t;
  ++attempts_;
  prepare_start();
  set_times(t_end);
  if (const StepReport report = solve_stages(h); !report.complete()) return report;
  return finish(h, candidate);
}

// Takes w' and lambda at the start from the last stage of the previous step, if there is one: smooth even for
// stiff forces.
void RadauIIA::prepare_start() {
  if (has_start_) return;
  has_start_ = true;
  if (memory_[kHasSteps] == 0.0) {
    equations_.face().calc_start(state(), start_, start_lambda_);
    return;
  }
  const std::size_t nw = equations_.nw(), rows = equations_.rows(), last = stages() - 1;
  const double* z = memory_.data() + kHead;
  const double* lambda = z + stages() * nw;
  std::ranges::fill(start_, 0.0);
  for (std::size_t j = 0; j <= last; ++j) {
    const double weight = tableau_.a_inverse[last][j] / memory_[kH];
    for (std::size_t i = 0; i < nw; ++i) start_[i] += weight * z[j * nw + i];
  }
  std::copy_n(lambda + last * rows, rows, start_lambda_.begin());
}

void RadauIIA::set_times(double t_end) {
  const double h = t_end - state().t;
  for (std::size_t i = 0; i < stages(); ++i) {
    State<double>& stage = states_[i];
    const double t = state().t + tableau_.c[i] * h;
    stage.t = i + 1 == stages() ? t_end : (h > 0.0 ? std::min(t, t_end) : std::max(t, t_end));
    stage.h = state().h;
    stage.d = state().d;
  }
}

// Extrapolates the polynomial of the previous step; multipliers that were left out are zero.
void RadauIIA::set_guess(double h) {
  const std::size_t nw = equations_.nw(), rows = equations_.rows(), s = stages();
  std::ranges::fill(z_, 0.0);
  std::ranges::fill(X_, 0.0);
  const double ratio = memory_[kHasSteps] == 0.0 ? INFINITY : h / memory_[kH];
  const bool is_near = ratio > 0.0 && ratio <= kFarthestGuess;
  const double* z = memory_.data() + kHead;
  const double* lambda = z + s * nw;
  for (std::size_t i = 0; i < s; ++i) {
    const std::span<double> of_z = part(z_, i), of_lambda = part(lambda_, i);
    if (is_near) {
      const auto weights = lagrange(tableau_, 1.0 + tableau_.c[i] * ratio, true);
      const auto for_lambda = lagrange(tableau_, 1.0 + tableau_.c[i] * ratio, false);
      std::ranges::fill(of_lambda, 0.0);
      for (std::size_t j = 0; j < s; ++j) {
        const double weight = weights[j + 1] - (j + 1 == s ? 1.0 : 0.0);
        for (std::size_t k = 0; k < nw; ++k) of_z[k] += weight * z[j * nw + k];
        for (std::size_t k = 0; k < rows; ++k) of_lambda[k] += for_lambda[j + 1] * lambda[j * rows + k];
      }
    } else {
      std::ranges::copy(start_lambda_, of_lambda.begin());
    }
    for (std::size_t k = 0; k < rows; ++k) {
      if (!equations_.is_active(k)) of_lambda[k] = 0.0;
    }
  }
}

bool RadauIIA::has_factors(double h) const {
  return factors_h_ != 0.0 && std::abs(h / factors_h_ - 1.0) <= kSameStep;
}

bool RadauIIA::factorize(double h) {
  factors_h_ = h;
  const double sigma = 1.0 / (tableau_.gamma * h);
  const std::complex<double> pair = complex_.mu / h;
  using Complex = std::complex<double>;
  const bool is_regular =
      equations_.factorize<double>(real_.matrix, sigma, 1.0, 1.0 / sigma, 1.0 / sigma) &&
      equations_.factorize<Complex>(complex_.matrix, pair, Complex(1.0), 1.0 / pair, 1.0 / pair);
  if (!is_regular) factors_h_ = 0.0;
  return is_regular;
}

// Renews the tangents at the beginning of the step.
bool RadauIIA::renew_tangents(double h) {
  must_renew_ = false;
  has_tangents_of_start_ = true;
  rate_ = 1.0;
  wear_ = {};
  factors_h_ = 0.0;
  return equations_.update(state(), start_, start_lambda_) && factorize(h);
}

// Renews the tangents within a step, at its last stage.
bool RadauIIA::renew_at_iterate(double h) {
  wear_ = {};
  update_stage_states(h);
  const std::size_t last = stages() - 1;
  return equations_.update(states_[last], part(w_dot_, last), part(lambda_, last)) && factorize(h);
}

StepReport RadauIIA::solve_stages(double h) {
  const int nq = static_cast<int>(state().q.size());
  // A rejected step may be due to an iteration with old tangents.
  bool are_new = !equations_.has_tangents() || must_renew_ || (attempts_ == 2 && !has_tangents_of_start_);
  bool is_regular = are_new ? renew_tangents(h) : has_factors(h) || factorize(h);
  for (;;) {
    StepReport report{StepStatus::kNotConverged, nq};
    bool has_converged = false;
    if (is_regular) {
      set_guess(h);
      try {
        report = iterate(h, has_converged);
      } catch (const ComputationError&) {
        if (are_new) throw;
      }
      if (has_converged) return {};
    }
    if (are_new) {
      must_renew_ = true;
      return report;
    }
    are_new = true;
    is_regular = renew_tangents(h);
  }
}

StepReport RadauIIA::iterate(double h, bool& has_converged) {
  const int nq = static_cast<int>(state().q.size());
  NewtonProgress progress(rate_, tolerances_,
                          equations_.face().tangent_cost() / static_cast<double>(stages()));
  for (;;) {
    if (const int bad = evaluate_stages(h); bad >= 0) return {StepStatus::kNotFinite, bad};
    solve_for_increments();
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] += r_[i];
    for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] += v_[i];
    double rounding = 0.0;
    const double norm = norm_of_increments(h, rounding);
    if (!std::isfinite(norm)) {
      const int bad = first_not_finite(z_);
      return {StepStatus::kNotFinite, nq + std::max(bad, 0) % static_cast<int>(equations_.nw())};
    }
    switch (progress.take(norm, rounding)) {
      case NewtonProgress::Outcome::kGoesOn:
        if (!progress.pays_to_renew()) break;
        if (!progress.renew() || !renew_at_iterate(h)) return {StepStatus::kNotConverged, nq};
        break;
      case NewtonProgress::Outcome::kDiverges:
        for (std::size_t i = 0; i < z_.size(); ++i) z_[i] -= r_[i];
        for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] -= v_[i];
        if (!progress.renew() || !renew_at_iterate(h)) return {StepStatus::kNotConverged, nq};
        break;
      case NewtonProgress::Outcome::kConverged:
        has_converged = true;
        rate_ = progress.rate();
        progress.add_to(wear_);
        must_renew_ = must_renew_ || progress.needs_new_tangents(wear_);
        return {};
    }
  }
}

void RadauIIA::update_stage_states(double h) {
  const std::size_t nw = equations_.nw(), nu = state().u.size();
  std::ranges::fill(w_dot_, 0.0);
  for (std::size_t i = 0; i < stages(); ++i) {
    State<double>& stage = states_[i];
    const double* z = z_.data() + i * nw;
    for (std::size_t k = 0; k < nu; ++k) stage.u[k] = state().u[k] + z[k];
    for (std::size_t k = nu; k < nw; ++k) stage.x[k - nu] = state().x[k - nu] + z[k];
    double* rate = w_dot_.data() + i * nw;
    for (std::size_t j = 0; j < stages(); ++j) {
      const double weight = tableau_.a_inverse[i][j] / h;
      const double* of_stage = z_.data() + j * nw;
      for (std::size_t k = 0; k < nw; ++k) rate[k] += weight * of_stage[k];
    }
  }
  update_displacements(h);
  for (std::size_t i = 0; i < stages(); ++i) equations().plus(state().q, part(X_, i), states_[i].q);
}

// (1)
void RadauIIA::update_displacements(double h) {
  const std::span<const int> rotations = equations().rotations();
  const std::size_t nu = state().u.size();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t i = 0; i < stages(); ++i) {
      calc_displacement_rate(rotations, part(X_, i), states_[i].u, part(X_dot_, i));
    }
    double change = 0.0, size = 0.0;
    for (std::size_t i = 0; i < stages(); ++i) {
      double* X = X_.data() + i * nu;
      for (std::size_t k = 0; k < nu; ++k) {
        double sum = 0.0;
        for (std::size_t j = 0; j < stages(); ++j) sum += tableau_.a[i][j] * X_dot_[j * nu + k];
        change = std::max(change, std::abs(h * sum - X[k]));
        size = std::max(size, std::abs(h * sum));
        X[k] = h * sum;
      }
    }
    if (rotations.empty() || !(change > 1e-15 * size)) return;
  }
}

int RadauIIA::evaluate_stages(double h) {
  update_stage_states(h);
  const int nq = static_cast<int>(state().q.size());
  for (std::size_t i = 0; i < stages(); ++i) {
    if (const int bad = first_not_finite(states_[i].q); bad >= 0) return bad;
    equations_.face().calc_residual(states_[i], part(w_dot_, i), part(lambda_, i),
                                    {part(r_, i), part(v_, i)});
    if (const int bad = first_not_finite(part(r_, i)); bad >= 0) return nq + bad;
    if (first_not_finite(part(v_, i)) >= 0) return nq;
  }
  return -1;
}

// r and v become increments of z and lambda.
void RadauIIA::solve_for_increments() {
  if (has_real_stages_) solve_block(real_);
  solve_block(complex_);
  std::ranges::fill(r_, 0.0);
  std::ranges::fill(v_, 0.0);
  const auto add = [&](const auto& block, const auto& values, std::vector<double>& to) {
    const std::size_t size = values.size();
    for (std::size_t i = 0; i < stages(); ++i) {
      for (std::size_t k = 0; k < size; ++k) to[i * size + k] += std::real(block.to_stages[i] * values[k]);
    }
  };
  if (has_real_stages_) add(real_, real_.f, r_), add(real_, real_.d, v_);
  add(complex_, complex_.f, r_), add(complex_, complex_.d, v_);
}

// (3)
template <class Number>
void RadauIIA::solve_block(Block<Number>& block) {
  const auto transform = [&](std::vector<double>& from, std::vector<Number>& to) {
    const std::size_t size = to.size();
    std::ranges::fill(to, Number(0));
    for (std::size_t i = 0; i < stages(); ++i) {
      for (std::size_t k = 0; k < size; ++k) to[k] -= block.from_stages[i] * from[i * size + k];
    }
  };
  transform(r_, block.f);
  transform(v_, block.d);
  for (std::size_t k = 0; k < block.d.size(); ++k) {
    if (!equations_.is_active(k)) block.d[k] = Number(0);
  }
  block.matrix.solve(block.f, block.d);
}

// Relative to the tolerances; displacements change by h times what speeds do.
double RadauIIA::norm_of_increments(double h, double& rounding) const {
  const std::size_t nw = equations_.nw(), nu = state().u.size();
  const State<double>& last = states_.back();
  const StepTolerances tolerances(tolerances_, h, last.u, last.x);
  const double of_displacements = std::abs(h) / tolerances.of_displacement();
  double norm = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < r_.size(); ++i) {
    const std::size_t k = i % nw;
    const double before = k < nu ? state().u[k] : state().x[k - nu];
    const double after = k < nu ? last.u[k] : last.x[k - nu];
    double scale = 1.0 / tolerances.of(before, after);
    if (k < nu) scale = std::max(scale, of_displacements);
    norm = std::max(norm, std::abs(r_[i]) * scale);
    sum += 0.0 * r_[i];
  }
  rounding = tolerances.rounding();
  return norm + sum;
}

StepReport RadauIIA::finish(double h, State<double>& candidate) {
  update_stage_states(h);
  const State<double>& last = states_.back();
  candidate.q = last.q, candidate.u = last.u, candidate.x = last.x;
  equations().project(candidate, Projection::smooth);
  candidate.z = state().z;
  for (std::size_t j = 0; j < stages() && !candidate.z.empty(); ++j) {
    const std::span<double> zdot = part(zdot_, j);
    equations_.face().calc_quadrature_rates(states_[j], part(lambda_, j), zdot);
    const double weight = h * tableau_.a[stages() - 1][j];
    for (std::size_t k = 0; k < zdot.size(); ++k) candidate.z[k] += weight * zdot[k];
  }
  update_error(h, candidate);
  return {};
}

// ---- the error --------------------------------------------------------------------------------------------

void RadauIIA::update_error(double h, State<double>& candidate) {
  const std::size_t nw = equations_.nw(), nu = state().u.size();
  std::ranges::copy(start_, b_w_.begin());
  std::copy_n(state().u.begin(), nu, b_x_.begin());
  for (std::size_t j = 0; j < stages(); ++j) {
    const double weight = tableau_.d[j] / h;
    for (std::size_t k = 0; k < nw; ++k) b_w_[k] += weight * z_[j * nw + k];
    for (std::size_t k = 0; k < nu; ++k) b_x_[k] += weight * X_[j * nu + k];
  }
  solve_error(h);
  if ((memory_[kHasSteps] == 0.0 || attempts_ > 1) && norm_of_error() > 1.0) filter_error(h, candidate);

  const std::span<double> error = mutable_error();
  const std::size_t nq = candidate.q.size();
  equations().calc_q_dot(candidate.q, e_x_, error.first(nq));
  std::ranges::copy(e_w_, error.subspan(nq).begin());
}

// (4)
void RadauIIA::solve_error(double h) {
  const double sigma = 1.0 / (tableau_.gamma * h);
  std::ranges::fill(real_.f, 0.0);
  std::ranges::fill(real_.d, 0.0);
  equations_.add_M_times(1.0, b_w_, real_.f);
  std::ranges::fill(e_w_, 0.0);
  std::ranges::copy(b_x_, e_w_.begin());  // without the rows of first-order states
  equations_.add_K_times(-1.0 / sigma, e_w_, real_.f);
  equations_.add_v_q_times(-1.0 / sigma, e_w_, real_.d);
  for (std::size_t k = 0; k < real_.d.size(); ++k) {
    if (!equations_.is_active(k)) real_.d[k] = 0.0;
  }
  real_.matrix.solve(real_.f, real_.d);
  std::ranges::copy(real_.f, e_w_.begin());
  for (std::size_t k = 0; k < e_x_.size(); ++k) e_x_[k] = (b_x_[k] + e_w_[k]) / sigma;
}

// Computes b with the rates at the state moved by the error instead of those at the beginning.
void RadauIIA::filter_error(double h, State<double>& candidate) {
  const std::size_t nu = state().u.size();
  moved_state_ = state();
  equations().plus(state().q, e_x_, moved_state_.q);
  for (std::size_t k = 0; k < nu; ++k) moved_state_.u[k] += e_w_[k];
  for (std::size_t k = nu; k < e_w_.size(); ++k) moved_state_.x[k - nu] += e_w_[k];
  equations().project(moved_state_, Projection::smooth);
  equations_.face().calc_start(moved_state_, e_w_, mu_);
  for (std::size_t k = 0; k < b_w_.size(); ++k) b_w_[k] += e_w_[k] - start_[k];
  for (std::size_t k = 0; k < nu; ++k) b_x_[k] += moved_state_.u[k] - state().u[k];
  solve_error(h);
  static_cast<void>(candidate);
}

double RadauIIA::norm_of_error() const {
  const std::size_t nu = state().u.size();
  double norm = 0.0;
  for (const double e : e_x_) norm = std::max(norm, std::abs(e) / (tolerances_.atol + tolerances_.rtol));
  for (std::size_t k = 0; k < e_w_.size(); ++k) {
    const double size = k < nu ? state().u[k] : state().x[k - nu];
    norm = std::max(norm, std::abs(e_w_[k]) / tolerances_.of(size));
  }
  return norm;
}

// ---- dense output -----------------------------------------------------------------------------------------

StepReport RadauIIA::do_interpolate(double t, State<double>& out) {
  const std::size_t nw = equations_.nw(), nu = previous().u.size(), nz = previous().z.size();
  const double h = state().t - previous().t, theta = (t - previous().t) / h;
  const auto weights = lagrange(tableau_, theta, true);
  std::ranges::fill(moved_, 0.0);
  out.u = previous().u, out.x = previous().x, out.z = previous().z, out.d = previous().d;
  for (std::size_t j = 0; j < stages(); ++j) {
    const double weight = weights[j + 1];
    const double* z = z_.data() + j * nw;
    for (std::size_t k = 0; k < nu; ++k) out.u[k] += weight * z[k], moved_[k] += weight * X_[j * nu + k];
    for (std::size_t k = nu; k < nw; ++k) out.x[k - nu] += weight * z[k];
  }
  // The polynomial of the quadratures has the rates of the stages: z = h A z' at the nodes.
  for (std::size_t i = 0; i < stages(); ++i) {
    for (std::size_t j = 0; j < stages(); ++j) {
      const double weight = weights[i + 1] * h * tableau_.a[i][j];
      for (std::size_t k = 0; k < nz; ++k) out.z[k] += weight * zdot_[j * nz + k];
    }
  }
  equations().plus(previous().q, moved_, out.q);
  equations().project(out, Projection::smooth);
  return {};
}

}  // namespace sestina
