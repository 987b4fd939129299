#include "sestina/workspace/tangent_equations.h"

#include <Eigen/Core>
#include <algorithm>

#include "sestina/integrate/displacement.h"

namespace sestina {
namespace {

Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
           Eigen::OuterStride<>>
map_of(const MatrixBlock& matrix, int size) {
  return {matrix.first, size, size, Eigen::OuterStride<>(matrix.stride)};
}
Eigen::Map<const Eigen::VectorXd> map_of(std::span<const double> v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}
Eigen::Map<Eigen::VectorXd> map_of(std::span<double> v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

}  // namespace

TangentEquations::TangentEquations(EquationsOfMotion& equations, std::vector<Direction> directions)
    : equations_(equations),
      face_(*equations.residual_face()),
      directions_(std::move(directions)),
      sizes_(equations.sizes()),
      by_parameter_(static_cast<std::size_t>(sizes_.nu)) {}

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
  face_.update_tangent(own_);
  const auto by_q = map_of(face_.udot_by_q(), sizes_.nu), by_u = map_of(face_.udot_by_u(), sizes_.nu),
             by_tau = map_of(face_.udot_by_tau(), sizes_.nu);
  for (int k = 0; k < static_cast<int>(directions_.size()); ++k) {
    const std::span<const double> s_q = displacement(state, k), s_u = speeds(state, k);
    const std::span<double> q_rate = part(rates.xdot, 2 * k), u_rate = part(rates.xdot, 2 * k + 1);
    std::ranges::copy(s_u, q_rate.begin());
    for (const int i : rotations()) {
      set_three_of(q_rate, i, three_of(s_u, i) + cross(three_of(state.u, i), three_of(s_q, i)));
    }
    map_of(u_rate).noalias() = by_q * map_of(s_q);
    map_of(u_rate).noalias() += by_u * map_of(s_u);
    const Direction& direction = directions_[static_cast<std::size_t>(k)];
    if (direction.parameter.empty()) continue;
    face_.calc_residual_by_parameter(own_, rates.udot, direction.parameter, by_parameter_);
    map_of(u_rate).noalias() -= direction.scale * (by_tau * map_of(std::span<const double>(by_parameter_)));
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
