// The bicycle of Carvallo and Whipple with the parameters of Meijaard, Papadopoulos, Ruina and Schwab 2007,
// "Linearized dynamics equations for the balance and steer of a bicycle", Proc. R. Soc. A 463, table 1, in
// the axes of that paper: x forward, y to the right, z down, origin at the rear contact.
//
// Rear frame B: yaw, lean, pitch; front frame H: turned by the steer angle about the steering axis, which is
// tilted back by lambda and meets the ground at w + c. The wheels' own turning angles do not matter, so that
// their frames only have angular velocities.
#pragma once

#include <map>
#include <string>

#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/lagrange.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic::test {

class Bicycle {
 public:
  explicit Bicycle(Mechanics& mechanics) : mechanics_(mechanics) {}

  // Speeds of yaw, lean, rear wheel, pitch, steer, front wheel. The rear contact point is at rest.
  KanesMethod derive() {
    const auto u = mechanics_.dynamicsymbols<6>("u1 u2 u3 u4 u5 u6");
    lay_out({u[0], u[1], u[2], u[3], u[4], u[5]});
    P.set_vel(N, Vector());
    D.v2pt_theory(P, N, rear);
    move_with_frames();
    const std::vector<Body> bodies = make_bodies();
    const Vector slip = Q.vel(N);
    return {N,
            {.q_ind = {yaw, lean, steer},
             .u_ind = {u[1], u[2], u[4]},
             .kd_eqs = {rate(yaw) - u[0], rate(lean) - u[1], rate(pitch) - u[3], rate(steer) - u[4]},
             .q_dependent = {pitch},
             .configuration_constraints = {dot(Q.pos_from(P), N.z())},
             .u_dependent = {u[0], u[3], u[5]},
             .velocity_constraints = {dot(slip, Y.x()), dot(slip, Y.y()), dot(slip, Y.z())}},
            bodies,
            gravity(g * N.z(), bodies)};
  }

  // Coordinates: those of the rear contact, the angles, those of the wheels. Both wheels are held by
  // multipliers.
  LagrangesMethod derive_by_lagrange() {
    lay_out({rate(yaw), rate(lean), rate(rear_angle), rate(pitch), rate(steer), rate(front_angle)});
    O.set_vel(N, Vector());
    P.set_pos(O, x * N.x() + y * N.y());
    D.set_vel(N, D.pos_from(O).dt(N));
    move_with_frames();
    std::vector<Body> bodies = make_bodies();
    Expression potential = 0;
    for (const Body& body : bodies) {
      potential -= mass_of(body) * g * dot(masscenter_of(body).pos_from(O), N.z());
    }
    const Vector rear_slip = D.vel(N) + cross(rear.ang_vel_in(N), P.pos_from(D)), front_slip = Q.vel(N);
    return {mechanics_,
            kinetic_energy(N, bodies) - potential,
            {x, y, yaw, lean, pitch, steer, rear_angle, front_angle},
            {.hol_coneqs = {dot(Q.pos_from(P), N.z())},
             .nonhol_coneqs = {dot(rear_slip, Y.x()), dot(rear_slip, Y.y()), dot(front_slip, Y.x()),
                               dot(front_slip, Y.y())}}};
  }

  // Table 1, but for the tilt of the steering axis, which is pi/10.
  static const std::map<std::string, double>& table_1() {
    static const std::map<std::string, double> kTable = {
        {"w", 1.02},        {"c", 0.08},         {"g", 9.81},     {"r_R", 0.3},       {"r_F", 0.35},
        {"m_R", 2.0},       {"IR_xx", 0.0603},   {"IR_yy", 0.12}, {"x_B", 0.3},       {"z_B", -0.9},
        {"m_B", 85.0},      {"IB_xx", 9.2},      {"IB_yy", 11.0}, {"IB_zz", 2.8},     {"IB_xz", 2.4},
        {"x_H", 0.9},       {"z_H", -0.7},       {"m_H", 4.0},    {"IH_xx", 0.05892}, {"IH_yy", 0.06},
        {"IH_zz", 0.00708}, {"IH_xz", -0.00756}, {"m_F", 3.0},    {"IF_xx", 0.1405},  {"IF_yy", 0.28}};
    return kTable;
  }

  // Table 1, and the state of upright straight riding at the speed v, by the speeds of Kane's method.
  Replacements riding() {
    Replacements values = upright();
    for (const char* zero : {"u1", "u2", "u4", "u5"}) values.emplace_back(mechanics_.dynamicsymbol(zero), 0);
    const Expression v = mechanics_.symbol("v");
    values.emplace_back(mechanics_.dynamicsymbol("u3"), -v / 0.3);
    values.emplace_back(mechanics_.dynamicsymbol("u6"), -v / 0.35);
    return values;
  }

  // The same by the rates of Lagrange's coordinates.
  Replacements riding_by_rates() {
    Replacements values = upright();
    const Expression v = mechanics_.symbol("v");
    values.emplace_back(rate(rear_angle), -v / 0.3);
    values.emplace_back(rate(front_angle), -v / 0.35);
    values.emplace_back(rate(x), v);
    values.emplace_back(rate(y), 0);
    return values;
  }

  Expression rate(const Expression& of) { return mechanics_.rate(of); }
  // In the axes of the ground; the speeds' rates are not replaced in it.
  Triple rear_hub_acceleration() { return D.acc(N).to_matrix(N); }

 private:
  Replacements upright() {
    Replacements values = {{lambda, mechanics_.wrap(mechanics_.graph().pi()) / 10}};
    for (const auto& [name, value] : table_1()) values.emplace_back(mechanics_.symbol(name), value);
    for (const Expression& angle : {yaw, lean, pitch, steer}) {
      values.emplace_back(angle, 0);
      values.emplace_back(rate(angle), 0);
    }
    return values;
  }

  Mechanics& mechanics_;

 public:
  const Expression x = mechanics_.dynamicsymbol("x"), y = mechanics_.dynamicsymbol("y"),
                   yaw = mechanics_.dynamicsymbol("psi"), lean = mechanics_.dynamicsymbol("phi"),
                   pitch = mechanics_.dynamicsymbol("theta"), steer = mechanics_.dynamicsymbol("delta"),
                   rear_angle = mechanics_.dynamicsymbol("theta_R"),
                   front_angle = mechanics_.dynamicsymbol("theta_F");

 private:
  void lay_out(const std::array<Expression, 6>& u) {
    Y.orient_axis(N, N.z(), yaw);
    L.orient_axis(Y, Y.x(), lean);
    B.orient_axis(L, L.y(), pitch);
    S.orient_axis(B, B.y(), lambda);
    H.orient_axis(S, S.z(), steer);
    G.orient_axis(H, H.y(), -lambda);  // along B where the steer is straight
    Y.set_ang_vel(N, u[0] * Y.z());
    L.set_ang_vel(Y, u[1] * L.x());
    rear.set_ang_vel(B, u[2] * B.y());
    B.set_ang_vel(L, u[3] * B.y());
    H.set_ang_vel(S, u[4] * H.z());
    front.set_ang_vel(G, u[5] * G.y());
    const auto [w, c, x_B, z_B, x_H, z_H] = mechanics_.symbols<6>("w c x_B z_B x_H z_H");
    D.set_pos(P, -r_R * L.z());
    K.set_pos(D, (w + c) * B.x() + r_R * B.z());
    F.set_pos(K, -c * G.x() - r_F * G.z());
    Q.set_pos(F, r_F * (Y.z() - dot(Y.z(), G.y()) * G.y()).normalize());
    C_B.set_pos(D, x_B * B.x() + (z_B + r_R) * B.z());
    C_H.set_pos(K, (x_H - w - c) * G.x() + z_H * G.z());
  }

  void move_with_frames() {
    K.v2pt_theory(D, N, B);
    F.v2pt_theory(K, N, G);
    Q.v2pt_theory(F, N, front);
    C_B.v2pt_theory(D, N, B);
    C_H.v2pt_theory(K, N, G);
  }

  std::vector<Body> make_bodies() {
    const auto [m_B, m_H, m_R, m_F] = mechanics_.symbols<4>("m_B m_H m_R m_F");
    const auto [B_xx, B_yy, B_zz, B_xz] = mechanics_.symbols<4>("IB_xx IB_yy IB_zz IB_xz");
    const auto [H_xx, H_yy, H_zz, H_xz] = mechanics_.symbols<4>("IH_xx IH_yy IH_zz IH_xz");
    const auto [R_xx, R_yy, F_xx, F_yy] = mechanics_.symbols<4>("IR_xx IR_yy IF_xx IF_yy");
    return {RigidBody{"rear frame", C_B, B, m_B, inertia(B, B_xx, B_yy, B_zz, 0, 0, B_xz), C_B},
            RigidBody{"front frame", C_H, G, m_H, inertia(G, H_xx, H_yy, H_zz, 0, 0, H_xz), C_H},
            RigidBody{"rear wheel", D, rear, m_R, inertia(B, R_xx, R_yy, R_xx), D},
            RigidBody{"front wheel", F, front, m_F, inertia(G, F_xx, F_yy, F_xx), F}};
  }

  const Expression lambda = mechanics_.symbol("lambda"), g = mechanics_.symbol("g"),
                   r_R = mechanics_.symbol("r_R"), r_F = mechanics_.symbol("r_F");
  const ReferenceFrame N = mechanics_.frame("N"), Y = mechanics_.frame("Y"), L = mechanics_.frame("L"),
                       B = mechanics_.frame("B"), S = mechanics_.frame("S"), H = mechanics_.frame("H"),
                       G = mechanics_.frame("G"), rear = mechanics_.frame("rear"),
                       front = mechanics_.frame("front");
  // P and Q: rear and front contact, D and F: centres of the wheels, K on the steering axis
  const Point O = mechanics_.point("O"), P = mechanics_.point("P"), D = mechanics_.point("D"),
              K = mechanics_.point("K"), F = mechanics_.point("F"), Q = mechanics_.point("Q"),
              C_B = mechanics_.point("C_B"), C_H = mechanics_.point("C_H");
};

}  // namespace sestina::symbolic::test
