// The linear system of small deviations about a state, with inputs and outputs that the model names:
//
//   dx/dt = A x + B w,   y = C x + D w,   x = [dq; du; dx] of linearized_motion.h                        (1)
//
// Inputs w are changes of free parameters; outputs y are changes of columns of results. A, and B by dudot/dp,
// are exact; C and D are central differences of rows, whose error is about 1e-9 of the largest.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "sestina/dynamics/linearized_motion.h"

namespace sestina {

struct LinearSystem {
  Eigen::MatrixXd A;      // (n x n), n = 2 nu + nx
  Eigen::MatrixXd B;      // (n x inputs)
  Eigen::MatrixXd C;      // (outputs x n)
  Eigen::MatrixXd D;      // (outputs x inputs)
  Eigen::MatrixXd basis;  // (n x k) of the deviations that conditions allow
};

// `inputs` are free parameters. A parameter that moves a condition on positions or speeds is refused, because
// its rates would be inputs too (frequency_response accepts it). `outputs` are columns. Throws InputError for
// other names, ComputationError where the mass matrix is singular.
LinearSystem linearize_system(const std::shared_ptr<const Model>& model, const Properties<double>& properties,
                              const State<double>& state, std::span<const std::string> inputs,
                              std::span<const std::string> outputs);

}  // namespace sestina
