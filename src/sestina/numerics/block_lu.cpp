#include "sestina/numerics/block_lu.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "sestina/base/index.h"
#include "sestina/numerics/visit_size.h"

namespace sestina {
namespace {

// The smallest pivot allowed, relative to the sum of the magnitudes of its terms.
constexpr double kLeastPivot = 1e-11;

double product(double a, double b) { return a * b; }
// Complex product without the operator's special treatment of infinities.
std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

double magnitude(double a) { return std::abs(a); }
double magnitude(const std::complex<double>& a) { return std::abs(a.real()) + std::abs(a.imag()); }

// By unknown, ascending: the unknowns coupled with it in A + A^T, including itself if it belongs to x.
std::vector<std::vector<int>> find_couplings(const SparsePattern& E, const SparsePattern& C) {
  const int n = E.rows;
  std::vector<std::vector<int>> coupled(at(n + C.rows));
  const auto couple = [&](int i, int j) { coupled[at(i)].push_back(j), coupled[at(j)].push_back(i); };
  for (int i = 0; i < n; ++i) coupled[at(i)].push_back(i);
  E.for_each([&](int i, int j, int) { couple(i, j); });
  C.for_each([&](int i, int j, int) { couple(n + i, j); });
  for (std::vector<int>& others : coupled) sort_unique(others);
  return coupled;
}

}  // namespace

template <class Number>
BlockLu<Number>::BlockLu(const SparsePattern& E, const SparsePattern& C) : n_(E.rows), m_(C.rows) {
  find_nodes(E, C);
  find_places_of_numbers(E, C);
}

template <class Number>
void BlockLu<Number>::find_nodes(const SparsePattern& E, const SparsePattern& C) {
  const std::vector<std::vector<int>> coupled = find_couplings(E, C);
  BlockPattern pattern;
  for (int i = 0; i < n_ + m_; ++i) {
    const bool begins =
        i == 0 || i == n_ || pattern.sizes.back() == kMostSize || coupled[at(i)] != coupled[at(i - 1)];
    if (begins) pattern.sizes.push_back(0), pattern.is_dual.push_back(i >= n_);
    ++pattern.sizes.back();
    node_of_.push_back(static_cast<int>(pattern.sizes.size()) - 1);
  }
  for (int i = 0; i < n_; ++i) {
    for (const int j : coupled[at(i)]) {
      const int a = node_of_[at(i)], b = node_of_[at(j)];
      if (j >= n_) {
        pattern.links.push_back({b, a});
      } else if (a < b) {
        pattern.couplings.push_back({a, b});
      }
    }
  }
  sort_unique(pattern.links);
  sort_unique(pattern.couplings);
  lay_out(EliminationOrder(pattern), pattern);
  find_targets();
}

template <class Number>
void BlockLu<Number>::lay_out(const EliminationOrder& order, const BlockPattern& pattern) {
  int size = 0, most_width = 0;
  for (const int number : order.nodes) {
    Node& node = nodes_.emplace_back();
    node.size = pattern.sizes[at(number)], node.start = size;
    for (int k = 0; k < node.size; ++k) {
      place_of_.push_back(static_cast<int>(nodes_.size()) - 1);
      offset_.push_back(k);
    }
    size += node.size;
  }
  std::size_t memory = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.first = neighbours_.size(), node.neighbours = static_cast<int>(order.neighbours[i].size());
    for (const int other : order.neighbours[i]) {
      neighbours_.push_back({other, nodes_[at(other)].start, nodes_[at(other)].size, node.width});
      node.width += nodes_[at(other)].size;
    }
    most_width = std::max(most_width, node.width);
    node.D = memory, memory += at(node.size * node.size);
    node.U = memory, memory += at(node.size) * at(node.width);
    node.L = memory, memory += at(node.size) * at(node.width);
  }
  values_.resize(memory);
  scales_.resize(at(size));
  x_.resize(at(size));
  work_.resize(at(most_width) * at(kMostSize));
  std::vector<int> seen(pattern.sizes.size(), 0);
  for (const int node : node_of_) {
    position_.push_back(nodes_[at(order.place[at(node)])].start + seen[at(node)]++);
  }
}

// The column of a later node in U of an earlier one.
template <class Number>
std::size_t BlockLu<Number>::find_block(const Node& earlier, int later_place) const {
  const auto of_node = neighbours_.begin() + static_cast<std::ptrdiff_t>(earlier.first);
  const auto found = std::lower_bound(of_node, of_node + earlier.neighbours, later_place,
                                      [](const Neighbour& n, int place) { return n.place < place; });
  return at(found->column);
}

template <class Number>
void BlockLu<Number>::find_targets() {
  for (Node& node : nodes_) {
    node.first_target = targets_.size();
    const Neighbour* const neighbours = neighbours_.data() + node.first;
    for (int a = 0; a < node.neighbours; ++a) {
      const Node& row = nodes_[at(neighbours[a].place)];
      for (int b = 0; b < node.neighbours; ++b) {
        const Node& column = nodes_[at(neighbours[b].place)];
        if (a == b) {
          targets_.push_back({row.D, row.size});
        } else if (a < b) {
          targets_.push_back({row.U + find_block(row, neighbours[b].place), row.width});
        } else {
          targets_.push_back(
              {column.L + find_block(column, neighbours[a].place) * at(column.size), column.size});
        }
      }
    }
  }
}

template <class Number>
int BlockLu<Number>::find_place_of_number(int row, int column) const {
  const int i = position_[at(row)], j = position_[at(column)];
  const Node &of_row = nodes_[at(place_of_[at(i)])], &of_column = nodes_[at(place_of_[at(j)])];
  const std::size_t r = at(offset_[at(i)]), c = at(offset_[at(j)]);
  if (place_of_[at(i)] == place_of_[at(j)]) return static_cast<int>(of_row.D + r * at(of_row.size) + c);
  if (place_of_[at(i)] < place_of_[at(j)]) {
    const std::size_t first = find_block(of_row, place_of_[at(j)]);
    return static_cast<int>(of_row.U + r * at(of_row.width) + first + c);
  }
  const std::size_t first = find_block(of_column, place_of_[at(i)]);
  return static_cast<int>(of_column.L + (first + r) * at(of_column.size) + c);
}

template <class Number>
void BlockLu<Number>::find_places_of_numbers(const SparsePattern& E, const SparsePattern& C) {
  E.for_each([&](int i, int j, int) { of_E_.push_back(find_place_of_number(i, j)); });
  C.for_each([&](int i, int j, int) {
    of_B_.push_back(find_place_of_number(n_ + i, j));
    of_C_.push_back(find_place_of_number(j, n_ + i));
    row_of_C_.push_back(i);
  });
  for (int i = 0; i < m_; ++i) of_diagonal_.push_back(find_place_of_number(n_ + i, n_ + i));
}

// ---- factors ----------------------------------------------------------------------------------------------

template <class Number>
bool BlockLu<Number>::factor(std::span<const Number> E, std::span<const Number> B, std::span<const double> C,
                             std::span<const char> is_active) {
  std::ranges::fill(values_, Number(0));
  for (std::size_t p = 0; p < E.size(); ++p) values_[at(of_E_[p])] = E[p];
  for (std::size_t p = 0; p < C.size(); ++p) {
    if (!is_active[at(row_of_C_[p])]) continue;
    values_[at(of_B_[p])] = B[p];
    values_[at(of_C_[p])] = Number(-C[p]);
  }
  for (std::size_t i = 0; i < is_active.size(); ++i) {
    if (!is_active[i]) values_[at(of_diagonal_[i])] = Number(1);
  }
  for (const Node& node : nodes_) {
    for (int k = 0; k < node.size; ++k) {
      scales_[at(node.start + k)] = magnitude(values_[node.D + at(k * (node.size + 1))]);
    }
  }
  return std::ranges::all_of(nodes_, [&](const Node& node) {
    return visit_size(node.size, [&]<int N>() { return factor_node_of<N>(node); });
  });
}

template <class Number>
template <int N>
bool BlockLu<Number>::factor_node_of(const Node& node) {
  if (!invert<N>(node)) return false;
  const Number* const inverse = values_.data() + node.D;
  Number* const U = values_.data() + node.U;
  const std::ptrdiff_t width = node.width;
  Number* const W = work_.data();
  for (int p = 0; p < N; ++p) {
    Number* const row = W + p * width;
    for (std::ptrdiff_t c = 0; c < width; ++c) row[c] = product(inverse[p * N], U[c]);
    for (int q = 1; q < N; ++q) {
      const Number part = inverse[p * N + q];
      const Number* const of_q = U + q * width;
      for (std::ptrdiff_t c = 0; c < width; ++c) row[c] += product(part, of_q[c]);
    }
  }
  std::copy_n(W, N * width, U);
  update_targets<N>(node);
  return true;
}

// Inverts in place by Gauss-Jordan elimination.
template <class Number>
template <int N>
bool BlockLu<Number>::invert(const Node& node) {
  Number* const D = values_.data() + node.D;
  const double* const scale = scales_.data() + node.start;
  Number a[N][N], inverse[N][N] = {};
  int row_of[N];
  for (int i = 0; i < N; ++i) {
    row_of[i] = i;
    for (int j = 0; j < N; ++j) a[i][j] = D[i * N + j];
    inverse[i][i] = Number(1);
  }
  for (int k = 0; k < N; ++k) {
    int best = k;
    double largest = -1.0;
    for (int i = k; i < N; ++i) {
      const double size = magnitude(a[i][k]) * (scale[row_of[i]] > 0.0 ? 1.0 / scale[row_of[i]] : 0.0);
      if (size > largest) best = i, largest = size;
    }
    if (!(magnitude(a[best][k]) > kLeastPivot * scale[k])) return false;
    if (best != k) {
      std::swap(row_of[best], row_of[k]);
      for (int j = 0; j < N; ++j) std::swap(a[best][j], a[k][j]), std::swap(inverse[best][j], inverse[k][j]);
    }
    const Number r = Number(1) / a[k][k];
    for (int j = 0; j < N; ++j) a[k][j] = product(a[k][j], r), inverse[k][j] = product(inverse[k][j], r);
    for (int i = 0; i < N; ++i) {
      if (i == k) continue;
      const Number part = a[i][k];
      for (int j = 0; j < N; ++j) {
        a[i][j] -= product(part, a[k][j]);
        inverse[i][j] -= product(part, inverse[k][j]);
      }
    }
  }
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) D[i * N + j] = inverse[i][j];
  }
  return true;
}

// A_jk - A_jv W_k of (2), row by row of A_jv.
template <class Number>
template <int N>
void BlockLu<Number>::update_targets(const Node& node) {
  const Number* const W = values_.data() + node.U;
  const Number* L = values_.data() + node.L;
  const std::ptrdiff_t width = node.width;
  const Neighbour* const neighbours = neighbours_.data() + node.first;
  Number* const row = work_.data();
  for (int a = 0; a < node.neighbours; ++a) {
    const Target* const targets = targets_.data() + node.first_target + at(a * node.neighbours);
    for (int i = 0; i < neighbours[a].size; ++i, L += N) {
      for (std::ptrdiff_t c = 0; c < width; ++c) row[c] = product(L[0], W[c]);
      for (int p = 1; p < N; ++p) {
        const Number* const of_p = W + p * width;
        for (std::ptrdiff_t c = 0; c < width; ++c) row[c] += product(L[p], of_p[c]);
      }
      scales_[at(neighbours[a].start + i)] += magnitude(row[neighbours[a].column + i]);
      for (int b = 0; b < node.neighbours; ++b) {
        Number* const to =
            values_.data() + targets[b].at + static_cast<std::ptrdiff_t>(i) * targets[b].stride;
        const Number* const from = row + neighbours[b].column;
        for (int j = 0; j < neighbours[b].size; ++j) to[j] -= from[j];
      }
    }
  }
}

// ---- solutions --------------------------------------------------------------------------------------------

template <class Number>
template <int N>
void BlockLu<Number>::solve_forward(const Node& node) {
  const Number* const inverse = values_.data() + node.D;
  const Number* L = values_.data() + node.L;
  Number* const own = x_.data() + node.start;
  Number t[N];
  for (int p = 0; p < N; ++p) {
    t[p] = product(inverse[p * N], own[0]);
    for (int q = 1; q < N; ++q) t[p] += product(inverse[p * N + q], own[q]);
  }
  for (int p = 0; p < N; ++p) own[p] = t[p];
  const Neighbour* const neighbours = neighbours_.data() + node.first;
  for (int a = 0; a < node.neighbours; ++a) {
    Number* const other = x_.data() + neighbours[a].start;
    for (int i = 0; i < neighbours[a].size; ++i, L += N) {
      Number sum = product(L[0], t[0]);
      for (int p = 1; p < N; ++p) sum += product(L[p], t[p]);
      other[i] -= sum;
    }
  }
}

template <class Number>
template <int N>
void BlockLu<Number>::solve_backward(const Node& node) {
  const Number* const W = values_.data() + node.U;
  Number* const own = x_.data() + node.start;
  const Neighbour* const neighbours = neighbours_.data() + node.first;
  for (int a = 0; a < node.neighbours; ++a) {
    const Number* const other = x_.data() + neighbours[a].start;
    const Number* const of_a = W + neighbours[a].column;
    for (int j = 0; j < neighbours[a].size; ++j) {
      for (int p = 0; p < N; ++p) own[p] -= product(of_a[p * node.width + j], other[j]);
    }
  }
}

template <class Number>
void BlockLu<Number>::solve(std::span<Number> f, std::span<Number> d) {
  for (int i = 0; i < n_; ++i) x_[at(position_[at(i)])] = f[at(i)];
  for (int i = 0; i < m_; ++i) x_[at(position_[at(n_ + i)])] = d[at(i)];
  for (const Node& node : nodes_) visit_size(node.size, [&]<int N>() { solve_forward<N>(node); });
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    visit_size(nodes_[i].size, [&]<int N>() { solve_backward<N>(nodes_[i]); });
  }
  for (int i = 0; i < n_; ++i) f[at(i)] = x_[at(position_[at(i)])];
  for (int i = 0; i < m_; ++i) d[at(i)] = x_[at(position_[at(n_ + i)])];
}

template class BlockLu<double>;
template class BlockLu<std::complex<double>>;

}  // namespace sestina
