#include "sestina/dynamics/recursive_solver.h"

#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
RecursiveSolver<T>::RecursiveSolver(const Model& model) : sweep_(model) {}

template <class T>
SolveReport<T> RecursiveSolver<T>::solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                         const AppliedForces<T>& forces, std::span<T> udot) {
  SolveReport<T> report;
  const std::vector<BodyLink>& links = kinematics.tree.links;
  for (std::size_t i = links.size() - 1; i > 0; --i) {
    const BodyLink& link = links[i];
    sweep_.sum_up(i, link.is_leaf, kinematics, forces);                                      // (6)
    const auto outcome = sweep_.eliminate_joint(i, properties, kinematics, forces, report);  // (7), (8)
    if (link.parent != 0) {
      sweep_.pass_on(static_cast<std::size_t>(link.parent), link.begins_sum, outcome);
    }
  }
  sweep_.A[0].v = -properties.gravity;
  for (std::size_t i = 1; i < links.size(); ++i) {
    const SpatialMotion<T> A_P = sweep_.A[static_cast<std::size_t>(links[i].parent)];
    sweep_.accelerate_body(i, A_P, kinematics, udot);  // (9)
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
