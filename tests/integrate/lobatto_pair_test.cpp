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
    bodies_.equations.calc_momentum(start_, p_);
    end_ = step(start_);
  }
  const std::vector<double>& p() const { return p_; }
  std::vector<double> end_p() { return momentum(end_); }

  // Differences of the fourth order: (8 (f(d) - f(-d)) - (f(2d) - f(-2d))) / 12d.
  Tangent push(const Tangent& tangent) {
    Tangent image{std::vector<double>(p_.size()), std::vector<double>(p_.size())};
    for (const auto& [place, weight] : {std::pair(1, 8.0), {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
      const State<double> end = step(moved(tangent, place * kDelta));
      std::vector<double> turn(p_.size());
      minus_q<double>(*bodies_.model, end.q, end_.q, turn);
      const std::vector<double> p = momentum(end);
      for (std::size_t i = 0; i < p.size(); ++i) {
        image.eta[i] += weight * turn[i] / (12 * kDelta);
        image.a[i] += weight * p[i] / (12 * kDelta);
      }
    }
    return image;
  }

 private:
  static constexpr double kDelta = 3e-4;

  State<double> step(const State<double>& from) {
    rule_.start(bodies_.equations, from);
    EXPECT_TRUE(rule_.try_step(from.t + h_).complete());
    return rule_.candidate();
  }
  std::vector<double> momentum(const State<double>& state) {
    std::vector<double> p(p_.size());
    bodies_.equations.calc_momentum(state, p);
    return p;
  }
  State<double> moved(const Tangent& tangent, double delta) {
    State<double> state = start_;
    std::vector<double> displacement = tangent.eta, p = p_;
    for (double& x : displacement) x *= delta;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] += delta * tangent.a[i];
    bodies_.equations.plus(start_.q, displacement, state.q);
    bodies_.equations.calc_speeds(state, p, state.u);
    return state;
  }

  ArticulatedSystem& bodies_;
  IntegrationRule& rule_;
  double h_;
  State<double> start_, end_;
  std::vector<double> p_;
};

// The largest change of the symplectic form over one step, on all pairs of a basis.
double calc_symplectic_defect(const System& system, IntegrationRule& rule) {
  ArticulatedSystem bodies(system);
  StepMap map(bodies, rule, 0.05);
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
      const double before =
          symplectic_form(bodies.equations, map.p(), basis[i].eta, basis[i].a, basis[j].eta, basis[j].a);
      const double after =
          symplectic_form(bodies.equations, map.end_p(), image[i].eta, image[i].a, image[j].eta, image[j].a);
      defect = std::max(defect, std::abs(after - before));
    }
  }
  return defect;
}

TEST_P(Pair, MomentumFormIsSymplecticOnLinkedBodiesAndVelocityFormIsNot) {
  for (const System& system : {hinged_rods(), top_with_rod(), free_bodies()}) {
    const double defect = calc_symplectic_defect(system, rule_);
    if (has_momenta()) {
      // Differences err by delta^4 times a fifth derivative, which the fast top has large, and by
      // 1e-13/delta.
      EXPECT_LT(defect, 1e-9);
    } else {
      EXPECT_GT(defect, 1e-6);
    }
  }
}

class EnergyError {
 public:
  // The largest |E - E_0| of the first and of the last tenth of `steps` steps.
  EnergyError(const System& system, IntegrationRule& rule, double h, int steps) {
    ArticulatedSystem bodies(system);
    rule.start(bodies.equations, bodies.start());
    const double at_start = bodies.energy(bodies.start());
    for (int k = 1; k <= steps; ++k) {
      EXPECT_TRUE(rule.try_step(h * k).complete());
      rule.accept();
      const double error = std::abs(bodies.energy(rule.state()) - at_start);
      if (k <= steps / 10) early = std::max(early, error);
      if (k > steps - steps / 10) late = std::max(late, error);
    }
  }
  double early = 0.0, late = 0.0;
};

// 500 periods. Whichever its form, the pair is symmetric, which is enough on a regular reversible motion.
TEST_P(Pair, EnergyErrorOfADoublePendulumStaysBounded) {
  constexpr double kStep = 0.04;
  constexpr int kSteps = 20000;
  const EnergyError error(hinged_rods(), rule_, kStep, kSteps);
  EXPECT_GT(error.early, GetParam().stages == 2 ? 1e-2 : 1e-5);  // it does swing
  EXPECT_NEAR(error.late, error.early, 0.05 * error.early);      // the maximum is met at other phases
  const EnergyError drift(hinged_rods(), *make_integration_rule("rk4"), kStep, kSteps);
  EXPECT_GT(drift.late, 5.0 * drift.early);
}

// A chaotic motion: only symplecticity keeps the error bounded (that of the velocity form walks at random). A
// factor of 3 because the motion comes into regions with larger errors; that of rk4 grows more than 5-fold.
TEST(LobattoPair, EnergyErrorOfFreeBodiesStaysBoundedInMomentumForm) {
  constexpr double kStep = 0.04;
  constexpr int kSteps = 20000;
  for (const int stages : {2, 3}) {
    LobattoPair rule(stages, Form::kMomentum);
    const EnergyError error(free_bodies(), rule, kStep, kSteps);
    EXPECT_GT(error.early, stages == 2 ? 1e-4 : 1e-7);
    EXPECT_LT(error.late, 3.0 * error.early);
  }
  const EnergyError drift(free_bodies(), *make_integration_rule("rk4"), kStep, kSteps);
  EXPECT_GT(drift.late, 5.0 * drift.early);
}

// Nothing turns the angular momentum in F; the momentum form keeps it to the accuracy of its iteration.
TEST_P(Pair, MomentumFormKeepsTheAngularMomentumOfAFreeBody) {
  FreeRigidBody body;
  const State<double> end = integrate(rule_, body, FreeRigidBody::start(), 100.0, 1000);
  std::vector<double> before(3), after(3);
  body.calc_momentum(FreeRigidBody::start(), before);
  body.calc_momentum(end, after);
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
  const State<double> a = integrate(pair, bodies.equations, bodies.start(), 0.5, 100);
  const State<double> b = integrate(verlet, bodies.equations, bodies.start(), 0.5, 100);
  EXPECT_LT(calc_distance(a, b), 1e-11);  // rounding of 100 steps, magnified by the motion
}

// An orientation without momenta.
class OnlySpeeds final : public EquationsOfMotion {
 public:
  StateSizes sizes() const override { return {.nq = 1, .nu = 1}; }
  void calc_derivatives(const State<double>&, const StateRates& rates) override { rates.udot[0] = 0.0; }
  void calc_q_dot(std::span<const double>, std::span<const double> u, std::span<double> qdot) override {
    qdot[0] = u[0];
  }
  void plus(std::span<const double> q, std::span<const double> d, std::span<double> out) override {
    out[0] = q[0] + d[0];
  }
  void minus(std::span<const double> to, std::span<const double> from, std::span<double> out) override {
    out[0] = to[0] - from[0];
  }
  void normalize(std::span<double>) override {}
  std::string name_of_q(int) const override { return "q"; }
  std::string name_of_u(int) const override { return "u"; }
};

TEST(LobattoPair, InMomentumFormRefusesEquationsWithoutMomenta) {
  OnlySpeeds equations;
  const State<double> start = {0.0, {0.0}, {1.0}, {}};
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
