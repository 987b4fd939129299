// Derivatives of motions with loops and constraints, and their transposes, against those by dense matrices
// of dual numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/constrained_systems.h"
#include "sestina/dynamics/constrained_tangents.h"
#include "sestina/dynamics/constrained_transpose.h"
#include "sestina/dynamics/motion_derivatives.h"
#include "sestina/dynamics/parameter_derivatives.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr double kSame = 1e-9;  // relative to the largest number: round-off of both, times cond(M)

// Gives masses, lengths, an axis, gravity, a damper and the number of the constraint parameters of their own:
// of bodies inboard of the conditions, and of the markers on which these act.
void add_parameters(System& system) {
  system.parameters = {{"g", -9.81}, {"m", 1.3}, {"l", 0.4}, {"k", 0.25}, {"o", -0.3},
                       {"e", 0.0},   {"z", 0.7}, {"w", 2.5}, {"r", 0.35}, {"x", 0.1}};
  system.gravity = {0.3, "g", 0.2};
  for (BodySpec& body : system.bodies) {
    if (body.name == "b") body.mass = "m", body.points.front().position = {"l", 0.1, -0.2};
    if (body.name == "a") body.points.front().position = {0.2, "k", 0.1};
    if (body.name == "c") body.points.front().position = {0.1, "o", 0.3};
  }
  for (JointSpec& joint : system.joints) {
    if (joint.name == "jd") joint.second_axis = {"e", 1, "0.2*e"};
    if (joint.name == "cut" && joint.axis) joint.axis = {"0.3 + x", -0.5, 0.8};
    if (joint.name == "cut" && joint.armature) joint.armature = "r";
  }
  for (ConstraintSpec& constraint : system.constraints) {
    if (constraint.radius) constraint.radius = "r";
  }
  system.add_joint_damper("damper", "jd", {"z", "2*z"});
  system.add_spring_damper("spring", "a.p", "d.p", 0.3, "w", 0.2);
}

struct Case {
  Case(const System& system, std::uint64_t seed)
      : model(freeze(system)),
        properties(calc_properties(*model)),
        state(random_state(*model, properties, seed)),
        dynamics(model, properties, "recursive"),
        udot(state.u.size()),
        random(seed) {
    for (int i = 0; i < static_cast<int>(model->parameters().size()); ++i) parameters.push_back(i);
    dynamics.calc_udot(state, udot);
  }
  std::vector<double> any(std::size_t size) {
    std::vector<double> numbers(size);
    for (double& x : numbers) x = random.signed_unit();
    return numbers;
  }
  std::size_t nu() const { return state.u.size(); }

  std::shared_ptr<const Model> model;
  Properties<double> properties;
  State<double> state;
  ForwardDynamics dynamics;
  std::vector<double> udot;
  SplitMix random;
  std::vector<int> parameters;
};

void expect_same(std::span<const double> told, std::span<const double> expected, const std::string& what) {
  double size = 1.0;
  for (const double x : expected) size = std::max(size, std::abs(x));
  ASSERT_EQ(told.size(), expected.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_NEAR(told[i], expected[i], kSame * size) << what << ' ' << i;
  }
}

// Calls test(case) for every kind of condition at random states; returns the number of mechanisms.
template <class F>
int for_each_mechanism(F&& test) {
  int mechanisms = 0;
  for (auto [name, system] : constrained_systems()) {
    SCOPED_TRACE(name);
    add_parameters(system);
    if (!ConstrainedTranspose::takes(*freeze(system))) continue;
    ++mechanisms;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) test(Case(system, seed));
  }
  return mechanisms;
}

TEST(ConstrainedTranspose, IsThatOfDenseMatrices) {
  double moved = 0.0;
  const int mechanisms = for_each_mechanism([&](Case at) {
    const std::size_t n = at.nu();
    MotionDerivatives dense(*at.model, at.properties, at.parameters);
    dense.update(at.state, at.udot, at.dynamics.constrained()->lambda());
    std::vector<double> y = at.any(2 * n), x(2 * n), by_parameters(at.parameters.size());
    std::fill_n(y.begin(), n, 0.0);
    dense.transpose(y, x, by_parameters);

    ConstrainedTranspose transpose(*at.model, at.properties, at.parameters);
    std::vector<double> own(2 * n), own_by_parameters(by_parameters.size());
    const std::span<double> both(own);
    transpose.calc(at.state, at.dynamics, at.udot, std::span(y).subspan(n), both.first(n), both.subspan(n),
                   own_by_parameters);
    expect_same(own, x, "by state");
    expect_same(own_by_parameters, by_parameters, "by parameter");
    for (const double number : by_parameters) moved = std::max(moved, std::abs(number));
  });
  EXPECT_GE(mechanisms, 30);
  EXPECT_GT(moved, 1.0);
}

TEST(ConstrainedTranspose, OfProjectionsIsThatOfDenseMatrices) {
  for_each_mechanism([&](Case at) {
    const std::size_t n = at.nu();
    MotionDerivatives dense(*at.model, at.properties, at.parameters);
    dense.update_projection(at.state);
    std::vector<double> y = at.any(2 * n), own = y;
    std::vector<double> by_parameters(at.parameters.size()), own_by_parameters(by_parameters.size());
    dense.transpose_projection(y, by_parameters);
    ConstrainedTranspose(*at.model, at.properties, at.parameters)
        .transpose_projection(at.state, at.dynamics, own, own_by_parameters);
    expect_same(own, y, "by state");
    expect_same(own_by_parameters, by_parameters, "by parameter");
  });
}

// One change for each parameter and one without.
struct Changes {
  explicit Changes(Case& at) : n(static_cast<Eigen::Index>(at.nu())) {
    for (std::size_t k = 0; k < at.parameters.size(); ++k) causes.push_back({static_cast<int>(k), 0.5});
    causes.push_back({});
    s.resize(2 * n, static_cast<Eigen::Index>(causes.size()));
    for (double& x : s.reshaped()) x = at.random.signed_unit();
  }
  std::span<double> column(std::size_t i) {
    return {s.col(static_cast<Eigen::Index>(i)).data(), static_cast<std::size_t>(2 * n)};
  }
  Eigen::Index n;
  std::vector<ConstrainedTangents::Cause> causes;
  Eigen::MatrixXd s;
};

TEST(ConstrainedTangents, AreThoseOfDenseMatrices) {
  for_each_mechanism([&](Case at) {
    Changes changes(at);
    MotionDerivatives dense(*at.model, at.properties, at.parameters);
    dense.update(at.state, at.udot, at.dynamics.constrained()->lambda());
    ConstrainedTangents tangents(*at.model, at.properties, at.parameters);
    tangents.update(at.state, at.dynamics, at.udot);
    Eigen::MatrixXd own(changes.n, changes.s.cols());
    tangents.calc_udot_changes(changes.s.topRows(changes.n), changes.s.bottomRows(changes.n), changes.causes,
                               own);
    for (std::size_t i = 0; i < changes.causes.size(); ++i) {
      std::vector<double> rates(2 * at.nu());
      dense.calc_rates(changes.column(i), changes.causes[i].parameter, changes.causes[i].scale, rates);
      expect_same({own.col(static_cast<Eigen::Index>(i)).data(), at.nu()},
                  std::span<const double>(rates).subspan(at.nu()), "change " + std::to_string(i));
    }
  });
}

TEST(ConstrainedTangents, OfProjectionsAreThoseOfDenseMatrices) {
  for_each_mechanism([&](Case at) {
    Changes changes(at);
    MotionDerivatives dense(*at.model, at.properties, at.parameters);
    dense.update_projection(at.state);
    ConstrainedTangents tangents(*at.model, at.properties, at.parameters);
    tangents.update_projection(at.state);
    Eigen::MatrixXd own = changes.s;
    tangents.project(own.topRows(changes.n), own.bottomRows(changes.n), changes.causes);
    for (std::size_t i = 0; i < changes.causes.size(); ++i) {
      dense.project(changes.column(i), changes.causes[i].parameter, changes.causes[i].scale);
      expect_same({own.col(static_cast<Eigen::Index>(i)).data(), 2 * at.nu()}, changes.column(i),
                  "change " + std::to_string(i));
    }
  });
}

}  // namespace
}  // namespace sestina
