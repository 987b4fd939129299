#include "sestina/symbolic/latex.h"

#include "symbolic/n_pendulum.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class LatexTest : public test::SymbolicTest {
 protected:
  std::string print(const Expression& e) { return latex(mechanics, e); }
};

TEST_F(LatexTest, NamesAreWhatTheyStandFor) {
  EXPECT_EQ(latex_name("m"), "m");
  EXPECT_EQ(latex_name("l0"), "l_{0}");
  EXPECT_EQ(latex_name("theta12"), "\\theta_{12}");
  EXPECT_EQ(latex_name("omega_max"), "\\omega_{max}");
  EXPECT_EQ(latex_name("q1'"), "\\dot{q}_{1}");
  EXPECT_EQ(latex_name("phi''"), "\\ddot{\\phi}");
  EXPECT_EQ(latex_name("Omega_alpha"), "\\Omega_{\\alpha}");
}

TEST_F(LatexTest, WritesAsOnPaper) {
  const auto [m, g, l, a] = mechanics.symbols<4>("m g l alpha");
  const auto q = mechanics.dynamicsymbol("q1"), u = mechanics.dynamicsymbol("u1");
  EXPECT_EQ(print(-m * g * l * sin(q)), "-g l m \\sin{q_{1}}");
  EXPECT_EQ(print(m * l * l * mechanics.rate(u)), "l^{2} m \\dot{u}_{1}");
  EXPECT_EQ(print(pow(mechanics.rate(q), 2) / 2), "\\frac{\\dot{q}_{1}^{2}}{2}");
  EXPECT_EQ(print((m + g) / (l * (a + 1))), "\\frac{g + m}{l \\left(\\alpha + 1\\right)}");
  EXPECT_EQ(print(pow(sin(q), 2) + cos(2 * q)), "\\cos\\left(2 q_{1}\\right) + \\sin^{2}{q_{1}}");
  EXPECT_EQ(print(sqrt(l) * exp(-a)), "e^{-\\alpha} \\sqrt{l}");
  EXPECT_EQ(print(-(m - g) * l), "-l \\left(-g + m\\right)");
  EXPECT_EQ(print(0.5 * a), "\\frac{\\alpha}{2}");
  EXPECT_EQ(print(1 / l), "\\frac{1}{l}");
  EXPECT_EQ(print(pow(m + 1, 2)), "\\left(m + 1\\right)^{2}");
  EXPECT_EQ(print(Expression(1e22)), "1 \\cdot 10^{22}");
}

TEST_F(LatexTest, DoesNotDependOnTheOrderOfBuilding) {
  const auto [c, b, a] = mechanics.symbols<3>("c b a");
  EXPECT_EQ(print(c * b + b * a + a * c), "a b + a c + b c");
  Mechanics other;
  const auto [x, y, z] = other.symbols<3>("a b c");
  EXPECT_EQ(latex(other, x * z + y * x + z * y), "a b + a c + b c");
}

TEST_F(LatexTest, WritesVectorsAndMatrices) {
  const ReferenceFrame N = mechanics.frame("N");
  const auto [a, b] = mechanics.symbols<2>("a b");
  EXPECT_EQ(latex(a * N.x() - N.y() + (a + b) * N.z()),
            "a \\hat{n}_{x} - \\hat{n}_{y} + \\left(a + b\\right) \\hat{n}_{z}");
  EXPECT_EQ(latex(Vector()), "0");
  Matrix M(2, 2);
  M(0, 0) = a;
  M(1, 1) = -b;
  EXPECT_EQ(latex(mechanics, M), "\\begin{bmatrix} a & 0 \\\\ 0 & -b \\end{bmatrix}");
}

// Gede et al. 2013, equation (1): ten terms, whose masses are collected here.
TEST_F(LatexTest, WritesTheActiveForcesOfThePendulum) {
  const KanesMethod kane = test::derive_n_pendulum(mechanics, 4);
  EXPECT_EQ(latex(mechanics, kane.fr()),
            "\\begin{bmatrix} -g l_{0} \\left(m_{0} + m_{1} + m_{2} + m_{3}\\right) \\sin{q_{0}} \\\\ "
            "-g l_{1} \\left(m_{1} + m_{2} + m_{3}\\right) \\sin{q_{1}} \\\\ "
            "-g l_{2} \\left(m_{2} + m_{3}\\right) \\sin{q_{2}} \\\\ "
            "-g l_{3} m_{3} \\sin{q_{3}} \\end{bmatrix}");
}

}  // namespace
}  // namespace sestina::symbolic
