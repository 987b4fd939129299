#include "sestina/symbolic/latex.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>
#include <unordered_map>

#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

// How tightly a text binds.
enum Level { kSumLevel, kProductLevel, kPowerLevel, kAtomLevel };

struct Text {
  std::string text;  // without the sign
  Level level = kAtomLevel;
  bool is_negative = false;
  std::string key;  // by which terms and factors are put in order
};

constexpr std::array<std::string_view, 36> kGreek = {
    "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta",  "iota",
    "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma",  "tau",
    "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta",  "Lambda",
    "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega", "varphi", "ell"};

std::string parenthesised(const std::string& text) { return "\\left(" + text + "\\right)"; }

class LatexPrinter {
 public:
  explicit LatexPrinter(Mechanics& mechanics) : mechanics_(mechanics), graph_(mechanics.graph()) {}

  std::string print(Expr root) {
    for (const Expr expr : graph_.reachable(std::span(&root, 1))) {
      if (texts_.contains(expr.id)) continue;
      Text text = make(expr);
      if (text.text.size() > kLongestLatex) text = {"\\ldots", kAtomLevel, false, "~"};
      texts_.emplace(expr.id, std::move(text));
    }
    const Text& text = texts_.at(root.id);
    return (text.is_negative ? "-" : "") + text.text;
  }

 private:
  const Text& text(Expr expr) const { return texts_.at(expr.id); }

  // With parentheses where it binds less tightly, or has a sign.
  std::string inside(Expr expr, Level least) const {
    const Text& t = text(expr);
    if (t.level >= least && !t.is_negative) return t.text;
    return parenthesised((t.is_negative ? "-" : "") + t.text);
  }
  std::string plain(Expr expr) const { return (text(expr).is_negative ? "-" : "") + text(expr).text; }

  static Text number(const Coefficient& c) {
    std::string magnitude = c.magnitude_text();
    const bool is_negative = c.is_negative();
    if (const auto slash = magnitude.find('/'); slash != std::string::npos) {
      magnitude = fmt::format("\\frac{{{}}}{{{}}}", magnitude.substr(0, slash), magnitude.substr(slash + 1));
    } else if (const auto e = magnitude.find('e'); e != std::string::npos) {
      const int exponent = std::stoi(magnitude.substr(e + 1));
      magnitude = fmt::format("{} \\cdot 10^{{{}}}", magnitude.substr(0, e), exponent);
      return {magnitude, kProductLevel, is_negative, "0" + magnitude};
    }
    return {magnitude, kAtomLevel, is_negative, "0" + magnitude};
  }

  Text make(Expr expr) {
    const auto of = graph_.operands(expr);
    switch (graph_.op(expr)) {
      case Op::kNumber:
        return number(graph_.number_of(expr));
      case Op::kPi:
        return {"\\pi", kAtomLevel, false, "0pi"};
      case Op::kSymbol: {
        const std::string& name = graph_.name_of(expr);
        const bool moves = mechanics_.variables().is_variable(expr);
        return {latex_name(name), kAtomLevel, false, (moves ? "3" : "1") + name};
      }
      case Op::kSum:
        return make_sum(of);
      case Op::kProduct:
        return make_product(of);
      case Op::kPower:
        return graph_.integer_exponent(expr).value_or(1) < 0 ? make_product(std::span(&expr, 1))
                                                             : make_power(of);
      default:
        return make_call(expr, of);
    }
  }

  Text make_sum(std::span<const Expr> of) const {
    std::vector<Expr> terms(of.begin(), of.end());
    std::stable_sort(terms.begin(), terms.end(), [&](Expr a, Expr b) {
      const bool a_last = graph_.is_number(a), b_last = graph_.is_number(b);
      return std::tie(a_last, text(a).key) < std::tie(b_last, text(b).key);
    });
    std::string sum, key = "2";
    for (const Expr term : terms) {
      const Text& t = text(term);
      if (sum.empty()) {
        if (t.is_negative) sum = "-";
      } else {
        sum += t.is_negative ? " - " : " + ";
      }
      sum += t.text;
      key += t.key;
    }
    return {sum, kSumLevel, false, key};
  }

  Text make_power(std::span<const Expr> of) const {
    const Text& base = text(of[0]);
    const std::string exponent = plain(of[1]);
    const Op op = graph_.op(of[0]);
    const bool is_call = op == Op::kSin || op == Op::kCos || op == Op::kTan;
    if (is_call) {  // \sin^{2}{...}
      const std::size_t name_end = base.text.find('\\', 1);
      const std::size_t split = std::min(name_end, base.text.find('{'));
      return {base.text.substr(0, split) + "^{" + exponent + "}" + base.text.substr(split), kAtomLevel, false,
              base.key};
    }
    const bool has_dot = base.text.rfind("\\dot", 0) == 0 || base.text.rfind("\\ddot", 0) == 0;
    const std::string inner = has_dot ? base.text : inside(of[0], kAtomLevel);
    return {inner + "^{" + exponent + "}", kPowerLevel, false, base.key};
  }

  Text make_product(std::span<const Expr> of) const {
    bool is_negative = false;
    std::string upper_number, lower_number;
    std::vector<std::pair<std::string, std::string>> upper, lower;  // key, text
    Level only = kAtomLevel;
    for (const Expr factor : of) {
      if (graph_.is_number(factor)) {
        const Coefficient& c = graph_.number_of(factor);
        is_negative = c.is_negative();
        const std::string magnitude = c.magnitude_text();
        const auto slash = magnitude.find('/');
        upper_number = slash == std::string::npos ? number(c).text : magnitude.substr(0, slash);
        if (slash != std::string::npos) lower_number = magnitude.substr(slash + 1);
        if (upper_number == "1") upper_number.clear();
        continue;
      }
      const auto exponent = graph_.integer_exponent(factor);
      if (exponent && *exponent < 0) {
        const Expr base = graph_.operands(factor)[0];
        lower.emplace_back(text(base).key,
                           *exponent == -1 ? inside_product(base)
                                           : inside(base, kAtomLevel) + fmt::format("^{{{}}}", -*exponent));
        only = *exponent == -1 ? text(base).level : kPowerLevel;
      } else {
        upper.emplace_back(text(factor).key, inside_product(factor));
      }
    }
    std::sort(upper.begin(), upper.end());
    std::sort(lower.begin(), lower.end());
    std::string top = join(upper_number, upper), bottom = join(lower_number, lower);
    // A single sum needs no parentheses above or below the line.
    if (bottom.empty()) return {top.empty() ? "1" : top, kProductLevel, is_negative, key_of(upper)};
    if (lower_number.empty() && lower.size() == 1 && only == kSumLevel) bottom = unwrapped(bottom);
    if (upper_number.empty() && upper.size() == 1) top = unwrapped(top);
    return {fmt::format("\\frac{{{}}}{{{}}}", top.empty() ? "1" : top, bottom), kProductLevel, is_negative,
            key_of(upper) + key_of(lower)};
  }

  std::string inside_product(Expr factor) const { return inside(factor, kProductLevel); }

  static std::string unwrapped(const std::string& text) {
    constexpr std::string_view kOpen = "\\left(", kClose = "\\right)";
    const bool is_wrapped =
        text.starts_with(kOpen) && text.ends_with(kClose) && text.find(kClose) == text.size() - kClose.size();
    return is_wrapped ? text.substr(kOpen.size(), text.size() - kOpen.size() - kClose.size()) : text;
  }

  static std::string join(const std::string& number,
                          const std::vector<std::pair<std::string, std::string>>& factors) {
    std::string joined = number;
    for (const auto& [key, text] : factors) {
      if (!joined.empty()) joined += " ";
      joined += text;
    }
    return joined;
  }

  static std::string key_of(const std::vector<std::pair<std::string, std::string>>& factors) {
    std::string keys;
    for (const auto& [key, text] : factors) keys += key + " ";
    return keys;
  }

  Text make_call(Expr expr, std::span<const Expr> of) const {
    const Op op = graph_.op(expr);
    const std::string name = op == Op::kTable ? graph_.table_name_of(expr) : std::string(function_name(op));
    std::string arguments, key = "4" + name;
    for (const Expr operand : of) key += text(operand).key;
    switch (op) {
      case Op::kSqrt:
        return {"\\sqrt{" + plain(of[0]) + "}", kAtomLevel, false, key};
      case Op::kAbs:
        return {"\\left|" + plain(of[0]) + "\\right|", kAtomLevel, false, key};
      case Op::kExp:
        return {"e^{" + plain(of[0]) + "}", kPowerLevel, false, key};
      case Op::kIfLess:
      case Op::kIfLessEqual:
        return {
            fmt::format(
                "\\begin{{cases}} {} & \\text{{if }} {} {} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
                plain(of[2]), plain(of[0]), op == Op::kIfLess ? "<" : "\\leq", plain(of[1]), plain(of[3])),
            kSumLevel, false, key};
      default:
        break;
    }
    for (const Expr operand : of) arguments += (arguments.empty() ? "" : ", ") + plain(operand);
    constexpr std::array<std::string_view, 10> kKnown = {"sin",  "cos", "tan", "sinh", "cosh",
                                                         "tanh", "log", "min", "max",  "exp"};
    const bool is_known = std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
    const std::string command = is_known ? "\\" + name : "\\operatorname{" + latex_name(name) + "}";
    const bool is_atom = of.size() == 1 && graph_.op(of[0]) == Op::kSymbol;
    return {command + (is_atom ? "{" + arguments + "}" : parenthesised(arguments)), kAtomLevel, false, key};
  }

  Mechanics& mechanics_;
  Graph& graph_;
  std::unordered_map<std::uint32_t, Text> texts_;
};

std::string with_greek(std::string_view word) {
  if (std::find(kGreek.begin(), kGreek.end(), word) != kGreek.end()) return "\\" + std::string(word);
  return std::string(word);
}

}  // namespace

std::string latex_name(std::string_view name) {
  std::size_t dots = 0;
  while (!name.empty() && name.back() == '\'') {
    name.remove_suffix(1);
    ++dots;
  }
  std::size_t end = name.find('_');
  std::string_view subscript;
  if (end != std::string_view::npos && end > 0) {
    subscript = name.substr(end + 1);
  } else {
    end = name.size();
    while (end > 1 && std::isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
    subscript = name.substr(end);
  }
  std::string base = with_greek(name.substr(0, end));
  if (dots > 0) base = fmt::format("\\{}ot{{{}}}", std::string(std::min<std::size_t>(dots, 4), 'd'), base);
  if (subscript.empty()) return base;
  return fmt::format("{}_{{{}}}", base, with_greek(subscript));
}

std::string latex(Mechanics& mechanics, const Expression& expression) {
  return LatexPrinter(mechanics).print(expression.in(mechanics.graph()));
}

std::string latex(Mechanics& mechanics, const Matrix& matrix) {
  LatexPrinter printer(mechanics);
  std::string text = "\\begin{bmatrix}";
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    text += i > 0 ? " \\\\ " : " ";
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      text += (j > 0 ? " & " : "") + printer.print(matrix(i, j).in(mechanics.graph()));
    }
  }
  return text + " \\end{bmatrix}";
}

std::string latex(const Vector& vector) {
  if (vector.is_zero()) return "0";
  Mechanics& mechanics = *vector.mechanics();
  LatexPrinter printer(mechanics);
  std::string text;
  for (const auto& [frame, xyz] : vector.parts()) {
    std::string name = mechanics.frames().name(frame);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (std::size_t i = 0; i < 3; ++i) {
      if (xyz[i].is_zero()) continue;
      const std::string unit = fmt::format("\\hat{{{}}}_{{{}}}", name, "xyz"[i]);
      const Expr expr = xyz[i].in(mechanics.graph());
      std::string factor = printer.print(expr);
      if (mechanics.graph().op(expr) == Op::kSum) factor = parenthesised(factor);
      const bool is_negative = factor.front() == '-';
      if (is_negative) factor.erase(0, 1);
      if (!text.empty()) {
        text += is_negative ? " - " : " + ";
      } else if (is_negative) {
        text += "-";
      }
      text += factor == "1" ? unit : factor + " " + unit;
    }
  }
  return text;
}

}  // namespace sestina::symbolic
