// Derivatives of the accelerations by state, time and parameters: dual numbers through both formulations,
// against difference quotients and against each other.
#include <gtest/gtest.h>

#include <functional>

#include "dynamics/evaluation.h"
#include "dynamics/random_systems.h"
#include "sestina/dynamics/comparison.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr std::uint64_t kNumericTrees = 40;
// The fourth-order quotient of step h has an error of h^4 f^(5) and of round-off/h: with h = 1e-3,
// derivatives that grow by about 10 an order, and accelerations to 1e-13, both are about 1e-8 of the largest
// derivative.
constexpr double kStep = 1e-3;
constexpr double kDifferenceTolerance = 1e-6;
constexpr double kAgreement = 1e-9;  // cond(M) <= 1e5 times round-off, twice: for udot and for its derivative

using Function = std::function<std::vector<double>(double)>;

std::vector<double> difference_quotient(const Function& f) {
  const auto at = [&](double k) { return f(k * kStep); };
  std::vector<double> p1 = at(1), m1 = at(-1), p2 = at(2), m2 = at(-2);
  for (std::size_t i = 0; i < p1.size(); ++i) {
    p1[i] = (8.0 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12.0 * kStep);
  }
  return p1;
}

std::vector<double> derivatives_of(const std::vector<Dual>& x) {
  std::vector<double> d;
  for (const Dual& value : x) d.push_back(value.d);
  return d;
}

void expect_derivatives(const std::vector<double>& a, const std::vector<double>& b, double relative,
                        const std::string& what) {
  const double tolerance = relative * std::max(largest(a), 1.0);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << what << ", speed " << k;
}

// A random tree of moderate condition, at a random state.
struct NumericCase {
  explicit NumericCase(std::uint64_t seed)
      : model(freeze(random_system(seed, {.bodies = 1 + static_cast<int>(seed % 20)}))),
        parameters(Evaluation<double>::default_parameters(*model)),
        state(scatter_states(*model, 1, 1.0, seed)[1]),
        random(seed) {
    state.t = 0.7;
    const Comparison comparison = compare_formulations(model, calc_properties(*model), {state});
    is_well_conditioned = comparison.condition < 1e5;
  }
  std::vector<double> direction(bool is_zero = false) {
    std::vector<double> d(static_cast<std::size_t>(model->nu()), 0.0);
    for (double& x : d) x = is_zero ? 0.0 : random.signed_unit();
    return d;
  }
  std::shared_ptr<const Model> model;
  std::vector<double> parameters;
  State<double> state;
  SplitMix random;
  bool is_well_conditioned = false;
};

template <template <class> class Solver>
void expect_state_derivatives(NumericCase& c, const std::vector<double>& dq, const std::vector<double>& du,
                              double dt, const std::string& what, std::vector<double>& derivative) {
  Evaluation<Dual> dual(c.model);
  dual.solve<Solver>(moving_state(*c.model, c.state, dq, du, dt));
  derivative = derivatives_of(dual.udot);
  Evaluation<double> plain(c.model);
  const auto udot_at = [&](double h) {
    State<double> moved = c.state;
    std::vector<double> displacement = dq;
    for (double& x : displacement) x *= h;
    plus_q<double>(*c.model, c.state.q, displacement, moved.q);
    for (std::size_t k = 0; k < du.size(); ++k) moved.u[k] += h * du[k];
    moved.t += h * dt;
    return plain.solve<Solver>(moved);
  };
  expect_derivatives(derivative, difference_quotient(udot_at), kDifferenceTolerance, what);
}

TEST(Derivatives, ByTheStateEqualDifferenceQuotientsAndAgree) {
  int tried = 0;
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= kNumericTrees; ++seed) {
    NumericCase c(seed);
    if (!c.is_well_conditioned) continue;
    ++tried;
    const std::vector<double> zero = c.direction(true), d = c.direction();
    const std::pair<std::string, std::array<bool, 3>> kinds[] = {
        {"q", {true, false, false}}, {"u", {false, true, false}}, {"t", {false, false, true}}};
    for (const auto& [name, is_moved] : kinds) {
      const std::string what = fmt::format("seed {} by {}", seed, name);
      const auto& dq = is_moved[0] ? d : zero;
      const auto& du = is_moved[1] ? d : zero;
      std::vector<double> recursive, kane;
      expect_state_derivatives<RecursiveSolver>(c, dq, du, is_moved[2] ? 1.0 : 0.0, what, recursive);
      expect_state_derivatives<KaneSolver>(c, dq, du, is_moved[2] ? 1.0 : 0.0, what, kane);
      expect_derivatives(recursive, kane, kAgreement, what + ", recursive and kane");
      most = std::max(most, largest(recursive));
    }
  }
  EXPECT_GT(tried, 15);
  EXPECT_GT(most, 1.0);
}

TEST(Derivatives, ByTheParametersEqualDifferenceQuotientsAndAgree) {
  int tried = 0;
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= kNumericTrees; ++seed) {
    NumericCase c(seed);
    if (!c.is_well_conditioned) continue;
    ++tried;
    const std::vector<double> zero = c.direction(true);
    const State<Dual> state = moving_state(*c.model, c.state, zero, zero, 0.0);
    for (std::size_t p = 0; p < c.parameters.size(); ++p) {
      const std::string what = fmt::format("seed {} by {}", seed, c.model->parameters()[p].name);
      std::vector<Dual> moving(c.parameters.begin(), c.parameters.end());
      moving[p].d = 1.0;
      Evaluation<Dual> dual(c.model, calc_properties<Dual>(*c.model, moving));
      const std::vector<double> recursive = derivatives_of(dual.solve<RecursiveSolver>(state));
      const std::vector<double> kane = derivatives_of(dual.solve<KaneSolver>(state));
      expect_derivatives(recursive, kane, kAgreement, what + ", recursive and kane");
      const auto udot_at = [&](double h) {
        std::vector<double> parameters = c.parameters;
        parameters[p] += h;
        Evaluation<double> plain(c.model, calc_properties<double>(*c.model, parameters));
        return plain.solve<RecursiveSolver>(c.state);
      };
      expect_derivatives(recursive, difference_quotient(udot_at), kDifferenceTolerance, what);
      most = std::max(most, largest(recursive));
    }
  }
  EXPECT_GT(tried, 15);
  EXPECT_GT(most, 1.0);
}

TEST(Derivatives, CarryTheValuesOfPlainNumbersToTheLastBit) {
  for (std::uint64_t seed = 1; seed <= kNumericTrees; ++seed) {
    NumericCase c(seed);
    const std::vector<double> zero = c.direction(true);
    Evaluation<Dual> dual(c.model);
    Evaluation<double> plain(c.model);
    plain.solve<RecursiveSolver>(c.state);
    dual.solve<RecursiveSolver>(moving_state(*c.model, c.state, zero, zero, 0.0));
    for (std::size_t k = 0; k < plain.udot.size(); ++k) {
      // plus_q by zero may round Euler parameters; the values then differ by round-off times cond(M).
      EXPECT_NEAR(dual.udot[k].v, plain.udot[k], 1e-9 * std::max(1.0, largest(plain.udot))) << seed;
      EXPECT_EQ(dual.udot[k].d, 0.0);
    }
  }
}

}  // namespace
}  // namespace sestina
