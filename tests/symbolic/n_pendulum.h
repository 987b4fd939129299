// The planar pendulum of n particles on massless links, angles from the vertical, as in Gede, Peterson,
// Nanjangud, Moore and Hubbard 2013, section 4.
#pragma once

#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic::test {

inline KanesMethod derive_n_pendulum(Mechanics& mechanics, std::size_t n) {
  const auto q = mechanics.dynamicsymbols("q", n), u = mechanics.dynamicsymbols("u", n);
  const auto m = mechanics.symbols("m", n), l = mechanics.symbols("l", n);
  const Expression g = mechanics.symbol("g");
  const ReferenceFrame N = mechanics.frame("I");
  Point P = mechanics.point("O");
  P.set_vel(N, Vector());
  std::vector<Body> particles;
  std::vector<Load> loads;
  std::vector<Expression> kinematics;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    const ReferenceFrame A = N.orientnew("A" + number, q[i], N.z());
    A.set_ang_vel(N, u[i] * N.z());
    const Point next = P.locatenew("P" + number, l[i] * A.x());
    next.v2pt_theory(P, N, A);
    particles.emplace_back(Particle{"Pa" + number, next, m[i]});
    loads.emplace_back(Force{next, m[i] * g * N.x()});
    kinematics.push_back(mechanics.rate(q[i]) - u[i]);
    P = next;
  }
  return {N, {.q_ind = q, .u_ind = u, .kd_eqs = kinematics}, particles, loads};
}

}  // namespace sestina::symbolic::test
