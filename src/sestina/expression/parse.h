// Conversion of text to expressions.
//
//   sum       term (('+' | '-') term)*
//   term      factor (('*' | '/') factor)*
//   factor    ('+' | '-')* power                            -x^2 is -(x^2)
//   power     primary (('^' | '**') ('+' | '-')* power)?    x^y^z is x^(y^z)
//   primary   number | pi | reference | call | '(' sum ')'
//   call      FUNCTION '(' sum (',' sum)* ')'  |  TABLE "'"* '(' sum ')'
//           | 'if' '(' sum ('<' | '<=' | '>' | '>=') sum ',' sum ',' sum ')'
//   reference NAME ('.' NAME | '[' INDEX ']')*              hip.q, base.u[3]
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "sestina/expression/graph.h"

namespace sestina {

// An error in the text of an expression or in its use, with its place.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t offset, const std::string& message)
      : std::runtime_error(message), offset_(offset) {}
  std::size_t offset() const { return offset_; }  // in bytes from the start of the text

 private:
  std::size_t offset_;
};

// Returns the expression for a reference such as `l1` or `hip.q`, or the message of an error.
using Resolver = std::function<std::variant<Expr, std::string>(std::string_view reference)>;

// Returns the expression for a number of the text, instead of the number.
using LiteralReader = std::function<Expr(std::string_view literal, const Coefficient& number)>;

// Makes every reference the symbol of its name.
Resolver resolve_to_symbols(Graph& graph);

inline constexpr std::size_t kLongestExpression = 64 * 1024;  // characters
inline constexpr int kDeepestNesting = 200;                   // parentheses, calls and powers

// Throws ExpressionError, and whatever the resolver throws.
Expr parse(Graph& graph, std::string_view text, const Resolver& resolve,
           const LiteralReader* read_literal = nullptr);

}  // namespace sestina
