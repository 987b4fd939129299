#include "sestina/dynamics/dual_forces.h"

#include <vector>

namespace sestina {

DualForces::DualForces(const Model& model, const Properties<double>& numbers)
    : properties(calc_properties<Dual>(
          model, std::vector<Dual>(numbers.parameters.begin(), numbers.parameters.end()))),
      kinematics(model),
      forces(model) {
  state.q.resize(static_cast<std::size_t>(model.nq()));
  state.u.resize(static_cast<std::size_t>(model.nu()));
  state.x.resize(static_cast<std::size_t>(model.nx()));
  state.d.resize(static_cast<std::size_t>(model.nd()));
}

}  // namespace sestina
