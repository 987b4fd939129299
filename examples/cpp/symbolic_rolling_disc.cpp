// A thin disc that rolls on a plane, by Kane's method with the contact point at rest: prints the
// accelerations as in Kane and Levinson (1985), section 8.1, the speed below which it falls over, and how one
// that wobbles keeps its energy.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "sestina/simulation/symbolic_system.h"
#include "sestina/symbolic/eigenvalues.h"
#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/linearize.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/simplify.h"

using namespace sestina::symbolic;

namespace {

struct Disc {
  ReferenceFrame N;
  std::vector<Body> bodies;
  KanesMethod kane;
};

// Yaw q1, lean q2, spin q3; u1, u2, u3 along the lean axis, the axle, and what is normal to both.
Disc derive(Mechanics& mechanics) {
  const auto q = mechanics.dynamicsymbols<3>("q1 q2 q3"), u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [r, m, g] = mechanics.symbols<3>("r m g");
  const ReferenceFrame N = mechanics.frame("N"), Y = N.orientnew("Y", q[0], N.z()),
                       L = Y.orientnew("L", q[1], Y.x()), R = L.orientnew("R", q[2], L.y());
  const Vector by_angles = R.ang_vel_in(N);
  R.set_ang_vel(N, u[0] * L.x() + u[1] * L.y() + u[2] * L.z());
  const Point contact = mechanics.point("C"), centre = contact.locatenew("D", r * L.z());
  contact.set_vel(N, Vector());
  centre.v2pt_theory(contact, N, R);
  const sestina::Expression I = m * r * r / 4;
  const std::vector<Body> bodies = {
      RigidBody{"disc", centre, R, m, inertia(L, I, 2 * I, I), centre, m * g * r * cos(q[1])}};
  const Vector difference = R.ang_vel_in(N) - by_angles;
  const KanesMethod kane(N,
                         {.q_ind = {q[0], q[1], q[2]},
                          .u_ind = {u[0], u[1], u[2]},
                          .kd_eqs = {dot(difference, L.x()), dot(difference, L.y()), dot(difference, L.z())}},
                         bodies, gravity(-g * N.z(), bodies));
  return {N, bodies, kane};
}

}  // namespace

int main() {
  Mechanics mechanics;
  const Disc disc = derive(mechanics);
  const auto [q1, q2, q3] = mechanics.dynamicsymbols<3>("q1 q2 q3");
  const auto [u1, u2, u3] = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const auto [r, m, g, w] = mechanics.symbols<4>("r m g omega");
  const Matrix rhs = simplify(mechanics, disc.kane.rhs());
  for (std::size_t i = 0; i < 3; ++i) {
    std::cout << latex(mechanics, mechanics.rate(disc.kane.u()[i])) << " = " << latex(mechanics, rhs[3 + i])
              << "\n";
  }

  const Linearization linear = linearize(disc.kane, {{q1, 0}, {q2, 0}, {q3, 0}, {u1, 0}, {u2, w}, {u3, 0}});
  std::vector<double> speeds;
  for (int i = 0; i <= 40; ++i) speeds.push_back(0.25 * i);
  const ParameterValues numbers = {{r, 0.3}, {m, 2.0}, {g, 9.81}};
  // A falling disc has two real roots, a rolling one an imaginary pair: they meet at zero, at sqrt(g/(3 r)).
  const EigenvalueBranches branches = calc_eigenvalue_branches(mechanics, linear.A, w, speeds, numbers);
  double slowest = 0.0;
  for (std::size_t k = 0; k < speeds.size(); ++k) {
    double fastest_growth = 0.0;
    for (const auto& branch : branches.branches) fastest_growth = std::max(fastest_growth, branch[k].real());
    if (fastest_growth > 1e-3) slowest = speeds[k];
  }
  std::printf("falls over up to %.2f rad/s\n", slowest);

  SymbolicSystem system(disc.kane);
  system.set(numbers);
  system.set_initial({{q2, 0.3}, {u1, 1.0}, {u2, 9.0}, {u3, 0.5}});
  system.add_energies(disc.N, disc.bodies);
  SimulationOptions options{.duration = 10.0, .output_every = 0.05};
  const sestina::ResultTable table = system.simulate(options);
  const std::vector<double> energy = table.column("energy.total");
  const auto [least, most] = std::minmax_element(energy.begin(), energy.end());
  std::printf("energy %.6g J, to %.1e J over %g s\n", energy.front(), *most - *least, options.duration);
  return slowest == 3.25 && *most - *least < 1e-4 ? 0 : 1;  // sqrt(9.81/0.9) = 3.3015
}
