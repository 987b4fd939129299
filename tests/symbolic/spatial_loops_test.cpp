// Closed loops in space that move although a count of their freedoms forbids it: of the five equations that
// close the last hinge of a loop some follow from the others, but only where the loop is closed.
//
//   Bennett: four hinges, links of lengths a b a b and twists alpha beta alpha beta, where
//     b sin alpha = a sin beta.
//     G. T. Bennett, "A new mechanism", Engineering 76 (1903).
//   Bricard: six hinges, equal links with twists of a right angle, alternately to the right and to the left,
//     the edges of a cube: the mechanism of M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, "A benchmarking
//     system for MBS simulation software", Multibody System Dynamics 16 (2006), rods of 1 m and 1 kg.
//
// Both have one degree of freedom, and one angle gives the others in closed form: if these replace
// the coordinates, Lagrange's equation of the one angle is an independent derivation.
#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/symbolic/lagrange.h"
#include "sestina/symbolic/steady_motion.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

using State = std::map<std::string, double>;

class SpatialLoopTest : public test::SymbolicTest {
 protected:
  // Along the common normal x of two hinges z, as of Denavit and Hartenberg: turned about z by the hinge, on
  // by the length, then turned about x by the twist. The centre lies off the normal, as in no plane
  // mechanism.
  struct Link {
    double length, twist;
  };

  struct Linkage {
    std::vector<Link> links;         // the last of them is the ground
    std::vector<Expression> angles;  // of the others, as functions of the first
  };

  struct Loop {
    std::vector<Body> bodies;
    std::vector<Expression> closure;  // the last hinge: where it is and how it points
    Expression height = 0;            // of all mass
  };

  // Angular velocities are those of `speeds`, if there are any.
  Loop lay_out(const Linkage& linkage, const std::vector<Expression>& angles,
               const std::vector<Expression>& speeds) {
    const std::vector<Link>& links = linkage.links;
    const std::string name = "loop " + std::to_string(++loops_) + " link ";
    Loop loop;
    const Point O = mechanics.point(name + "0");
    O.set_vel(N, Vector());
    Point joint = O;
    ReferenceFrame hinge = N;
    for (std::size_t i = 0; i + 1 < links.size(); ++i) {
      const std::string number = name + std::to_string(i + 1);
      const auto [a, twist] = links[i];
      const ReferenceFrame B = hinge.orientnew("B" + number, angles[i], hinge.z());
      if (!speeds.empty()) B.set_ang_vel(hinge, speeds[i] * hinge.z());
      const Point C = joint.locatenew("C" + number, a / 2 * B.x() + off[1] * B.y() + off[2] * B.z());
      const Point end = joint.locatenew("P" + number, a * B.x());
      C.v2pt_theory(joint, N, B);
      end.v2pt_theory(joint, N, B);
      const double I = mass * a * a / 12;
      const Dyadic about_centre = inertia(B, I / 10, I, 1.1 * I, off[1] * I, off[2] * I, 0);
      loop.bodies.emplace_back(RigidBody{"link " + number, C, B, mass, about_centre, C});
      loop.height += mass * dot(C.pos_from(O), up);
      hinge = B.orientnew("H" + number, twist, B.x());
      joint = end;
    }
    const auto [a, twist] = links.back();
    const Vector gap = joint.pos_from(O) + a * N.x();
    const Vector across = std::cos(twist) * N.y() - std::sin(twist) * N.z();  // the hinge's axis
    loop.closure = {dot(gap, N.x()), dot(gap, N.y()), dot(gap, N.z()), dot(hinge.z(), N.x()),
                    dot(hinge.z(), across)};
    return loop;
  }

  // Lagrange's equation of the first angle, on which the others depend.
  LagrangesMethod by_one_angle(const Linkage& linkage) {
    const Loop loop = lay_out(linkage, linkage.angles, {});
    return {mechanics, kinetic_energy(N, loop.bodies) - gravity * loop.height, {q[0]}};
  }

  // Kane's method with as many of the closures, by their places, as there are dependent angles.
  KanesMethod by_closures(const Loop& loop, const std::vector<std::size_t>& places) {
    std::vector<Expression> closures, slips, kinematics;
    for (const std::size_t place : places) {
      closures.push_back(loop.closure[place]);
      slips.push_back(mechanics.rate(loop.closure[place]));
    }
    const std::size_t n = loop.bodies.size();
    for (std::size_t i = 0; i < n; ++i) kinematics.push_back(mechanics.rate(q[i]) - u[i]);
    const auto last = [n](const std::vector<Expression>& of) {
      return std::vector<Expression>(of.begin() + 1, of.begin() + static_cast<std::ptrdiff_t>(n));
    };
    return {N,
            {.q_ind = {q[0]},
             .u_ind = {u[0]},
             .kd_eqs = kinematics,
             .q_dependent = last(q),
             .configuration_constraints = closures,
             .u_dependent = last(u),
             .velocity_constraints = slips},
            loop.bodies,
            symbolic::gravity(-gravity * up, loop.bodies)};
  }

  // tan(q1/2) tan(q2/2) = sin((beta + alpha)/2)/sin((beta - alpha)/2), q3 = -q1.
  Linkage bennett() {
    const double a = 0.5, alpha = 0.7, beta = 1.2, b = a * std::sin(beta) / std::sin(alpha);
    const double ratio = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
    const Expression second = 2 * atan2(ratio * cos(q[0] / 2), sin(q[0] / 2));
    return {{{a, alpha}, {b, beta}, {a, alpha}, {b, beta}}, {q[0], second, -q[0]}};
  }

  // Every other angle is the same, and cos q1 + cos q2 + cos q1 cos q2 = 0.
  Linkage bricard() {
    const Expression c = cos(q[0]), second = atan2(sqrt(1 + 2 * c), -c);
    const Link right{1.0, M_PI / 2}, left{1.0, -M_PI / 2};
    return {{right, left, right, left, right, left}, {q[0], second, q[0], second, q[0]}};
  }

  void expect_same_motion(const Linkage& linkage, const std::vector<std::vector<std::size_t>>& subsets,
                          double angle, double rate);

  const ReferenceFrame N = mechanics.frame("N");
  const std::vector<Expression> q = mechanics.dynamicsymbols("q", 5), u = mechanics.dynamicsymbols("u", 5);
  const Vector up = 0.6 * N.y() + 0.8 * N.z();
  static constexpr double mass = 1.0, gravity = 9.81;
  static constexpr double off[] = {0.0, 0.1, -0.07};  // m

 private:
  int loops_ = 0;
};

void SpatialLoopTest::expect_same_motion(const Linkage& linkage,
                                         const std::vector<std::vector<std::size_t>>& subsets, double angle,
                                         double rate) {
  const std::size_t n = linkage.angles.size();
  const LagrangesMethod reference = by_one_angle(linkage);
  State one = {{to_text(q[0]), angle}, {to_text(mechanics.rate(q[0])), rate}};
  const double expected = evaluate(reference.forcing(), one)[0] / evaluate(reference.mass_matrix(), one)[0];
  const std::vector<double> at = evaluate(Matrix(linkage.angles), one);
  const Loop loop = lay_out(linkage, q, u);
  const Expression energy = kinetic_energy(N, loop.bodies) + gravity * loop.height;
  for (const std::vector<std::size_t>& places : subsets) {
    const KanesMethod kane = by_closures(loop, places);
    State state;
    for (std::size_t i = 0; i < n; ++i) state[to_text(q[i])] = at[i];
    state[to_text(u[0])] = rate;
    state = complete(kane, state);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(state.at(to_text(q[i])), at[i], 1e-13);
    const std::vector<double> rates = solve_at(kane.mass_matrix(), kane.forcing(), state);
    EXPECT_NEAR(rates[0], expected, 1e-11 * (1.0 + std::abs(expected)));
    // The closures that were left out hold too, and so do their rates; the energy stays.
    for (std::size_t i = 0; i < n; ++i) {
      state[to_text(mechanics.rate(q[i]))] = state.at(to_text(u[i]));
      state[to_text(mechanics.rate(u[i]))] = rates[i];
    }
    std::vector<Expression> vanishing = loop.closure;
    for (const Expression& closure : loop.closure) vanishing.push_back(mechanics.rate(closure));
    vanishing.push_back(mechanics.rate(energy));
    const std::vector<double> values = evaluate(Matrix(vanishing), state);
    for (std::size_t k = 0; k + 1 < values.size(); ++k) EXPECT_NEAR(values[k], 0.0, 1e-13) << k;
    EXPECT_NEAR(values.back(), 0.0, 1e-11);
  }
}

TEST_F(SpatialLoopTest, BennettsLinkageMovesAsItsOneAngleSays) {
  // The pairs of the five closures whose rates are independent in these positions.
  const std::vector<std::vector<std::size_t>> pairs = {{0, 1}, {1, 2}, {0, 3}, {1, 3},
                                                       {2, 3}, {1, 4}, {3, 4}};
  for (const double angle : {0.4, 1.3, 2.6, -1.9}) expect_same_motion(bennett(), pairs, angle, 1.7);
}

// Each of the five closures may be the one that is left out; pi/2 is the cube.
TEST_F(SpatialLoopTest, BricardsMechanismMovesAsItsOneAngleSays) {
  std::vector<std::vector<std::size_t>> subsets;
  for (std::size_t left_out = 0; left_out < 5; ++left_out) {
    std::vector<std::size_t>& subset = subsets.emplace_back();
    for (std::size_t k = 0; k < 5; ++k) {
      if (k != left_out) subset.push_back(k);
    }
  }
  for (const double angle : {M_PI / 2, 0.4, -1.3}) expect_same_motion(bricard(), subsets, angle, 1.7);
}

TEST_F(SpatialLoopTest, MoreClosuresThanDependentSpeedsAreRefused) {
  const auto refusal = [&](const Linkage& linkage) {
    return testing_support::message_of([&] { by_closures(lay_out(linkage, q, u), {0, 1, 2, 3, 4}); });
  };
  EXPECT_EQ(refusal(bennett()), "there are 5 velocity constraints, but 2 dependent speeds");
  EXPECT_EQ(refusal(bricard()), "there are 5 velocity constraints, but 4 dependent speeds");
}

// With all closures as constraints the multipliers are not unique, and the equations say so; the rest under
// gravity is found nevertheless, where the height of the closed form does not change with the
// angle.
TEST_F(SpatialLoopTest, RedundantClosuresLeaveTheEquilibriumWhereItIs) {
  const Loop loop = lay_out(bennett(), q, {});
  const std::vector<Expression> angles(q.begin(), q.begin() + 3);
  const LagrangesMethod lagrange(mechanics, kinetic_energy(N, loop.bodies) - gravity * loop.height, angles,
                                 {.hol_coneqs = loop.closure});
  EXPECT_THAT([&] { lagrange.solve(); }, testing::ThrowsMessage<InputError>(testing::HasSubstr("dependent")));

  const std::vector<double> guess = evaluate(Matrix(bennett().angles), {{"q0", -0.2}});
  std::vector<std::pair<Expression, double>> start;
  for (std::size_t i = 0; i < 3; ++i) start.emplace_back(q[i], guess[i]);
  const SteadyMotion rest = find_equilibrium(motion_equations(mechanics, lagrange), {}, start);
  State found;
  for (const auto& [symbol, value] : rest.values) found[to_text(symbol)] = value;
  const std::vector<double> closed = evaluate(Matrix(bennett().angles), found);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_NEAR(std::remainder(found.at(to_text(q[i])) - closed[i], 2 * M_PI), 0.0, 1e-12);
  }
  const Expression height = lay_out(bennett(), bennett().angles, {}).height;
  EXPECT_NEAR(evaluate(Matrix({diff(height, q[0])}), found)[0], 0.0, 1e-12);
}

}  // namespace
}  // namespace sestina::symbolic
