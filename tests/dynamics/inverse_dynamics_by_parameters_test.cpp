// Derivatives of inverse dynamics by parameters from sums over subtrees, against those on dual numbers.
#include "sestina/dynamics/inverse_dynamics_by_parameters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/random_systems.h"
#include "sestina/base/memory.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/inverse_dynamics_transpose.h"

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
    tested.start(state, evaluation.kinematics, udot, at.sums());
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

// The products with a vector against those formed from the matrices and columns.
void expect_products(const std::shared_ptr<const Model>& model, std::uint64_t seed) {
  const Properties<double> properties = calc_properties(*model);
  InverseDynamicsTranspose tested(*model, properties);
  InverseDynamicsByParameters by_parameters(*model, properties);
  InverseDynamicsDerivatives at(*model, properties);
  const int nu = model->nu();
  std::vector<double> by(static_cast<std::size_t>(nu)), udot(by), z(by), by_q(by), by_u(by);
  for (const State<double>& state : scatter_states(*model, 2, 1.0, seed)) {
    Evaluation<double> evaluation(model);
    evaluation.update(state);
    for (std::size_t k = 0; k < udot.size(); ++k) {
      udot[k] = std::sin(static_cast<double>(k)), z[k] = std::cos(3.0 * static_cast<double>(k));
    }
    at.update(state, evaluation.kinematics, evaluation.forces, udot);
    tested.calc(state, evaluation.kinematics, evaluation.forces, udot, z, by_q, by_u);
    const auto expect_product = [&](double product, auto&& term, const std::string& what) {
      double sum = 0.0, size = 1.0;
      for (int l = 0; l < nu; ++l) sum += term(l), size += std::abs(term(l));
      EXPECT_NEAR(product, sum, 1e-11 * size) << what << ", seed " << seed;
    };
    for (int k = 0; k < nu; ++k) {
      const auto place = static_cast<std::size_t>(k);
      const auto z_times = [&](const MatrixBlock& A) {
        return [&, A](int l) { return z[static_cast<std::size_t>(l)] * A(l, k); };
      };
      expect_product(by_q[place], z_times(at.by_q()), "by q of " + model->u_names()[place]);
      expect_product(by_u[place], z_times(at.by_u()), "by " + model->u_names()[place]);
    }
    by_parameters.start(state, evaluation.kinematics, udot, at.sums());
    for (int p = 0; p < static_cast<int>(model->parameters().size()); ++p) {
      by_parameters.calc(p, by);
      expect_product(
          tested.calc_by_parameter(p),
          [&](int l) { return z[static_cast<std::size_t>(l)] * by[static_cast<std::size_t>(l)]; },
          model->parameters()[static_cast<std::size_t>(p)].name);
    }
  }
}

TEST(InverseDynamicsTranspose, GivesTheProductsOfAVectorWithTheDerivatives) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    expect_products(freeze(make_varied(seed, true)), seed);
    expect_products(freeze(make_varied(seed, false)), seed);
    if (HasFailure()) return;
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
  tested.start(state, evaluation.kinematics, udot, at.sums());
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
