// The data of events that a run keeps, for checkpoints.
#pragma once

#include <vector>

namespace sestina {

// Whole numbers except the times; each vector has one element for each event.
struct EventMemory {
  std::vector<double> sides;   // EventLocator::sides_before_step
  std::vector<double> counts;  // how often each event has occurred
  // The window in which repeated events are counted.
  std::vector<double> window_start;  // s
  std::vector<double> window_counts;
};

}  // namespace sestina
