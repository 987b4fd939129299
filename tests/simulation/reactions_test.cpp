// Reactions of joints, found in three independent ways: along auxiliary speeds by Kane's method, as
// multipliers of the constraints between free bodies, and by the recursive solver of the model.
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"
#include "sestina/simulation/symbolic_system.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

// A double pendulum of rods in the plane of x and y, y up, a spring and a damper at the knee.
constexpr double kLength[] = {0.8, 0.5}, kMass[] = {2.0, 1.3}, kInertia[] = {0.11, 0.03}, kGravity = 9.81,
                 kStiffness = 3.0, kDamping = 0.4;

std::shared_ptr<const Model> double_pendulum() {
  return freeze(read_model(R"(
sestina: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: upper, mass: 2, center_of_mass: [0.4, 0, 0], inertia: {xx: 0.01, yy: 0.11, zz: 0.11}, points: {knee: [0.8, 0, 0]}}
  - {name: lower, mass: 1.3, center_of_mass: [0.25, 0, 0], inertia: {xx: 0.01, yy: 0.03, zz: 0.03}}
joints:
  - {name: hip, type: revolute, parent: ground.origin, child: upper.origin, axis: [0, 0, 1]}
  - {name: knee, type: revolute, parent: upper.knee, child: lower.origin, axis: [0, 0, 1]}
forces:
  - {name: spring, type: joint_spring, joint: knee, stiffness: 3}
  - {name: damper, type: joint_damper, joint: knee, damping: 0.4}
)"));
}

struct Forces {
  double hip[2], knee[2];  // N, x and y, of the parent on the child
};

Forces by_recursion(const std::shared_ptr<const Model>& model, const State<double>& state) {
  ForwardDynamics dynamics(model, calc_properties(*model), "recursive");
  std::vector<double> udot(2);
  dynamics.calc_udot(state, udot);
  std::vector<SpatialForce<double>> reactions(model->bodies().size());
  dynamics.calc_reactions(udot, reactions);
  return {{reactions[1].force.x, reactions[1].force.y}, {reactions[2].force.x, reactions[2].force.y}};
}

// Each joint may come apart along two auxiliary speeds, against the force that holds it together.
class ByAuxiliarySpeeds {
 public:
  ByAuxiliarySpeeds() {
    const auto q = mechanics.dynamicsymbols<2>("q1 q2"), u = mechanics.dynamicsymbols<2>("u1 u2");
    const auto apart = mechanics.dynamicsymbols<4>("v1 v2 v3 v4");
    forces = mechanics.dynamicsymbols<4>("F1 F2 F3 F4");
    const ReferenceFrame N = mechanics.frame("N"), A = N.orientnew("A", q[0], N.z()),
                         B = A.orientnew("B", q[1], A.z());
    A.set_ang_vel(N, u[0] * N.z());
    B.set_ang_vel(A, u[1] * N.z());
    const Point O = mechanics.point("O"), hip = O.locatenew("hip", Vector()),
                C = hip.locatenew("C", kLength[0] / 2 * A.x()),
                end = hip.locatenew("end", kLength[0] * A.x()), knee = end.locatenew("knee", Vector()),
                D = knee.locatenew("D", kLength[1] / 2 * B.x());
    O.set_vel(N, Vector());
    hip.set_vel(N, apart[0] * N.x() + apart[1] * N.y());
    C.v2pt_theory(hip, N, A);
    end.v2pt_theory(hip, N, A);
    knee.set_vel(N, end.vel(N) + apart[2] * N.x() + apart[3] * N.y());
    D.v2pt_theory(knee, N, B);
    const std::vector<Body> bodies = {RigidBody{"upper", C, A, kMass[0], inertia(A, 0, 0, kInertia[0]), C},
                                      RigidBody{"lower", D, B, kMass[1], inertia(B, 0, 0, kInertia[1]), D}};
    const Vector torque = (-kStiffness * q[1] - kDamping * u[1]) * N.z(),
                 at_hip = forces[0] * N.x() + forces[1] * N.y(),
                 at_knee = forces[2] * N.x() + forces[3] * N.y();
    std::vector<Load> loads = gravity(-kGravity * N.y(), bodies);
    const Load joints[] = {Torque{B, torque}, Torque{A, -torque}, Force{hip, at_hip}, Force{knee, at_knee},
                           Force{end, -at_knee}};
    loads.insert(loads.end(), std::begin(joints), std::end(joints));
    kane.emplace(N,
                 KaneOptions{.q_ind = {q[0], q[1]},
                             .u_ind = {u[0], u[1]},
                             .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]},
                             .u_auxiliary = {apart.begin(), apart.end()}},
                 bodies, loads);
    const std::vector<Expression> unknown(forces.begin(), forces.end());
    const Matrix& balance = kane->auxiliary_eqs();
    Replacements without;
    for (const Expression& force : unknown) without.emplace_back(force, 0);
    solved = solve_linear(mechanics, jacobian(mechanics, balance, unknown),
                          -substitute(mechanics, balance, without), "the reactions");
  }

  Forces at(const State<double>& state) {
    SymbolicSystem system(*kane);
    for (const Expression& force : forces) system.set_input(force, 0);  // which do no work
    for (std::size_t i = 0; i < 2; ++i) {
      system.set_initial({{kane->q()[i], state.q[i]}, {kane->u()[i], state.u[i]}});
    }
    const std::vector<double> values = system.evaluate_at_start(solved.elements());
    return {{values[0], values[1]}, {values[2], values[3]}};
  }

 private:
  Mechanics mechanics;
  std::array<Expression, 4> forces;
  std::optional<KanesMethod> kane;
  Matrix solved;
};

// Two free rods in the plane, by the coordinates of their mass centres and their angles, pinned by
// constraints.
class ByMultipliers {
 public:
  ByMultipliers() {
    const auto q = mechanics.dynamicsymbols<6>("x1 y1 a1 x2 y2 a2");
    Expression L = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const Expression& y = q[3 * i + 1];
      L += kMass[i] * (pow(mechanics.rate(q[3 * i]), 2) + pow(mechanics.rate(y), 2)) / 2 +
           kInertia[i] * pow(mechanics.rate(q[3 * i + 2]), 2) / 2 - kMass[i] * kGravity * y;
    }
    const auto end = [&](std::size_t i, double part) {
      return std::array{q[3 * i] + part * kLength[i] * cos(q[3 * i + 2]),
                        q[3 * i + 1] + part * kLength[i] * sin(q[3 * i + 2])};
    };
    const auto hip = end(0, -0.5), upper = end(0, 0.5), knee = end(1, -0.5);
    const ReferenceFrame N = mechanics.frame("N"), A = N.orientnew("A", q[2], N.z()),
                         B = N.orientnew("B", q[5], N.z());
    const Vector torque =
        (-kStiffness * (q[5] - q[2]) - kDamping * (mechanics.rate(q[5]) - mechanics.rate(q[2]))) * N.z();
    LagrangeOptions options;
    options.hol_coneqs = {hip[0], hip[1], knee[0] - upper[0], knee[1] - upper[1]};
    options.forcelist = {Torque{B, torque}, Torque{A, -torque}};
    options.frame = N;
    lagrange.emplace(mechanics, L, std::vector<Expression>(q.begin(), q.end()), options);
    system.emplace(mechanics, *lagrange);
  }

  Forces at(const State<double>& state) {
    const double angle[] = {state.q[0], state.q[0] + state.q[1]},
                 rate[] = {state.u[0], state.u[0] + state.u[1]};
    const std::vector<Expression>& q = lagrange->q();
    double x = 0.0, y = 0.0, vx = 0.0, vy = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double half = kLength[i] / 2, c = half * std::cos(angle[i]), s = half * std::sin(angle[i]);
      system->set_initial({{q[3 * i], x + c},
                           {q[3 * i + 1], y + s},
                           {q[3 * i + 2], angle[i]},
                           {mechanics.rate(q[3 * i]), vx - s * rate[i]},
                           {mechanics.rate(q[3 * i + 1]), vy + c * rate[i]},
                           {mechanics.rate(q[3 * i + 2]), rate[i]}});
      x += 2 * c, y += 2 * s, vx -= 2 * s * rate[i], vy += 2 * c * rate[i];
    }
    const std::vector<double> values = system->evaluate_at_start(lagrange->lam_vec());
    return {{-values[0], -values[1]}, {-values[2], -values[3]}};  // they count against the constraints
  }

 private:
  Mechanics mechanics;
  std::optional<LagrangesMethod> lagrange;
  std::optional<SymbolicSystem> system;
};

TEST(Reactions, AuxiliarySpeedsMultipliersAndRecursionAgree) {
  const auto model = double_pendulum();
  ByAuxiliarySpeeds auxiliary;
  ByMultipliers multipliers;
  for (const State<double>& state : scatter_states(*model, 50, 3.0, 11)) {
    const Forces expected = by_recursion(model, state), a = auxiliary.at(state), b = multipliers.at(state);
    const double scale = std::abs(expected.hip[0]) + std::abs(expected.hip[1]) + 1.0;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(a.hip[i], expected.hip[i], 1e-12 * scale);
      EXPECT_NEAR(a.knee[i], expected.knee[i], 1e-12 * scale);
      EXPECT_NEAR(b.hip[i], expected.hip[i], 1e-12 * scale);
      EXPECT_NEAR(b.knee[i], expected.knee[i], 1e-12 * scale);
    }
    EXPECT_GT(scale, 2.0);
  }
}

}  // namespace
}  // namespace sestina::symbolic
