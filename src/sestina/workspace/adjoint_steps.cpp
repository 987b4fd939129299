#include "sestina/workspace/adjoint_steps.h"

#include <algorithm>

#include "sestina/integrate/displacement.h"

namespace sestina {
namespace {

// y += factor x
void add(double factor, std::span<const double> x, std::span<double> y) {
  if (factor == 0.0) return;
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

}  // namespace

AdjointSteps::Stage::Stage(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
                           std::string_view solver)
    : dynamics(model, properties, solver),
      qdot(static_cast<std::size_t>(model->nq())),
      udot(static_cast<std::size_t>(model->nu())),
      xdot(static_cast<std::size_t>(model->nx())) {}

AdjointSteps::AdjointSteps(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
                           std::string_view solver, ButcherTableau tableau, std::vector<int> parameters,
                           std::unique_ptr<IntegralDerivatives> integrals)
    : tableau_(std::move(tableau)),
      parameters_(std::move(parameters)),
      own_(model, properties, solver),
      equations_(own_),
      integrals_(std::move(integrals)),
      y_(static_cast<std::size_t>(2 * model->nu() + model->nx()) + (integrals_ ? integrals_->size() : 0)),
      z_(static_cast<std::size_t>(model->nu())) {
  if (ConstrainedTranspose::takes(*model)) {
    constrained_.emplace(*model, own_.properties(), parameters_);
  } else if (model->is_constrained() || model->nx() > 0) {
    derivatives_.emplace(*model, own_.properties(), parameters_);
  } else {
    tree_.emplace(*model, own_.properties());
  }
  stages_.resize(tableau_.b.size() - (tableau_.first_same_as_last ? 1 : 0));
  for (std::unique_ptr<Stage>& stage : stages_) {
    stage = std::make_unique<Stage>(model, properties, solver);
    stage->x.resize(y_.size());
    if (integrals_) stage->zdot.resize(integrals_->size());
  }
}

// to += h sum_j weights_j k_j over the first stages.
void AdjointSteps::add_rates(const std::vector<double>& weights, std::size_t stages, double h,
                             State<double>& to) const {
  for (std::size_t j = 0; j < stages; ++j) {
    add(h * weights[j], stages_[j]->qdot, to.q);
    add(h * weights[j], stages_[j]->udot, to.u);
    add(h * weights[j], stages_[j]->xdot, to.x);
    add(h * weights[j], stages_[j]->zdot, to.z);
  }
}

// The states of the stages and their rates, as ExplicitRungeKutta computes them.
void AdjointSteps::update_stages(const Step& step) {
  const double h = step.t_end - step.begin.t;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    Stage& stage = *stages_[i];
    State<double>& at = stage.state;
    at = step.begin;
    at.t = tableau_.c[i] == 1.0 ? step.t_end : step.begin.t + tableau_.c[i] * h;
    at.t = std::clamp(at.t, step.first_time, step.last_time);
    add_rates(tableau_.a[i], i, h, at);
    equations_.calc_q_dot(at.q, at.u, stage.qdot);
    if (step.udots.empty() || !tree_) {
      stage.dynamics.calc_udot(at, stage.udot);
      std::ranges::copy(stage.dynamics.forces().rates, stage.xdot.begin());
    } else {
      stage.dynamics.update(at);
      const auto first = step.udots.begin() + static_cast<std::ptrdiff_t>(i * stage.udot.size());
      std::copy_n(first, stage.udot.size(), stage.udot.begin());
    }
    if (integrals_) integrals_->calc_rates(at, stage.zdot);
  }
}

const State<double>& AdjointSteps::end_of(const Step& step) {
  update_stages(step);
  update_end(step);
  return end_;
}

void AdjointSteps::update_end(const Step& step) {
  end_ = step.begin;
  end_.t = step.t_end;
  add_rates(tableau_.b, stages_.size(), step.t_end - step.begin.t, end_);
  equations_.project(end_);
}

void AdjointSteps::transpose(Stage& stage, std::span<double> by_parameters) {
  const std::size_t nu = z_.size(), motion = 2 * nu + stage.xdot.size();
  const std::span<const double> y(y_);
  const std::span<double> x(stage.x), x_q = x.first(nu), x_u = x.subspan(nu, nu);
  if (derivatives_) {
    const ConstrainedDynamics* constrained = stage.dynamics.constrained();
    derivatives_->update(stage.state, stage.udot,
                         constrained != nullptr ? constrained->lambda() : std::span<const double>());
    derivatives_->transpose(y.first(motion), x.first(motion), by_parameters);
  } else {
    if (constrained_) {
      constrained_->calc(stage.state, stage.dynamics, stage.udot, y.subspan(nu, nu), x_q, x_u, by_parameters);
    } else {
      transpose_tree(stage, x_q, x_u, by_parameters);
    }
    add(1.0, y.first(nu), x_u);
    for (const int i : equations_.rotations()) {
      set_three_of(x_q, i, three_of(x_q, i) + cross(three_of(y, i), three_of(stage.state.u, i)));
    }
  }
  if (integrals_) {
    integrals_->add_transposed(stage.state, y.subspan(motion), x.first(motion), by_parameters);
  }
}

// (4), without the last terms, and (5)
void AdjointSteps::transpose_tree(Stage& stage, std::span<double> x_q, std::span<double> x_u,
                                  std::span<double> by_parameters) {
  const std::size_t nu = z_.size();
  std::ranges::transform(std::span(y_).subspan(nu, nu), z_.begin(), std::negate<>());
  const Kinematics<double>& kinematics = stage.dynamics.kinematics();
  tree_->mass.factor(own_.properties(), kinematics);
  tree_->mass.solve(z_);
  tree_->transpose.calc(stage.state, kinematics, stage.dynamics.forces(), stage.udot, z_, x_q, x_u);
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    by_parameters[k] += tree_->transpose.calc_by_parameter(parameters_[k]);
  }
}

void AdjointSteps::transpose_projection(std::span<double> gradient, std::span<double> by_parameters) {
  if (constrained_) {
    constrained_->transpose_projection(end_, own_, gradient.first(2 * z_.size()), by_parameters);
  } else {
    derivatives_->update_projection(end_);
    derivatives_->transpose_projection(gradient, by_parameters);
  }
}

void AdjointSteps::step_back(const Step& step, std::span<double> gradient, std::span<double> by_parameters) {
  update_stages(step);
  if (equations_.is_constrained()) {
    update_end(step);
    transpose_projection(gradient, by_parameters);
  }
  const double h = step.t_end - step.begin.t;
  for (std::size_t i = stages_.size(); i-- > 0;) {
    std::ranges::fill(y_, 0.0);
    add(h * tableau_.b[i], gradient, y_);  // (3)
    for (std::size_t j = i + 1; j < stages_.size(); ++j) add(h * tableau_.a[j][i], stages_[j]->x, y_);
    transpose(*stages_[i], by_parameters);
  }
  for (const std::unique_ptr<Stage>& stage : stages_) add(1.0, stage->x, gradient);
}

}  // namespace sestina
