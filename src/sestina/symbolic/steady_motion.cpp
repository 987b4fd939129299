#include "sestina/symbolic/steady_motion.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina::symbolic {
namespace {

using Numbers = std::vector<std::pair<Expression, double>>;

constexpr int kMostSteps = 200;
constexpr int kMostHalvings = 40;
constexpr double kSmallEnough = 1e-9;  // of a residual, relative to the largest derivative
constexpr double kRankThreshold = 1e-9;

bool is_in(const std::vector<Expression>& all, const Expression& e) {
  return std::find(all.begin(), all.end(), e) != all.end();
}

const double* find(const Numbers& numbers, const Expression& symbol) {
  const auto at =
      std::find_if(numbers.begin(), numbers.end(), [&](const auto& pair) { return pair.first == symbol; });
  return at == numbers.end() ? nullptr : &at->second;
}

class SteadySearch {
 public:
  SteadySearch(const MotionEquations& motion, const ParameterValues& parameters,
               const SteadyMotionOptions& options)
      : motion_(motion), options_(options) {
    check();
    collect(parameters);
    compile();
  }

  SteadyMotion search() {
    SteadyMotion result;
    double residual = norm_at(x_);
    Eigen::Index rank = 0;
    double largest_derivative = 0.0;
    for (result.steps = 0; result.steps < kMostSteps; ++result.steps) {
      const std::span<const double> values = at(x_);
      const Eigen::VectorXd right =
          -Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(equations_));
      const Eigen::MatrixXd J =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              values.data() + equations_, static_cast<Eigen::Index>(equations_),
              static_cast<Eigen::Index>(x_.size()));
      if (!right.allFinite() || !J.allFinite()) break;
      largest_derivative = J.cwiseAbs().maxCoeff();
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
      decomposition.setThreshold(kRankThreshold);
      decomposition.compute(J);
      rank = decomposition.rank();
      if (!move_nearer(decomposition.solve(right), residual)) break;
    }
    if (!(residual <= kSmallEnough * (1.0 + largest_derivative))) fail();
    fill(result);
    result.is_isolated = rank == static_cast<Eigen::Index>(x_.size());
    return result;
  }

 private:
  void check() const {
    for (const Expression& e : options_.unsteady) {
      if (!is_in(motion_.u, e)) throw InputError(fmt::format("{} is no speed", to_text(e)));
    }
    for (const auto& pair : options_.values) {
      if (!is_in(motion_.q, pair.first) && !is_in(motion_.u, pair.first) &&
          !is_in(options_.unknowns, pair.first)) {
        throw InputError(fmt::format("{} is no coordinate, speed or unknown", to_text(pair.first)));
      }
    }
    if (options_.unknowns.empty()) throw InputError("a steady motion is sought, but nothing is unknown");
  }

  // Symbols with fixed numbers, and the unknowns with those from which the search begins.
  void collect(const ParameterValues& parameters) {
    Mechanics& mechanics = *motion_.mechanics;
    for (const auto& pair : parameters) {
      if (!is_in(options_.unknowns, pair.first)) fixed_.push_back(pair);
    }
    for (const auto* symbols : {&motion_.q, &motion_.u}) {
      for (const Expression& e : *symbols) {
        const double* given = find(options_.values, e);
        if (!is_in(options_.unknowns, e)) fixed_.emplace_back(e, given ? *given : 0.0);
      }
    }
    for (const Expression& e : options_.unknowns) {
      const double* given = find(options_.values, e);
      const double* parameter = find(parameters, e);
      symbols_.push_back(e);
      x_.push_back(given ? *given : parameter ? *parameter : 0.0);
    }
    for (const Expression& e : motion_.multipliers) symbols_.push_back(e);
    for (const Expression& e : options_.unsteady) symbols_.push_back(mechanics.rate(e));
    x_.resize(symbols_.size(), 0.0);
  }

  // (1), and its derivatives by all unknowns.
  void compile() {
    Mechanics& mechanics = *motion_.mechanics;
    Matrix rates(motion_.u.size(), 1);
    for (std::size_t i = 0; i < motion_.u.size(); ++i) {
      if (is_in(options_.unsteady, motion_.u[i])) rates[i] = mechanics.rate(motion_.u[i]);
    }
    std::vector<Expression> vanishing;
    const auto add = [&](const Matrix& matrix) {
      vanishing.insert(vanishing.end(), matrix.elements().begin(), matrix.elements().end());
    };
    Matrix balance = motion_.f - motion_.M * rates;
    if (motion_.a.rows() > 0) {
      balance = balance + motion_.a.transpose() * Matrix(motion_.multipliers);
      add(balance);
      add(motion_.a * Matrix(motion_.u) + motion_.b);
      add(motion_.a * rates + motion_.d);
    } else {
      add(balance);
    }
    add(motion_.c);
    equations_ = vanishing.size();
    add(jacobian(mechanics, Matrix(vanishing), symbols_));
    ParameterValues numbers = fixed_;
    if (find(numbers, mechanics.time()) == nullptr) numbers.emplace_back(mechanics.time(), 0.0);
    function_ = CompiledExpressions(mechanics, vanishing, symbols_, numbers, "the steady motion");
  }

  std::span<const double> at(const std::vector<double>& x) { return function_(x); }
  double norm_at(const std::vector<double>& x) {
    double squares = 0.0;
    for (const double e : at(x).first(equations_)) squares += e * e;
    return std::sqrt(squares);
  }

  bool move_nearer(const Eigen::VectorXd& change, double& residual) {
    double part = 1.0;
    for (int halving = 0; halving < kMostHalvings; ++halving, part /= 2.0) {
      std::vector<double> trial = x_;
      for (std::size_t i = 0; i < x_.size(); ++i) trial[i] += part * change[static_cast<Eigen::Index>(i)];
      if (const double left = norm_at(trial); left < residual) {
        x_ = trial;
        residual = left;
        return true;
      }
    }
    return false;
  }

  // What equation k of (1) is about.
  std::string name_of(std::size_t k) const {
    const std::size_t n = motion_.u.size(), m = motion_.a.rows();
    if (k < n) return "the equation of motion of " + to_text(motion_.u[k]);
    k -= n;
    if (k < m) return fmt::format("velocity constraint {}", k + 1);
    if (k < 2 * m) return fmt::format("the rate of velocity constraint {}", k - m + 1);
    return fmt::format("configuration constraint {}", k - 2 * m + 1);
  }

  [[noreturn]] void fail() {
    const std::span<const double> values = at(x_).first(equations_);
    std::size_t worst = 0;
    for (std::size_t k = 0; k < equations_; ++k) {
      if (!(std::abs(values[k]) <= std::abs(values[worst]))) worst = k;
    }
    throw InputError(fmt::format("no steady motion is found from these values: {} stays at {:.6g}",
                                 name_of(worst), values[worst]));
  }

  void fill(SteadyMotion& result) {
    for (const double e : at(x_).first(equations_)) result.residual = std::max(result.residual, std::abs(e));
    Numbers numbers = fixed_;
    for (std::size_t i = 0; i < symbols_.size(); ++i) numbers.emplace_back(symbols_[i], x_[i]);
    std::vector<Expression> wanted = motion_.q;
    wanted.insert(wanted.end(), motion_.u.begin(), motion_.u.end());
    for (const Expression& e : options_.unknowns) {
      if (!is_in(wanted, e)) wanted.push_back(e);
    }
    for (const Expression& e : wanted) result.values.emplace_back(e, *find(numbers, e));
    for (const Expression& e : motion_.multipliers) result.multipliers.push_back(*find(numbers, e));
  }

  const MotionEquations& motion_;
  const SteadyMotionOptions& options_;
  Numbers fixed_;
  std::vector<Expression> symbols_;  // of x
  std::vector<double> x_;
  std::size_t equations_ = 0;
  CompiledExpressions function_;  // (1), then its derivatives
};

}  // namespace

SteadyMotion find_steady_motion(const MotionEquations& motion, const ParameterValues& parameters,
                                const SteadyMotionOptions& options) {
  return SteadySearch(motion, parameters, options).search();
}

SteadyMotion find_equilibrium(const MotionEquations& motion, const ParameterValues& parameters,
                              const std::vector<std::pair<Expression, double>>& guess) {
  return find_steady_motion(motion, parameters, {.values = guess, .unknowns = motion.q});
}

}  // namespace sestina::symbolic
