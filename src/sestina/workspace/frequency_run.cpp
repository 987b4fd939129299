// The frequency response: how columns oscillate if a parameter of the model oscillates with small amplitude.
//
// A row has, for an amplitude of 1 of the input, the magnitude of each column and its phase (rad, positive if
// it leads the input). Columns are functions y(q, u, udot, lambda, p): their variation along the deviations
// of input_response.h is computed from differences of rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/dynamics/equilibrium.h"
#include "sestina/dynamics/input_response.h"
#include "sestina/dynamics/linearized_motion.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/workspace/analysis_run.h"

namespace sestina {
namespace {

using Eigen::VectorXd;
using std::numbers::pi;

constexpr double kRowStep = 1e-5;   // rad or m, by which coordinates move for a difference of rows
constexpr double kDecade = 10.0;    // ratio beyond the natural frequencies, if no range is given
constexpr double kBalanced = 1e-9;  // relative to the terms of the equations of motion

struct Deviation {
  VectorXd dq, du, dudot;  // (nu)
  VectorXd dx;             // (nx)
  VectorXd dlambda;        // (rows)
};

// Computes rows of the model near a state.
class RowsNearby {
 public:
  RowsNearby(const Workspace& workspace, std::span<const double> parameters, bool reactions)
      : model_(workspace.model()),
        dynamics_(workspace.shared_model(), calc_properties<double>(workspace.model(), parameters),
                  "recursive"),
        row_(workspace.model(), parameters, reactions) {}

  std::size_t size() const { return row_.columns().size(); }
  bool has_response(std::size_t i) const { return sestina::has_response(row_.columns()[i].name); }

  // The row for the state, udot and lambda moved by `factor` times the deviation.
  std::span<const double> calc(const State<double>& state, const VectorXd& udot, const VectorXd& lambda,
                               const Deviation& by, double factor) {
    State<double> moved = state;
    const VectorXd displacement = factor * by.dq;
    plus_q<double>(model_, state.q, std::span(displacement.data(), state.u.size()), moved.q);
    for (std::size_t k = 0; k < state.u.size(); ++k) {
      moved.u[k] += factor * by.du[static_cast<Eigen::Index>(k)];
    }
    for (std::size_t k = 0; k < state.x.size(); ++k) {
      moved.x[k] += factor * by.dx[static_cast<Eigen::Index>(k)];
    }
    const VectorXd a = udot + factor * by.dudot, l = lambda + factor * by.dlambda;
    return row_.calc(moved, dynamics_, std::span(a.data(), state.u.size()),
                     std::span(l.data(), static_cast<std::size_t>(l.size())));
  }

 private:
  const Model& model_;
  ForwardDynamics dynamics_;
  ResultRow row_;
};

class FrequencyRun final : public AnalysisRun {
 public:
  using AnalysisRun::AnalysisRun;

 private:
  void compute(State<double>& state) override {
    const Model& model = workspace_.model();
    const Properties<double>& properties = workspace_.properties();
    if (analysis_.about == "equilibrium") find_rest(state);
    ForwardDynamics dynamics(workspace_.shared_model(), properties, "recursive");
    udot_.resize(model.nu());
    dynamics.calc_udot(state, std::span(udot_.data(), state.u.size()));
    lambda_.resize(model.constraint_rows());
    if (const ConstrainedDynamics* constrained = dynamics.constrained()) {
      std::ranges::copy(constrained->lambda(), lambda_.begin());
    }
    if (analysis_.about == "equilibrium") udot_.setZero();
    const std::span<const double> udot(udot_.data(), state.u.size());
    MotionTangents tangents(model, properties);
    tangents.update_tangents(state, udot, lambda_, true);
    remark_on_acceleration(tangents);
    if (report_.remarks.empty() && !keeps_state_matrix(model, properties, state, udot, lambda_)) {
      report_.remarks.emplace_back(
          "the coefficients of small motions change as the motion turns a body: the response holds for the "
          "instant only");
    }
    const InputResponse response(
        model, tangents, state, calc_input_tangent(model, properties, state, udot, lambda_, analysis_.input));
    RowsNearby rows(workspace_, properties.parameters, settings_.reactions);
    const std::vector<double> by_input = find_rows_by_input(state);
    const std::vector<double> frequencies = find_frequencies(tangents, state);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      if (!goes_on(frequencies[i], frequencies.back())) return;
      record_row(frequencies[i], state, response, rows, by_input);
    }
  }

  void find_rest(State<double>& state) {
    Equilibrium equilibrium(workspace_.model(), workspace_.properties());
    watch(equilibrium);
    if (const Equilibrium::Search search = equilibrium.find_in_parts(0.0, 1.0, state); !search.is_found) {
      throw ComputationError(0.0, search.describe() + "; `about: initial` takes the initial state as it is");
    }
    if (!equilibrium.is_stable()) {
      report_.remarks.emplace_back(
          "the state of rest is not stable: a deviation grows, so that the response is never reached");
    }
  }

  void remark_on_acceleration(const MotionTangents& tangents) {
    if (udot_.isZero(0.0)) return;
    if ((tangents.M * udot_).cwiseAbs().maxCoeff() <= kBalanced * tangents.scale.maxCoeff()) return;
    report_.remarks.emplace_back("the initial state is accelerated: the response holds for the instant only");
  }

  // dy/dp with the state, udot and lambda held fixed.
  std::vector<double> find_rows_by_input(const State<double>& state) {
    const Model& model = workspace_.model();
    std::vector<double> parameters(workspace_.properties().parameters);
    double& p = parameters[static_cast<std::size_t>(find_parameter(model, analysis_.input))];
    const double p0 = p, step = kRowStep * (p0 == 0.0 ? 1.0 : std::abs(p0));
    const VectorXd none_u = VectorXd::Zero(model.nu());
    const Deviation none{none_u, none_u, none_u, VectorXd::Zero(model.nx()),
                         VectorXd::Zero(model.constraint_rows())};
    std::vector<double> by_input;
    for (const double sign : {-1.0, 1.0}) {
      p = p0 + sign * step;
      RowsNearby rows(workspace_, parameters, settings_.reactions);
      const std::span<const double> row = rows.calc(state, udot_, lambda_, none, 0.0);
      if (by_input.empty()) {
        by_input.assign(row.begin(), row.end());
        continue;
      }
      for (std::size_t i = 0; i < row.size(); ++i) by_input[i] = difference(row[i], by_input[i], step);
    }
    return by_input;
  }

  // (after - before) / (2 step), or zero if that is round-off.
  static double difference(double after, double before, double step) {
    const double change = after - before;
    const double size = std::max(std::abs(after), std::abs(before));
    return std::abs(change) <= 1e-15 * size ? 0.0 : change / (2.0 * step);
  }

  std::vector<double> find_frequencies(const MotionTangents& tangents, const State<double>& state) {
    double from = analysis_.lowest_frequency, to = analysis_.highest_frequency;
    if (from == 0.0 || to == 0.0) {
      double lowest = 0.0, highest = 0.0;
      for (const VibrationMode& mode : calc_modes(workspace_.model(), tangents, state)) {
        const double size = std::abs(mode.eigenvalue) / (2.0 * pi);
        if (size == 0.0) continue;
        lowest = lowest == 0.0 ? size : std::min(lowest, size);
        highest = std::max(highest, size);
      }
      if (lowest == 0.0) {
        throw ComputationError(state.t,
                               "there are no natural frequencies from which the range could follow: "
                               "give analysis.frequencies.from and .to");
      }
      if (from == 0.0) from = std::min(lowest / kDecade, to == 0.0 ? highest : to);
      if (to == 0.0) to = std::max(kDecade * highest, from);
    }
    std::vector<double> all(static_cast<std::size_t>(analysis_.frequencies));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double part =
          all.size() == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(all.size() - 1);
      all[i] = i + 1 == all.size() && i > 0 ? to : from * std::pow(to / from, part);
    }
    return all;
  }

  void record_row(double frequency, const State<double>& state, const InputResponse& response,
                  RowsNearby& rows, const std::vector<double>& by_input) {
    const SmallResponse d = response.calc(2.0 * pi * frequency);
    const std::vector<double> real = calc_variation(
        state, rows, {d.dq.real(), d.du.real(), d.dudot.real(), d.dx.real(), d.dlambda.real()});
    const std::vector<double> imag = calc_variation(
        state, rows, {d.dq.imag(), d.du.imag(), d.dudot.imag(), d.dx.imag(), d.dlambda.imag()});
    values_.assign(1, frequency);
    for (std::size_t i = 0; i < by_input.size(); ++i) {
      if (!rows.has_response(i)) continue;
      const std::complex<double> y(real[i] + by_input[i], imag[i]);
      values_.push_back(std::abs(y));
      values_.push_back(y == 0.0 ? 0.0 : std::arg(y));
    }
    record(values_);
    ++report_.steps.steps;
  }

  std::vector<double> calc_variation(const State<double>& state, RowsNearby& rows, const Deviation& by) {
    double size = by.dq.size() == 0 ? 0.0 : by.dq.cwiseAbs().maxCoeff();
    if (size == 0.0 && by.dx.size() > 0) size = by.dx.cwiseAbs().maxCoeff();
    if (size == 0.0) size = 1.0;
    std::vector<double> variation(rows.size());
    const double step = kRowStep / size;
    const std::span<const double> before = rows.calc(state, udot_, lambda_, by, -step);
    const std::vector<double> kept(before.begin(), before.end());
    const std::span<const double> after = rows.calc(state, udot_, lambda_, by, step);
    for (std::size_t i = 0; i < kept.size(); ++i) variation[i] = difference(after[i], kept[i], step);
    return variation;
  }

  VectorXd udot_, lambda_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<AnalysisRun> make_frequency_run(Workspace& workspace) {
  return std::make_unique<FrequencyRun>(workspace);
}

}  // namespace sestina
