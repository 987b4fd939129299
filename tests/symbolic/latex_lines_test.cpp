// Widths and breaks of lines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <random>

#include "sestina/symbolic/latex.h"

namespace sestina::symbolic {
namespace {

struct Measured {
  const char* text;
  double width;  // of \hbox{$\displaystyle ...$} at 10 pt, by pdfTeX 1.40.24 with amsmath
};

// Fences grow in steps that are not looked up here: the largest difference.
constexpr double kTolerance = 3.0;

TEST(LatexWidth, IsThatOfTex) {
  constexpr Measured kMeasured[] = {
      {"q_{\\mathrm{axis}}", 18.58},
      {"\\sin{q_{1}}", 22.89},
      {"\\left(x^{2}\\right)", 19.37},
      {"\\left(\\frac{a}{b}\\right)", 19.63},
      {"\\left(\\frac{a + \\frac{c}{d}}{b}\\right)", 41.19},
      {"\\frac{a_{1}}{b}", 12.17},
      {"\\frac{\\frac{a_{12}}{c}}{b}", 16.44},
      {"\\sqrt{x}", 14.05},
      {"\\sqrt{\\frac{a}{b}}", 17.69},
      {"\\dot{u}_{1}", 10.21},
      {"\\mathbf{M}_{12}", 19.39},
      {"\\begin{bmatrix} a & b \\\\ c & d \\end{bmatrix}", 31.05},
      {"\\begin{cases} a & \\text{if } x < y \\\\ b & \\text{otherwise} \\end{cases}", 65.72},
      {"1 \\cdot 10^{-4} a", 38.24},
      {"a - b", 21.80},
      {"a = b", 22.91},
      {"\\hat{n}_{x} \\otimes \\hat{n}_{y}", 34.07},
      {"u_{1}^{2}", 10.21},
      {"\\cos^{2}{q}", 24.36},
      {"\\frac{z_{205} z_{210} + z_{206} z_{211} + z_{299}}{2}", 112.39},
      {"0.3 \\left(z_{158} z_{164} + z_{159} z_{165} + z_{299}\\right)", 132.21},
  };
  for (const auto& [text, width] : kMeasured) EXPECT_NEAR(latex_width(text), width, kTolerance) << text;
}

TEST(BreakLatex, BreaksBetweenTerms) {
  EXPECT_EQ(break_latex("a + b", 30).lines, (std::vector<std::string>{"a + b"}));
  EXPECT_EQ(break_latex("a b + \\left(c + d\\right) e - f", 60).lines,
            (std::vector<std::string>{"a b + \\left(c + d\\right) e", "\\quad - f"}));
}

TEST(BreakLatex, BreaksWithinParentheses) {
  EXPECT_EQ(break_latex("a \\left(b + c + x y z \\left(e - f\\right)\\right)^{2} - g", 100).lines,
            (std::vector<std::string>{"a \\bigl(b + c",
                                      "\\quad\\quad + x y z \\left(e - f\\right)\\bigr)^{2}", "\\quad - g"}));
  EXPECT_EQ(break_latex("\\min\\left(a b c, d e f\\right)", 48).lines,
            (std::vector<std::string>{"\\min\\bigl(a b c,", "\\quad\\quad d e f\\bigr)"}));
}

TEST(BreakLatex, BreaksBetweenFactors) {
  EXPECT_EQ(break_latex("2 a \\sin{x} \\cos{y} b", 50).lines,
            (std::vector<std::string>{"2 a \\sin{x}", "\\quad \\times \\cos{y} b"}));
}

// A sum of products of sums, as deep as `depth`.
std::string random_sum(std::mt19937& random, int depth) {
  const auto upto = [&](unsigned most) { return 1 + static_cast<int>(random() % most); };
  std::string sum;
  for (int terms = upto(5); terms > 0; --terms) {
    if (!sum.empty()) sum += random() % 2 == 0 ? " + " : " - ";
    std::string product;
    for (int factors = upto(4); factors > 0; --factors) {
      if (!product.empty()) product += " ";
      const bool is_sum = depth > 0 && random() % 2 == 0;
      product += is_sum ? "\\left(" + random_sum(random, depth - 1) + "\\right)"
                        : fmt::format("x_{{{}}}", random() % 100);
    }
    sum += product;
  }
  return sum;
}

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
  return text;
}

TEST(BreakLatex, LosesNothingAndStaysWithinItsWidth) {
  std::mt19937 random(5);
  int broken = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string text = random_sum(random, 2);
    // Thin spaces after parentheses do not count at the end of a line.
    constexpr double kWidth = 230.0, kThinSpaces = 4.0;
    const BrokenLatex lines = break_latex(text, kWidth);
    EXPECT_LE(lines.widest, kWidth) << i;
    std::string joined;
    for (const std::string& line : lines.lines) {
      EXPECT_LE(latex_width(line), kWidth + kThinSpaces) << i << line.substr(0, 300);
      joined += line;
    }
    broken += lines.lines.size() > 1 ? 1 : 0;
    for (const char* added : {"\\quad", " \\times", "\\bigl", "\\bigr", "\\left", "\\right"})
      joined = without(joined, added);
    EXPECT_TRUE(without(joined, " ") == without(without(without(text, "\\left"), "\\right"), " ")) << i;
  }
  EXPECT_GT(broken, 200);
}

// \quadx would be another command.
TEST(BreakLatex, CommandsOfTheLayoutEndBeforeLetters) {
  EXPECT_EQ(break_latex("a b c d e f g \\left(x_{100} + y_{100}\\right)", 56).lines.back(),
            "\\quad\\quad + y_{100}\\bigr)");
  std::mt19937 random(6);
  for (int i = 0; i < 300; ++i) {
    for (const std::string& line : break_latex(random_sum(random, 2), 40.0).lines) {
      const std::size_t at = line.rfind("\\quad");
      const char next = at == std::string::npos ? ' ' : line.at(at + 5);
      EXPECT_EQ(std::isalpha(static_cast<unsigned char>(next)), 0) << line;
    }
  }
}

}  // namespace
}  // namespace sestina::symbolic
