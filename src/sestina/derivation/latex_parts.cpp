#include "sestina/derivation/latex_parts.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/latex_printer.h"

namespace sestina {
namespace {

using symbolic::Matrix;
using symbolic::SharedParts;

constexpr double kLeftSide = 120.0;   // M_{10,11} = M_{11,10} = and a sign
constexpr double kWorthAName = 60.0;  // points
constexpr double kMostLines = 1.5;    // lines of a sum within parentheses
constexpr std::size_t kMostOfElement = 6, kMostOfAll = 40;
constexpr double kCertainlyLong = 5000.0;  // operations

class PartNamer {
 public:
  PartNamer(symbolic::Mechanics& mechanics, double width)
      : mechanics_(mechanics),
        graph_(mechanics.graph()),
        printer_(mechanics, kLatexDigits),
        line_(std::max(width - kLeftSide, kWorthAName)) {}

  SharedParts name(const std::vector<Matrix>& matrices) {
    std::vector<Expr> roots;
    for (const Matrix& matrix : matrices) {
      for (const Expression& e : matrix.elements()) roots.push_back(e.in(graph_));
    }
    is_sharing_ = written_size(mechanics_, matrices) > kCertainlyLong || is_long(roots);
    const std::vector<Expr> nodes = graph_.reachable(roots);
    look_at(nodes, roots);
    for (const Expr expr : nodes) add_image(expr);
    std::size_t next = 0;
    for (Matrix matrix : matrices) {
      for (std::size_t i = 0; i < matrix.elements().size(); ++i) {
        matrix[i] = mechanics_.wrap(image_.at(roots[next++].id));
      }
      shared_.matrices.push_back(std::move(matrix));
    }
    return std::move(shared_);
  }

 private:
  bool is_long(const std::vector<Expr>& roots) {
    std::size_t all = 0;
    for (const Expr root : roots) {
      const std::size_t lines = symbolic::break_latex(printer_.print(root), line_).lines.size();
      if (lines > kMostOfElement) return true;
      all += graph_.is_number(root) ? 0 : lines;
    }
    return all > kMostOfAll;
  }

  bool is_sum(Expr expr) const {
    if (graph_.op(expr) == Op::kSum) return true;
    const auto of = graph_.operands(expr);  // -(a + b) is printed as a sum
    return graph_.op(expr) == Op::kProduct && of.size() == 2 && graph_.is_number(of[0]) &&
           graph_.number_of(of[0]) == Coefficient(-1.0) && graph_.op(of[1]) == Op::kSum;
  }

  void look_at(const std::vector<Expr>& nodes, const std::vector<Expr>& roots) {
    for (const Expr expr : nodes) {
      for (const Expr operand : graph_.operands(expr)) {
        ++uses_[operand.id];
        if (!is_sum(expr) && is_sum(operand)) inner_sums_.insert(operand.id);
      }
    }
    std::unordered_set<std::uint32_t> known;  // one half of a symmetric matrix is printed
    for (const Expr root : roots) uses_[root.id] += known.insert(root.id).second ? 1 : 0;
  }

  double width_of(Expr expr) { return symbolic::latex_width(printer_.print(expr)); }

  void add_image(Expr expr) {
    std::vector<Expr> operands;
    for (const Expr operand : graph_.operands(expr)) operands.push_back(image_.at(operand.id));
    if (operands.empty()) {
      image_[expr.id] = expr;
      return;
    }
    Expr image = with_room(graph_.rebuild(expr, operands));
    if (!graph_.operands(image).empty()) {
      const double width = width_of(image);
      const int more = uses_.at(expr.id) - 1;
      const bool is_shared = more > 0 && width > kWorthAName && (is_sharing_ || width * more > line_);
      const bool is_wide = inner_sums_.contains(expr.id) && width > kMostLines * line_;
      if (is_shared || is_wide) image = with_short_base(image);
    }
    image_[expr.id] = image;
  }

  // Names the widest operands until all lines can be broken.
  Expr with_room(Expr image) {
    for (std::size_t i = graph_.operands(image).size(); i > 0; --i) {
      if (is_sum(image) || graph_.operands(image).empty()) return image;
      if (!has_small_fraction(image) && symbolic::break_latex(printer_.print(image), line_).widest <= line_) {
        return image;
      }
      const auto of = graph_.operands(image);
      std::vector<Expr> operands(of.begin(), of.end());
      const auto widest = std::max_element(operands.begin(), operands.end(),
                                           [&](Expr a, Expr b) { return width_of(a) < width_of(b); });
      if (graph_.operands(*widest).empty()) return image;
      *widest = with_short_base(*widest);
      image = graph_.rebuild(image, operands);
    }
    return image;
  }

  // True if `factor` has a wide fraction, which would be small and hard to read within the fraction.
  bool is_small_fraction(Expr product, Expr factor) {
    if (graph_.op(product) != Op::kProduct) return false;
    const auto of = graph_.operands(product);
    const auto is_below = [&](Expr e) { return graph_.integer_exponent(e).value_or(1) < 0; };
    if (std::none_of(of.begin(), of.end(), is_below)) return false;
    if (is_below(factor)) factor = graph_.operands(factor)[0];
    const std::string text = printer_.print(factor);
    return text.find("\\frac") != std::string::npos && symbolic::latex_width(text) > kWorthAName;
  }
  bool has_small_fraction(Expr product) {
    const auto of = graph_.operands(product);
    return std::any_of(of.begin(), of.end(), [&](Expr e) { return is_small_fraction(product, e); });
  }

  // Names an expression; for a divisor, its base.
  Expr with_short_base(Expr expr) {
    if (graph_.op(expr) != Op::kPower || graph_.integer_exponent(expr).value_or(1) > 0) return named(expr);
    std::vector<Expr> operands(graph_.operands(expr).begin(), graph_.operands(expr).end());
    if (graph_.operands(operands[0]).empty()) return named(expr);
    operands[0] = named(operands[0]);
    return graph_.rebuild(expr, operands);
  }

  Expr named(Expr value) {
    const auto known = names_.find(value.id);
    if (known != names_.end()) return known->second;
    const Expression symbol = mechanics_.part_symbol(shared_.definitions.size());
    shared_.definitions.emplace_back(symbol, mechanics_.wrap(value));
    return names_[value.id] = symbol.in(graph_);
  }

  symbolic::Mechanics& mechanics_;
  Graph& graph_;
  symbolic::LatexPrinter printer_;
  double line_;
  bool is_sharing_ = false;
  std::unordered_map<std::uint32_t, int> uses_;
  std::unordered_set<std::uint32_t> inner_sums_;
  std::unordered_map<std::uint32_t, Expr> image_, names_;
  SharedParts shared_;
};

}  // namespace

SharedParts name_latex_parts(symbolic::Mechanics& mechanics, const std::vector<Matrix>& matrices,
                             double width) {
  return PartNamer(mechanics, width).name(matrices);
}

}  // namespace sestina
