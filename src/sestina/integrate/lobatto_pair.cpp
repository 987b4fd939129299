#include "sestina/integrate/lobatto_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sestina/base/error.h"
#include "sestina/integrate/displacement.h"

namespace sestina {
namespace {

constexpr int kRemembered = 3;

}  // namespace

const LobattoTableau& lobatto_tableau(int stages) {
  static const LobattoTableau two = {.stages = 2,
                                     .b = {1.0 / 2, 1.0 / 2, 0.0},
                                     .c = {0.0, 1.0, 0.0},
                                     .a = {{{0.0, 0.0, 0.0}, {1.0 / 2, 1.0 / 2, 0.0}, {}}},
                                     .a_hat = {{{1.0 / 2, 0.0, 0.0}, {1.0 / 2, 0.0, 0.0}, {}}}};
  static const LobattoTableau three = {
      .stages = 3,
      .b = {1.0 / 6, 2.0 / 3, 1.0 / 6},
      .c = {0.0, 1.0 / 2, 1.0},
      .a = {{{0.0, 0.0, 0.0}, {5.0 / 24, 1.0 / 3, -1.0 / 24}, {1.0 / 6, 2.0 / 3, 1.0 / 6}}},
      .a_hat = {{{1.0 / 6, -1.0 / 6, 0.0}, {1.0 / 6, 1.0 / 3, 0.0}, {1.0 / 6, 5.0 / 6, 0.0}}}};
  assert(stages == 2 || stages == 3);
  return stages == 2 ? two : three;
}

LobattoPair::LobattoPair(int stages, Form form) : tableau_(lobatto_tableau(stages)), form_(form) {}

const std::string& LobattoPair::name() const {
  static const std::string kName = "lobatto_iiia_iiib";
  return kName;
}

void LobattoPair::do_start(std::span<const double> memory) {
  refuse_first_order_states();
  const bool has_momenta = form_ == Form::kMomentum;
  if (has_momenta && equations().momentum_face() == nullptr) {
    throw InputError(fmt::format("{} in momentum form needs equations that provide momenta", name()));
  }
  // The last stage's force does not enter (2), (3): its column of ^a is zero. In (6) every force enters.
  const bool is_coupled = has_momenta && !equations().rotations().empty();
  force_stages_ = is_coupled ? tableau_.stages : tableau_.stages - 1;
  const auto s = static_cast<std::size_t>(tableau_.stages);
  const std::size_t nu = state().u.size();
  iteration_.resize(s * nu);
  for (auto* v : {&y_, &y_next_, &x_, &f_, &phi_, &P_}) v->assign(s * nu, 0.0);
  for (auto* v : {&X_, &half_, &begin_, &end_, &pi_begin_, &pi_}) v->assign(nu, 0.0);
  stages_.assign(s, state());
  zdot_.assign(s * state().z.size(), 0.0);
  center_.assign(state().q.size(), 0.0);
  current_.assign(1 + kRemembered * s * nu, 0.0);
  if (!memory.empty()) {
    assert(memory.size() == current_.size());
    current_.assign(memory.begin(), memory.end());
  }
  previous_ = current_;
}

bool LobattoPair::do_can_remember(std::span<const double> memory) const {
  return is_count(memory[0], kRemembered);
}

StepReport LobattoPair::do_step(double t_end, State<double>& candidate) {
  set_guess(state(), current_);
  return calc_step(state(), t_end, candidate);
}

void LobattoPair::do_accept() {
  std::swap(previous_, current_);
  const std::size_t n = y_.size();
  current_[0] = std::min(previous_[0] + 1.0, static_cast<double>(kRemembered));
  std::copy(y_.begin(), y_.end(), current_.begin() + 1);
  std::copy_n(previous_.begin() + 1, (kRemembered - 1) * n, current_.begin() + 1 + static_cast<long>(n));
}

StepReport LobattoPair::do_interpolate(double t, State<double>& out) {
  set_guess(previous(), previous_);
  return calc_step(previous(), t, out);
}

// Extrapolates y from the last steps, stage by stage, by the polynomial through them.
void LobattoPair::set_guess(const State<double>& from, std::span<const double> memory) {
  static constexpr double kWeights[kRemembered][kRemembered] = {{1, 0, 0}, {2, -1, 0}, {3, -3, 1}};
  const int steps = static_cast<int>(memory[0]);
  if (steps == 0) {
    for (int i = 0; i < tableau_.stages; ++i) std::copy(from.u.begin(), from.u.end(), stage(y_, i).begin());
    return;
  }
  const auto& w = kWeights[steps - 1];
  const std::size_t n = y_.size();
  for (std::size_t i = 0; i < n; ++i) {
    y_[i] = w[0] * memory[1 + i] + w[1] * memory[1 + n + i] + w[2] * memory[1 + 2 * n + i];
  }
}

StepReport LobattoPair::calc_step(const State<double>& from, double t_end, State<double>& to) {
  const double h = t_end - from.t;
  if (form_ == Form::kMomentum) {
    equations().momentum_face()->calc_momentum(from, begin_);
  } else {
    begin_ = from.u;
  }
  if (const StepReport report = solve_stages(from, t_end); !report.complete()) return report;
  update_positions(from, t_end);
  const StepReport report = update_forces(force_stages_, tableau_.stages);
  if (!report.complete()) return report;
  update_balance(h);

  equations().plus(from.q, X_, to.q);
  equations().normalize(to.q);  // prevents drift by rounding
  to.t = t_end;
  if (form_ == Form::kMomentum) {
    equations().momentum_face()->calc_speeds(to, end_, to.u);
  } else {
    to.u = end_;
  }
  to.z = from.z;
  for (int i = 0; i < tableau_.stages; ++i) {
    const double weight = h * tableau_.b[static_cast<std::size_t>(i)];
    const std::span<const double> zdot = stage(zdot_, i);
    for (std::size_t j = 0; j < zdot.size(); ++j) to.z[j] += weight * zdot[j];
  }
  return {};
}

StepReport LobattoPair::solve_stages(const State<double>& from, double t_end) {
  const double h = t_end - from.t;
  const int nq = static_cast<int>(from.q.size()), nu = static_cast<int>(from.u.size());
  return iteration_.solve(y_, y_next_, nq, nu, [&] {
    update_positions(from, t_end);
    for (const State<double>& stage : stages_) {
      if (const int bad = first_not_finite(stage.q); bad >= 0) return bad;
    }
    for (const State<double>& stage : stages_) {
      if (const int bad = first_not_finite(stage.u); bad >= 0) return nq + bad;
    }
    const StepReport report = update_forces(0, force_stages_);
    if (!report.complete()) return report.coordinate;
    update_balance(h);
    for (int i = 0; i < tableau_.stages; ++i) calc_stage_rate(h, i);
    return -1;
  });
}

void LobattoPair::update_positions(const State<double>& from, double t_end) {
  const double h = t_end - from.t;
  const std::size_t nu = from.u.size();
  const auto s = static_cast<std::size_t>(tableau_.stages);
  for (std::size_t k = 0; k < nu; ++k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < s; ++j) sum += tableau_.b[j] * y_[j * nu + k];
    X_[k] = h * sum;
    half_[k] = 0.5 * X_[k];
    for (std::size_t i = 0; i < s; ++i) {
      sum = 0.0;
      for (std::size_t j = 0; j < s; ++j) sum += tableau_.a[i][j] * y_[j * nu + k];
      x_[i * nu + k] = h * sum - half_[k];
    }
  }
  equations().plus(from.q, half_, center_);
  for (int i = 0; i < tableau_.stages; ++i) {
    State<double>& at = stage(i);
    const double c = tableau_.c[static_cast<std::size_t>(i)];
    at.t = c == 1.0 ? t_end : from.t + c * h;
    at.h = from.h;
    equations().plus(center_, stage(x_, i), at.q);
    calc_speeds_of_displacement(equations().rotations(), stage(x_, i), stage(y_, i), at.u);
  }
}

StepReport LobattoPair::update_forces(int first, int end) {
  for (int i = first; i < end; ++i) {
    if (form_ == Form::kMomentum) {
      equations().momentum_face()->calc_momentum_rate(stage(i), stage(f_, i), stage(zdot_, i));
      if (!equations().rotations().empty()) {
        equations().momentum_face()->calc_momentum(stage(i), stage(P_, i));
      }
    } else {
      equations().calc_derivatives(stage(i), {stage(f_, i), {}, stage(zdot_, i)});
    }
    if (const int bad = first_not_finite(stage(f_, i)); bad >= 0) {
      return {StepStatus::kNotFinite, static_cast<int>(state().q.size()) + bad};
    }
  }
  return {};
}

void LobattoPair::update_balance(double h) {
  phi_ = f_;
  pi_begin_ = end_ = begin_;
  add_forces(h, tableau_.b, end_);
  if (form_ == Form::kVelocity) return;
  for (const int k : equations().rotations()) update_rotation(h, k);
}

void LobattoPair::update_rotation(double h, int k) {
  const Vec3<double> X = three_of(X_, k), half = three_of(half_, k);
  Vec3<double> Phi, K;
  for (int i = 0; i < tableau_.stages; ++i) {
    const double weight = h * tableau_.b[static_cast<std::size_t>(i)];
    const Vec3<double> x = three_of(stage(x_, i), k), y = three_of(stage(y_, i), k);
    const Vec3<double> u = three_of(stage(i).u, k), P = three_of(stage(P_, i), k);
    const Vec3<double> P_rate = three_of(stage(f_, i), k);
    const Vec3<double> phi = dexp(-x, P_rate) + dexp_rate_transpose_times(x, y, P);  // (4)
    set_three_of(stage(phi_, i), k, phi);
    Phi += weight * phi;
    K += weight * turned(-x, P_rate - cross(u, P));
  }
  const Vec3<double> mu = dexp(X, three_of(begin_, k) + turned(-half, K));  // (6)
  set_three_of(end_, k, dexp_inverse(-X, mu));                              // (6)
  set_three_of(pi_begin_, k, mu - 0.5 * Phi - 0.5 * dexp(-half, K));        // (5)
}

void LobattoPair::calc_stage_rate(double h, int i) {
  const std::span<const int> rotations = equations().rotations();
  pi_ = pi_begin_;
  add_forces(h, tableau_.a_hat[static_cast<std::size_t>(i)], pi_);
  const std::span<double> y = stage(y_next_, i);
  if (form_ == Form::kMomentum) {
    for (const int k : rotations) {
      set_three_of(pi_, k, dexp_inverse(-three_of(stage(x_, i), k), three_of(pi_, k)));
    }
    equations().momentum_face()->calc_speeds(stage(i), pi_, y);
  } else {
    std::ranges::copy(pi_, y.begin());
  }
  calc_displacement_rate(rotations, stage(x_, i), y, y);
}

void LobattoPair::add_forces(double h, std::span<const double> weights, std::span<double> sum) const {
  const std::size_t n = sum.size();
  for (std::size_t j = 0; j < static_cast<std::size_t>(tableau_.stages); ++j) {
    const double weight = h * weights[j];
    if (weight == 0.0) continue;
    for (std::size_t i = 0; i < n; ++i) sum[i] += weight * phi_[j * n + i];
  }
}

}  // namespace sestina
