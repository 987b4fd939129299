#include "sestina/expression/constant_fault.h"

#include <gtest/gtest.h>

namespace sestina {
namespace {

class ConstantFault : public testing::Test {
 protected:
  std::string explain(std::string_view text) {
    const Expr huge = graph.number(1e300);
    const Resolver resolve = [&](std::string_view name) -> std::variant<Expr, std::string> {
      if (name == "huge") return huge;
      if (name == "t") return "t changes with time";
      return graph.symbol(name);
    };
    return explain_constant_fault(graph, text, resolve);
  }

  Graph graph;
};

TEST_F(ConstantFault, IsToldWithTheNumbersAsTheyAreWritten) {
  constexpr std::pair<const char*, const char*> kMessages[] = {
      {"1e308*10", "overflow in 1e308*10"},
      {"1/0", "division by zero in 1/0"},
      {"0/0", "division by zero in 0/0"},
      {"3*x/0", "division by zero in 3*x/0"},
      {"hinge.q/0", "division by zero in hinge.q/0"},
      {"t/0", "division by zero in t/0"},
      {"2 + t*x/0^2", "division by zero in t*x/0^2"},
      {"x + 2/0", "division by zero in 2/0"},
      {"(3 - 2 - 1)/0*x", "division by zero in (3 - 2 - 1)*x/0"},
      {"2 + x/(2 - 3 + 1)", "division by zero in x/(2 - 3 + 1)"},
      {"sin(3*(1e308 + 9e307))", "overflow in 1e308 + 9e307"},
      {"1e308*x*10", "overflow in 1e308*10"},
      {"x + huge*1e10", "overflow in huge*1e10"},
      {"t*huge^2", "overflow in huge^2"},
      {"if(x < 0, 1, ln(0))", "logarithm of zero in log(0)"},
      {"2*x + 3", ""},
  };
  for (const auto& [text, expected] : kMessages) EXPECT_EQ(explain(text), expected) << text;
}

}  // namespace
}  // namespace sestina
