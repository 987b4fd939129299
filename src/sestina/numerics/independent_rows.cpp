#include "sestina/numerics/independent_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sestina/base/index.h"

namespace sestina {
namespace {

// A row is implied if the square of its remainder falls below this fraction of the square of its length.
constexpr double kImplied = 1e-9;
// A row is round-off of zero if the square of its length is below this fraction of that of the longest row.
constexpr double kZero = 1e-26;

// Replaces the squares of the rows' lengths by the factors that scale the rows to length one; zero for rows
// that are zero.
void find_scales(std::span<double> squares) {
  const double longest = squares.empty() ? 0.0 : *std::ranges::max_element(squares);
  for (double& square : squares) square = square > kZero * longest ? 1.0 / std::sqrt(square) : 0.0;
}

}  // namespace

void IndependentRows::resize(const SparsePattern& C) {
  C_ = C;
  left_.assign(at(C.rows), 0.0);
  if (C.is_full()) {
    rows_.assign(at(C.rows) * at(C.columns()), 0.0);
  } else {
    find_pattern_of_G();
  }
}

void IndependentRows::find(std::span<const double> C, std::span<const double> weights,
                           std::span<char> is_active) {
  if (C_.is_full()) {
    find_dense(C, weights, is_active);
  } else {
    find_sparse(C, weights, is_active);
  }
}

// ---- sparse -----------------------------------------------------------------------------------------------

void IndependentRows::find_pattern_of_G() {
  const int m = C_.rows;
  std::vector<std::set<int>> columns(at(m));  // rows up to the diagonal
  const auto for_each_pair = [&](auto&& f) {
    for (int j = 0; j < C_.columns(); ++j) {
      for (int p = C_.starts[at(j)]; p < C_.starts[at(j) + 1]; ++p) {
        for (int r = C_.starts[at(j)]; r <= p; ++r) f(C_.row_of[at(r)], C_.row_of[at(p)]);
      }
    }
  };
  for_each_pair([&](int k, int i) { columns[at(i)].insert(k); });
  G_ = {.rows = m};
  for (const std::set<int>& column : columns) {
    G_.row_of.insert(G_.row_of.end(), column.begin(), column.end());
    G_.starts.push_back(static_cast<int>(G_.row_of.size()));
  }
  product_.clear();
  for_each_pair([&](int k, int i) {
    const auto begin = G_.row_of.begin() + G_.starts[at(i)], end = G_.row_of.begin() + G_.starts[at(i) + 1];
    product_.push_back(static_cast<int>(std::lower_bound(begin, end, k) - G_.row_of.begin()));
  });
  // The elimination tree, and how many numbers each column of L has.
  parent_.assign(at(m), -1), flag_.assign(at(m), -1), filled_.assign(at(m), 0), path_.assign(at(m), 0);
  for (int k = 0; k < m; ++k) {
    flag_[at(k)] = k;
    for (int p = G_.starts[at(k)]; p < G_.starts[at(k) + 1]; ++p) {
      for (int i = G_.row_of[at(p)]; flag_[at(i)] != k; i = parent_[at(i)]) {
        if (parent_[at(i)] == -1) parent_[at(i)] = k;
        ++filled_[at(i)];
        flag_[at(i)] = k;
      }
    }
  }
  L_ = {.rows = m};
  for (int k = 0; k < m; ++k) L_.starts.push_back(L_.starts.back() + filled_[at(k)]);
  L_.row_of.assign(at(L_.starts.back()), 0);
  L_values_.assign(L_.row_of.size(), 0.0);
  G_values_.assign(G_.size(), 0.0);
  for (auto* v : {&y_, &inverse_, &scale_}) v->assign(at(m), 0.0);
}

void IndependentRows::update_G(std::span<const double> C, std::span<const double> weights) {
  std::ranges::fill(scale_, 0.0);
  C_.for_each([&](int i, int j, int p) { scale_[at(i)] += C[at(p)] * C[at(p)] / weights[at(j)]; });
  find_scales(scale_);
  std::ranges::fill(G_values_, 0.0);
  std::size_t next = 0;
  for (int j = 0; j < C_.columns(); ++j) {
    for (int p = C_.starts[at(j)]; p < C_.starts[at(j) + 1]; ++p) {
      const double c = C[at(p)] * scale_[at(C_.row_of[at(p)])] / weights[at(j)];
      for (int r = C_.starts[at(j)]; r <= p; ++r) {
        G_values_[at(product_[next++])] += c * C[at(r)] * scale_[at(C_.row_of[at(r)])];
      }
    }
  }
}

void IndependentRows::find_sparse(std::span<const double> C, std::span<const double> weights,
                                  std::span<char> is_active) {
  update_G(C, weights);
  const int m = C_.rows;
  std::ranges::fill(filled_, 0);
  std::ranges::fill(flag_, -1);
  for (int k = 0; k < m; ++k) {
    int top = m;
    flag_[at(k)] = k;
    y_[at(k)] = 0.0;
    for (int p = G_.starts[at(k)]; p < G_.starts[at(k) + 1]; ++p) {
      int i = G_.row_of[at(p)], length = 0;
      y_[at(i)] += G_values_[at(p)];
      for (; flag_[at(i)] != k; i = parent_[at(i)]) path_[at(length++)] = i, flag_[at(i)] = k;
      while (length > 0) path_[at(--top)] = path_[at(--length)];
    }
    double left = y_[at(k)];
    y_[at(k)] = 0.0;
    for (; top < m; ++top) {
      const int i = path_[at(top)];
      const double y = y_[at(i)], factor = y * inverse_[at(i)];
      y_[at(i)] = 0.0;
      const int begin = L_.starts[at(i)], end = begin + filled_[at(i)];
      for (int p = begin; p < end; ++p) y_[at(L_.row_of[at(p)])] -= L_values_[at(p)] * y;
      left -= factor * y;
      L_.row_of[at(end)] = k;
      L_values_[at(end)] = factor;
      ++filled_[at(i)];
    }
    left_[at(k)] = left;
    is_active[at(k)] = left > kImplied ? 1 : 0;
    inverse_[at(k)] = is_active[at(k)] ? 1.0 / left : 0.0;
  }
}

// ---- dense ------------------------------------------------------------------------------------------------

// Orthogonalises by Gram-Schmidt, the row with the longest remainder first.
void IndependentRows::find_dense(std::span<const double> C, std::span<const double> weights,
                                 std::span<char> is_active) {
  const std::size_t n = weights.size(), m = is_active.size();
  std::ranges::fill(rows_, 0.0);
  C_.for_each([&](int i, int j, int p) { rows_[at(i) * n + at(j)] = C[at(p)] / std::sqrt(weights[at(j)]); });
  std::ranges::fill(is_active, 0);
  std::ranges::fill(left_, 0.0);
  for (std::size_t k = 0; k < m * n; ++k) left_[k / n] += rows_[k] * rows_[k];
  find_scales(left_);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) rows_[i * n + j] *= left_[i];
    left_[i] = left_[i] > 0.0 ? 1.0 : 0.0;
  }
  for (;;) {
    std::size_t best = m;
    for (std::size_t i = 0; i < m; ++i) {
      if (!is_active[i] && left_[i] > kImplied && (best == m || left_[i] > left_[best])) best = i;
    }
    if (best == m) return;
    is_active[best] = 1;
    const double* along = rows_.data() + best * n;
    for (std::size_t i = 0; i < m; ++i) {
      if (is_active[i] || left_[i] <= kImplied) continue;
      double* row = rows_.data() + i * n;
      double part = 0.0, square = 0.0;
      for (std::size_t j = 0; j < n; ++j) part += row[j] * along[j];
      part /= left_[best];
      for (std::size_t j = 0; j < n; ++j) row[j] -= part * along[j], square += row[j] * row[j];
      left_[i] = square;
    }
  }
}

}  // namespace sestina
