#include "sestina/dynamics/articulated_sweep.h"

#include "sestina/spatial/scalars.h"

namespace sestina {

template <class T>
ArticulatedSweep<T>::ArticulatedSweep(const Model& model)
    : I(static_cast<std::size_t>(model.bodies().size())),
      z(I.size()),
      A(I.size()),
      U(static_cast<std::size_t>(model.nu())),
      D_inverse(U.size()),
      e(U.size()) {}

template <class T>
void ArticulatedSweep<T>::start_body(BodyIndex b, const Properties<T>& properties,
                                     const Kinematics<T>& kinematics, const AppliedForces<T>& forces) {
  const auto i = static_cast<std::size_t>(b.value());
  const RigidInertia<T>& M = kinematics.inertia[i];
  I[i] = ArticulatedInertia<T>(M);
  const SpatialForce<T> weight = M * SpatialMotion<T>{{}, properties.gravity};
  z[i] = gyroscopic_force(M, kinematics.motion[i].V_WB.w) - weight - forces.body[i];
}

template <class T>
void ArticulatedSweep<T>::add(BodyIndex parent, const Outcome& outcome) {
  const auto p = static_cast<std::size_t>(parent.value());
  I[p] += outcome.I;
  z[p] += outcome.z;
}

template <class T>
typename ArticulatedSweep<T>::Outcome ArticulatedSweep<T>::eliminate_joint(BodyIndex b, const BodyInfo& info,
                                                                           const Properties<T>& properties,
                                                                           const Kinematics<T>& kinematics,
                                                                           const AppliedForces<T>& forces,
                                                                           SolveReport<T>& report) {
  const auto i = static_cast<std::size_t>(b.value());
  ArticulatedInertia<T> Ia = I[i];
  SpatialForce<T> za = z[i];
  const T inertia_any_way = Ia.J.trace(), mass_any_way = Ia.m.trace();
  const T& armature = properties.bodies[b].armature;
  for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
    const auto k = static_cast<std::size_t>(speed);
    const SpatialMotion<T>& H = kinematics.H[k];
    U[k] = Ia * H;  // (7)
    const T D = dot(H, U[k]) + armature;
    report.check_pivot(D, dot(H.w, H.w) * inertia_any_way + dot(H.v, H.v) * mass_any_way, speed);
    D_inverse[k] = T(1) / D;
    e[k] = forces.tau[k] - dot(H, za);
    Ia.subtract_outer(U[k], D_inverse[k]);  // (8)
    za += (D_inverse[k] * e[k]) * U[k];
  }
  za += Ia * kinematics.bias[i];
  return {shift_back(Ia, kinematics.s[i]), shift_back(za, kinematics.s[i])};
}

template <class T>
void ArticulatedSweep<T>::accelerate_body(BodyIndex b, const BodyInfo& info, const SpatialMotion<T>& A_P,
                                          const Kinematics<T>& kinematics, std::span<T> udot) {
  const auto i = static_cast<std::size_t>(b.value());
  A[i] = shift(A_P, kinematics.s[i]) + kinematics.bias[i];
  for (int speed = info.u_start + info.nu - 1; speed >= info.u_start; --speed) {
    const auto k = static_cast<std::size_t>(speed);
    udot[k] = D_inverse[k] * (e[k] - dot(A[i], U[k]));
    A[i] += udot[k] * kinematics.H[k];
  }
}

#define SESTINA_INSTANTIATE(T) template struct ArticulatedSweep<T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
