#include "sestina/expression/function.h"

#include <array>
#include <vector>

namespace sestina {
namespace {

// If two names mean the same function, the one that is printed comes first.
constexpr std::array<Function, 21> kFunctions = {{
    {"sin", Op::kSin, 1},     {"cos", Op::kCos, 1},   {"tan", Op::kTan, 1},   {"asin", Op::kAsin, 1},
    {"acos", Op::kAcos, 1},   {"atan", Op::kAtan, 1}, {"sinh", Op::kSinh, 1}, {"cosh", Op::kCosh, 1},
    {"tanh", Op::kTanh, 1},   {"exp", Op::kExp, 1},   {"log", Op::kLog, 1},   {"ln", Op::kLog, 1},
    {"sqrt", Op::kSqrt, 1},   {"abs", Op::kAbs, 1},   {"sign", Op::kSign, 1}, {"step", Op::kStep, 1},
    {"atan2", Op::kAtan2, 2}, {"min", Op::kMin, 2},   {"max", Op::kMax, 2},   {"pow", Op::kPower, 2},
    {"if", Op::kIfLess, 3},
}};

}  // namespace

std::span<const Function> functions() { return kFunctions; }

const Function* find_function(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

std::string_view function_name(Op op) {
  for (const Function& function : kFunctions) {
    if (function.op == op) return function.name;
  }
  return {};
}

std::span<const std::string> reserved_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all = {"pi"};
    for (const Function& function : kFunctions) all.emplace_back(function.name);
    return all;
  }();
  return words;
}

}  // namespace sestina
