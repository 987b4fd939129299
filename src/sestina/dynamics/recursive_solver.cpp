#include "sestina/dynamics/recursive_solver.h"

#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
RecursiveSolver<T>::RecursiveSolver(const Model& model) : model_(&model), sweep_(model) {}

template <class T>
SolveReport<T> RecursiveSolver<T>::solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                         const AppliedForces<T>& forces, std::span<T> udot) {
  SolveReport<T> report;
  const auto& bodies = model_->bodies();
  for (BodyIndex b{1}; b.value() < bodies.size(); ++b) {
    sweep_.start_body(b, properties, kinematics, forces);  // (6)
  }
  for (BodyIndex b(bodies.size() - 1); b != kGround; b = BodyIndex(b.value() - 1)) {
    sweep_.add(bodies[b].parent,
               sweep_.eliminate_joint(b, bodies[b], properties, kinematics, forces, report));  // (6)-(8)
  }
  for (BodyIndex b{1}; b.value() < bodies.size(); ++b) {
    const SpatialMotion<T>& A_P = sweep_.A[static_cast<std::size_t>(bodies[b].parent.value())];
    sweep_.accelerate_body(b, bodies[b], A_P, kinematics, udot);  // (9)
  }
  return report;
}

template <class T>
void RecursiveSolver<T>::calc_reactions(std::span<SpatialForce<T>> reactions) const {
  reactions[0] = {};
  for (std::size_t i = 1; i < reactions.size(); ++i) reactions[i] = sweep_.I[i] * sweep_.A[i] + sweep_.z[i];
}

#define SESTINA_INSTANTIATE(T) template class RecursiveSolver<T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
