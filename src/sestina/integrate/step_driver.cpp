#include "sestina/integrate/step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina {

// Passes everything on, at times on the step's side of a jump, and counts the evaluations of the
// accelerations, or of the rates of momenta.
class StepDriver::CountedEquations final : public EquationsOfMotion, public CanonicalEquations {
 public:
  CountedEquations(EquationsOfMotion& equations, const SwitchStops& stops, long& count)
      : equations_(equations), canonical_(equations.canonical()), stops_(stops), count_(count) {}

  int nq() const override { return equations_.nq(); }
  int nu() const override { return equations_.nu(); }
  int nz() const override { return equations_.nz(); }
  void calc_derivatives(double t, std::span<const double> q, std::span<const double> u,
                        std::span<double> udot, std::span<double> zdot) override {
    ++count_;
    equations_.calc_derivatives(stops_.keep_within(t), q, u, udot, zdot);
  }
  void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) override {
    equations_.calc_q_dot(q, u, qdot);
  }
  void plus(std::span<const double> q, std::span<const double> displacement,
            std::span<double> q_out) override {
    equations_.plus(q, displacement, q_out);
  }
  std::span<const int> rotations() const override { return equations_.rotations(); }
  void normalize(std::span<double> q) override { equations_.normalize(q); }
  void restore(std::span<double> q, std::span<double> u) override { equations_.restore(q, u); }

  CanonicalEquations* canonical() override { return canonical_ == nullptr ? nullptr : this; }
  void calc_momentum(std::span<const double> q, std::span<const double> u, std::span<double> p) override {
    canonical_->calc_momentum(q, u, p);
  }
  void calc_speeds(double t, std::span<const double> q, std::span<const double> p,
                   std::span<double> u) override {
    canonical_->calc_speeds(stops_.keep_within(t), q, p, u);
  }
  void calc_momentum_rate(double t, std::span<const double> q, std::span<const double> u,
                          std::span<double> pdot, std::span<double> zdot) override {
    ++count_;
    canonical_->calc_momentum_rate(stops_.keep_within(t), q, u, pdot, zdot);
  }

  std::string name_of_q(int i) const override { return equations_.name_of_q(i); }
  std::string name_of_u(int i) const override { return equations_.name_of_u(i); }
  std::string name_of_z(int i) const override { return equations_.name_of_z(i); }
  TimeSwitches* time_switches() override { return equations_.time_switches(); }

 private:
  EquationsOfMotion& equations_;
  CanonicalEquations* canonical_;
  const SwitchStops& stops_;
  long& count_;
};

StepDriver::StepDriver() = default;
StepDriver::~StepDriver() = default;

EquationsOfMotion& StepDriver::equations() const { return *equations_; }
TimeSwitches* StepDriver::switches() const {
  return ends_steps_at_switches() ? equations_->time_switches() : nullptr;
}

void StepDriver::check(const IntegrationRule& rule, double t_start, double t_end) const {
  if (!std::isfinite(t_start) || !std::isfinite(t_end)) {
    throw InputError(fmt::format("a run from {} s to {} s is not finite", t_start, t_end));
  }
  if (t_end < t_start) throw InputError(fmt::format("a run from {} s cannot end at {} s", t_start, t_end));
  if (rule.chooses_its_steps()) {
    FaultList faults;
    add_faults(tolerances_, faults);
    faults.throw_if_any();
  }
  check_fit(rule, t_start, t_end);
}

void StepDriver::start(IntegrationRule& rule, EquationsOfMotion& equations, const IntegrationState& initial,
                       double t_end) {
  control_ = {};
  control_.t_start = initial.t;
  begin(rule, equations, initial, {}, t_end);
}

void StepDriver::resume(IntegrationRule& rule, EquationsOfMotion& equations, const StepCheckpoint& checkpoint,
                        double t_end) {
  control_ = checkpoint.control;
  begin(rule, equations, checkpoint.state, checkpoint.rule_memory, t_end);
}

void StepDriver::begin(IntegrationRule& rule, EquationsOfMotion& equations, const IntegrationState& from,
                       std::span<const double> memory, double t_end) {
  check(rule, from.t, t_end);
  rule_ = &rule;
  t_end_ = t_end;
  equations_ = std::make_unique<CountedEquations>(equations, switch_stops_, control_.statistics.evaluations);
  rule.set_tolerances(tolerances_);
  if (memory.empty()) {
    switch_stops_.start(switches(), control_.t_start, from.t, t_end, from.d);
  } else {
    switch_stops_.resume(switches(), control_.t_start, from.t, t_end, from.d);
  }
  const long evaluations = control_.statistics.evaluations;
  rule.start(*equations_, from, memory);
  control_.statistics.evaluations = evaluations;  // steps that are taken again to resume count once
  between_ = from;
  if (!done()) do_start();
  control_before_step_ = control_;
  earliest_ = from.t;
  is_taken_back_ = false;
  begin_ = from;
  begin_memory_.assign(rule.previous_memory().begin(), rule.previous_memory().end());
}

const IntegrationState& StepDriver::advance_to(double t) {
  if (!(t >= earliest_ && t <= t_end_)) {
    throw InputError(fmt::format(
        "the state at {} s is asked for, but the run stands at {} s and ends at {} s", t, state().t, t_end_));
  }
  while (state().t < t) step();
  if (t == state().t) return state();
  const StepReport report = rule_->interpolate(t, between_);
  if (!report.complete()) throw ComputationError(t, describe(report, *equations_));
  return between_;
}

const IntegrationState& StepDriver::step() {
  assert(!done());
  if (switch_stops_.pass(state().t)) begin_anew(state());
  const StepControl before = control_;
  earliest_ = state().t;  // should the step fail: an attempt at it forgets the one before
  do_step();
  control_before_step_ = before;
  earliest_ = rule_->previous().t;
  return state();
}

const IntegrationState& StepDriver::try_end(double t) {
  if (rule_->chooses_its_steps()) return advance_to(t);
  if (!is_taken_back_) {
    const std::span<const double> memory = rule_->previous_memory();
    begin_memory_.assign(memory.begin(), memory.end());
    begin_ = rule_->previous();
    rule_->start(*equations_, begin_, begin_memory_);
    take_back_statistics();
    is_taken_back_ = true;
  }
  if (t == state().t) return state();
  const StepReport report = rule_->try_step(t);
  if (!report.complete()) throw ComputationError(state().t, describe(report, *equations_));
  return rule_->candidate();
}

// What the step has cost stays counted.
void StepDriver::take_back_statistics() {
  const long evaluations = statistics().evaluations, rejected = statistics().rejected;
  control_.statistics = control_before_step_.statistics;
  control_.statistics.evaluations = evaluations;
  control_.statistics.rejected = rejected;
}

const IntegrationState& StepDriver::end_step_at(double t) {
  if (rule_->chooses_its_steps()) {
    rule_->cut_step(t);
    take_back_statistics();
    count_step();
    return state();
  }
  if (!is_taken_back_ || rule_->candidate().t != t) try_end(t);
  is_taken_back_ = false;
  accept_step();
  earliest_ = rule_->previous().t;
  return state();
}

void StepDriver::restart(const IntegrationState& from) {
  assert(from.t == state().t);
  switch_stops_.start(switches(), control_.t_start, from.t, t_end_, from.d);
  begin_anew(from);
  control_before_step_ = control_;
  earliest_ = from.t;
  between_ = from;
}

void StepDriver::begin_anew(const IntegrationState& from) {
  rule_->start(*equations_, from);
  control_.error_before = 0.0;
}

void StepDriver::accept_step() {
  rule_->accept();
  control_.statistics.rejected += rule_->rejected();
  count_step();
}

void StepDriver::count_step() { control_.statistics.count_step(rule_->state().t - rule_->previous().t); }

StepCheckpoint StepDriver::checkpoint() const {
  const std::span<const double> memory = rule_->previous_memory();
  return {rule_->previous(), {memory.begin(), memory.end()}, control_before_step_};
}

}  // namespace sestina
