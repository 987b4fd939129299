#include "sestina/workspace/batch_stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"

namespace sestina {
namespace {

constexpr int kGrain = 256;  // rows per task of a thread, in scalar arithmetic

const ButcherTableau& checked_tableau(const Model& model, const SimulatorOptions& options) {
  const std::string reason = explain_no_batch_steps(model, options);
  if (!reason.empty()) throw InputError(fmt::format("no steps in lanes: {}", reason));
  return *find_tableau(with_rule(model, options).rule.name);
}

}  // namespace

std::string explain_no_batch_steps(const Model& model, const SimulatorOptions& options) {
  if (model.has_contacts()) return "the model has contacts, or limits that are enforced";
  const std::string rule = with_rule(model, options).rule.name;
  if (find_tableau(rule) == nullptr)
    return fmt::format("the rule {} is not an explicit Runge-Kutta rule", rule);
  if (options.tolerances) return "each state would have steps of its own length";
  if (options.solver != "recursive") return fmt::format("the solver {} works by itself", options.solver);
  if (!model.user_forces().empty()) return "the model has user forces";
  if (!model.plan().connectors.empty()) {
    return fmt::format("the model has {}, a force that SIMD lanes do not take",
                       model.forces()[model.plan().connectors.first()].name);
  }
  if (model.nx() > 0) {
    return fmt::format("the model has the state {}, which has a rate", model.states().front().name);
  }
  if (!model.events().empty()) return "the model has events";
  if (model.is_constrained()) return "the model has loops or constraints";
  return {};
}

BatchStepper::BatchStepper(std::shared_ptr<const Model> model, const Properties<double>& properties,
                           const SimulatorOptions& options, Executor* executor,
                           InstructionSet instruction_set)
    : model_(std::move(model)),
      dynamics_(model_, properties, executor, instruction_set),
      executor_(executor),
      tableau_(checked_tableau(*model_, options)),
      substeps_(options.substeps),
      has_rotations_(model_->nq() != model_->nu()),
      nq_(static_cast<std::size_t>(model_->nq())),
      nu_(static_cast<std::size_t>(model_->nu())) {
  if (substeps_ < 1) {
    throw InputError(fmt::format("substeps: {} is not a number of steps: expected 1 or more", substeps_));
  }
}

void BatchStepper::resize(std::size_t count) {
  const auto stages = static_cast<std::size_t>(tableau_.stages());
  t_.resize(count);
  t_begin_.resize(count);
  q_stage_.resize(count * nq_);
  u_stage_.resize(count * nu_);
  q_rates_.resize(stages * count * nq_);
  u_rates_.resize(stages * count * nu_);
}

template <class Work>
void BatchStepper::for_rows(const Work& work) {
  if (executor_ != nullptr) {
    executor_->parallel_for(count_, kGrain, work);
  } else {
    work(0, count_);
  }
}

std::vector<StateFailure> BatchStepper::step(const StateArrays& from, double dt, std::span<double> q,
                                             std::span<double> u) {
  if (!(dt > 0.0) || !std::isfinite(dt)) {
    throw InputError(fmt::format("dt is {} s; allowed is a positive number", dt));
  }
  count_ = from.count;
  const auto count = static_cast<std::size_t>(from.count);
  if (from.q.size() != count * nq_ || q.size() != count * nq_ || from.u.size() != count * nu_ ||
      u.size() != count * nu_) {
    throw InputError(
        fmt::format("there are {} states of {} and {} numbers; q has {}, u {}, and the results {} and {}",
                    count, nq_, nu_, from.q.size(), from.u.size(), q.size(), u.size()));
  }
  resize(count);
  failures_.clear();
  std::ranges::copy(from.q, q.begin());
  std::ranges::copy(from.u, u.begin());
  if (has_rotations_) {
    for_rows([&](int begin, int end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
        normalize_q<double>(*model_, q.subspan(k * nq_, nq_));
    });
  }
  if (from.t.empty()) {
    std::ranges::fill(t_begin_, 0.0);
  } else {
    std::ranges::copy(from.t, t_begin_.begin());
  }
  StateArrays at = from;
  for (int k = 0; k < substeps_; ++k) {
    const double h = dt / substeps_;
    take_substep(at, k * h, h, q, u);
  }
  find_not_finite(q, model_->q_names());
  find_not_finite(u, model_->u_names());
  for (const StateFailure& failure : failures_) {
    const auto k = static_cast<std::size_t>(failure.state);
    std::ranges::fill(q.subspan(k * nq_, nq_), std::numeric_limits<double>::quiet_NaN());
    std::ranges::fill(u.subspan(k * nu_, nu_), std::numeric_limits<double>::quiet_NaN());
  }
  return failures_;
}

void BatchStepper::find_not_finite(std::span<const double> numbers, const std::vector<std::string>& names) {
  if (first_not_finite(numbers) < 0) return;
  for (int k = 0; k < count_; ++k) {
    const std::size_t width = names.size();
    const int bad = first_not_finite(numbers.subspan(static_cast<std::size_t>(k) * width, width));
    if (bad < 0) continue;
    const std::string reason = names[static_cast<std::size_t>(bad)] + " does not stay finite";
    add_failures({StateFailure{.state = k, .reason = reason}});
  }
}

void BatchStepper::take_substep(StateArrays& at, double t_offset, double h, std::span<double> q,
                                std::span<double> u) {
  const int stages = tableau_.stages() - (tableau_.first_same_as_last ? 1 : 0);
  for (int i = 0; i < stages; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < t_.size(); ++k) t_[k] = t_begin_[k] + t_offset + tableau_.c[row] * h;
    at.t = t_;
    if (i == 0) {
      at.q = q;
      at.u = u;
    } else {
      add_rates(tableau_.a[row], q_rates_, nq_, h, q, q_stage_);
      add_rates(tableau_.a[row], u_rates_, nu_, h, u, u_stage_);
      at.q = q_stage_;
      at.u = u_stage_;
    }
    calc_rates(at, i);
  }
  const auto weights = std::span(tableau_.b).first(static_cast<std::size_t>(stages));
  add_rates(weights, q_rates_, nq_, h, q, q);
  add_rates(weights, u_rates_, nu_, h, u, u);
  if (!has_rotations_) return;
  for_rows([&](int begin, int end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
      normalize_q<double>(*model_, q.subspan(k * nq_, nq_));
  });
}

void BatchStepper::calc_rates(const StateArrays& at, int stage) {
  const std::span<double> q_rates =
      std::span(q_rates_).subspan(static_cast<std::size_t>(stage) * at.q.size(), at.q.size());
  const std::span<double> u_rates =
      std::span(u_rates_).subspan(static_cast<std::size_t>(stage) * at.u.size(), at.u.size());
  if (!has_rotations_) {
    std::ranges::copy(at.u, q_rates.begin());
  } else {
    for_rows([&](int begin, int end) {
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
        calc_q_dot<double>(*model_, at.q.subspan(k * nq_, nq_), at.u.subspan(k * nu_, nu_),
                           q_rates.subspan(k * nq_, nq_));
      }
    });
  }
  add_failures(dynamics_.calc_udot(at, u_rates));
}

// The first failure of a state is reported; later stages work on numbers that result from it.
void BatchStepper::add_failures(const std::vector<StateFailure>& failures) {
  for (const StateFailure& failure : failures) {
    const auto place = std::ranges::lower_bound(failures_, failure.state, {}, &StateFailure::state);
    if (place == failures_.end() || place->state != failure.state) failures_.insert(place, failure);
  }
}

void BatchStepper::add_rates(std::span<const double> weights, const std::vector<double>& rates,
                             std::size_t width, double h, std::span<const double> from,
                             std::span<double> to) {
  for_rows([&](int begin, int end) {
    const std::size_t last = static_cast<std::size_t>(end) * width;
    for (std::size_t i = static_cast<std::size_t>(begin) * width; i < last; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * rates[j * from.size() + i];
      to[i] = from[i] + h * sum;
    }
  });
}

}  // namespace sestina
