// One run: steps from the start to the end, a row at every instant of the schedule, events, and whoever looks
// on or has a say between two steps.
//
//   RunLoop loop(system, rule, driver, rows);
//   loop.add_observer(recorder);
//   loop.start(initial);
//   loop.advance();
//
// Stepping and recording do not influence each other: a row within a step comes from the rule's
// interpolation. What an event does takes place when the rows up to it are there. Observers see; a RunControl
// acts, between steps and at no other time, so that a run that is left alone does not depend, bit for bit, on
// who looks on.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "sestina/base/trace.h"
#include "sestina/integrate/run_limits.h"
#include "sestina/integrate/step_driver.h"
#include "sestina/run/event_loop.h"
#include "sestina/run/pacer.h"
#include "sestina/run/row_schedule.h"
#include "sestina/run/run_events.h"

namespace sestina {

// What is run.
class RunSystem {
 public:
  virtual ~RunSystem() = default;
  virtual EquationsOfMotion& equations() = 0;
  virtual RunEvents* events() { return nullptr; }  // null: there are none
  // The row of a state, valid until the next call. `event` is the number, from 1, of the event that has just
  // led to it, or 0. Throws ComputationError where it is not finite.
  virtual std::span<const double> observe(const State<double>& state, int event) = 0;
  // After each step. Throws ComputationError where the state breaks what has to hold.
  virtual void check_step(const State<double>& /*state*/) {}
};

enum class RowKind { kRegular, kBetween };  // of the schedule, or at an event or where a run broke off

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void see_row(std::span<const double> /*row*/, RowKind /*kind*/) {}
  virtual void see_step(const StepDriver& /*driver*/) {}
};

class RunLoop;

class RunControl {
 public:
  virtual ~RunControl() = default;
  // Asked before each step and before each row; it may change the state (RunLoop::set_state). False: the run
  // ends here, as interrupted.
  virtual bool goes_on(RunLoop& loop) = 0;
};

class RunLoop {
 public:
  // All of these must outlive it.
  RunLoop(RunSystem& system, IntegrationRule& rule, StepDriver& driver, RowSchedule rows);
  RunLoop(const RunLoop&) = delete;
  RunLoop& operator=(const RunLoop&) = delete;

  void add_observer(RunObserver& observer) { observers_.push_back(&observer); }
  void set_control(RunControl& control) { control_ = &control; }
  // Rows wait for the wall clock, or for the interrupt (which may be null).
  void set_pacer(Pacer& pacer, const std::atomic<bool>* interrupt) {
    pacer_ = &pacer, interrupt_ = interrupt;
  }
  // A run that meets one fails (advance). They count from the start of advance().
  void set_limits(const RunLimits& limits, LimitNames names = {}) { limits_ = LimitWatch(limits, names); }
  void set_trace(Trace* trace) { trace_ = trace; }

  // The first row. Throws InputError where rule, driver and times do not fit together.
  void start(const State<double>& initial);
  // What a checkpoint keeps of the loop, beside the steps.
  struct Memory {
    StepCheckpoint step;
    EventMemory events;
    long next_row = 0;            // of the schedule
    double last_recorded = -1.0;  // s
  };
  Memory memory() const;
  void resume(const Memory& memory);
  // To the end, to a terminal event, or until the control says no. Throws ComputationError; the state is then
  // the last accepted one.
  void advance();
  // Of a run that ended early: the state that it reached, unless there is a row of it or none can be made.
  void record_last_state();
  // For a RunControl: goes on from another state at the same instant.
  void set_state(const State<double>& state);

  bool has_started() const { return has_started_; }  // took a step, or could have
  bool is_done() const { return is_done_; }
  bool is_interrupted() const { return is_interrupted_; }
  bool has_met_limit() const { return limits_.is_met(); }
  const StepDriver& driver() const { return driver_; }
  const EventLoop& events() const { return events_; }
  double t() const { return has_started_ ? driver_.state().t : t_start_; }  // s

 private:
  void step_to(double t);
  void record(const State<double>& state, RowKind kind, int event);
  void record_event(const State<double>& state, int event);
  void wait_until(double t);
  bool goes_on();

  RunSystem& system_;
  IntegrationRule& rule_;
  StepDriver& driver_;
  RowSchedule rows_;
  EventLoop events_;
  std::vector<RunObserver*> observers_;
  RunControl* control_ = nullptr;
  Pacer* pacer_ = nullptr;
  const std::atomic<bool>* interrupt_ = nullptr;
  Trace* trace_ = nullptr;
  LimitWatch limits_{{}};
  double t_start_ = 0.0;  // s
  long next_row_ = 0;
  std::optional<double> last_recorded_;  // s
  bool has_started_ = false, is_done_ = false, is_interrupted_ = false;
};

}  // namespace sestina
