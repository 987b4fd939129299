// The memory that a solution on elements in time takes, from the model alone: before any is taken.
#pragma once

#include <cmath>

#include "sestina/state_time/state_time_solver.h"

namespace sestina {

// Bytes for each element: of those of the whole run, which keep their motion, and of those of a window, which
// have their tangents and factors besides. The factors along the tree are counted; where a force couples
// bodies that no joint connects, sparse ones take more.
struct StateTimeMemory {
  double of_run = 0.0, of_window = 0.0;

  double total(double elements, double windows) const {
    return elements * of_run + std::ceil(elements / windows) * of_window;
  }
};

// Makes one element.
StateTimeMemory estimate_memory(const Model& model, const Properties<double>& properties,
                                const StateTimeOptions& options);

// Windows with which so many elements take no more than `bytes`; 0 where there are none.
int windows_within(const StateTimeMemory& memory, int elements, double bytes);

}  // namespace sestina
