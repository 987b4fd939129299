// Any text is either an expression, whose printed form parses back to the same expression and which can be
// differentiated and evaluated, or an ExpressionError that points into the text.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"

namespace {

using namespace sestina;

constexpr std::size_t kMostText =
    10'000;  // shared parts are printed repeatedly, which may grow without bound

// Text that is read nests within kDeepestNesting; printed, it has more parentheses, and so may be too deep.
bool is_deep(std::string_view printed) {
  int depth = 0, deepest = 0;
  for (const char c : printed) {
    depth += (c == '(') - (c == ')');
    deepest = std::max(deepest, depth);
  }
  return deepest > kDeepestNesting / 4;
}

void check(std::string_view text) {
  Graph graph;
  const Resolver resolve = resolve_to_symbols(graph);
  const Expr expr = parse(graph, text, resolve);
  const std::string printed = to_text(graph, expr, kMostText);
  const bool is_read = printed.size() <= kMostText && !is_deep(printed);
  if (is_read && parse(graph, printed, resolve) != expr) std::abort();
  evaluate(graph, expr, {});
  const auto symbols = graph.free_symbols(expr);
  if (!symbols.empty()) evaluate(graph, graph.diff(expr, symbols.front()), {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check(text);
  } catch (const ExpressionError& error) {
    if (error.offset() > size) std::abort();
  }
  return 0;
}
