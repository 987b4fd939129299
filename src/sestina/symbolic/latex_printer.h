// Prints expressions of one graph as LaTeX; results are kept.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sestina/symbolic/latex_names.h"
#include "sestina/symbolic/latex_text.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

std::string parenthesised(const std::string& text);

class LatexPrinter {
 public:
  // Numbers with more than `digits` digits are rounded; 0: none.
  explicit LatexPrinter(Mechanics& mechanics, int digits = 0);

  std::string print(Expr root);

 private:
  struct Term {
    Expr expr;
    bool is_negative;
  };
  struct Factor {
    const LatexText* of;
    std::string text;
  };

  const LatexText& text(Expr expr) const { return texts_.at(expr.id); }
  std::string inside(Expr expr, Level least) const;
  std::string plain(Expr expr) const;
  std::string magnitude_text(const Coefficient& c) const;
  std::string rounded(const Coefficient& c) const;
  LatexText number(const Coefficient& c) const;
  LatexText make(Expr expr);
  LatexText make_symbol(Expr expr);
  std::vector<Term> terms_of(std::span<const Expr> of) const;
  LatexText make_sum(std::span<const Expr> of) const;
  LatexText make_power(std::span<const Expr> of) const;
  std::string raised(Expr base, const std::string& exponent) const;
  LatexText make_product(std::span<const Expr> of) const;
  LatexText make_call(Expr expr, std::span<const Expr> of) const;
  LatexText make_case(Op op, std::span<const Expr> of, LatexKey key) const;
  bool is_negated_sum(Expr expr) const;

  Mechanics& mechanics_;
  Graph& graph_;
  int digits_;
  LatexNames names_;
  LatexTexts texts_;
};

}  // namespace sestina::symbolic
