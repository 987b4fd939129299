#include "sestina/dynamics/recursive_solver.h"

#include "sestina/dynamics/wide_registers.h"
#include "sestina/model/properties.h"
#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
RecursiveSolver<T>::RecursiveSolver(const Model& model)
    : walk_(Walk::over_all(TreeLayout(model))),
      sweep_(model),
      sums_(static_cast<std::size_t>(walk_.num_sums)) {
  (void)chosen_instruction_set();  // its first call allocates, and throws if the environment names none
}

template <class T>
SolveReport<T> RecursiveSolver<T>::solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                         const AppliedForces<T>& forces, std::span<T> udot) {
  SolveReport<T> report;
  const auto solve_all = [&]() __attribute__((always_inline)) {
    sweep_.eliminate(walk_, properties, kinematics, forces, sums_, report, nullptr);  // (6)-(8)
    sweep_.accelerate(walk_, {{}, -properties.gravity}, kinematics, udot);            // (9)
  };
  if (sweep_.A.size() > 2) {
    with_wide_registers<T>(solve_all);
  } else {
    solve_all();  // a single body: the call would cost more than it saves
  }
  return report;
}

template <class T>
void RecursiveSolver<T>::calc_reactions(const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                        std::span<SpatialForce<T>> reactions) const {
  sweep_.calc_reactions(kinematics, forces, reactions);
}

#define SESTINA_INSTANTIATE(T) template class RecursiveSolver<T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
