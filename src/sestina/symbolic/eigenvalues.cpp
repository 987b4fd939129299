#include "sestina/symbolic/eigenvalues.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/numerics/zero_crossing.h"

namespace sestina::symbolic {
namespace {

using Complex = std::complex<double>;
using Branch = std::vector<Complex>;

std::vector<Complex> sorted_eigenvalues(std::span<const double> elements, std::size_t n) {
  if (!std::all_of(elements.begin(), elements.end(), [](double x) { return std::isfinite(x); })) {
    throw InputError("eigenvalues are asked of a matrix that is not finite");
  }
  Eigen::MatrixXd A(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = elements[i * n + j];
    }
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(A, false);
  std::vector<Complex> found(solver.eigenvalues().begin(), solver.eigenvalues().end());
  std::sort(found.begin(), found.end(), [](const Complex& a, const Complex& b) {
    return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
  });
  return found;
}

// The permutation p for which the sum of cost(i, p[i]) is least (H. W. Kuhn, Naval Res. Logist. Q. 2 (1955)
// 83-97, in the form with potentials, O(n^3)).
template <class Cost>
std::vector<std::size_t> assign(std::size_t n, Cost cost) {
  std::vector<double> row(n + 1, 0.0), column(n + 1, 0.0);
  std::vector<std::size_t> row_of(n + 1, 0), way(n + 1, 0);
  for (std::size_t i = 1; i <= n; ++i) {
    row_of[0] = i;
    std::size_t at = 0;
    std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
    std::vector<bool> is_used(n + 1, false);
    while (row_of[at] != 0) {
      is_used[at] = true;
      const std::size_t k = row_of[at];
      double delta = std::numeric_limits<double>::infinity();
      std::size_t next = 0;
      for (std::size_t j = 1; j <= n; ++j) {
        if (is_used[j]) continue;
        const double reduced = cost(k - 1, j - 1) - row[k] - column[j];
        if (reduced < least[j]) least[j] = reduced, way[j] = at;
        if (least[j] < delta) delta = least[j], next = j;
      }
      for (std::size_t j = 0; j <= n; ++j) {
        if (is_used[j]) {
          row[row_of[j]] += delta, column[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      at = next;
    }
    for (; at != 0; at = way[at]) row_of[at] = row_of[way[at]];
  }
  std::vector<std::size_t> chosen(n);
  for (std::size_t j = 1; j <= n; ++j) chosen[row_of[j] - 1] = j - 1;
  return chosen;
}

class BranchFollower {
 public:
  BranchFollower(Mechanics& mechanics, const Matrix& A, const Expression& parameter,
                 const ParameterValues& others)
      : n_(A.rows()), function_(mechanics, A.elements(), {parameter}, others, "the matrix") {}

  EigenvalueBranches follow(std::span<const double> values) {
    result_.values.assign(values.begin(), values.end());
    result_.branches.resize(n_);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::vector<Complex> found = at(values[k]);
      std::vector<std::size_t> place(n_);
      for (std::size_t i = 0; i < n_; ++i) place[i] = i;
      if (k > 0) {
        place = assign(n_, [&](std::size_t i, std::size_t j) { return std::abs(predict(i, k) - found[j]); });
      }
      for (std::size_t i = 0; i < n_; ++i) result_.branches[i].push_back(found[place[i]]);
    }
    for (std::size_t k = 1; k < values.size(); ++k) find_changes(k);
    std::stable_sort(result_.changes.begin(), result_.changes.end(),
                     [](const auto& a, const auto& b) { return a.value < b.value; });
    return std::move(result_);
  }

 private:
  std::vector<Complex> at(double value) {
    return sorted_eigenvalues(function_(std::span<const double>(&value, 1)), n_);
  }

  // Where a straight line through the last two values leads.
  Complex predict(std::size_t branch, std::size_t k) const {
    const Branch& b = result_.branches[branch];
    const std::vector<double>& v = result_.values;
    if (k < 2 || v[k - 1] == v[k - 2]) return b[k - 1];
    return b[k - 1] + (b[k - 1] - b[k - 2]) * ((v[k] - v[k - 1]) / (v[k - 1] - v[k - 2]));
  }

  // Between values k - 1 and k.
  void find_changes(std::size_t k) {
    const double a = result_.values[k - 1], b = result_.values[k];
    for (const Branch& branch : result_.branches) {
      const Complex from = branch[k - 1], to = branch[k];
      const double scale = 1e-9 * (1.0 + std::max(std::abs(from), std::abs(to)));
      // What stays at zero, as ignorable coordinates do, is not moved across it by rounding.
      if (std::abs(from.real()) < scale || std::abs(to.real()) < scale) continue;
      if (sign_of(from.real()) == sign_of(to.real()) || from.imag() + to.imag() < 0.0) continue;
      Complex nearest;
      const auto real_part = [&](double value) {
        const Complex expected = from + (to - from) * ((value - a) / (b - a));
        double distance = std::numeric_limits<double>::infinity();
        for (const Complex& e : at(value)) {
          if (const double d = std::abs(e - expected); d < distance) distance = d, nearest = e;
        }
        return nearest.real();
      };
      Bracket bracket = a < b ? Bracket{a, b, from.real(), to.real()} : Bracket{b, a, to.real(), from.real()};
      narrow(bracket, 1e-12 * std::abs(b - a), real_part);
      real_part(bracket.b);
      result_.changes.push_back({bracket.b, nearest, (to.real() < 0.0) == (a < b)});
    }
  }

  std::size_t n_;
  CompiledExpressions function_;
  EigenvalueBranches result_;
};

void check_square(const Matrix& A) {
  if (A.rows() == A.columns() && A.rows() > 0) return;
  throw InputError(
      fmt::format("eigenvalues are asked of a matrix of {} rows and {} columns", A.rows(), A.columns()));
}

}  // namespace

std::vector<std::complex<double>> calc_eigenvalues(Mechanics& mechanics, const Matrix& A,
                                                   const ParameterValues& parameters) {
  check_square(A);
  CompiledExpressions function(mechanics, A.elements(), {}, parameters, "the matrix");
  return sorted_eigenvalues(function({}), A.rows());
}

EigenvalueBranches calc_eigenvalue_branches(Mechanics& mechanics, const Matrix& A,
                                            const Expression& parameter, std::span<const double> values,
                                            const ParameterValues& others) {
  check_square(A);
  return BranchFollower(mechanics, A, parameter, others).follow(values);
}

}  // namespace sestina::symbolic
