#include "sestina/dynamics/motion_derivatives.h"

#include <algorithm>

#include "sestina/dynamics/linearized_motion.h"
#include "sestina/numerics/eigen_vectors.h"

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

}  // namespace

MotionDerivatives::MotionDerivatives(const Model& model, const Properties<double>& properties,
                                     std::span<const int> parameters)
    : model_(model), tangents_(model, properties), inputs_(model, properties, parameters) {
  const Eigen::Index n = model.nu(), count = static_cast<Eigen::Index>(parameters.size());
  A_.setZero(2 * n + model.nx(), 2 * n + model.nx());
  b_.setZero(A_.rows(), count);
  c_.setZero(2 * n, count);
}

void MotionDerivatives::update(const State<double>& state, std::span<const double> udot,
                               std::span<const double> lambda) {
  tangents_.update_tangents(state, udot, as_vector(lambda), true);
  const AccelerationSolver accelerations(tangents_.M, tangents_.C, state.t);
  A_ = calc_state_matrix(model_, tangents_, state, accelerations);
  const Eigen::Index n = tangents_.nu();
  for (Eigen::Index k = 0; k < b_.cols(); ++k) {
    const InputTangent& input = inputs_.calc(static_cast<std::size_t>(k), state, udot, lambda);
    b_.col(k).segment(n, n) = accelerations.solve(input.r_p, input.a_p);
    b_.col(k).tail(tangents_.nx()) = input.rate_p;
  }
}

void MotionDerivatives::calc_rates(std::span<const double> s, int k, double scale,
                                   std::span<double> rates) const {
  as_vector(rates).noalias() = A_ * as_vector(s);
  if (k >= 0) as_vector(rates) += scale * b_.col(k);
}

void MotionDerivatives::transpose(std::span<const double> y, std::span<double> x,
                                  std::span<double> by_parameters) const {
  as_vector(x).noalias() = A_.transpose() * as_vector(y);
  as_vector(by_parameters) += b_.transpose() * as_vector(y);
}

void MotionDerivatives::update_projection(const State<double>& state) {
  const Eigen::Index n = tangents_.nu(), m = tangents_.rows();
  tangents_.update_conditions(state);
  const MatrixXd& C = tangents_.C;
  const MatrixXd C_g = calc_rows_on_positions(tangents_), no_force = MatrixXd::Zero(n, m),
                 each = MatrixXd::Identity(m, m);
  // d for the residuals of (2), one column for each condition
  const MatrixXd changes = AccelerationSolver(tangents_.M, C, state.t).solve(no_force, each);
  P_.setIdentity(2 * n, 2 * n);
  P_.topLeftCorner(n, n) += changes * C_g;
  P_.bottomRightCorner(n, n) += changes * C;
  const MatrixXd follow = changes * tangents_.v_q;  // speeds change with the positions
  P_.bottomLeftCorner(n, n) = follow * P_.topLeftCorner(n, n);
  for (Eigen::Index k = 0; k < c_.cols(); ++k) {
    const InputTangent& input = inputs_.calc_conditions(static_cast<std::size_t>(k), state);
    c_.col(k).head(n) = changes * input.g_p;
    c_.col(k).tail(n) = changes * input.v_p + follow * c_.col(k).head(n);
  }
}

void MotionDerivatives::project(std::span<double> s, int k, double scale) const {
  Eigen::Map<VectorXd> moving = as_vector(s.first(static_cast<std::size_t>(P_.rows())));
  moving = P_ * moving;
  if (k >= 0) moving += scale * c_.col(k);
}

void MotionDerivatives::transpose_projection(std::span<double> y, std::span<double> by_parameters) const {
  Eigen::Map<VectorXd> moving = as_vector(y.first(static_cast<std::size_t>(P_.rows())));
  as_vector(by_parameters) += c_.transpose() * moving;
  moving = P_.transpose() * moving;
}

}  // namespace sestina
