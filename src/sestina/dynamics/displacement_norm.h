// Norms of displacements in the assembly of a mechanism: coordinates y in which |d|^2 = d^T G d is |y|^2.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <memory>
#include <optional>

namespace sestina {

// G = L L^T is the mass matrix, y = L^T d; or a sparse matrix in another order, y = L^T P d; or 1.
class DisplacementNorm {
 public:
  // Both return false, and G stays 1, if the matrix is not positive definite.
  bool take(const Eigen::MatrixXd& mass) {
    mass_.emplace(mass);
    if (mass_->info() != Eigen::Success || mass_->rcond() < 1e-12) mass_.reset();
    return mass_.has_value();
  }
  bool take(const Eigen::SparseMatrix<double>& G) {
    auto factors = std::make_shared<Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>>(G);
    if (factors->info() == Eigen::Success) sparse_ = std::move(factors);
    return sparse_ != nullptr;
  }

  bool is_sparse() const { return sparse_ != nullptr; }

  // d
  Eigen::VectorXd from_norm(const Eigen::VectorXd& y) const {
    if (sparse_) return sparse_->permutationPinv() * sparse_->matrixU().solve(y);
    return mass_ ? mass_->matrixU().solve(y) : y;
  }
  // y, unless G is sparse.
  Eigen::VectorXd to_norm(const Eigen::VectorXd& d) const { return mass_ ? mass_->matrixU() * d : d; }
  // L^-1 P of each column: y from G d.
  Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& columns) const {
    if (sparse_) return sparse_->matrixL().solve((sparse_->permutationP() * columns).eval());
    return mass_ ? mass_->matrixL().solve(columns) : columns;
  }

 private:
  std::optional<Eigen::LLT<Eigen::MatrixXd>> mass_;
  std::shared_ptr<const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>> sparse_;
};

}  // namespace sestina
