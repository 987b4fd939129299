#include "sestina/symbolic/latex.h"

#include "sestina/symbolic/shared_parts.h"
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
  EXPECT_EQ(latex_name("omega_max"), "\\omega_{\\mathrm{max}}");
  EXPECT_EQ(latex_name("q_left_knee"), "q_{\\mathrm{left\\_knee}}");
  EXPECT_EQ(latex_name("I_xx"), "I_{xx}");
  EXPECT_EQ(latex_name("q1'"), "\\dot{q}_{1}");
  EXPECT_EQ(latex_name("phi''"), "\\ddot{\\phi}");
  EXPECT_EQ(latex_name("Omega_alpha"), "\\Omega_{\\alpha}");
  EXPECT_EQ(latex_name("mass_front'"), "\\dot{\\mathit{mass}}_{\\mathrm{front}}");
  EXPECT_EQ(latex_name("lam2"), "\\lambda_{2}");
  EXPECT_EQ(latex_name("q'''''"), "q^{(5)}");
}

TEST_F(LatexTest, NoTwoNamesLookAlike) {
  const auto [a1, a_1, pi, lam, l] = mechanics.symbols<5>("a1 a_1 pi lam1 lambda_1");
  const auto q = mechanics.dynamicsymbol("q_1"), q1 = mechanics.dynamicsymbol("q1");
  EXPECT_EQ(print(a1), "a_{1}");
  EXPECT_EQ(print(a_1), "\\mathrm{a\\_1}");
  EXPECT_EQ(print(a1 + a_1), "a_{1} + \\mathrm{a\\_1}");
  EXPECT_EQ(print(pi), "\\mathrm{pi}");
  EXPECT_EQ(print(lam + l), "\\lambda_{1} + \\mathrm{lambda\\_1}");
  EXPECT_EQ(print(mechanics.rate(q)), "\\dot{q}_{1}");
  EXPECT_EQ(print(pow(mechanics.rate(q1), 2)), "\\dot{\\mathrm{q1}}^{2}");
  const Expression fifth = mechanics.dynamicsymbol("x", 5);
  EXPECT_EQ(print(pow(fifth, 2)), "\\left(x^{(5)}\\right)^{2}");
}

// Neither the parameters z0 and s_2 nor what another list calls z0.
TEST_F(LatexTest, SharedPartsHaveNamesOfTheirOwn) {
  const auto [x, y] = mechanics.symbols<2>("x y");
  const Expression part = x + y, more = sin(part) * part;
  const auto first_name = [&, x = x, y = y] {
    return to_text(share_parts(mechanics, {Matrix({part * x * y, more})}, 1).definitions.at(0).first);
  };
  EXPECT_EQ(first_name(), "z0");
  EXPECT_EQ(first_name(), "z0");
  mechanics.symbol("z_0");
  EXPECT_EQ(first_name(), "s0");
  mechanics.dynamicsymbol("s2", 1);
  EXPECT_EQ(first_name(), "w0");
}

TEST_F(LatexTest, WritesAsOnPaper) {
  const auto [m, g, l, a] = mechanics.symbols<4>("m g l alpha");
  const auto q = mechanics.dynamicsymbol("q1"), u = mechanics.dynamicsymbol("u1");
  EXPECT_EQ(print(-m * g * l * sin(q)), "-g l m \\sin{q_{1}}");
  EXPECT_EQ(print(m * l * l * mechanics.rate(u)), "l^{2} m \\dot{u}_{1}");
  EXPECT_EQ(print(pow(mechanics.rate(q), 2) / 2), "\\frac{\\dot{q}_{1}^{2}}{2}");
  EXPECT_EQ(print((m + g) / (l * (a + 1))), "\\frac{g + m}{l \\left(\\alpha + 1\\right)}");
  EXPECT_EQ(print(pow(sin(q), 2) + cos(2 * q)), "\\cos\\left(2 q_{1}\\right) + \\sin^{2}{q_{1}}");
  EXPECT_EQ(print(sqrt(l) * exp(-a)), "\\mathrm{e}^{-\\alpha} \\sqrt{l}");
  EXPECT_EQ(print(-(m - g) * l), "-l \\left(m - g\\right)");
  EXPECT_EQ(print(0.8 * a * q), "\\frac{4}{5} \\alpha q_{1}");
  EXPECT_EQ(print(0.02 * a * q), "0.02 \\alpha q_{1}");
  EXPECT_EQ(print(0.5 * a), "\\frac{\\alpha}{2}");
  EXPECT_EQ(print(m * pow(q, 2) / 2), "\\frac{1}{2} m q_{1}^{2}");
  EXPECT_EQ(print((m + g) * 3 / 4), "\\frac{3 \\left(g + m\\right)}{4}");
  EXPECT_EQ(print(1 / l), "\\frac{1}{l}");
  EXPECT_EQ(print(pow(m + 1, 2)), "\\left(m + 1\\right)^{2}");
  EXPECT_EQ(print(Expression(1e22)), "1 \\cdot 10^{22}");
}

TEST_F(LatexTest, ExponentsBelongToTheWhole) {
  const Expression x = mechanics.symbol("x"), y = mechanics.symbol("y");
  EXPECT_EQ(latex(mechanics, 1 / pow(sin(x), 2)), R"(\frac{1}{\sin^{2}{x}})");
  EXPECT_EQ(latex(mechanics, y / pow(cos(x + y), 3)), R"(\frac{y}{\cos^{3}\left(x + y\right)})");
  EXPECT_EQ(latex(mechanics, pow(tanh(x), 2)), R"(\tanh^{2}{x})");
  EXPECT_EQ(latex(mechanics, pow(log(x), 2)), R"(\left(\log{x}\right)^{2})");
  EXPECT_EQ(latex(mechanics, pow(Expression(2.5), x)), R"(\left(\frac{5}{2}\right)^{x})");
}

TEST_F(LatexTest, PutsWhatIsAddedBeforeWhatIsTakenAway) {
  const auto [a, b] = mechanics.symbols<2>("a b");
  const auto q = mechanics.dynamicsymbol("q");
  EXPECT_EQ(print(-a * b - a * cos(q) + b * q), "b q - a b - a \\cos{q}");
  EXPECT_EQ(print(Expression(1) - a), "1 - a");
  EXPECT_EQ(print((a * (b - 1) - 2 * (a + q)) / b),
            "\\frac{a \\left(b - 1\\right) - 2 \\left(a + q\\right)}{b}");
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

TEST_F(LatexTest, WritesDyadicsAndNamesOfFrames) {
  const ReferenceFrame N = mechanics.frame("N"), A = mechanics.frame("link_1"), B = mechanics.frame("50%");
  const auto [x, y] = mechanics.symbols<2>("x y");
  const Dyadic J = outer(N.x(), N.x()) * (x + y) - outer(N.z(), A.y()) * x;
  EXPECT_EQ(latex(J),
            "\\left(x + y\\right) \\hat{n}_{x} \\otimes \\hat{n}_{x}"
            " - x \\hat{n}_{z} \\otimes \\hat{\\mathit{link}}_{1,y}");
  EXPECT_EQ(latex(Dyadic()), "0");
  EXPECT_EQ(latex(x * B.z()), "x \\hat{\\mathit{50\\%}}_{z}");
}

TEST_F(LatexTest, TakesAwaySumsTermByTerm) {
  const auto [a, b, c, d] = mechanics.symbols<4>("a b c d");
  EXPECT_EQ(print(a - (b - c)), "a + c - b");
  EXPECT_EQ(print(-(a - b)), "b - a");
  EXPECT_EQ(print(d - (a - (b - c))), "b + d - a - c");
  EXPECT_EQ(print(d * (-(a - b))), "-d \\left(a - b\\right)");
  EXPECT_EQ(print(pow(c, -(a - b))), "c^{b - a}");
  // More than are written out.
  Expression sum, shown = a;
  for (const Expression& e : mechanics.symbols("e", 40)) sum = sum + e;
  for (const Expression& e : mechanics.symbols("f", 2))
    shown = shown - e * sin(e) * (-(sum - e)) - (sum - sin(e));
  const std::string text = print(shown);
  EXPECT_EQ(text.find("+ -"), std::string::npos) << text;
  EXPECT_EQ(text.find("- -"), std::string::npos) << text;
}

// Memory and time in proportion to the graph: written out at every level, this takes gigabytes.
TEST_F(LatexTest, PrintsDeepExpressions) {
  const auto [x, y] = mechanics.symbols<2>("x y");
  Expression deep = x;
  constexpr int kDepth = 200'000;
  for (int i = 0; i < kDepth; ++i) deep = sin(deep) + y;
  const std::string text = print(deep);
  EXPECT_TRUE(text.starts_with("y + \\sin\\left(y + \\sin\\left("));
  EXPECT_NE(text.find("\\ldots"), std::string::npos);
  EXPECT_LT(text.size(), 2 * kLongestLatex);
}

TEST_F(LatexTest, RoundsOnRequest) {
  const Expression a = mechanics.symbol("a");
  const auto round = [&](double value) { return latex_elements(mechanics, {value * a}, 6).at(0); };
  EXPECT_EQ(round(0.7701511529340703), "0.770151 a");
  EXPECT_EQ(round(1.0000000000000008e-12), "1 \\cdot 10^{-12} a");
  EXPECT_EQ(round(0.125), "\\frac{a}{8}");
  EXPECT_EQ(round(0.00113), "0.00113 a");
  EXPECT_EQ(round(17.4), "17.4 a");
  EXPECT_EQ(latex_elements(mechanics, {a * 247403959254523.0 / 968912421710645.0}, 6).at(0), "0.255342 a");
  EXPECT_EQ(print(0.7701511529340703 * a), "0.7701511529340703 a");
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
