// The events of what is run: where they are due, and what they do.
#pragma once

#include <string>
#include <vector>

#include "sestina/integrate/event_locator.h"

namespace sestina {

class RunEvents : public EventFunctions {
 public:
  virtual std::vector<EventWatch> watches() const = 0;
  virtual const std::string& name(int event) const = 0;
  virtual bool is_terminal(int event) const = 0;  // the run ends with it
  // What the event does to the state, all of it from the state before. Throws ComputationError where that is
  // not finite, or breaks a constraint.
  virtual void apply(int event, State<double>& state) = 0;
};

}  // namespace sestina
