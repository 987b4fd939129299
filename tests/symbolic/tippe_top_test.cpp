// The tippe top: a sphere whose mass centre lies below its middle slides on a plane and turns upside down.
// Parameters as in S. Rauch-Wojciechowski and N. Rutstam, "Dynamics of the tippe top", Regular and Chaotic
// Dynamics 18 (2013). The invariant is that of J. H. Jellett, "A treatise on the theory of friction" (1872):
// whatever the force at the contact, the angular momentum about the mass centre along the line from the
// contact does not change.
#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/symbolic/kane.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class TippeTopTest : public test::SymbolicTest {
 protected:
  static constexpr double m = 0.02, R = 0.02, a = 0.3, g = 9.82, I3 = 0.4 * m * R * R,
                          I1 = 131.0 / 350.0 * m * R * R, friction = 0.06;  // kg, m, kg m^2, N s/m

  // Euler parameters and angular velocity in the axes of the top; the middle of the sphere stays at R.
  TippeTopTest() {
    const ReferenceFrame N = mechanics.frame("N"), B = mechanics.frame("B");
    B.orient_quaternion(N, {q[0], q[1], q[2], q[3]});
    const Vector w = u[0] * B.x() + u[1] * B.y() + u[2] * B.z();
    B.set_ang_vel(N, w);
    const Point O = mechanics.point("O"), M = O.locatenew("M", q[4] * N.x() + q[5] * N.y() + R * N.z()),
                G = M.locatenew("G", -a * R * B.z()), C = M.locatenew("C", -R * N.z());
    O.set_vel(N, Vector());
    M.set_vel(N, u[3] * N.x() + u[4] * N.y());
    G.v2pt_theory(M, N, B);
    const Vector slip = C.v2pt_theory(M, N, B);  // of the top's material
    const std::vector<Body> bodies = {RigidBody{"top", G, B, m, inertia(B, I1, I1, I3), G}};
    std::vector<Load> loads = symbolic::gravity(-g * N.z(), bodies);
    loads.emplace_back(Force{C, -friction * slip});
    const auto turning =
        kinematic_equations_quaternion(mechanics, {u[0], u[1], u[2]}, {q[0], q[1], q[2], q[3]});
    std::vector<Expression> kinematics(turning.begin(), turning.end());
    for (std::size_t i = 0; i < 2; ++i) kinematics.push_back(mechanics.rate(q[4 + i]) - u[3 + i]);
    const KanesMethod kane(N, {.q_ind = q, .u_ind = u, .kd_eqs = kinematics}, bodies, loads);
    const Vector momentum = I1 * u[0] * B.x() + I1 * u[1] * B.y() + I3 * u[2] * B.z();
    const Matrix rhs = kane.rhs();
    outputs = rhs.elements();
    outputs.push_back(dot(momentum, G.pos_from(C)));                                   // 11
    outputs.push_back(kinetic_energy(N, bodies) + m * g * dot(G.pos_from(O), N.z()));  // 12
    outputs.push_back(-friction * dot(slip, slip));                                    // 13
    outputs.push_back(dot(B.z(), N.z()));                                              // 14
    outputs.push_back(dot(w, N.z()));                                                  // 15
    for (const std::size_t k : {kJellett, kEnergy}) {
      Expression rate = 0;
      for (std::size_t i = 0; i < 6; ++i) rate += diff(outputs[k], q[i]) * outputs[i];
      for (std::size_t i = 0; i < 5; ++i) rate += diff(outputs[k], u[i]) * outputs[6 + i];
      rates.push_back(rate);
    }
  }

  static constexpr std::size_t kJellett = 11, kEnergy = 12, kPower = 13, kCosine = 14, kSpin = 15;
  const std::vector<Expression> q = mechanics.dynamicsymbols("q", 6), u = mechanics.dynamicsymbols("u", 5);
  std::vector<Expression> outputs, rates;  // [q'; u'] and what stands beside the constants
};

TEST_F(TippeTopTest, FrictionTakesEnergyButLeavesJellettsInvariant) {
  std::map<std::string, double> state = {{"q4", 0.3},  {"q5", -0.2}, {"u0", 3.0}, {"u1", -7.0},
                                         {"u2", 90.0}, {"u3", 0.2},  {"u4", -0.1}};
  const double parameters[] = {0.5, 0.7, -0.1, 0.5};
  for (std::size_t i = 0; i < 4; ++i) state["q" + std::to_string(i)] = parameters[i];
  const std::vector<double> found =
      evaluate(Matrix({rates[0], rates[1], outputs[kPower], outputs[kJellett]}), state);
  EXPECT_NEAR(found[0], 0.0, 1e-12 * std::abs(found[3]));
  EXPECT_NEAR(found[1], found[2], 1e-13);
  EXPECT_LT(found[2], -1e-3);
}

// J = I3 w R (1 - a) upright and I3 w' R (1 + a) upside down: the turn about the vertical slows to what J
// leaves of it, while that about the top's own axis reverses.
TEST_F(TippeTopTest, TurnsUpsideDownAndKeepsTheSpinThatJellettsInvariantLeaves) {
  Graph& graph = mechanics.graph();
  std::vector<Expr> out, in;
  for (const Expression& e : outputs) out.push_back(e.in(graph));
  for (const Expression& e : q) in.push_back(e.in(graph));
  for (const Expression& e : u) in.push_back(e.in(graph));
  const Tape tape(graph, out, in);
  std::vector<double> scratch(tape.scratch_size());
  std::array<double, 16> all{};
  using State = std::array<double, 11>;
  const auto rate = [&](const State& x) {
    tape.evaluate<double>(x, all, scratch);
    State f{};
    std::copy_n(all.begin(), 11, f.begin());
    return f;
  };
  const auto add = [](State x, double dt, const State& f) {
    for (std::size_t i = 0; i < 11; ++i) x.at(i) += dt * f.at(i);
    return x;
  };
  State x = {std::cos(0.05), std::sin(0.05), 0, 0, 0, 0, 0, 0, 155.0, 0, 0};  // tilted by 0.1
  rate(x);
  const auto before = all;
  constexpr double dt = 1e-4;
  for (int k = 0; k < 80'000; ++k) {
    const State k1 = rate(x), k2 = rate(add(x, dt / 2, k1)), k3 = rate(add(x, dt / 2, k2)),
                k4 = rate(add(x, dt, k3));
    x = add(add(add(add(x, dt / 6, k1), dt / 3, k2), dt / 3, k3), dt / 6, k4);
  }
  rate(x);
  EXPECT_NEAR(all[kJellett], before[kJellett], 1e-8 * before[kJellett]);
  EXPECT_LT(all[kCosine], -0.99999);
  EXPECT_NEAR(all[kSpin], before[kJellett] / (I3 * R * (1 + a)), 1e-3);
  EXPECT_LT(all[kEnergy], 0.5 * before[kEnergy]);
  EXPECT_LT(x[8], 0.0);
}

}  // namespace
}  // namespace sestina::symbolic
