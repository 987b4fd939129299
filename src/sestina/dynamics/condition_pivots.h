// Elimination of the complete conditions of constrained_recursion.h, (5) and (6), in the order of falling
// pivots: of a body of the recursion, or of an assembly of pieces (constrained_assembly.h).
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sestina/dynamics/open_rows.h"

namespace sestina {

// Numbers of `count` conditions.
struct Couplings {
  std::size_t values = 0;  // the first number
  std::size_t rows = 0;    // the first condition
  std::size_t count = 0;
};

class ConditionPivots {
 public:
  // A pivot of (5) counts as zero below this fraction of the scale of its row.
  static constexpr double kSmallPivot = 1e-9, kRoundOffPivot = 1e-20;
  // A condition implied by others leaves only round-off in K: this limit is relative to the largest K so far.
  static constexpr double kIdleForce = 1e-9;

  // A condition that was eliminated.
  struct Elimination {
    int row = 0;
    SpatialForce<double> K;
    double S_inverse = 0.0;
    Couplings S;  // S_ro for the other open conditions
  };

  void clear() { used_values_ = used_rows_ = 0, eliminations_.clear(); }
  // Reserves memory for `count` numbers in whole blocks.
  double* reserve(std::size_t count);
  // Returns where the rows are listed. Successive bodies with the same rows share one list.
  std::size_t list(OpenRows& open);
  std::size_t used_values() const { return used_values_; }

  // Returns the position of the complete condition with the largest pivot, or the number of open ones if none
  // is larger than `smallest` of its scale.
  template <class IsComplete>
  static std::size_t find_pivot(OpenRows& open, const IsComplete& is_complete, double smallest) {
    std::size_t best = open.size();
    double largest = smallest;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (!is_complete(open.row(i))) continue;
      const double relative = open.S(i)[i] / open.scale()[i];
      if (relative > largest) best = i, largest = relative;
    }
    return best;
  }
  // (6) for the i-th open condition, which is then no longer open; its part of I' is left to the caller.
  // `moves`: false for the ground, on which forces do nothing.
  const Elimination& eliminate(OpenRows& open, std::size_t i, bool moves);
  // True if the i-th open condition couples with those whose numbers are in [first, end).
  static bool couples_with(OpenRows& open, std::size_t i, int first, int end);

  const std::vector<Elimination>& eliminations() const { return eliminations_; }

  double sum_of(const Couplings& couplings, std::span<const double> lambda) const {
    const double* const values = values_.data() + couplings.values;
    const int* const rows = rows_.data() + couplings.rows;
    double sum = 0.0;
    for (std::size_t c = 0; c < couplings.count; ++c) {
      sum += values[c] * lambda[static_cast<std::size_t>(rows[c])];
    }
    return sum;
  }
  // d += factor times the numbers.
  void spread(const Couplings& couplings, double factor, std::span<double> d) const {
    const double* const values = values_.data() + couplings.values;
    const int* const rows = rows_.data() + couplings.rows;
    for (std::size_t c = 0; c < couplings.count; ++c) {
      d[static_cast<std::size_t>(rows[c])] += factor * values[c];
    }
  }
  double value(const Couplings& couplings, std::size_t c) const { return values_[couplings.values + c]; }
  int row(const Couplings& couplings, std::size_t c) const { return rows_[couplings.rows + c]; }

 private:
  std::vector<double> values_;
  std::vector<int> rows_;
  std::size_t used_values_ = 0, used_rows_ = 0;
  std::vector<Elimination> eliminations_;  // in the order of elimination
};

// S += factor k k^T.
[[gnu::always_inline]] inline void add_to_S(double factor, std::size_t size, const OpenRows::Lines& lines,
                                            const double* k) {
  for (std::size_t i = 0; i < lines.padded; i += OpenRows::kBlock) {
    const OpenRows::Block part = factor * OpenRows::load(k + i).block;
    for (std::size_t r = 0; r < size; ++r) {
      double* const S = lines.S(r) + i;
      OpenRows::store(OpenRows::load(S).block + k[r] * part, S);
    }
  }
}

}  // namespace sestina
