// Terms of a sum that is multiplied out, and whole multiples of angles, for fingerprints.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

// A term: a number times the other factors.
struct ExpandedTerm {
  Coefficient coefficient;
  std::vector<Expr> rest;
};

// Returns all terms of a sum, including those of inner sums; products of sums are multiplied out while there
// are not too many terms. Two forms of an expression that is linear in the same things have the same terms.
std::vector<ExpandedTerm> expanded_terms(const Graph& graph, Expr expr);

// Angles and exponents are counted in this fraction of 1, so that halves, thirds ... are whole numbers.
constexpr std::int64_t kParts = 5040;

// The number in these parts, if it is a whole number of them.
std::optional<std::int64_t> whole_parts(const Coefficient& c);

// Limit for the search for prime factors of whole numbers under roots.
constexpr std::int64_t kLargestFactor = 1000;

bool is_positive_number(const Graph& graph, Expr expr);

}  // namespace sestina
