// The result of freeze(): order, names, coordinates, the initial state; and that a model is independent of
// its description.
#include "sestina/model/freeze.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "dynamics/random_systems.h"
#include "model/example_system.h"
#include "model/flatten.h"
#include "sestina/base/error.h"

namespace sestina {
namespace {

using namespace testing_support;

TEST(Freeze, NumbersBodiesDepthFirstWithChildrenInTheOrderGiven) {
  System system;
  for (const char* name : {"leaf", "right", "root", "left", "alone"}) system.add_body(name, 1);
  system.add_joint("j1", "xyz", "left.origin", "leaf.origin");
  system.add_joint("j2", "xyz", "root.origin", "left.origin");
  system.add_joint("j3", "xyz", "ground.origin", "root.origin");
  system.add_joint("j4", "xyz", "root.origin", "right.origin");
  const auto model = freeze(system);
  std::vector<std::string> names;
  for (const BodyInfo& body : model->bodies()) names.push_back(body.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ground", "root", "right", "left", "leaf", "alone"}));
}

TEST(Freeze, PutsParentsBeforeChildrenAndKeepsSubtreesAndCoordinatesConsecutive) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto model = freeze(random_system(seed));
    const auto& bodies = model->bodies();
    int nq = 0, nu = 0;
    for (BodyIndex b{1}; b.value() < bodies.size(); ++b) {
      const BodyInfo& body = bodies[b];
      ASSERT_LT(body.parent.value(), b.value());
      EXPECT_EQ(body.q_start, nq);
      EXPECT_EQ(body.u_start, nu);
      nq += body.nq, nu += body.nu;
      EXPECT_EQ(model->body(body.name), b);
      EXPECT_EQ(model->body_of_joint(body.joint_name), b);
      for (int k = 0; k < body.nu; ++k) EXPECT_EQ(model->body_of_speed(body.u_start + k), b);
      EXPECT_EQ(model->points()[body.child_point].body, b);
      EXPECT_EQ(model->points()[body.parent_point].body, body.parent);
      // The body before b is its parent, or in the subtree of a child of it: the way up from there meets it.
      BodyIndex before(b.value() - 1);
      while (before != body.parent && before != kGround) before = bodies[before].parent;
      EXPECT_EQ(before, body.parent) << "the subtree of " << bodies[body.parent].name << " is torn";
    }
    EXPECT_EQ(model->nq(), nq);
    EXPECT_EQ(model->nu(), nu);
  }
}

TEST(Freeze, NamesCoordinatesAndTheirUnits) {
  const auto model = freeze(example_system());
  const BodyInfo& arm = model->bodies()[model->body("arm")];
  const BodyInfo& ball = model->bodies()[model->body("ball")];
  const BodyInfo& box = model->bodies()[model->body("box")];
  const auto q = [&](int k) { return model->q_names()[static_cast<std::size_t>(k)]; };
  const auto u = [&](int k) { return model->u_names()[static_cast<std::size_t>(k)]; };
  EXPECT_EQ(q(arm.q_start), "shoulder.q");
  EXPECT_EQ(u(arm.u_start), "shoulder.u");
  EXPECT_EQ(q(ball.q_start + 3), "wrist.q[3]");
  EXPECT_EQ(u(ball.u_start + 2), "wrist.u[2]");
  EXPECT_EQ(box.joint_name, "box") << "a floating body's joint bears its name";
  EXPECT_EQ(box.joint_type, JointType::kFree);
  EXPECT_EQ(q(box.q_start + 6), "box.q[6]");
  EXPECT_EQ(model->q_units()[static_cast<std::size_t>(box.q_start)], "m");
  EXPECT_EQ(model->u_units()[static_cast<std::size_t>(box.u_start)], "rad/s");
  EXPECT_EQ(model->points()[model->point("arm.tip")].body, model->body("arm"));
  EXPECT_EQ(model->points()[model->point("ground.origin")].body, kGround);
}

TEST(Freeze, TakesInitialValuesAndTheIdentityWhereThereAreNone) {
  const auto model = freeze(example_system());
  const State<double> state = calc_initial_state(*model);
  const auto q = [&](const char* body, int k) {
    return state.q[static_cast<std::size_t>(model->bodies()[model->body(body)].q_start + k)];
  };
  const auto u = [&](const char* body, int k) {
    return state.u[static_cast<std::size_t>(model->bodies()[model->body(body)].u_start + k)];
  };
  EXPECT_EQ(state.t, 0.0);
  EXPECT_EQ(q("arm", 0), 0.3);
  EXPECT_EQ(u("arm", 0), 0.8) << "the parameter l";
  EXPECT_EQ(q("hand", 1), 0.2);
  EXPECT_EQ(u("hand", 1), 0.0);
  EXPECT_EQ(u("ball", 2), 3.0);
  for (int k = 0; k < 7; ++k) EXPECT_EQ(q("box", k), k == 3 ? 1.0 : 0.0) << k;
}

TEST(Freeze, NormalisesEulerParametersThatAreNearlyOfNormOne) {
  System system = example_system();
  JointSpec& wrist = system.joint("wrist");
  wrist.q = {0.6 * (1 + 9e-7), 0, 0.8 * (1 + 9e-7), 0};
  const auto model = freeze(system);
  const State<double> state = calc_initial_state(*model);
  const auto first = static_cast<std::size_t>(model->bodies()[model->body("ball")].q_start);
  EXPECT_NEAR(state.q[first], 0.6, 1e-15);  // a division and a root
  EXPECT_NEAR(state.q[first + 2], 0.8, 1e-15);
  wrist.q = {0.6 * (1 + 2e-6), 0, 0.8 * (1 + 2e-6), 0};
  EXPECT_THROW(freeze(system), InputError);
}

TEST(Freeze, OrdersFreeParametersAsGivenAndResolvesTheOthers) {
  System system;
  system.set_parameter("c", "a + b");  // used before they are defined
  system.set_parameter("b", 2);
  system.set_parameter("d", "c*c");
  system.set_parameter("a", 1);
  system.add_body("body", "d + c");
  const auto model = freeze(system);
  ASSERT_EQ(model->parameters().size(), 2U);
  EXPECT_EQ(model->parameters()[0].name, "b");
  EXPECT_EQ(model->parameters()[1].name, "a");
  EXPECT_EQ(calc_properties(*model).bodies[BodyIndex(1)].M.mass, 12.0);
  const double values[] = {5.0, 10.0};
  EXPECT_EQ(calc_properties<double>(*model, values).bodies[BodyIndex(1)].M.mass, 240.0);
}

TEST(Freeze, LeavesTheSystemToBeEditedAndFrozenAgain) {
  System system = example_system();
  const auto first = freeze(system);
  system.set_parameter("l", 1.6);
  system.body("arm").mass = 7;
  system.add_body("extra", 1).inertia = {.xx = 1, .yy = 1, .zz = 1};
  const auto second = freeze(system);
  const auto mass = [](const Model& model) {
    return calc_properties(model).bodies[model.body("arm")].M.mass;
  };
  EXPECT_EQ(mass(*first), 2.0) << "a model does not change with the system it came from";
  EXPECT_EQ(mass(*second), 7.0);
  EXPECT_EQ(second->nu(), first->nu() + 6);
  system = System();
  EXPECT_EQ(mass(*second), 7.0) << "nor end with it";
}

TEST(Freeze, OfTheSameSystemGivesTheSameModel) {
  const System system = random_system(11);
  const auto a = freeze(system), b = freeze(system);
  EXPECT_EQ(flatten(calc_properties(*a)), flatten(calc_properties(*b)));
  EXPECT_EQ(calc_initial_state(*a).q, calc_initial_state(*b).q);
  EXPECT_EQ(a->q_names(), b->q_names());
}

TEST(Model, IsSharedByThreads) {
  const auto model = freeze(random_system(12));
  const auto expected = flatten(calc_properties(*model));
  const std::vector<double> q = calc_initial_state(*model).q;
  std::vector<int> differences(4, 0);
  std::vector<std::thread> threads;
  for (int& count : differences) {
    threads.emplace_back([&, shared = model] {
      for (int i = 0; i < 20; ++i) {
        if (flatten(calc_properties(*shared)) != expected) ++count;
        if (calc_initial_state(*shared).q != q) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(differences, std::vector<int>(4, 0));
}

TEST(Model, ExplainsAForceThatIsNotFinite) {
  System system = example_system();
  system.force("drive").value = {"1/(t - m)"};
  const auto model = freeze(system);
  State<double> state = calc_initial_state(*model);
  state.t = 2.0;
  const std::string text = model->explain_force_expression(0, calc_properties(*model), state);
  EXPECT_NE(text.find("drive"), std::string::npos) << text;
  EXPECT_NE(text.find("not finite"), std::string::npos) << text;
}

TEST(Coordinates, PlusAndMinusAreInverse) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto model = freeze(random_system(seed));
    const State<double> state = calc_initial_state(*model);
    SplitMix random(seed);
    std::vector<double> d(state.u.size()), back(state.u.size());
    for (double& x : d) x = random.signed_unit();
    std::vector<double> q(state.q.size());
    plus_q<double>(*model, state.q, d, q);
    minus_q<double>(*model, q, state.q, back);
    for (std::size_t k = 0; k < d.size(); ++k) EXPECT_NEAR(back[k], d[k], 1e-14);  // a few roundings
  }
}

}  // namespace
}  // namespace sestina
