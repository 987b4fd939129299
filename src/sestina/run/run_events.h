// The events of a system: when they are due, and their effects.
#pragma once

#include <string>
#include <vector>

#include "sestina/integrate/event_locator.h"

namespace sestina {

class RunEvents : public EventFunctions {
 public:
  virtual std::vector<EventWatch> watches() const = 0;
  virtual const std::string& name(int event) const = 0;
  virtual bool is_terminal(int event) const = 0;  // it ends the run
  // Applies the event to the state; all values are computed from the state before. Throws ComputationError if
  // a value is not finite or violates a constraint.
  virtual void apply(int event, State<double>& state) = 0;
};

}  // namespace sestina
