// Many vectors side by side, for products and solutions with small dense matrices: row i holds the i-th
// number of all of them, so that a number of the matrix meets a whole register of vectors.
//
// Each vector's sums run in one order, whatever the width of the registers: the bits are the same on every
// processor. The kernels for wider registers than those of the build are chosen at run time.
#pragma once

#include "sestina/numerics/cache_line_vector.h"
#include "sestina/numerics/matrix_block.h"
#include "sestina/parallel/instruction_set.h"

namespace sestina {

class ColumnBlock {
 public:
  ColumnBlock() = default;
  ColumnBlock(int rows, int count, InstructionSet set = chosen_instruction_set());

  int rows() const { return rows_; }
  int count() const { return count_; }
  double* row(int i) { return values_.data() + i * width_; }
  const double* row(int i) const { return values_.data() + i * width_; }

  // Vector k is at first + k * distance.
  void load(const double* first, std::ptrdiff_t distance);
  void store(double* first, std::ptrdiff_t distance) const;

  // As a matrix of rows() x count().
  MatrixBlock as_matrix() const { return {values_.data(), width_}; }
  void set_zero();
  // Adds scale A B, where A is (rows() x B.rows()), and B has as many vectors.
  void add_product(double scale, const MatrixBlock& A, const ColumnBlock& B);
  // Overwrites a symmetric matrix, of which only the lower triangle is read, by the factors L and D of
  // M = L^T D L (ldlt.h), in the lower triangle.
  void factor();
  // Replaces each vector b by the solution x of M x = b: y of L^T y = b, then x of D L x = y.
  void solve(const ColumnBlock& factors) { solve_inward(factors), solve_outward(factors); }
  void solve_inward(const ColumnBlock& factors);
  void solve_outward(const ColumnBlock& factors);

 private:
  int rows_ = 0, count_ = 0,
      width_ = 0;  // width_: count_, and padding up to a multiple of eight, which is not read
  InstructionSet set_ = InstructionSet::kPortable;
  CacheLineVector<double> values_;  // (rows x width)
};

}  // namespace sestina
