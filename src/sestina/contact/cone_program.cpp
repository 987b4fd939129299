#include "sestina/contact/cone_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sestina {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kMostSteps = 60;
constexpr double kConverged = 1e-22;  // of the product of the sizes of x and y
constexpr double kNear = 1e-11;       // likewise, and of the size of y: where round-off ends the steps
constexpr double kKeptAway = 0.95;    // of the step to the boundary of a cone
// With a smaller sigma the iterates leave the central path and approach the boundary, where round-off ends
// the steps.
constexpr double kSmallestSigma = 0.2;

// x^T J x, positive within the cone; the product avoids cancellation.
double determinant(const Vector3d& x) {
  const double tangential = x.tail<2>().norm();
  return (x[0] - tangential) * (x[0] + tangential);
}

Vector3d mirrored(const Vector3d& x) { return {x[0], -x[1], -x[2]}; }

// The matrix H = eta^2 (2 w w^T - J) of a cone, H x = y.
Matrix3d scaling_of(const Vector3d& x, const Vector3d& y) {
  const double det_x = determinant(x), det_y = determinant(y);
  const Vector3d a = x / std::sqrt(det_x), b = y / std::sqrt(det_y);
  const Vector3d w = (b + mirrored(a)) / std::sqrt(2.0 * (1.0 + a.dot(b)));
  Matrix3d H = 2.0 * w * w.transpose();
  H.diagonal() -= Vector3d(1.0, -1.0, -1.0);
  return std::sqrt(det_y / det_x) * H;
}

// Returns the largest s with x + s d in the cone: the boundary is at a root of a quadratic.
double reach_in_cone(const Vector3d& x, const Vector3d& d) {
  const double a = determinant(d), b = x[0] * d[0] - x.tail<2>().dot(d.tail<2>()), c = determinant(x);
  const double unlimited = std::numeric_limits<double>::infinity();
  double reach = d[0] < 0.0 ? -x[0] / d[0] : unlimited;
  const double square = b * b - a * c;
  if (square < 0.0) return reach;
  const double root = std::sqrt(square);
  // a s^2 + 2 b s + c = 0; the smallest positive root, without cancellation.
  const double q = b < 0.0 ? -b + root : -(b + root);
  for (const double s : {q != 0.0 ? c / q : -1.0, a != 0.0 ? q / a : -1.0}) {
    if (s > 0.0) reach = std::min(reach, s);
  }
  return reach;
}

}  // namespace

bool ConeProgram::solve(const MatrixXd& M, const VectorXd& q, const std::vector<bool>& is_ray) {
  is_ray_ = is_ray;
  x_.setZero(q.size());
  y_.setZero(q.size());
  if (!start(M, q)) return false;
  const auto cones = static_cast<double>(is_ray.size());
  const double size_x = x_.norm(), size_y = y_.norm();
  bool is_near = false;
  for (steps_ = 0; steps_ < kMostSteps; ++steps_) {
    r_ = y_ - M * x_ - q;
    for (std::size_t i = 0; i < is_ray_.size(); ++i) {
      if (is_ray_[i]) r_.segment<2>(3 * static_cast<Index>(i) + 1).setZero();
    }
    const double m = x_.dot(y_) / cones;
    const double size = std::max(x_.norm(), size_x) * size_y;
    is_near = m <= kNear * size && r_.norm() <= kNear * size_y;
    if (is_near && m <= kConverged * size) return true;
    sum_ = M;
    add_scaling(sum_);
    factor_.compute(sum_);
    if (factor_.info() != Eigen::Success) return is_near;
    find_direction(0.0);
    const double free = std::min(1.0, std::min(longest_step(x_, dx_), longest_step(y_, dy_)));
    const double rest = 1.0 - free;
    find_direction(m * std::clamp(rest * rest * rest, kSmallestSigma, 0.9));
    const double step = std::min(1.0, kKeptAway * std::min(longest_step(x_, dx_), longest_step(y_, dy_)));
    if (!(step > 0.0) || !dx_.allFinite()) return is_near;
    x_ += step * dx_;
    y_ += step * dy_;
  }
  return is_near;
}

// Starts on the axes of the cones, at a distance that fits the sizes of M and q.
bool ConeProgram::start(const MatrixXd& M, const VectorXd& q) {
  const double size = q.cwiseAbs().maxCoeff(), diagonal = M.diagonal().maxCoeff();
  if (!(size > 0.0) || !(diagonal > 0.0)) return false;
  x_.setZero(q.size()), y_.setZero(q.size());
  for (Index i = 0; i < q.size(); i += 3) x_[i] = size / diagonal, y_[i] = size;
  H_.resize(is_ray_.size());
  return true;
}

void ConeProgram::add_scaling(MatrixXd& sum) {
  for (std::size_t i = 0; i < is_ray_.size(); ++i) {
    const Index k = 3 * static_cast<Index>(i);
    if (is_ray_[i]) {
      H_[i] = Matrix3d::Identity();
      H_[i](0, 0) = y_[k] / x_[k];
      sum.middleRows<2>(k + 1).setZero();
      sum.middleCols<2>(k + 1).setZero();
    } else {
      H_[i] = scaling_of(x_.segment<3>(k), y_.segment<3>(k));
    }
    sum.block<3, 3>(k, k) += H_[i];
  }
}

// Solves (2) with sigma m = target.
void ConeProgram::find_direction(double target) {
  c_ = -y_;
  for (std::size_t i = 0; i < is_ray_.size(); ++i) {
    const Index k = 3 * static_cast<Index>(i);
    if (is_ray_[i]) {
      c_[k] += target / x_[k];
    } else {
      c_.segment<3>(k) += target / determinant(x_.segment<3>(k)) * mirrored(x_.segment<3>(k));
    }
  }
  dx_ = factor_.solve(r_ + c_);
  dy_ = c_;
  for (std::size_t i = 0; i < is_ray_.size(); ++i) {
    const Index k = 3 * static_cast<Index>(i);
    dy_.segment<3>(k) -= H_[i] * dx_.segment<3>(k);
  }
}

double ConeProgram::longest_step(const VectorXd& from, const VectorXd& along) const {
  double reach = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < is_ray_.size(); ++i) {
    const Index k = 3 * static_cast<Index>(i);
    if (!is_ray_[i]) {
      reach = std::min(reach, reach_in_cone(from.segment<3>(k), along.segment<3>(k)));
    } else if (along[k] < 0.0) {
      reach = std::min(reach, -from[k] / along[k]);
    }
  }
  return reach;
}

}  // namespace sestina
