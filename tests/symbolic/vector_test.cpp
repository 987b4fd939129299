#include "sestina/symbolic/vector.h"

#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class VectorTest : public test::SymbolicTest {
 protected:
  const ReferenceFrame N = mechanics.frame("N");
  const std::array<Expression, 3> q = mechanics.dynamicsymbols<3>("q1 q2 q3");
  const std::array<Expression, 3> k = mechanics.symbols<3>("a b c");
  const ReferenceFrame A = N.orientnew("A", q[0], N.z());
  const ReferenceFrame B = A.orientnew("B", q[1], A.x());
};

TEST_F(VectorTest, KeepsItsPartsInTheirFrames) {
  const Vector v = k[0] * N.x() - A.y() + (k[1] + k[2]) * B.z();
  EXPECT_EQ(v.parts().size(), 3u);
  EXPECT_EQ((v - v).to_text(), "0");
  EXPECT_TRUE((v - v).is_zero());
  EXPECT_EQ((k[0] * N.x() - A.y() - B.z()).to_text(), "a*N.x - A.y - B.z");
  EXPECT_EQ((2 * N.x() / k[0]).to_text(), "2/a*N.x");
}

TEST_F(VectorTest, MultipliesAsInTheTextbook) {
  EXPECT_TRUE(same(dot(N.x(), A.x()), cos(q[0])));
  EXPECT_TRUE(same(dot(N.x(), A.y()), -sin(q[0])));
  EXPECT_TRUE(same(dot(N.z(), B.z()), cos(q[1])));
  EXPECT_TRUE(same(cross(N.x(), A.x()), sin(q[0]) * N.z(), N));
  EXPECT_TRUE(same(cross(A.y(), B.y()), sin(q[1]) * A.x(), N));
  const Vector u = k[0] * N.x() + k[1] * A.y() + q[2] * B.z(), v = k[2] * N.y() - A.x() + 2 * B.y(),
               w = B.x() + N.z();
  EXPECT_TRUE(same(dot(u, v), dot(v, u)));
  EXPECT_TRUE(same(cross(u, v), -cross(v, u), N));
  EXPECT_TRUE(same(dot(u, cross(v, w)), dot(w, cross(u, v))));
  EXPECT_TRUE(same(cross(u, cross(v, w)), v * dot(u, w) - w * dot(u, v), N));
  EXPECT_TRUE(same(dot(cross(u, v), cross(u, v)), dot(u, u) * dot(v, v) - dot(u, v) * dot(u, v)));
  EXPECT_TRUE(same(dot(u.normalize(), u.normalize()), 1));
  EXPECT_TRUE(same(dot(outer(u, v), w), u * dot(v, w), N));
  EXPECT_TRUE(same(w.dot(outer(u, v)), v * dot(w, u), N));
}

TEST_F(VectorTest, ExpressesInOtherAxes) {
  const Vector v = k[0] * N.x() + k[1] * B.y();
  EXPECT_TRUE(same(v.express(B), v, N));
  EXPECT_TRUE(same(v.express(A).to_matrix(A)[1], -k[0] * sin(q[0]) + k[1] * cos(q[1])));
  EXPECT_EQ(v.express(N).parts().size(), 1u);
  EXPECT_TRUE(same(dot(v.express(B), v.express(N)), dot(v, v)));
}

TEST_F(VectorTest, RatesDependOnTheFrameOfTheObserver) {
  const Vector v = k[0] * A.x();
  EXPECT_TRUE(same(v.dt(A), Vector(), N));
  EXPECT_TRUE(same(v.dt(N), k[0] * mechanics.rate(q[0]) * A.y(), N));
  const Vector w = q[2] * N.x() + k[1] * A.y() + q[0] * B.z();
  EXPECT_TRUE(same(w.dt(N), w.dt(B) + cross(B.ang_vel_in(N), w), N));
  EXPECT_TRUE(same(w.dt(A), w.express(A).dt(A), N));
  EXPECT_TRUE(same(mechanics.rate(dot(w, w)), 2 * dot(w, w.dt(A))));
  EXPECT_TRUE(same(B.y().diff(q[1], A), B.z(), N));
  EXPECT_TRUE(same(B.y().diff(q[1], B), Vector(), N));
  EXPECT_TRUE(same(w.diff(q[2], N), N.x(), N));
}

TEST_F(VectorTest, DyadicsTurnWithTheirFrames) {
  const Dyadic I(B, {{{k[0], 0, k[1]}, {0, k[2], 0}, {k[1], 0, k[0]}}});
  const Vector w = q[0] * N.x() + A.y();
  EXPECT_TRUE(same(dot(I.express(N), w), dot(I, w), N));
  EXPECT_TRUE(same(dot(I, w).dt(N), dot(I.dt(N), w) + dot(I, w.dt(N)), N));
  EXPECT_TRUE(same(dot(I.dt(B), w), Vector(), N));
  EXPECT_EQ(I.to_text(), "a*(B.x|B.x) + b*(B.x|B.z) + c*(B.y|B.y) + b*(B.z|B.x) + a*(B.z|B.z)");
  EXPECT_TRUE((I - I).is_zero());
}

TEST_F(VectorTest, ReplacesSymbols) {
  const Vector v = k[0] * N.x() + q[2] * A.y();
  EXPECT_EQ(v.subs({{k[0], 0}, {q[2], k[1]}}).to_text(), "b*A.y");
}

TEST_F(VectorTest, LengthsOfWholeNumbersStayExact) {
  EXPECT_EQ(to_text((N.x() + N.y()).magnitude()), "sqrt(2)");
  EXPECT_EQ((N.x() + N.y()).normalize().to_text(), "sqrt(2)/2*N.x + sqrt(2)/2*N.y");
  EXPECT_EQ(to_text((N.x() + N.y() + N.z()).normalize().dot(N.x())), "sqrt(3)/3");
  EXPECT_EQ(to_text((3 * N.x() + 4 * N.y()).magnitude()), "5");
  EXPECT_TRUE(Vector().magnitude().is_zero());
}

}  // namespace
}  // namespace sestina::symbolic
