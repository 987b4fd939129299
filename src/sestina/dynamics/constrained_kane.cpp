#include "sestina/dynamics/constrained_kane.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/model/properties.h"

namespace sestina {
namespace {

// A pivot counts as zero below this fraction of the largest element of C.
constexpr double kSmallElement = 1e-6, kRoundOffElement = 1e-10;

}  // namespace

ConstrainedKane::ConstrainedKane(const Model& model)
    : model_(&model), n_(model.nu()), m_(model.constraint_rows()), mass_(model) {
  const auto n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  C_.resize(m * n), reduced_.resize(m * n), transform_.resize(m * m);
  speeds_.resize(n), rows_.reserve(m), inertias_.reserve(m);
  E_.resize(n * n), L_.resize(m * m), M_full_.resize(n * n);
  work_n_.resize(n), work_m_.resize(m), work_i_.resize(std::max(n, m));
}

// (2): rows and speeds are exchanged in their index lists only.
void ConstrainedKane::eliminate() {
  reduced_ = C_;
  std::fill(transform_.begin(), transform_.end(), 0.0);
  for (int r = 0; r < m_; ++r) transform_[static_cast<std::size_t>(r * m_ + r)] = 1.0;
  std::iota(speeds_.begin(), speeds_.end(), 0);
  double size = 0.0;
  for (const int r : rows_) {
    for (int j = 0; j < n_; ++j) size = std::max(size, std::abs(row_of(C_, r)[j]));
  }
  smallest_pivot_ = 1.0;
  const double smallest = keeps_small_pivots_ ? kRoundOffElement : kSmallElement;
  const int conditions = static_cast<int>(rows_.size());
  for (rank_ = 0; rank_ < std::min(conditions, n_); ++rank_) {
    int best_row = rank_, best_speed = rank_;
    double largest = 0.0;
    for (int i = rank_; i < conditions; ++i) {
      const double* row = row_of(reduced_, rows_[static_cast<std::size_t>(i)]);
      for (int j = rank_; j < n_; ++j) {
        const double x = std::abs(row[speeds_[static_cast<std::size_t>(j)]]);
        if (x > largest) largest = x, best_row = i, best_speed = j;
      }
    }
    if (!(largest > smallest * size)) break;
    smallest_pivot_ = std::min(smallest_pivot_, largest / size);
    std::swap(rows_[static_cast<std::size_t>(rank_)], rows_[static_cast<std::size_t>(best_row)]);
    std::swap(speeds_[static_cast<std::size_t>(rank_)], speeds_[static_cast<std::size_t>(best_speed)]);
    const int pivot_row = rows_[static_cast<std::size_t>(rank_)];
    const int pivot_speed = speeds_[static_cast<std::size_t>(rank_)];
    double* pivot = row_of(reduced_, pivot_row);
    double* of_pivot = transform_.data() + pivot_row * m_;
    const double inverse = 1.0 / pivot[pivot_speed];
    for (int j = 0; j < n_; ++j) pivot[j] *= inverse;
    for (int j = 0; j < m_; ++j) of_pivot[j] *= inverse;
    for (const int r : rows_) {
      double* row = row_of(reduced_, r);
      const double part = row[pivot_speed];
      if (r == pivot_row || part == 0.0) continue;
      for (int j = 0; j < n_; ++j) row[j] -= part * pivot[j];
      double* of_row = transform_.data() + r * m_;
      for (int j = 0; j < m_; ++j) of_row[j] -= part * of_pivot[j];
    }
  }
}

// E^T M E of (3) and its factors.
void ConstrainedKane::factor_reduced(SolveReport<double>& report) {
  const int free = n_ - rank_;
  const auto E = [&](int speed, int i) -> double& { return E_[static_cast<std::size_t>(speed * free + i)]; };
  std::fill(E_.begin(), E_.end(), 0.0);
  for (int i = 0; i < free; ++i) {
    const int independent = speeds_[static_cast<std::size_t>(rank_ + i)];
    E(independent, i) = 1.0;
    for (int p = 0; p < rank_; ++p) {
      E(speeds_[static_cast<std::size_t>(p)], i) =
          -row_of(reduced_, rows_[static_cast<std::size_t>(p)])[independent];
    }
  }
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j <= i; ++j) {
      M_full_[static_cast<std::size_t>(i * n_ + j)] = M_full_[static_cast<std::size_t>(j * n_ + i)] =
          mass_.matrix()(i, j);
    }
  }
  for (const int r : inertias_) {
    const double* C = row_of(C_, r);
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) M_full_[static_cast<std::size_t>(i * n_ + j)] += C[i] * C[j];
    }
  }
  if (M_reduced_.size() != free) M_reduced_ = DenseMatrix<double>(free);
  std::vector<double>& M_times = work_n_;
  std::vector<double>& scale = work_i_;
  for (int j = 0; j < free; ++j) {
    scale[static_cast<std::size_t>(j)] = 0.0;
    for (int i = 0; i < n_; ++i) {
      double sum = 0.0;
      for (int k = 0; k < n_; ++k) sum += M_full_[static_cast<std::size_t>(i * n_ + k)] * E(k, j);
      M_times[static_cast<std::size_t>(i)] = sum;
      scale[static_cast<std::size_t>(j)] +=
          std::abs(E(i, j) * E(i, j) * M_full_[static_cast<std::size_t>(i * n_ + i)]);
    }
    for (int i = j; i < free; ++i) {
      double sum = 0.0;
      for (int k = 0; k < n_; ++k) sum += E(k, i) * M_times[static_cast<std::size_t>(k)];
      M_reduced_(i, j) = sum;
    }
  }
  factor_ldlt(M_reduced_, [&](int i, double pivot) {
    report.check_pivot(pivot, scale[static_cast<std::size_t>(i)],
                       speeds_[static_cast<std::size_t>(rank_ + i)]);
  });
}

// C_P C_P^T, L and L^T L of (4).
void ConstrainedKane::factor_multipliers() {
  if (G_.size() != rank_) G_ = DenseMatrix<double>(rank_), L_gram_ = DenseMatrix<double>(rank_);
  const auto product = [&](int r, int s) {
    return std::inner_product(row_of(C_, r), row_of(C_, r) + n_, row_of(C_, s), 0.0);
  };
  const auto row = [&](int i) { return rows_[static_cast<std::size_t>(i)]; };
  for (int i = 0; i < rank_; ++i) {
    for (int j = 0; j <= i; ++j) G_(i, j) = product(row(i), row(j));
  }
  factor_ldlt(G_, [](int, double) {});
  const int conditions = static_cast<int>(rows_.size());
  for (int i = 0; i < conditions; ++i) {
    double* L = L_.data() + static_cast<std::ptrdiff_t>(i) * rank_;
    for (int j = 0; j < rank_; ++j) L[j] = i < rank_ ? (i == j ? 1.0 : 0.0) : product(row(i), row(j));
    if (i >= rank_) solve_ldlt(G_, L);
  }
  for (int i = 0; i < rank_; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int r = 0; r < conditions; ++r)
        sum += L_[static_cast<std::size_t>(r * rank_ + i)] * L_[static_cast<std::size_t>(r * rank_ + j)];
      L_gram_(i, j) = sum;
    }
  }
  factor_ldlt(L_gram_, [](int, double) {});
}

SolveReport<double> ConstrainedKane::factor(const Properties<double>& properties,
                                            const Kinematics<double>& kinematics,
                                            const ConstraintRows<double>& constraints) {
  mass_.update(properties, kinematics);
  rows_.clear(), inertias_.clear();
  for (int r = 0; r < m_; ++r) {
    (constraints.rows[static_cast<std::size_t>(r)].is_inertia ? inertias_ : rows_).push_back(r);
  }
  calc_constraint_matrix(*model_, kinematics, constraints, C_);
  eliminate();
  SolveReport<double> report;
  factor_reduced(report);
  factor_multipliers();
  return report;
}

void ConstrainedKane::solve(std::span<double> f, std::span<const double> d, std::span<double> x,
                            std::span<double> lambda) {
  for (const int r : inertias_) {
    for (int i = 0; i < n_; ++i)
      f[static_cast<std::size_t>(i)] -= row_of(C_, r)[i] * d[static_cast<std::size_t>(r)];
  }
  const auto M_row = [&](int i) { return M_full_.data() + static_cast<std::ptrdiff_t>(i) * n_; };
  // p of (2) in the dependent speeds.
  std::fill(x.begin(), x.end(), 0.0);
  for (int p = 0; p < rank_; ++p) {
    const double* of_row =
        transform_.data() + static_cast<std::ptrdiff_t>(rows_[static_cast<std::size_t>(p)]) * m_;
    x[static_cast<std::size_t>(speeds_[static_cast<std::size_t>(p)])] =
        -std::inner_product(of_row, of_row + m_, d.begin(), 0.0);
  }
  const int free = n_ - rank_;
  for (int i = 0; i < n_; ++i) {
    work_n_[static_cast<std::size_t>(i)] =
        f[static_cast<std::size_t>(i)] - std::inner_product(M_row(i), M_row(i) + n_, x.begin(), 0.0);
  }
  for (int j = 0; j < free; ++j) {
    double sum = 0.0;
    for (int i = 0; i < n_; ++i)
      sum += E_[static_cast<std::size_t>(i * free + j)] * work_n_[static_cast<std::size_t>(i)];
    work_i_[static_cast<std::size_t>(j)] = sum;
  }
  solve_ldlt(M_reduced_, work_i_.data());
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j < free; ++j) {
      x[static_cast<std::size_t>(i)] +=
          E_[static_cast<std::size_t>(i * free + j)] * work_i_[static_cast<std::size_t>(j)];
    }
  }
  for (int i = 0; i < n_; ++i) {  // r
    work_n_[static_cast<std::size_t>(i)] =
        std::inner_product(M_row(i), M_row(i) + n_, x.begin(), 0.0) - f[static_cast<std::size_t>(i)];
  }
  for (int p = 0; p < rank_; ++p) {  // (4)
    const double* C = row_of(C_, rows_[static_cast<std::size_t>(p)]);
    work_i_[static_cast<std::size_t>(p)] = std::inner_product(C, C + n_, work_n_.begin(), 0.0);
  }
  solve_ldlt(G_, work_i_.data());
  solve_ldlt(L_gram_, work_i_.data());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double* L = L_.data() + static_cast<std::ptrdiff_t>(i) * rank_;
    lambda[static_cast<std::size_t>(rows_[i])] = std::inner_product(L, L + rank_, work_i_.begin(), 0.0);
  }
  for (const int r : inertias_) {
    const double* C = row_of(C_, r);
    lambda[static_cast<std::size_t>(r)] =
        -std::inner_product(C, C + n_, x.begin(), d[static_cast<std::size_t>(r)]);
  }
}

}  // namespace sestina
