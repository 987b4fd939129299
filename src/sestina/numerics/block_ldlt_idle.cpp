// The part of y that has no effect, if conditions are redundant.
//
// For each redundant condition r there is one y with C^T y = 0 and y_r = 1 that vanishes at all other
// redundant ones: n_r. Loops that share a joint share rows of these vectors. With N = [n_1 n_2 ...],
//   y' = y - N (N^T N)^-1 N^T y                                                                      (1)
// The Gram matrix N^T N is factored within its envelope.
#include <algorithm>
#include <cmath>

#include "sestina/numerics/block_ldlt.h"

namespace sestina {
namespace {

constexpr double kRoundOff = 1e-12;

}  // namespace

void BlockLdlt::find_idle_vectors() {
  has_idle_vectors_ = true;
  idle_.clear(), idle_entries_.clear();
  for (std::size_t i = 0; i < redundant_.size(); ++i) find_idle_vector(redundant_[i], redundant_at_[i]);
  factor_gram();
}

// Substitutes from the node where the condition was found redundant to earlier ones, as long as nonzero
// values remain.
void BlockLdlt::find_idle_vector(int unknown, int place) {
  IdleVector idle{idle_entries_.size(), 0};
  work_[static_cast<std::size_t>(unknown)] = 1.0;
  idle_entries_.push_back({unknown, 1.0, 0.0});
  stack_.assign(1, place);
  while (!stack_.empty()) {
    const Node& node = nodes_[static_cast<std::size_t>(stack_.back())];
    stack_.pop_back();
    run_backward(node, work_.data());
    bool is_left = false;
    const auto see = [&](int found) {
      double& value = work_[static_cast<std::size_t>(found)];
      if (!is_dual(found) || std::abs(value) < kRoundOff) value = 0.0;  // of x: zero but for round-off
      if (value == 0.0) return;
      is_left = true;
      if (found != unknown) idle_entries_.push_back({found, value, 0.0});
    };
    if (node.is_fast) {
      for (int i = 0; i < node.size; ++i) see(node.start + i);
    }
    for (std::size_t s = node.first_step; !node.is_fast && s < node.end_step; ++s) {
      for (const int found : steps_[s].unknowns) {
        if (found >= 0) see(found);
      }
    }
    for (int a = 0; a < node.neighbours && !is_left; ++a) {
      const Neighbour& neighbour = neighbours_[node.first + static_cast<std::size_t>(a)];
      for (int i = 0; i < neighbour.size; ++i)
        is_left = is_left || work_[static_cast<std::size_t>(neighbour.start + i)] != 0.0;
    }
    for (int i = 0; i < node.size && !is_left; ++i)
      is_left = work_[static_cast<std::size_t>(node.start + i)] != 0.0;
    if (!is_left) continue;
    for (int child = node.first_child; child >= 0;
         child = nodes_[static_cast<std::size_t>(child)].next_sibling)
      stack_.push_back(child);
  }
  idle.count = idle_entries_.size() - idle.first;
  for (std::size_t e = idle.first; e < idle_entries_.size(); ++e)
    work_[static_cast<std::size_t>(idle_entries_[e].unknown)] = 0.0;
  idle_.push_back(idle);
}

// N^T N = L L^T, row by row.
void BlockLdlt::factor_gram() {
  const std::size_t n = idle_.size();
  gram_.clear(), gram_first_.assign(n, 0), gram_at_.assign(n, 0), parts_.assign(n, 0.0);
  if (n == 0) return;
  // slot_: by unknown, one more than the first idle vector in which it occurs.
  const auto for_each = [&](std::size_t i, auto&& f) {
    for (std::size_t e = idle_[i].first; e < idle_[i].first + idle_[i].count; ++e) f(idle_entries_[e]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t first = i;
    for_each(i, [&](const Entry& entry) {
      int& slot = slot_[static_cast<std::size_t>(entry.unknown)];
      if (slot < 0) slot = static_cast<int>(i);
      first = std::min(first, static_cast<std::size_t>(slot));
      work_[static_cast<std::size_t>(entry.unknown)] = entry.first;
    });
    gram_first_[i] = first, gram_at_[i] = gram_.size();
    for (std::size_t j = first; j <= i; ++j) {
      double sum = 0.0;
      for_each(j, [&](const Entry& entry) {
        sum += entry.first * work_[static_cast<std::size_t>(entry.unknown)];
      });
      const std::size_t common = std::max(first, gram_first_[j]);
      for (std::size_t k = common; k < j; ++k) {
        sum -= gram_[gram_at_[i] + k - first] * gram_[gram_at_[j] + k - gram_first_[j]];
      }
      gram_.push_back(j < i ? sum / gram_[gram_at_[j] + j - gram_first_[j]] : std::sqrt(sum));
    }
    for_each(i, [&](const Entry& entry) { work_[static_cast<std::size_t>(entry.unknown)] = 0.0; });
  }
  for (const Entry& entry : idle_entries_) slot_[static_cast<std::size_t>(entry.unknown)] = -1;
}

// (1)
void BlockLdlt::remove_idle_part(std::span<double> solution) {
  if (!has_idle_vectors_) find_idle_vectors();
  const std::size_t n = idle_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t e = idle_[i].first; e < idle_[i].first + idle_[i].count; ++e) {
      sum += idle_entries_[e].first * solution[static_cast<std::size_t>(idle_entries_[e].unknown)];
    }
    const double* const row = gram_.data() + gram_at_[i] - gram_first_[i];
    for (std::size_t k = gram_first_[i]; k < i; ++k) sum -= row[k] * parts_[k];
    parts_[i] = sum / row[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    const double* const row = gram_.data() + gram_at_[i] - gram_first_[i];
    parts_[i] /= row[i];
    for (std::size_t k = gram_first_[i]; k < i; ++k) parts_[k] -= row[k] * parts_[i];
    for (std::size_t e = idle_[i].first; e < idle_[i].first + idle_[i].count; ++e) {
      solution[static_cast<std::size_t>(idle_entries_[e].unknown)] -= idle_entries_[e].first * parts_[i];
    }
  }
}

}  // namespace sestina
