#include "sestina/symbolic/point.h"

#include "sestina/base/error.h"
#include "sestina/symbolic/body.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class PointTest : public test::SymbolicTest {
 protected:
  const ReferenceFrame N = mechanics.frame("N");
  const std::array<Expression, 3> q = mechanics.dynamicsymbols<3>("q1 q2 q3");
  const std::array<Expression, 3> k = mechanics.symbols<3>("a b c");
  const ReferenceFrame A = N.orientnew("A", q[0], N.z());
  const ReferenceFrame B = A.orientnew("B", q[1], A.x());
  const Point O = mechanics.point("O");
};

TEST_F(PointTest, TwoPointTheoremsAgreeWithDifferentiation) {
  O.set_vel(N, q[2] * N.x());
  const Point P = O.locatenew("P", k[0] * A.x()), Q = P.locatenew("Q", k[1] * B.y() + k[2] * B.z());
  const Vector automatic = Q.vel(N), acceleration = Q.acc(N);
  P.v2pt_theory(O, N, A);
  EXPECT_TRUE(same(Q.v2pt_theory(P, N, B), automatic, N));
  EXPECT_TRUE(same(automatic, O.vel(N) + Q.pos_from(O).dt(N), N));
  O.set_acc(N, mechanics.rate(q[2]) * N.x());
  P.a2pt_theory(O, N, A);
  EXPECT_TRUE(same(Q.a2pt_theory(P, N, B), acceleration, N));
}

TEST_F(PointTest, OnePointTheoremsAgreeWithDifferentiation) {
  O.set_vel(N, Vector());
  const Point P = O.locatenew("P", k[0] * B.x() + q[2] * B.z());
  const Vector automatic = P.vel(N), acceleration = P.acc(N);
  O.set_vel(B, Vector());
  P.set_vel(B, mechanics.rate(q[2]) * B.z());
  EXPECT_TRUE(same(P.v1pt_theory(O, N, B), automatic, N));
  EXPECT_TRUE(same(P.a1pt_theory(O, N, B), acceleration, N));
}

TEST_F(PointTest, SearchesTheTreeForAVelocity) {
  const Point P = O.locatenew("P", k[0] * A.x()), Q = O.locatenew("Q", k[1] * N.y());
  EXPECT_THROW(P.vel(N), InputError);
  Q.set_vel(N, Vector());
  EXPECT_TRUE(same(P.vel(N), k[0] * mechanics.rate(q[0]) * A.y(), N));
  EXPECT_TRUE(same(Q.pos_from(P), k[1] * N.y() - k[0] * A.x(), N));
  EXPECT_THROW(mechanics.point("elsewhere").pos_from(O), InputError);
}

TEST_F(PointTest, RefusesVelocitiesThatContradictEachOther) {
  const Point P = O.locatenew("P", k[0] * N.x()), Q = P.locatenew("Q", k[1] * N.y());
  O.set_vel(N, Vector());
  Q.set_vel(N, Vector());
  EXPECT_TRUE(P.vel(N).is_zero());
  Q.set_vel(N, k[2] * N.y());
  EXPECT_THROW(P.vel(N), InputError);
}

TEST_F(PointTest, LoopsOfPositionsMustClose) {
  const Point P = O.locatenew("P", cos(q[0]) * N.x()), Q = P.locatenew("Q", sin(q[0]) * N.y());
  Q.set_pos(O, A.x());  // the same
  EXPECT_THROW(Q.set_pos(O, A.y()), InputError);
  EXPECT_THROW(Q.set_pos(Q, A.y()), InputError);
}

// Sides of 1 m in directions that are 60, or 360/7, degrees apart.
TEST_F(PointTest, PolygonsClose) {
  const Expression pi = mechanics.wrap(mechanics.graph().pi());
  for (const int corners : {6, 7}) {
    const auto side = [&](int number) {
      const std::string name = "side" + std::to_string(corners) + std::to_string(number);
      return N.orientnew(name, 2 * number * pi / corners, N.z()).x();
    };
    const std::string name = "corner" + std::to_string(corners);
    const Point first = mechanics.point(name);
    Point last = first;
    for (int i = 0; i + 1 < corners; ++i) last = last.locatenew(name + std::to_string(i), side(i));
    const Vector closing = side(corners - 1);
    EXPECT_THROW(first.set_pos(last, fraction(101, 100) * closing), InputError);
    EXPECT_NO_THROW(first.set_pos(last, closing));
  }
}

TEST_F(PointTest, BodiesHaveTheMomentaAndEnergiesOfTheTextbook) {
  const auto [m, I, J] = mechanics.symbols<3>("m I J");
  O.set_vel(N, Vector());
  const Point C = O.locatenew("C", k[0] * A.x());
  const RigidBody bar{"bar", C, A, m, inertia(A, 0, I, I), C};
  const Expression w = mechanics.rate(q[0]);
  EXPECT_TRUE(same(bar.kinetic_energy(N), (I + m * k[0] * k[0]) * w * w / 2));
  EXPECT_TRUE(same(bar.linear_momentum(N), m * k[0] * w * A.y(), N));
  EXPECT_TRUE(same(bar.angular_momentum(O, N), (I + m * k[0] * k[0]) * w * N.z(), N));
  // About another point and back.
  const RigidBody about_O{"bar", C, A, m, bar.parallel_axis(O), O};
  EXPECT_TRUE(same(dot(about_O.central_inertia(), B.z()), dot(bar.inertia, B.z()), N));
  const Particle tip{"tip", O.locatenew("T", k[1] * A.x()), J};
  const std::vector<Body> all = {bar, tip};
  EXPECT_TRUE(same(kinetic_energy(N, all), bar.kinetic_energy(N) + J * k[1] * k[1] * w * w / 2));
  EXPECT_TRUE(same(center_of_mass(O, all), (m * k[0] + J * k[1]) / (m + J) * A.x(), N));
  EXPECT_TRUE(same(angular_momentum(O, N, all), bar.angular_momentum(O, N) + J * k[1] * k[1] * w * N.z(), N));
}

}  // namespace
}  // namespace sestina::symbolic
