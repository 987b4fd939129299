// What a run carries from event to event, for checkpoints.
#pragma once

#include <vector>

namespace sestina {

// Whole numbers, but for the times; all of them (events).
struct EventMemory {
  std::vector<double> sides;   // EventLocator::sides_before_step
  std::vector<double> counts;  // how often each event took place
  // The window in which an event that takes place over and over is told from one that does not.
  std::vector<double> window_start;  // s
  std::vector<double> window_counts;
};

}  // namespace sestina
