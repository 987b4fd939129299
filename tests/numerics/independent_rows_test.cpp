#include "sestina/numerics/independent_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace sestina {
namespace {

// Conditions on three unknowns; `zero` adds a place that keeps the pattern from being full.
SparsePattern pattern(int rows, bool is_full) {
  SparsePattern C{.rows = rows};
  for (int j = 0; j < (is_full ? 3 : 4); ++j) {
    for (int i = 0; i < (j < 3 ? rows : 1); ++i) C.row_of.push_back(i);
    C.starts.push_back(static_cast<int>(C.row_of.size()));
  }
  return C;
}

std::vector<char> find(const std::vector<std::vector<double>>& rows, bool is_full) {
  const SparsePattern C = pattern(static_cast<int>(rows.size()), is_full);
  std::vector<double> values;
  for (std::size_t j = 0; j < 3; ++j) {
    for (const std::vector<double>& row : rows) values.push_back(row[j]);
  }
  if (!is_full) values.push_back(0.0);
  const std::vector<double> weights(is_full ? 3 : 4, 2.0);
  std::vector<char> active(rows.size());
  IndependentRows independent;
  independent.resize(C);
  independent.find(values, weights, active);
  return active;
}

TEST(IndependentRows, FindsImpliedConditions) {
  for (const bool is_full : {true, false}) {
    SCOPED_TRACE(is_full);
    EXPECT_EQ(find({{1, 0, 0}, {0, 2, 0}}, is_full), (std::vector<char>{1, 1}));
    EXPECT_EQ(find({{1, 2, 0}, {2, 4, 0}, {0, 0, 1}}, is_full), (std::vector<char>{1, 0, 1}));
    EXPECT_EQ(find({{1, 0, 0}, {0, 0, 0}}, is_full), (std::vector<char>{1, 0}));
  }
}

// Conditions across the plane of a loop on a body that is turned are round-off instead of zero.
TEST(IndependentRows, TakeRoundOffForZero) {
  for (const bool is_full : {true, false}) {
    SCOPED_TRACE(is_full);
    EXPECT_EQ(find({{1, 0.5, 0}, {1e-17, -3e-17, 2e-18}, {0, 1, 1}}, is_full), (std::vector<char>{1, 0, 1}));
    EXPECT_EQ(find({{1, 0.5, 0}, {1e-9, -3e-9, 2e-9}, {0, 1, 1}}, is_full), (std::vector<char>{1, 1, 1}));
  }
}

}  // namespace
}  // namespace sestina
