// One run: steps from the start to the end, a row at every instant of the schedule, events, observers, and
// controls that act between steps.
//
//   RunLoop loop(system, rule, driver, rows);
//   loop.add_observer(recorder);
//   loop.start(initial);
//   loop.advance();
//
// Stepping and recording do not influence each other: a row within a step comes from the rule's
// interpolation. An event takes effect after the rows up to it are recorded. Observers only read; a
// RunControl acts between steps and at no other time, so that a run without controls does not depend, bit for
// bit, on its observers.
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

// The system that is run.
class RunSystem {
 public:
  virtual ~RunSystem() = default;
  virtual EquationsOfMotion& equations() = 0;
  virtual RunEvents* events() { return nullptr; }  // null: no events
  // Returns the row of a state, valid until the next call. `event` is the number, from 1, of the event that
  // has just led to it, or 0. Throws ComputationError if the row is not finite.
  virtual std::span<const double> observe(const State<double>& state, int event) = 0;
  // Called after each step. Throws ComputationError if the state violates a condition.
  virtual void check_step(const State<double>& /*state*/) {}
};

enum class RowKind { kRegular, kBetween };  // of the schedule; at an event or an early end

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
  // Called before each step and before each row; may change the state (RunLoop::set_state). Returning false
  // ends the run as interrupted.
  virtual bool goes_on(RunLoop& loop) = 0;
};

class RunLoop {
 public:
  // All references must outlive this object.
  RunLoop(RunSystem& system, IntegrationRule& rule, StepDriver& driver, RowSchedule rows);
  RunLoop(const RunLoop&) = delete;
  RunLoop& operator=(const RunLoop&) = delete;

  void add_observer(RunObserver& observer) { observers_.push_back(&observer); }
  void set_control(RunControl& control) { control_ = &control; }
  // Lets rows wait for the wall clock, or for the interrupt (which may be null).
  void set_pacer(Pacer& pacer, const std::atomic<bool>* interrupt) {
    pacer_ = &pacer, interrupt_ = interrupt;
  }
  // Sets limits, which count from the start of advance(); a run that reaches one fails.
  void set_limits(const RunLimits& limits, LimitNames names = {}) { limits_ = LimitWatch(limits, names); }
  void set_trace(Trace* trace) { trace_ = trace; }

  // Records the first row. Throws InputError if rule, driver and times do not fit together.
  void start(const State<double>& initial);
  // The data of the loop in a checkpoint, in addition to those of the steps.
  struct Memory {
    StepCheckpoint step;
    EventMemory events;
    long next_row = 0;            // number in the schedule
    double last_recorded = -1.0;  // s
  };
  Memory memory() const;
  void resume(const Memory& memory);
  // Runs to the end, to a terminal event, or until a control ends the run. Throws ComputationError; the state
  // is then the last accepted one.
  void advance();
  // Records the state that a run reached before it ended early, unless it has a row or none can be computed.
  void record_last_state();
  // For a RunControl: continues from another state at the same instant.
  void set_state(const State<double>& state);

  bool has_started() const { return has_started_; }  // a step was possible
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
