#include "sestina/integrate/adams_bashforth_moulton.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sestina {
namespace {

ButcherTableau starter_tableau() {
  const auto tableaus = explicit_tableaus();
  return *std::ranges::find(tableaus, std::string("dormand_prince_54"), &ButcherTableau::name);
}

using Nodes = std::array<double, 4>;
using Weights = std::array<double, 4>;

double product(double t, const Nodes& nodes) {
  return (t - nodes[0]) * (t - nodes[1]) * (t - nodes[2]) * (t - nodes[3]);
}

// The integral of f from `begin` to `end` by Gauss quadrature with three points, exact up to degree 5.
template <class F>
auto integrate(double begin, double end, F&& f) {
  const double half = 0.5 * (end - begin), middle = begin + half;
  const double offset = std::sqrt(0.6) * half;
  return half * (5.0 / 9.0 * f(middle - offset) + 8.0 / 9.0 * f(middle) + 5.0 / 9.0 * f(middle + offset));
}

// The weights of the values at the nodes in the integral of the cubic through them.
Weights calc_weights(double begin, double end, const Nodes& nodes) {
  Weights weights;
  for (std::size_t i = 0; i < 4; ++i) {
    weights[i] = integrate(begin, end, [&](double t) {
      double basis = 1.0;
      for (std::size_t j = 0; j < 4; ++j) {
        if (j != i) basis *= (t - nodes[j]) / (nodes[i] - nodes[j]);
      }
      return basis;
    });
  }
  return weights;
}

// Calls f(value of `to`, value of `from`, index through [q, u, x, z]) for every value.
template <class F>
void for_each_value(const State<double>& from, State<double>& to, F&& f) {
  std::size_t i = 0;
  for (std::size_t k = 0; k < from.q.size(); ++k) f(to.q[k], from.q[k], i++);
  for (std::size_t k = 0; k < from.u.size(); ++k) f(to.u[k], from.u[k], i++);
  for (std::size_t k = 0; k < from.x.size(); ++k) f(to.x[k], from.x[k], i++);
  for (std::size_t k = 0; k < from.z.size(); ++k) f(to.z[k], from.z[k], i++);
}

}  // namespace

AdamsBashforthMoulton::AdamsBashforthMoulton() : starter_(starter_tableau()) {}

const std::string& AdamsBashforthMoulton::name() const {
  static const std::string kName = "adams_bashforth_moulton";
  return kName;
}

void AdamsBashforthMoulton::History::push(double t, std::span<const double> derivative) {
  const auto times = values.begin() + 1;
  const auto derivatives = times + kSteps;
  std::copy_backward(times, times + kSteps - 1, times + kSteps);
  std::copy_backward(derivatives, values.end() - static_cast<long>(n), values.end());
  *times = t;
  std::copy(derivative.begin(), derivative.end(), derivatives);
  values[0] = std::min(values[0] + 1.0, static_cast<double>(kSteps));
}

void AdamsBashforthMoulton::do_start(std::span<const double> memory) {
  refuse_history();
  const auto n = static_cast<std::size_t>(sizes_of(state()).integrated());
  history_.resize(n);
  end_.assign(n, 0.0);
  predicted_end_.assign(n, 0.0);
  predicted_ = state();
  if (!memory.empty()) {
    assert(memory.size() == history_.values.size());
    history_.values.assign(memory.begin(), memory.end());
  }
  previous_history_ = history_;
  starter_.start(equations(), state());
}

bool AdamsBashforthMoulton::do_can_remember(std::span<const double> memory) const {
  if (!is_count(memory[0], kSteps)) return false;
  double newer = state().t;  // the newest derivative may be the one at state()
  for (std::size_t k = 0; k < static_cast<std::size_t>(memory[0]); ++k) {
    const double t = memory[1 + k];
    if (!(t < newer || (k == 0 && t == newer))) return false;
    newer = t;
  }
  return true;
}

StepReport AdamsBashforthMoulton::do_step(double t_end, State<double>& candidate) {
  if (history_.count() == 0) {
    if (const StepReport report = calc_derivative(state(), end_); !report.complete()) return report;
    history_.push(state().t, end_);
  }
  return history_.count() < kSteps ? start_step(t_end, candidate) : adams_step(t_end, candidate);
}

void AdamsBashforthMoulton::do_accept() {
  last_step_was_a_start_ = history_.count() < kSteps;
  if (last_step_was_a_start_) starter_.accept();
  previous_history_.values = history_.values;
  history_.push(state().t, end_);
}

StepReport AdamsBashforthMoulton::calc_derivative(const State<double>& at, std::span<double> derivative) {
  calc_rates(at, derivative);
  const int bad = first_not_finite(derivative);
  return bad < 0 ? StepReport{} : StepReport{StepStatus::kNotFinite, bad};
}

StepReport AdamsBashforthMoulton::start_step(double t_end, State<double>& candidate) {
  starter_.start(equations(), state());
  if (const StepReport report = starter_.try_step(t_end); !report.complete()) return report;
  candidate = starter_.candidate();
  std::ranges::copy(starter_.error(), mutable_error().begin());
  return calc_derivative(candidate, end_);
}

StepReport AdamsBashforthMoulton::adams_step(double t_end, State<double>& candidate) {
  const double t = state().t;
  const Nodes past = {history_.time(0), history_.time(1), history_.time(2), history_.time(3)};
  const double* f[] = {history_.derivative(0).data(), history_.derivative(1).data(),
                       history_.derivative(2).data(), history_.derivative(3).data()};
  Weights w = calc_weights(t, t_end, past);
  predicted_.t = t_end;
  predicted_.d = state().d, predicted_.h = state().h;  // the turns of joints that close loops are a part of h
  for_each_value(state(), predicted_, [&](double& to, double from, std::size_t i) {  // (1)
    to = from + (w[0] * f[0][i] + w[1] * f[1][i] + w[2] * f[2][i] + w[3] * f[3][i]);
  });
  if (const StepReport report = calc_derivative(predicted_, predicted_end_); !report.complete())
    return report;

  w = calc_weights(t, t_end, {t_end, past[0], past[1], past[2]});
  for_each_value(state(), candidate, [&](double& to, double from, std::size_t i) {  // (2)
    to = from + (w[0] * predicted_end_[i] + w[1] * f[0][i] + w[2] * f[1][i] + w[3] * f[2][i]);
  });
  equations().project(candidate);
  update_error(t_end);
  return calc_derivative(candidate, end_);
}

// Estimates the error by (3): candidate minus exact is -D times the integral.
void AdamsBashforthMoulton::update_error(double t_end) {
  std::array<double, kSteps + 1> nodes = {t_end, history_.time(0), history_.time(1), history_.time(2),
                                          history_.time(3)};
  const Nodes interpolated = {nodes[0], nodes[1], nodes[2], nodes[3]};
  const double missed = integrate(state().t, t_end, [&](double t) { return product(t, interpolated); });
  const std::span<double> error = mutable_error();
  std::ranges::fill(error, 0.0);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    double weight = -missed;  // weight of the value at node k in D, times the integral
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != k) weight /= nodes[k] - nodes[j];
    }
    const double* f = k == 0 ? predicted_end_.data() : history_.derivative(k - 1).data();
    for (std::size_t i = 0; i < error.size(); ++i) error[i] += weight * f[i];
  }
}

StepReport AdamsBashforthMoulton::do_interpolate(double t, State<double>& out) {
  if (last_step_was_a_start_) return starter_.interpolate(t, out);
  const double begin = previous().t, end = state().t;
  const Nodes nodes = {history_.time(0), history_.time(1), history_.time(2), history_.time(3)};
  const double* f[] = {history_.derivative(0).data(), history_.derivative(1).data(),
                       history_.derivative(2).data(), history_.derivative(3).data()};
  const auto quartic = [&](double x) { return product(x, nodes); };
  const double share = integrate(begin, t, quartic) / integrate(begin, end, quartic);
  const Weights part = calc_weights(begin, t, nodes), whole = calc_weights(begin, end, nodes);
  Weights w;
  for (std::size_t k = 0; k < 4; ++k) w[k] = part[k] - share * whole[k];
  for_each_value(previous(), out, [&](double& to, double from, std::size_t i) {
    to = from + (w[0] * f[0][i] + w[1] * f[1][i] + w[2] * f[2][i] + w[3] * f[3][i]);
  });
  const auto add_share = [&](std::vector<double>& to, const std::vector<double>& y_begin,
                             const std::vector<double>& y_end) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += share * (y_end[i] - y_begin[i]);
  };
  add_share(out.q, previous().q, state().q);
  add_share(out.u, previous().u, state().u);
  add_share(out.x, previous().x, state().x);
  add_share(out.z, previous().z, state().z);
  equations().project(out);
  return {};
}

}  // namespace sestina
