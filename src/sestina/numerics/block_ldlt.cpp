#include "sestina/numerics/block_ldlt.h"

#include <algorithm>
#include <cmath>

#include "sestina/numerics/visit_size.h"

namespace sestina {
namespace {

// Blocks with a pivot below this fraction of its scale are eliminated unknown by unknown.
constexpr double kSmallPrimal = 1e-7, kSmallDual = 1e-7;

}  // namespace

BlockLdlt::BlockLdlt(const BlockPattern& pattern) : order_(pattern) {
  lay_out(pattern);
  find_targets();
}

void BlockLdlt::lay_out(const BlockPattern& pattern) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const std::size_t n = order_.nodes.size();
  nodes_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    Node& node = nodes_[i];
    const int number = order_.nodes[i];
    node.size = pattern.sizes[at(number)];
    node.start = size_;
    node.sign = pattern.is_dual[at(number)] ? -1.0 : 1.0;
    is_dual_.insert(is_dual_.end(), at(node.size), pattern.is_dual[at(number)]);
    place_of_.insert(place_of_.end(), at(node.size), static_cast<int>(i));
    size_ += node.size;
  }
  std::size_t memory = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Node& node = nodes_[i];
    node.first = neighbours_.size(), node.neighbours = static_cast<int>(order_.neighbours[i].size());
    for (const int other : order_.neighbours[i]) {
      neighbours_.push_back({other, nodes_[at(other)].start, nodes_[at(other)].size, node.width});
      node.width += nodes_[at(other)].size;
    }
    node.D = memory, memory += at(node.size * node.size);
    node.K = memory, memory += at(node.size) * at(node.width);
    if (node.neighbours == 0) continue;
    node.parent = order_.neighbours[i].front();
    Node& parent = nodes_[at(node.parent)];
    node.next_sibling = parent.first_child, parent.first_child = static_cast<int>(i);
  }
  values_.resize(memory);
  for (const auto& [dual, primal] : pattern.links) {
    const std::size_t d = place(dual), p = place(primal);
    const Node& first = nodes_[std::min(d, p)];
    const auto of_first = neighbours_.begin() + static_cast<std::ptrdiff_t>(first.first);
    const auto found = std::find_if(of_first, of_first + first.neighbours, [&](const Neighbour& neighbour) {
      return neighbour.place == static_cast<int>(std::max(d, p));
    });
    link_at_.push_back(first.K + at(found->column));
    links_.push_back({nullptr, d < p ? first.width : 1, d < p ? 1 : first.width});
  }
  scales_.resize(at(size_)), units_.assign(at(size_), 1.0), work_.resize(at(size_));
  slot_.assign(at(size_), -1);
  first_delayed_.assign(n, -1);
}

// Finds the blocks to which (3) adds, for each pair of neighbours.
void BlockLdlt::find_targets() {
  for (Node& node : nodes_) {
    node.first_target = targets_.size();
    const Neighbour* const neighbours = neighbours_.data() + node.first;
    for (int a = 0; a < node.neighbours; ++a) {
      const Node& row = nodes_[static_cast<std::size_t>(neighbours[a].place)];
      targets_.push_back({row.D, row.size});
      const Neighbour* candidate = neighbours_.data() + row.first;
      for (int b = a + 1; b < node.neighbours; ++b) {
        while (candidate->place != neighbours[b].place) ++candidate;
        targets_.push_back({row.K + static_cast<std::size_t>(candidate->column), row.width});
      }
    }
  }
}

void BlockLdlt::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
  std::fill(scales_.begin(), scales_.end(), 0.0);
}

BlockLdlt::Block BlockLdlt::diagonal(int node) {
  const Node& of = nodes_[place(node)];
  return {values_.data() + of.D, of.size, 1};
}

BlockLdlt::Block BlockLdlt::link(std::size_t link) {
  Block block = links_[link];
  block.data = values_.data() + link_at_[link];
  return block;
}

bool BlockLdlt::factor() {
  steps_.clear(), entries_.clear(), delayed_.clear(), waiting_.clear();
  redundant_.clear(), redundant_at_.clear();
  singular_ = -1;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.is_fast = first_delayed_[i] < 0 && factor_node(node);
    if (!node.is_fast) factor_by_steps(static_cast<int>(i));
  }
  has_idle_vectors_ = false;
  return singular_ < 0;
}

bool BlockLdlt::factor_node(Node& node) {
  if (node.size > kMostSize) return false;
  return visit_size(node.size, [&]<int N>() { return factor_node_of<N>(node); });
}

// (2): D = s G G^T; G^-1 replaces D. Returns false, with nothing changed, if a pivot is small.
template <int N>
bool BlockLdlt::factor_node_of(Node& node) {
  double* const D = values_.data() + node.D;
  const double* const scale = scales_.data() + node.start;
  const double small = node.sign > 0.0 ? kSmallPrimal : kSmallDual;
  double G[N][N], inverse[N][N] = {};
  for (int j = 0; j < N; ++j) {
    double pivot = node.sign * D[j * N + j];
    for (int k = 0; k < j; ++k) pivot -= G[j][k] * G[j][k];
    if (!(pivot > small * scale[j] && pivot > round_off(node.start + j))) return false;
    const double r = 1.0 / std::sqrt(pivot);
    inverse[j][j] = r;
    for (int i = j + 1; i < N; ++i) {
      double x = node.sign * D[i * N + j];
      for (int k = 0; k < j; ++k) x -= G[i][k] * G[j][k];
      G[i][j] = x * r;
    }
  }
  for (int i = 1; i < N; ++i) {
    double row[N] = {};
    for (int k = 0; k < i; ++k) {
      for (int j = 0; j <= k; ++j) row[j] += G[i][k] * inverse[k][j];
    }
    for (int j = 0; j < i; ++j) inverse[i][j] = -inverse[i][i] * row[j];
  }
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) D[i * N + j] = inverse[i][j];
  }
  switch (node.neighbours == 1 ? node.width : 0) {
    case 3:
      eliminate<N, 3>(node, D);
      break;
    case 5:
      eliminate<N, 5>(node, D);
      break;
    case 6:
      eliminate<N, 6>(node, D);
      break;
    default:
      eliminate<N, 0>(node, D);
  }
  return true;
}

// Y of (2) replaces K, then (3). W: the width, if there is one neighbour of this size.
template <int N, int W>
void BlockLdlt::eliminate(Node& node, const double* G_inverse) {
  const int width = W > 0 ? W : node.width;
  double* const Y = values_.data() + node.K;
  for (int p = N - 1; p >= 0; --p) {
    double* const row = Y + p * width;
    const double own = node.sign * G_inverse[p * N + p];
    for (int c = 0; c < width; ++c) row[c] *= own;
    for (int q = 0; q < p; ++q) {
      const double part = node.sign * G_inverse[p * N + q];
      const double* const other = Y + q * width;
      for (int c = 0; c < width; ++c) row[c] += part * other[c];
    }
  }
  if constexpr (W == 0) {
    update_targets<N>(node);
  } else {
    const Neighbour& neighbour = neighbours_[node.first];
    double* const D = values_.data() + targets_[node.first_target].at;
    double* const scale = scales_.data() + neighbour.start;
    const bool grows = is_dual(neighbour.start) == (node.sign > 0.0);
    for (int i = 0; i < W; ++i) {
      double sum[W] = {};
      for (int p = 0; p < N; ++p) {
        const double part = node.sign * Y[p * W + i];
        for (int j = 0; j < W; ++j) sum[j] += part * Y[p * W + j];
      }
      for (int j = 0; j < W; ++j) D[i * W + j] -= sum[j];
      if (grows) scale[i] += std::abs(sum[i]);
    }
  }
}

template <int N>
void BlockLdlt::update_targets(const Node& node) {
  const double* const Y = values_.data() + node.K;
  const Target* target = targets_.data() + node.first_target;
  const Neighbour* const neighbours = neighbours_.data() + node.first;
  for (int a = 0; a < node.neighbours; ++a) {
    const Neighbour& first = neighbours[a];
    const bool grows = is_dual(first.start) == (node.sign > 0.0);
    for (int b = a; b < node.neighbours; ++b, ++target) {
      const Neighbour& second = neighbours[b];
      for (int i = 0; i < first.size; ++i) {
        double* const row = values_.data() + target->at + static_cast<std::ptrdiff_t>(i) * target->stride;
        for (int p = 0; p < N; ++p) {
          const double* const of_p = Y + p * node.width;
          const double part = node.sign * of_p[first.column + i];
          if (a == b && grows)
            scales_[static_cast<std::size_t>(first.start + i)] += std::abs(part * of_p[first.column + i]);
          for (int j = 0; j < second.size; ++j) row[j] -= part * of_p[second.column + j];
        }
      }
    }
  }
}

template <int N>
void BlockLdlt::solve_forward(const Node& node, double* b) const {
  const double* const G_inverse = values_.data() + node.D;
  const double* const Y = values_.data() + node.K;
  double* const own = b + node.start;
  double t[N];
  for (int p = 0; p < N; ++p) {
    t[p] = G_inverse[p * N] * own[0];
    for (int q = 1; q <= p; ++q) t[p] += G_inverse[p * N + q] * own[q];
  }
  for (int p = 0; p < N; ++p) own[p] = t[p];
  const Neighbour* const neighbours = neighbours_.data() + node.first;
  for (int a = 0; a < node.neighbours; ++a) {
    double* const other = b + neighbours[a].start;
    const double* of_p = Y + neighbours[a].column;
    for (int p = 0; p < N; ++p, of_p += node.width) {
      for (int c = 0; c < neighbours[a].size; ++c) other[c] -= of_p[c] * t[p];
    }
  }
}

template <int N>
void BlockLdlt::solve_backward(const Node& node, double* b) const {
  const double* const G_inverse = values_.data() + node.D;
  const double* const Y = values_.data() + node.K;
  double* const own = b + node.start;
  double t[N];
  for (int p = 0; p < N; ++p) t[p] = node.sign * own[p];
  const Neighbour* const neighbours = neighbours_.data() + node.first;
  for (int a = 0; a < node.neighbours; ++a) {
    const double* const other = b + neighbours[a].start;
    const double* of_p = Y + neighbours[a].column;
    for (int p = 0; p < N; ++p, of_p += node.width) {
      for (int c = 0; c < neighbours[a].size; ++c) t[p] -= of_p[c] * other[c];
    }
  }
  double x[N] = {};
  for (int p = 0; p < N; ++p) {
    for (int q = 0; q <= p; ++q) x[q] += G_inverse[p * N + q] * t[p];
  }
  for (int p = 0; p < N; ++p) own[p] = x[p];
}

void BlockLdlt::run_forward(const Node& node, double* b) const {
  if (node.is_fast) return visit_size(node.size, [&]<int N>() { solve_forward<N>(node, b); });
  for (std::size_t s = node.first_step; s < node.end_step; ++s) {
    const Step& step = steps_[s];
    const double first = b[step.unknowns[0]], second = step.unknowns[1] < 0 ? 0.0 : b[step.unknowns[1]];
    for (std::size_t e = step.first; e < step.first + step.count; ++e) {
      b[entries_[e].unknown] -= entries_[e].first * first + entries_[e].second * second;
    }
  }
}

void BlockLdlt::run_backward(const Node& node, double* b) const {
  if (node.is_fast) return visit_size(node.size, [&]<int N>() { solve_backward<N>(node, b); });
  for (std::size_t s = node.end_step; s-- > node.first_step;) {
    const Step& step = steps_[s];
    const bool is_pair = step.unknowns[1] >= 0;
    const double first = b[step.unknowns[0]], second = is_pair ? b[step.unknowns[1]] : 0.0;
    double x = step.inverse[0] * first + step.inverse[1] * second;
    double y = step.inverse[1] * first + step.inverse[2] * second;
    for (std::size_t e = step.first; e < step.first + step.count; ++e) {
      x -= entries_[e].first * b[entries_[e].unknown];
      y -= entries_[e].second * b[entries_[e].unknown];
    }
    b[step.unknowns[0]] = x;
    if (is_pair) b[step.unknowns[1]] = y;
  }
}

void BlockLdlt::solve(std::span<double> b) {
  for (const Node& node : nodes_) run_forward(node, b.data());
  for (const int unknown : redundant_) b[static_cast<std::size_t>(unknown)] = 0.0;
  for (std::size_t i = nodes_.size(); i-- > 0;) run_backward(nodes_[i], b.data());
}

}  // namespace sestina
