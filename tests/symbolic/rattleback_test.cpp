// The rattleback: half an ellipsoid that rolls on a plane, its principal axes of inertia turned against those
// of its surface. Kane and Levinson, "Realistic mathematical modeling of the rattleback", Int. J. Non-Linear
// Mechanics 17 (1982): semi-axes 0.2, 0.03 and 0.02 m, mass centre 0.01 m below the centre, moments of
// inertia 2, 16, 17 and product -0.2, in 1e-4 kg m^2 for 1 kg.
#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/symbolic/kane.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class RattlebackTest : public test::SymbolicTest {
 protected:
  // q: body-fixed 312 (turn, roll, pitch); u: angular velocity in body axes, z down.
  KanesMethod derive() {
    const auto [a, b, c, h, m, g] = mechanics.symbols<6>("a b c h m g");
    const auto [A, B, C, D] = mechanics.symbols<4>("A B C D");
    const ReferenceFrame N = mechanics.frame("N"), R = mechanics.frame("R");
    R.orient_body_fixed(N, {q[0], q[1], q[2]}, "312");
    const Vector by_angles = R.ang_vel_in(N);
    R.set_ang_vel(N, u[0] * R.x() + u[1] * R.y() + u[2] * R.z());

    // Where the outer normal is N.z, down: r = (a^2 n1, b^2 n2, c^2 n3)/sqrt(a^2 n1^2 + ...) from the centre.
    const Triple n = N.z().to_matrix(R);
    const Expression size = sqrt(a * a * n[0] * n[0] + b * b * n[1] * n[1] + c * c * n[2] * n[2]);
    const Vector to_contact = (a * a * n[0] * R.x() + b * b * n[1] * R.y() + c * c * n[2] * R.z()) / size;
    const Vector r = to_contact - h * R.z();  // from the mass centre to the contact
    const Point G = mechanics.point("G");
    G.set_vel(N, cross(r, R.ang_vel_in(N)));  // what touches the plane is at rest

    const std::vector<Body> bodies = {RigidBody{"R", G, R, m, inertia(R, A, B, C, D), G}};
    energy = kinetic_energy(N, bodies) + m * g * dot(r, N.z());
    const Vector difference = R.ang_vel_in(N) - by_angles;
    return {N,
            {.q_ind = {q.begin(), q.end()},
             .u_ind = {u.begin(), u.end()},
             .kd_eqs = {dot(difference, R.x()), dot(difference, R.y()), dot(difference, R.z())}},
            bodies,
            gravity(g * N.z(), bodies)};
  }

  const std::array<Expression, 3> q = mechanics.dynamicsymbols<3>("q1 q2 q3");
  const std::array<Expression, 3> u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  Expression energy = 0;
};

TEST_F(RattlebackTest, ReversesItsSpinInOneDirectionOnlyAndKeepsItsEnergy) {
  Matrix outputs = derive().rhs();
  std::vector<Expression> elements = outputs.elements();
  elements.push_back(energy);
  Graph& graph = mechanics.graph();
  std::vector<Expr> outs, ins;
  for (const Expression& e : elements) outs.push_back(e.in(graph));
  for (const auto& e : {q[0], q[1], q[2], u[0], u[1], u[2]}) ins.push_back(e.in(graph));
  std::vector<std::pair<Expr, Expr>> numbers;
  const std::pair<const char*, double> parameters[] = {{"a", 0.2},   {"b", 0.03},   {"c", 0.02}, {"h", 0.01},
                                                       {"m", 1.0},   {"g", 9.81},   {"A", 2e-4}, {"B", 16e-4},
                                                       {"C", 17e-4}, {"D", -0.2e-4}};
  for (const auto& [name, value] : parameters) numbers.emplace_back(graph.symbol(name), graph.number(value));
  for (Expr& e : outs) e = graph.substitute(e, numbers);
  const Tape tape(graph, outs, ins);
  std::vector<double> scratch(tape.scratch_size()), all(7);
  using State = std::array<double, 6>;
  const auto rate = [&](const State& x) {
    tape.evaluate<double>(x, all, scratch);
    State f;
    std::copy_n(all.begin(), 6, f.begin());
    return f;
  };
  const auto step = [&](const State& x, const State& f, double dt) {
    State next = x;
    for (std::size_t i = 0; i < 6; ++i) next[i] += dt * f[i];
    return next;
  };
  for (const double spin : {5.0, -5.0}) {
    State x = {0.0, 0.5 * M_PI / 180.0, 0.5 * M_PI / 180.0, 0.0, 0.0, spin};
    rate(x);
    const double energy_before = all[6];
    constexpr double dt = 5e-5;
    double least = spin, most = spin;
    for (int k = 0; k < 80'000; ++k) {
      const State k1 = rate(x), k2 = rate(step(x, k1, dt / 2)), k3 = rate(step(x, k2, dt / 2)),
                  k4 = rate(step(x, k3, dt));
      for (std::size_t i = 0; i < 6; ++i) x[i] += dt / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      least = std::min(least, x[5]);
      most = std::max(most, x[5]);
    }
    rate(x);
    // Global error of order 4 at a step of 5e-5 s.
    EXPECT_NEAR(all[6], energy_before, 2e-10 * energy_before);
    // Begun at -5 rad/s it turns the other way within four seconds; begun at +5 it only wobbles.
    if (spin < 0.0) {
      EXPECT_GT(most, 2.0);
    } else {
      EXPECT_GT(least, 4.0);
    }
  }
}

}  // namespace
}  // namespace sestina::symbolic
