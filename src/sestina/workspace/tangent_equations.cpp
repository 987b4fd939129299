#include "sestina/workspace/tangent_equations.h"

#include <Eigen/Cholesky>

#include "sestina/integrate/displacement.h"

namespace sestina {
namespace {

using Matrix = Eigen::MatrixXd;

Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
           Eigen::OuterStride<>>
map_of(const MatrixBlock& matrix, int size) {
  return {matrix.first, size, size, Eigen::OuterStride<>(matrix.stride)};
}

}  // namespace

// Scratch memory: a column for each direction.
struct TangentEquations::Matrices {
  Matrices(int nu, int count) : rhs(nu, count), M(nu) {}
  Matrix rhs;
  Eigen::LLT<Matrix> M;
};

TangentEquations::TangentEquations(EquationsOfMotion& equations, std::vector<Direction> directions)
    : equations_(equations),
      face_(*equations.residual_face()),
      directions_(std::move(directions)),
      sizes_(equations.sizes()),
      matrices_(std::make_unique<Matrices>(sizes_.nu, static_cast<int>(directions_.size()))) {
  for (const Direction& direction : directions_) {
    parameters_.push_back(direction.parameter.empty() ? -1 : face_.parameter_number(direction.parameter));
  }
}

TangentEquations::~TangentEquations() = default;

StateSizes TangentEquations::sizes() const {
  StateSizes sizes = sizes_;
  sizes.nx = 2 * sizes.nu * static_cast<int>(directions_.size());
  return sizes;
}

const State<double>& TangentEquations::own_state(const State<double>& state) {
  own_.t = state.t;
  own_.q = state.q;
  own_.u = state.u;
  own_.d = state.d;
  own_.h = state.h;
  own_.z = state.z;
  return own_;
}

void TangentEquations::calc_derivatives(const State<double>& state, const StateRates& rates) {
  own_state(state);
  equations_.calc_derivatives(own_, {.udot = rates.udot, .xdot = {}, .zdot = rates.zdot});
  face_.update_residual_tangent(own_, rates.udot);
  const int nu = sizes_.nu, count = static_cast<int>(directions_.size());
  Matrix& rhs = matrices_->rhs;
  for (int k = 0; k < count; ++k) {
    if (parameters_[static_cast<std::size_t>(k)] < 0) {
      rhs.col(k).setZero();
      continue;
    }
    face_.calc_residual_by_parameter(parameters_[static_cast<std::size_t>(k)],
                                     {rhs.col(k).data(), static_cast<std::size_t>(nu)});
    rhs.col(k) *= directions_[static_cast<std::size_t>(k)].scale;
  }
  // The parts of x and xdot, a column for each direction.
  const Eigen::OuterStride<> stride(2 * nu);
  const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> s_q(state.x.data(), nu, count, stride),
      s_u(state.x.data() + nu, nu, count, stride);
  rhs.noalias() += map_of(face_.residual_by_q(), nu) * s_q;
  rhs.noalias() += map_of(face_.residual_by_u(), nu) * s_u;
  matrices_->M.compute(map_of(face_.residual_by_udot(), nu));
  matrices_->M.solveInPlace(rhs);
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> q_rates(rates.xdot.data(), nu, count, stride),
      u_rates(rates.xdot.data() + nu, nu, count, stride);
  q_rates = s_u;
  u_rates = -rhs;
  for (int k = 0; k < count; ++k) {
    const std::span<double> q_rate = part(rates.xdot, 2 * k);
    for (const int i : rotations()) {
      set_three_of(q_rate, i,
                   three_of(q_rate, i) + cross(three_of(state.u, i), three_of(displacement(state, k), i)));
    }
  }
}

std::string TangentEquations::name_of_x(int i) const {
  const int width = 2 * sizes_.nu;
  const Direction& direction = directions_[static_cast<std::size_t>(i / width)];
  const int speed = i % sizes_.nu;
  return "the derivative of " + std::string(i % width < sizes_.nu ? "the displacement of " : "") +
         equations_.name_of_u(speed) +
         (direction.parameter.empty() ? " by an initial value" : " by " + direction.parameter);
}

}  // namespace sestina
