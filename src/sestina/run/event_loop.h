// The events of a run: when they are due, their effects, their counts, and the limit on their frequency.
//
// After a step the locator determines which events are due at its end, which it may have moved. They stay due
// until the rows up to that instant are recorded; then they occur one after the other in the order of the
// model, followed by events that become due by them at the same instant.
#pragma once

#include <functional>
#include <optional>

#include "sestina/run/event_memory.h"
#include "sestina/run/run_events.h"

namespace sestina {

class EventLoop {
 public:
  // Called with each state for which a row is wanted: with event 0 before the first event of an instant, with
  // the event's number from 1 after each event.
  using Row = std::function<void(const State<double>& state, int event)>;

  // `duration` (s) of the run: the run fails if more than kMostInWindow events of one kind occur within 1e-9
  // of it, or within twice as many tolerances of the event. The events must outlive this object; null: no
  // events.
  EventLoop(RunEvents* events, double duration, Row row);

  bool has_events() const { return locator_.has_value(); }
  // True if the memory can belong to a run of this model.
  bool can_be_of_a_run(const EventMemory& memory) const;

  // Begins at the start of a run, or at a checkpoint, which is at the beginning of the last step.
  void start(StepDriver& driver);
  void resume(const EventMemory& memory);
  EventMemory memory() const;
  // Returns the memory at the end of the last step, if nothing is due there.
  const EventMemory& memory_after_step();

  // Call this after each step.
  void look(StepDriver& driver);
  // Call this after another change of the state: due events are determined again.
  void restart(const StepDriver& driver);
  bool is_due() const { return !due_.empty(); }
  // Executes all due events. Throws ComputationError.
  void take_place(StepDriver& driver);

  // Returns the terminal event that occurred, if any.
  std::optional<int> ended_by() const { return ended_by_; }
  const std::vector<double>& counts() const { return memory_.counts; }

 private:
  static constexpr double kMostInWindow = 1000.0;

  void count(int event, double t);

  RunEvents* events_;
  std::vector<EventWatch> watches_;
  std::optional<EventLocator> locator_;
  double duration_;
  Row row_;
  std::span<const int> due_;
  State<double> state_;
  EventMemory memory_;
  std::optional<int> ended_by_;
};

}  // namespace sestina
