#include "sestina/workspace/tangent_equations.h"

#include <Eigen/Core>
#include <algorithm>

#include "sestina/dynamics/column_block.h"
#include "sestina/dynamics/constrained_transpose.h"
#include "sestina/integrate/displacement.h"

namespace sestina {
namespace {

using Matrix = Eigen::MatrixXd;

}  // namespace

// Scratch memory: a vector for each direction.
struct TangentEquations::Matrices {
  Matrices(int nu, int count) : by_parameter(nu), rhs(nu, count), s_q(nu, count), s_u(nu, count), M(nu, nu) {}
  std::vector<double> by_parameter;
  ColumnBlock rhs, s_q, s_u, M;
};

TangentEquations::TangentEquations(SystemEquations& equations, ForwardDynamics& dynamics,
                                   std::vector<Direction> directions,
                                   std::unique_ptr<IntegralDerivatives> integrals)
    : equations_(equations),
      dynamics_(dynamics),
      directions_(std::move(directions)),
      sizes_(equations.sizes()),
      integrals_(std::move(integrals)) {
  const Model& model = dynamics.model();
  std::vector<int> moving;
  for (const Direction& direction : directions_) {
    const bool has_parameter = !direction.parameter.empty();
    parameters_.push_back(has_parameter ? find_parameter(model, direction.parameter) : -1);
    causes_.push_back({has_parameter ? static_cast<int>(moving.size()) : -1, direction.scale});
    if (has_parameter) moving.push_back(parameters_.back());
  }
  if (ConstrainedTranspose::takes(model)) {
    constrained_ = std::make_unique<ConstrainedTangents>(model, dynamics.properties(), moving);
  } else if (equations.residual_face() != nullptr) {
    matrices_ = std::make_unique<Matrices>(sizes_.nu, static_cast<int>(directions_.size()));
  } else {
    derivatives_ = std::make_unique<MotionDerivatives>(model, dynamics.properties(), moving);
  }
}

TangentEquations::~TangentEquations() = default;

StateSizes TangentEquations::sizes() const {
  StateSizes sizes = sizes_;
  sizes.nx += count() * static_cast<int>(width());
  if (integrals_) sizes.nz += count() * sizes_.nz;
  return sizes;
}

const State<double>& TangentEquations::own_state(const State<double>& state) {
  own_.t = state.t;
  own_.q = state.q;
  own_.u = state.u;
  own_.x.assign(state.x.begin(), state.x.begin() + sizes_.nx);
  own_.d = state.d;
  own_.h = state.h;
  own_.z.assign(state.z.begin(), state.z.begin() + sizes_.nz);
  return own_;
}

void TangentEquations::project(State<double>& state, Projection how) {
  if (!is_constrained()) {
    normalize(state.q);
    return;
  }
  own_state(state);
  equations_.project(own_, how);
  state.q = own_.q;
  state.u = own_.u;
  state.h = own_.h;
  if (constrained_) {
    const auto n = sizes_.nu;
    const Eigen::OuterStride<> stride(static_cast<Eigen::Index>(width()));
    constrained_->update_projection(own_);
    constrained_->project(Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(state.x.data(), n, count(), stride),
                          Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(state.x.data() + n, n, count(), stride),
                          causes_);
    return;
  }
  derivatives_->update_projection(own_);
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    derivatives_->project(part(std::span(state.x), static_cast<int>(k)), causes_[k].parameter,
                          causes_[k].scale);
  }
}

void TangentEquations::update_history(const State<double>& before, State<double>& after) {
  own_state(after);
  equations_.update_history(before, own_);
  after.h = own_.h;
}

void TangentEquations::calc_derivatives(const State<double>& state, const StateRates& rates) {
  own_state(state);
  equations_.calc_derivatives(own_, {.udot = rates.udot,
                                     .xdot = rates.xdot.first(nx()),
                                     .zdot = rates.zdot.first(static_cast<std::size_t>(sizes_.nz))});
  if (derivatives_) {
    calc_dense_rates(state, rates);
  } else {
    constrained_ ? calc_constrained_rates(state, rates) : calc_tree_rates(state, rates);
    set_rates_of_displacements(state, rates);
  }
  if (!integrals_) return;
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const int direction = static_cast<int>(k);
    integrals_->calc_along(own_, part(state.x, direction), k, integral_part(rates.zdot, direction));
  }
}

void TangentEquations::calc_dense_rates(const State<double>& state, const StateRates& rates) {
  const ConstrainedDynamics* constrained = dynamics_.constrained();
  derivatives_->update(own_, rates.udot,
                       constrained != nullptr ? constrained->lambda() : std::span<const double>());
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const int direction = static_cast<int>(k);
    derivatives_->calc_rates(part(state.x, direction), causes_[k].parameter, causes_[k].scale,
                             part(rates.xdot, direction));
  }
}

void TangentEquations::calc_constrained_rates(const State<double>& state, const StateRates& rates) {
  constrained_->update(own_, dynamics_, rates.udot);
  const int n = sizes_.nu;
  const Eigen::OuterStride<> stride(static_cast<Eigen::Index>(width()));
  const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> s_q(state.x.data(), n, count(), stride),
      s_u(state.x.data() + n, n, count(), stride);
  constrained_->calc_udot_changes(
      s_q, s_u, causes_,
      Eigen::Map<Matrix, 0, Eigen::OuterStride<>>(rates.xdot.data() + n, n, count(), stride));
}

void TangentEquations::calc_tree_rates(const State<double>& state, const StateRates& rates) {
  ResidualFace& face = *equations_.residual_face();
  face.update_residual_tangent(own_, rates.udot);
  const int n = sizes_.nu;
  auto& [by_parameter, rhs, s_q, s_u, M] = *matrices_;
  for (int k = 0; k < count(); ++k) {
    const int parameter = parameters_[static_cast<std::size_t>(k)];
    if (parameter < 0) {
      for (int i = 0; i < n; ++i) rhs.row(i)[k] = 0.0;
      continue;
    }
    face.calc_residual_by_parameter(parameter, by_parameter);
    const double scale = -directions_[static_cast<std::size_t>(k)].scale;
    for (int i = 0; i < n; ++i) rhs.row(i)[k] = scale * by_parameter[static_cast<std::size_t>(i)];
  }
  // The parts of x and xdot, a vector for each direction.
  const auto distance = static_cast<std::ptrdiff_t>(width());
  s_q.load(state.x.data(), distance);
  s_u.load(state.x.data() + n, distance);
  rhs.add_product(-1.0, face.residual_by_q(), s_q);
  rhs.add_product(-1.0, face.residual_by_u(), s_u);
  for (int i = 0; i < n; ++i) std::copy_n(face.residual_by_udot().row(i), i + 1, M.row(i));
  M.factor();
  rhs.solve(M);
  rhs.store(rates.xdot.data() + n, distance);
}

void TangentEquations::set_rates_of_displacements(const State<double>& state, const StateRates& rates) {
  for (int k = 0; k < count(); ++k) {
    const std::span<double> q_rate = part(rates.xdot, k).first(nu());
    std::ranges::copy(speeds(state, k), q_rate.begin());
    for (const int i : rotations()) {
      set_three_of(q_rate, i,
                   three_of(q_rate, i) + cross(three_of(state.u, i), three_of(displacement(state, k), i)));
    }
  }
}

std::string TangentEquations::name_of_x(int i) const {
  if (i < sizes_.nx) return equations_.name_of_x(i);
  const auto place = static_cast<std::size_t>(i - sizes_.nx);
  const Direction& direction = directions_[place / width()];
  const std::size_t within = place % width();
  std::string of;
  if (within >= 2 * nu()) {
    of = equations_.name_of_x(static_cast<int>(within - 2 * nu()));
  } else {
    of = std::string(within < nu() ? "the displacement of " : "") +
         equations_.name_of_u(static_cast<int>(within % nu()));
  }
  return "the derivative of " + of +
         (direction.parameter.empty() ? " by an initial value" : " by " + direction.parameter);
}

}  // namespace sestina
