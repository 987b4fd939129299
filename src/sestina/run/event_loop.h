// The events of a run: when they are due, what they do, how often they took place, and when it is too often.
//
// After a step the locator tells which events are due at its end, which it may have moved there. They stay
// due until the rows up to that instant are recorded; then they take place, one after the other in the order
// of the model, and what becomes due by that at the same instant follows.
#pragma once

#include <functional>
#include <optional>

#include "sestina/run/event_memory.h"
#include "sestina/run/run_events.h"

namespace sestina {

class EventLoop {
 public:
  // `row` is called with each state that a row is wanted of: before the first event of an instant with event
  // 0, after each event with its number from 1.
  using Row = std::function<void(const State<double>& state, int event)>;

  // `duration` (s) of the run: more than kMostInWindow events of one kind within 1e-9 of it, or within twice
  // as many tolerances of the event, make the run fail.
  // The events must outlive this; null: there are none.
  EventLoop(RunEvents* events, double duration, Row row);

  bool has_events() const { return locator_.has_value(); }
  // Whether it can be what a run of this model carries.
  bool can_be_of_a_run(const EventMemory& memory) const;

  // At the start of a run; or at a checkpoint, which is where the last step began.
  void start(StepDriver& driver);
  void resume(const EventMemory& memory);
  EventMemory memory() const;
  // The same of where the last step ended, when nothing is due there.
  const EventMemory& memory_after_step();

  // After each step.
  void look(StepDriver& driver);
  // Something else has changed the state: what was due is looked for anew.
  void restart(const StepDriver& driver);
  bool is_due() const { return !due_.empty(); }
  // All that is due takes place. Throws ComputationError.
  void take_place(StepDriver& driver);

  // The terminal event that took place, if one did.
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
