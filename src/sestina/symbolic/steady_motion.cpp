#include "sestina/symbolic/steady_motion.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/expression/rounding.h"
#include "sestina/numerics/least_norm_solver.h"
#include "sestina/symbolic/steadiness.h"

namespace sestina::symbolic {
namespace {

using Column = Eigen::VectorXd;
using Numbers = std::vector<std::pair<Expression, double>>;

constexpr int kMostSteps = 200;
constexpr int kMostHalvings = 40;
constexpr double kLongestStep = 0.3;
constexpr double kSmallEnough = 1e-9;  // of a residual, relative to its equation's terms
constexpr double kLeast = 1e-6;        // size that a zero unknown is given there
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
               const SteadyMotionOptions& options, bool is_rest)
      : motion_(motion), options_(options), is_rest_(is_rest) {
    check();
    collect(parameters);
    list_equations();
    check_time();
    compile();
  }

  // Searches with the equations as they are and full steps; if their units differ too much or the search
  // diverges, with equilibrated equations and steps of limited length.
  SteadyMotion search() {
    const std::vector<double> begin = x_;
    SteadyMotion result;
    iterate(result, false);
    measure(begin);
    if (find_imbalance()) {
      x_ = begin;
      iterate(result, true);
      measure(begin);
    }
    check_balance();
    if (!is_rest_) check_steadiness();
    fill(result);
    result.is_isolated =
        equilibrate(calc_derivatives()).decomposition.rank() == static_cast<Eigen::Index>(x_.size());
    return result;
  }

 private:
  void check() const {
    for (const Expression& e : options_.unsteady) {
      if (!is_in(motion_.u, e)) throw InputError(fmt::format("{} is not a speed", to_text(e)));
    }
    for (const auto& pair : options_.values) {
      if (!is_in(motion_.q, pair.first) && !is_in(motion_.u, pair.first) &&
          !is_in(options_.unknowns, pair.first)) {
        throw InputError(fmt::format("{} is not a coordinate, speed or unknown", to_text(pair.first)));
      }
    }
    if (options_.unknowns.empty()) throw InputError("a steady motion is sought, but nothing is unknown");
  }

  // Collects the symbols with fixed numbers, and the unknowns with the numbers at the start of the search.
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

  // Lists (1); at rest also the rates of the coordinates.
  void list_equations() {
    Mechanics& mechanics = *motion_.mechanics;
    Matrix rates(motion_.u.size(), 1);
    for (std::size_t i = 0; i < motion_.u.size(); ++i) {
      if (is_in(options_.unsteady, motion_.u[i])) rates[i] = mechanics.rate(motion_.u[i]);
    }
    const auto add = [&](const Matrix& matrix) {
      vanishing_.insert(vanishing_.end(), matrix.elements().begin(), matrix.elements().end());
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
    if (is_rest_) add(motion_.G);
    equations_ = vanishing_.size();
  }

  void check_time() const {
    Mechanics& mechanics = *motion_.mechanics;
    const Expression time = mechanics.time();
    if (find(fixed_, time) != nullptr) return;
    std::vector<Expr> exprs;
    for (const Expression& e : vanishing_) exprs.push_back(e.in(mechanics.graph()));
    for (const Expression& e : motion_.G.elements()) exprs.push_back(e.in(mechanics.graph()));
    const std::vector<Expr> symbols = mechanics.graph().free_symbols(exprs);
    if (std::find(symbols.begin(), symbols.end(), time.in(mechanics.graph())) == symbols.end()) return;
    throw InputError(
        "the equations of motion depend on the time t, so that nothing stays as it is; a number for t among "
        "the parameters selects that instant");
  }

  // Compiles the equations and their derivatives with respect to all unknowns.
  void compile() {
    Mechanics& mechanics = *motion_.mechanics;
    std::vector<Expression> outputs = vanishing_;
    const Matrix derivatives = jacobian(mechanics, Matrix(vanishing_), symbols_);
    outputs.insert(outputs.end(), derivatives.elements().begin(), derivatives.elements().end());
    function_ = CompiledExpressions(mechanics, outputs, symbols_, fixed_, "the steady motion");
  }

  // Measures the sizes of the equations' terms near the solution. An unknown that is zero up to rounding is
  // compared with the largest multiplier or rate if it is one, otherwise with its starting value.
  void measure(const std::vector<double>& begin) {
    Mechanics& mechanics = *motion_.mechanics;
    const std::size_t unknowns = options_.unknowns.size();
    const std::size_t rates = unknowns + motion_.multipliers.size();
    const auto largest_of = [&](std::size_t first, std::size_t last) {
      double largest = 0.0;
      for (std::size_t i = first; i < last; ++i) largest = std::max(largest, std::abs(x_[i]));
      return largest;
    };
    const double multiplier = largest_of(unknowns, rates), rate = largest_of(rates, x_.size());
    RoundingSize size(mechanics.graph());
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const double scale = i >= rates        ? rate
                           : i >= unknowns   ? multiplier
                           : begin[i] != 0.0 ? std::abs(begin[i])
                                             : 1.0;
      size.set_least(symbols_[i].in(mechanics.graph()), kLeast * scale);
    }
    std::vector<Expression> sizes;
    for (const Expression& e : vanishing_) sizes.push_back(mechanics.wrap(size(e.in(mechanics.graph()))));
    sizes_ = CompiledExpressions(mechanics, sizes, symbols_, fixed_, "the steady motion");
  }

  std::span<const double> at(const std::vector<double>& x) { return function_(x); }
  // Decomposition of W J S, with a weight W for each equation and units S of the unknowns.
  struct Scaled {
    Column weights, units;
    LeastNormSolver decomposition;

    Column solve(const Column& left) const {
      return units.cwiseProduct(decomposition.solve(weights.cwiseProduct(left)));
    }
  };

  Eigen::MatrixXd calc_derivatives() {
    const auto n = static_cast<Eigen::Index>(equations_);
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        at(x_).data() + equations_, n, static_cast<Eigen::Index>(x_.size()));
  }

  static Scaled as_it_is(const Eigen::MatrixXd& J) {
    Scaled scaled{Column::Ones(J.rows()), Column::Ones(J.cols()), LeastNormSolver(kRankThreshold)};
    scaled.decomposition.compute(J);
    return scaled;
  }

  // Weights all equations alike by their dependence on the unknowns, and scales multipliers and rates by
  // their effect; equations that contain only these come afterwards.
  Scaled equilibrate(const Eigen::MatrixXd& J) {
    const std::span<const double> sizes = sizes_(x_);
    const auto unknowns = static_cast<Eigen::Index>(options_.unknowns.size()),
               multipliers = static_cast<Eigen::Index>(motion_.multipliers.size());
    Scaled scaled{calc_weights(J.leftCols(unknowns), sizes), Column::Ones(J.cols()),
                  LeastNormSolver(kRankThreshold)};
    std::vector<Eigen::Index> others;
    for (Eigen::Index k = 0; k < J.rows(); ++k) {
      const double most = J.row(k).head(unknowns).cwiseAbs().maxCoeff();
      if (!(most > kLeast * sizes[static_cast<std::size_t>(k)])) others.push_back(k);
    }
    Column weights = scaled.weights;
    for (const Eigen::Index k : others) weights[k] = 0.0;
    const std::array<Eigen::Index, 3> ends = {unknowns, unknowns + multipliers, J.cols()};
    for (std::size_t k = 0; k < 2; ++k) {
      const Eigen::Index count = ends.at(k + 1) - ends.at(k);
      const Eigen::MatrixXd part = weights.asDiagonal() * J.middleCols(ends.at(k), count);
      const double largest = count > 0 ? part.cwiseAbs().maxCoeff() : 0.0;
      if (largest > 0.0) scaled.units.segment(ends.at(k), count).setConstant(1.0 / largest);
    }
    const Column all = calc_weights(J * scaled.units.asDiagonal(), sizes);
    for (const Eigen::Index k : others) scaled.weights[k] = all[k];
    scaled.decomposition.compute(scaled.weights.asDiagonal() * J * scaled.units.asDiagonal());
    return scaled;
  }

  void iterate(SteadyMotion& result, bool is_careful) {
    for (result.steps = 0; result.steps < kMostSteps; ++result.steps) {
      const std::span<const double> values = at(x_);
      if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) break;
      const Eigen::MatrixXd J = calc_derivatives();
      const Scaled scaled = is_careful ? equilibrate(J) : as_it_is(J);
      if (!move_nearer(scaled, is_careful)) break;
    }
  }

  // Fraction of a step in which no unknown moves by more than kLongestStep, absolute or relative.
  double limit(const Column& change) const {
    double part = 1.0;
    for (std::size_t i = 0; i < options_.unknowns.size(); ++i) {
      const double most = kLongestStep * (1.0 + std::abs(x_[i]));
      part = std::min(part, most / std::max(most, std::abs(change[static_cast<Eigen::Index>(i)])));
    }
    return part;
  }

  bool move_nearer(const Scaled& scaled, bool is_limited) {
    const auto left = [&](const std::vector<double>& x) -> Column {
      return Eigen::Map<const Column>(at(x).data(), scaled.weights.size());
    };
    const Column here = left(x_), change = scaled.solve(here);
    const double norm = scaled.weights.cwiseProduct(here).norm();
    double part = is_limited ? limit(change) : 1.0;
    for (int halving = 0; halving < kMostHalvings; ++halving, part /= 2.0) {
      std::vector<double> trial = x_;
      for (std::size_t i = 0; i < x_.size(); ++i) trial[i] -= part * change[static_cast<Eigen::Index>(i)];
      if (!(scaled.weights.cwiseProduct(left(trial)).norm() < norm)) continue;
      x_ = trial;
      return true;
    }
    return false;
  }

  // Describes equation k of (1).
  std::string name_of(std::size_t k) const {
    const std::size_t n = motion_.u.size(), m = motion_.a.rows();
    if (k < n) return "the equation of motion of " + to_text(motion_.u[k]);
    k -= n;
    if (k < m) return fmt::format("velocity constraint {}", k + 1);
    if (k < 2 * m) return fmt::format("the rate of velocity constraint {}", k - m + 1);
    k -= 2 * m;
    if (k < motion_.c.rows()) return fmt::format("configuration constraint {}", k + 1);
    return "the rate of " + to_text(motion_.q[k - motion_.c.rows()]);
  }

  // Finds the equation with the largest residual relative to its terms.
  std::optional<std::size_t> find_imbalance() {
    const std::span<const double> values = at(x_).first(equations_), sizes = sizes_(x_);
    std::optional<std::size_t> worst;
    double most = kSmallEnough;
    for (std::size_t k = 0; k < equations_; ++k) {
      if (values[k] == 0.0) continue;
      const double part = std::abs(values[k]) / sizes[k];
      const bool is_known = std::isfinite(part) && std::isfinite(sizes[k]);
      if (is_known && part <= most) continue;
      worst = k;
      most = is_known ? part : std::numeric_limits<double>::infinity();
    }
    return worst;
  }

  void check_balance() {
    const std::optional<std::size_t> worst = find_imbalance();
    if (!worst) return;
    throw InputError(fmt::format("no {} is found from these values: {} stays at {:.6g}",
                                 is_rest_ ? "state of rest" : "steady motion", name_of(*worst),
                                 at(x_)[*worst]));
  }

  void check_steadiness() const {
    const std::optional<Unsteadiness> found =
        find_unsteadiness(motion_, vanishing_, options_.unsteady, all_numbers());
    if (!found) return;
    throw InputError(
        fmt::format("no steady motion is found from these values: they balance at an instant, but {} does "
                    "not stay in balance while {} changes at {:.6g}",
                    name_of(found->equation), to_text(found->moving), found->rate));
  }

  Numbers all_numbers() const {
    Numbers numbers = fixed_;
    for (std::size_t i = 0; i < symbols_.size(); ++i) numbers.emplace_back(symbols_[i], x_[i]);
    return numbers;
  }

  void fill(SteadyMotion& result) {
    for (const double e : at(x_).first(equations_)) result.residual = std::max(result.residual, std::abs(e));
    const Numbers numbers = all_numbers();
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
  bool is_rest_;
  Numbers fixed_;
  std::vector<Expression> vanishing_;
  std::vector<Expression> symbols_;  // of x
  std::vector<double> x_;
  std::size_t equations_ = 0;
  CompiledExpressions function_;  // the equations, then their derivatives
  CompiledExpressions sizes_;
};

// True if the coordinates are at rest when all speeds are zero.
bool rests_without_speeds(const MotionEquations& motion) {
  Replacements none;
  for (const Expression& u : motion.u) none.emplace_back(u, 0);
  const Matrix rates = substitute(*motion.mechanics, motion.G, none);
  Mechanics& mechanics = *motion.mechanics;
  return std::ranges::all_of(rates.elements(), [&](const Expression& e) {
    return mechanics.identities().is_zero(e.in(mechanics.graph()));
  });
}

}  // namespace

SteadyMotion find_steady_motion(const MotionEquations& motion, const ParameterValues& parameters,
                                const SteadyMotionOptions& options) {
  return SteadySearch(motion, parameters, options, false).search();
}

SteadyMotion find_equilibrium(const MotionEquations& motion, const ParameterValues& parameters,
                              const std::vector<std::pair<Expression, double>>& guess) {
  SteadyMotionOptions options{.values = guess, .unknowns = motion.q};
  if (!rests_without_speeds(motion)) {
    options.unknowns.insert(options.unknowns.end(), motion.u.begin(), motion.u.end());
  }
  return SteadySearch(motion, parameters, options, true).search();
}

}  // namespace sestina::symbolic
