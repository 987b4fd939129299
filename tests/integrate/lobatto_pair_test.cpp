#include "sestina/integrate/lobatto_pair.h"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/articulated_systems.h"
#include "integrate/test_systems.h"
#include "sestina/base/error.h"
#include "sestina/integrate/displacement.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/velocity_verlet.h"

namespace sestina::test {
namespace {

using Form = LobattoPair::Form;

class LobattoTableauOf : public testing::TestWithParam<int> {};

TEST_P(LobattoTableauOf, IsASymplecticAndSymmetricPairOfItsStages) {
  const LobattoTableau& t = lobatto_tableau(GetParam());
  const auto s = static_cast<std::size_t>(t.stages);
  for (std::size_t i = 0; i < s; ++i) {
    double row = 0.0;
    for (std::size_t j = 0; j < s; ++j) {
      row += t.a[i][j];
      // A few roundings of numbers below one.
      EXPECT_NEAR(t.b[i] * t.a_hat[i][j] + t.b[j] * t.a[j][i], t.b[i] * t.b[j], 3e-16);
      EXPECT_NEAR(t.a[s - 1 - i][s - 1 - j], t.b[j] - t.a[i][j], 3e-16);
      EXPECT_NEAR(t.a_hat[s - 1 - i][s - 1 - j], t.b[j] - t.a_hat[i][j], 3e-16);
    }
    EXPECT_NEAR(row, t.c[i], 3e-16);
  }
}
INSTANTIATE_TEST_SUITE_P(Stages, LobattoTableauOf, testing::Values(2, 3));

struct Choice {
  int stages;
  Form form;
};
class Pair : public testing::TestWithParam<Choice> {
 protected:
  LobattoPair rule_{GetParam().stages, GetParam().form};
  bool has_momenta() const { return GetParam().form == Form::kMomentum; }
};
INSTANTIATE_TEST_SUITE_P(All, Pair,
                         testing::Values(Choice{2, Form::kVelocity}, Choice{3, Form::kVelocity},
                                         Choice{2, Form::kMomentum}, Choice{3, Form::kMomentum}),
                         [](const auto& test) {
                           return std::to_string(test.param.stages) +
                                  (test.param.form == Form::kMomentum ? "_momentum" : "_velocity");
                         });

TEST_P(Pair, ConvergesWithItsOrderOnLinkedBodies) {
  for (const System& system : {double_pendulum(), top_with_rod()}) {
    ArticulatedSystem bodies(system);
    const auto at_end = [&](IntegrationRule& rule, int steps) {
      return integrate(rule, bodies.equations, bodies.start(), 0.5, steps);
    };
    const IntegrationState exact = at_end(*make_integration_rule("dormand_prince_54"), 4000);
    const int steps = GetParam().stages == 2 ? 800 : 200;
    const double coarse = calc_distance(at_end(rule_, steps), exact);
    const double fine = calc_distance(at_end(rule_, 2 * steps), exact);
    EXPECT_NEAR(std::log2(coarse / fine), rule_.order(), 0.15) << coarse << ' ' << fine;
    EXPECT_GT(fine, 1e-11);  // far above rounding
  }
}

TEST_P(Pair, AStepBackUndoesAStep) {
  for (const System& system : {double_pendulum(), top_with_rod()}) {
    ArticulatedSystem bodies(system);
    constexpr int kSteps = 100;
    const IntegrationState there = integrate(rule_, bodies.equations, bodies.start(), 1.0, kSteps);
    EXPECT_GT(calc_distance(there, bodies.start()), 0.1);
    const IntegrationState back = integrate(rule_, bodies.equations, there, 0.0, kSteps);
    // Rounding of 200 steps, which the motion itself magnifies by some ten.
    EXPECT_LT(calc_distance(back, bodies.start()), 2e-11);
  }
}

// The symplectic form at a state: of two tangent vectors (eta, a) and (xi, b), eta the turn or the rate of q
// and a that of p,  a . xi - b . eta + sum over rotations p . (eta x xi)  (right-trivialised).
double symplectic_form(const SystemEquations& equations, const std::vector<double>& p,
                       const std::vector<double>& eta, const std::vector<double>& a,
                       const std::vector<double>& xi, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += a[i] * xi[i] - b[i] * eta[i];
  for (const int k : equations.rotations()) {
    sum += dot(three_of(p, k), sestina::cross(three_of(eta, k), three_of(xi, k)));
  }
  return sum;
}

struct Tangent {
  std::vector<double> eta, a;
};

// One step of the rule in (q, p), and its derivative along a tangent by central differences.
class StepMap {
 public:
  StepMap(ArticulatedSystem& bodies, IntegrationRule& rule, double h) : bodies_(bodies), rule_(rule), h_(h) {
    start_ = bodies.start();
    p_.resize(start_.u.size());
    bodies_.equations.calc_momentum(start_.q, start_.u, p_);
    end_ = step(start_);
  }
  const std::vector<double>& p() const { return p_; }
  std::vector<double> end_p() { return momentum(end_); }

  Tangent push(const Tangent& tangent) {
    const IntegrationState plus = step(moved(tangent, kDelta)), minus = step(moved(tangent, -kDelta));
    Tangent image{std::vector<double>(p_.size()), momentum(plus)};
    const std::vector<double> p_minus = momentum(minus);
    std::vector<double> back(p_.size());
    minus_q<double>(*bodies_.model, plus.q, end_.q, image.eta);
    minus_q<double>(*bodies_.model, minus.q, end_.q, back);
    for (std::size_t i = 0; i < p_.size(); ++i) {
      image.eta[i] = (image.eta[i] - back[i]) / (2 * kDelta);
      image.a[i] = (image.a[i] - p_minus[i]) / (2 * kDelta);
    }
    return image;
  }

 private:
  static constexpr double kDelta = 1e-4;

  IntegrationState step(const IntegrationState& from) {
    rule_.start(bodies_.equations, from);
    EXPECT_TRUE(rule_.try_step(from.t + h_).complete());
    return rule_.candidate();
  }
  std::vector<double> momentum(const IntegrationState& state) {
    std::vector<double> p(p_.size());
    bodies_.equations.calc_momentum(state.q, state.u, p);
    return p;
  }
  IntegrationState moved(const Tangent& tangent, double delta) {
    IntegrationState state = start_;
    std::vector<double> displacement = tangent.eta, p = p_;
    for (double& x : displacement) x *= delta;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] += delta * tangent.a[i];
    bodies_.equations.plus(start_.q, displacement, state.q);
    bodies_.equations.calc_speeds(0.0, state.q, p, state.u);
    return state;
  }

  ArticulatedSystem& bodies_;
  IntegrationRule& rule_;
  double h_;
  IntegrationState start_, end_;
  std::vector<double> p_;
};

TEST_P(Pair, MomentumFormIsSymplecticOnLinkedBodiesAndVelocityFormIsNot) {
  for (const System& system : {double_pendulum(), top_with_rod()}) {
    ArticulatedSystem bodies(system);
    StepMap map(bodies, rule_, 0.05);
    const std::size_t n = map.p().size();
    std::vector<Tangent> basis, image;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      Tangent tangent{std::vector<double>(n), std::vector<double>(n)};
      (i < n ? tangent.eta[i] : tangent.a[i - n]) = 1.0;
      basis.push_back(tangent);
      image.push_back(map.push(tangent));
    }
    double defect = 0.0;
    for (std::size_t i = 0; i < 2 * n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto& [eta, a] = basis[i];
        const auto& [xi, b] = basis[j];
        const double before = symplectic_form(bodies.equations, map.p(), eta, a, xi, b);
        const double after = symplectic_form(bodies.equations, map.end_p(), image[i].eta, image[i].a,
                                             image[j].eta, image[j].a);
        defect = std::max(defect, std::abs(after - before));
      }
    }
    // Differences err by delta^2 times a third derivative of some tens; rounding/delta is 1e-11.
    if (has_momenta()) {
      EXPECT_LT(defect, 1e-5);
    } else {
      EXPECT_GT(defect, 1e-4);
    }
    std::printf("%d %d defect %g\n", GetParam().stages, has_momenta(), defect);
  }
}

// Nothing turns the angular momentum in F; the momentum form keeps it to the accuracy of its iteration.
TEST_P(Pair, MomentumFormKeepsTheAngularMomentumOfAFreeBody) {
  FreeRigidBody body;
  const IntegrationState end = integrate(rule_, body, FreeRigidBody::start(), 100.0, 1000);
  std::vector<double> before(3), after(3);
  body.calc_momentum(FreeRigidBody::start().q, FreeRigidBody::start().u, before);
  body.calc_momentum(end.q, end.u, after);
  double change = 0.0;
  for (std::size_t i = 0; i < 3; ++i) change = std::max(change, std::abs(after[i] - before[i]));
  if (has_momenta()) {
    EXPECT_LT(change, 1e-12);  // a thousand roundings of 3
  } else {
    EXPECT_GT(change, 1e-6);
  }
}

TEST(LobattoPair, WithTwoStagesInVelocityFormIsVelocityVerlet) {
  ArticulatedSystem bodies(top_with_rod());
  LobattoPair pair(2, Form::kVelocity);
  VelocityVerlet verlet;
  const IntegrationState a = integrate(pair, bodies.equations, bodies.start(), 0.5, 100);
  const IntegrationState b = integrate(verlet, bodies.equations, bodies.start(), 0.5, 100);
  EXPECT_LT(calc_distance(a, b), 1e-11);  // rounding of 100 steps, magnified by the motion
}

// An orientation without momenta.
class OnlySpeeds final : public EquationsOfMotion {
 public:
  int nq() const override { return 1; }
  int nu() const override { return 1; }
  int nz() const override { return 0; }
  void calc_derivatives(double, std::span<const double>, std::span<const double>, std::span<double> udot,
                        std::span<double>) override {
    udot[0] = 0.0;
  }
  void calc_q_dot(std::span<const double>, std::span<const double> u, std::span<double> qdot) override {
    qdot[0] = u[0];
  }
  void plus(std::span<const double> q, std::span<const double> d, std::span<double> out) override {
    out[0] = q[0] + d[0];
  }
  void normalize(std::span<double>) override {}
  std::string name_of_q(int) const override { return "q"; }
  std::string name_of_u(int) const override { return "u"; }
};

TEST(LobattoPair, InMomentumFormRefusesEquationsWithoutMomenta) {
  OnlySpeeds equations;
  const IntegrationState start = {0.0, {0.0}, {1.0}, {}};
  LobattoPair velocity(2, Form::kVelocity), momentum(2, Form::kMomentum);
  EXPECT_NO_THROW(velocity.start(equations, start));
  EXPECT_THROW(momentum.start(equations, start), InputError);
}

TEST(RuleList, RefusesOptionsThatTheLobattoPairHasNot) {
  try {
    make_integration_rule(RuleOptions{"lobatto_iiia_iiib", 4, "momenta"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.faults().size(), 2u);
  }
}

}  // namespace
}  // namespace sestina::test
