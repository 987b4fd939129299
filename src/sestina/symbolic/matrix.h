// Matrices of expressions, and linear equations with such matrices.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sestina/expression/expression.h"

namespace sestina::symbolic {

class Mechanics;

class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), elements_(rows * columns) {}
  explicit Matrix(std::vector<Expression> column)
      : rows_(column.size()), columns_(1), elements_(std::move(column)) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  Expression& operator()(std::size_t i, std::size_t j) { return elements_[i * columns_ + j]; }
  const Expression& operator()(std::size_t i, std::size_t j) const { return elements_[i * columns_ + j]; }
  // Returns element i of a row or column.
  const Expression& operator[](std::size_t i) const { return elements_[i]; }
  Expression& operator[](std::size_t i) { return elements_[i]; }
  const std::vector<Expression>& elements() const { return elements_; }  // row by row

  Matrix transpose() const;
  friend Matrix operator+(const Matrix& a, const Matrix& b);
  friend Matrix operator-(const Matrix& a, const Matrix& b);
  friend Matrix operator*(const Matrix& a, const Matrix& b);
  Matrix operator-() const;
  Matrix block(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) const;
  void set_block(std::size_t row, std::size_t column, const Matrix& block);

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<Expression> elements_;
};

// The determinant, by minors, which needs only products and sums, 2^n n of them; for at most
// kMostOfDeterminant rows. Throws InputError for a matrix that is not square or is larger.
inline constexpr std::size_t kMostOfDeterminant = 12;
Expression determinant(const Matrix& matrix);

// Returns the derivatives d exprs(i) / d symbols[j].
Matrix jacobian(Mechanics& mechanics, const Matrix& exprs, const std::vector<Expression>& symbols);
// Throws InputError that names the first equation whose `derivatives`, the jacobian with respect to
// `symbols`, still depend on these: it is not linear in them. `what` in the message: "velocity constraint".
void check_linear(Mechanics& mechanics, const std::vector<Expression>& equations, const Matrix& derivatives,
                  const std::vector<Expression>& symbols, const std::string& what);

// Returns the first row that depends on earlier rows for general values of the symbols; nothing if there is
// none or a division by zero hides it.
std::optional<std::size_t> find_dependent_row(Mechanics& mechanics, const Matrix& matrix);

// Names of linear equations for the messages of their solvers.
struct EquationNames {
  EquationNames(const char* name) : what(name) {}
  EquationNames(std::string name, std::vector<Expression> of_unknowns = {}, std::string to_do = {})
      : what(std::move(name)), unknowns(std::move(of_unknowns)), advice(std::move(to_do)) {}

  // Returns the unknown of a column: "u2'", or "unknown 2 of 3" if the unknowns have no symbols.
  std::string unknown(std::size_t column, std::size_t count) const;
  std::string with_advice(const std::string& message) const;

  std::string what;                  // "the kinematic equations"
  std::vector<Expression> unknowns;  // one for each column, or none
  std::string advice;                // advice for the case without a unique solution, or empty
};

// Returns X with A X = B. Pivots that are numbers, unless small in their column, and equations with a single
// unknown come first. The rest is solved by Cramer's rule if it has at most kMostByCramer unknowns: its only
// divisor is the determinant, so that the solution exists wherever A is invertible, whichever elements vanish
// there. Larger systems are solved by elimination with pivots that do not vanish identically. Throws
// InputError, which begins with the equations' name, if A is not square, if B has another number of rows, or
// if A is singular for all values of its symbols; it then names an undetermined unknown.
inline constexpr std::size_t kMostByCramer = 6;
Matrix solve_linear(Mechanics& mechanics, const Matrix& A, const Matrix& B, const EquationNames& names);

// Returns x with A x = b for a symmetric A with invertible leading blocks, such as a mass matrix, by
// elimination from the last unknown to the first without pivoting. If the unknowns belong to the joints of a
// tree, parents first, no zero element fills in. Throws InputError, which begins with the equations' name and
// names the unknown, if a pivot is zero for all values of its symbols.
Matrix solve_symmetric(Mechanics& mechanics, const Matrix& A, const Matrix& b, const EquationNames& names);

}  // namespace sestina::symbolic
