// The gradient of a cost with respect to any number of parameters and initial values: one run forward, and
// its steps backward, transposed (adjoint_steps.h).
//
//   calc_run_gradient(workspace, {.by = {"l", "m", "hinge.q"}, .columns = {"tip.x"}, .cost = squares})
//
// The cost is any function of the rows of the run; the function also returns its derivatives with respect to
// the values of the rows. Without a function the cost is the last value of the only column.
//
// The steps are those of the run. The gradient is exact to round-off except for columns other than
// coordinates and speeds, which are differentiated by central differences (relative error 1e-10). A row
// within a step is differentiated as a shorter step that ends there, whereas the run itself interpolates it.
//
// A forward derivative costs about 0.3 runs for each quantity (run_sensitivities.h), a gradient a few runs in
// all (docs/derivatives.md has figures). Memory: `memory` bytes for states of the run, whatever its length;
// if they do not suffice, the run is repeated once on the way back, piece by piece.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "sestina/integrate/step_driver.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

// Given the times (rows) in s and the values (rows x columns), row after row, returns the cost and fills its
// derivatives with respect to the values (rows x columns), which are zero at first.
using RunCost = std::function<double(std::span<const double> t, std::span<const double> values,
                                     std::span<double> by_values)>;

struct GradientOptions {
  // Names of parameters, coordinates or speeds; of the latter two the initial value is meant.
  std::vector<std::string> by;
  std::vector<std::string> columns;  // of the result
  RunCost cost = {};
  std::size_t memory = 64UL << 20;  // bytes
  // Ends the run when it becomes true, with a ComputationError; null: none.
  const std::atomic<bool>* interrupt = nullptr;
};

struct RunGradient {
  double cost = 0.0;
  std::vector<double> by;  // (names), of the cost
  std::vector<Column> columns;
  std::vector<double> t;       // (rows) s
  std::vector<double> values;  // (rows x columns)
  StepStatistics steps;        // of the run
};

// Runs the dynamics of the workspace from its initial state, by an explicit Runge-Kutta rule. Throws
// InputError for another rule, for a cost or a derivative of it that is not finite, and for what
// calc_run_sensitivities refuses. Throws ComputationError if the run fails.
RunGradient calc_run_gradient(const Workspace& workspace, const GradientOptions& options);

}  // namespace sestina
