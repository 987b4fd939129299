// The cart with a pole, derived with symbols: prints its equations as on paper, finds the pole's two
// positions of rest, and the eigenvalues about each.
#include <cstdio>
#include <iostream>

#include "sestina/symbolic/eigenvalues.h"
#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/linearize.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/simplify.h"
#include "sestina/symbolic/steady_motion.h"

int main() {
  using namespace sestina::symbolic;
  Mechanics mechanics;
  const auto [x, theta] = mechanics.dynamicsymbols<2>("x theta");
  const auto [v, omega, F] = mechanics.dynamicsymbols<3>("v omega F");
  const auto [M, m, l, g] = mechanics.symbols<4>("M m l g");

  const ReferenceFrame N = mechanics.frame("N"), A = N.orientnew("A", theta, N.z());
  A.set_ang_vel(N, omega * N.z());
  const Point O = mechanics.point("O"), cart = O.locatenew("C", x * N.x()),
              bob = cart.locatenew("P", l * A.y());
  O.set_vel(N, Vector());
  cart.set_vel(N, v * N.x());
  bob.v2pt_theory(cart, N, A);
  const std::vector<Body> bodies = {Particle{"cart", cart, M}, Particle{"bob", bob, m}};
  std::vector<Load> loads = gravity(-g * N.y(), bodies);
  loads.emplace_back(Force{cart, F * N.x()});
  const KanesMethod kane(N,
                         {.q_ind = {x, theta},
                          .u_ind = {v, omega},
                          .kd_eqs = {mechanics.rate(x) - v, mechanics.rate(theta) - omega}},
                         bodies, loads);
  std::cout << latex(mechanics, kane.mass_matrix()) << " \\dot{u} = " << latex(mechanics, kane.forcing())
            << "\n\n";

  const ParameterValues numbers = {{M, 1.0}, {m, 0.2}, {l, 0.5}, {g, 9.81}};
  const Linearization linear = linearize(kane, {{theta, 0}, {omega, 0}, {v, 0}, {F, 0}});
  std::cout << "upright: A = " << latex(mechanics, simplify(mechanics, linear.A))
            << ", B = " << latex(mechanics, simplify(mechanics, linear.B)) << "\n";

  // About rest the growth rate of the upright pole is sqrt(g (M + m)/(M l)), the same as hanging it swings.
  ParameterValues at_rest = numbers;
  at_rest.emplace_back(F, 0.0);
  bool is_right = true;
  for (const double guess : {0.1, 3.0}) {
    const SteadyMotion rest = find_equilibrium(motion_equations(kane), at_rest, {{theta, guess}});
    const Linearization about = linearize(kane, {{theta, rest.values[1].second}, {omega, 0}, {v, 0}, {F, 0}});
    std::printf("rest at theta = %.4f rad:", rest.values[1].second);
    double largest = 0.0;
    for (const auto& value : calc_eigenvalues(mechanics, about.A, numbers)) {
      std::printf("  %.4g%+.4gi", value.real(), value.imag());
      largest = std::max(largest, std::abs(value));
    }
    std::printf("\n");
    is_right = is_right && std::abs(largest * largest - 9.81 * 1.2 / 0.5) < 1e-9;
  }
  return is_right ? 0 : 1;
}
