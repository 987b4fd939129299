// Forces and torques that a hinge carries in a chain in space, by three ways that must agree as functions:
// along auxiliary speeds, as multipliers of constraints on speeds, and by the balance of momenta.
// tests/simulation/reactions_test.cpp compares them with the recursive solver's.
#include <array>

#include "sestina/symbolic/kane.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class ReactionTest : public test::SymbolicTest {
 protected:
  struct Chain {
    ReferenceFrame A;
    Point foot;
    std::vector<Body> bodies;
  };

  // A turns about N.z on its foot, which stays at O; B about an axis of A at A's end. `apart`: speeds of the
  // foot and of A's angular velocity that the hinge does not allow.
  Chain lay_out(const std::string& name, const std::vector<Expression>& apart) {
    const Point foot = O.locatenew(name + "foot", Vector());
    Vector velocity, turning = u[0] * N.z();
    if (!apart.empty()) {
      velocity = apart[0] * N.x() + apart[1] * N.y() + apart[2] * N.z();
      turning = turning + apart[3] * N.x() + apart[4] * N.y();
    }
    const ReferenceFrame A = N.orientnew(name + "A", q[0], N.z()), B = A.orientnew(name + "B", q[1], A.x());
    A.set_ang_vel(N, turning);
    B.set_ang_vel(A, u[1] * A.x());
    foot.set_vel(N, velocity);
    const auto [a, b, l, mA, mB] = mechanics.symbols<5>("a b l mA mB");
    const Point C = foot.locatenew(name + "C", a * A.x() + b * A.z()),
                elbow = foot.locatenew(name + "E", l * A.x()),
                D = elbow.locatenew(name + "D", b * B.x() - a * B.y() + b / 2 * B.z());
    C.v2pt_theory(foot, N, A);
    elbow.v2pt_theory(foot, N, A);
    D.v2pt_theory(elbow, N, B);
    const auto [I, J, K, L] = mechanics.symbols<4>("I J K L");
    return {A,
            foot,
            {RigidBody{"A", C, A, mA, inertia(A, I, J, K, L), C},
             RigidBody{"B", D, B, mB, inertia(B, J, K, I, 0, L), D}}};
  }

  KaneOptions options() {
    return {.q_ind = {q[0], q[1]},
            .u_ind = {u[0], u[1]},
            .kd_eqs = {mechanics.rate(q[0]) - u[0], mechanics.rate(q[1]) - u[1]}};
  }

  const std::array<Expression, 2> q = mechanics.dynamicsymbols<2>("q1 q2"),
                                  u = mechanics.dynamicsymbols<2>("u1 u2");
  const Expression g = mechanics.symbol("g");
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
  const Vector down = -N.y();
};

TEST_F(ReactionTest, AuxiliarySpeedsMultipliersAndMomentaGiveTheSame) {
  O.set_vel(N, Vector());
  const std::vector<Expression> apart = mechanics.dynamicsymbols("v", 5),
                                carried = mechanics.dynamicsymbols("F", 5);
  const Chain chain = lay_out("", apart);
  std::vector<Load> loads = gravity(g * down, chain.bodies);
  loads.emplace_back(Force{chain.foot, carried[0] * N.x() + carried[1] * N.y() + carried[2] * N.z()});
  loads.emplace_back(Torque{chain.A, carried[3] * N.x() + carried[4] * N.y()});
  KaneOptions auxiliary = options();
  auxiliary.u_auxiliary = apart;
  const KanesMethod by_speeds(N, auxiliary, chain.bodies, loads);
  KaneOptions dependent = options();
  dependent.u_dependent = apart;
  dependent.velocity_constraints = apart;
  const KanesMethod by_constraints(N, dependent, chain.bodies, gravity(g * down, chain.bodies));

  const Chain rigid = lay_out("rigid ", {});
  Vector force, torque = angular_momentum(O, N, rigid.bodies).dt(N);
  for (const Body& body : rigid.bodies) {
    const Point& centre = masscenter_of(body);
    force = force + mass_of(body) * (centre.acc(N) - g * down);
    torque = torque - cross(centre.pos_from(O), mass_of(body) * g * down);
  }
  const Triple F = force.to_matrix(N), T = torque.to_matrix(N);
  const std::array<Expression, 5> momenta = {F[0], F[1], F[2], T[0], T[1]};

  std::vector<std::pair<Expr, Expr>> hold;
  Graph& graph = mechanics.graph();
  const auto replace = [&](const Expression& from, const Expression& to) {
    hold.emplace_back(from.in(graph), to.in(graph));
  };
  for (const Expression& speed : apart) replace(speed, 0), replace(mechanics.rate(speed), 0);
  for (const auto& [rate, value] : by_speeds.kindiffdict()) replace(rate, value);
  const auto held = [&](const Expression& e) {
    return Expression(graph, graph.substitute(e.in(graph), hold));
  };

  const Matrix& M = by_constraints.unconstrained_mass_matrix();
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_TRUE(same(held(by_speeds.auxiliary_eqs()[k]), carried[k] - held(momenta.at(k)))) << k;
    const Expression multiplier = M(2 + k, 0) * mechanics.rate(u[0]) + M(2 + k, 1) * mechanics.rate(u[1]) -
                                  by_constraints.unconstrained_forcing()[2 + k];
    EXPECT_TRUE(same(held(multiplier), held(momenta.at(k)))) << k;
    EXPECT_FALSE(same(held(momenta.at(k)), 0)) << k;
  }
  // About the hinge nothing is carried: that balance is the first equation of motion.
  const Expression free = by_speeds.mass_matrix()(0, 0) * mechanics.rate(u[0]) +
                          by_speeds.mass_matrix()(0, 1) * mechanics.rate(u[1]) - by_speeds.forcing()[0];
  EXPECT_TRUE(same(held(T[2]), free));
}

}  // namespace
}  // namespace sestina::symbolic
