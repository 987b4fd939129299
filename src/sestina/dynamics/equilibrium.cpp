#include "sestina/dynamics/equilibrium.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "sestina/dynamics/linearized_motion.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRedundant = 1e-10;            // relative to the largest singular value of C
constexpr double kBalanced = 1e-9;              // relative to the terms of r, or to the mechanism's size
constexpr double kRoundOffOfBalance = 1e-15;    // the same; the error cannot be reduced further
constexpr double kRoundOffOfStiffness = 1e-14;  // of forces and stiffnesses, relative to stiffness times size
constexpr double kLongestStep = 0.5;            // rad, or of the mechanism's size
constexpr double kGrowing = 1e-10;              // relative to the largest eigenvalue
constexpr int kMostIterations = 200;
// Balanced forces leave soft directions undetermined if others are stiff: steps must be short in addition,
// but only for some iterations, since a direction may have no stiffness at all.
constexpr double kShortStep = 1e-8;  // rad, or of the mechanism's size
constexpr int kMostLongSteps = 20;
constexpr double kSmallestLoadStep = 1e-6;                        // part of the load between two equilibria
constexpr double kFirstClosing = 0.125, kSmallestClosing = 1e-3;  // parts of the gaps at the start
constexpr int kMostBendings = 40;
constexpr double kNoMotion = 1e-9;       // part of a motion that is none along a direction
constexpr double kLongestBending = 1e3;  // rad, or of the mechanism's size
constexpr int kMostCorrections = 15;     // for one point of the path

// Decomposes the symmetric part of a stiffness.
Eigen::SelfAdjointEigenSolver<MatrixXd> symmetric_eigen(const MatrixXd& stiffness) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (stiffness + stiffness.transpose()));
}

double largest(const VectorXd& x) { return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff(); }

}  // namespace

Equilibrium::Equilibrium(const Model& model, const Properties<double>& properties)
    : model_(model),
      tangents_(model, properties),
      rest_(static_cast<std::size_t>(model.nu())),
      weight_(model.nu()),
      lambda_(VectorXd::Zero(model.constraint_rows())),
      open_(VectorXd::Zero(model.constraint_rows())),
      x_size_(VectorXd::Zero(model.nx())),
      length_(properties.constraints.length) {
  model.refuse_contacts("statics");
  for (Eigen::Index i = 0; i < weight_.size(); ++i) {
    weight_[i] = model.u_units()[static_cast<std::size_t>(i)] == "rad/s" ? 1.0 : 1.0 / length_;
  }
}

void Equilibrium::decompose() {
  C_ = tangents_.C * weight_.cwiseInverse().asDiagonal();
  const Eigen::Index n = C_.cols(), m = C_.rows();
  if (m == 0 || n == 0) {
    Z_ = MatrixXd::Identity(n, n);
    pinv_ = MatrixXd::Zero(n, m);
    return;
  }
  Z_ = calc_null_space(C_, kRedundant);  // the displacements that the conditions allow
  pinv_ = LeastNormSolver(kRedundant).compute(C_).pseudo_inverse();
}

void Equilibrium::balance(const State<double>& state) {
  if (watch_) watch_();
  lambda_.setZero();
  tangents_.update(state, rest_, lambda_);
  decompose();
  const auto inverse = weight_.cwiseInverse();
  if (lambda_.size() > 0) lambda_ = pinv_.transpose() * VectorXd(inverse.cwiseProduct(tangents_.r));
  tangents_.update_tangents(state, rest_, lambda_, tangents_.nx() > 0);
  r_ = inverse.cwiseProduct(tangents_.r);
  K_ = inverse.asDiagonal() * tangents_.r_q * inverse.asDiagonal();
}

double Equilibrium::imbalance() const {
  const double left = largest(Z_.transpose() * r_);
  if (left == 0.0) return 0.0;
  // Spring forces are differences of lengths, so that their round-off scales with stiffness times length.
  return left / std::max(largest(tangents_.scale.cwiseQuotient(weight_)), K_.cwiseAbs().maxCoeff());
}

bool Equilibrium::is_at_rest() const {
  if (!(calc_error() <= kBalanced)) return false;
  const MatrixXd stiffness = Z_.transpose() * K_ * Z_;
  if (stiffness.size() == 0) return true;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen = symmetric_eigen(stiffness);
  const MatrixXd directions = Z_ * eigen.eigenvectors();
  const VectorXd left = (directions.transpose() * r_).cwiseAbs();
  const VectorXd forces = directions.cwiseAbs().transpose() * tangents_.scale.cwiseQuotient(weight_);
  const VectorXd size = forces.cwiseMax(eigen.eigenvalues().cwiseAbs());
  return ((kBalanced * size + round_off_along(directions) - left).array() >= 0.0).all();
}

VectorXd Equilibrium::round_off_along(const MatrixXd& directions) const {
  return kRoundOffOfStiffness * (directions.cwiseAbs().transpose() * K_.cwiseAbs().rowwise().maxCoeff());
}

VectorXd Equilibrium::gap() const { return tangents_.g - open_; }

double Equilibrium::closure_error() const { return largest(gap()); }

double Equilibrium::calc_error() const {
  if (!r_.allFinite() || !tangents_.g.allFinite() || !tangents_.rate.allFinite()) return NAN;
  return std::max({imbalance(), closure_error() / length_, largest_rate().rate});
}

Equilibrium::LargestRate Equilibrium::largest_rate() const {
  LargestRate worst;
  for (Eigen::Index i = 0; i < tangents_.nx(); ++i) {
    const double rate = std::abs(tangents_.rate[i]);
    if (rate == 0.0) continue;
    const double terms = tangents_.rate_x.row(i).cwiseAbs().dot(x_size_) +
                         tangents_.rate_q.row(i).cwiseAbs().dot(weight_.cwiseInverse());
    if (rate / terms > worst.rate) worst = {rate / terms, i};  // infinite if nothing changes the rate
  }
  return worst;
}

void Equilibrium::set_sizes(const State<double>& state, const VectorXd& dx) {
  for (Eigen::Index i = 0; i < x_size_.size(); ++i) {
    x_size_[i] = std::max({x_size_[i], std::abs(state.x[static_cast<std::size_t>(i)]), std::abs(dx[i])});
  }
}

VectorXd Equilibrium::step() const {
  VectorXd closing = -(pinv_ * gap());
  const VectorXd rhs = -(Z_.transpose() * (r_ + K_ * closing));
  if (rhs.size() == 0) return closing;
  const MatrixXd stiffness = Z_.transpose() * K_ * Z_;
  if (const double mu = shift(stiffness, rhs); mu > 0.0) {
    const MatrixXd shifted = stiffness + mu * MatrixXd::Identity(rhs.size(), rhs.size());
    return closing + Z_ * shifted.partialPivLu().solve(rhs);
  }
  return closing + Z_ * LeastNormSolver().compute(stiffness).solve(rhs);
}

double Equilibrium::shift(const MatrixXd& stiffness, const VectorXd& rhs) const {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen = symmetric_eigen(stiffness);
  const VectorXd& values = eigen.eigenvalues();
  const VectorXd neutral = round_off_along(Z_ * eigen.eigenvectors());  // no stiffness can be told from it
  // Some directions have no stiffness although a force acts along them: mu limits the step there.
  const VectorXd parts = eigen.eigenvectors().transpose() * rhs;
  double push = 0.0;
  for (Eigen::Index i = 0; i < parts.size(); ++i) {
    if (values[i] <= neutral[i]) push = std::hypot(push, parts[i]);
  }
  if (values[0] < -neutral[0]) return std::max(-2.0 * values[0], push / kLongestStep - values[0]);
  const bool is_pushed =
      push > 1e-6 * rhs.norm() && push > kBalanced * largest(tangents_.scale.cwiseQuotient(weight_));
  return is_pushed ? rhs.norm() / kLongestStep : 0.0;
}

VectorXd Equilibrium::limited(VectorXd d) const {
  const double size = largest(d);
  if (size > kLongestStep) d *= kLongestStep / size;
  return d;
}

void Equilibrium::move(const VectorXd& d, State<double>& state) const {
  const VectorXd displacement = d.cwiseQuotient(weight_);
  plus_q<double>(model_, state.q, std::span(displacement.data(), rest_.size()), state.q);
  normalize_q<double>(model_, state.q);
}

VectorXd Equilibrium::plain_step() const {
  VectorXd closing = -(pinv_ * gap());
  const VectorXd rhs = -(Z_.transpose() * (r_ + K_ * closing));
  if (rhs.size() == 0) return closing;
  const MatrixXd stiffness = Z_.transpose() * K_ * Z_;
  return closing + Z_ * stiffness.partialPivLu().solve(rhs);
}

// Rows and columns of (3) are scaled to size one: forces, rates and states have units of their own.
VectorXd Equilibrium::step_with_states() const {
  const Eigen::Index free = Z_.cols(), n = Z_.rows(), states = tangents_.nx();
  const VectorXd closing = -(pinv_ * gap());
  const MatrixXd rate_q = tangents_.rate_q * weight_.cwiseInverse().asDiagonal();
  MatrixXd matrix(free + states, free + states);
  matrix << Z_.transpose() * K_ * Z_, Z_.transpose() * weight_.cwiseInverse().asDiagonal() * tangents_.r_x,
      rate_q * Z_, tangents_.rate_x;
  VectorXd rhs(free + states);
  rhs << -(Z_.transpose() * (r_ + K_ * closing)), -(tangents_.rate + rate_q * closing);
  for (Eigen::Index i = 0; i < states; ++i) {
    if (matrix.row(free + i).isZero(0.0)) matrix(free + i, free + i) = 1.0;  // its rate gives no equation
  }
  matrix.topLeftCorner(free, free).diagonal().array() += shift_with_states(matrix, rhs);
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const double size = matrix.row(i).cwiseAbs().maxCoeff();
    if (size > 0.0) matrix.row(i) /= size, rhs[i] /= size;
  }
  VectorXd columns = matrix.cwiseAbs().colwise().maxCoeff();
  for (double& size : columns) size = size > 0.0 ? 1.0 / size : 1.0;
  const VectorXd solution =
      columns.cwiseProduct(LeastNormSolver().compute(matrix * columns.asDiagonal()).solve(rhs));
  VectorXd step(n + states);
  step << closing + Z_ * solution.head(free), solution.tail(states);
  return step;
}

// The shift of the stiffness that is left where the states follow the displacements; none where they do not
// settle, as those of integrators.
double Equilibrium::shift_with_states(const MatrixXd& matrix, const VectorXd& rhs) const {
  const Eigen::Index free = Z_.cols(), states = tangents_.nx();
  if (free == 0 || !goes_downhill_) return 0.0;
  MatrixXd rates = matrix.bottomRows(states);
  VectorXd left = rhs.tail(states);
  for (Eigen::Index i = 0; i < states; ++i) {
    const double size = rates.row(i).cwiseAbs().maxCoeff();
    rates.row(i) /= size, left[i] /= size;
  }
  const Eigen::FullPivLU<MatrixXd> by_states(rates.rightCols(states));
  if (!by_states.isInvertible()) return 0.0;
  const MatrixXd by_x = matrix.topRightCorner(free, states);
  return shift(matrix.topLeftCorner(free, free) - by_x * by_states.solve(rates.leftCols(free)),
               rhs.head(free) - by_x * by_states.solve(left));
}

bool Equilibrium::find_with_states(State<double>& state) {
  const Eigen::Index n = weight_.size();
  set_sizes(state, VectorXd::Zero(tangents_.nx()));
  double best = INFINITY, last_step = INFINITY;
  int long_steps = 0;
  State<double> best_state = state;
  for (iterations_ = 0; iterations_ < kMostIterations; ++iterations_) {
    balance(state);
    const double error = calc_error();
    if (std::isnan(error)) {
      not_finite_ = tangents_.explain_non_finite(state);
      return false;
    }
    last_ = state;
    if (error <= kRoundOffOfBalance && is_at_rest()) return true;
    const bool is_better = error < 0.5 * best;
    if (error < best || error <= kBalanced) best = std::min(best, error), best_state = state;
    if (best <= kBalanced && !is_better && (last_step <= kShortStep || ++long_steps > kMostLongSteps)) break;
    VectorXd step = step_with_states();
    const double size = last_step = largest(step.head(n));
    if (size > kLongestStep) step *= kLongestStep / size;
    set_sizes(state, step.tail(tangents_.nx()));
    move(step.head(n), state);
    for (std::size_t i = 0; i < state.x.size(); ++i) state.x[i] += step[n + static_cast<Eigen::Index>(i)];
  }
  state = last_ = best_state;
  balance(state);
  return is_at_rest();
}

bool Equilibrium::find(double load, State<double>& state) {
  tangents_.set_load(load);
  std::fill(state.u.begin(), state.u.end(), 0.0);
  not_finite_.clear();
  if (tangents_.nx() > 0) {
    State<double> lower = state;
    goes_downhill_ = true;
    if (find_with_states(lower)) {
      state = lower;
      return true;
    }
    goes_downhill_ = false;  // there may be no other rest than one that is not stable
    not_finite_.clear();
    return find_with_states(state);
  }
  if (tangents_.has_wrenches()) {
    State<double> bent = state;
    const bool is_found = find_with_wrenches(bent);
    if (is_found && (iterations_ == 0 || is_stable())) {
      state = bent;
      return true;
    }
    not_finite_.clear();
    if (is_found) {
      leave_unstable(state, bent);
      state = bent;
      return true;
    }
  }
  return find_downhill(state);
}

// Newton's method in bending may end at a rest that is not stable: past a bifurcation, at that where the
// mechanism has gone against the load that disturbs it. It lies beyond the start as seen from the stable one.
void Equilibrium::leave_unstable(const State<double>& start, State<double>& state) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen = symmetric_eigen(Z_.transpose() * K_ * Z_);
  VectorXd falling = Z_ * eigen.eigenvectors().col(0);
  VectorXd moved(weight_.size());
  minus_q<double>(model_, state.q, start.q, std::span(moved.data(), rest_.size()));
  const double along = falling.dot(weight_.cwiseProduct(moved));
  if (std::abs(along) <= kNoMotion * moved.norm()) return;
  falling *= (along > 0.0 ? -1.0 : 1.0) / largest(falling);
  for (double size = 0.01; size < 2.0; size *= 1.5) {
    State<double> other = state;
    move(size * falling, other);
    const bool is_last = size * 1.5 >= 2.0;
    if ((is_last ? find_downhill(other) : find_with_wrenches(other)) && is_stable()) {
      state = other;
      return;
    }
    not_finite_.clear();
  }
  balance(state);
}

Equilibrium::Search Equilibrium::find_in_parts(double from, double load, State<double>& state) {
  Search search;
  search.reached = from;
  double step = load - from;
  do {
    const double next = step >= load - search.reached ? load : search.reached + step;
    State<double> found = state;
    search.is_found = find(next, found);
    if (search.is_found) {
      state = found;
      search.reached = next;
      step *= 2.0;
      search.failure.clear();
      continue;
    }
    if (search.failure.empty()) search.failure = describe_rest(), search.tried = next;
    step *= 0.5;
    if (step < kSmallestLoadStep) return search;
  } while (search.reached < load);
  return search;
}

bool Equilibrium::close_in_parts(double load, State<double>& state) {
  tangents_.set_load(load);
  balance(state);
  const VectorXd gaps = tangents_.g;
  State<double> reached = state;
  double part = 0.0, step = kFirstClosing;
  while (part < 1.0 && step >= kSmallestClosing) {
    const double next = std::min(1.0, part + step);
    open_ = (1.0 - next) * gaps;
    State<double> found = reached;
    if (find(load, found)) {
      reached = found, part = next, step *= 2.0;
    } else {
      step *= 0.5;
    }
  }
  open_.setZero();
  if (part < 1.0) return false;
  state = reached;
  return true;
}

std::string Equilibrium::Search::describe() const {
  return fmt::format("no state of rest was found beyond {:.6g} of the load: under {:.6g} of it {}", reached,
                     tried, failure);
}

bool Equilibrium::find_with_wrenches(State<double>& state) {
  balance(state);
  tangents_.set_wrenches(MotionTangents::Wrenches::kKept);
  double before = INFINITY, last_step = INFINITY;
  int long_steps = 0;
  for (iterations_ = 0; iterations_ < kMostBendings; ++iterations_) {
    balance(state);
    const double error = calc_error();
    if (!std::isfinite(error)) break;
    const bool cannot_improve = error <= kRoundOffOfBalance || (error <= kBalanced && error >= 0.5 * before);
    if (cannot_improve && (last_step <= kShortStep || ++long_steps > kMostLongSteps)) break;
    before = error;
    const VectorXd d = plain_step();
    last_step = largest(d);
    if (!(last_step < kLongestBending)) break;
    tangents_.take(d.cwiseQuotient(weight_));
    move(d, state);
  }
  tangents_.set_wrenches(MotionTangents::Wrenches::kOfState);
  balance(state);
  return is_at_rest();
}

bool Equilibrium::find_downhill(State<double>& state) {
  double best = INFINITY, last_step = INFINITY;
  int long_steps = 0;
  State<double> best_state = state;
  for (iterations_ = 0; iterations_ < kMostIterations; ++iterations_) {
    balance(state);
    const double error = calc_error();
    if (!std::isfinite(error)) {
      not_finite_ = tangents_.explain_non_finite(state);
      return false;
    }
    if (error <= kRoundOffOfBalance && is_at_rest()) return true;
    const bool is_better = error < 0.5 * best;
    if (error < best || error <= kBalanced) best = std::min(best, error), best_state = state;
    if (best <= kBalanced && !is_better && (last_step <= kShortStep || ++long_steps > kMostLongSteps)) break;
    const VectorXd d = limited(step());
    last_step = largest(d);
    move(d, state);
  }
  state = best_state;
  balance(state);
  return is_at_rest();
}

bool Equilibrium::is_steady() const {
  const std::vector<VibrationMode> modes = calc_modes(model_, tangents_, last_);
  const double fastest = modes.empty() ? 0.0 : std::abs(modes.back().eigenvalue);
  return std::ranges::all_of(
      modes, [&](const VibrationMode& mode) { return mode.eigenvalue.real() <= kGrowing * fastest; });
}

bool Equilibrium::is_stable() const {
  if (tangents_.nx() > 0) return is_steady();
  const MatrixXd stiffness = Z_.transpose() * K_ * Z_;
  if (stiffness.size() == 0) return true;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen = symmetric_eigen(stiffness);
  const VectorXd neutral = round_off_along(Z_ * eigen.eigenvectors());
  return ((eigen.eigenvalues() + neutral).array() >= 0.0).all();
}

std::string Equilibrium::describe_rest() const {
  Eigen::Index worst = 0;
  if (!not_finite_.empty()) return not_finite_;
  if (closure_error() > kBalanced * length_) {
    const double open = gap().cwiseAbs().maxCoeff(&worst);
    return fmt::format("{} is left open by {:.3g} m", model_.name_of_row(static_cast<int>(worst)), open);
  }
  if (const LargestRate left = largest_rate(); left.rate > kBalanced && left.rate >= imbalance()) {
    return fmt::format("the state {} is left with a rate of {:.3g}",
                       model_.states()[static_cast<std::size_t>(left.state)].name,
                       tangents_.rate[left.state]);
  }
  if (r_.size() == 0) return "nothing is left";
  const VectorXd left = Z_ * (Z_.transpose() * r_);
  left.cwiseAbs().maxCoeff(&worst);
  const auto i = static_cast<std::size_t>(worst);
  const BodyInfo& body = model_.bodies()[model_.body_of_speed(static_cast<int>(worst))];
  return fmt::format("{} is left with {:.3g} {}", body.joint_name, std::abs(left[worst]) * weight_[worst],
                     model_.u_units()[i] == "rad/s" ? "N m" : "N");
}

VectorXd Equilibrium::load_derivative(const State<double>& state) {
  const double load = tangents_.load();
  const VectorXd at_load = tangents_.r;
  tangents_.set_load(load + 1.0);  // r is linear in the load factor.
  tangents_.update(state, rest_, lambda_);
  const VectorXd change = tangents_.r - at_load;
  tangents_.set_load(load);
  tangents_.update(state, rest_, lambda_);
  return change.cwiseQuotient(weight_);
}

// Returns the tangent of the path: the null vector of Z^T [K, dr/dload] [Z z; load'].
VectorXd Equilibrium::find_direction(const VectorXd& by_load, const VectorXd& before) const {
  const Eigen::Index free = Z_.cols();
  MatrixXd path(free, free + 1);
  path << Z_.transpose() * K_ * Z_, Z_.transpose() * by_load;
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(path.transpose());
  const MatrixXd Q = qr.householderQ() * MatrixXd::Identity(free + 1, free + 1);
  VectorXd direction(Z_.rows() + 1);
  direction << Z_ * Q.col(free).head(free), Q(free, free);
  const double along = before.size() > 0 ? direction.dot(before) : direction[Z_.rows()];
  return along < 0.0 ? VectorXd(-direction) : direction;
}

bool Equilibrium::follow(double arc, PathPoint& point, State<double>& state) {
  model_.refuse_states("a path of equilibria (arc_length)");
  not_finite_.clear();
  tangents_.set_load(point.load);
  balance(state);
  if (tangents_.has_beams()) tangents_.set_wrenches(MotionTangents::Wrenches::kKept);
  const bool is_found = follow_from_balance(arc, point, state);
  tangents_.set_wrenches(MotionTangents::Wrenches::kOfState);
  if (is_found && tangents_.has_beams()) balance(state);
  return is_found;
}

bool Equilibrium::follow_from_balance(double arc, PathPoint& point, State<double>& state) {
  const Eigen::Index n = Z_.rows();
  if (Z_.cols() == 0) {  // nothing can move
    point.load += arc;
    tangents_.set_load(point.load);
    balance(state);
    return true;
  }
  const VectorXd direction = find_direction(load_derivative(state), point.direction);
  State<double> next = state;
  double load = point.load + arc * direction[n];
  move(arc * direction.head(n), next);
  tangents_.take((arc * direction.head(n)).cwiseQuotient(weight_));
  double best = INFINITY, off_plane = 0.0;
  for (iterations_ = 0; iterations_ < kMostCorrections; ++iterations_) {
    tangents_.set_load(load);
    balance(next);
    const double error = calc_error();
    const bool is_better = error < 0.5 * best;
    best = std::min(best, error);
    if (error <= kRoundOffOfBalance || (error <= kBalanced && !is_better)) {
      state = next;
      point = {load, direction};
      return true;
    }
    if (!std::isfinite(error)) {
      not_finite_ = tangents_.explain_non_finite(next);
      return false;
    }
    if (iterations_ > 3 && error > kBalanced && !is_better) return false;
    const Eigen::Index free = Z_.cols();
    const VectorXd closing = -(pinv_ * gap());
    const VectorXd by_load = load_derivative(next);
    MatrixXd matrix(free + 1, free + 1);
    matrix << Z_.transpose() * K_ * Z_, Z_.transpose() * by_load, direction.head(n).transpose() * Z_,
        direction[n];
    VectorXd rhs(free + 1);
    rhs << -(Z_.transpose() * (r_ + K_ * closing)), -off_plane - direction.head(n).dot(closing);
    const VectorXd solution = LeastNormSolver().compute(matrix).solve(rhs);
    const VectorXd d = closing + Z_ * solution.head(free);
    if (largest(d) > kLongestStep) return false;
    move(d, next);
    tangents_.take(d.cwiseQuotient(weight_));
    load += solution[free];
    off_plane += direction.head(n).dot(d) + direction[n] * solution[free];
  }
  return false;
}

}  // namespace sestina
