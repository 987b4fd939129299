#include "sestina/symbolic/latex_names.h"

#include <gtest/gtest.h>

#include "sestina/symbolic/latex.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

TEST(LatexName, GreekLettersAreTheirCommands) {
  EXPECT_EQ(latex_name("θ"), "\\theta");
  EXPECT_EQ(latex_name("θ1'"), "\\dot{\\theta}_{1}");
  EXPECT_EQ(latex_name("ω_φ"), "\\omega_{\\phi}");
  EXPECT_EQ(latex_name("Ω_max"), "\\Omega_{\\mathrm{max}}");
  EXPECT_EQ(latex_name("Δx"), "\\mathit{{\\Delta}x}");
  EXPECT_EQ(latex_name("Α"), "A");  // a Greek letter that looks like a Latin one
}

// pdflatex has accented letters in text alone, and no letters of other scripts.
TEST(LatexName, OtherLettersAreTextOrNumbers) {
  EXPECT_EQ(latex_name("é"), "\\text{é}");
  EXPECT_EQ(latex_name("m_tête"), "m_{\\text{tête}}");
  EXPECT_EQ(latex_name("Fläche_1"), "\\text{Fläche}_{1}");
  EXPECT_EQ(latex_name("éθ_x"), "\\text{é$\\theta$}_{x}");
  EXPECT_EQ(latex_name("角"), "\\mathit{U{+}89D2}");
  EXPECT_EQ(latex_name("\xFF"), "U{+}00FF");
}

TEST(LatexName, HasNoControlCharacters) {
  EXPECT_EQ(latex_name("a\nb"), "\\mathit{a b}");
  EXPECT_EQ(latex_name("\x01zzzz"), "\\mathit{ zzzz}");
}

class LatexNamesTest : public test::SymbolicTest {};

TEST_F(LatexNamesTest, LettersAndTheirNamesDiffer) {
  const auto [letter, word, upper, latin] = mechanics.symbols<4>("θ theta Α A");
  EXPECT_EQ(latex(mechanics, letter + word), "\\mathrm{theta} + \\theta");
  EXPECT_EQ(latex(mechanics, upper * latin), "\\mathrm{A} A");
  Mechanics other;
  const auto [first, second] = other.symbols<2>("theta θ");
  EXPECT_EQ(latex(other, first * second), "\\theta \\mathrm{U{+}03B8}");
}

}  // namespace
}  // namespace sestina::symbolic
