#include "sestina/dynamics/cut_joint_forces.h"

#include <algorithm>
#include <span>

#include "sestina/constraints/cut_joint_motion.h"
#include "sestina/model/properties.h"

namespace sestina {

template <class T>
void find_cut_joints(const Properties<T>& properties, const State<T>& state, const Kinematics<T>& kinematics,
                     AppliedForces<T>& forces) {
  auto& cut = forces.cut;
  std::fill(cut.tau.begin(), cut.tau.end(), T(0));
  std::ranges::copy(state.q, cut.q.begin());
  std::ranges::copy(state.u, cut.u.begin());
  if (cut.are_given) return;
  std::ranges::copy(std::span(state.h).first(cut.q.size() - state.q.size()),
                    cut.q.begin() + static_cast<std::ptrdiff_t>(state.q.size()));
  for (std::size_t i = 0; i < cut.motions.size(); ++i) {
    const CutJoint<T>& joint = properties.constraints.cut_joints[i];
    find_cut_coordinates(joint, kinematics.motion.data(), cut.q.data() + state.q.size() + joint.q_start,
                         cut.u.data() + state.u.size() + joint.u_start, cut.motions[i]);
  }
}

template <class T>
void apply_cut_joint_forces(const Properties<T>& properties, AppliedForces<T>& forces) {
  auto& cut = forces.cut;
  for (std::size_t i = 0; i < forces.tau.size(); ++i) forces.tau[i] += cut.tau[i];
  if (cut.are_given) return;
  for (std::size_t i = 0; i < cut.motions.size(); ++i) {
    const CutJoint<T>& joint = properties.constraints.cut_joints[i];
    const RelativeMarkerMotion<T>& relative = cut.motions[i].relative;
    cut.forces[i] =
        calc_force_of_speeds(joint, cut.motions[i], cut.tau.data() + forces.tau.size() + joint.u_start);
    forces.body[static_cast<std::size_t>(joint.M.frame.value())] += shift_back(cut.forces[i], relative.arm_b);
    forces.body[static_cast<std::size_t>(joint.F.frame.value())] -= shift_back(cut.forces[i], relative.arm_a);
  }
}

#define SESTINA_INSTANTIATE(T)                                                               \
  template void find_cut_joints(const Properties<T>&, const State<T>&, const Kinematics<T>&, \
                                AppliedForces<T>&);                                          \
  template void apply_cut_joint_forces(const Properties<T>&, AppliedForces<T>&);
SESTINA_INSTANTIATE(double)
SESTINA_INSTANTIATE(Dual)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
