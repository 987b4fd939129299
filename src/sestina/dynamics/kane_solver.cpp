#include "sestina/dynamics/kane_solver.h"

#include <fmt/format.h>

#include "sestina/base/memory.h"
#include "sestina/model/properties.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

// Returns nu after a check that there is memory for M.
template <class T>
int size_with_room(const Model& model) {
  const double n = model.nu();
  check_memory(n * n * sizeof(T),
               fmt::format("the mass matrix of Kane's method for {} speeds (solver: recursive has none)", n));
  return model.nu();
}

}  // namespace

template <class T>
KaneSolver<T>::KaneSolver(const Model& model)
    : model_(&model),
      M_(size_with_room<T>(model)),
      pivot_scale_(static_cast<std::size_t>(model.nu())),
      partials_(static_cast<std::size_t>(model.nu())),
      A0_(static_cast<std::size_t>(model.bodies().size())) {}

// Computes (1) for all speeds that move body b, and J_C w_k, m v_k.
template <class T>
void KaneSolver<T>::update_partials(BodyIndex b, const Properties<T>& properties,
                                    const Kinematics<T>& kinematics) {
  const auto i = static_cast<std::size_t>(b.value());
  const BodyProperties<T>& body = properties.bodies[b];
  const Rotation<T>& R = kinematics.motion[i].X_WB.R;
  const SymMat3<T> J_C = rotate(R, body.J_com);
  Vec3<T> arm = kinematics.inertia[i].c;  // from Mo of joint a to C
  count_ = 0;
  for (BodyIndex a = b; a != kGround; a = model_->bodies()[a].parent) {
    const BodyInfo& info = model_->bodies()[a];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      const SpatialMotion<T>& H = kinematics.H[static_cast<std::size_t>(k)];
      const Vec3<T> v = H.v + cross(H.w, arm);
      const T radius2 = dot(H.v, H.v) + dot(H.w, H.w) * dot(arm, arm);
      partials_[count_++] = {k, H.w, v, J_C * H.w, body.M.mass * v, body.M.mass * radius2};
    }
    arm += kinematics.s[static_cast<std::size_t>(a.value())];
  }
}

template <class T>
void KaneSolver<T>::update_mass_matrix(const Properties<T>& properties, const Kinematics<T>& kinematics) {
  M_.set_zero();
  std::fill(pivot_scale_.begin(), pivot_scale_.end(), T(0));
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    update_partials(b, properties, kinematics);
    const T J_trace = properties.bodies[b].J_com.trace();
    for (std::size_t x = 0; x < count_; ++x) {
      const Partial& k = partials_[x];
      pivot_scale_[static_cast<std::size_t>(k.speed)] += k.inertia_scale + dot(k.w, k.w) * J_trace;
      for (std::size_t y = x; y < count_; ++y) {
        const Partial& l = partials_[y];  // of the same joint or nearer to the ground
        const T m = dot(k.momentum_v, l.v) + dot(k.momentum_w, l.w);  // (2)
        (k.speed >= l.speed ? M_(k.speed, l.speed) : M_(l.speed, k.speed)) += m;
      }
    }
    const BodyInfo& info = model_->bodies()[b];
    if (info.nu == 1) M_(info.u_start, info.u_start) += properties.bodies[b].armature;
  }
}

// Adds (3) and (4) for body b to f.
template <class T>
void KaneSolver<T>::add_forces(BodyIndex b, const Properties<T>& properties, const Kinematics<T>& kinematics,
                               const AppliedForces<T>& forces, std::span<T> f) {
  const auto i = static_cast<std::size_t>(b.value());
  const Vec3<T>& c = kinematics.inertia[i].c;
  const T& mass = properties.bodies[b].M.mass;
  const Vec3<T>& w = kinematics.motion[i].V_WB.w;
  const Vec3<T>& alpha0 = A0_[i].w;
  const Vec3<T> a0 = A0_[i].v + cross(alpha0, c) + cross(w, cross(w, c));
  const SymMat3<T> J_C = rotate(kinematics.motion[i].X_WB.R, properties.bodies[b].J_com);
  const SpatialForce<T> applied = shift_back(forces.body[i], -c);  // about C
  const Vec3<T> R = applied.force + mass * (properties.gravity - a0);
  const Vec3<T> torque = applied.torque - (J_C * alpha0 + cross(w, J_C * w));
  for (std::size_t x = 0; x < count_; ++x) {
    f[static_cast<std::size_t>(partials_[x].speed)] += dot(partials_[x].v, R) + dot(partials_[x].w, torque);
  }
}

template <class T>
SolveReport<T> KaneSolver<T>::solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                    const AppliedForces<T>& forces, std::span<T> udot) {
  update_mass_matrix(properties, kinematics);
  std::copy(forces.tau.begin(), forces.tau.end(), udot.begin());
  for (BodyIndex b{1}; b.value() < model_->bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    const auto p = static_cast<std::size_t>(model_->bodies()[b].parent.value());
    A0_[i] = shift(A0_[p], kinematics.s[i]) + kinematics.bias[i];
    update_partials(b, properties, kinematics);
    add_forces(b, properties, kinematics, forces, udot);
  }
  SolveReport<T> report;
  factor_ldlt(M_, [&](int k, const T& pivot) {
    report.check_pivot(pivot, pivot_scale_[static_cast<std::size_t>(k)], k);
  });
  solve_ldlt(M_, udot.data());
  return report;
}

#define SESTINA_INSTANTIATE(T) template class KaneSolver<T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
