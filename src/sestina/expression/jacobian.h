// First derivatives of many expressions with respect to many symbols.
//
//   forward  SparseDifferentiator: every node has its derivatives with respect to the symbols on which it
//            depends, and no others. Shared parts are differentiated once, also from one call to the next.
//   reverse  calc_gradient: one sweep from a single expression down to all symbols, at a small multiple
//            of the cost of the expression itself, for any number of symbols.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

class SparseDifferentiator {
 public:
  struct Entry {
    std::size_t column;  // of the symbol
    Expr value;          // derivative with respect to it, never the number 0
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  using Row = std::vector<Entry>;  // by column

  SparseDifferentiator(Graph& graph, std::span<const Expr> symbols);

  // Returns the derivatives that do not vanish by the rules of the graph. The reference stays valid.
  const Row& row(Expr expr);

 private:
  Row calc_row(Expr expr);

  Graph& graph_;
  std::vector<std::uint32_t> row_of_;  // by id: 1 + place in rows_, 0 where unknown
  std::deque<Row> rows_;
};

// Row i contains the derivatives of expression i.
using SparseJacobian = std::vector<SparseDifferentiator::Row>;
SparseJacobian calc_jacobian(Graph& graph, std::span<const Expr> exprs, std::span<const Expr> symbols);

// Returns d expr / d symbols[i] for all i, by the reverse sweep.
std::vector<Expr> calc_gradient(Graph& graph, Expr expr, std::span<const Expr> symbols);

}  // namespace sestina
