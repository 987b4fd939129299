// Systems that several tests run: derived with symbols, with their numbers.
#pragma once

#include <optional>

#include "sestina/simulation/symbolic_system.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic::test {

// A particle on a string in a vertical plane, y up, by its Cartesian coordinates.
class StringPendulum {
 public:
  KanesMethod by_kane() {
    const auto u = mechanics.dynamicsymbols<2>("vx vy");
    const Expression distance = x * x + y * y - l * l;
    const Point P = mechanics.point("P");
    O.set_vel(N, Vector());
    P.set_pos(O, x * N.x() + y * N.y());
    P.set_vel(N, u[0] * N.x() + u[1] * N.y());
    bodies = {Particle{"P", P, m, m * g * y}};
    return {N,
            {.q_ind = {x},
             .u_ind = {u[0]},
             .kd_eqs = {mechanics.rate(x) - u[0], mechanics.rate(y) - u[1]},
             .q_dependent = {y},
             .configuration_constraints = {distance},
             .u_dependent = {u[1]},
             .velocity_constraints = {mechanics.rate(distance)}},
            bodies,
            gravity(-g * N.y(), bodies)};
  }
  LagrangesMethod by_lagrange() {
    const Expression T = m * (pow(mechanics.rate(x), 2) + pow(mechanics.rate(y), 2)) / 2;
    LagrangeOptions options;
    options.hol_coneqs = {x * x + y * y - l * l};
    return {mechanics, T - m * g * y, {x, y}, options};
  }

  Mechanics mechanics;
  const Expression x = mechanics.dynamicsymbol("x"), y = mechanics.dynamicsymbol("y");
  const Expression m = mechanics.symbol("m"), g = mechanics.symbol("g"), l = mechanics.symbol("l");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
  std::vector<Body> bodies;
};

// A thin disc that rolls on a level plane, z up: its contact point is located by x and y, yaw q1, lean q2,
// spin q3. All five speeds are those of the coordinates; two of them follow, since the contact does not slip.
class RollingDisc {
 public:
  KanesMethod derive() {
    const auto q = mechanics.dynamicsymbols<5>("q1 q2 q3 x y"),
               u = mechanics.dynamicsymbols<5>("u1 u2 u3 vx vy");
    const auto [r, m, g] = mechanics.symbols<3>("r m g");
    const ReferenceFrame N = mechanics.frame("N"), Y = N.orientnew("Y", q[0], N.z()),
                         L = Y.orientnew("L", q[1], Y.x()), R = L.orientnew("R", q[2], L.y());
    Y.set_ang_vel(N, u[0] * N.z());
    L.set_ang_vel(Y, u[1] * Y.x());
    R.set_ang_vel(L, u[2] * L.y());
    const Point O = mechanics.point("O"), C = O.locatenew("C", q[3] * N.x() + q[4] * N.y()),
                D = C.locatenew("D", r * L.z());
    O.set_vel(N, Vector());
    // C is where the plane is touched; it moves along the plane, and so does the centre above it.
    const Vector along = u[3] * N.x() + u[4] * N.y();
    D.set_vel(N, along + cross(L.ang_vel_in(N), r * L.z()));
    const Vector slip = D.vel(N) + cross(R.ang_vel_in(N), -r * L.z());
    const Expression i = m * r * r / 4;
    bodies = {RigidBody{"disc", D, R, m, inertia(L, i, 2 * i, i), D, m * g * r * cos(q[1])}};
    frame.emplace(N);
    std::vector<Expression> kinematics;
    for (std::size_t k = 0; k < 5; ++k) kinematics.push_back(mechanics.rate(q[k]) - u[k]);
    return {N,
            {.q_ind = {q.begin(), q.end()},
             .u_ind = {u[0], u[1], u[2]},
             .kd_eqs = kinematics,
             .u_dependent = {u[3], u[4]},
             .velocity_constraints = {dot(slip, N.x()), dot(slip, N.y())}},
            bodies,
            gravity(-g * N.z(), bodies)};
  }
  Expression named(const char* name) { return mechanics.dynamicsymbol(name); }
  ParameterValues numbers() {
    return {{mechanics.symbol("r"), 0.3}, {mechanics.symbol("m"), 2.0}, {mechanics.symbol("g"), 9.81}};
  }

  Mechanics mechanics;
  std::vector<Body> bodies;
  std::optional<ReferenceFrame> frame;
};

// Four-bar linkage in a vertical plane, y up: bars a, b, c hang one behind the other at angles q1, q2, q3
// against the x axis (all absolute), the end of the last at the distance d from the first pivot.
class FourBar {
 public:
  KanesMethod derive() {
    const auto u = mechanics.dynamicsymbols<3>("u1 u2 u3");
    const ReferenceFrame N = mechanics.frame("N");
    const Expression g = mechanics.symbol("g"), rho = mechanics.symbol("rho");
    frame.emplace(N);
    Point joint = mechanics.point("O");
    joint.set_vel(N, Vector());
    const Point O = joint;
    std::vector<Expression> kinematics;
    const std::vector<Expression> lengths = {mechanics.symbol("a"), mechanics.symbol("b"),
                                             mechanics.symbol("c")};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string number = std::to_string(k + 1);
      const ReferenceFrame A = N.orientnew("A" + number, q[k], N.z());
      A.set_ang_vel(N, u[k] * N.z());
      const Point C = joint.locatenew("C" + number, lengths[k] / 2 * A.x());
      const Point next = joint.locatenew("J" + number, lengths[k] * A.x());
      C.v2pt_theory(joint, N, A);
      next.v2pt_theory(joint, N, A);
      const Expression mass = rho * lengths[k];
      bodies.emplace_back(RigidBody{"bar " + number, C, A, mass,
                                    inertia(A, 0, 0, mass * lengths[k] * lengths[k] / 12), C,
                                    mass * g * dot(C.pos_from(O), N.y())});
      kinematics.push_back(mechanics.rate(q[k]) - u[k]);
      joint = next;
    }
    const Vector gap = joint.pos_from(O) - mechanics.symbol("d") * N.x();
    const Vector slip = joint.vel(N);
    return {N,
            {.q_ind = {q[0]},
             .u_ind = {u[0]},
             .kd_eqs = kinematics,
             .q_dependent = {q[1], q[2]},
             .configuration_constraints = {dot(gap, N.x()), dot(gap, N.y())},
             .u_dependent = {u[1], u[2]},
             .velocity_constraints = {dot(slip, N.x()), dot(slip, N.y())}},
            bodies,
            gravity(-g * N.y(), bodies)};
  }
  ParameterValues numbers(double a, double b, double c, double d) {
    return {{mechanics.symbol("a"), a}, {mechanics.symbol("b"), b},    {mechanics.symbol("c"), c},
            {mechanics.symbol("d"), d}, {mechanics.symbol("g"), 9.81}, {mechanics.symbol("rho"), 3.0}};
  }

  Mechanics mechanics;
  const std::array<Expression, 3> q = mechanics.dynamicsymbols<3>("q1 q2 q3");
  std::vector<Body> bodies;
  std::optional<ReferenceFrame> frame;
};

}  // namespace sestina::symbolic::test
