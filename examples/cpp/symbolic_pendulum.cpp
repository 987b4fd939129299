// The pendulum of n links of Gede, Peterson, Nanjangud, Moore and Hubbard (IDETC 2013), derived with symbols:
// prints the generalised active forces and the mass matrix as LaTeX.
#include <iostream>
#include <string>

#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/simplify.h"

int main() {
  using namespace sestina::symbolic;
  constexpr std::size_t n = 4;
  Mechanics mechanics;
  const auto q = mechanics.dynamicsymbols("q", n), u = mechanics.dynamicsymbols("u", n);
  const auto m = mechanics.symbols("m", n), l = mechanics.symbols("l", n);
  const auto g = mechanics.symbol("g");

  const ReferenceFrame N = mechanics.frame("N");
  Point P = mechanics.point("P");
  P.set_vel(N, Vector());
  std::vector<Body> particles;
  KaneOptions options{.q_ind = q, .u_ind = u};
  for (std::size_t i = 0; i < n; ++i) {
    const ReferenceFrame A = N.orientnew("A" + std::to_string(i), q[i], N.z());
    A.set_ang_vel(N, u[i] * N.z());
    const Point next = P.locatenew("P" + std::to_string(i), l[i] * A.x());
    next.v2pt_theory(P, N, A);
    particles.emplace_back(Particle{"particle " + std::to_string(i), next, m[i]});
    options.kd_eqs.push_back(mechanics.rate(q[i]) - u[i]);
    P = next;
  }
  const KanesMethod kane(N, options, particles, gravity(g * N.x(), particles));
  std::cout << latex(mechanics, kane.fr()) << "\n\n"
            << latex(mechanics, simplify(mechanics, kane.mass_matrix())) << "\n";
  return latex(mechanics, kane.fr()[3]) == "-g l_{3} m_{3} \\sin{q_{3}}" ? 0 : 1;
}
