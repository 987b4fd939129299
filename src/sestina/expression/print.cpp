#include "sestina/expression/print.h"

#include <algorithm>
#include <iterator>

namespace sestina {
namespace {

// Precedence of a text; a lower level needs parentheses inside a higher one.
enum Level { kSumLevel, kProductLevel, kPowerLevel, kAtomLevel };

// A text, or an expression that has yet to become text.
struct Item {
  std::string text;
  Expr expr;
  Level least = kSumLevel;
  bool without_sign = false;  // omit a leading minus
};

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph) {}

  // A list of open items instead of a recursion: a graph may be deeper than the stack.
  std::string print(Expr root, std::size_t most_characters) {
    std::vector<Item> open;
    open.push_back({"", root});
    std::string text;
    while (!open.empty()) {
      const Item item = std::move(open.back());
      open.pop_back();
      text += item.text;
      if (text.size() > most_characters) {
        text.resize(most_characters - std::min<std::size_t>(most_characters, 3));
        return text + "...";
      }
      if (!item.expr.is_valid()) continue;
      parts_.clear();
      add_parts(item);
      std::move(parts_.rbegin(), parts_.rend(), std::back_inserter(open));
    }
    return text;
  }

 private:
  std::span<const Expr> operands(Expr e) const { return graph_.operands(e); }
  void put(std::string_view text) { parts_.push_back({std::string(text), {}}); }
  void put(Expr expr, Level least) { parts_.push_back({"", expr, least}); }

  bool is_negative(Expr e) const {
    if (graph_.op(e) == Op::kProduct) e = operands(e)[0];
    return graph_.is_number(e) && graph_.number_of(e).is_negative();
  }

  bool is_inverse(Expr e) const { return graph_.integer_exponent(e).value_or(1) < 0; }

  Level level(const Item& item) const {
    const Expr e = item.expr;
    if (!item.without_sign && is_negative(e)) return kSumLevel;
    switch (graph_.op(e)) {
      case Op::kNumber:
        return graph_.number_of(e).magnitude_text().find('/') == std::string::npos ? kAtomLevel
                                                                                   : kProductLevel;
      case Op::kSum:
        return kSumLevel;
      case Op::kProduct:
        return kProductLevel;
      case Op::kPower:
        return is_inverse(e) ? kProductLevel : kPowerLevel;
      default:
        return kAtomLevel;
    }
  }

  void add_parts(const Item& item) {
    if (level(item) < item.least) {
      put("(");
      put(item.expr, kSumLevel);
      put(")");
      return;
    }
    const Expr e = item.expr;
    if (!item.without_sign && is_negative(e)) put("-");
    switch (graph_.op(e)) {
      case Op::kNumber:
        return put(graph_.number_of(e).magnitude_text());
      case Op::kPi:
        return put("pi");
      case Op::kSymbol:
        return put(graph_.name_of(e));
      case Op::kSum:
        return add_sum(operands(e));
      case Op::kProduct:
        return add_product(operands(e));
      case Op::kPower:
        return is_inverse(e) ? add_product(std::span(&e, 1)) : add_power(operands(e)[0], operands(e)[1]);
      default:
        return add_call(e);
    }
  }

  void add_sum(std::span<const Expr> terms) {
    const bool has_number = graph_.is_number(terms.front());
    const std::size_t first = has_number ? 1 : 0;
    for (std::size_t i = first; i < terms.size() + first; ++i) {
      const Expr term = terms[i % terms.size()];  // the number comes last
      if (i > first) put(is_negative(term) ? " - " : " + ");
      if (i == first && is_negative(term)) put("-");
      parts_.push_back({"", term, kProductLevel, true});
    }
  }

  void add_power(Expr base, Expr exponent) {
    put(base, kAtomLevel);
    put("^");
    put(exponent, kPowerLevel);
  }

  // True for a divisor that may share a pair of parentheses with others and still parse to the same product.
  bool is_plain_divisor(Expr factor) const {
    const Expr base = operands(factor)[0];
    return !graph_.is_number(base) && graph_.op(base) != Op::kProduct && !is_inverse(base);
  }

  void add_divisor(Expr factor) {
    const Expr base = operands(factor)[0];
    const std::int64_t exponent = -*graph_.integer_exponent(factor);
    if (exponent == 1) return put(base, kPowerLevel);
    put(base, kAtomLevel);
    put("^");
    put(std::to_string(exponent));
  }

  void add_product(std::span<const Expr> factors) {
    std::string numerator, denominator;
    if (graph_.is_number(factors.front())) {
      numerator = graph_.number_of(factors.front()).magnitude_text();
      if (const auto slash = numerator.find('/'); slash != std::string::npos) {
        denominator = numerator.substr(slash + 1);
        numerator.resize(slash);
      }
      factors = factors.subspan(1);
    }
    const auto is_upper = [this](Expr factor) { return !is_inverse(factor); };
    const bool has_upper = std::any_of(factors.begin(), factors.end(), is_upper);
    bool is_first = numerator.empty() || (numerator == "1" && has_upper);
    if (!is_first || !has_upper) put(numerator.empty() ? "1" : numerator);
    for (const Expr factor : factors) {
      if (!is_upper(factor)) continue;
      if (!is_first) put("*");
      put(factor, kPowerLevel);
      is_first = false;
    }
    add_divisors(factors, denominator);
  }

  void add_divisors(std::span<const Expr> factors, const std::string& number) {
    // When parsed, divisors in parentheses are not merged into a product that is too wide for them.
    const auto is_product = [this](Expr factor) { return graph_.op(factor) == Op::kProduct; };
    const bool may_share =
        factors.size() < kMostMerged && std::none_of(factors.begin(), factors.end(), is_product);
    const auto is_shared = [&](Expr factor) { return may_share && is_plain_divisor(factor); };
    std::vector<Expr> plain;
    for (const Expr factor : factors) {
      if (is_inverse(factor) && is_shared(factor)) plain.push_back(factor);
    }
    const bool is_one = plain.size() + (number.empty() ? 0 : 1) == 1;
    if (!number.empty() || !plain.empty()) put(is_one ? "/" : "/(");
    put(number);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      if (i > 0 || !number.empty()) put("*");
      add_divisor(plain[i]);
    }
    if (!is_one && !(number.empty() && plain.empty())) put(")");
    for (const Expr factor : factors) {
      if (!is_inverse(factor) || is_shared(factor)) continue;
      put("/");
      add_divisor(factor);
    }
  }

  void add_call(Expr e) {
    const auto arguments = operands(e);
    const Op op = graph_.op(e);
    if (op == Op::kIfLess || op == Op::kIfLessEqual) {
      put("if(");
      put(arguments[0], kSumLevel);
      put(op == Op::kIfLess ? " < " : " <= ");
      put(arguments[1], kSumLevel);
      put(", ");
      put(arguments[2], kSumLevel);
      put(", ");
      put(arguments[3], kSumLevel);
      return put(")");
    }
    if (op == Op::kTable) {
      put(graph_.table_name_of(e) + std::string(static_cast<std::size_t>(graph_.table_order_of(e)), '\''));
    } else {
      put(function_name(op));
    }
    put("(");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) put(", ");
      put(arguments[i], kSumLevel);
    }
    put(")");
  }

  const Graph& graph_;
  std::vector<Item> parts_;
};

}  // namespace

std::string to_text(const Graph& graph, Expr expr, std::size_t most_characters) {
  return Printer(graph).print(expr, most_characters);
}

}  // namespace sestina
