// The elimination of a node unknown by unknown, where pivots are small.
#include <algorithm>
#include <cmath>

#include "sestina/numerics/block_ldlt.h"

namespace sestina {
namespace {

// Relative to the scales. Smaller pivots of x are delayed, unless the direction is not coupled with anything.
constexpr double kSmallPrimalStep = 1e-5;
// Below this fraction of its scale a pivot of x is round-off: the direction has no inertia at all.
constexpr double kNoInertia = 1e-13;
// A smaller pivot of y belongs to a condition that others imply, now or after further eliminations.
constexpr double kSingularCondition = 1e-9;
// A direction and a condition coupled with it form one pivot if their coupling is not below this.
constexpr double kPairs = 1e-2, kLastPairs = 1e-8;
// Couplings below kUncoupled count as none; a condition that others imply leaves round-off below kIdle.
constexpr double kUncoupled = 1e-6, kIdle = 1e-9;

}  // namespace

void BlockLdlt::factor_by_steps(int place) {
  Node& node = nodes_[static_cast<std::size_t>(place)];
  node.first_step = steps_.size();
  gather_front(node, place);
  eliminate_front(node, node.parent < 0);
  scatter_front(node);
  delay_rest(node);
  for (const int unknown : front_unknowns_) slot_[static_cast<std::size_t>(unknown)] = -1;
  node.end_step = steps_.size();
}

// Candidates are the delayed unknowns and the node's own.
void BlockLdlt::gather_front(const Node& node, int place) {
  front_unknowns_.clear();
  for (int d = first_delayed_[static_cast<std::size_t>(place)]; d >= 0;
       d = delayed_[static_cast<std::size_t>(d)].next) {
    front_unknowns_.push_back(delayed_[static_cast<std::size_t>(d)].unknown);
  }
  const int delayed = static_cast<int>(front_unknowns_.size());
  for (int i = 0; i < node.size; ++i) front_unknowns_.push_back(node.start + i);
  candidates_ = static_cast<int>(front_unknowns_.size());
  for (int a = 0; a < node.neighbours; ++a) {
    const Neighbour& neighbour = neighbours_[node.first + static_cast<std::size_t>(a)];
    for (int i = 0; i < neighbour.size; ++i) front_unknowns_.push_back(neighbour.start + i);
  }
  front_width_ = front_unknowns_.size();
  for (std::size_t i = 0; i < front_width_; ++i)
    slot_[static_cast<std::size_t>(front_unknowns_[i])] = static_cast<int>(i);
  const auto width = static_cast<std::size_t>(node.width);
  front_.assign(static_cast<std::size_t>(candidates_) * front_width_, 0.0);
  border_.assign(width * width, 0.0);
  is_done_.assign(static_cast<std::size_t>(candidates_), false);
  const double* const D = values_.data() + node.D;
  const double* const K = values_.data() + node.K;
  for (int i = 0; i < node.size; ++i) {
    for (int j = 0; j < node.size; ++j) front(delayed + i, delayed + j) = D[i * node.size + j];
    for (int c = 0; c < node.width; ++c) front(delayed + i, candidates_ + c) = K[i * node.width + c];
  }
  int i = 0;
  for (int d = first_delayed_[static_cast<std::size_t>(place)]; d >= 0;
       d = delayed_[static_cast<std::size_t>(d)].next, ++i) {
    const Delayed& row = delayed_[static_cast<std::size_t>(d)];
    for (std::size_t e = row.first; e < row.first + row.count; ++e) {
      const int j = slot_[static_cast<std::size_t>(waiting_[e].unknown)];
      front(i, j) = waiting_[e].first;
      if (j < candidates_) front(j, i) = waiting_[e].first;
    }
  }
  first_delayed_[static_cast<std::size_t>(place)] = -1;
}

void BlockLdlt::eliminate_front(const Node&, bool is_last) {
  int first = -1, second = -1;
  while (find_pivot(is_last, first, second)) take_step(first, second);
}

// Whether the diagonal element of a candidate may be a pivot.
bool BlockLdlt::is_good_pivot(int i, bool is_last, double& quality) const {
  const int unknown = front_unknowns_[static_cast<std::size_t>(i)];
  if (!(std::abs(front(i, i)) > round_off(unknown))) return false;
  if (is_dual(unknown)) {
    quality = -front(i, i) / scale(unknown);
    return quality > kSingularCondition;
  }
  quality = front(i, i) / scale(unknown);
  if (quality > kSmallPrimalStep) return true;
  if (!(quality > kNoInertia)) return false;
  if (is_last) return true;
  for (std::size_t j = 0; j < front_width_; ++j) {
    const bool is_gone = j < is_done_.size() && is_done_[j];
    if (static_cast<int>(j) == i || is_gone) continue;
    const int other = front_unknowns_[j];
    const double coupling = std::abs(front(i, static_cast<int>(j)));
    const double whole =
        is_dual(other)
            ? 1.0 / (units_[static_cast<std::size_t>(unknown)] * units_[static_cast<std::size_t>(other)])
            : std::sqrt(scale(unknown) * scale(other));
    if (coupling > kUncoupled * whole) return false;
  }
  return true;
}

// Finds the best pivot of one unknown or, if there is none, of two.
bool BlockLdlt::find_pivot(bool is_last, int& first, int& second) const {
  first = second = -1;
  double best = 0.0;
  for (int i = 0; i < candidates_; ++i) {
    double quality = 0.0;
    if (is_done_[static_cast<std::size_t>(i)] || !is_good_pivot(i, is_last, quality) || quality <= best)
      continue;
    first = i, best = quality;
  }
  if (first >= 0) return true;
  best = is_last ? kLastPairs : kPairs;
  for (int i = 0; i < candidates_; ++i) {
    const auto x = static_cast<std::size_t>(front_unknowns_[static_cast<std::size_t>(i)]);
    if (is_done_[static_cast<std::size_t>(i)] || is_dual_[x]) continue;
    for (int j = 0; j < candidates_; ++j) {
      const auto y = static_cast<std::size_t>(front_unknowns_[static_cast<std::size_t>(j)]);
      if (is_done_[static_cast<std::size_t>(j)] || !is_dual_[y]) continue;
      const double coupling = std::abs(front(i, j)) * units_[x] * units_[y];
      if (coupling > best) first = i, second = j, best = coupling;
    }
  }
  return first >= 0;
}

void BlockLdlt::grow_scale(int unknown, double change) {
  if (is_dual(unknown) == (change < 0.0)) scales_[static_cast<std::size_t>(unknown)] += std::abs(change);
}

void BlockLdlt::take_step(int first, int second) {
  const bool is_pair = second >= 0;
  Step step;
  step.unknowns[0] = front_unknowns_[static_cast<std::size_t>(first)];
  if (is_pair) step.unknowns[1] = front_unknowns_[static_cast<std::size_t>(second)];
  if (is_pair) {
    const double a = front(first, first), b = front(first, second), c = front(second, second);
    const double inverse = 1.0 / (a * c - b * b);
    step.inverse[0] = c * inverse, step.inverse[1] = -b * inverse, step.inverse[2] = a * inverse;
  } else {
    step.inverse[0] = 1.0 / front(first, first);
  }
  is_done_[static_cast<std::size_t>(first)] = true;
  if (is_pair) is_done_[static_cast<std::size_t>(second)] = true;
  step.first = entries_.size();
  const int width = static_cast<int>(front_width_);
  for (int k = 0; k < width; ++k) {
    if (k < candidates_ && is_done_[static_cast<std::size_t>(k)]) continue;
    const double x = front(first, k), y = is_pair ? front(second, k) : 0.0;
    if (x == 0.0 && y == 0.0) continue;
    entries_.push_back({front_unknowns_[static_cast<std::size_t>(k)],
                        step.inverse[0] * x + step.inverse[1] * y,
                        step.inverse[1] * x + step.inverse[2] * y});
  }
  step.count = entries_.size() - step.first;
  const int border = width - candidates_;
  for (std::size_t e = step.first; e < entries_.size(); ++e) {
    const int k = slot_[static_cast<std::size_t>(entries_[e].unknown)];
    const double x = front(first, k), y = is_pair ? front(second, k) : 0.0;
    double* const row =
        k < candidates_
            ? front_.data() + static_cast<std::size_t>(k) * front_width_
            : border_.data() + static_cast<std::ptrdiff_t>(k - candidates_) * border - candidates_;
    // In the border, only the columns of the border are updated.
    for (std::size_t f = step.first; f < entries_.size(); ++f) {
      const int l = slot_[static_cast<std::size_t>(entries_[f].unknown)];
      if (k >= candidates_ && l < candidates_) continue;
      row[l] -= x * entries_[f].first + y * entries_[f].second;
    }
    grow_scale(entries_[e].unknown, -(x * entries_[e].first + y * entries_[e].second));
  }
  steps_.push_back(step);
}

// Applies (3) for all steps together.
void BlockLdlt::scatter_front(const Node& node) {
  const Target* target = targets_.data() + node.first_target;
  const Neighbour* const neighbours = neighbours_.data() + node.first;
  for (int a = 0; a < node.neighbours; ++a) {
    for (int b = a; b < node.neighbours; ++b, ++target) {
      for (int i = 0; i < neighbours[a].size; ++i) {
        double* const to = values_.data() + target->at + static_cast<std::ptrdiff_t>(i) * target->stride;
        const double* const from = border_.data() +
                                   static_cast<std::ptrdiff_t>(neighbours[a].column + i) * node.width +
                                   neighbours[b].column;
        for (int j = 0; j < neighbours[b].size; ++j) to[j] += from[j];
      }
    }
  }
}

// Whether a condition without a pivot affects the remaining equations.
bool BlockLdlt::has_effect(int i) const {
  const int unknown = front_unknowns_[static_cast<std::size_t>(i)];
  for (std::size_t j = 0; j < front_width_; ++j) {
    const bool is_gone = j < is_done_.size() && is_done_[j];
    if (static_cast<int>(j) == i || is_gone) continue;
    const int other = front_unknowns_[j];
    const double coupling = std::abs(front(i, static_cast<int>(j)));
    const double whole =
        is_dual(other)
            ? std::sqrt(scale(unknown) * scale(other))
            : 1.0 / (units_[static_cast<std::size_t>(unknown)] * units_[static_cast<std::size_t>(other)]);
    if (coupling > kIdle * whole) return true;
  }
  return false;
}

// Rows without a pivot are passed to the next node, or are redundant.
void BlockLdlt::delay_rest(const Node& node) {
  for (int i = 0; i < candidates_; ++i) {
    if (is_done_[static_cast<std::size_t>(i)]) continue;
    const int unknown = front_unknowns_[static_cast<std::size_t>(i)];
    if (!is_dual(unknown)) {
      if (node.parent < 0 && singular_ < 0) singular_ = unknown;
      continue;
    }
    if (node.parent >= 0 && has_effect(i)) continue;
    redundant_.push_back(unknown);
    redundant_at_.push_back(static_cast<int>(&node - nodes_.data()));
    is_done_[static_cast<std::size_t>(i)] = true;
  }
  if (node.parent < 0) return;
  int& list = first_delayed_[static_cast<std::size_t>(node.parent)];
  for (int i = 0; i < candidates_; ++i) {
    if (is_done_[static_cast<std::size_t>(i)]) continue;
    Delayed row{front_unknowns_[static_cast<std::size_t>(i)], waiting_.size(), 0, list};
    for (std::size_t j = 0; j < front_width_; ++j) {
      const bool is_gone = j < is_done_.size() && is_done_[j];
      const double value = front(i, static_cast<int>(j));
      if (!is_gone && value != 0.0) waiting_.push_back({front_unknowns_[j], value, 0.0});
    }
    row.count = waiting_.size() - row.first;
    list = static_cast<int>(delayed_.size());
    delayed_.push_back(row);
  }
}

}  // namespace sestina
