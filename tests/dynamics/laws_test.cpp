// Laws of mechanics for the accelerations of every formulation: the balance of energy, conservation of
// momentum, invariance under translation, rotation and steady motion, and that reactions accelerate the
// bodies. Time derivatives are exact: dual numbers carry q' = N u, u' = udot, t' = 1 (see moving_state).
#include <gtest/gtest.h>

#include "dynamics/evaluation.h"
#include "dynamics/random_systems.h"
#include "sestina/dynamics/comparison.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr std::uint64_t kLawTrees = 60;

// The recursive solver at a random state of a random tree, and the same motion with its rates.
struct Motion {
  Motion(const System& system, std::uint64_t seed)
      : at(freeze(system)), dual(at.model), state(scatter_states(*at.model, 1, 1.0, seed)[1]) {
    state.t = 0.3;
    at.solve<RecursiveSolver>(state);
    at.residual();
    moving = moving_state(*at.model, state, state.u, at.udot, 1.0);
    dual.update(moving);
  }
  int num_bodies() const { return at.model->bodies().size(); }
  BodyIndex parent(int b) const { return at.model->bodies()[BodyIndex(b)].parent; }
  // Sum of the magnitudes of the inertial force of all bodies: the scale of the forces' round-off.
  double force_scale() const {
    double sum = 0.0;
    for (std::size_t i = 1; i < at.inverse.reaction.size(); ++i) {
      const auto F = at.kinematics.inertia[i] * at.inverse.acceleration[i];
      sum += norm(F.force) * (1.0 + norm(at.kinematics.motion[i].X_WB.p)) + norm(F.torque);
    }
    return sum;
  }

  Evaluation<double> at;
  Evaluation<Dual> dual;
  State<double> state;
  State<Dual> moving;
};

TEST(Energy, ChangesByWhatIsSuppliedLessWhatIsDissipated) {
  double most_power = 0.0, most_dissipated = 0.0, most_supplied = 0.0;
  for (std::uint64_t seed = 1; seed <= kLawTrees; ++seed) {
    Motion m(random_system(seed), seed);
    const Energy<Dual> energy =
        calc_energy<Dual>(*m.at.model, m.dual.properties, m.moving, m.dual.kinematics, m.dual.forces);
    const Power<double> power =
        calc_power<double>(*m.at.model, m.at.properties, m.state, m.at.kinematics, m.at.forces);
    double scale = power.supplied + power.dissipated;
    for (std::size_t i = 1; i < m.at.inverse.reaction.size(); ++i) {
      scale += std::abs(
          dot(m.at.kinematics.motion[i].V_WB, m.at.kinematics.inertia[i] * m.at.inverse.acceleration[i]));
    }
    // Round-off of the powers of up to sixty bodies, and 1e-12 of the terms that the residual leaves.
    EXPECT_NEAR(energy.kinetic.d + energy.potential.d, power.supplied - power.dissipated,
                1e-11 * std::max(scale, 1.0))
        << seed;
    most_power = std::max(most_power, std::abs(energy.kinetic.d));
    most_dissipated = std::max(most_dissipated, power.dissipated);
    most_supplied = std::max(most_supplied, std::abs(power.supplied));
  }
  EXPECT_GT(most_power, 1.0) << "no power, no balance";
  EXPECT_GT(most_dissipated, 1.0);
  EXPECT_GT(most_supplied, 1.0);
}

TEST(Momentum, OfAFloatingSystemIsConservedWhateverItsInnerForces) {
  double most_force = 0.0;
  for (std::uint64_t seed = 1; seed <= kLawTrees; ++seed) {
    Motion m(random_system(seed, {.has_ground_forces = false, .is_floating = true}), seed);
    const Momentum<Dual> momentum =
        calc_momentum(*m.dual.model, m.dual.properties, m.moving, m.dual.kinematics);
    const double tolerance = 1e-12 * std::max(m.force_scale(), 1.0);  // the residual of the root's joint
    EXPECT_NEAR(norm(Vec3<double>{momentum.linear.x.d, momentum.linear.y.d, momentum.linear.z.d}), 0.0,
                tolerance)
        << seed;
    EXPECT_NEAR(norm(Vec3<double>{momentum.angular.x.d, momentum.angular.y.d, momentum.angular.z.d}), 0.0,
                tolerance)
        << seed;
    most_force = std::max(most_force, m.force_scale());
  }
  EXPECT_GT(most_force, 10.0) << "nothing accelerates";
}

System floating_with_gravity(std::uint64_t seed, const Vec3<double>& gravity) {
  System system = random_system(seed, {.has_ground_forces = false, .is_floating = true});
  system.gravity = {gravity.x, gravity.y, gravity.z};
  return system;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b, std::uint64_t seed) {
  // Both are exact to cond(M) of round-off, and these trees have cond(M) up to 1e6.
  const double tolerance = 1e-10 * std::max(largest(a), 1.0);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << seed << ", speed " << k;
}

TEST(Invariance, UnderSteadyMotionAndDisplacementOfTheWhole) {
  for (std::uint64_t seed = 1; seed <= kLawTrees; ++seed) {
    Motion m(floating_with_gravity(seed, {1, -2, 3}), seed);
    State<double> other = m.state;
    ASSERT_EQ(m.at.model->bodies()[BodyIndex(1)].joint_type, JointType::kFree);
    for (std::size_t i = 0; i < 3; ++i) {
      other.q[i] += 7.0 - 3.0 * static_cast<double>(i);
      other.u[3 + i] += 5.0 + static_cast<double>(i);
    }
    other.t = m.state.t;
    const std::vector<double> udot = m.at.udot;
    expect_same(udot, m.at.solve<RecursiveSolver>(other), seed);
    expect_same(udot, m.at.solve<KaneSolver>(other), seed);
  }
}

TEST(Invariance, UnderRotationOfTheWhole) {
  const Vec3<double> gravity{1, -2, 3};
  const Vec3<double> turn{0.4, -1.2, 0.7};
  const double one[4] = {1, 0, 0, 0};
  double e[4];
  turn_euler_parameters(one, turn, e);
  const Rotation<double> R = euler_parameter_rotation(e);
  const auto turn_part = [&](std::vector<double>& x, std::size_t first) {
    const Vec3<double> v = R * Vec3<double>{x[first], x[first + 1], x[first + 2]};
    x[first] = v.x, x[first + 1] = v.y, x[first + 2] = v.z;
  };
  for (std::uint64_t seed = 1; seed <= kLawTrees; ++seed) {
    Motion m(floating_with_gravity(seed, gravity), seed);
    State<double> other = m.state;
    turn_part(other.q, 0);
    turn_euler_parameters(m.state.q.data() + 3, turn, other.q.data() + 3);
    turn_part(other.u, 0), turn_part(other.u, 3);
    std::vector<double> expected = m.at.udot;
    turn_part(expected, 0), turn_part(expected, 3);
    Evaluation<double> turned(freeze(floating_with_gravity(seed, R * gravity)));
    expect_same(expected, turned.solve<RecursiveSolver>(other), seed);
    expect_same(expected, turned.solve<KaneSolver>(other), seed);
  }
}

// The [torque; force] about the ground's origin that acts on body b from outside its subtree and from applied
// forces and weights inside it, less the rate of the subtree's momentum.
SpatialForce<double> imbalance(const Motion& m, int root, std::span<const SpatialForce<double>> reactions) {
  const auto position = [&](std::size_t i) { return m.at.kinematics.motion[i].X_WB.p; };
  const auto r = static_cast<std::size_t>(root);
  SpatialForce<double> sum = shift_back(reactions[r], position(r));
  for (int b = root; b < m.num_bodies(); ++b) {
    if (b > root && m.parent(b).value() < root) break;  // subtrees are consecutive
    const auto i = static_cast<std::size_t>(b);
    const RigidInertia<double>& M = m.at.kinematics.inertia[i];
    sum +=
        shift_back(m.at.forces.body[i] + M * SpatialMotion<double>{{}, m.at.properties.gravity}, position(i));
    const SpatialForce<Dual> p = shift_back(m.dual.kinematics.inertia[i] * m.dual.kinematics.motion[i].V_WB,
                                            m.dual.kinematics.motion[i].X_WB.p);
    sum -= {{p.torque.x.d, p.torque.y.d, p.torque.z.d}, {p.force.x.d, p.force.y.d, p.force.z.d}};
  }
  return sum;
}

TEST(Reactions, AreWhatChangesTheMomentumOfTheSubtree) {
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= kLawTrees; ++seed) {
    Motion m(random_system(seed), seed);
    RecursiveSolver<double> solver(*m.at.model);
    solver.solve(m.at.properties, m.at.kinematics, m.at.forces, m.at.udot);
    std::vector<SpatialForce<double>> own(static_cast<std::size_t>(m.num_bodies()));
    solver.calc_reactions(m.at.kinematics, m.at.forces, own);
    const double tolerance = 1e-12 * std::max(m.force_scale(), 1.0);
    for (int b = 1; b < m.num_bodies(); ++b) {
      for (const auto& reactions : {std::span(own), std::span(m.at.inverse.reaction)}) {
        const SpatialForce<double> rest = imbalance(m, b, reactions);
        EXPECT_LE(norm(rest.force), tolerance) << seed << ", body " << b;
        EXPECT_LE(norm(rest.torque), tolerance) << seed << ", body " << b;
      }
      most = std::max(most, norm(own[static_cast<std::size_t>(b)].force));
    }
  }
  EXPECT_GT(most, 10.0);
}

TEST(Reactions, DoTheWorkOfTheJointsGeneralisedForceAlongItsFreeDirections) {
  int rotors = 0;
  for (std::uint64_t seed = 1; seed <= kLawTrees; ++seed) {
    Motion m(random_system(seed), seed);
    RecursiveSolver<double> solver(*m.at.model);
    solver.solve(m.at.properties, m.at.kinematics, m.at.forces, m.at.udot);
    std::vector<SpatialForce<double>> reactions(static_cast<std::size_t>(m.num_bodies()));
    solver.calc_reactions(m.at.kinematics, m.at.forces, reactions);
    for (int b = 1; b < m.num_bodies(); ++b) {
      const BodyInfo& info = m.at.model->bodies()[BodyIndex(b)];
      for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
        const auto k = static_cast<std::size_t>(speed);
        const double armature = m.at.properties.bodies[BodyIndex(b)].armature;  // the rotor takes its share
        const SpatialForce<double>& F = reactions[static_cast<std::size_t>(b)];
        EXPECT_NEAR(dot(m.at.kinematics.H[k], F), m.at.forces.tau[k] - armature * m.at.udot[k],
                    1e-12 * std::max(m.force_scale(), 1.0))
            << seed << ", body " << b;
        rotors += armature > 0.0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(rotors, 20);
}

TEST(Kinematics, AccelerationsAreTheRatesOfVelocitiesAndVelocitiesOfPositions) {
  for (std::uint64_t seed = 1; seed <= kLawTrees; ++seed) {
    Motion m(random_system(seed), seed);
    for (int b = 1; b < m.num_bodies(); ++b) {
      const auto i = static_cast<std::size_t>(b);
      const BodyMotion<Dual>& motion = m.dual.kinematics.motion[i];
      const SpatialMotion<double>& V = m.at.kinematics.motion[i].V_WB;
      const SpatialMotion<double>& A = m.at.inverse.acceleration[i];
      const auto rate = [](const Vec3<Dual>& v) { return Vec3<double>{v.x.d, v.y.d, v.z.d}; };
      // Round-off of a chain of up to sixty products, relative to the fastest.
      const double speed = 1e-12 * (1.0 + norm(V.v) + 60.0 * norm(V.w));
      EXPECT_LE(norm(rate(motion.X_WB.p) - V.v), speed) << seed << ", body " << b;
      EXPECT_LE(norm(rate(motion.X_WB.R.column(1)) - cross(V.w, m.at.kinematics.motion[i].X_WB.R.column(1))),
                speed);
      const double acceleration = 1e-11 * (1.0 + m.force_scale());
      EXPECT_LE(norm(rate(motion.V_WB.v) - A.v), acceleration) << seed << ", body " << b;
      EXPECT_LE(norm(rate(motion.V_WB.w) - A.w), acceleration) << seed << ", body " << b;
    }
  }
}

}  // namespace
}  // namespace sestina
