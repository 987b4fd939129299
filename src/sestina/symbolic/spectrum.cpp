#include "sestina/symbolic/spectrum.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace sestina::symbolic {
namespace {

using Complex = std::complex<double>;

// Balances: D^-1 A D, where D has powers of two that make the norms of each row and column, without the
// diagonal, nearly equal (R. James, J. Langou and B. R. Lowery, arXiv:1401.5766, 2014). Rounding then affects
// slow modes and modes in large units no more than others.
void balance(Eigen::MatrixXd& A) {
  constexpr int kMostSweeps = 30;
  bool is_changed = true;
  for (int sweep = 0; is_changed && sweep < kMostSweeps; ++sweep) {
    is_changed = false;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const auto norm_without = [&](const auto& line) {
        return std::hypot(line.head(i).norm(), line.tail(A.rows() - i - 1).norm());
      };
      const double column = norm_without(A.col(i)), row = norm_without(A.row(i));
      if (!(column > 0.0 && row > 0.0)) continue;
      const int exponent = static_cast<int>(std::lround(0.5 * std::log2(row / column)));
      const double d = std::ldexp(1.0, exponent);
      if (!(std::hypot(column * d, row / d) < 0.95 * std::hypot(column, row))) continue;
      A.col(i) *= d;
      A.row(i) /= d;
      is_changed = true;
    }
  }
}

constexpr double kRounding = 50.0 * std::numeric_limits<double>::epsilon();

// Bounds the effect of rounding on the eigenvalues: to first order the rounding of the matrix divided by the
// cosine of the angle between left and right eigenvector (J. H. Wilkinson, The Algebraic Eigenvalue Problem,
// 1965, chapter 2); if up to four of one chain coincide, at most the fourth root of that.
std::vector<double> rounding_of(const Eigen::MatrixXd& A, const Eigen::MatrixXcd& right) {
  const double relative = kRounding * static_cast<double>(A.rows()), norm = A.norm();
  const Eigen::MatrixXcd left = right.partialPivLu().inverse();
  std::vector<double> bounds;
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    const double bound = relative * norm * right.col(i).norm() * left.row(i).norm();
    const double most = std::pow(relative, 0.25) * norm;
    bounds.push_back(bound < most ? bound : most);  // also if it is not a number
  }
  return bounds;
}

// Finds groups of rows that depend on each other, directly or through others. The matrix is block triangular
// in these groups: its eigenvalues are those of the groups, and the rounding of a large one does not affect a
// small one in another group.
std::vector<std::vector<Eigen::Index>> find_blocks(const Eigen::MatrixXd& A) {
  const Eigen::Index n = A.rows();
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> reaches = A.array() != 0.0;
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index i = 0; i < n; ++i) {
      if (reaches(i, k)) reaches.row(i) = reaches.row(i) || reaches.row(k);
    }
  }
  std::vector<std::vector<Eigen::Index>> blocks;
  std::vector<bool> is_taken(static_cast<std::size_t>(n), false);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (is_taken[static_cast<std::size_t>(i)]) continue;
    blocks.push_back({i});
    for (Eigen::Index j = i + 1; j < n; ++j) {
      if (!(reaches(i, j) && reaches(j, i))) continue;
      blocks.back().push_back(j);
      is_taken[static_cast<std::size_t>(j)] = true;
    }
  }
  return blocks;
}

struct Eigenvalue {
  Complex value;
  double rounding = 0.0;
};

// Adds a 1x1 block. Its rounding is that of the elements in its row and column, in its own unit.
void add_element(const Eigen::MatrixXd& A, Eigen::Index i, std::vector<Eigenvalue>& found) {
  const double element = A(i, i);
  const double row = A.row(i).norm(), column = A.col(i).norm(), own = std::abs(element);
  const double off_diagonal = std::sqrt(std::max(0.0, row - own)) * std::sqrt(std::max(0.0, column - own));
  found.push_back({element, kRounding * off_diagonal});
}

void add_eigenvalues(Eigen::MatrixXd A, std::vector<Eigenvalue>& found) {
  balance(A);
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A);
  const std::vector<double> rounding = rounding_of(A, solver.eigenvectors());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    found.push_back({solver.eigenvalues()[i], rounding[static_cast<std::size_t>(i)]});
  }
}

}  // namespace

Spectrum calc_spectrum(std::span<const double> elements, std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  const Eigen::MatrixXd A =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          elements.data(), size, size);
  std::vector<Eigenvalue> found;
  for (const std::vector<Eigen::Index>& block : find_blocks(A)) {
    if (block.size() > 1) {
      add_eigenvalues(A(block, block), found);
    } else {
      add_element(A, block.front(), found);
    }
  }
  std::ranges::stable_sort(found, [](const Eigenvalue& a, const Eigenvalue& b) {
    return a.value.real() != b.value.real() ? a.value.real() > b.value.real()
                                            : a.value.imag() > b.value.imag();
  });
  Spectrum spectrum;
  for (const Eigenvalue& e : found) {
    spectrum.eigenvalues.push_back(e.value);
    spectrum.rounding.push_back(e.rounding);
    spectrum.is_unstable.push_back(e.value.real() > e.rounding);
    spectrum.radius = std::max(spectrum.radius, std::abs(e.value));
  }
  return spectrum;
}

}  // namespace sestina::symbolic
