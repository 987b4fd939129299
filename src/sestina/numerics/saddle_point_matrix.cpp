#include "sestina/numerics/saddle_point_matrix.h"

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

#include "sestina/base/index.h"

namespace sestina {
namespace {

// The number of unknowns up to which the dense factorisation is faster than blocks, and than sparse factors.
constexpr int kDense = 12, kDenseBeforeSparse = 128;

}  // namespace

template <class Number>
struct SaddlePointMatrix<Number>::Dense {
  using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
  Matrix matrix;
  Eigen::PartialPivLU<Matrix> lu;
  Eigen::Matrix<Number, Eigen::Dynamic, 1> b, x;

  explicit Dense(int n) : matrix(Matrix::Identity(n, n)), lu(matrix), b(n), x(n) {}
};

template <class Number>
struct SaddlePointMatrix<Number>::Sparse {
  Eigen::SparseMatrix<Number> matrix;
  Eigen::SparseLU<Eigen::SparseMatrix<Number>, Eigen::COLAMDOrdering<int>> lu;
  // The places of the numbers of E, B, -C^T and the lower right diagonal in the matrix.
  std::vector<int> of_E, of_B, of_C, of_diagonal;
  Eigen::Matrix<Number, Eigen::Dynamic, 1> b, x;

  Sparse(const SparsePattern& E, const SparsePattern& C) : matrix(E.rows + C.rows, E.rows + C.rows) {
    const int n = E.rows, m = C.rows;
    std::vector<Eigen::Triplet<Number>> triplets;
    triplets.reserve(E.size() + 2 * C.size() + at(m));
    E.for_each([&](int i, int j, int) { triplets.emplace_back(i, j, Number(1)); });
    C.for_each([&](int i, int j, int) {
      triplets.emplace_back(n + i, j, Number(1));
      triplets.emplace_back(j, n + i, Number(1));
    });
    for (int i = 0; i < m; ++i) triplets.emplace_back(n + i, n + i, Number(1));
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    matrix.makeCompressed();
    const auto place = [&](int i, int j) {
      return static_cast<int>(&matrix.coeffRef(i, j) - matrix.valuePtr());
    };
    E.for_each([&](int i, int j, int) { of_E.push_back(place(i, j)); });
    C.for_each([&](int i, int j, int) { of_B.push_back(place(n + i, j)), of_C.push_back(place(j, n + i)); });
    for (int i = 0; i < m; ++i) of_diagonal.push_back(place(n + i, n + i));
    lu.analyzePattern(matrix);
    b.resize(n + m), x.resize(n + m);
  }
};

template <class Number>
SaddlePointMatrix<Number>::SaddlePointMatrix() = default;
template <class Number>
SaddlePointMatrix<Number>::~SaddlePointMatrix() = default;

template <class Number>
void SaddlePointMatrix<Number>::resize(const SparsePattern& E, const SparsePattern& C) {
  if ((dense_ || blocks_) && E == E_ && C == C_) return;
  E_ = E, C_ = C;
  dense_.reset(), blocks_.reset(), sparse_.reset();
  const int size = E.rows + C.rows;
  if (size <= kDense || E.is_full()) {
    dense_ = std::make_unique<Dense>(size);
  } else {
    blocks_ = std::make_unique<BlockLu<Number>>(E, C);
  }
}

template <class Number>
bool SaddlePointMatrix<Number>::factorize(std::span<const Number> E, std::span<const Number> B,
                                          std::span<const double> C, std::span<const char> is_active) {
  uses_blocks_ = blocks_ && blocks_->factor(E, B, C, is_active);
  if (uses_blocks_) return true;
  const int size = E_.rows + C_.rows;
  if (!dense_ && size <= kDenseBeforeSparse) dense_ = std::make_unique<Dense>(size);
  return dense_ ? factorize_dense(E, B, C, is_active) : factorize_sparse(E, B, C, is_active);
}

template <class Number>
bool SaddlePointMatrix<Number>::factorize_dense(std::span<const Number> E, std::span<const Number> B,
                                                std::span<const double> C, std::span<const char> is_active) {
  const int n = E_.rows, m = C_.rows;
  auto& matrix = dense_->matrix;
  matrix.setZero();
  E_.for_each([&](int i, int j, int p) { matrix(i, j) = E[at(p)]; });
  C_.for_each([&](int i, int j, int p) {
    if (!is_active[at(i)]) return;
    matrix(n + i, j) = B[at(p)];
    matrix(j, n + i) = -C[at(p)];
  });
  for (int i = 0; i < m; ++i) {
    if (!is_active[at(i)]) matrix(n + i, n + i) = Number(1);
  }
  dense_->lu.compute(matrix);
  const auto pivots = dense_->lu.matrixLU().diagonal();
  return pivots.allFinite() && (pivots.array() != Number(0)).all();
}

template <class Number>
bool SaddlePointMatrix<Number>::factorize_sparse(std::span<const Number> E, std::span<const Number> B,
                                                 std::span<const double> C, std::span<const char> is_active) {
  if (!sparse_) sparse_ = std::make_unique<Sparse>(E_, C_);
  Number* values = sparse_->matrix.valuePtr();
  for (std::size_t p = 0; p < E.size(); ++p) values[sparse_->of_E[p]] = E[p];
  C_.for_each([&](int i, int, int p) {
    const bool is_kept = is_active[at(i)];
    values[sparse_->of_B[at(p)]] = is_kept ? B[at(p)] : Number(0);
    values[sparse_->of_C[at(p)]] = is_kept ? Number(-C[at(p)]) : Number(0);
  });
  for (int i = 0; i < C_.rows; ++i)
    values[sparse_->of_diagonal[at(i)]] = Number(is_active[at(i)] ? 0.0 : 1.0);
  sparse_->lu.factorize(sparse_->matrix);
  return sparse_->lu.info() == Eigen::Success;
}

template <class Number>
void SaddlePointMatrix<Number>::solve(std::span<Number> f, std::span<Number> d) {
  const auto solve_with = [&](auto& solver) {
    auto& b = solver.b;
    std::copy(f.begin(), f.end(), b.data());
    std::copy(d.begin(), d.end(), b.data() + f.size());
    solver.x = solver.lu.solve(b);
    std::copy_n(solver.x.data(), f.size(), f.begin());
    std::copy_n(solver.x.data() + f.size(), d.size(), d.begin());
  };
  if (uses_blocks_) {
    blocks_->solve(f, d);
  } else if (dense_) {
    solve_with(*dense_);
  } else {
    solve_with(*sparse_);
  }
}

template class SaddlePointMatrix<double>;
template class SaddlePointMatrix<std::complex<double>>;

}  // namespace sestina
