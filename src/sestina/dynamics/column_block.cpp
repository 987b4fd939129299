#include "sestina/dynamics/column_block.h"

#include <algorithm>

#include "sestina/numerics/lanes8.h"

namespace sestina {
namespace {

using Strip = Lanes8<double>;

struct BlockShape {
  int rows, width;
};

// A row's numbers for `strips` times eight vectors.
template <int strips>
struct RowPart {
  Strip x[strips];

  [[gnu::always_inline]] void load(const double* from) {
    for (int s = 0; s < strips; ++s) x[s] = Strip::load(from + s * kLanes8);
  }
  [[gnu::always_inline]] void store(double* to) const {
    for (int s = 0; s < strips; ++s) x[s].store(to + s * kLanes8);
  }
  [[gnu::always_inline]] void add(double a, const double* row) {
    for (int s = 0; s < strips; ++s) x[s].add(a, Strip::load(row + s * kLanes8));
  }
  [[gnu::always_inline]] void scale(double a) {
    for (int s = 0; s < strips; ++s) x[s].lanes *= a;
  }
};

// C += scale A B, where B has `inner` rows.
struct Product {
  double scale;
  MatrixBlock A;
  int inner;
  const double* B;

  template <int strips>
  [[gnu::always_inline]] void apply_to(double* C, BlockShape shape, int first) const {
    for (int i = 0; i < shape.rows; ++i) {
      const double* A_i = A.row(i);
      RowPart<strips> sum;
      sum.load(C + i * shape.width + first);
      for (int j = 0; j < inner; ++j) sum.add(scale * A_i[j], B + j * shape.width + first);
      sum.store(C + i * shape.width + first);
    }
  }
};

// From the last row upward, as in ldlt.h. What stands above the diagonal takes part, and is not read.
[[gnu::always_inline]] inline void factor_lanes(double* M, BlockShape shape) {
  for (int k = shape.rows - 1; k > 0; --k) {
    double* row_k = M + k * shape.width;
    const double inverse = 1.0 / row_k[k];
    for (int i = k - 1; i >= 0; --i) {
      const double a = row_k[i] * inverse;
      double* row_i = M + i * shape.width;
      for (int j = 0; j <= i; j += kLanes8) {
        RowPart<1> part;
        part.load(row_i + j);
        part.add(-a, row_k + j);
        part.store(row_i + j);
      }
    }
    for (int i = 0; i < k; ++i) row_k[i] *= inverse;
  }
}

// L^T y = b
struct Inward {
  MatrixBlock factors;

  template <int strips>
  [[gnu::always_inline]] void apply_to(double* X, BlockShape shape, int first) const {
    for (int i = shape.rows - 1; i >= 0; --i) {
      RowPart<strips> y;
      y.load(X + i * shape.width + first);
      for (int k = shape.rows - 1; k > i; --k) y.add(-factors(k, i), X + k * shape.width + first);
      y.store(X + i * shape.width + first);
    }
  }
};

// D L x = y
struct Outward {
  MatrixBlock factors;

  template <int strips>
  [[gnu::always_inline]] void apply_to(double* X, BlockShape shape, int first) const {
    for (int k = 0; k < shape.rows; ++k) {
      const double* L_k = factors.row(k);
      RowPart<strips> x;
      x.load(X + k * shape.width + first);
      x.scale(1.0 / L_k[k]);
      for (int i = 0; i < k; ++i) x.add(-L_k[i], X + i * shape.width + first);
      x.store(X + k * shape.width + first);
    }
  }
};

// All vectors, as many at a time as registers hold.
template <class Operation>
[[gnu::always_inline]] inline void apply(const Operation& operation, double* X, BlockShape shape) {
  int first = 0;
  for (; shape.width - first > 2 * kLanes8; first += 3 * kLanes8) {
    operation.template apply_to<3>(X, shape, first);
  }
  if (shape.width - first > kLanes8) {
    operation.template apply_to<2>(X, shape, first);
  } else if (shape.width > first) {
    operation.template apply_to<1>(X, shape, first);
  }
}

// The same operations, compiled for registers of two, four and eight numbers.
template <class Operation>
void apply_portable(const Operation& operation, double* X, BlockShape shape) {
  apply(operation, X, shape);
}
void factor_portable(double* M, BlockShape shape) { factor_lanes(M, shape); }
#ifdef SESTINA_X86_KERNELS
template <class Operation>
[[gnu::target("avx2")]] void apply_avx2(const Operation& operation, double* X, BlockShape shape) {
  apply(operation, X, shape);
}
template <class Operation>
[[gnu::target("avx512f")]] void apply_avx512(const Operation& operation, double* X, BlockShape shape) {
  apply(operation, X, shape);
}
[[gnu::target("avx2")]] void factor_avx2(double* M, BlockShape shape) { factor_lanes(M, shape); }
[[gnu::target("avx512f")]] void factor_avx512(double* M, BlockShape shape) { factor_lanes(M, shape); }
#endif

template <class Operation>
void apply_for(InstructionSet set, const Operation& operation, double* X, BlockShape shape) {
#ifdef SESTINA_X86_KERNELS
  if (set == InstructionSet::kAvx512) return apply_avx512(operation, X, shape);
  if (set == InstructionSet::kAvx2) return apply_avx2(operation, X, shape);
#endif
  apply_portable(operation, X, shape);
}

void factor_for(InstructionSet set, double* M, BlockShape shape) {
#ifdef SESTINA_X86_KERNELS
  if (set == InstructionSet::kAvx512) return factor_avx512(M, shape);
  if (set == InstructionSet::kAvx2) return factor_avx2(M, shape);
#endif
  factor_portable(M, shape);
}

}  // namespace

ColumnBlock::ColumnBlock(int rows, int count, InstructionSet set)
    : rows_(rows),
      count_(count),
      width_((count + kLanes8 - 1) / kLanes8 * kLanes8),
      set_(set),
      values_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width_)) {}

void ColumnBlock::load(const double* first, std::ptrdiff_t distance) {
  for (int k = 0; k < count_; ++k) {
    for (int i = 0; i < rows_; ++i) row(i)[k] = first[k * distance + i];
  }
}

void ColumnBlock::store(double* first, std::ptrdiff_t distance) const {
  for (int k = 0; k < count_; ++k) {
    for (int i = 0; i < rows_; ++i) first[k * distance + i] = row(i)[k];
  }
}

void ColumnBlock::set_zero() { std::ranges::fill(values_, 0.0); }

void ColumnBlock::add_product(double scale, const MatrixBlock& A, const ColumnBlock& B) {
  apply_for(set_, Product{scale, A, B.rows_, B.values_.data()}, values_.data(), {rows_, width_});
}

void ColumnBlock::factor() { factor_for(set_, values_.data(), {rows_, width_}); }

void ColumnBlock::solve_inward(const ColumnBlock& factors) {
  apply_for(set_, Inward{factors.as_matrix()}, values_.data(), {rows_, width_});
}

void ColumnBlock::solve_outward(const ColumnBlock& factors) {
  apply_for(set_, Outward{factors.as_matrix()}, values_.data(), {rows_, width_});
}

}  // namespace sestina
