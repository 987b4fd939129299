#include "sestina/run/run_loop.h"

#include "sestina/base/error.h"

namespace sestina {

RunLoop::RunLoop(RunSystem& system, IntegrationRule& rule, StepDriver& driver, RowSchedule rows)
    : system_(system),
      rule_(rule),
      driver_(driver),
      rows_(std::move(rows)),
      events_(system.events(), rows_.end() - rows_.stop(0).t,
              [this](const State<double>& state, int event) { record_event(state, event); }) {}

void RunLoop::start(const State<double>& initial) {
  t_start_ = initial.t;
  const RowSchedule::Stop first = rows_.stop(0);
  if (first.is_row) record(initial, RowKind::kRegular, 0);
  next_row_ = 1;
  if (first.is_last) {
    is_done_ = true;
    return;
  }
  driver_.start(rule_, system_.equations(), initial, rows_.end());
  has_started_ = true;
  events_.start(driver_);
}

RunLoop::Memory RunLoop::memory() const {
  Memory memory;
  memory.events = events_.memory();
  memory.next_row = next_row_;
  if (has_started_) memory.step = driver_.checkpoint();
  if (last_recorded_) memory.last_recorded = *last_recorded_;
  return memory;
}

void RunLoop::resume(const Memory& memory) {
  next_row_ = memory.next_row;
  last_recorded_ = memory.last_recorded;
  driver_.resume(rule_, system_.equations(), memory.step, rows_.end());
  has_started_ = true;
  events_.resume(memory.events);
}

void RunLoop::advance() {
  if (is_done_) return;
  limits_.start(driver_.statistics().steps);
  if (pacer_ != nullptr) pacer_->start(driver_.state().t);
  if (events_.is_due()) events_.take_place(driver_);  // at the start
  while (!events_.ended_by()) {
    const RowSchedule::Stop stop = rows_.stop(next_row_);
    step_to(stop.t);
    if (events_.ended_by()) break;
    if (stop.is_row) wait_until(stop.t);
    if (!goes_on()) return;
    if (stop.is_row) record(driver_.advance_to(stop.t), RowKind::kRegular, 0);
    ++next_row_;
    if (stop.is_last) break;
  }
  if (events_.is_due()) events_.take_place(driver_);  // at the end
  is_done_ = true;
}

// Events that are due at the end of a step occur after the rows up to there are recorded.
void RunLoop::step_to(double t) {
  while (driver_.state().t < t && !events_.ended_by() && goes_on()) {
    if (events_.is_due()) {
      events_.take_place(driver_);
      continue;
    }
    limits_.check(driver_.state().t, driver_.statistics().steps);
    driver_.step();
    system_.check_step(driver_.state());
    for (RunObserver* observer : observers_) observer->see_step(driver_);
    events_.look(driver_);
  }
}

bool RunLoop::goes_on() {
  if (control_ != nullptr && !is_interrupted_) is_interrupted_ = !control_->goes_on(*this);
  return !is_interrupted_;
}

void RunLoop::set_state(const State<double>& state) {
  driver_.restart(state);
  events_.restart(driver_);
}

void RunLoop::wait_until(double t) {
  if (pacer_ == nullptr || is_interrupted_) return;
  const Trace::Scope scope(trace_, Phase::kWait);
  pacer_->wait_until(t, interrupt_);
}

void RunLoop::record_event(const State<double>& state, int event) {
  if (event == 0 && last_recorded_ && state.t == *last_recorded_) return;  // this state has a row already
  if (event == 0) wait_until(state.t);
  record(state, RowKind::kBetween, event);
}

void RunLoop::record(const State<double>& state, RowKind kind, int event) {
  const Trace::Scope scope(trace_, Phase::kRecord);
  const std::span<const double> row = system_.observe(state, event);
  last_recorded_ = state.t;
  for (RunObserver* observer : observers_) observer->see_row(row, kind);
}

void RunLoop::record_last_state() {
  if (!has_started_ || (last_recorded_ && driver_.state().t <= *last_recorded_)) return;
  try {
    record(driver_.state(), RowKind::kBetween, 0);
  } catch (const ComputationError&) {
    // The last state cannot be evaluated; the failure is reported elsewhere.
  }
}

}  // namespace sestina
