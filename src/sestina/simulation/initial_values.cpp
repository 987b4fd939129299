#include "sestina/simulation/initial_values.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina::symbolic {
namespace {

constexpr int kMostSteps = 100;
constexpr double kRankThreshold = 1e-10;  // relative to a constraint's row in all coordinates or speeds
constexpr double kRowOfRoundOff = 1e-13;  // relative to the largest row
constexpr double kUndetermined = 1e-8;    // part of an unknown in the undetermined directions

std::vector<std::size_t> places(const std::vector<bool>& is_free) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < is_free.size(); ++i) {
    if (is_free[i]) free.push_back(i);
  }
  return free;
}

std::string names(const std::vector<Expression>& of, const std::vector<std::size_t>& which) {
  std::vector<std::string> words;
  for (const std::size_t i : which) words.push_back(to_text(of[i]));
  return words.empty() ? "none" : join_words(words);
}

// Linear equations of constraints for the change of the free unknowns, each divided by the norm of its row in
// all coordinates or speeds: a coefficient that is round-off relative to the others counts as zero.
class FreeEquations {
 public:
  // rows (m x n) by rows
  FreeEquations(std::span<const double> rows, std::size_t m, std::size_t n,
                const std::vector<std::size_t>& free)
      : weights_(m, 1.0), matrix_(m, free.size()) {
    const Eigen::Map<const Eigen::MatrixXd> transposed(rows.data(), static_cast<Eigen::Index>(n),
                                                       static_cast<Eigen::Index>(m));
    const double largest = transposed.colwise().norm().maxCoeff();
    for (std::size_t k = 0; k < m; ++k) {
      const double norm = transposed.col(static_cast<Eigen::Index>(k)).norm();
      if (largest > 0.0) weights_[k] = 1.0 / (norm > kRowOfRoundOff * largest ? norm : largest);
      for (std::size_t j = 0; j < free.size(); ++j) {
        matrix_(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) =
            rows[k * n + free[j]] * weights_[k];
      }
    }
  }

  bool is_finite() const { return matrix_.allFinite(); }
  const std::vector<double>& weights() const { return weights_; }

  // Returns the shortest change that satisfies the constraints as well as possible.
  Eigen::VectorXd solve(std::span<const double> constraints) {
    Eigen::VectorXd right(matrix_.rows());
    for (std::size_t k = 0; k < constraints.size(); ++k) {
      right[static_cast<Eigen::Index>(k)] = -constraints[k] * weights_[k];
    }
    if (matrix_.cols() == 0) return Eigen::VectorXd();
    const double largest = matrix_.colwise().norm().maxCoeff();
    LeastNormSolver decomposition(largest > kRankThreshold ? kRankThreshold / largest : 1.0);
    decomposition.compute(matrix_);
    if (largest <= kRankThreshold) {
      rank_ = 0;
      determined_ = Eigen::VectorXd::Zero(matrix_.cols());
      return Eigen::VectorXd::Zero(matrix_.cols());
    }
    rank_ = decomposition.rank();
    determined_ = (decomposition.pseudo_inverse() * matrix_).diagonal();
    return decomposition.solve(right);
  }

  // These are valid after `solve`.
  std::size_t rank() const { return static_cast<std::size_t>(rank_); }
  bool is_determined(std::size_t j) const {
    return determined_[static_cast<Eigen::Index>(j)] > 1.0 - kUndetermined;
  }

 private:
  std::vector<double> weights_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd determined_;
  Eigen::Index rank_ = 0;
};

class ConstraintSolver {
 public:
  ConstraintSolver(const MotionEquations& motion, const ParameterValues& parameters, double t)
      : motion_(motion), t_(t) {
    Mechanics& mechanics = *motion.mechanics;
    std::vector<Expression> variables = {mechanics.time()};
    variables.insert(variables.end(), motion.q.begin(), motion.q.end());
    std::vector<Expression> position = motion.c.elements(), velocity = motion.a.elements();
    if (!position.empty()) {
      const Matrix J = jacobian(mechanics, motion.c, motion.q);
      position.insert(position.end(), J.elements().begin(), J.elements().end());
    }
    velocity.insert(velocity.end(), motion.b.elements().begin(), motion.b.elements().end());
    configuration_ =
        CompiledExpressions(mechanics, position, variables, parameters, "the configuration constraints");
    velocity_ = CompiledExpressions(mechanics, velocity, variables, parameters, "the velocity constraints");
  }

  void solve_coordinates(InitialValues& values) {
    const std::size_t m = motion_.c.elements().size(), n = motion_.q.size();
    const std::vector<std::size_t> free = places(values.q_is_free);
    if (m == 0) return check_all_found(motion_.q, free, values.q_is_given, nullptr, "configuration");
    for (int step = 0; step <= kMostSteps; ++step) {
      const std::span<const double> all = at(configuration_, values.q);
      FreeEquations equations(all.subspan(m), m, n, free);
      const std::vector<double> c(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m));
      if (!equations.is_finite()) fail_to_converge(values, m, free);
      const Eigen::VectorXd change = equations.solve(c);
      if (step < kMostSteps && !free.empty() && move_nearer(values, free, change, equations.weights()))
        continue;
      check_closed(values, m, free);
      return check_all_found(motion_.q, free, values.q_is_given, &equations, "configuration");
    }
  }

  void solve_speeds(InitialValues& values) {
    const std::size_t m = motion_.a.rows(), n = motion_.u.size();
    const std::vector<std::size_t> free = places(values.u_is_free);
    if (m == 0) return check_all_found(motion_.u, free, values.u_is_given, nullptr, "velocity");
    const std::span<const double> all = at(velocity_, values.q);
    const std::vector<double> given = values.u;
    FreeEquations equations(all.first(m * n), m, n, free);
    const Eigen::VectorXd change = equations.solve(calc_residuals(all, given));
    for (std::size_t j = 0; j < free.size(); ++j) {
      values.u[free[j]] += change[static_cast<Eigen::Index>(j)];
    }
    const std::vector<double> left = calc_residuals(all, values.u);
    for (std::size_t k = 0; k < m; ++k) {
      double terms = 1.0 / equations.weights()[k] + std::abs(all[m * n + k]);
      for (std::size_t j = 0; j < n; ++j) terms += std::abs(all[k * n + j] * values.u[j]);
      if (std::abs(left[k]) <= 1e-9 * terms) continue;
      throw InputError(
          fmt::format("the initial speeds contradict velocity constraint {}, which is {:.6g}: "
                      "free to follow are {}",
                      k + 1, left[k], names(motion_.u, free)));
    }
    const auto is_zero = [](double value) { return value == 0.0; };
    if (std::ranges::all_of(given, is_zero) && std::ranges::all_of(all.subspan(m * n), is_zero)) return;
    check_all_found(motion_.u, free, values.u_is_given, &equations, "velocity");
  }

 private:
  // Limit for a residual, relative to 1 plus its change for a change of 1 rad or m.
  static constexpr double kClosed = 1e-10;

  std::span<const double> at(CompiledExpressions& function, const std::vector<double>& q) {
    variables_.assign(1, t_);
    variables_.insert(variables_.end(), q.begin(), q.end());
    return function(variables_);
  }
  double norm_at(const std::vector<double>& q, const std::vector<double>& weights) {
    const std::span<const double> c = at(configuration_, q);
    double squares = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) squares += c[k] * weights[k] * c[k] * weights[k];
    return std::sqrt(squares);
  }

  // Halves the step until the residual decreases; at round-off no step does.
  bool move_nearer(InitialValues& values, const std::vector<std::size_t>& free, const Eigen::VectorXd& change,
                   const std::vector<double>& weights) {
    const double residual = norm_at(values.q, weights);
    double part = 1.0;
    for (int halving = 0; halving < 30; ++halving, part /= 2.0) {
      std::vector<double> trial = values.q;
      for (std::size_t j = 0; j < free.size(); ++j) {
        trial[free[j]] += part * change[static_cast<Eigen::Index>(j)];
      }
      if (norm_at(trial, weights) < residual) {
        values.q = trial;
        return true;
      }
    }
    return false;
  }

  // Computes a u + b from the values of a, then b.
  std::vector<double> calc_residuals(std::span<const double> all, const std::vector<double>& u) const {
    const std::size_t m = motion_.a.rows(), n = u.size();
    std::vector<double> residuals(m);
    for (std::size_t k = 0; k < m; ++k) {
      residuals[k] = all[m * n + k];
      for (std::size_t j = 0; j < n; ++j) residuals[k] += all[k * n + j] * u[j];
    }
    return residuals;
  }

  void check_closed(const InitialValues& values, std::size_t m, const std::vector<std::size_t>& free) {
    const std::size_t n = motion_.q.size();
    const std::span<const double> all = at(configuration_, values.q);
    for (std::size_t k = 0; k < m; ++k) {
      double largest = 0.0;
      for (const double e : all.subspan(m + k * n, n)) largest = std::max(largest, std::abs(e));
      if (!(std::abs(all[k]) <= kClosed * (1.0 + largest))) fail_to_converge(values, m, free);
    }
  }

  [[noreturn]] void fail_to_converge(const InitialValues& values, std::size_t m,
                                     const std::vector<std::size_t>& free) {
    const std::span<const double> c = at(configuration_, values.q).first(m);
    std::size_t worst = 0;
    for (std::size_t k = 0; k < m; ++k) {
      if (!(std::abs(c[k]) <= std::abs(c[worst]))) worst = k;
    }
    throw InputError(
        fmt::format("no initial configuration is found: configuration constraint {} stays at "
                    "{:.6g}; free to change are {}",
                    worst + 1, c[worst], names(motion_.q, free)));
  }

  // `equations` null: there are no equations.
  static void check_all_found(const std::vector<Expression>& of, const std::vector<std::size_t>& free,
                              const std::vector<bool>& is_given, const FreeEquations* equations,
                              const char* kind) {
    const std::size_t rank = equations != nullptr ? equations->rank() : 0;
    if (free.size() <= rank) return;
    std::size_t lacking = 0;
    for (std::size_t j = 0; j < free.size(); ++j) {
      const bool is_determined = equations != nullptr && equations->is_determined(j);
      if (!is_determined && !is_given[free[j]]) ++lacking;
    }
    if (lacking == 0) return;
    throw InputError(fmt::format("the {} constraints determine {} of {}: give initial values of {} more",
                                 kind, rank, names(of, free), free.size() - rank));
  }

  const MotionEquations& motion_;
  double t_;
  CompiledExpressions configuration_, velocity_;
  std::vector<double> variables_;
};

}  // namespace

void solve_initial_values(const MotionEquations& motion, const ParameterValues& parameters, double t,
                          InitialValues& values, const std::function<void(std::vector<double>& q)>& settle) {
  ConstraintSolver solver(motion, parameters, t);
  solver.solve_coordinates(values);
  settle(values.q);
  solver.solve_speeds(values);
}

}  // namespace sestina::symbolic
