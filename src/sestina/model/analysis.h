// How a model is to be simulated: the checked form of a model file's `analysis` and `output`.
#pragma once

#include <string>
#include <vector>

namespace sestina {

struct Analysis {
  std::string coordinates;  // relative
  std::string solver;       // recursive | kane
  std::string integrator;
  std::string driver;         // variable | fixed
  double dt = 0.0;            // s, of the fixed driver
  double rtol = 0.0;          // of the variable driver
  double atol = 0.0;          // of the variable driver, in the unit of each coordinate and speed
  double duration = 0.0;      // s
  double output_every = 0.0;  // s
};

// The words that `analysis` takes.
const std::vector<std::string>& coordinates_names();
const std::vector<std::string>& solver_names();
const std::vector<std::string>& integrator_names();
const std::vector<std::string>& driver_names();

}  // namespace sestina
