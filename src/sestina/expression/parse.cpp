#include "sestina/expression/parse.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "sestina/base/quotation.h"
#include "sestina/base/suggest.h"

namespace sestina {
namespace {

std::string short_name(std::string_view name) {
  constexpr std::size_t kLongest = 43;
  return shortened(name, kLongest);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Parser {
 public:
  Parser(Graph& graph, std::string_view text, const Resolver& resolve, const LiteralReader* read_literal)
      : graph_(graph), text_(text), resolve_(resolve), read_literal_(read_literal) {}

  Expr parse_all() {
    if (text_.size() > kLongestExpression) {
      fail(0,
           fmt::format("the expression has {} characters, more than {}", text_.size(), kLongestExpression));
    }
    skip_space();
    if (at_end()) fail(at_, "the expression is empty");
    const Expr expr = parse_sum();
    if (!at_end()) fail_after_operand();
    return expr;
  }

 private:
  [[noreturn]] static void fail(std::size_t offset, const std::string& message) {
    throw ExpressionError(offset, message);
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_space() {
    while (!at_end() && is_space(text_[at_])) ++at_;
  }
  bool skip(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    skip_space();
    return true;
  }

  // Returns the text at the current place, for a message.
  std::string here() const {
    if (at_end()) return "the end";
    std::size_t end = at_ + 1;
    if (is_letter(peek())) {
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    } else if (peek() < 0x20 || peek() >= 0x7F) {
      end = at_ + utf8_length();
      if (end == at_) return fmt::format("the byte 0x{:02X}", static_cast<unsigned char>(peek()));
    }
    return fmt::format("'{}'", short_name(text_.substr(at_, end - at_)));
  }

  // Returns the length in bytes of the non-ASCII UTF-8 character at the current place, 0 if there is none.
  std::size_t utf8_length() const {
    const auto lead = static_cast<unsigned char>(peek());
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    for (std::size_t i = 1; i < length; ++i) {
      if ((static_cast<unsigned char>(peek(i)) & 0xC0) != 0x80) return 0;
    }
    return lead > 0xF4 ? 0 : length;
  }

  void expect(char c, std::string_view where) {
    if (!skip(c)) fail(at_, fmt::format("expected '{}' {}, not {}", c, where, here()));
  }

  [[noreturn]] void fail_after_operand() const {
    const char c = peek();
    if (c == ')') fail(at_, "this ')' closes nothing");
    if (c == '<' || c == '>') fail(at_, "a comparison is allowed only in the first argument of if()");
    if (c == '=' || c == '!') {
      fail(at_, fmt::format("{} is not an operator; conditions are written with <, <=, > or >=", here()));
    }
    if (c == ',') fail(at_, "a ',' is allowed only between the arguments of a function");
    fail(at_, fmt::format("expected an operator or the end, not {}", here()));
  }

  // Counts open levels, since each of them uses stack.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestNesting) {
        fail(parser_.at_, fmt::format("nested more than {} levels deep", kDeepestNesting));
      }
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  Expr parse_sum() {
    const Expr first = parse_term();
    if (peek() != '+' && peek() != '-') return first;
    std::vector<Expr> terms = {first};
    for (;;) {
      if (skip('+')) {
        terms.push_back(parse_term());
      } else if (skip('-')) {
        terms.push_back(graph_.negate(parse_term()));
      } else {
        return graph_.sum(terms);
      }
    }
  }

  Expr parse_term() {
    const Expr first = parse_factor();
    if (peek() != '*' && peek() != '/') return first;
    std::vector<Expr> factors = {first};
    for (;;) {
      if (skip('*')) {
        factors.push_back(parse_factor());
      } else if (skip('/')) {
        factors.push_back(graph_.power(parse_factor(), graph_.fraction(-1)));
      } else {
        return graph_.product(factors);
      }
    }
  }

  // Skips ^, or ** as in Python.
  bool skip_power() {
    if (peek() != '*' || peek(1) != '*') return skip('^');
    at_ += 2;
    skip_space();
    return true;
  }

  // A loop rather than a recursion: any number of signs may follow each other.
  bool parse_signs() {
    bool is_negative = false;
    for (;;) {
      if (skip('-')) {
        is_negative = !is_negative;
      } else if (!skip('+')) {
        return is_negative;
      }
    }
  }

  Expr parse_factor() {
    const bool is_negative = parse_signs();
    const Expr power = parse_power();
    return is_negative ? graph_.negate(power) : power;
  }

  Expr parse_power() {
    const Nesting nesting(*this);
    const Expr base = parse_primary();
    if (!skip_power()) return base;
    const bool is_negative = parse_signs();
    const Expr exponent = parse_power();
    return graph_.power(base, is_negative ? graph_.negate(exponent) : exponent);
  }

  Expr parse_primary() {
    if (is_digit(peek()) || peek() == '.') return parse_number();
    if (is_letter(peek())) return parse_name();
    const std::size_t open = at_;
    if (skip('(')) {
      const Expr inner = parse_sum();
      if (peek() == ',' || peek() == '<' || peek() == '>' || peek() == '=') fail_after_operand();
      if (!skip(')')) fail(at_, fmt::format("expected ')' for the '(' at {}, not {}", open, here()));
      return inner;
    }
    fail(at_, fmt::format("expected a number, a name or '(', not {}", here()));
  }

  Expr parse_number() {
    const std::size_t start = at_;
    std::size_t digits = 0;
    const auto skip_digits = [&] {
      for (; is_digit(peek()); ++at_) ++digits;
    };
    skip_digits();
    if (peek() == '.') ++at_;
    skip_digits();
    if (digits == 0) fail(start, "expected a digit before or after '.'");
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      digits = 0;
      skip_digits();
      if (digits == 0) fail(at_, fmt::format("expected the digits of an exponent, not {}", here()));
    }
    const std::string_view literal = text_.substr(start, at_ - start);
    if (peek() == '.') fail(at_, "a second '.' in a number");
    if (is_letter(peek())) {
      fail(at_, fmt::format("expected an operator between {} and {}", short_name(literal), here()));
    }
    skip_space();
    const auto number = Coefficient::from_text(literal);
    if (!number) {
      fail(start, fmt::format("{} is outside the range of numbers, 1e-308 to 1e308", short_name(literal)));
    }
    return read_literal_ != nullptr ? (*read_literal_)(literal, *number) : graph_.number(*number);
  }

  std::string_view read_identifier() {
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    return text_.substr(start, at_ - start);
  }

  Expr parse_name() {
    const std::size_t start = at_;
    const std::string_view name = read_identifier();
    const bool is_reference = peek() == '.' || peek() == '[';
    if (is_reference) return parse_reference(start);
    int order = 0;
    for (; peek() == '\''; ++at_) ++order;
    skip_space();
    if (peek() == '(') return parse_call(start, name, order);
    if (order > 0) fail(at_, fmt::format("expected '(' after the derivative of '{}'", short_name(name)));
    if (name == "pi") return graph_.pi();
    if (find_function(name) || graph_.find_table(name)) {
      fail(at_, fmt::format("expected '(' after the function '{}', not {}", name, here()));
    }
    return look_up(start, name);
  }

  Expr parse_reference(std::size_t start) {
    for (;;) {
      if (peek() == '.') {
        ++at_;
        if (!is_letter(peek())) fail(at_, fmt::format("expected a name after '.', not {}", here()));
        read_identifier();
      } else if (peek() == '[') {
        ++at_;
        if (!is_digit(peek()))
          fail(at_, fmt::format("expected an index (0, 1, ...) after '[', not {}", here()));
        while (is_digit(peek())) ++at_;
        if (peek() != ']') fail(at_, fmt::format("expected ']' after the index, not {}", here()));
        ++at_;
      } else {
        break;
      }
    }
    const std::string_view reference = text_.substr(start, at_ - start);
    skip_space();
    if (peek() == '(') fail(start, fmt::format("'{}' is not a function", short_name(reference)));
    return look_up(start, reference);
  }

  Expr look_up(std::size_t start, std::string_view reference) const {
    const auto found = resolve_(reference);
    if (const auto* message = std::get_if<std::string>(&found)) fail(start, *message);
    return std::get<Expr>(found);
  }

  Expr parse_call(std::size_t start, std::string_view name, int order) {
    skip('(');
    if (const auto table = graph_.find_table(name)) {
      if (order > kHighestTableDerivative) {
        fail(start,
             fmt::format("tables have derivatives up to order {}, not {}", kHighestTableDerivative, order));
      }
      return graph_.table(*table, parse_arguments(name, 1)[0], order);
    }
    const Function* function = find_function(name);
    if (!function) fail_unknown_function(start, name);
    if (order > 0) fail(start, fmt::format("{}' is not known: only tables have derivatives by '", name));
    if (function->op == Op::kIfLess) return parse_if();
    const auto arguments = parse_arguments(name, function->arguments);
    switch (function->op) {
      case Op::kPower:
        return graph_.power(arguments[0], arguments[1]);
      case Op::kAtan2:
        return graph_.atan2(arguments[0], arguments[1]);
      case Op::kMin:
        return graph_.min(arguments[0], arguments[1]);
      case Op::kMax:
        return graph_.max(arguments[0], arguments[1]);
      default:
        return graph_.unary(function->op, arguments[0]);
    }
  }

  [[noreturn]] void fail_unknown_function(std::size_t start, std::string_view name) const {
    std::vector<std::string> known = graph_.table_names();
    for (const Function& function : functions()) known.emplace_back(function.name);
    fail(start, fmt::format("unknown function '{}'{}", short_name(name), suggestion(name, known)));
  }

  std::array<Expr, 2> parse_arguments(std::string_view name, int count) {
    const auto expected_count = [&] {
      return fmt::format("{}() takes {} argument{}", short_name(name), count, count == 1 ? "" : "s");
    };
    std::array<Expr, 2> arguments;
    for (int i = 0; i < count; ++i) {
      if (i > 0 && peek() == ')') fail(at_, expected_count());
      if (i > 0) expect(',', "between arguments");
      if (peek() == ')') fail(at_, expected_count());
      arguments[static_cast<std::size_t>(i)] = parse_sum();
    }
    if (peek() == ',') fail(at_, expected_count());
    if (peek() == '<' || peek() == '>' || peek() == '=') fail_after_operand();
    expect(')', fmt::format("after the argument{} of {}", count == 1 ? "" : "s", short_name(name)));
    return arguments;
  }

  Expr parse_if() {
    const Expr left = parse_sum();
    const char relation = peek();
    if (relation != '<' && relation != '>') {
      fail(at_, fmt::format("expected <, <=, > or >= in the condition of if(), not {}", here()));
    }
    ++at_;
    const bool or_equal = peek() == '=';
    if (or_equal) ++at_;
    skip_space();
    const Expr right = parse_sum();
    if (peek() == '<' || peek() == '>') fail(at_, "a condition has one comparison");
    if (peek() == ')') fail(at_, "if() takes 3 arguments: if(condition, value, other value)");
    expect(',', "after the condition of if");
    const auto [yes, no] = parse_arguments_of_if();
    const Expr lower = relation == '<' ? left : right, upper = relation == '<' ? right : left;
    return or_equal ? graph_.if_less_equal(lower, upper, yes, no) : graph_.if_less(lower, upper, yes, no);
  }

  std::pair<Expr, Expr> parse_arguments_of_if() {
    constexpr std::string_view kUsage = "if() takes 3 arguments: if(condition, value, other value)";
    const Expr yes = parse_sum();
    if (peek() == ')') fail(at_, std::string(kUsage));
    expect(',', "between arguments");
    const Expr no = parse_sum();
    if (peek() == ',') fail(at_, std::string(kUsage));
    expect(')', "after the arguments of if");
    return {yes, no};
  }

  Graph& graph_;
  std::string_view text_;
  const Resolver& resolve_;
  const LiteralReader* read_literal_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Resolver resolve_to_symbols(Graph& graph) {
  return [&graph](std::string_view reference) -> std::variant<Expr, std::string> {
    return graph.symbol(reference);
  };
}

Expr parse(Graph& graph, std::string_view text, const Resolver& resolve, const LiteralReader* read_literal) {
  return Parser(graph, text, resolve, read_literal).parse_all();
}

}  // namespace sestina
