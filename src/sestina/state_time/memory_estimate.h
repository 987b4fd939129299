// The memory of a solution on elements in time, estimated from the model before it is allocated.
#pragma once

#include <cmath>

#include "sestina/state_time/state_time_solver.h"

namespace sestina {

// Bytes for each element of the whole run, whose motion is kept, and for each element of a window, which also
// has its tangent and factors. The factors along the tree are counted; sparse ones, where a force couples
// bodies that no joint connects, take more.
struct StateTimeMemory {
  double of_run = 0.0, of_window = 0.0;

  double total(double elements, double windows) const {
    return elements * of_run + std::ceil(elements / windows) * of_window;
  }
};

// Estimates the memory by making one element.
StateTimeMemory estimate_memory(const Model& model, const Properties<double>& properties,
                                const StateTimeOptions& options);

// Returns the number of windows with which so many elements take at most `bytes`; 0 if there is none.
int windows_within(const StateTimeMemory& memory, int elements, double bytes);

}  // namespace sestina
