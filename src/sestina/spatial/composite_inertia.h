// The inertia of several bodies that move as one, laid out for SIMD lanes.
//
// Like RigidInertia, but with the first moment of mass h = m c instead of c, so that inertias about the same
// point add component by component.
#pragma once

#include "sestina/spatial/articulated_rows.h"

namespace sestina {

// A symmetric 3x3 matrix: [xx yy zz] and off its diagonal [xy yz zx].
template <class T>
struct SymLanes {
  Lanes3<T> diagonal, off_diagonal;

  SymLanes() = default;
  [[gnu::always_inline]] explicit SymLanes(const SymMat3<T>& A)
      : diagonal(A.xx, A.yy, A.zz), off_diagonal(A.xy, A.yz, A.xz) {}

  // Each off-diagonal element multiplies two components of a.
  [[gnu::always_inline]] Lanes3<T> operator*(const Lanes3<T>& a) const {
    return diagonal * a + off_diagonal * a.rotated() + (off_diagonal * a).rotated().rotated();
  }
  [[gnu::always_inline]] SymLanes& operator+=(const SymLanes& b) {
    diagonal += b.diagonal;
    off_diagonal += b.off_diagonal;
    return *this;
  }
};

template <class T>
struct CompositeInertia {
  T m{};          // kg
  Lanes3<T> h;    // kg m, from the reference point
  SymLanes<T> J;  // kg m^2, about it

  CompositeInertia() = default;
  [[gnu::always_inline]] explicit CompositeInertia(const RigidInertia<T>& M)
      : m(M.mass), h(M.mass * Lanes3<T>(M.c)), J(M.J) {}

  // Returns the force and torque for the acceleration [alpha; a].
  [[gnu::always_inline]] ForceLanes<T> times(const Lanes3<T>& alpha, const Lanes3<T>& a) const {
    return {J * alpha + cross(h, a), m * a + cross(alpha, h)};
  }
  [[gnu::always_inline]] CompositeInertia& operator+=(const CompositeInertia& b) {
    m += b.m;
    h += b.h;
    J += b.J;
    return *this;
  }
  // Shifts from the point at s = p_PQ back to P: with h' = h + m s,
  //   J' = J + (s . (h + h')) 1 - h' s^T - s h^T
  [[gnu::always_inline]] void shift_back(const Lanes3<T>& s) {
    const Lanes3<T> shifted = h + m * s;
    const Lanes3<T> p = (s * (h + shifted)).rotated();
    J.diagonal += p + p.rotated();  // no cancellation if s is along an axis
    J.off_diagonal -= shifted * s.rotated() + s * h.rotated();
    h = shifted;
  }
};

}  // namespace sestina
