#include "sestina/workspace/batch_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"

namespace sestina {
namespace {

// A remaining part of a sub-step shorter than this fraction of it is round-off.
constexpr double kNegligible = 1e-6;

int checked_count(int count) {
  if (count < 1)
    throw InputError(fmt::format("count: {} is not a number of members: expected 1 or more", count));
  return count;
}

std::vector<double> repeated(std::span<const double> one, int count) {
  std::vector<double> all;
  all.reserve(one.size() * static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) all.insert(all.end(), one.begin(), one.end());
  return all;
}

}  // namespace

BatchSimulator::BatchSimulator(const std::shared_ptr<const Model>& model,
                               const Properties<double>& properties, int count,
                               const SimulatorOptions& options, Executor* executor)
    : model_(model),
      options_(with_rule(*model, options)),
      count_(checked_count(count)),
      stepper_(model, properties, options_, executor),
      initial_(calc_assembled_state(*model, properties)),
      given_(static_cast<std::size_t>(count * model->nu())),
      t_(static_cast<std::size_t>(count)),
      q_next_(static_cast<std::size_t>(count * model->nq())),
      u_next_(given_.size()) {
  reset();
}

BatchSimulator::BatchSimulator(const std::shared_ptr<const Model>& model, int count,
                               const SimulatorOptions& options, Executor* executor)
    : BatchSimulator(model, calc_properties(*model), count, options, executor) {}

std::vector<double> BatchSimulator::checked(const char* name, std::span<const double> given,
                                            std::size_t width) const {
  const std::size_t all = width * static_cast<std::size_t>(count_);
  if (given.size() != all && given.size() != width) {
    throw InputError(fmt::format("{} has {} numbers; allowed are {} or {}", name, given.size(), all, width));
  }
  if (const int bad = first_not_finite(given); bad >= 0) {
    throw InputError(fmt::format("{}[{}] is {}; allowed is a finite number", name, bad,
                                 given[static_cast<std::size_t>(bad)]));
  }
  if (given.size() == all) return {given.begin(), given.end()};
  return repeated(given, count_);
}

std::vector<double> BatchSimulator::checked_q(std::span<const double> given) const {
  const auto nq = static_cast<std::size_t>(model_->nq());
  std::vector<double> q = checked("q", given, nq);
  for (std::size_t k = 0; k < q.size(); k += std::max<std::size_t>(nq, 1)) {
    normalize_q<double>(*model_, std::span(q).subspan(k, nq));
  }
  if (first_not_finite(q) >= 0) throw InputError("Euler parameters of q are all zero");
  return q;
}

// ---- the state ------------------------------------------------------------------------------------------

void BatchSimulator::reset() { reset(initial_.t, initial_.q, initial_.u); }

void BatchSimulator::reset(double t, std::span<const double> q, std::span<const double> u) {
  if (!std::isfinite(t)) throw InputError(fmt::format("t is {} s; allowed is a finite number", t));
  std::vector<double> new_q = checked_q(q), new_u = checked("u", u, static_cast<std::size_t>(model_->nu()));
  state_.t = t;
  state_.q = std::move(new_q);
  state_.u = std::move(new_u);
  state_.d = repeated(initial_.d, count_);
  std::ranges::fill(given_, 0.0);
  tau_ = given_;
  failed_.assign(static_cast<std::size_t>(count_), 0);
  if (controller_) controller_->start(t);
  clock_.start(t);
}

void BatchSimulator::set_state(std::span<const double> q, std::span<const double> u) {
  std::vector<double> new_q = checked_q(q), new_u = checked("u", u, static_cast<std::size_t>(model_->nu()));
  state_.q = std::move(new_q);
  state_.u = std::move(new_u);
  std::ranges::fill(failed_, 0);
}

// ---- inputs ---------------------------------------------------------------------------------------------

void BatchSimulator::set_tau(std::span<const double> tau) {
  given_ = checked("tau", tau, static_cast<std::size_t>(model_->nu()));
}

void BatchSimulator::set_controller(ControlLaw law, SamplingOptions options) {
  if (!law) throw InputError("a controller without a law: allowed is a function");
  SampledController controller(std::move(law), std::move(options), static_cast<int>(given_.size()));
  controller.start(t());
  controller_ = std::move(controller);
}

// ---- steps ----------------------------------------------------------------------------------------------

void BatchSimulator::step(double dt) {
  const double end = clock_.calc_end(t(), dt);
  while (t() < end) {
    double stop = end;
    std::ranges::copy(given_, tau_.begin());
    if (controller_) {
      controller_->update(state_);
      const std::span<const double> tau = controller_->tau();
      for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += tau[i];
      // Effects that are due at the end are applied at the beginning of the next step.
      if (const double next = controller_->next_change(); next < end - controller_->same_time()) stop = next;
    }
    run_to(stop, dt / options_.substeps);
  }
  clock_.count(t());
}

void BatchSimulator::run_to(double t_stop, double longest) {
  const double interval = t_stop - t();
  stepper_.set_substeps(std::max(1, static_cast<int>(std::ceil(interval / longest - kNegligible))));
  std::ranges::fill(t_, t());
  const std::vector<StateFailure> failures =
      stepper_.step({.count = count_, .t = t_, .q = state_.q, .u = state_.u, .d = state_.d, .tau = tau_},
                    interval, q_next_, u_next_);
  if (!keeps_failed_ && !failures.empty()) {
    throw ComputationError(t(),
                           fmt::format("member {}: {}", failures.front().state, failures.front().reason));
  }
  for (const StateFailure& failure : failures) failed_[static_cast<std::size_t>(failure.state)] = 1;
  const auto nq = static_cast<std::size_t>(model_->nq()), nu = static_cast<std::size_t>(model_->nu());
  for (std::size_t k = 0; k < failed_.size(); ++k) {
    if (failed_[k] == 0) continue;
    std::copy_n(&state_.q[k * nq], nq, &q_next_[k * nq]);
    std::copy_n(&state_.u[k * nu], nu, &u_next_[k * nu]);
  }
  std::swap(state_.q, q_next_);
  std::swap(state_.u, u_next_);
  state_.t = t_stop;
}

// ---- values ---------------------------------------------------------------------------------------------

BatchSimulator::Snapshot BatchSimulator::save() const {
  Snapshot snapshot{state_, given_, failed_, {}, clock_.at(t())};
  if (controller_) snapshot.controller = controller_->memory();
  return snapshot;
}

void BatchSimulator::restore(const Snapshot& snapshot) {
  if (snapshot.state.q.size() != state_.q.size() || snapshot.state.u.size() != state_.u.size() ||
      snapshot.state.d.size() != state_.d.size() || snapshot.failed.size() != failed_.size()) {
    throw InputError("the saved state belongs to another model or to another number of members");
  }
  if (snapshot.controller.has_value() != controller_.has_value()) {
    throw InputError(snapshot.controller ? "the saved state has a controller, which is missing here"
                                         : "the saved state has no controller, but there is one here");
  }
  if (controller_) {
    controller_->check(*snapshot.controller);
    controller_->restore(*snapshot.controller);
  }
  state_ = snapshot.state;
  given_ = snapshot.tau;
  failed_ = snapshot.failed;
  clock_ = snapshot.clock;
}

}  // namespace sestina
