#include "sestina/workspace/linear_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/dynamics/input_response.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/workspace/quadrature_rates.h"
#include "sestina/workspace/result_row.h"

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kStep = 1e-5;  // rad, m, and of speeds, for differences of rows

// Chosen columns of rows at states nearby.
class Outputs {
 public:
  Outputs(std::shared_ptr<const Model> model, std::span<const double> parameters,
          std::span<const std::string> names)
      : dynamics_(model, calc_properties<double>(*model, parameters), "recursive"),
        row_(*model, parameters, true) {
    std::vector<std::string> all;
    for (const Column& column : row_.columns()) all.push_back(column.name);
    for (const std::string& name : names) {
      const auto found = std::ranges::find(all, name);
      if (found == all.end()) {
        throw InputError(fmt::format("there is no column '{}'{}", name, suggestion(name, all)));
      }
      places_.push_back(static_cast<std::size_t>(found - all.begin()));
    }
  }

  VectorXd calc(const State<double>& state) {
    VectorXd values(static_cast<Eigen::Index>(places_.size()));
    if (places_.empty()) return values;
    const std::span<const double> row = row_.calc(state, dynamics_);
    for (std::size_t i = 0; i < places_.size(); ++i) values[static_cast<Eigen::Index>(i)] = row[places_[i]];
    return values;
  }

 private:
  ForwardDynamics dynamics_;
  ResultRow row_;
  std::vector<std::size_t> places_;
};

MatrixXd find_C(const Model& model, const State<double>& state, Outputs& outputs, Eigen::Index count) {
  const auto n = static_cast<Eigen::Index>(state.u.size());
  const auto nx = static_cast<Eigen::Index>(state.x.size());
  MatrixXd C(count, 2 * n + nx);
  State<double> moved = state;
  std::vector<double> displacement(state.u.size());
  const auto along_q = [&](Eigen::Index k, double by) {
    displacement[static_cast<std::size_t>(k)] = by;
    plus_q<double>(model, state.q, displacement, moved.q);
    displacement[static_cast<std::size_t>(k)] = 0.0;
    return outputs.calc(moved);
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    C.col(k) = (along_q(k, kStep) - along_q(k, -kStep)) / (2.0 * kStep);
  }
  moved.q = state.q;
  const auto along = [&](double& number, Eigen::Index column) {
    const double before = number, step = kStep * std::max(1.0, std::abs(before));
    number = before + step;
    const VectorXd after = outputs.calc(moved);
    number = before - step;
    C.col(column) = (after - outputs.calc(moved)) / (2.0 * step);
    number = before;
  };
  for (Eigen::Index k = 0; k < n; ++k) along(moved.u[static_cast<std::size_t>(k)], n + k);
  for (Eigen::Index k = 0; k < nx; ++k) along(moved.x[static_cast<std::size_t>(k)], 2 * n + k);
  return C;
}

}  // namespace

LinearSystem linearize_system(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
                              const State<double>& given, std::span<const std::string> inputs,
                              std::span<const std::string> outputs) {
  State<double> state = given;
  state.z.assign(static_cast<std::size_t>(num_quadratures(*model)), 0.0);
  ForwardDynamics dynamics(model, properties, "recursive");
  std::vector<double> udot(state.u.size());
  dynamics.calc_udot(state, udot);
  VectorXd lambda = VectorXd::Zero(model->constraint_rows());
  if (const ConstrainedDynamics* constrained = dynamics.constrained()) {
    std::ranges::copy(constrained->lambda(), lambda.begin());
  }
  MotionTangents tangents(*model, properties);
  tangents.update_tangents(state, udot, lambda, true);
  LinearizedMotion motion = linearize_motion(*model, tangents, state);
  const auto count = static_cast<Eigen::Index>(inputs.size()),
             rows = static_cast<Eigen::Index>(outputs.size());
  MatrixXd r_p(tangents.nu(), count), a_p(tangents.rows(), count), rate_p(tangents.nx(), count),
      D(rows, count);
  Outputs at(model, properties.parameters, outputs);
  for (Eigen::Index j = 0; j < count; ++j) {
    const std::string& name = inputs[static_cast<std::size_t>(j)];
    const InputTangent input = calc_input_tangent(*model, properties, state, udot, lambda, name);
    if (!input.g_p.isZero(0.0) || !input.v_p.isZero(0.0)) {
      throw InputError(
          fmt::format("{} moves a constraint, so that its rates act too: it cannot be an input of "
                      "dx/dt = A x + B w; analysis.type: frequency_response takes it",
                      name));
    }
    r_p.col(j) = input.r_p, a_p.col(j) = input.a_p, rate_p.col(j) = input.rate_p;
    std::vector<double> parameters(properties.parameters);
    double& p = parameters[static_cast<std::size_t>(find_parameter(*model, name))];
    const double p0 = p, step = kStep * (p0 == 0.0 ? 1.0 : std::abs(p0));
    p = p0 + step;
    const VectorXd after = Outputs(model, parameters, outputs).calc(state);
    p = p0 - step;
    D.col(j) = (after - Outputs(model, parameters, outputs).calc(state)) / (2.0 * step);
  }
  return {std::move(motion.A), calc_input_matrix(tangents, state, r_p, a_p, rate_p),
          find_C(*model, state, at, rows), std::move(D), std::move(motion.basis)};
}

}  // namespace sestina
