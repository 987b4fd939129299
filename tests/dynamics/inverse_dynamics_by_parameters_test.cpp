// Derivatives of inverse dynamics by parameters from sums over subtrees, against those on dual numbers.
#include "sestina/dynamics/inverse_dynamics_by_parameters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/random_systems.h"
#include "sestina/base/memory.h"
#include "sestina/dynamics/comparison.h"

namespace sestina {
namespace {

using namespace testing_support;

// Multiplies a number by 1 + p.
void vary(Number& number, const std::string& p) {
  const std::string text =
      number.is_expression() ? number.expression() : fmt::format("{:.17g}", number.value());
  number = fmt::format("({})*(1 + {})", text, p);
}
void vary(Triple& numbers, const std::string& p) {
  for (Number& number : numbers) vary(number, p);
}
void vary(Numbers& numbers, const std::string& p) {
  for (Number& number : numbers) vary(number, p);
}
void turn(RotationSpec& axes) {
  if (axes.kind == RotationSpec::Kind::kRpy) vary(axes.numbers[1], "angles");
  if (axes.kind == RotationSpec::Kind::kAxisAngle) vary(axes.numbers[3], "angles");
}

// A parameter for each kind of number; all are zero.
System make_varied(std::uint64_t seed, bool has_forces) {
  RandomSystemOptions options;
  options.has_forces = has_forces;
  options.bodies = 12;
  System system = random_system(seed, options);
  for (const char* name : {"masses", "lengths", "angles", "forces", "weight", "rotors", "idle"}) {
    system.set_parameter(name, 0.0);
  }
  vary(system.gravity, "weight");
  for (PointSpec& point : system.ground_points) vary(point.position, "lengths");
  for (BodySpec& body : system.bodies) {
    vary(*body.mass, "masses");
    vary(body.center_of_mass, "lengths");
    vary(body.inertia.xx, "masses"), vary(body.inertia.xy, "masses"), vary(body.inertia.zz, "masses");
    for (PointSpec& point : body.points) {
      vary(point.position, "lengths");
      if (point.axes) turn(*point.axes);
    }
    body.inertia_check = false;
  }
  for (JointSpec& joint : system.joints) {
    if (joint.armature) vary(*joint.armature, "rotors");
  }
  for (ForceSpec& force : system.forces) {
    for (Numbers* numbers : {&force.stiffness, &force.damping, &force.value}) vary(*numbers, "forces");
  }
  return system;
}

void expect_equal(const std::shared_ptr<const Model>& model, std::uint64_t seed) {
  const Properties<double> properties = calc_properties(*model);
  ParameterDerivatives expected(*model, properties);
  InverseDynamicsByParameters tested(*model, properties);
  InverseDynamicsDerivatives at(*model, properties);
  std::vector<double> by(static_cast<std::size_t>(model->nu())), udot(by);
  for (const State<double>& state : scatter_states(*model, 2, 1.0, seed)) {
    Evaluation<double> evaluation(model);
    evaluation.update(state);
    for (std::size_t k = 0; k < udot.size(); ++k) udot[k] = std::sin(static_cast<double>(k));
    at.update(state, evaluation.kinematics, evaluation.forces, udot);
    expected.update_inverse(state, udot);
    tested.start(state, evaluation.kinematics, udot, at);
    for (int p = 0; p < static_cast<int>(model->parameters().size()); ++p) {
      tested.calc(p, by);
      const std::span<const double> wanted = expected.residual_by(p);
      const double scale = 1.0 + largest({wanted.begin(), wanted.end()});
      for (std::size_t k = 0; k < by.size(); ++k) {
        EXPECT_NEAR(by[k], wanted[k], 1e-11 * scale)
            << model->parameters()[static_cast<std::size_t>(p)].name << ", seed " << seed;
      }
    }
  }
}

TEST(InverseDynamicsByParameters, AreThoseOnDualNumbers) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) expect_equal(freeze(make_varied(seed, true)), seed);
}

// Then no force is evaluated.
TEST(InverseDynamicsByParameters, OfSystemsWithoutForcesAreThoseOnDualNumbers) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) expect_equal(freeze(make_varied(seed, false)), seed);
}

TEST(InverseDynamicsByParameters, VanishForAParameterThatChangesNothing) {
  const auto model = freeze(make_varied(3, true));
  const Properties<double> properties = calc_properties(*model);
  InverseDynamicsByParameters tested(*model, properties);
  InverseDynamicsDerivatives at(*model, properties);
  const State<double> state = scatter_states(*model, 1, 1.0, 3)[1];
  Evaluation<double> evaluation(model);
  const std::vector<double> udot = evaluation.solve<RecursiveSolver>(state);
  at.update(state, evaluation.kinematics, evaluation.forces, udot);
  tested.start(state, evaluation.kinematics, udot, at);
  const auto norm_by = [&](const std::string& name) {
    std::vector<double> by(udot.size());
    tested.calc(find_parameter(*model, name), by);
    return largest(by);
  };
  EXPECT_EQ(norm_by("idle"), 0.0);
  for (const char* name : {"masses", "lengths", "angles", "forces", "weight", "rotors"}) {
    EXPECT_GT(norm_by(name), 1e-3) << name;
  }
}

}  // namespace
}  // namespace sestina
