#include "sestina/batch/batch_dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"

namespace sestina {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
// Batches that a thread takes at a time: some microseconds of work.
constexpr int kBatchesAtATime = 8;

template <class Number>
std::span<Number> row(std::span<Number> array, int k, int width) {
  if (array.empty()) return {};
  return array.subspan(static_cast<std::size_t>(k) * static_cast<std::size_t>(width),
                       static_cast<std::size_t>(width));
}

bool is_all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// Recomputes rows that are not finite one by one: retry(k, row) returns the reason of the failure.
template <class Retry>
std::vector<StateFailure> find_failures(int count, int width, std::span<double> results, const Retry& retry) {
  std::vector<StateFailure> failures;
  for (int k = 0; k < count; ++k) {
    const std::span<double> result = row(results, k, width);
    if (is_all_finite(result)) continue;
    std::string reason = retry(k, result);
    if (reason.empty()) continue;
    std::fill(result.begin(), result.end(), kNoNumber);
    failures.push_back({k, std::move(reason)});
  }
  return failures;
}

}  // namespace

BatchDynamics::BatchDynamics(std::shared_ptr<const Model> model, Properties<double> properties,
                             Executor* executor, InstructionSet instruction_set)
    : model_(std::move(model)),
      executor_(executor),
      instruction_set_(instruction_set),
      scalar_(model_, std::move(properties), "recursive"),
      inverse_(*model_) {
  if (!is_available(instruction_set)) {
    throw InputError(fmt::format("this processor or this build has no {}", to_string(instruction_set)));
  }
  state_.q.resize(static_cast<std::size_t>(model_->nq()));
  state_.u.resize(static_cast<std::size_t>(model_->nu()));
  state_.d.resize(static_cast<std::size_t>(model_->nd()));
  const State<double> initial = calc_initial_state(*model_);
  state_.h = initial.h;
  state_.x = initial.x;
  if (!model_->user_forces().empty() || model_->is_constrained() || !model_->plan().connectors.empty() ||
      model_->nx() > 0)
    return;
  const Properties<double>* const set = &scalar_.properties();
  const int threads = executor == nullptr ? 1 : executor->threads();
  for (int i = 0; i < threads; ++i) {
    kernels_.push_back(make_batch_kernel(instruction_set, *model_, {&set, 1}));
  }
}

void BatchDynamics::check_size(const char* array, std::size_t given, int count, int width,
                               bool may_be_empty) const {
  const auto wanted = static_cast<std::size_t>(count) * static_cast<std::size_t>(width);
  if (given == wanted || (may_be_empty && given == 0)) return;
  throw InputError(
      fmt::format("{} has {} numbers; {} states of {} each are {}", array, given, count, width, wanted));
}

void BatchDynamics::check(const StateArrays& states) const {
  if (states.count < 0) throw InputError(fmt::format("{} is not a number of states", states.count));
  check_size("t", states.t.size(), states.count, 1, true);
  check_size("q", states.q.size(), states.count, model_->nq(), false);
  check_size("u", states.u.size(), states.count, model_->nu(), false);
  check_size("d", states.d.size(), states.count, model_->nd(), false);
  check_size("tau", states.tau.size(), states.count, model_->nu(), true);
}

template <class Evaluate>
int BatchDynamics::for_all(int count, const Evaluate& evaluate) {
  const int at_a_time = kBatchesAtATime * lanes_of(instruction_set_);
  if (kernels_.size() == 1 || count <= at_a_time) return evaluate(*kernels_.front(), 0, count);
  // Any free thread takes the next states; results do not depend on which thread computes a state.
  std::atomic<int> next{0}, failures{0};
  executor_->parallel_for(static_cast<int>(kernels_.size()), 1, [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      BatchKernel& kernel = *kernels_[static_cast<std::size_t>(i)];
      for (int begin = next.fetch_add(at_a_time); begin < count; begin = next.fetch_add(at_a_time)) {
        failures += evaluate(kernel, begin, std::min(count, begin + at_a_time));
      }
    }
  });
  return failures;
}

void BatchDynamics::load(const StateArrays& states, int k) {
  const auto copy = [k](std::span<const double> from, std::vector<double>& to) {
    const auto numbers = row(from, k, static_cast<int>(to.size()));
    std::copy(numbers.begin(), numbers.end(), to.begin());
  };
  state_.t = states.t.empty() ? 0.0 : states.t[static_cast<std::size_t>(k)];
  copy(states.q, state_.q), copy(states.u, state_.u), copy(states.d, state_.d);
}

std::string BatchDynamics::try_udot(const StateArrays& states, int k, std::span<double> udot) {
  load(states, k);
  try {
    scalar_.calc_udot(state_, udot, row(states.tau, k, model_->nu()));
  } catch (const ComputationError& error) {
    return error.reason();
  }
  return {};
}

std::string BatchDynamics::try_tau(const StateArrays& states, int k, std::span<const double> udot,
                                   std::span<double> tau) {
  load(states, k);
  scalar_.update(state_);
  update_inverse_dynamics<double>(*model_, scalar_.properties(), scalar_.kinematics(), scalar_.forces(), udot,
                                  inverse_);
  const auto given = row(states.tau, k, model_->nu());
  for (std::size_t i = 0; i < tau.size(); ++i) {
    tau[i] = inverse_.residual[i] - (given.empty() ? 0.0 : given[i]);
  }
  if (is_all_finite(tau)) return {};
  AppliedForces<double> forces = scalar_.forces();
  std::string reason =
      explain_non_finite_force(*model_, scalar_.properties(), state_, scalar_.kinematics(), forces);
  return reason.empty() ? "the state or udot is not finite" : reason;
}

std::vector<StateFailure> BatchDynamics::calc_udot(const StateArrays& states, std::span<double> udot) {
  check(states);
  const int nu = model_->nu();
  check_size("udot", udot.size(), states.count, nu, false);
  if (kernels_.empty()) {
    std::fill(udot.begin(), udot.end(), kNoNumber);
  } else if (for_all(states.count, [&](BatchKernel& kernel, int begin, int end) {
               return kernel.calc_udot(states, begin, end, udot.data());
             }) == 0) {
    return {};
  }
  return find_failures(states.count, nu, udot,
                       [&](int k, std::span<double> result) { return try_udot(states, k, result); });
}

std::vector<StateFailure> BatchDynamics::calc_tau(const StateArrays& states, std::span<const double> udot,
                                                  std::span<double> tau) {
  check(states);
  const int nu = model_->nu();
  check_size("udot", udot.size(), states.count, nu, false);
  check_size("tau", tau.size(), states.count, nu, false);
  if (kernels_.empty()) {
    std::fill(tau.begin(), tau.end(), kNoNumber);
  } else if (for_all(states.count, [&](BatchKernel& kernel, int begin, int end) {
               return kernel.calc_tau(states, begin, end, udot.data(), tau.data());
             }) == 0) {
    return {};
  }
  return find_failures(states.count, nu, tau, [&](int k, std::span<double> result) {
    return try_tau(states, k, row(udot, k, nu), result);
  });
}

}  // namespace sestina
