#include "sestina/symbolic/latex_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "sestina/symbolic/latex.h"

namespace sestina::symbolic {
namespace {

using Text = LatexText;

// Functions with the exponent after the name: \sin^{2}{...}
bool takes_exponent(Op op) {
  constexpr std::array kOps = {Op::kSin, Op::kCos, Op::kTan, Op::kSinh, Op::kCosh, Op::kTanh};
  return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

std::string unwrapped(const std::string& text) {
  constexpr std::string_view kOpen = "\\left(", kClose = "\\right)";
  if (!text.starts_with(kOpen) || !text.ends_with(kClose)) return text;
  int depth = 1;  // the first one must not close before the end
  for (std::size_t at = kOpen.size(); at + kClose.size() < text.size(); ++at) {
    if (text.compare(at, kOpen.size(), kOpen) == 0) ++depth;
    if (text.compare(at, kClose.size(), kClose) == 0) --depth;
    if (depth == 0) return text;
  }
  return text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size());
}

std::string join(const std::string& first, const auto& factors) {
  std::string joined = first;
  for (const auto& factor : factors) {
    if (!joined.empty()) joined += " ";
    joined += factor.text;
  }
  return joined;
}

void add_keys(LatexKey& key, const auto& factors) {
  for (const auto& factor : factors) (key += factor.of->key.text) += " ";
}

void sort_by_rank(auto& factors) {
  std::stable_sort(factors.begin(), factors.end(),
                   [](const auto& a, const auto& b) { return a.of->rank() < b.of->rank(); });
}

}  // namespace

std::string parenthesised(const std::string& text) { return "\\left(" + text + "\\right)"; }

LatexPrinter::LatexPrinter(Mechanics& mechanics, int digits)
    : mechanics_(mechanics), graph_(mechanics.graph()), digits_(digits), names_(mechanics.graph()) {}

std::string LatexPrinter::print(Expr root) {
  std::vector<Expr> open = {root};
  while (!open.empty()) {
    const Expr expr = open.back();
    bool is_ready = true;
    for (const Expr operand : graph_.operands(expr)) {
      if (texts_.contains(operand.id)) continue;
      open.push_back(operand);
      is_ready = false;
    }
    if (!is_ready) continue;
    open.pop_back();
    if (!texts_.contains(expr.id)) texts_.add(expr.id, make(expr), kLongestLatex);
  }
  return texts_.write_out(plain(root));
}

// Adds parentheses if the expression has a lower precedence or a sign.
std::string LatexPrinter::inside(Expr expr, Level least) const {
  const Text& t = text(expr);
  if (t.level >= least && !t.is_negative) return texts_.cite(expr.id);
  return parenthesised(plain(expr));
}

std::string LatexPrinter::plain(Expr expr) const {
  return (text(expr).is_negative ? "-" : "") + texts_.cite(expr.id);
}

// Writes a coefficient as 4/5 rather than 0.8, but 17.4 rather than 87/5.
std::string LatexPrinter::magnitude_text(const Coefficient& c) const {
  constexpr std::int64_t kLargest = 9;
  const bool is_simple = c.is_exact() && c.denominator() <= kLargest && std::abs(c.numerator()) <= kLargest;
  if (is_simple && !c.is_integer()) return fmt::format("{}/{}", std::abs(c.numerator()), c.denominator());
  return rounded(c);
}

std::string LatexPrinter::rounded(const Coefficient& c) const {
  std::string exact = c.magnitude_text();
  if (digits_ == 0 || !c.is_finite()) return exact;
  const auto digits = std::count_if(exact.begin(), exact.end(), [](char d) { return d >= '0' && d <= '9'; });
  const bool is_fraction = exact.find('/') != std::string::npos;
  // Zeros before the first digit count as digits; short numbers are not rounded.
  constexpr std::int64_t kSmall = 1000;
  const bool is_short =
      is_fraction ? std::abs(c.numerator()) < kSmall && c.denominator() < kSmall : digits <= digits_;
  if (is_short) return exact;
  return fmt::format("{:.{}g}", std::abs(c.value()), digits_);
}

Text LatexPrinter::number(const Coefficient& c) const {
  std::string magnitude = rounded(c);
  const bool is_negative = c.is_negative();
  Level level = kAtomLevel;
  if (const auto slash = magnitude.find('/'); slash != std::string::npos) {
    magnitude = fmt::format("\\frac{{{}}}{{{}}}", magnitude.substr(0, slash), magnitude.substr(slash + 1));
  } else if (const auto e = magnitude.find('e'); e != std::string::npos) {
    const int exponent = std::stoi(magnitude.substr(e + 1));
    magnitude = fmt::format("{} \\cdot 10^{{{}}}", magnitude.substr(0, e), exponent);
    level = kProductLevel;
  }
  return {magnitude, level, is_negative, LatexKey{} += "0" + magnitude};
}

Text LatexPrinter::make_symbol(Expr expr) {
  const std::string& name = graph_.name_of(expr);
  const std::string& printed = names_.of(name);
  const bool moves = mechanics_.variables().is_variable(expr);
  return {printed, printed.find("^{(") == std::string::npos ? kAtomLevel : kPowerLevel, false,
          LatexKey{} += (moves ? "3" : "1") + name};
}

Text LatexPrinter::make(Expr expr) {
  const auto of = graph_.operands(expr);
  switch (graph_.op(expr)) {
    case Op::kNumber:
      return number(graph_.number_of(expr));
    case Op::kPi:
      return {"\\pi", kAtomLevel, false, {"0pi"}};
    case Op::kSymbol:
      return make_symbol(expr);
    case Op::kSum:
      return make_sum(of);
    case Op::kProduct:
      return is_negated_sum(expr) ? make_sum(std::span(&expr, 1)) : make_product(of);
    case Op::kPower:
      return graph_.integer_exponent(expr).value_or(1) < 0 ? make_product(std::span(&expr, 1))
                                                           : make_power(of);
    default:
      return make_call(expr, of);
  }
}

// True for -(a - b), which is more readable as b - a.
bool LatexPrinter::is_negated_sum(Expr expr) const {
  if (graph_.op(expr) != Op::kProduct) return false;
  const auto of = graph_.operands(expr);
  const auto is_minus_one = [&](Expr e) { return graph_.is_number(e) && (-graph_.number_of(e)).is_one(); };
  return of.size() == 2 && ((is_minus_one(of[0]) && graph_.op(of[1]) == Op::kSum) ||
                            (is_minus_one(of[1]) && graph_.op(of[0]) == Op::kSum));
}

// Merges the terms of subtracted sums, if there are not too many.
std::vector<LatexPrinter::Term> LatexPrinter::terms_of(std::span<const Expr> of) const {
  constexpr std::size_t kMostAdded = 64;
  std::vector<Term> terms, open;
  std::size_t added = 0;
  for (auto e = of.rbegin(); e != of.rend(); ++e) open.push_back({*e, false});
  while (!open.empty()) {
    const Term term = open.back();
    open.pop_back();
    const bool may_open = is_negated_sum(term.expr) && (of.size() == 1 || added < kMostAdded);
    if (!may_open) {
      terms.push_back({term.expr, term.is_negative != text(term.expr).is_negative});
      continue;
    }
    const auto factors = graph_.operands(term.expr);
    const auto inner = graph_.operands(graph_.op(factors[0]) == Op::kSum ? factors[0] : factors[1]);
    added += inner.size();
    for (auto e = inner.rbegin(); e != inner.rend(); ++e) open.push_back({*e, !term.is_negative});
  }
  return terms;
}

Text LatexPrinter::make_sum(std::span<const Expr> of) const {
  std::vector<Term> terms = terms_of(of);
  const auto rank = [&](const Term& term) {
    return std::tuple_cat(std::make_tuple(term.is_negative, graph_.is_number(term.expr)),
                          text(term.expr).rank());
  };
  std::stable_sort(terms.begin(), terms.end(),
                   [&](const Term& a, const Term& b) { return rank(a) < rank(b); });
  std::string sum;
  LatexKey key{"2"};
  for (const auto& [term, is_negative] : terms) {
    if (!sum.empty()) {
      sum += is_negative ? " - " : " + ";
    } else if (is_negative) {
      sum = "-";
    }
    // A sum that was not merged.
    const Text& t = text(term);
    const bool is_apart = t.level == kSumLevel && (is_negative || (t.text.starts_with('-') && !sum.empty()));
    sum += is_apart ? parenthesised(texts_.cite(term.id)) : texts_.cite(term.id);
    key += text(term).key.text;
  }
  return {sum, kSumLevel, false, key};
}

Text LatexPrinter::make_power(std::span<const Expr> of) const {
  const bool is_call = takes_exponent(graph_.op(of[0]));
  return {raised(of[0], plain(of[1])), is_call ? kAtomLevel : kPowerLevel, false, text(of[0]).key};
}

std::string LatexPrinter::raised(Expr base, const std::string& exponent) const {
  const std::string& whole = text(base).text;
  const Op op = graph_.op(base);
  const std::string power = "^{" + exponent + "}";
  if (takes_exponent(op)) {
    const std::size_t split = std::min(whole.find('\\', 1), whole.find('{'));
    return whole.substr(0, split) + power + whole.substr(split);
  }
  const bool has_dot = whole.starts_with("\\dot") || whole.starts_with("\\ddot");
  if (op == Op::kSymbol && has_dot) return whole + power;
  // A fraction, or a function with an exponent that would look like that of its argument.
  const bool is_fraction = op == Op::kNumber && whole.find("\\frac") != std::string::npos;
  const bool is_function = (is_unary(op) && op != Op::kSqrt && op != Op::kAbs && op != Op::kExp) ||
                           op == Op::kAtan2 || op == Op::kTable;
  return (is_fraction || is_function ? parenthesised(texts_.cite(base.id)) : inside(base, kAtomLevel)) +
         power;
}

Text LatexPrinter::make_product(std::span<const Expr> of) const {
  bool is_negative = false;
  std::string upper_number, lower_number;
  std::vector<Factor> upper, lower;
  Level only = kAtomLevel;
  for (const Expr factor : of) {
    if (graph_.is_number(factor)) {
      const Coefficient& c = graph_.number_of(factor);
      is_negative = c.is_negative();
      const std::string magnitude = magnitude_text(c);
      const auto slash = magnitude.find('/');
      upper_number = slash == std::string::npos ? number(c).text : magnitude.substr(0, slash);
      if (slash != std::string::npos) lower_number = magnitude.substr(slash + 1);
      if (upper_number == "1") upper_number.clear();
      continue;
    }
    const auto exponent = graph_.integer_exponent(factor);
    if (exponent && *exponent < 0) {
      const Expr base = graph_.operands(factor)[0];
      const bool is_plain = *exponent == -1;
      lower.push_back(
          {&text(base), is_plain ? inside(base, kProductLevel) : raised(base, std::to_string(-*exponent))});
      only = is_plain ? text(base).level : kPowerLevel;
    } else {
      upper.push_back({&text(factor), inside(factor, kProductLevel)});
    }
  }
  sort_by_rank(upper);
  sort_by_rank(lower);
  LatexKey key;
  add_keys(key, upper);
  // 1/2 m v^2 rather than m v^2 / 2, and no nested fractions.
  const bool is_tall = upper.size() == 1 && upper[0].of->has_fraction;
  if (lower.empty() && !lower_number.empty() && (upper.size() > 1 || is_tall)) {
    return {fmt::format("\\frac{{{}}}{{{}}} {}", upper_number.empty() ? "1" : upper_number, lower_number,
                        join("", upper)),
            kProductLevel, is_negative, key};
  }
  std::string top = join(upper_number, upper), bottom = join(lower_number, lower);
  if (bottom.empty()) return {top.empty() ? "1" : top, kProductLevel, is_negative, key};
  // A single sum needs no parentheses in a numerator or denominator.
  if (lower_number.empty() && lower.size() == 1 && only == kSumLevel) bottom = unwrapped(bottom);
  if (upper_number.empty() && upper.size() == 1) top = unwrapped(top);
  add_keys(key, lower);
  return {fmt::format("\\frac{{{}}}{{{}}}", top.empty() ? "1" : top, bottom), kProductLevel, is_negative,
          key};
}

Text LatexPrinter::make_case(Op op, std::span<const Expr> of, LatexKey key) const {
  return {
      fmt::format("\\begin{{cases}} {} & \\text{{if }} {} {} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
                  plain(of[2]), plain(of[0]), op == Op::kIfLess ? "<" : "\\leq", plain(of[1]), plain(of[3])),
      kSumLevel, false, std::move(key)};
}

Text LatexPrinter::make_call(Expr expr, std::span<const Expr> of) const {
  const Op op = graph_.op(expr);
  const std::string name = op == Op::kTable ? graph_.table_name_of(expr) : std::string(function_name(op));
  std::string arguments;
  LatexKey key{"4" + name};
  for (const Expr operand : of) key += text(operand).key.text;
  switch (op) {
    case Op::kSqrt:
      return {"\\sqrt{" + plain(of[0]) + "}", kAtomLevel, false, key};
    case Op::kAbs:
      return {"\\left|" + plain(of[0]) + "\\right|", kAtomLevel, false, key};
    case Op::kExp:
      return {"\\mathrm{e}^{" + plain(of[0]) + "}", kPowerLevel, false, key};
    case Op::kIfLess:
    case Op::kIfLessEqual:
      return make_case(op, of, key);
    default:
      break;
  }
  for (const Expr operand : of) arguments += (arguments.empty() ? "" : ", ") + plain(operand);
  constexpr std::array<std::string_view, 10> kKnown = {"sin",  "cos", "tan", "sinh", "cosh",
                                                       "tanh", "log", "min", "max",  "exp"};
  const bool is_known = std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
  std::string command = is_known ? "\\" + name : "\\operatorname{" + latex_name(name) + "}";
  if (op == Op::kTable) command += std::string(static_cast<std::size_t>(graph_.table_order_of(expr)), '\'');
  const bool is_atom = of.size() == 1 && graph_.op(of[0]) == Op::kSymbol;
  return {command + (is_atom ? "{" + arguments + "}" : parenthesised(arguments)), kAtomLevel, false, key};
}

}  // namespace sestina::symbolic
