#include "sestina/symbolic/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "sestina/base/error.h"
#include "sestina/expression/jacobian.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

Matrix Matrix::transpose() const {
  Matrix result(columns_, rows_);
  for (std::size_t i = 0; i < rows_; ++i) {
    for (std::size_t j = 0; j < columns_; ++j) result(j, i) = (*this)(i, j);
  }
  return result;
}

Matrix operator+(const Matrix& a, const Matrix& b) {
  assert(a.rows_ == b.rows_ && a.columns_ == b.columns_);
  Matrix result = a;
  for (std::size_t i = 0; i < a.elements_.size(); ++i) {
    if (!b[i].is_zero()) result[i] = a[i].is_zero() ? b[i] : a[i] + b[i];
  }
  return result;
}

Matrix operator-(const Matrix& a, const Matrix& b) { return a + -b; }

Matrix Matrix::operator-() const {
  Matrix result = *this;
  for (Expression& e : result.elements_) {
    if (!e.is_zero()) e = -e;
  }
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  assert(a.columns_ == b.rows_);
  Matrix result(a.rows_, b.columns_);
  for (std::size_t i = 0; i < a.rows_; ++i) {
    for (std::size_t k = 0; k < a.columns_; ++k) {
      if (a(i, k).is_zero()) continue;
      for (std::size_t j = 0; j < b.columns_; ++j) {
        if (b(k, j).is_zero()) continue;
        const Expression product = a(i, k) * b(k, j);
        result(i, j) = result(i, j).is_zero() ? product : result(i, j) + product;
      }
    }
  }
  return result;
}

Matrix Matrix::block(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) const {
  Matrix result(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result(i, j) = (*this)(row + i, column + j);
  }
  return result;
}

void Matrix::set_block(std::size_t row, std::size_t column, const Matrix& block) {
  for (std::size_t i = 0; i < block.rows_; ++i) {
    for (std::size_t j = 0; j < block.columns_; ++j) (*this)(row + i, column + j) = block(i, j);
  }
}

// The minors of the last k rows for every set of k columns, k = 1, 2 ... n.
Expression determinant(const Matrix& matrix) {
  const std::size_t n = matrix.rows();
  if (n != matrix.columns() || n > kMostOfDeterminant) {
    throw InputError(fmt::format("a matrix of {} rows and {} columns: expected a square one of at most {}", n,
                                 matrix.columns(), kMostOfDeterminant));
  }
  std::vector<Expression> minors(std::size_t{1} << n);
  minors[0] = 1;
  for (std::size_t columns = 1; columns < minors.size(); ++columns) {
    const std::size_t row = n - static_cast<std::size_t>(std::popcount(columns));
    Expression sum = 0;
    bool is_minus = false;
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t bit = std::size_t{1} << j;
      if ((columns & bit) == 0) continue;
      const Expression& rest = minors[columns ^ bit];
      if (!matrix(row, j).is_zero() && !rest.is_zero()) {
        sum += is_minus ? -(matrix(row, j) * rest) : matrix(row, j) * rest;
      }
      is_minus = !is_minus;
    }
    minors[columns] = sum;
  }
  return minors.back();
}

Matrix jacobian(Mechanics& mechanics, const Matrix& exprs, const std::vector<Expression>& symbols) {
  Graph& graph = mechanics.graph();
  std::vector<Expr> by;
  for (const Expression& symbol : symbols) by.push_back(symbol.in(graph));
  SparseDifferentiator differentiator(graph, by);
  Matrix result(exprs.elements().size(), symbols.size());
  for (std::size_t i = 0; i < result.rows(); ++i) {
    for (const auto& [j, value] : differentiator.row(exprs[i].in(graph))) result(i, j) = {graph, value};
  }
  return result;
}

void check_linear(Mechanics& mechanics, const std::vector<Expression>& equations, const Matrix& derivatives,
                  const std::vector<Expression>& symbols, const std::string& what) {
  Graph& graph = mechanics.graph();
  std::unordered_set<std::uint32_t> ids;
  for (const Expression& symbol : symbols) ids.insert(symbol.in(graph).id);
  for (std::size_t i = 0; i < derivatives.rows(); ++i) {
    for (std::size_t j = 0; j < derivatives.columns(); ++j) {
      const Expr derivative = derivatives(i, j).in(graph);
      for (const Expr symbol : graph.free_symbols(derivative)) {
        if (!ids.contains(symbol.id)) continue;
        // Squares may cancel: (u + 1)^2 - u^2.
        if (mechanics.identities().is_zero(graph.diff(derivative, symbol))) continue;
        throw InputError(fmt::format("the {} {} = 0 is not linear in {}", what, to_text(equations[i]),
                                     graph.name_of(symbol)));
      }
    }
  }
}

std::optional<std::size_t> find_dependent_row(Mechanics& mechanics, const Matrix& matrix) {
  const PrimeField& field = kFields[0];
  Fingerprinter point(mechanics.graph(), 0x4a6e, field);
  std::vector<std::vector<FieldNumber>> independent;  // each with a 1 at its pivot
  std::vector<std::size_t> pivots;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    std::vector<FieldNumber> row;
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      const auto value = point.calc(matrix(i, j).in(mechanics.graph()));
      if (!value) return std::nullopt;  // a division by zero, which is reported elsewhere
      row.push_back(*value);
    }
    for (std::size_t k = 0; k < independent.size(); ++k) {
      const FieldNumber factor = row[pivots[k]];
      for (std::size_t j = 0; j < row.size(); ++j) {
        row[j] = field.subtract(row[j], field.multiply(factor, independent[k][j]));
      }
    }
    const auto pivot = std::ranges::find_if(row, [](FieldNumber e) { return !e.is_zero(); });
    if (pivot == row.end()) return i;
    const FieldNumber scale = field.invert(*pivot);
    pivots.push_back(static_cast<std::size_t>(pivot - row.begin()));
    for (FieldNumber& e : row) e = field.multiply(e, scale);
    independent.push_back(std::move(row));
  }
  return std::nullopt;
}

namespace {

// Ratio of a pivot to the largest element of its column, as usual for pivots that must also be sparse (Duff,
// Erisman, Reid, "Direct Methods for Sparse Matrices").
constexpr double kThreshold = 0.1;
constexpr double kUnknown = 1e-11;  // assumed size of elements that depend on symbols; above round-off of 1

class LinearSolver {
 public:
  LinearSolver(Mechanics& mechanics, const Matrix& A, const Matrix& B, const EquationNames& names)
      : mechanics_(mechanics),
        given_(A),
        A_(A),
        B_(B),
        names_(names),
        rows_(A.rows()),
        columns_(A.columns()) {
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(columns_.begin(), columns_.end(), 0);
  }

  Matrix solve() {
    Matrix X(A_.columns(), B_.columns());
    while (const auto pivot = find_safe_pivot()) eliminate(*pivot);
    if (rows_.size() > kMostByCramer) {
      while (!rows_.empty()) eliminate(find_pivot());
    }
    if (!rows_.empty()) solve_by_cramer(X);
    for (auto pivot = pivots_.rbegin(); pivot != pivots_.rend(); ++pivot) solve_pivot(*pivot, X);
    return X;
  }

 private:
  struct Pivot {
    std::size_t row, column;
    std::vector<std::size_t> others;  // other columns with elements in the row
  };

  // True for known numbers other than zero, such as 3 or sin(pi/10).
  bool is_number(const Expression& e) const {
    if (e.is_zero() || magnitude(e) == 0.0) return false;
    return !e.graph() || !mechanics_.identities().is_zero(e.in(*e.graph()));
  }

  // Returns the magnitude of a constant; 0 for other expressions.
  static double magnitude(const Expression& e) {
    if (!e.graph()) return std::abs(e.number().value());
    return std::abs(e.graph()->constant_value(e.in(*e.graph())).value_or(0.0));
  }

  [[noreturn]] void fail() const {
    std::string message = names_.what + ": the equations are linearly dependent";
    if (const auto column = find_dependent_row(mechanics_, given_.transpose())) {
      message += fmt::format(" and leave {} open", names_.unknown(*column, given_.columns()));
    }
    throw InputError(names_.with_advice(message));
  }

  // True if a number is small in its column: cos(1.5707963267948966) is not a pivot next to 1 or
  // sin(q). `largest` holds the largest elements of columns examined before, others are negative.
  bool is_small(const Expression& number, std::size_t column, std::vector<double>& largest) const {
    double& most = largest[column];
    if (most < 0.0) {
      for (const std::size_t i : rows_) {
        const Expression& e = A_(i, column);
        const double size = magnitude(e);
        most = std::max(most, size == 0.0 && !e.is_zero() ? kUnknown : size);
      }
    }
    return magnitude(number) < kThreshold * most;
  }

  // Finds an unknown alone in its equation, otherwise the number that creates the fewest new elements.
  std::optional<Pivot> find_safe_pivot() const {
    std::vector<double> largest(A_.columns(), -1.0);
    std::optional<Pivot> best;
    std::pair<std::size_t, double> least;
    for (const std::size_t i : rows_) {
      const auto filled = static_cast<std::size_t>(std::count_if(
          columns_.begin(), columns_.end(), [&](std::size_t j) { return !A_(i, j).is_zero(); }));
      if (filled == 0) fail();
      for (const std::size_t j : columns_) {
        if (A_(i, j).is_zero() || (filled > 1 && !is_number(A_(i, j)))) continue;
        if (filled > 1 && is_small(A_(i, j), j, largest)) continue;
        const auto in_column = static_cast<std::size_t>(
            std::count_if(rows_.begin(), rows_.end(), [&](std::size_t r) { return !A_(r, j).is_zero(); }));
        // Among equal costs the largest pivot, for less round-off.
        const std::pair cost((filled - 1) * (in_column - 1), -magnitude(A_(i, j)));
        if (best && cost >= least) continue;
        best = Pivot{i, j, {}};
        least = cost;
      }
    }
    return best;
  }

  // Finds the first element that does not vanish identically, rather than a number that was too small.
  Pivot find_pivot() {
    std::optional<Pivot> number;
    for (const std::size_t j : columns_) {
      for (const std::size_t i : rows_) {
        if (mechanics_.identities().is_zero(A_(i, j).in(mechanics_.graph()))) continue;
        if (!is_number(A_(i, j))) return {i, j, {}};
        if (!number || magnitude(A_(i, j)) > magnitude(A_(number->row, number->column))) {
          number = Pivot{i, j, {}};
        }
      }
    }
    if (number) return *number;
    fail();
  }

  void eliminate(Pivot pivot) {
    std::erase(rows_, pivot.row);
    std::erase(columns_, pivot.column);
    const Expression& p = A_(pivot.row, pivot.column);
    if (mechanics_.identities().is_zero(p.in(mechanics_.graph()))) fail();
    for (const std::size_t j : columns_) {
      if (!A_(pivot.row, j).is_zero()) pivot.others.push_back(j);
    }
    for (const std::size_t i : rows_) {
      if (A_(i, pivot.column).is_zero()) continue;
      const Expression factor = A_(i, pivot.column) / p;
      for (const std::size_t j : pivot.others) A_(i, j) -= factor * A_(pivot.row, j);
      for (std::size_t k = 0; k < B_.columns(); ++k) {
        if (!B_(pivot.row, k).is_zero()) B_(i, k) -= factor * B_(pivot.row, k);
      }
      A_(i, pivot.column) = 0;
    }
    pivots_.push_back(std::move(pivot));
  }

  void solve_pivot(const Pivot& pivot, Matrix& X) const {
    for (std::size_t k = 0; k < B_.columns(); ++k) {
      Expression rest = B_(pivot.row, k);
      for (const std::size_t j : pivot.others) {
        if (!X(j, k).is_zero()) rest -= A_(pivot.row, j) * X(j, k);
      }
      X(pivot.column, k) = rest.is_zero() ? rest : rest / A_(pivot.row, pivot.column);
    }
  }

  // Returns the determinant of the rows from `first` on (of rows_, without one) and the columns of the bits.
  Expression calc_minor(std::size_t first, std::size_t left_out, unsigned columns,
                        std::unordered_map<unsigned, Expression>& known) {
    if (columns == 0) return 1;
    if (first == left_out) return calc_minor(first + 1, left_out, columns, known);
    if (const auto found = known.find(columns); found != known.end()) return found->second;
    Expression total = 0;
    int sign = 1;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (!(columns >> j & 1u)) continue;
      const Expression& element = A_(rows_[first], columns_[j]);
      if (!element.is_zero()) {
        const Expression minor = calc_minor(first + 1, left_out, columns & ~(1u << j), known);
        if (!minor.is_zero()) total = sign > 0 ? total + element * minor : total - element * minor;
      }
      sign = -sign;
    }
    return known[columns] = total;
  }

  // Replaces expressions that are numbers, such as cos^2 + sin^2, by these.
  Expression reveal_number(const Expression& e) {
    Graph& graph = mechanics_.graph();
    for (const int number : {1, -1, 2, -2}) {
      if (mechanics_.identities().are_equal(e.in(graph), graph.fraction(number))) return number;
    }
    return e;
  }

  // Cramer's rule: x_j = sum over i of C_ij b_i / det A, with the cofactors C_ij.
  void solve_by_cramer(Matrix& X) {
    const std::size_t n = rows_.size();
    const unsigned all = (1u << n) - 1;
    std::unordered_map<unsigned, Expression> known;
    const Expression determinant = reveal_number(calc_minor(0, n, all, known));
    if (mechanics_.identities().is_zero(determinant.in(mechanics_.graph()))) fail();
    Matrix numerator(n, B_.columns());
    for (std::size_t i = 0; i < n; ++i) {
      known.clear();
      for (std::size_t j = 0; j < n; ++j) {
        const Expression minor = calc_minor(0, i, all & ~(1u << j), known);
        if (minor.is_zero()) continue;
        const Expression cofactor = (i + j) % 2 == 0 ? minor : -minor;
        for (std::size_t k = 0; k < B_.columns(); ++k) {
          if (!B_(rows_[i], k).is_zero()) numerator(j, k) += cofactor * B_(rows_[i], k);
        }
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < B_.columns(); ++k) {
        const Expression& top = numerator(j, k);
        X(columns_[j], k) = top.is_zero() ? top : top / determinant;
      }
    }
  }

  Mechanics& mechanics_;
  const Matrix& given_;
  Matrix A_, B_;
  const EquationNames& names_;
  std::vector<std::size_t> rows_, columns_;  // still unsolved
  std::vector<Pivot> pivots_;
};

}  // namespace

std::string EquationNames::unknown(std::size_t column, std::size_t count) const {
  if (column < unknowns.size()) return to_text(unknowns[column]);
  return fmt::format("unknown {} of {}", column + 1, count);
}

std::string EquationNames::with_advice(const std::string& message) const {
  return advice.empty() ? message : message + "; " + advice;
}

Matrix solve_linear(Mechanics& mechanics, const Matrix& A, const Matrix& B, const EquationNames& names) {
  if (A.rows() != A.columns()) {
    throw InputError(
        fmt::format("{}: the number of equations is {}, that of unknowns {}; both must be the same",
                    names.what, A.rows(), A.columns()));
  }
  if (A.rows() != B.rows()) {
    throw InputError(
        fmt::format("{}: the number of equations is {}, that of right sides {}; both must be the same",
                    names.what, A.rows(), B.rows()));
  }
  return LinearSolver(mechanics, A, B, names).solve();
}

Matrix solve_symmetric(Mechanics& mechanics, const Matrix& A, const Matrix& b, const EquationNames& names) {
  const std::size_t n = A.rows();
  Matrix lower = A;  // x_k follows from row k after the elimination of k
  Matrix x = b;
  for (std::size_t k = n; k-- > 0;) {
    if (mechanics.identities().is_zero(lower(k, k).in(mechanics.graph()))) {
      throw InputError(names.with_advice(fmt::format(
          "{}: {} has the pivot zero; a mass matrix has that where no mass or inertia moves with an "
          "unknown alone",
          names.what, names.unknown(k, n))));
    }
    for (std::size_t i = 0; i < k; ++i) {
      if (lower(k, i).is_zero()) continue;
      const Expression factor = lower(k, i) / lower(k, k);
      for (std::size_t j = 0; j <= i; ++j) {
        if (!lower(k, j).is_zero()) lower(i, j) -= factor * lower(k, j);
      }
      if (!x[k].is_zero()) x[i] -= factor * x[k];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      if (!lower(k, j).is_zero() && !x[j].is_zero()) x[k] -= lower(k, j) * x[j];
    }
    if (!x[k].is_zero()) x[k] /= lower(k, k);
  }
  return x;
}

}  // namespace sestina::symbolic
