#include "sestina/symbolic/frame.h"

#include "sestina/base/error.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class FrameTest : public test::SymbolicTest {
 protected:
  void expect_same(const Matrix3& a, const Matrix3& b) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) EXPECT_TRUE(same(a[i][j], b[i][j])) << i << j;
    }
  }

  // [w]x = R' R^T in the outer axes, whatever made R.
  void expect_consistent_rate(const ReferenceFrame& B, const ReferenceFrame& A) {
    const Matrix3 R = A.dcm(B);
    const Triple w = B.ang_vel_in(A).to_matrix(A);
    for (std::size_t j = 0; j < 3; ++j) {
      const Triple axis = transpose(R)[j], turned = cross(w, axis);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same(mechanics.rate(axis[i]), turned[i])) << i << j;
    }
  }

  const ReferenceFrame N = mechanics.frame("N");
  const std::vector<Expression> q = mechanics.dynamicsymbols("q", 5);
  const Triple angles = {q[1], q[2], q[3]};
};

TEST_F(FrameTest, TurnsAboutAnAxis) {
  const ReferenceFrame A = N.orientnew("A", q[1], N.z());
  const Expression c = cos(q[1]), s = sin(q[1]);
  expect_same(N.dcm(A), {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}});
  expect_same(A.dcm(N), {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}});
  EXPECT_EQ(A.ang_vel_in(N).to_text(), "q1'*N.z");
  EXPECT_EQ(N.ang_vel_in(A).to_text(), "-q1'*N.z");
  EXPECT_EQ(A.ang_acc_in(N).to_text(), "q1''*N.z");
}

TEST_F(FrameTest, AnyAxisIsTurnedAboutByRodriguesFormula) {
  const ReferenceFrame A = N.orientnew("A", q[1], N.x() + N.y() + N.z());
  // A third of a turn about the diagonal takes x to y, y to z, z to x.
  const Matrix3 R = N.dcm(A);
  const double expected[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const auto value = evaluate(Matrix({R[i][j]}), {{"q1", 2.0943951023931953}});
      EXPECT_NEAR(value[0], expected[i][j], 1e-15);
    }
  }
  expect_consistent_rate(A, N);
  const ReferenceFrame B = A.orientnew("B", q[2], 3 * A.x() - 4 * A.z());
  expect_consistent_rate(B, N);
}

TEST_F(FrameTest, AllTwelveSequencesAreChainsOfSimpleTurns) {
  int number = 0;
  for (const char* order :
       {"123", "231", "312", "132", "213", "321", "121", "131", "212", "232", "313", "323"}) {
    const auto axis = [&](const ReferenceFrame& frame, std::size_t i) {
      return order[i] == '1' ? frame.x() : order[i] == '2' ? frame.y() : frame.z();
    };
    const std::string name = std::to_string(number++);
    const ReferenceFrame B = mechanics.frame("B" + name), S = mechanics.frame("S" + name);
    B.orient_body_fixed(N, angles, order);
    const ReferenceFrame first = N.orientnew("I" + name, q[1], axis(N, 0));
    const ReferenceFrame second = first.orientnew("J" + name, q[2], axis(first, 1));
    const ReferenceFrame third = second.orientnew("K" + name, q[3], axis(second, 2));
    expect_same(N.dcm(B), N.dcm(third));
    expect_consistent_rate(B, N);
    // About fixed axes the later turns multiply from the left.
    S.orient_space_fixed(N, angles, order);
    const ReferenceFrame a = mechanics.frame("a" + name), b = mechanics.frame("b" + name),
                         c = mechanics.frame("c" + name);
    a.orient_axis(N, axis(N, 0), q[1]);
    b.orient_axis(N, axis(N, 1), q[2]);
    c.orient_axis(N, axis(N, 2), q[3]);
    expect_same(N.dcm(S), multiply(N.dcm(c), multiply(N.dcm(b), N.dcm(a))));
    expect_consistent_rate(S, N);
  }
}

TEST_F(FrameTest, KinematicEquationsVanishForTheMeasuredAngularVelocity) {
  const auto u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  for (const char* order : {"123", "313", "232"}) {
    const ReferenceFrame B = mechanics.frame(std::string("B") + order),
                         S = mechanics.frame(std::string("S") + order);
    B.orient_body_fixed(N, angles, order);
    S.orient_space_fixed(N, angles, order);
    const Triple wB = B.ang_vel_in(N).to_matrix(B), wS = S.ang_vel_in(N).to_matrix(S);
    const Triple body = kinematic_equations_body(mechanics, {u[0], u[1], u[2]}, angles, order);
    const Triple space = kinematic_equations_space(mechanics, {u[0], u[1], u[2]}, angles, order);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(same(body[i], wB[i] - u[i]));
      EXPECT_TRUE(same(space[i], wS[i] - u[i]));
    }
  }
}

TEST_F(FrameTest, EulerParametersGiveTheirTextbookRates) {
  const std::array<Expression, 4> e = {q[0], q[1], q[2], q[3]};
  const auto u = mechanics.dynamicsymbols<3>("u1 u2 u3");
  const ReferenceFrame B = mechanics.frame("B");
  B.orient_quaternion(N, e);
  const Triple w = B.ang_vel_in(N).to_matrix(B);
  // Kane, Likins, Levinson 1983, section 1.13, the scalar last there.
  EXPECT_TRUE(same(w[0], 2 * (e[0] * mechanics.rate(e[1]) - e[1] * mechanics.rate(e[0]) -
                              e[2] * mechanics.rate(e[3]) + e[3] * mechanics.rate(e[2]))));
  const auto equations = kinematic_equations_quaternion(mechanics, {u[0], u[1], u[2]}, e);
  EXPECT_TRUE(same(equations[0], mechanics.rate(e[0]) + (e[1] * u[0] + e[2] * u[1] + e[3] * u[2]) / 2));
  EXPECT_TRUE(same(equations[1], mechanics.rate(e[1]) - (e[0] * u[0] + e[2] * u[2] - e[3] * u[1]) / 2));
  // The rates that solve them reproduce the angular velocity, for a norm of one.
  Replacements rates;
  for (std::size_t i = 0; i < 4; ++i)
    rates.emplace_back(mechanics.rate(e[i]), mechanics.rate(e[i]) - equations[i]);
  const Expression norm = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
  const Triple measured = B.ang_vel_in(N).subs(rates).to_matrix(B);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same(measured[i], norm * u[i]));
}

TEST_F(FrameTest, DirectionCosinesGiveTheAngularVelocity) {
  const ReferenceFrame A = N.orientnew("A", q[1], N.z()), B = A.orientnew("B", q[2], A.x());
  const ReferenceFrame E = mechanics.frame("E");
  E.orient_explicit(N, N.dcm(B));
  EXPECT_TRUE(same(E.ang_vel_in(N), B.ang_vel_in(N), N));
  expect_consistent_rate(E, N);
}

TEST_F(FrameTest, FindsItsWayThroughTheTree) {
  const ReferenceFrame A = N.orientnew("A", q[1], N.z()), B = A.orientnew("B", q[2], A.x());
  const ReferenceFrame C = N.orientnew("C", q[3], N.y());
  const ReferenceFrame island = mechanics.frame("I"), child = island.orientnew("D", q[4], island.z());
  EXPECT_THROW(N.dcm(child), InputError);
  EXPECT_THROW(child.ang_vel_in(N), InputError);
  child.orient_axis(C, C.x(), q[0]);  // turns the tree of the island around
  expect_same(B.dcm(island),
              multiply(transpose(N.dcm(B)), multiply(N.dcm(C), multiply(C.dcm(child), child.dcm(island)))));
  EXPECT_TRUE(same(
      island.ang_vel_in(N),
      mechanics.rate(q[3]) * N.y() + mechanics.rate(q[0]) * C.x() - mechanics.rate(q[4]) * island.z(), N));
  expect_consistent_rate(island, B);
}

TEST_F(FrameTest, LoopsMustClose) {
  const ReferenceFrame A = N.orientnew("A", q[1], N.z()), B = A.orientnew("B", q[2], A.z());
  B.orient_axis(N, N.z(), q[1] + q[2]);  // by the addition theorem the same
  EXPECT_THROW(B.orient_axis(N, N.z(), q[1] - q[2]), InputError);
  EXPECT_THROW(B.orient_axis(B, B.z(), q[1]), InputError);
  EXPECT_THROW(B.orient_axis(N, Vector(), q[1]), InputError);
  EXPECT_THROW(B.orient_body_fixed(N, angles, "112"), InputError);
  EXPECT_THROW(mechanics.frame("A"), InputError);
}

TEST_F(FrameTest, SpeedsMayReplaceRatesButNotEachOther) {
  const auto u = mechanics.dynamicsymbols<2>("u1 u2");
  const ReferenceFrame A = N.orientnew("A", q[1], N.z());
  A.set_ang_vel(N, u[0] * A.z());
  EXPECT_EQ(A.ang_vel_in(N).to_text(), "u1*A.z");
  EXPECT_THROW(A.set_ang_vel(N, u[1] * A.z()), InputError);
  const ReferenceFrame B = A.orientnew("B", q[2], A.x());
  B.set_ang_vel(N, u[0] * A.z() + u[1] * A.x());
  EXPECT_EQ(B.ang_vel_in(N).to_text(), "u2*A.x + u1*A.z");
}

TEST_F(FrameTest, PartialAngularVelocitiesAreTheFactorsOfTheSpeeds) {
  const auto u = mechanics.dynamicsymbols<2>("u1 u2");
  const ReferenceFrame A = N.orientnew("A", q[1], N.z()), B = A.orientnew("B", q[2], A.x());
  B.set_ang_vel(N, u[0] * N.z() + 3 * u[1] * A.x());
  const auto partials = B.partial_velocity(N, std::array{u[0], u[1]});
  EXPECT_EQ(partials[0].to_text(), "N.z");
  EXPECT_EQ(partials[1].to_text(), "3*A.x");
}

TEST_F(FrameTest, WhatIsNoRotationIsRefused) {
  const auto [a, b] = mechanics.dynamicsymbols<2>("a b");
  const ReferenceFrame A = N.orientnew("ownA", b, N.z());
  EXPECT_THROW(N.orientnew("ownB", a, A.x()), InputError);  // the axis turns in N
  EXPECT_NO_THROW(N.orientnew("ownC", a, A.z()));
  EXPECT_NO_THROW(A.orientnew("ownD", a, A.x() + A.y()));
  auto oriented = [&, name = std::string("E")](const Matrix3& R) mutable {
    mechanics.frame(name += "e").orient_explicit(N, R);
  };
  EXPECT_THROW(oriented({{{1, 0, 0}, {0, 2, 0}, {0, 0, 1}}}), InputError);
  EXPECT_THROW(oriented({{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}}), InputError);
  EXPECT_NO_THROW(oriented({{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}));
  EXPECT_THROW(mechanics.frame("ownF").orient_quaternion(N, {1, 1, 0, 0}), InputError);
  EXPECT_NO_THROW(mechanics.frame("ownG").orient_quaternion(N, {0, 1, 0, 0}));
}

// Two ways round a loop whose angles are written differently.
TEST_F(FrameTest, LoopsThatCloseMayBeWrittenDifferently) {
  const auto [a, b] = mechanics.dynamicsymbols<2>("a b");
  const ReferenceFrame A = N.orientnew("ownA", 2 * (a + b), N.z());
  const ReferenceFrame B = N.orientnew("ownB", 2 * a, N.z());
  EXPECT_NO_THROW(A.orient_axis(B, B.z(), 2 * b));
  EXPECT_THROW(A.orient_axis(B, B.z(), b), InputError);
}

TEST_F(FrameTest, TheNameOfAFrameThatWasRefusedStaysFree) {
  const ReferenceFrame B = mechanics.frame("B");
  EXPECT_THROW(N.orientnew("C", 1, B.x()), InputError);  // which axis of N this is, is not known
  EXPECT_FALSE(mechanics.find_frame("C"));
  const ReferenceFrame C = N.orientnew("C", 1, N.x());
  EXPECT_EQ(to_text(C.dcm(N)[1][1]), "cos(1)");
}

// Three turns by 60 degrees are one by 180, seven by 2 pi/7 none; sines of pi/7 have no closed form.
TEST_F(FrameTest, LoopsOfGivenAnglesClose) {
  const Expression pi = mechanics.wrap(mechanics.graph().pi());
  for (const int count : {3, 7, 12, 24}) {
    const Expression part = count == 3 ? pi / 3 : 2 * pi / count, whole = count == 3 ? pi : 2 * pi;
    const std::string name = "loop" + std::to_string(count);
    ReferenceFrame last = N;
    for (int k = 0; k < count; ++k) last = last.orientnew(name + "_" + std::to_string(k), part, N.z());
    EXPECT_THROW(last.orient_axis(N, N.z(), whole + fraction(1, 100)), InputError) << count;
    EXPECT_NO_THROW(last.orient_axis(N, N.z(), whole)) << count;
  }
}

TEST_F(FrameTest, AnglesOfWholeNumbersStayExact) {
  const ReferenceFrame A = N.orientnew("ownA", 1, N.z());
  EXPECT_EQ(to_text(A.dcm(N)[0][1]), "sin(1)");
  EXPECT_EQ(to_text(N.orientnew("ownB", fraction(2, 3), N.z()).dcm(N)[0][0]), "cos(2/3)");
  const ReferenceFrame B = mechanics.frame("ownC");
  B.orient_body_fixed(N, {1, 0, 2}, "123");
  EXPECT_EQ(to_text(B.dcm(N)[2][2]), "cos(1)");
}

}  // namespace
}  // namespace sestina::symbolic
