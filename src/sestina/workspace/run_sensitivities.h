// The derivatives of a run's columns with respect to parameters and initial values, exact up to the
// tolerances of the run: the derivatives of the motion are integrated along with it (tangent_equations.h).
//
//   calc_run_sensitivities(workspace, {.by = {"l", "hinge.q"}, .columns = {"tip.x"}})
//
// A column c(t, q, u, p) other than a coordinate or a speed is differentiated at the states of the run, along
// the derivatives of the state, by a central difference: its relative error is about 1e-10.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "sestina/integrate/step_driver.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

struct SensitivityOptions {
  // Names of parameters, coordinates or speeds; of the latter two the initial value is meant.
  std::vector<std::string> by;
  std::vector<std::string> columns;  // of the result
  // Ends the run when it becomes true; null: none. The rows so far are returned.
  const std::atomic<bool>* interrupt = nullptr;
};

struct RunSensitivities {
  std::vector<Column> columns;
  std::vector<double> t;       // (rows) s
  std::vector<double> values;  // (rows x columns)
  std::vector<double> by;      // (derivatives x rows x columns)
  StepStatistics steps;
};

// Runs the dynamics of the workspace from its initial state. Throws InputError for an unknown name and for
// features without such derivatives: cartesian coordinates, beams, contacts, events, user forces and
// constraints, and jumps of forces at times that depend on a parameter. Throws ComputationError if the run
// fails.
RunSensitivities calc_run_sensitivities(const Workspace& workspace, const SensitivityOptions& options);

}  // namespace sestina
