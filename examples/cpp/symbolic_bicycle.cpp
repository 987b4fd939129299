// The bicycle of Carvallo and Whipple, derived with symbols by Kane's method and linearised about riding
// straight on at the speed v: prints lean'' and steer'' with the numbers of Meijaard, Papadopoulos, Ruina and
// Schwab, "Linearized dynamics equations for the balance and steer of a bicycle", Proc. R. Soc. A 463 (2007),
// and the speeds between which it rides by itself, 4.292 and 6.024 m/s in that paper.
#include <cmath>
#include <cstdio>
#include <vector>

#include "sestina/symbolic/eigenvalues.h"
#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/linearize.h"
#include "sestina/symbolic/mechanics.h"

using namespace sestina::symbolic;

namespace {

// x forward, y to the right, z down. Rear frame B: yaw, lean, pitch; front frame G: turned by the steer angle
// about an axis that is tilted back by lambda. P and Q: rear and front contact, D and F: centres of the
// wheels.
KanesMethod derive(Mechanics& mechanics) {
  const auto [yaw, lean, pitch, steer] = mechanics.dynamicsymbols<4>("psi phi theta delta");
  const auto u = mechanics.dynamicsymbols<6>("u1 u2 u3 u4 u5 u6");
  const auto [w, c, r_R, r_F, lambda, g] = mechanics.symbols<6>("w c r_R r_F lambda g");
  const ReferenceFrame N = mechanics.frame("N"), Y = N.orientnew("Y", yaw, N.z()),
                       L = Y.orientnew("L", lean, Y.x()), B = L.orientnew("B", pitch, L.y()),
                       S = B.orientnew("S", lambda, B.y()), H = S.orientnew("H", steer, S.z()),
                       G = H.orientnew("G", -lambda, H.y());
  const ReferenceFrame rear = mechanics.frame("rear"), front = mechanics.frame("front");
  Y.set_ang_vel(N, u[0] * Y.z());
  L.set_ang_vel(Y, u[1] * L.x());
  rear.set_ang_vel(B, u[2] * B.y());
  B.set_ang_vel(L, u[3] * B.y());
  H.set_ang_vel(S, u[4] * H.z());
  front.set_ang_vel(G, u[5] * G.y());

  const auto [x_B, z_B, x_H, z_H] = mechanics.symbols<4>("x_B z_B x_H z_H");
  const Point P = mechanics.point("P"), D = P.locatenew("D", -r_R * L.z()),
              K = D.locatenew("K", (w + c) * B.x() + r_R * B.z()),
              F = K.locatenew("F", -c * G.x() - r_F * G.z()),
              Q = F.locatenew("Q", r_F * (Y.z() - dot(Y.z(), G.y()) * G.y()).normalize()),
              C_B = D.locatenew("C_B", x_B * B.x() + (z_B + r_R) * B.z()),
              C_H = K.locatenew("C_H", (x_H - w - c) * G.x() + z_H * G.z());
  P.set_vel(N, Vector());  // it rolls
  D.v2pt_theory(P, N, rear);
  K.v2pt_theory(D, N, B);
  F.v2pt_theory(K, N, G);
  Q.v2pt_theory(F, N, front);
  C_B.v2pt_theory(D, N, B);
  C_H.v2pt_theory(K, N, G);

  const auto [m_B, m_H, m_R, m_F] = mechanics.symbols<4>("m_B m_H m_R m_F");
  const auto [B_xx, B_yy, B_zz, B_xz] = mechanics.symbols<4>("IB_xx IB_yy IB_zz IB_xz");
  const auto [H_xx, H_yy, H_zz, H_xz] = mechanics.symbols<4>("IH_xx IH_yy IH_zz IH_xz");
  const auto [R_xx, R_yy, F_xx, F_yy] = mechanics.symbols<4>("IR_xx IR_yy IF_xx IF_yy");
  const std::vector<Body> bodies = {
      RigidBody{"rear frame", C_B, B, m_B, inertia(B, B_xx, B_yy, B_zz, 0, 0, B_xz), C_B},
      RigidBody{"front frame", C_H, G, m_H, inertia(G, H_xx, H_yy, H_zz, 0, 0, H_xz), C_H},
      RigidBody{"rear wheel", D, rear, m_R, inertia(B, R_xx, R_yy, R_xx), D},
      RigidBody{"front wheel", F, front, m_F, inertia(G, F_xx, F_yy, F_xx), F}};

  const Vector slip = Q.vel(N);
  return {N,
          {.q_ind = {yaw, lean, steer},
           .u_ind = {u[1], u[2], u[4]},
           .kd_eqs = {mechanics.rate(yaw) - u[0], mechanics.rate(lean) - u[1], mechanics.rate(pitch) - u[3],
                      mechanics.rate(steer) - u[4]},
           .q_dependent = {pitch},
           .configuration_constraints = {dot(Q.pos_from(P), N.z())},
           .u_dependent = {u[0], u[3], u[5]},
           .velocity_constraints = {dot(slip, Y.x()), dot(slip, Y.y()), dot(slip, Y.z())}},
          bodies,
          gravity(g * N.z(), bodies)};
}

// Table 1 of the paper, and upright straight riding.
Replacements riding(Mechanics& mechanics) {
  const auto v = mechanics.symbol("v");
  Replacements values = {{mechanics.symbol("lambda"), mechanics.wrap(mechanics.graph().pi()) / 10},
                         {mechanics.dynamicsymbol("u3"), -v / 0.3},
                         {mechanics.dynamicsymbol("u6"), -v / 0.35}};
  const std::pair<const char*, double> parameters[] = {
      {"w", 1.02},        {"c", 0.08},         {"g", 9.81},     {"r_R", 0.3},       {"r_F", 0.35},
      {"m_R", 2.0},       {"IR_xx", 0.0603},   {"IR_yy", 0.12}, {"x_B", 0.3},       {"z_B", -0.9},
      {"m_B", 85.0},      {"IB_xx", 9.2},      {"IB_yy", 11.0}, {"IB_zz", 2.8},     {"IB_xz", 2.4},
      {"x_H", 0.9},       {"z_H", -0.7},       {"m_H", 4.0},    {"IH_xx", 0.05892}, {"IH_yy", 0.06},
      {"IH_zz", 0.00708}, {"IH_xz", -0.00756}, {"m_F", 3.0},    {"IF_xx", 0.1405},  {"IF_yy", 0.28}};
  for (const auto& [name, value] : parameters) values.emplace_back(mechanics.symbol(name), value);
  for (const char* zero : {"psi", "phi", "theta", "delta", "u1", "u2", "u4", "u5"}) {
    values.emplace_back(mechanics.dynamicsymbol(zero), 0);
  }
  return values;
}

}  // namespace

int main() {
  Mechanics mechanics;
  const auto v = mechanics.symbol("v");
  const Linearization linear = linearize(derive(mechanics), riding(mechanics));

  // Of [yaw lean steer u_lean u_wheel u_steer]: lean, steer and their rates, at two speeds.
  Matrix A(4, 4);
  constexpr std::size_t kPlaces[] = {1, 2, 3, 5};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) A(i, j) = linear.A(kPlaces[i], kPlaces[j]);
  }
  CompiledExpressions numbers(mechanics, A.elements(), {v}, {}, "the bicycle");
  const double at_one[] = {1.0}, at_rest[] = {0.0};
  const auto values = numbers(at_rest);
  const std::vector<double> rest(values.begin(), values.end());
  const auto moving = numbers(at_one);
  const char* const names[] = {"phi''", "delta''"};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t row = 4 * (i + 2);
    std::printf("%-7s = %.6g phi + (%.6g %+.6g v^2) delta %+.6g v phi' %+.6g v delta'\n", names[i], rest[row],
                rest[row + 1], moving[row + 1] - rest[row + 1], moving[row + 2], moving[row + 3]);
  }

  std::vector<double> speeds;
  for (int i = 0; i <= 40; ++i) speeds.push_back(0.25 * i);
  const EigenvalueBranches branches = calc_eigenvalue_branches(mechanics, A, v, speeds);
  double weave = 0.0, capsize = 0.0;
  for (const auto& change : branches.changes) {
    (change.is_stabilised ? weave : capsize) = change.value;
    std::printf("%s at %.6f m/s, eigenvalue %.4g%+.4gi\n",
                change.is_stabilised ? "weave dies out" : "capsize begins", change.value,
                change.eigenvalue.real(), change.eigenvalue.imag());
  }
  return std::abs(weave - 4.29238) < 1e-5 && std::abs(capsize - 6.02426) < 1e-5 ? 0 : 1;
}
