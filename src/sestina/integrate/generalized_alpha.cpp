#include "sestina/integrate/generalized_alpha.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/integrate/displacement.h"
#include "sestina/integrate/newton_progress.h"

namespace sestina {
namespace {

constexpr double kSameStep = 1e-9;  // steps whose lengths differ by less share their factors

// Layout of the memory of the rule.
constexpr std::size_t kHasSteps = 0, kH = 1, kHasTangents = 2, kFactorsH = 3, kMustRenew = 4, kRate = 5,
                      kLeastIterations = 6, kExtraIterations = 7, kHead = 8;

// Value at theta of the cubic with these values and rates (per step) at 0 and 1.
double cubic(double theta, double begin, double end, double rate_begin, double rate_end) {
  const double rest = 1.0 - theta, difference = end - begin;
  return begin +
         theta * (difference + rest * (rest * (rate_begin - difference) - theta * (rate_end - difference)));
}

}  // namespace

AlphaCoefficients generalized_alpha_coefficients(double rho) {
  if (!(rho >= 0.0 && rho <= 1.0)) {
    throw InputError({{{{}, "spectral_radius"}, fmt::format("{} is not from 0 to 1", rho)}});
  }
  const double alpha_m = (2.0 * rho - 1.0) / (rho + 1.0), alpha_f = rho / (rho + 1.0);
  const double gamma = 0.5 + alpha_f - alpha_m;
  return {"generalized_alpha", alpha_m, alpha_f, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma};
}

AlphaCoefficients trapezoidal_coefficients() { return {"trapezoidal", 0.0, 0.0, 0.25, 0.5, false}; }

GeneralizedAlpha::GeneralizedAlpha(AlphaCoefficients coefficients) : coefficients_(std::move(coefficients)) {
  const auto& [name, alpha_m, alpha_f, beta, gamma, damps_conditions] = coefficients_;
  const double d = alpha_m - alpha_f;
  const double c =
      0.5 * (1.0 - alpha_f) - 0.5 * (1.0 - alpha_m) * (1.0 + d) * (1.0 + d) - 0.5 * alpha_m * d * d;
  k_ = (1.0 - alpha_f) / (1.0 - alpha_m);
  q_error_ = beta + 0.5 * d - 1.0 / 6;                       // (7)
  w_error_ = 0.5 * d * d + c + gamma * (d + 0.5) - 1.0 / 6;  // (8)
}

void GeneralizedAlpha::do_start(std::span<const double> memory) {
  equations_.start(equations());
  equations_.resize(matrix_);
  const std::size_t nw = equations_.nw(), rows = equations_.rows(), nu = state().u.size(),
                    nz = state().z.size();
  end_ = state();
  for (auto* v : {&begin_w_dot_, &begin_a_, &start_slope_, &w_dot_, &a_, &slope_, &r_}) v->assign(nw, 0.0);
  for (auto* v : {&lambda_, &begin_lambda_, &v_}) v->assign(rows, 0.0);
  for (auto* v : {&X_, &e_x_}) v->assign(nu, 0.0);
  for (auto* v : {&begin_zdot_, &zdot_}) v->assign(nz, 0.0);
  places_ = {.w_dot = kHead,
             .a = kHead + nw,
             .slope = kHead + 2 * nw,
             .zdot = kHead + 3 * nw,
             .lambda = kHead + 3 * nw + nz,
             .lambda_slope = kHead + 3 * nw + nz + rows,
             .tangents = kHead + 3 * nw + nz + 2 * rows,
             .size = kHead + 3 * nw + nz + 2 * rows + equations_.memory_size()};
  memory_.assign(places_.size, 0.0);
  memory_[kRate] = 1.0;
  if (!memory.empty()) std::ranges::copy(memory, memory_.begin());
  previous_memory_ = memory_;
  take_memory();
  has_start_ = false;
}

bool GeneralizedAlpha::do_can_remember(std::span<const double> memory) const {
  return is_count(memory[kHasSteps], 2) && is_count(memory[kHasTangents], 1) &&
         is_count(memory[kMustRenew], 1) && memory[kRate] >= 0.0 && memory[kLeastIterations] >= 0.0 &&
         memory[kExtraIterations] >= 0.0;
}

void GeneralizedAlpha::take_memory() {
  rate_ = memory_[kRate];
  wear_ = TangentWear(memory_[kLeastIterations], memory_[kExtraIterations]);
  must_renew_ = memory_[kMustRenew] != 0.0;
  factors_h_ = 0.0;
  equations_.forget();
  if (memory_[kHasTangents] == 0.0) return;
  const std::span<const double> place = std::span<const double>(memory_).subspan(places_.tangents);
  if (equations_.restore(place, state()) && memory_[kFactorsH] != 0.0) factorize(memory_[kFactorsH]);
}

void GeneralizedAlpha::do_accept() {
  std::swap(previous_memory_, memory_);
  memory_[kHasSteps] = std::min(previous_memory_[kHasSteps] + 1.0, 2.0);
  memory_[kH] = state().t - previous().t;
  memory_[kHasTangents] = equations_.has_tangents() ? 1.0 : 0.0;
  memory_[kFactorsH] = factors_h_;
  memory_[kMustRenew] = must_renew_ ? 1.0 : 0.0;
  memory_[kRate] = rate_;
  memory_[kLeastIterations] = wear_.least();
  memory_[kExtraIterations] = wear_.extra();
  auto to = std::ranges::copy(w_dot_, memory_.begin() + static_cast<long>(places_.w_dot)).out;
  for (const auto* values : {&a_, &slope_, &zdot_, &lambda_}) to = std::ranges::copy(*values, to).out;
  for (std::size_t i = 0; i < lambda_.size(); ++i) *to++ = (lambda_[i] - begin_lambda_[i]) / memory_[kH];
  std::ranges::copy(equations_.memory(), to);
  has_start_ = false;
}

// ---- one step ---------------------------------------------------------------------------------------------

StepReport GeneralizedAlpha::do_step(double t_end, State<double>& candidate) {
  const double h = t_end - state().t;
  prepare_start(h);
  end_.t = t_end;
  end_.h = state().h;
  end_.d = state().d;
  if (const StepReport report = solve(h); !report.complete()) return report;
  update_end(h);
  candidate.q = end_.q, candidate.u = end_.u, candidate.x = end_.x, candidate.z = state().z;
  if (!zdot_.empty()) {
    equations_.face().calc_quadrature_rates(end_, lambda_, zdot_);
    for (std::size_t k = 0; k < zdot_.size(); ++k) {
      candidate.z[k] += 0.5 * h * (begin_zdot_[k] + zdot_[k]);
    }
  }
  equations().project(candidate, Projection::smooth);
  update_error(h, candidate);
  return {};
}

void GeneralizedAlpha::prepare_start(double h) {
  const std::size_t nw = equations_.nw();
  if (memory_[kHasSteps] == 0.0) {
    if (!has_start_) {
      equations_.face().calc_start(state(), begin_w_dot_, begin_lambda_);
      if (!begin_zdot_.empty()) {
        equations_.face().calc_quadrature_rates(state(), begin_lambda_, begin_zdot_);
      }
      find_start_slope(h);
      has_start_ = true;
    }
    const double d = coefficients_.alpha_m - coefficients_.alpha_f;
    for (std::size_t i = 0; i < nw; ++i) begin_a_[i] = begin_w_dot_[i] + d * h * start_slope_[i];
    return;
  }
  const auto take = [&](std::size_t place, std::vector<double>& to) {
    std::copy_n(memory_.begin() + static_cast<long>(place), to.size(), to.begin());
  };
  take(places_.zdot, begin_zdot_);
  if (!coefficients_.damps_conditions && !lambda_.empty()) {
    if (!has_start_) equations_.face().calc_start(state(), begin_w_dot_, begin_lambda_);
    has_start_ = true;
    begin_a_ = begin_w_dot_;
    return;
  }
  take(places_.w_dot, begin_w_dot_), take(places_.lambda, begin_lambda_);
  const double ratio = h / memory_[kH];
  for (std::size_t i = 0; i < nw; ++i) {
    begin_a_[i] = begin_w_dot_[i] + ratio * (memory_[places_.a + i] - begin_w_dot_[i]);
  }
}

void GeneralizedAlpha::find_start_slope(double h) {
  std::ranges::fill(start_slope_, 0.0);
  const double part = std::abs(coefficients_.alpha_m - coefficients_.alpha_f), step = part * h;
  if (part == 0.0) return;
  const std::size_t nu = state().u.size();
  end_ = state();
  end_.t += step;
  for (std::size_t i = 0; i < nu; ++i) {
    X_[i] = step * (state().u[i] + 0.5 * step * begin_w_dot_[i]);
    end_.u[i] += step * begin_w_dot_[i];
  }
  for (std::size_t i = 0; i < end_.x.size(); ++i) end_.x[i] += step * begin_w_dot_[nu + i];
  equations().plus(state().q, X_, end_.q);
  try {
    equations_.face().calc_start(end_, w_dot_, lambda_);
  } catch (const ComputationError&) {
    return;  // if the step is too long for this, its error estimate shows it
  }
  double change = 0.0, rates = 0.0, speeds = 0.0;
  for (std::size_t i = 0; i < w_dot_.size(); ++i) {
    change = std::hypot(change, w_dot_[i] - begin_w_dot_[i]);
    rates = std::hypot(rates, begin_w_dot_[i]);
    speeds = std::hypot(speeds, i < nu ? state().u[i] : state().x[i - nu]);
  }
  if (!(std::abs(h) * change <= part * (speeds + std::abs(h) * rates))) return;
  for (std::size_t i = 0; i < w_dot_.size(); ++i) start_slope_[i] = (w_dot_[i] - begin_w_dot_[i]) / step;
}

bool GeneralizedAlpha::factorize(double h) {
  const auto& [name, alpha_m, alpha_f, beta, gamma, damps_conditions] = coefficients_;
  const bool is_regular =
      equations_.factorize<double>(matrix_, 1.0, h * gamma * k_, h * h * beta * k_, h * beta / gamma);
  factors_h_ = is_regular ? h : 0.0;
  return is_regular;
}

bool GeneralizedAlpha::renew_tangents(double h) {
  must_renew_ = false;
  rate_ = 1.0;
  wear_ = {};
  factors_h_ = 0.0;
  return equations_.update(state(), begin_w_dot_, begin_lambda_) && factorize(h);
}

// Renews the tangents within a step.
bool GeneralizedAlpha::renew_at_iterate(double h) {
  wear_ = {};
  update_end(h);
  return equations_.update(end_, w_dot_, lambda_) && factorize(h);
}

// Steps that are solved to round-off extrapolate with the slopes of the previous step. With error control the
// slopes of short steps are mostly residuals of the iteration, which would grow from step to step.
void GeneralizedAlpha::predict(double h) {
  lambda_ = begin_lambda_;
  w_dot_ = begin_w_dot_;
  if (memory_[kHasSteps] == 0.0 || tolerances_.rtol > kToRoundOff.rtol) return;
  for (std::size_t i = 0; i < w_dot_.size(); ++i) w_dot_[i] += h * memory_[places_.slope + i];
  for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] += h * memory_[places_.lambda_slope + i];
}

StepReport GeneralizedAlpha::solve(double h) {
  bool are_new = !equations_.has_tangents() || must_renew_;
  const bool has_factors = factors_h_ != 0.0 && std::abs(h / factors_h_ - 1.0) <= kSameStep;
  bool is_regular = are_new ? renew_tangents(h) : has_factors || factorize(h);
  for (;;) {
    StepReport report{StepStatus::kNotConverged, static_cast<int>(state().q.size())};
    bool has_converged = false;
    if (is_regular) {
      predict(h);
      for (std::size_t k = 0; k < lambda_.size(); ++k) {
        if (!equations_.is_active(k)) lambda_[k] = 0.0;
      }
      try {
        report = iterate(h, has_converged);
      } catch (const ComputationError&) {
        if (are_new) throw;
      }
      if (has_converged) return {};
    }
    if (are_new) {
      must_renew_ = true;
      return report;
    }
    are_new = true;
    is_regular = renew_tangents(h);
  }
}

StepReport GeneralizedAlpha::iterate(double h, bool& has_converged) {
  const int nq = static_cast<int>(state().q.size());
  NewtonProgress progress(rate_, tolerances_, equations_.face().tangent_cost());
  for (;;) {
    if (const int bad = evaluate_end(h); bad >= 0) return {StepStatus::kNotFinite, bad};
    matrix_.solve(r_, v_);
    for (std::size_t i = 0; i < r_.size(); ++i) w_dot_[i] += r_[i];
    for (std::size_t i = 0; i < v_.size(); ++i) lambda_[i] += v_[i];
    double rounding = 0.0;
    const double norm = norm_of_increments(h, rounding);
    if (!std::isfinite(norm)) return {StepStatus::kNotFinite, nq + std::max(first_not_finite(w_dot_), 0)};
    switch (progress.take(norm, rounding)) {
      case NewtonProgress::Outcome::kGoesOn:
        if (!progress.pays_to_renew()) break;
        if (!progress.renew() || !renew_at_iterate(h)) return {StepStatus::kNotConverged, nq};
        break;
      case NewtonProgress::Outcome::kDiverges:
        for (std::size_t i = 0; i < r_.size(); ++i) w_dot_[i] -= r_[i];
        for (std::size_t i = 0; i < v_.size(); ++i) lambda_[i] -= v_[i];
        if (!progress.renew() || !renew_at_iterate(h)) return {StepStatus::kNotConverged, nq};
        break;
      case NewtonProgress::Outcome::kConverged:
        has_converged = true;
        rate_ = progress.rate();
        progress.add_to(wear_);
        must_renew_ = must_renew_ || progress.needs_new_tangents(wear_);
        return {};
    }
  }
}

// (1) to (3)
void GeneralizedAlpha::update_end(double h) {
  const auto& [name, alpha_m, alpha_f, beta, gamma, damps_conditions] = coefficients_;
  const std::size_t nu = state().u.size();
  for (std::size_t i = 0; i < a_.size(); ++i) {
    a_[i] =
        ((1.0 - alpha_f) * w_dot_[i] + alpha_f * begin_w_dot_[i] - alpha_m * begin_a_[i]) / (1.0 - alpha_m);
    const double change = h * ((1.0 - gamma) * begin_a_[i] + gamma * a_[i]);
    if (i < nu) {
      end_.u[i] = state().u[i] + change;
      X_[i] = h * state().u[i] + h * h * ((0.5 - beta) * begin_a_[i] + beta * a_[i]);
    } else {
      end_.x[i - nu] = state().x[i - nu] + change;
    }
  }
  equations().plus(state().q, X_, end_.q);
}

// The right-hand side of (6).
int GeneralizedAlpha::evaluate_end(double h) {
  const auto& [name, alpha_m, alpha_f, beta, gamma, damps_conditions] = coefficients_;
  update_end(h);
  const int nq = static_cast<int>(state().q.size());
  if (const int bad = first_not_finite(end_.q); bad >= 0) return bad;
  equations_.face().calc_residual(end_, w_dot_, lambda_, {r_, v_});
  if (const int bad = first_not_finite(r_); bad >= 0) return nq + bad;
  for (double& r : r_) r = -r;
  for (std::size_t k = 0; k < v_.size(); ++k) {
    v_[k] = -v_[k] / (h * gamma * k_);
    if (!equations_.is_active(k)) v_[k] = 0.0;
  }
  return first_not_finite(v_) >= 0 ? nq : -1;
}

double GeneralizedAlpha::norm_of_increments(double h, double& rounding) const {
  const std::size_t nu = state().u.size();
  const StepTolerances tolerances(tolerances_, h, end_.u, end_.x);
  const double of_w = std::abs(h) * coefficients_.gamma * k_;
  const double of_X = h * h * coefficients_.beta * k_ / tolerances.of_displacement();
  double norm = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < r_.size(); ++i) {
    const double before = i < nu ? state().u[i] : state().x[i - nu];
    const double after = i < nu ? end_.u[i] : end_.x[i - nu];
    double scale = of_w / tolerances.of(before, after);
    if (i < nu) scale = std::max(scale, of_X);
    norm = std::max(norm, std::abs(r_[i]) * scale);
    sum += 0.0 * r_[i];
  }
  rounding = tolerances.rounding();
  return norm + sum;
}

void GeneralizedAlpha::update_error(double h, State<double>& candidate) {
  const std::size_t nq = candidate.q.size();
  const std::span<double> error = mutable_error();
  const std::span<double> of_w = error.subspan(nq);
  const bool has_slope = memory_[kHasSteps] != 0.0;
  for (std::size_t i = 0; i < a_.size(); ++i) {
    slope_[i] = (a_[i] - begin_a_[i]) / h;
    if (i < e_x_.size()) e_x_[i] = q_error_ * h * h * h * slope_[i];  // (7)
    of_w[i] = 0.0;
    if (!has_slope) continue;
    const double second = 2.0 * (slope_[i] - memory_[places_.slope + i]) / (h + memory_[kH]);
    of_w[i] = w_error_ * h * h * h * second;  // (8)
  }
  equations().calc_q_dot(candidate.q, e_x_, error.first(nq));
}

// ---- dense output -----------------------------------------------------------------------------------------

StepReport GeneralizedAlpha::do_interpolate(double t, State<double>& out) {
  const State<double>&from = previous(), &to = state();
  const double h = to.t - from.t, theta = (t - from.t) / h;
  const std::size_t nu = from.u.size();
  out.d = from.d;
  for (std::size_t i = 0; i < a_.size(); ++i) {
    const double begin = i < nu ? from.u[i] : from.x[i - nu], end = i < nu ? to.u[i] : to.x[i - nu];
    (i < nu ? out.u[i] : out.x[i - nu]) = cubic(theta, begin, end, h * begin_w_dot_[i], h * w_dot_[i]);
  }
  for (std::size_t k = 0; k < zdot_.size(); ++k) {
    out.z[k] = cubic(theta, from.z[k], to.z[k], h * begin_zdot_[k], h * zdot_[k]);
  }
  equations().minus(to.q, from.q, X_);
  calc_displacement_rate(equations().rotations(), X_, to.u, e_x_);
  for (std::size_t i = 0; i < nu; ++i) X_[i] = cubic(theta, 0.0, X_[i], h * from.u[i], h * e_x_[i]);
  equations().plus(from.q, X_, out.q);
  equations().project(out, Projection::smooth);
  return {};
}

}  // namespace sestina
