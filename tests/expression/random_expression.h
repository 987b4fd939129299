// Random expressions that know their own value, written without any code of the library: as text with all
// parentheses, as a value in long double, and with a bound of the rounding error of any order of evaluation.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace sestina::test {

struct Reference {
  std::string text;
  long double value = 0.0L;
  // |value - computed| <= error * epsilon * (a small number), to first order
  long double error = 0.0L;
};

class RandomExpression {
 public:
  RandomExpression(unsigned seed, std::array<double, 3> symbols) : random_(seed), symbols_(symbols) {}

  Reference make(int depth) {
    if (depth == 0) return leaf();
    switch (pick(12)) {
      case 0:
      case 1:
        return add(make(depth - 1), make(depth - 1), 1.0L);
      case 2:
      case 3:
        return add(make(depth - 1), make(depth - 1), -1.0L);
      case 4:
      case 5:
      case 6:
        return multiply(make(depth - 1), make(depth - 1));
      case 7:
        return divide(make(depth - 1), make(depth - 1));
      case 8:
        return power(make(depth - 1));
      case 9:
        return conditional(depth);
      case 10:
        return negate(make(depth - 1));
      default:
        return call(make(depth - 1));
    }
  }

  int pick(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }

 private:
  static constexpr const char* kNames[3] = {"x", "y", "hip.q[1]"};

  Reference leaf() {
    static constexpr std::array<std::pair<const char*, long double>, 9> kNumbers = {
        {{"0", 0.0L},
         {"1", 1.0L},
         {"2", 2.0L},
         {"12", 12.0L},
         {"0.5", 0.5L},
         {"0.1", 0.1L},
         {"1e-3", 1e-3L},
         {"0.12345678901234567", 0.12345678901234567L},
         {"pi", 3.14159265358979323846L}}};
    if (pick(3) == 0) {
      const auto& [text, value] = kNumbers[static_cast<std::size_t>(pick(kNumbers.size()))];
      return {text, value, std::abs(value)};
    }
    const auto i = static_cast<std::size_t>(pick(3));
    return {kNames[i], symbols_[i], std::abs(static_cast<long double>(symbols_[i]))};
  }

  static Reference add(const Reference& a, const Reference& b, long double sign) {
    const char* op = sign > 0.0L ? " + " : " - ";
    return {"(" + a.text + op + b.text + ")", a.value + sign * b.value,
            a.error + b.error + std::abs(a.value) + std::abs(b.value)};
  }

  static Reference multiply(const Reference& a, const Reference& b) {
    const long double value = a.value * b.value;
    return {"(" + a.text + "*" + b.text + ")", value,
            std::abs(a.value) * b.error + std::abs(b.value) * a.error + std::abs(value)};
  }

  static Reference divide(const Reference& a, const Reference& b) {
    const long double value = a.value / b.value;
    return {"(" + a.text + "/" + b.text + ")", value,
            a.error / std::abs(b.value) + std::abs(value / b.value) * b.error + std::abs(value)};
  }

  Reference power(const Reference& a) {
    static constexpr std::array<std::pair<const char*, long double>, 6> kExponents = {
        {{"2", 2.0L}, {"3", 3.0L}, {"-1", -1.0L}, {"(-2)", -2.0L}, {"(1/2)", 0.5L}, {"1.25", 1.25L}}};
    const auto& [text, n] = kExponents[static_cast<std::size_t>(pick(kExponents.size()))];
    const long double value = std::pow(a.value, n);
    const long double error = std::abs(n * std::pow(a.value, n - 1.0L)) * a.error + 4.0L * std::abs(value);
    const bool is_at_edge = std::abs(a.value) < 1e-12L * a.error;  // the sign of the base is open
    return {"(" + a.text + ")^" + text, value,
            is_at_edge ? std::numeric_limits<long double>::infinity() : error};
  }

  Reference negate(const Reference& a) { return {"(-" + a.text + ")", -a.value, a.error}; }

  Reference conditional(int depth) {
    const Reference a = make(0), b = make(0), yes = make(depth - 1), no = make(depth - 1);
    static constexpr const char* kRelations[4] = {"<", "<=", ">", ">="};
    const int r = pick(4);
    const bool holds[4] = {a.value<b.value, a.value <= b.value, a.value> b.value, a.value >= b.value};
    const Reference& taken = holds[r] ? yes : no;
    return {"if(" + a.text + kRelations[r] + b.text + ", " + yes.text + ", " + no.text + ")", taken.value,
            taken.error};
  }

  // f(a) and a bound of |f'(a)| by differences to both sides, so that a kink counts.
  Reference call(const Reference& a) {
    using F = long double (*)(long double);
    static const std::array<std::pair<const char*, F>, 14> kCalls = {{
        {"sin", [](long double x) { return std::sin(x); }},
        {"cos", [](long double x) { return std::cos(x); }},
        {"tan", [](long double x) { return std::tan(x); }},
        {"asin", [](long double x) { return std::asin(x); }},
        {"acos", [](long double x) { return std::acos(x); }},
        {"atan", [](long double x) { return std::atan(x); }},
        {"sinh", [](long double x) { return std::sinh(x); }},
        {"cosh", [](long double x) { return std::cosh(x); }},
        {"tanh", [](long double x) { return std::tanh(x); }},
        {"exp", [](long double x) { return std::exp(x); }},
        {"ln", [](long double x) { return std::log(x); }},
        {"sqrt", [](long double x) { return std::sqrt(x); }},
        {"abs", [](long double x) { return std::abs(x); }},
        {"2 + sign", [](long double x) { return 2.0L + (x > 0.0L   ? 1.0L
                                                        : x < 0.0L ? -1.0L
                                                                   : 0.0L); }},
    }};
    const auto& [name, f] = kCalls[static_cast<std::size_t>(pick(kCalls.size()))];
    const long double h = 1e-9L * (1.0L + std::abs(a.value));
    const long double value = f(a.value);
    const long double slope =
        std::max(std::abs(f(a.value + h) - value), std::abs(value - f(a.value - h))) / h;
    return {std::string("(") + name + "(" + a.text + "))", value, 4.0L * (slope * a.error + std::abs(value))};
  }

  std::mt19937 random_;
  std::array<double, 3> symbols_;
};

}  // namespace sestina::test
