#include "sestina/workspace/adjoint_steps.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "sestina/integrate/displacement.h"

namespace sestina {
namespace {

using Vector = Eigen::VectorXd;

Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
           Eigen::OuterStride<>>
map_of(const MatrixBlock& matrix, Eigen::Index size) {
  return {matrix.first, size, size, Eigen::OuterStride<>(matrix.stride)};
}

}  // namespace

// Scratch memory, in the letters of the header.
struct AdjointSteps::Vectors {
  Vectors(Eigen::Index nu, std::size_t stages) : y(2 * nu), z(nu), x(stages, Vector::Zero(2 * nu)), M(nu) {}
  Vector y, z;
  std::vector<Vector> x;  // by stage
  Eigen::LLT<Eigen::MatrixXd> M;
};

AdjointSteps::AdjointSteps(EquationsOfMotion& equations, ButcherTableau tableau,
                           const std::vector<std::string>& parameters)
    : equations_(equations),
      face_(*equations.residual_face()),
      tableau_(std::move(tableau)),
      stages_(tableau_.b.size() - (tableau_.first_same_as_last ? 1 : 0)),
      states_(stages_),
      zdot_(static_cast<std::size_t>(equations.sizes().nz)),
      by_parameter_(static_cast<std::size_t>(equations.sizes().nu)),
      vectors_(std::make_unique<Vectors>(equations.sizes().nu, stages_)) {
  const StateSizes sizes = equations.sizes();
  for (const std::string& name : parameters) parameters_.push_back(face_.parameter_number(name));
  qdots_.assign(stages_, std::vector<double>(static_cast<std::size_t>(sizes.nq)));
  udots_.assign(stages_, std::vector<double>(static_cast<std::size_t>(sizes.nu)));
}

AdjointSteps::~AdjointSteps() = default;

// to += h sum_j weights_j k_j over the first stages.
void AdjointSteps::add_stage(const std::vector<double>& weights, std::size_t stages, double h,
                             State<double>& to) const {
  for (std::size_t j = 0; j < stages; ++j) {
    const double weight = h * weights[j];
    if (weight == 0.0) continue;
    for (std::size_t k = 0; k < to.q.size(); ++k) to.q[k] += weight * qdots_[j][k];
    for (std::size_t k = 0; k < to.u.size(); ++k) to.u[k] += weight * udots_[j][k];
  }
}

// The states of the stages and the rates of all, as ExplicitRungeKutta computes them.
void AdjointSteps::update_stages(const Step& step) {
  const double h = step.t_end - step.begin.t;
  for (std::size_t i = 0; i < stages_; ++i) {
    State<double>& at = states_[i];
    at = step.begin;
    at.t = tableau_.c[i] == 1.0 ? step.t_end : step.begin.t + tableau_.c[i] * h;
    at.t = std::clamp(at.t, step.first_time, step.last_time);
    add_stage(tableau_.a[i], i, h, at);
    equations_.calc_q_dot(at.q, at.u, qdots_[i]);
    equations_.calc_derivatives(at, {.udot = udots_[i], .xdot = {}, .zdot = zdot_});
  }
}

const State<double>& AdjointSteps::end_of(const Step& step) {
  update_stages(step);
  end_ = step.begin;
  end_.t = step.t_end;
  add_stage(tableau_.b, stages_, step.t_end - step.begin.t, end_);
  equations_.project(end_);
  return end_;
}

// (4) and (5)
void AdjointSteps::transpose_stage(std::size_t stage, std::span<double> by_parameters) {
  const State<double>& at = states_[stage];
  Vectors& v = *vectors_;
  const Eigen::Index nu = v.z.size();
  equations_.calc_derivatives(at, {.udot = udots_[stage], .xdot = {}, .zdot = zdot_});
  face_.update_residual_tangent(at, udots_[stage]);
  v.M.compute(map_of(face_.residual_by_udot(), nu));
  v.z = -v.y.tail(nu);
  v.M.solveInPlace(v.z);
  Vector& x = v.x[stage];
  x.head(nu).noalias() = map_of(face_.residual_by_q(), nu).transpose() * v.z;
  x.tail(nu).noalias() = map_of(face_.residual_by_u(), nu).transpose() * v.z;
  x.tail(nu) += v.y.head(nu);
  const std::span<const double> y_q(v.y.data(), static_cast<std::size_t>(nu));
  const std::span<double> x_q(x.data(), static_cast<std::size_t>(nu));
  for (const int i : equations_.rotations()) {
    set_three_of(x_q, i, three_of(x_q, i) + cross(three_of(y_q, i), three_of(at.u, i)));
  }
  const Eigen::Map<const Vector> by_parameter(by_parameter_.data(), nu);
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    face_.calc_residual_by_parameter(parameters_[k], by_parameter_);
    by_parameters[k] += v.z.dot(by_parameter);
  }
}

void AdjointSteps::step_back(const Step& step, std::span<double> gradient, std::span<double> by_parameters) {
  update_stages(step);
  const double h = step.t_end - step.begin.t;
  Vectors& v = *vectors_;
  Eigen::Map<Vector> g(gradient.data(), v.y.size());
  for (std::size_t i = stages_; i-- > 0;) {
    v.y = h * tableau_.b[i] * g;  // (3)
    for (std::size_t j = i + 1; j < stages_; ++j) v.y += h * tableau_.a[j][i] * v.x[j];
    transpose_stage(i, by_parameters);
  }
  for (const Vector& x : v.x) g += x;
}

}  // namespace sestina
