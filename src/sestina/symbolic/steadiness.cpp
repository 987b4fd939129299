#include "sestina/symbolic/steadiness.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "sestina/expression/rounding.h"

namespace sestina::symbolic {
namespace {

using Column = Eigen::VectorXd;

constexpr double kDistance = 0.3;  // rad, m: by which the fastest coordinate moves
constexpr int kSteps = 16;
constexpr double kTolerance = 1e-6;  // relative to the terms of an equation
constexpr double kRankThreshold = 1e-9;
constexpr double kAtRest = 1e-12;  // a rate
constexpr double kLeast = 1e-6;    // of derivatives, beside the terms

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
        largest_reaction_ = std::max(largest_reaction_, std::abs(pair.second));
      } else {
        numbers.push_back(pair);
      }
    }
    compile(motion, vanishing, reactions, variables, numbers);
  }

  std::optional<Unsteadiness> look() {
    const Column rates = calc_rates(x_);
    if (!(rates.size() > 0 && rates.cwiseAbs().maxCoeff() > kAtRest)) return std::nullopt;
    double fastest = 0.0;
    for (Eigen::Index i = 0; i < rates.size(); ++i) {
      fastest = std::max(fastest, std::abs(rates[i]) / std::max(1.0, std::abs(x_[i])));
    }
    const double h = kDistance / fastest / kSteps;
    Column x = x_;
    for (int step = 0; step < kSteps; ++step) {
      x = advance(x, h);
      if (const std::optional<std::size_t> worst = find_imbalance(x)) return explain(*worst, x, rates);
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
    for (const Expression& e : reactions) size.set_least(e.in(graph), kLeast * largest_reaction_);
    for (const Expression& e : vanishing) outputs.push_back(mechanics.wrap(size(e.in(graph))));
    function_ = CompiledExpressions(mechanics, outputs, variables, numbers, "the steady motion");
  }

  std::span<const double> evaluate(const Column& x, const Column& reactions) {
    variables_.assign(x.begin(), x.end());
    variables_.insert(variables_.end(), reactions.begin(), reactions.end());
    return function_(variables_);
  }

  // Multipliers and rates for which the equations hold best, each by its own measure.
  Column solve(const Column& x) {
    const std::span<const double> values = evaluate(x, Column::Zero(index(reactions_)));
    const Column right = -Eigen::Map<const Column>(values.data(), index(equations_));
    const Eigen::MatrixXd J =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
            values.data() + equations_, index(equations_), index(reactions_));
    if (reactions_ == 0) return Column(0);
    const Column weights = calc_weights(J, values.last(equations_));
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
    decomposition.setThreshold(kRankThreshold);
    decomposition.compute(weights.asDiagonal() * J);
    return decomposition.solve(weights.cwiseProduct(right));
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

  Column advance(const Column& x, double h) {
    const Column a = calc_rates(x), b = calc_rates(x + 0.5 * h * a), c = calc_rates(x + 0.5 * h * b),
                 d = calc_rates(x + h * c);
    return x + h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }

  // The equation that fails most.
  std::optional<std::size_t> find_imbalance(const Column& x) {
    const std::span<const double> values = evaluate(x, solve(x));
    const std::span<const double> sizes = values.last(equations_);
    std::optional<std::size_t> worst;
    double most = kTolerance;
    for (std::size_t k = 0; k < equations_; ++k) {
      if (values[k] == 0.0 || std::abs(values[k]) <= most * sizes[k]) continue;
      worst = k;
      most = std::abs(values[k]) / sizes[k];
    }
    return worst;
  }

  // Which of all that moves to `x` puts the equation out of balance most, alone.
  Unsteadiness explain(std::size_t equation, const Column& x, const Column& rates) {
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

  std::vector<Expression> states_;  // coordinates, then the speeds that are not steady
  std::size_t coordinates_, equations_;
  std::size_t reactions_ = 0;  // multipliers, then rates of those speeds
  double largest_reaction_ = 1.0;
  Column x_;  // at the instant
  std::vector<double> variables_;
  CompiledExpressions function_;  // what vanishes, its derivatives by the reactions, q', sizes
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
