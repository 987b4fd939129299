// The positions of the numbers of a sparse matrix that may differ from zero, column by column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sestina {

struct SparsePattern {
  int rows = 0;
  std::vector<int> starts = {0};  // (columns + 1) where each column begins in row_of
  std::vector<int> row_of = {};   // ascending in each column

  int columns() const { return static_cast<int>(starts.size()) - 1; }
  std::size_t size() const { return row_of.size(); }  // of the numbers that may differ from zero
  bool is_full() const {
    return size() == static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns());
  }
  // Returns the position among the numbers, or that of the next one in the column if there is none.
  std::size_t place(int row, int column) const {
    const auto c = static_cast<std::size_t>(column);
    const auto found = std::lower_bound(row_of.begin() + starts[c], row_of.begin() + starts[c + 1], row);
    return static_cast<std::size_t>(found - row_of.begin());
  }
  // Calls f(row, column, position among the numbers) for each number.
  template <class F>
  void for_each(F&& f) const {
    for (int j = 0; j < columns(); ++j) {
      const auto c = static_cast<std::size_t>(j);
      for (int p = starts[c]; p < starts[c + 1]; ++p) f(row_of[static_cast<std::size_t>(p)], j, p);
    }
  }

  friend bool operator==(const SparsePattern&, const SparsePattern&) = default;
};

template <class T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Builds a pattern from the rows of each column, in any order and with repetitions.
inline SparsePattern make_pattern(int rows, std::vector<std::vector<int>>& columns) {
  SparsePattern pattern{.rows = rows};
  for (std::vector<int>& column : columns) {
    sort_unique(column);
    pattern.row_of.insert(pattern.row_of.end(), column.begin(), column.end());
    pattern.starts.push_back(static_cast<int>(pattern.row_of.size()));
  }
  return pattern;
}

inline SparsePattern make_full_pattern(int rows, int columns) {
  SparsePattern pattern{.rows = rows};
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) pattern.row_of.push_back(i);
    pattern.starts.push_back(static_cast<int>(pattern.row_of.size()));
  }
  return pattern;
}

}  // namespace sestina
