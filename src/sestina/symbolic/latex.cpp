#include "sestina/symbolic/latex.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/latex_printer.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

std::string latex(Mechanics& mechanics, const Expression& expression) {
  return LatexPrinter(mechanics).print(expression.in(mechanics.graph()));
}

std::vector<std::string> latex_elements(Mechanics& mechanics, const std::vector<Expression>& expressions,
                                        int digits) {
  LatexPrinter printer(mechanics, digits);
  std::vector<std::string> texts;
  for (const Expression& e : expressions) texts.push_back(printer.print(e.in(mechanics.graph())));
  return texts;
}

std::string latex_matrix(const std::vector<std::string>& elements, std::size_t columns) {
  constexpr std::size_t kMostColumns = 10;  // the limit of bmatrix
  const bool is_array = columns > kMostColumns;
  std::string text = is_array ? fmt::format("\\left[\\begin{{array}}{{{}}} ", std::string(columns, 'c'))
                              : "\\begin{bmatrix} ";
  const bool is_tall = std::any_of(elements.begin(), elements.end(), [](const std::string& element) {
    return element.find("\\frac") != std::string::npos;
  });
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) text += i % columns > 0 ? " & " : is_tall ? " \\\\[3pt] " : " \\\\ ";
    text += elements[i];
  }
  return text + (is_array ? " \\end{array}\\right]" : " \\end{bmatrix}");
}

std::string latex(Mechanics& mechanics, const Matrix& matrix) {
  return latex_matrix(latex_elements(mechanics, matrix.elements()), matrix.columns());
}

namespace {

std::string lower_case(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

// Writes a sum of measure numbers times their unit vectors.
class LatexSum {
 public:
  explicit LatexSum(Mechanics& mechanics) : mechanics_(mechanics), printer_(mechanics) {}

  void add(const Expression& measure, const std::string& unit) {
    if (measure.is_zero()) return;
    const Expr expr = measure.in(mechanics_.graph());
    std::string factor = printer_.print(expr);
    if (mechanics_.graph().op(expr) == Op::kSum) factor = parenthesised(factor);
    const bool is_negative = factor.front() == '-';
    if (is_negative) factor.erase(0, 1);
    if (!text_.empty()) {
      text_ += is_negative ? " - " : " + ";
    } else if (is_negative) {
      text_ += "-";
    }
    text_ += factor == "1" ? unit : factor + " " + unit;
  }
  std::string unit(FrameIndex frame, std::size_t axis) const {
    return latex_unit(lower_case(mechanics_.frames().name(frame)), "xyz"[axis]);
  }
  std::string text() const { return text_.empty() ? "0" : text_; }

 private:
  Mechanics& mechanics_;
  LatexPrinter printer_;
  std::string text_;
};

}  // namespace

std::string latex(const Vector& vector) {
  if (vector.is_zero()) return "0";
  LatexSum sum(*vector.mechanics());
  for (const auto& [frame, xyz] : vector.parts()) {
    for (std::size_t i = 0; i < 3; ++i) sum.add(xyz[i], sum.unit(frame, i));
  }
  return sum.text();
}

std::string latex(const Dyadic& dyadic) {
  if (dyadic.is_zero()) return "0";
  LatexSum sum(*dyadic.mechanics());
  for (const auto& [left, right, xyz] : dyadic.parts()) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        sum.add(xyz[i][j], sum.unit(left, i) + " \\otimes " + sum.unit(right, j));
      }
    }
  }
  return sum.text();
}

}  // namespace sestina::symbolic
