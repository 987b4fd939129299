#include "sestina/symbolic/steadiness.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "sestina/expression/rounding.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina::symbolic {
namespace {

using Column = Eigen::VectorXd;

constexpr double kDistance = 0.3;  // rad, m
constexpr int kSteps = 16;
constexpr double kTolerance = 1e-6;  // relative to the terms of an equation
constexpr double kRankThreshold = 1e-9;
constexpr double kSameEnd = 1e-4;  // for a path with few and with many steps
constexpr double kAtRest = 1e-12;  // a rate
constexpr double kLeast = 1e-6;    // of derivatives, relative to the terms

bool is_in(const std::vector<Expression>& all, const Expression& e) {
  return std::find(all.begin(), all.end(), e) != all.end();
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

class SteadyFlow {
 public:
  SteadyFlow(const MotionEquations& motion, const std::vector<Expression>& vanishing,
             const std::vector<Expression>& unsteady, const ParameterValues& values)
      : states_(motion.q), coordinates_(motion.q.size()), equations_(vanishing.size()) {
    Mechanics& mechanics = *motion.mechanics;
    states_.insert(states_.end(), unsteady.begin(), unsteady.end());
    std::vector<Expression> reactions = motion.multipliers;
    for (const Expression& u : unsteady) reactions.push_back(mechanics.rate(u));
    reactions_ = reactions.size();
    std::vector<Expression> variables = states_;
    variables.insert(variables.end(), reactions.begin(), reactions.end());
    ParameterValues numbers;
    x_ = Column::Zero(index(states_.size()));
    for (const auto& pair : values) {
      const auto at = std::find(states_.begin(), states_.end(), pair.first);
      if (at != states_.end()) {
        x_[at - states_.begin()] = pair.second;
      } else if (is_in(reactions, pair.first)) {
        double& largest = is_in(motion.multipliers, pair.first) ? largest_multiplier_ : largest_rate_;
        largest = std::max(largest, std::abs(pair.second));
      } else {
        numbers.push_back(pair);
      }
    }
    compile(motion, vanishing, reactions, variables, numbers);
  }

  // Follows the motion for several durations, one for each moving coordinate or speed. An imbalance caused by
  // the error of the path decreases with smaller steps.
  std::optional<Unsteadiness> look() {
    const Column rates = calc_rates(x_);
    for (const double duration : calc_durations(rates)) {
      const Way coarse = follow(duration, kSteps), fine = follow(duration, 2 * kSteps);
      const double error = (coarse.x - fine.x).cwiseAbs().maxCoeff();
      if (!(error <= kSameEnd * (1.0 + fine.x.cwiseAbs().maxCoeff()))) continue;
      if (fine.worst && coarse.worst && fine.worst->part > 0.5 * coarse.worst->part) {
        return explain(*fine.worst, rates);
      }
    }
    return std::nullopt;
  }

 private:
  void compile(const MotionEquations& motion, const std::vector<Expression>& vanishing,
               const std::vector<Expression>& reactions, const std::vector<Expression>& variables,
               const ParameterValues& numbers) {
    Mechanics& mechanics = *motion.mechanics;
    Graph& graph = mechanics.graph();
    std::vector<Expression> outputs = vanishing;
    const Matrix derivatives = jacobian(mechanics, Matrix(vanishing), reactions);
    outputs.insert(outputs.end(), derivatives.elements().begin(), derivatives.elements().end());
    outputs.insert(outputs.end(), motion.G.elements().begin(), motion.G.elements().end());
    RoundingSize size(graph);
    for (const Expression& e : states_) size.set_least(e.in(graph), kLeast);
    for (const Expression& e : reactions) {
      const double largest = is_in(motion.multipliers, e) ? largest_multiplier_ : largest_rate_;
      size.set_least(e.in(graph), kLeast * largest);
    }
    for (const Expression& e : vanishing) outputs.push_back(mechanics.wrap(size(e.in(graph))));
    function_ = CompiledExpressions(mechanics, outputs, variables, numbers, "the steady motion");
  }

  std::span<const double> evaluate(const Column& x, const Column& reactions) {
    variables_.assign(x.begin(), x.end());
    variables_.insert(variables_.end(), reactions.begin(), reactions.end());
    return function_(variables_);
  }

  // Solves for the multipliers and rates that satisfy the equations best, each relative to its size.
  Column solve(const Column& x) {
    const std::span<const double> values = evaluate(x, Column::Zero(index(reactions_)));
    const Column right = -Eigen::Map<const Column>(values.data(), index(equations_));
    const Eigen::MatrixXd J =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            values.data() + equations_, index(equations_), index(reactions_));
    if (reactions_ == 0) return Column(0);
    const Column weights = calc_weights(J, values.last(equations_));
    return LeastNormSolver(kRankThreshold)
        .compute(weights.asDiagonal() * J)
        .solve(weights.cwiseProduct(right));
  }

  Column calc_rates(const Column& x) {
    const Column reactions = solve(x);
    const std::span<const double> values = evaluate(x, reactions);
    Column rates(x.size());
    rates.head(index(coordinates_)) =
        Eigen::Map<const Column>(values.data() + equations_ * (1 + reactions_), index(coordinates_));
    rates.tail(x.size() - index(coordinates_)) = reactions.tail(x.size() - index(coordinates_));
    return rates;
  }

  // Returns durations in which each one moves by kDistance, absolute or relative to its value, while none
  // turns by more than that from its initial direction: in ascending order, without similar ones.
  std::vector<double> calc_durations(const Column& rates) {
    std::vector<double> durations;
    for (Eigen::Index i = 0; i < rates.size(); ++i) {
      if (!(std::abs(rates[i]) > kAtRest)) continue;
      durations.push_back(kDistance / std::abs(rates[i]));
      durations.push_back(durations.back() * std::max(1.0, std::abs(x_[i])));
    }
    if (durations.empty()) return durations;
    std::ranges::sort(durations);
    const double h = 1e-3 * durations.front();
    const Column turn = (calc_rates(advance(x_, h)) - rates) / h;
    const double most = turn.norm() > 0.0 ? kDistance * rates.norm() / turn.norm() : durations.back();
    if (most < durations.front()) durations.insert(durations.begin(), most);
    const auto is_alike = [](double a, double b) { return b < 2.0 * a; };
    durations.erase(std::unique(durations.begin(), durations.end(), is_alike), durations.end());
    return durations;
  }

  struct Imbalance {
    std::size_t equation = 0;
    double part = 0.0;  // of the equation's terms
    Column x;           // place
  };
  struct Way {
    Column x;  // at its end
    std::optional<Imbalance> worst;
  };
  Way follow(double duration, int steps) {
    Way way{x_, std::nullopt};
    for (int step = 0; step < steps; ++step) {
      way.x = advance(way.x, duration / steps);
      const std::optional<Imbalance> found = find_imbalance(way.x);
      if (found && !(way.worst && way.worst->part >= found->part)) way.worst = found;
    }
    return way;
  }

  Column advance(const Column& x, double h) {
    const Column a = calc_rates(x), b = calc_rates(x + 0.5 * h * a), c = calc_rates(x + 0.5 * h * b),
                 d = calc_rates(x + h * c);
    return x + h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }

  // Finds the equation with the largest imbalance.
  std::optional<Imbalance> find_imbalance(const Column& x) {
    const std::span<const double> values = evaluate(x, solve(x));
    const std::span<const double> sizes = values.last(equations_);
    std::optional<Imbalance> worst;
    double most = kTolerance;
    for (std::size_t k = 0; k < equations_; ++k) {
      if (values[k] == 0.0 || std::abs(values[k]) <= most * sizes[k]) continue;
      most = std::abs(values[k]) / sizes[k];
      worst = {k, most, x};
    }
    return worst;
  }

  // Finds the moving coordinate or speed that causes most of the imbalance on its own.
  Unsteadiness explain(const Imbalance& imbalance, const Column& rates) {
    const auto& [equation, part, x] = imbalance;
    Unsteadiness found{equation, states_.front(), rates[0]};
    double most = -1.0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      Column moved = x_;
      moved[i] = x[i];
      const double left = std::abs(evaluate(moved, solve(x_))[equation]);
      if (!(left > most)) continue;
      most = left;
      found.moving = states_[static_cast<std::size_t>(i)];
      found.rate = rates[i];
    }
    return found;
  }

  std::vector<Expression> states_;  // coordinates, then the unsteady speeds
  std::size_t coordinates_, equations_;
  std::size_t reactions_ = 0;  // multipliers, then rates of the unsteady speeds
  double largest_multiplier_ = 0.0, largest_rate_ = 0.0;
  Column x_;  // at the instant
  std::vector<double> variables_;
  CompiledExpressions function_;  // vanishing expressions, derivatives by reactions, q', sizes
};

}  // namespace

Eigen::VectorXd calc_weights(const Eigen::MatrixXd& J, std::span<const double> sizes) {
  Column weights = Column::Ones(J.rows());
  for (Eigen::Index k = 0; k < J.rows(); ++k) {
    const double least = kLeast * sizes[static_cast<std::size_t>(k)];
    const double largest = std::max(J.row(k).cwiseAbs().maxCoeff(), std::isfinite(least) ? least : 0.0);
    if (largest > 0.0) weights[k] = 1.0 / largest;
  }
  return weights;
}

std::optional<Unsteadiness> find_unsteadiness(const MotionEquations& motion,
                                              const std::vector<Expression>& vanishing,
                                              const std::vector<Expression>& unsteady,
                                              const ParameterValues& values) {
  return SteadyFlow(motion, vanishing, unsteady, values).look();
}

}  // namespace sestina::symbolic
