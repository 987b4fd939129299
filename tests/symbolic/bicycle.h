// The bicycle of Carvallo and Whipple with the parameters of Meijaard, Papadopoulos, Ruina and Schwab 2007,
// "Linearized dynamics equations for the balance and steer of a bicycle", Proc. R. Soc. A 463, table 1, in
// the axes of that paper: x forward, y to the right, z down, origin at the rear contact.
//
// Rear frame B: yaw, lean, pitch; front frame H: turned by the steer angle about the steering axis, which is
// tilted back by lambda and meets the ground at w + c. The wheels' own turning angles do not matter.
#pragma once

#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic::test {

class Bicycle {
 public:
  explicit Bicycle(Mechanics& mechanics) : mechanics_(mechanics) {}

  KanesMethod derive() {
    const auto [yaw, lean, pitch, steer] = mechanics_.dynamicsymbols<4>("psi phi theta delta");
    const auto [u_yaw, u_lean, u_rear, u_pitch, u_steer, u_front] =
        mechanics_.dynamicsymbols<6>("u1 u2 u3 u4 u5 u6");
    const auto [w, c, lambda, r_R, r_F, g] = mechanics_.symbols<6>("w c lambda r_R r_F g");

    const ReferenceFrame N = mechanics_.frame("N"), Y = N.orientnew("Y", yaw, N.z());
    const ReferenceFrame L = Y.orientnew("L", lean, Y.x()), B = L.orientnew("B", pitch, L.y());
    const ReferenceFrame S = B.orientnew("S", lambda, B.y()), H = S.orientnew("H", steer, S.z());
    const ReferenceFrame G = H.orientnew("G", -lambda, H.y());  // along B where the steer is straight
    const ReferenceFrame rear = mechanics_.frame("rear"), front = mechanics_.frame("front");
    Y.set_ang_vel(N, u_yaw * Y.z());
    L.set_ang_vel(Y, u_lean * L.x());
    B.set_ang_vel(L, u_pitch * B.y());
    H.set_ang_vel(S, u_steer * H.z());
    rear.set_ang_vel(B, u_rear * B.y());
    front.set_ang_vel(G, u_front * G.y());

    const Point P = mechanics_.point("P");  // rear contact
    const Point D = P.locatenew("D", -r_R * L.z()), K = D.locatenew("K", (w + c) * B.x() + r_R * B.z());
    const Point F = K.locatenew("F", -c * G.x() - r_F * G.z());
    const Point Q = F.locatenew("Q", r_F * (Y.z() - dot(Y.z(), G.y()) * G.y()).normalize());  // front contact
    P.set_vel(N, Vector());
    D.v2pt_theory(P, N, rear);
    K.v2pt_theory(D, N, B);
    F.v2pt_theory(K, N, G);
    Q.v2pt_theory(F, N, front);

    const auto [x_B, z_B, x_H, z_H] = mechanics_.symbols<4>("x_B z_B x_H z_H");
    const Point C_B = D.locatenew("C_B", x_B * B.x() + (z_B + r_R) * B.z());
    const Point C_H = K.locatenew("C_H", (x_H - w - c) * G.x() + z_H * G.z());
    C_B.v2pt_theory(D, N, B);
    C_H.v2pt_theory(K, N, G);
    const auto [m_B, m_H, m_R, m_F] = mechanics_.symbols<4>("m_B m_H m_R m_F");
    const auto [B_xx, B_yy, B_zz, B_xz] = mechanics_.symbols<4>("IB_xx IB_yy IB_zz IB_xz");
    const auto [H_xx, H_yy, H_zz, H_xz] = mechanics_.symbols<4>("IH_xx IH_yy IH_zz IH_xz");
    const auto [R_xx, R_yy, F_xx, F_yy] = mechanics_.symbols<4>("IR_xx IR_yy IF_xx IF_yy");
    const std::vector<Body> bodies = {
        RigidBody{"rear frame", C_B, B, m_B, inertia(B, B_xx, B_yy, B_zz, 0, 0, B_xz), C_B},
        RigidBody{"front frame", C_H, G, m_H, inertia(G, H_xx, H_yy, H_zz, 0, 0, H_xz), C_H},
        RigidBody{"rear wheel", D, rear, m_R, inertia(B, R_xx, R_yy, R_xx), D},
        RigidBody{"front wheel", F, front, m_F, inertia(G, F_xx, F_yy, F_xx), F}};
    const Vector slip = Q.vel(N);
    return {N,
            {.q_ind = {yaw, lean, steer},
             .u_ind = {u_lean, u_rear, u_steer},
             .kd_eqs = {mechanics_.rate(yaw) - u_yaw, mechanics_.rate(lean) - u_lean,
                        mechanics_.rate(pitch) - u_pitch, mechanics_.rate(steer) - u_steer},
             .q_dependent = {pitch},
             .configuration_constraints = {dot(Q.pos_from(P), Y.z())},
             .u_dependent = {u_yaw, u_pitch, u_front},
             .velocity_constraints = {dot(slip, Y.x()), dot(slip, Y.y()), dot(slip, Y.z())}},
            bodies,
            gravity(g * N.z(), bodies)};
  }

  // Table 1, and the state of upright straight riding at the speed v.
  Replacements riding() {
    Graph& graph = mechanics_.graph();
    const Expression v = mechanics_.symbol("v");
    Replacements values = {{mechanics_.symbol("lambda"), mechanics_.wrap(graph.pi()) / 10}};
    const std::pair<const char*, double> parameters[] = {
        {"w", 1.02},        {"c", 0.08},         {"g", 9.81},     {"r_R", 0.3},       {"r_F", 0.35},
        {"m_R", 2.0},       {"IR_xx", 0.0603},   {"IR_yy", 0.12}, {"x_B", 0.3},       {"z_B", -0.9},
        {"m_B", 85.0},      {"IB_xx", 9.2},      {"IB_yy", 11.0}, {"IB_zz", 2.8},     {"IB_xz", 2.4},
        {"x_H", 0.9},       {"z_H", -0.7},       {"m_H", 4.0},    {"IH_xx", 0.05892}, {"IH_yy", 0.06},
        {"IH_zz", 0.00708}, {"IH_xz", -0.00756}, {"m_F", 3.0},    {"IF_xx", 0.1405},  {"IF_yy", 0.28}};
    for (const auto& [name, value] : parameters) values.emplace_back(mechanics_.symbol(name), value);
    for (const char* zero : {"psi", "phi", "theta", "delta", "u1", "u2", "u4", "u5"}) {
      values.emplace_back(mechanics_.dynamicsymbol(zero), 0);
    }
    values.emplace_back(mechanics_.dynamicsymbol("u3"), -v / 0.3);
    values.emplace_back(mechanics_.dynamicsymbol("u6"), -v / 0.35);
    return values;
  }

 private:
  Mechanics& mechanics_;
};

}  // namespace sestina::symbolic::test
