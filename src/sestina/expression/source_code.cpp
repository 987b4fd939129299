#include "sestina/expression/source_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "sestina/base/error.h"

namespace sestina {
namespace {

// Reserved words of C, C++ and Python, macros and functions of their mathematics, and names used here.
constexpr std::string_view kTaken =
    "FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_LLOGB0 FP_LLOGBNAN FP_NAN "
    "FP_NORMAL FP_SUBNORMAL FP_ZERO False HUGE_VAL HUGE_VALF HUGE_VALL INFINITY "
    "MATH_ERREXCEPT MATH_ERRNO MAXFLOAT M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI "
    "M_PI_2 M_PI_4 M_SQRT1_2 "
    "M_SQRT2 NAN None True abs acos alignas alignof and and_eq as asin asm assert async atan atan2 auto "
    "await bitand bitor bool break case catch char char16_t char32_t char8_t class co_await co_return "
    "co_yield compl concept const const_cast consteval constexpr constinit continue cos decltype def "
    "default del delete do double dynamic_cast elif else enum errno except exp explicit export extern "
    "fabs false finally float for friend from functools gamma global goto if import in inline inputs int is "
    "j0 j1 "
    "jn lambda lgamma linux log long main match math math_errhandling max min mutable namespace new noexcept "
    "nonlocal "
    "not not_eq nullptr operator or or_eq out pass pow print private protected public raise register "
    "reinterpret_cast requires restrict return short signed signgam sin sizeof sqrt static "
    "static_assert static_cast std struct switch tan template tgamma this thread_local throw true try "
    "type typedef typeid typename typeof typeof_unqual union unix unsigned using virtual void volatile "
    "wchar_t while with xor xor_eq y0 y1 yield yn";

// Precedence of a text.
enum Level { kChoiceLevel, kSumLevel, kProductLevel, kUnaryLevel, kAtomLevel };

struct Text {
  std::string text;
  Level level = kAtomLevel;
};

// An expression whose text is longer is written once, as a variable.
constexpr std::size_t kLongestInline = 400;

bool is_taken(std::string_view name) {
  return fmt::format(" {} ", kTaken).find(fmt::format(" {} ", name)) != std::string::npos;
}

class SourceWriter {
 public:
  SourceWriter(const Graph& graph, Language language) : graph_(graph), language_(language) {}

  std::string write(std::string_view name, std::span<const Expr> outputs, std::span<const Expr> inputs) {
    const std::vector<Expr> nodes = graph_.reachable(outputs);
    count_uses(nodes, outputs);
    if (is_python()) find_delayed(nodes, outputs);
    name_inputs(inputs, nodes);
    for (const Expr node : nodes) {
      if (graph_.op(node) == Op::kSymbol) continue;
      Text text = make(node);
      const bool is_leaf = graph_.operands(node).empty();
      if (!is_leaf && (uses_[node.id] > 1 || text.text.size() > kLongestInline)) {
        text = {add_variable(text.text, delayed_.contains(node.id))};
      }
      texts_[node.id] = std::move(text);
    }
    return is_python() ? finish_python(name, outputs) : finish_c(name, outputs);
  }

 private:
  bool is_python() const { return language_ == Language::kPython; }

  // Adds a variable for a value and returns the name that stands for it from now on.
  std::string add_variable(const std::string& value, bool is_delayed) {
    std::string variable = unused_name(fmt::format("z{}", variable_count_++));
    if (is_delayed) {
      has_delayed_ = true;
      body_ += line(fmt::format("{} = functools.cache(lambda: {})", variable, value));
      return variable + "()";
    }
    body_ += line(fmt::format("{}{} = {}", is_python() ? "" : "const double ", variable, value));
    return variable;
  }

  // A division by zero ends a Python program, even on a branch that does not take effect. Expressions that
  // might fail and that only branches use are therefore computed where they are first needed.
  void find_delayed(std::span<const Expr> nodes, std::span<const Expr> outputs) {
    std::unordered_set<std::uint32_t> always;
    for (const Expr output : outputs) always.insert(output.id);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {  // users come before their operands
      if (!always.contains(node->id)) continue;
      const bool is_choice = graph_.op(*node) == Op::kIfLess || graph_.op(*node) == Op::kIfLessEqual;
      for (const Expr operand : graph_.operands(*node).first(is_choice ? 2 : graph_.operands(*node).size())) {
        always.insert(operand.id);
      }
    }
    std::unordered_set<std::uint32_t> failing;
    for (const Expr node : nodes) {
      const auto of = graph_.operands(node);
      const bool has_failing =
          std::any_of(of.begin(), of.end(), [&](Expr e) { return failing.contains(e.id); });
      if (!has_failing && !may_fail(graph_.op(node))) continue;
      failing.insert(node.id);
      if (!always.contains(node.id)) delayed_.insert(node.id);
    }
  }

  static bool may_fail(Op op) {
    constexpr std::array kMayFail = {Op::kPower, Op::kAsin, Op::kAcos, Op::kSinh,
                                     Op::kCosh,  Op::kExp,  Op::kLog,  Op::kSqrt};
    return std::find(kMayFail.begin(), kMayFail.end(), op) != kMayFail.end();
  }

  // True for operations that compare their operands and may return one of them.
  static bool is_comparison(Op op) {
    return op == Op::kSign || op == Op::kStep || op == Op::kMin || op == Op::kMax || op == Op::kIfLess ||
           op == Op::kIfLessEqual;
  }

  std::string line(const std::string& statement) const {
    return is_python() ? "    " + statement + "\n" : "  " + statement + ";\n";
  }

  void count_uses(std::span<const Expr> nodes, std::span<const Expr> outputs) {
    for (const Expr node : nodes) {
      const auto of = graph_.operands(node);
      for (const Expr operand : of) ++uses_[operand.id];
      if (!is_comparison(graph_.op(node))) continue;
      for (const Expr operand : of.first(std::min<std::size_t>(of.size(), 2))) ++uses_[operand.id];
    }
    for (const Expr output : outputs) ++uses_[output.id];
  }

  std::string unused_name(const std::string& name) {
    if (names_.insert(name).second) return name;
    std::string stem = name.ends_with('_') ? name : name + "_";
    if (stem != name && names_.insert(stem).second) return stem;
    std::size_t number = 2;
    while (!names_.insert(stem + std::to_string(number)).second) ++number;
    return stem + std::to_string(number);
  }

  // Keeps letters, digits and single underscores: C and C++ reserve names with two consecutive underscores
  // and names that begin with one before a capital.
  static std::string identifier(std::string_view symbol) {
    std::string name;
    for (const char c : symbol) {
      if (c == '\'') {
        const bool goes_on = name.ends_with("_d") || name.ends_with("_dd") || name.ends_with('_');
        name += goes_on ? "d" : "_d";
      } else if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        name += c;
      } else if (!name.ends_with('_')) {
        name += '_';
      }
    }
    const bool is_kept =
        name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1]));
    if (is_kept) return "x" + name;
    return std::isdigit(static_cast<unsigned char>(name.front())) != 0 ? "x_" + name : name;
  }

  void name_inputs(std::span<const Expr> inputs, std::span<const Expr> nodes) {
    for (std::size_t begin = 0, end = 0; begin < kTaken.size(); begin = end + 1) {
      end = std::min(kTaken.find(' ', begin), kTaken.size());
      names_.emplace(kTaken.substr(begin, end - begin));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string name = unused_name(identifier(graph_.name_of(inputs[i])));
      texts_[inputs[i].id] = {name};
      if (uses_[inputs[i].id] == 0) continue;
      body_ += line(is_python() ? fmt::format("{} = inputs[{}]", name, i)
                                : fmt::format("const double {} = in[{}]", name, i));
    }
    for (const Expr node : nodes) {
      if (graph_.op(node) == Op::kSymbol && !texts_.contains(node.id)) {
        throw InputError(fmt::format("'{}' is not an input of the function", graph_.name_of(node)));
      }
    }
  }

  std::string inside(Expr e, Level least) const {
    const Text& text = texts_.at(e.id);
    return text.level >= least ? text.text : "(" + text.text + ")";
  }

  // Writes a number so that no language divides it as an integer.
  static Text number(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return {text, value < 0.0 ? kUnaryLevel : kAtomLevel};
  }

  Text make(Expr e) const {
    const auto of = graph_.operands(e);
    switch (graph_.op(e)) {
      case Op::kNumber:
        return make_number(graph_.number_of(e));
      case Op::kPi:
        return {"3.14159265358979323846"};
      case Op::kSum:
        return make_sum(of);
      case Op::kProduct:
        return make_product(of);
      case Op::kPower:
        return make_power(e, of);
      case Op::kTable:
        throw InputError(fmt::format("table '{}' has no source code", graph_.table_name_of(e)));
      default:
        return make_call(graph_.op(e), of);
    }
  }

  static Text make_number(const Coefficient& c) {
    if (!c.is_exact() || c.is_integer()) return number(c.value());
    // Rounded once, as in all other evaluations.
    return {fmt::format("{}.0/{}.0", c.numerator(), c.denominator()), kProductLevel};
  }

  Text make_sum(std::span<const Expr> of) const {
    std::string sum;
    const std::size_t first = graph_.is_number(of.front()) ? 1 : 0;
    for (std::size_t i = first; i < of.size() + first; ++i) {  // the number comes last
      const std::string term = inside(of[i % of.size()], kProductLevel);
      if (sum.empty()) {
        sum = term;
      } else if (term.front() == '-') {
        sum += " - " + term.substr(1);
      } else {
        sum += " + " + term;
      }
    }
    return {sum, kSumLevel};
  }

  // Writes a factor 1/x as a divisor.
  Text make_product(std::span<const Expr> of) const {
    std::string upper, lower, sign;
    std::size_t below = 0;
    for (const Expr factor : of) {
      if (graph_.is_number(factor) && graph_.number_of(factor) == Coefficient::fraction(-1, 1)) {
        sign = "-";
        continue;
      }
      const auto exponent = graph_.integer_exponent(factor);
      const bool is_below = exponent && *exponent == -1 && uses_.at(factor.id) == 1;
      below += is_below ? 1 : 0;
      std::string& side = is_below ? lower : upper;
      const bool is_first = !is_below && upper.empty();
      if (!side.empty()) side += "*";
      side += inside(is_below ? graph_.operands(factor)[0] : factor, is_first ? kProductLevel : kUnaryLevel);
    }
    if (upper.empty()) upper = "1.0";
    if (below == 0) return {sign + upper, kProductLevel};
    return {sign + upper + "/" + (below > 1 ? "(" + lower + ")" : lower), kProductLevel};
  }

  Text make_power(Expr e, std::span<const Expr> of) const {
    const auto exponent = graph_.integer_exponent(e);
    const std::string base = inside(of[0], kAtomLevel);
    if (exponent && *exponent == -1) return {"1.0/" + base, kProductLevel};
    if (is_python() && exponent) {
      const std::string power = std::to_string(*exponent);
      return {base + "**" + (*exponent < 0 ? "(" + power + ")" : power), kUnaryLevel};
    }
    const bool is_short = texts_.at(of[0].id).text.size() < 20;
    if (exponent && *exponent == 2 && is_short) return {base + "*" + base, kProductLevel};
    if (exponent && *exponent == 3 && is_short) return {base + "*" + base + "*" + base, kProductLevel};
    return {call("pow", {texts_.at(of[0].id).text, texts_.at(of[1].id).text})};
  }

  std::string call(std::string_view function, std::vector<std::string> arguments) const {
    constexpr std::array<std::string_view, 3> kPrefix = {"", "std::", "math."};
    return fmt::format("{}{}({})", kPrefix[static_cast<std::size_t>(language_)], function,
                       fmt::join(arguments, ", "));
  }

  Text choice(const std::string& condition, const std::string& yes, const std::string& no) const {
    if (is_python()) return {fmt::format("{} if {} else {}", yes, condition, no), kChoiceLevel};
    return {fmt::format("{} ? {} : {}", condition, yes, no), kChoiceLevel};
  }
  Text choice(const std::string& condition, const std::string& yes, const Text& no) const {
    return choice(condition, yes, "(" + no.text + ")");
  }

  // As calc_if_less and calc_if_less_equal: nan if either side is nan.
  Text comparison(Expr a, std::string_view sign, Expr b, const std::string& yes,
                  const std::string& no) const {
    const std::string left = inside(a, kSumLevel), right = inside(b, kSumLevel);
    const std::string both = graph_.is_number(a)   ? right
                             : graph_.is_number(b) ? left
                                                   : fmt::format("{} + {}", left, right);
    const Text otherwise = choice(fmt::format("{} {} {}", right, sign == "<" ? "<=" : "<", left), no, both);
    return choice(fmt::format("{} {} {}", left, sign, right), yes, otherwise);
  }

  Text make_call(Op op, std::span<const Expr> of) const {
    std::vector<std::string> arguments;
    for (const Expr operand : of) arguments.push_back(inside(operand, kSumLevel));
    const std::string a = arguments[0];
    switch (op) {
      case Op::kAbs:
        return {call("fabs", arguments)};
      case Op::kSign:
        return choice(a + " < 0.0", "-1.0",
                      choice(a + " > 0.0", "1.0", inside(of[0], kProductLevel) + "*0.0"));
      case Op::kStep:
        return choice(a + " < 0.0", "0.0",
                      choice(a + " >= 0.0", "1.0", inside(of[0], kProductLevel) + "*0.0"));
      case Op::kMin:
        return comparison(of[0], "<=", of[1], a, arguments[1]);
      case Op::kMax:
        return comparison(of[1], "<=", of[0], a, arguments[1]);
      case Op::kIfLess:
        return comparison(of[0], "<", of[1], arguments[2], arguments[3]);
      case Op::kIfLessEqual:
        return comparison(of[0], "<=", of[1], arguments[2], arguments[3]);
      default:
        return {call(function_name(op), arguments)};
    }
  }

  std::string finish_c(std::string_view name, std::span<const Expr> outputs) const {
    const bool is_c = language_ == Language::kC;
    std::string source = is_c ? "#include <math.h>\n\n" : "#include <cmath>\n\n";
    source += fmt::format("void {}(const double *in, double *out) {{\n", name) + body_;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      source += line(fmt::format("out[{}] = {}", i, texts_.at(outputs[i].id).text));
    }
    return source + "}\n";
  }

  std::string finish_python(std::string_view name, std::span<const Expr> outputs) const {
    const std::string_view functools = has_delayed_ ? "import functools\n" : "";
    std::string source =
        fmt::format("{}import math\n\n\ndef {}(inputs):\n", functools, name) + body_ + "    return [\n";
    for (const Expr output : outputs) source += "        " + texts_.at(output.id).text + ",\n";
    return source + "    ]\n";
  }

  const Graph& graph_;
  Language language_;
  std::unordered_map<std::uint32_t, int> uses_;
  std::unordered_map<std::uint32_t, Text> texts_;
  std::unordered_set<std::uint32_t> delayed_;
  std::unordered_set<std::string> names_;
  std::string body_;
  bool has_delayed_ = false;
  std::size_t variable_count_ = 0;
};

}  // namespace

std::string to_source(const Graph& graph, std::string_view name, std::span<const Expr> outputs,
                      std::span<const Expr> inputs, Language language) {
  const auto is_inner = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) ||
      !std::all_of(name.begin(), name.end(), is_inner)) {
    throw InputError(fmt::format("'{}' cannot be the name of a function", name));
  }
  if (is_taken(name)) {
    throw InputError(
        fmt::format("'{}' cannot be the name of a function: it means something in C, C++ or Python", name));
  }
  if (language != Language::kPython && (name.front() == '_' || name.find("__") != std::string_view::npos)) {
    throw InputError(
        fmt::format("'{}' cannot be the name of a function: C and C++ keep names that begin with an "
                    "underscore, or hold two "
                    "in a row, for themselves",
                    name));
  }
  return SourceWriter(graph, language).write(name, outputs, inputs);
}

}  // namespace sestina
