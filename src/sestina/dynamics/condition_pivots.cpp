#include "sestina/dynamics/condition_pivots.h"

namespace sestina {
namespace {

// K += W S^T.
[[gnu::always_inline]] inline void add_to_K(const SpatialForce<double>& W, const double* S,
                                            const OpenRows::Lines& lines) {
  const double of_W[6] = {W.torque.x, W.torque.y, W.torque.z, W.force.x, W.force.y, W.force.z};
  for (std::size_t i = 0; i < lines.padded; i += OpenRows::kBlock) {
    const OpenRows::Block part = OpenRows::load(S + i).block;
    for (std::size_t x = 0; x < 6; ++x) lines.store(lines.load(x, i).block + of_W[x] * part, x, i);
  }
}

}  // namespace

double* ConditionPivots::reserve(std::size_t count) {
  if (used_values_ + count > values_.size()) {
    values_.resize(std::max(2 * values_.size(), used_values_ + count));
  }
  double* const values = values_.data() + used_values_;
  used_values_ += count;
  return values;
}

std::size_t ConditionPivots::list(OpenRows& open) {
  if (open.listed != OpenRows::kNone) return open.listed;
  const std::span<const int> rows = open.rows();
  const std::size_t first = used_rows_;
  if (first + rows.size() > rows_.size()) rows_.resize(std::max(2 * rows_.size(), first + rows.size()));
  std::copy(rows.begin(), rows.end(), rows_.begin() + static_cast<std::ptrdiff_t>(first));
  used_rows_ += rows.size();
  return open.listed = first;
}

const ConditionPivots::Elimination& ConditionPivots::eliminate(OpenRows& open, std::size_t i, bool moves) {
  Elimination elimination;
  elimination.row = open.row(i);
  elimination.K = open.K_of(i);
  elimination.S_inverse = 1.0 / open.S(i)[i];
  const OpenRows::Lines lines = open.lines();
  double* const S_r = reserve(lines.padded);
  std::copy_n(lines.S(i), lines.padded, S_r);
  add_to_S(-elimination.S_inverse, open.size(), lines, S_r);
  if (moves) add_to_K(-elimination.S_inverse * elimination.K, S_r, lines);
  open.remove(i);
  // The last row has taken the place of the eliminated one.
  S_r[i] = S_r[open.size()];
  elimination.S = {static_cast<std::size_t>(S_r - values_.data()), list(open), open.size()};
  eliminations_.push_back(elimination);
  return eliminations_.back();
}

bool ConditionPivots::couples_with(OpenRows& open, std::size_t i, int first, int end) {
  const double* const S = open.S(i);
  const double* const scale = open.scale();
  for (std::size_t c = 0; c < open.size(); ++c) {
    if (open.row(c) < first || open.row(c) >= end) continue;
    if (S[c] * S[c] > kIdleForce * kIdleForce * scale[i] * scale[c]) return true;
  }
  return false;
}

}  // namespace sestina
