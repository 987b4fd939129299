// Many states in lanes against the same states one by one, on every instruction set that this processor has.
#include "sestina/batch/batch_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

#include "dynamics/random_systems.h"
#include "sestina/base/error.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using testing_support::random_system;
using testing_support::SplitMix;

// States near that of the model file, in the layout of the batch.
struct States {
  int count;
  std::vector<double> t, q, u, d, tau, udot;

  States(const Model& model, int number, std::uint64_t seed) : count(number) {
    SplitMix random(seed);
    const State<double> initial = calc_initial_state(model);
    std::vector<double> displacement(initial.u.size()), moved(initial.q.size());
    for (int k = 0; k < number; ++k) {
      t.push_back(random.uniform(0.0, 2.0));
      for (double& x : displacement) x = random.uniform(-1.0, 1.0);
      plus_q<double>(model, initial.q, displacement, moved);
      q.insert(q.end(), moved.begin(), moved.end());
      d.insert(d.end(), initial.d.begin(), initial.d.end());
      for (int i = 0; i < model.nu(); ++i) {
        u.push_back(random.signed_unit());
        tau.push_back(random.signed_unit());
        udot.push_back(random.signed_unit());
      }
    }
  }
  StateArrays arrays() const { return {count, t, q, u, d, tau}; }
  State<double> state(const Model& model, int k) const {
    const auto part = [k](const std::vector<double>& x, int width) {
      return std::vector<double>(x.begin() + k * width, x.begin() + (k + 1) * width);
    };
    return {t[static_cast<std::size_t>(k)], part(q, model.nq()), part(u, model.nu()), part(d, model.nd())};
  }
};

std::span<const double> row(const std::vector<double>& x, int k, int width) {
  return std::span(x).subspan(static_cast<std::size_t>(k * width), static_cast<std::size_t>(width));
}

// Bit by bit: NaN is equal to itself.
bool is_same(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

double largest(std::span<const double> x) {
  double most = 0.0;
  for (const double y : x) most = std::max(most, std::abs(y));
  return most;
}
double largest_difference(std::span<const double> a, std::span<const double> b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

class OnInstructionSet : public testing::TestWithParam<InstructionSet> {
 protected:
  BatchDynamics make(const std::shared_ptr<const Model>& model, Executor* executor = nullptr) const {
    return {model, calc_properties(*model), executor, GetParam()};
  }
};
INSTANTIATE_TEST_SUITE_P(Available, OnInstructionSet, testing::ValuesIn(available_instruction_sets()),
                         [](const auto& set) { return std::string(to_string(set.param)); });

// Errors of udot are those of the sums in the mass matrix times its condition number: both ways leave them.
TEST_P(OnInstructionSet, AccelerationsAreThoseOfSingleStatesOnRandomTrees) {
  double most_motion = 0.0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto model = freeze(random_system(seed));
    const States states(*model, 11, seed);
    BatchDynamics batch = make(model);
    std::vector<double> udot(states.u.size()), expected(static_cast<std::size_t>(model->nu()));
    const auto failures = batch.calc_udot(states.arrays(), udot);
    ASSERT_TRUE(failures.empty()) << seed << ": " << failures.front().reason;
    ForwardDynamics single(model, calc_properties(*model), "recursive");
    for (int k = 0; k < states.count; ++k) {
      single.calc_udot(states.state(*model, k), expected, row(states.tau, k, model->nu()));
      const double scale = largest(expected);
      EXPECT_LE(largest_difference(row(udot, k, model->nu()), expected), 1e-9 * scale + 1e-12)
          << "seed " << seed << ", state " << k;
      most_motion = std::max(most_motion, scale);
    }
  }
  EXPECT_GT(most_motion, 1.0);
}

TEST_P(OnInstructionSet, ForcesAreThoseOfSingleStatesOnRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto model = freeze(random_system(seed));
    const States states(*model, 11, seed);
    BatchDynamics batch = make(model);
    std::vector<double> tau(states.u.size());
    ASSERT_TRUE(batch.calc_tau(states.arrays(), states.udot, tau).empty());
    ForwardDynamics single(model, calc_properties(*model), "recursive");
    InverseDynamics<double> inverse(*model);
    for (int k = 0; k < states.count; ++k) {
      single.update(states.state(*model, k));
      const auto udot = row(states.udot, k, model->nu());
      update_inverse_dynamics<double>(*model, single.properties(), single.kinematics(), single.forces(), udot,
                                      inverse);
      const auto scale = calc_residual_scale(*model, single.properties(), single.kinematics(),
                                             single.forces(), udot, inverse);
      for (std::size_t i = 0; i < udot.size(); ++i) {
        const auto at = static_cast<std::size_t>(k * model->nu()) + i;
        // Round-off of as many terms as a path through sixty bodies has.
        EXPECT_NEAR(tau[at], inverse.residual[i] - states.tau[at], 1e-13 * scale[i])
            << "seed " << seed << ", state " << k << ", " << model->u_names()[i];
      }
    }
  }
}

TEST_P(OnInstructionSet, ResultsDoNotDependOnOrderNumberOrThreads) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto model = freeze(random_system(seed));
    const int nq = model->nq(), nu = model->nu();
    const States states(*model, 301, seed);
    std::vector<double> expected(states.u.size()), udot(states.u.size());
    BatchDynamics batch = make(model);
    ASSERT_TRUE(batch.calc_udot(states.arrays(), expected).empty());

    Executor executor(3);
    BatchDynamics threads = make(model, &executor);
    ASSERT_TRUE(threads.calc_udot(states.arrays(), udot).empty());
    EXPECT_TRUE(is_same(udot, expected)) << "three threads, seed " << seed;

    States turned = states;  // by 100
    std::rotate(turned.t.begin(), turned.t.begin() + 100, turned.t.end());
    std::rotate(turned.q.begin(), turned.q.begin() + 100 * nq, turned.q.end());
    std::rotate(turned.u.begin(), turned.u.begin() + 100 * nu, turned.u.end());
    std::rotate(turned.tau.begin(), turned.tau.begin() + 100 * nu, turned.tau.end());
    ASSERT_TRUE(batch.calc_udot(turned.arrays(), udot).empty());
    std::rotate(udot.begin(), udot.end() - 100 * nu, udot.end());
    EXPECT_TRUE(is_same(udot, expected)) << "another order, seed " << seed;

    std::vector<double> alone(static_cast<std::size_t>(nu));
    for (const int k : {0, 7, 150, 300}) {
      const StateArrays one{1,  row(states.t, k, 1),   row(states.q, k, nq), row(states.u, k, nu),
                            {}, row(states.tau, k, nu)};
      ASSERT_TRUE(batch.calc_udot(one, alone).empty());
      EXPECT_TRUE(is_same(alone, row(expected, k, nu))) << "state " << k << " alone, seed " << seed;
    }
  }
}

// An arm whose second mount is turned by `tilt` and whose links differ from set to set: at a tilt of zero the
// axes of its joints are at right angles, otherwise not. All forces that act on a body are there.
System tilted_arm() {
  System system;
  system.gravity = {0, 0, -9.81};
  system.parameters = {{"tilt", 0.0}, {"length", 1.0}, {"mass", 1.0}, {"rotor", 0.0}};
  std::string mount = "ground.origin";
  for (int i = 0; i < 4; ++i) {
    const std::string name = "link" + std::to_string(i);
    BodySpec& link = system.add_body(name, "mass");
    link.center_of_mass = {"length/2", 0.02 * i, 0};
    link.inertia.xx = 0.02, link.inertia.yy = link.inertia.zz = 0.05;
    PointSpec& tip = link.add_point("tip", {"length", 0, 0.1 * i});
    if (i == 1) tip.axes = RotationSpec::axis_angle({1, 0, 0}, "tilt");
    JointSpec& joint = system.add_joint("joint" + std::to_string(i), "revolute", mount, name + ".origin");
    joint.axis = i % 2 == 0 ? Triple{0, 1, 0} : Triple{0, 0, 1};
    if (i == 2) joint.armature = "rotor";
    mount = name + ".tip";
  }
  ForceSpec& spring = system.add_force("spring", "spring_damper");
  spring.from = "ground.origin", spring.to = "link3.tip", spring.stiffness = {30.0};
  return system;
}

TEST_P(OnInstructionSet, EachLaneMayHavePropertiesOfItsOwn) {
  const auto model = freeze(tilted_arm());
  const auto lanes = static_cast<std::size_t>(lanes_of(GetParam()));
  for (const double tilt : {0.0, 0.3}) {  // of all sets but the first
    std::vector<Properties<double>> sets;
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto x = static_cast<double>(l);
      const std::vector<double> parameters{l == 0 ? 0.0 : tilt, 1.0 + 0.1 * x, 2.0 - 0.2 * x, 0.01 * x};
      sets.push_back(calc_properties<double>(*model, parameters));
    }
    std::vector<const Properties<double>*> pointers;
    for (const Properties<double>& set : sets) pointers.push_back(&set);
    const auto kernel = make_batch_kernel(GetParam(), *model, pointers);
    const States states(*model, static_cast<int>(lanes), 7);
    std::vector<double> udot(states.u.size()), expected(4);
    ASSERT_EQ(kernel->calc_udot(states.arrays(), 0, states.count, udot.data()), 0);
    for (int k = 0; k < states.count; ++k) {
      ForwardDynamics single(model, sets[static_cast<std::size_t>(k)], "recursive");
      single.calc_udot(states.state(*model, k), expected, row(states.tau, k, 4));
      EXPECT_LE(largest_difference(row(udot, k, 4), expected), 1e-11 * largest(expected))
          << "lane " << k << ", tilt " << tilt;
    }
  }
}

// Squares of such masses overflow; the accelerations do not depend on them.
TEST_P(OnInstructionSet, HugeMassesAreNotTakenForRoundOff) {
  System system;
  system.gravity = {0, 0, -9.81};
  BodySpec& rod = system.add_body("rod", 1e200);
  rod.center_of_mass = {0.5, 0, 0};
  rod.inertia.xx = 1e199, rod.inertia.yy = rod.inertia.zz = 1e200;
  system.add_joint("hinge", "revolute", "ground.origin", "rod.origin").axis = Triple{0, 1, 0};
  const auto model = freeze(system);
  BatchDynamics dynamics(model, calc_properties(*model), nullptr, GetParam());
  std::vector<double> q{0.0}, u{0.0}, udot(1);
  EXPECT_TRUE(dynamics.calc_udot({.count = 1, .q = q, .u = u}, udot).empty());
  EXPECT_NEAR(udot[0], 0.5 * 9.81 / 1.25, 1e-12);
}

// Rotations z, y, x one after the other: where the second is a right angle, the first and the last are about
// one axis and the bodies between, which have no mass, leave nothing to resist.
System gimbal() {
  System system;
  system.gravity = {0, 0, -9.81};
  system.add_body("outer", 0.0);
  system.add_body("inner", 0.0);
  BodySpec& wheel = system.add_body("wheel", 2.0);
  wheel.center_of_mass = {0.1, 0.2, 0.3};
  wheel.inertia.xx = 0.1, wheel.inertia.yy = 0.2, wheel.inertia.zz = 0.15;
  system.add_joint("z", "revolute", "ground.origin", "outer.origin").axis = Triple{0, 0, 1};
  system.add_joint("y", "revolute", "outer.origin", "inner.origin").axis = Triple{0, 1, 0};
  system.add_joint("x", "revolute", "inner.origin", "wheel.origin").axis = Triple{1, 0, 0};
  return system;
}

TEST_P(OnInstructionSet, StatesThatFailSpoilNoOther) {
  const auto model = freeze(gimbal());
  States states(*model, 40, 3);
  std::vector<double> expected(states.u.size()), udot(states.u.size());
  BatchDynamics batch = make(model);
  ASSERT_TRUE(batch.calc_udot(states.arrays(), expected).empty());
  states.q[3 * 5 + 1] = std::numbers::pi / 2;  // state 5: gimbal lock
  states.q[3 * 13] = std::nan("");
  states.u[3 * 14 + 2] = std::numeric_limits<double>::infinity();
  states.q[3 * 22] += 2e6 * std::numbers::pi;  // beyond what the polynomials reduce
  const auto failures = batch.calc_udot(states.arrays(), udot);
  ASSERT_EQ(failures.size(), 3U);
  EXPECT_EQ(failures[0].state, 5);
  EXPECT_NE(failures[0].reason.find("the mass matrix is singular at joint z"), std::string::npos)
      << failures[0].reason;
  EXPECT_EQ(failures[1].state, 13);
  EXPECT_EQ(failures[1].reason, "z.q is not finite");
  EXPECT_EQ(failures[2].state, 14);
  EXPECT_EQ(failures[2].reason, "x.u is not finite");
  for (int k = 0; k < states.count; ++k) {
    if (k == 5 || k == 13 || k == 14) {
      for (const double x : row(udot, k, 3)) EXPECT_TRUE(std::isnan(x));
    } else if (k == 22) {
      EXPECT_LE(largest_difference(row(udot, k, 3), row(expected, k, 3)),
                1e-8 * largest(row(expected, k, 3)));
    } else {
      EXPECT_TRUE(is_same(row(udot, k, 3), row(expected, k, 3))) << k;
    }
  }
}

TEST_P(OnInstructionSet, ForcesThatFailAreNamedForTheirState) {
  System system;
  system.add_body("ball", 1.0);
  system.add_joint("slide", "xyz", "ground.origin", "ball.origin");
  ForceSpec& spring = system.add_force("spring", "spring_damper");
  spring.from = "ground.origin", spring.to = "ball.origin", spring.stiffness = {3.0};
  ForceSpec& drive = system.add_force("drive", "joint_force");
  drive.joint = "slide";
  drive.value = {0.0, "sqrt(slide.q[1])", 0.0};
  const auto model = freeze(system);
  States states(*model, 9, 1);
  for (double& x : states.q) x = std::abs(x) + 0.1;
  for (const std::size_t i : {6, 7, 8}) states.q[i] = 0.0;  // state 2: at the ground's origin
  states.q[3 * 7 + 1] = -1.0;
  std::vector<double> udot(states.u.size());
  const auto failures = make(model).calc_udot(states.arrays(), udot);
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_EQ(failures[0].state, 2);
  EXPECT_EQ(failures[0].reason, "the two points of spring coincide, so that its force has no direction");
  EXPECT_EQ(failures[1].state, 7);
  EXPECT_NE(failures[1].reason.find("drive"), std::string::npos) << failures[1].reason;
}

class UpwardForce : public UserForce {
 public:
  void add_force(double, std::span<const BodyMotion<double>>,
                 std::span<SpatialForce<double>> forces) const override {
    forces[1].force.z += 5.0;
  }
};

TEST_P(OnInstructionSet, UserForcesAreCalledForEachState) {
  System system;
  system.add_body("ball", 2.0);
  system.add_joint("slide", "xyz", "ground.origin", "ball.origin");
  system.add_user_force("lift", std::make_shared<UpwardForce>());
  const auto model = freeze(system);
  const States states(*model, 5, 1);
  std::vector<double> udot(states.u.size());
  ASSERT_TRUE(make(model).calc_udot(states.arrays(), udot).empty());
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_DOUBLE_EQ(udot[3 * k + 2], (5.0 + states.tau[3 * k + 2]) / 2.0);
  }
}

TEST_P(OnInstructionSet, ArraysOfAnotherSizeAreRefused) {
  const auto model = freeze(gimbal());
  States states(*model, 4, 1);
  std::vector<double> udot(states.u.size());
  states.u.pop_back();
  try {
    make(model).calc_udot(states.arrays(), udot);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "u has 11 numbers; 4 states of 3 each are 12");
  }
}

TEST(InstructionSets, AreChosenByTheEnvironment) {
  ASSERT_EQ(setenv("SESTINA_INSTRUCTION_SET", "portable", 1), 0);
  EXPECT_EQ(default_instruction_set(), InstructionSet::kPortable);
  ASSERT_EQ(setenv("SESTINA_INSTRUCTION_SET", "mmx", 1), 0);
  EXPECT_THROW(default_instruction_set(), InputError);
  ASSERT_EQ(unsetenv("SESTINA_INSTRUCTION_SET"), 0);
  EXPECT_EQ(default_instruction_set(), available_instruction_sets().back());
}

}  // namespace
}  // namespace sestina
