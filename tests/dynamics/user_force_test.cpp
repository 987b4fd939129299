// A user's force in the equations of motion: what it is given, where its forces act, and its faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "dynamics/evaluation.h"
#include "dynamics/random_systems.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/analysis.h"

namespace sestina {
namespace {

using namespace testing_support;
using testing::HasSubstr;

using Bodies = std::span<const BodyMotion<double>>;
using Forces = std::span<SpatialForce<double>>;

class Callback : public UserForce {
 public:
  explicit Callback(std::function<void(double, Bodies, Forces)> f) : f_(std::move(f)) {}
  void prepare(std::span<const std::string> body_names) override {
    names.assign(body_names.begin(), body_names.end());
  }
  void add_force(double t, Bodies bodies, Forces forces) const override { f_(t, bodies, forces); }
  std::vector<std::string> names;

 private:
  std::function<void(double, Bodies, Forces)> f_;
};

TEST(UserForce, IsGivenTheBodiesOwnFramesInTheModelsOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    System system = random_system(seed);
    for (BodySpec& body : system.bodies) body.add_point("ahead", {0, 1, 0});  // to see the frame's y axis
    std::vector<BodyMotion<double>> seen;
    double seen_time = 0.0;
    auto force = std::make_shared<Callback>([&](double t, Bodies bodies, Forces) {
      seen_time = t;
      seen.assign(bodies.begin(), bodies.end());
    });
    Evaluation<Dual> dual(freeze(system));  // without the user's force, which has no derivatives
    system.add_user_force("watch", force);
    Evaluation<double> at(freeze(system));
    State<double> state = scatter_states(*at.model, 1, 1.0, seed)[1];
    state.t = 2.5;
    at.update(state);
    dual.update(moving_state(*at.model, state, state.u, std::vector<double>(state.u.size()), 1.0));
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(at.model->bodies().size()));
    EXPECT_EQ(seen_time, 2.5);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const BodyIndex b(static_cast<int>(i));
      const std::string& name = at.model->bodies()[b].name;
      EXPECT_EQ(force->names[i], name);
      if (b == kGround) continue;
      const auto point = [&](const std::string& p) {
        return calc_point_position(dual.properties, dual.kinematics, at.model->point(name + "." + p));
      };
      const Vec3<Dual> origin = point("origin"), y = point("ahead") - origin;
      const auto values = [](const Vec3<Dual>& v) { return Vec3<double>{v.x.v, v.y.v, v.z.v}; };
      const auto rates = [](const Vec3<Dual>& v) { return Vec3<double>{v.x.d, v.y.d, v.z.d}; };
      // Round-off over up to sixty joints with speeds up to some hundred.
      EXPECT_LE(norm(seen[i].X_WB.p - values(origin)), 1e-12) << name;
      EXPECT_LE(norm(seen[i].X_WB.R.column(1) - values(y)), 1e-12) << name;
      EXPECT_LE(norm(seen[i].V_WB.v - rates(origin)), 1e-10) << name;
      EXPECT_LE(norm(cross(seen[i].V_WB.w, seen[i].X_WB.R.column(1)) - rates(y)), 1e-10) << name;
    }
  }
}

TEST(UserForce, ActsAsAPointForceAndAPointTorqueAtTheBodysOrigin) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const System plain = random_system(seed);
    const std::string body = plain.bodies.front().name.text;
    System given = plain, user = plain;
    ForceSpec& force = given.add_force("push", "point_force");
    force.at = body + ".origin", force.value = {3, "t", -2};
    ForceSpec& torque = given.add_force("twist", "point_torque");
    torque.at = body + ".origin", torque.value = {-1, 0.5, "2*t"};
    const auto model = freeze(given);
    const auto index = static_cast<std::size_t>(model->body(body).value());
    user.add_user_force("mine", std::make_shared<Callback>([&](double t, Bodies, Forces forces) {
                          forces[index] += {{-1, 0.5, 2 * t}, {3, t, -2}};
                        }));
    State<double> state = scatter_states(*model, 1, 1.0, seed)[1];
    state.t = 1.5;
    Evaluation<double> without(freeze(plain)), a(model), b(freeze(user));
    without.solve<RecursiveSolver>(state), a.solve<RecursiveSolver>(state), b.solve<RecursiveSolver>(state);
    const double tolerance = 1e-10 * std::max(1.0, largest(a.udot));  // cond(M) is up to 1e6
    double change = 0.0;
    for (std::size_t k = 0; k < a.udot.size(); ++k) {
      EXPECT_NEAR(a.udot[k], b.udot[k], tolerance) << seed;
      change = std::max(change, std::abs(a.udot[k] - without.udot[k]));
    }
    if (model->bodies()[BodyIndex(static_cast<int>(index))].nu > 0) {
      EXPECT_GT(change, 1e-6) << seed;
    }
    const auto power = [&](const Evaluation<double>& at) {
      return calc_power<double>(*at.model, at.properties, state, at.kinematics, at.forces);
    };
    EXPECT_NEAR(power(a).supplied, power(b).supplied, 1e-10 * std::max(1.0, std::abs(power(a).supplied)));
  }
}

TEST(UserForce, ActsAsAPointForceAndAPointTorqueInBodyAxes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const System plain = random_system(seed, {.is_parametrised = false});
    const BodySpec& body = plain.bodies.front();
    const auto component = [&](int k) {
      return body.points[1].position[static_cast<std::size_t>(k)].value();
    };
    const Vec3<double> p_B{component(0), component(1), component(2)};
    System given = plain, user = plain;
    ForceSpec& force = given.add_force("push", "point_force");
    force.at = body.name.text + ".p1", force.value = {3, -1, -2}, force.axes = "body";
    ForceSpec& torque = given.add_force("twist", "point_torque");
    torque.at = body.name.text + ".p1", torque.value = {-1, 0.5, 2}, torque.axes = "body";
    const auto model = freeze(given);
    const auto index = static_cast<std::size_t>(model->body(body.name.text).value());
    // The axes are the body's, not those of the point, which has its own.
    user.add_user_force("mine", std::make_shared<Callback>([&](double, Bodies bodies, Forces forces) {
                          const Rotation<double>& R = bodies[index].X_WB.R;
                          const Vec3<double> f = R * Vec3<double>{3, -1, -2};
                          forces[index] += {R * Vec3<double>{-1, 0.5, 2} + cross(R * p_B, f), f};
                        }));
    Evaluation<double> a(model), b(freeze(user));
    const State<double> state = scatter_states(*model, 1, 1.0, seed)[1];
    a.update(state), b.update(state);
    for (std::size_t i = 0; i < a.forces.body.size(); ++i) {
      // Round-off of poses over sixty joints, on forces of size ten.
      const SpatialForce<double> difference = a.forces.body[i] - b.forces.body[i];
      EXPECT_LE(norm(difference.force) + norm(difference.torque), 1e-11) << seed << ", body " << i;
    }
  }
}

// Generalised forces that depend on coordinates and speeds, by the names of joints.
class Drive : public UserForce {
 public:
  void add_forces(const UserForceInput& in, const UserForceOutput& out) const override {
    for (const UserForceLayout::Joint& joint : in.layout.joints) {
      names.push_back(joint.name);
      for (int i = joint.u_start; i < joint.u_start + joint.nu; ++i) {
        const auto k = static_cast<std::size_t>(i);
        out.tau[k] += 0.5 * in.t + in.q[static_cast<std::size_t>(joint.q_start)] - 0.1 * in.u[k];
      }
    }
  }
  mutable std::vector<std::string> names;
};

TEST(UserForce, AddsGeneralisedForcesAlongTheSpeeds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const System plain = random_system(seed);
    System user = plain;
    const auto drive = std::make_shared<Drive>();
    user.add_user_force("drive", drive);
    const auto model = freeze(plain);
    State<double> state = scatter_states(*model, 1, 1.0, seed)[1];
    state.t = 1.5;
    std::vector<double> tau(state.u.size());
    double expected_power = 0.0;
    std::size_t joints = 0;
    for (BodyIndex b{1}; b.value() < model->bodies().size(); ++b, ++joints) {
      const BodyInfo& info = model->bodies()[b];
      for (int i = info.u_start; i < info.u_start + info.nu; ++i) {
        const auto k = static_cast<std::size_t>(i);
        tau[k] = 0.75 + state.q[static_cast<std::size_t>(info.q_start)] - 0.1 * state.u[k];
        expected_power += tau[k] * state.u[k];
      }
    }
    Evaluation<double> without(model), given(model), at(freeze(user));
    without.solve<RecursiveSolver>(state);
    given.update(state, tau);
    given.solve<RecursiveSolver>();
    at.solve<RecursiveSolver>(state);
    ASSERT_EQ(drive->names.size(), joints);
    EXPECT_EQ(drive->names.front(), model->bodies()[BodyIndex(1)].joint_name);
    const double tolerance = 1e-12 * std::max(1.0, largest(at.udot));  // the same sums
    for (std::size_t k = 0; k < tau.size(); ++k) EXPECT_NEAR(at.udot[k], given.udot[k], tolerance) << seed;
    const auto supplied = [&](const Evaluation<double>& one) {
      return calc_power<double>(*one.model, one.properties, state, one.kinematics, one.forces).supplied;
    };
    // Rounding in the sum of some hundred terms.
    EXPECT_NEAR(supplied(at) - supplied(without), expected_power,
                1e-10 * std::max(1.0, std::abs(supplied(at))));
    EXPECT_GT(std::abs(expected_power), 1e-3);
  }
}

TEST(UserForce, OnTheGroundMovesNothing) {
  System system = random_system(3);
  Evaluation<double> without(freeze(system));
  system.add_user_force("mine", std::make_shared<Callback>([](double, Bodies, Forces forces) {
                          forces[0] += {{}, {9, 9, 9}};
                        }));
  Evaluation<double> at(freeze(system));
  const State<double> state = calc_initial_state(*at.model);
  EXPECT_EQ(at.solve<RecursiveSolver>(state), without.solve<RecursiveSolver>(state));
}

TEST(UserForce, ThatIsNotFiniteIsNamed) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    System system = random_system(4);
    system.add_user_force("gentle", std::make_shared<Callback>([](double, Bodies, Forces forces) {
                            forces[1] += {{}, {1, 0, 0}};
                          }));
    system.add_user_force("wild", std::make_shared<Callback>([bad](double t, Bodies, Forces forces) {
                            if (t > 1) forces[1] += {{bad, 0, 0}, {}};
                          }));
    const auto model = freeze(system);
    for (const std::string& solver : solver_names()) {
      ForwardDynamics dynamics(model, calc_properties(*model), solver);
      State<double> state = calc_initial_state(*model);
      std::vector<double> udot(state.u.size());
      EXPECT_NO_THROW(dynamics.calc_udot(state, udot));
      state.t = 2.0;
      try {
        dynamics.calc_udot(state, udot);
        FAIL() << "took " << bad;
      } catch (const ComputationError& error) {
        EXPECT_EQ(error.time(), 2.0);
        EXPECT_THAT(error.reason(), HasSubstr("user force wild is not finite"));
      }
    }
  }
}

TEST(UserForce, HasNoDerivativesAndIsRefusedByName) {
  System system = random_system(5);
  system.add_user_force("mine", std::make_shared<Callback>([](double, Bodies, Forces) {}));
  Evaluation<Dual> dual(freeze(system));
  const State<double> state = calc_initial_state(*dual.model);
  const std::vector<double> zero(state.u.size());
  try {
    dual.update(moving_state(*dual.model, state, zero, zero, 0.0));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mine"));
  }
}

}  // namespace
}  // namespace sestina
