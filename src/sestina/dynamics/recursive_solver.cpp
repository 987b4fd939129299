#include "sestina/dynamics/recursive_solver.h"

#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
RecursiveSolver<T>::RecursiveSolver(const Model& model)
    : model_(&model),
      I_(static_cast<std::size_t>(model.bodies().size())),
      z_(I_.size()),
      A_(I_.size()),
      U_(static_cast<std::size_t>(model.nu())),
      D_inverse_(U_.size()),
      e_(U_.size()) {}

template <class T>
SolveReport<T> RecursiveSolver<T>::solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                         const AppliedForces<T>& forces, std::span<T> udot) {
  SolveReport<T> report;
  start_bodies(properties, kinematics, forces);
  for (int b = model_->bodies().size() - 1; b > 0; --b) {
    eliminate_joint(BodyIndex(b), properties, kinematics, forces, report);
  }
  sweep_outward(kinematics, udot);
  return report;
}

// The first two terms of (6).
template <class T>
void RecursiveSolver<T>::start_bodies(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                      const AppliedForces<T>& forces) {
  for (std::size_t i = 1; i < I_.size(); ++i) {
    const RigidInertia<T>& M = kinematics.inertia[i];
    I_[i] = ArticulatedInertia<T>(M);
    const SpatialForce<T> weight = M * SpatialMotion<T>{{}, properties.gravity};
    z_[i] = gyroscopic_force(M, kinematics.motion[i].V_WB.w) - weight - forces.body[i];
  }
}

// (7) and (8) for the joint of body b, and the addition to its parent.
template <class T>
void RecursiveSolver<T>::eliminate_joint(BodyIndex b, const Properties<T>& properties,
                                         const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                         SolveReport<T>& report) {
  const BodyInfo& info = model_->bodies()[b];
  const auto i = static_cast<std::size_t>(b.value());
  ArticulatedInertia<T> Ia = I_[i];
  SpatialForce<T> za = z_[i];
  const T inertia_any_way = Ia.J.trace(), mass_any_way = Ia.m.trace();
  const T& armature = properties.bodies[b].armature;
  for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
    const auto k = static_cast<std::size_t>(speed);
    const SpatialMotion<T>& H = kinematics.H[k];
    U_[k] = Ia * H;  // (7)
    const T D = dot(H, U_[k]) + armature;
    report.check_pivot(D, dot(H.w, H.w) * inertia_any_way + dot(H.v, H.v) * mass_any_way, speed);
    D_inverse_[k] = T(1) / D;
    e_[k] = forces.tau[k] - dot(H, za);
    Ia.subtract_outer(U_[k], D_inverse_[k]);  // (8)
    za += (D_inverse_[k] * e_[k]) * U_[k];
  }
  if (info.parent == kGround) return;
  za += Ia * kinematics.bias[i];
  const auto p = static_cast<std::size_t>(info.parent.value());
  I_[p] += shift_back(Ia, kinematics.s[i]);
  z_[p] += shift_back(za, kinematics.s[i]);
}

// (9)
template <class T>
void RecursiveSolver<T>::sweep_outward(const Kinematics<T>& kinematics, std::span<T> udot) {
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    const BodyInfo& info = model_->bodies()[b];
    const auto i = static_cast<std::size_t>(b.value());
    SpatialMotion<T>& A = A_[i];
    A = shift(A_[static_cast<std::size_t>(info.parent.value())], kinematics.s[i]) + kinematics.bias[i];
    for (int speed = info.u_start + info.nu - 1; speed >= info.u_start; --speed) {
      const auto k = static_cast<std::size_t>(speed);
      udot[k] = D_inverse_[k] * (e_[k] - dot(A, U_[k]));
      A += udot[k] * kinematics.H[k];
    }
  }
}

template <class T>
void RecursiveSolver<T>::calc_reactions(std::span<SpatialForce<T>> reactions) const {
  reactions[0] = {};
  for (std::size_t i = 1; i < I_.size(); ++i) reactions[i] = I_[i] * A_[i] + z_[i];
}

#define SESTINA_INSTANTIATE(T) template class RecursiveSolver<T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
