// Mass and its first and second moments of several bodies that move as one, with the rotations and shifts of
// ArticulatedBody.
#pragma once

#include "sestina/dynamics/articulated_body.h"

namespace sestina {

template <class T>
struct CompositeMoments {
  T mass;             // kg
  Vec3<T> first;      // kg m
  SymMat3<T> second;  // kg m^2, the integral of r r^T dm

  CompositeMoments& operator+=(const CompositeMoments& b) {
    mass += b.mass, first += b.first, second += b.second;
    return *this;
  }

  void turn_about_z(const PlaneTurn<T>& r) {
    turn_symmetric(r, second.xx, second.yy, second.xy);
    sestina::turn(r, second.xz, second.yz);
    sestina::turn(r, first.x, first.y);
  }
  void turn_about_x(const PlaneTurn<T>& r) {
    turn_symmetric(r, second.yy, second.zz, second.yz);
    sestina::turn(r, second.xy, second.xz);
    sestina::turn(r, first.y, first.z);
  }
  void rename_axes() {
    second = {second.yy, second.zz, second.xx, second.yz, second.xy, second.xz};
    first = {first.y, first.z, first.x};
  }
  void turn(const Mat3<T>& R) { second = rotate(R, second), first = R * first; }

  // Shifts from the point at s = p_PQ back to P.
  void shift_back(const Vec3<T>& s) {
    const Vec3<T> old = first;
    first += mass * s;
    const Vec3<T>& h = first;
    second += {s.x * (old.x + h.x),     s.y * (old.y + h.y),     s.z * (old.z + h.z),
               s.x * old.y + h.x * s.y, s.x * old.z + h.x * s.z, s.y * old.z + h.y * s.z};
  }

  // Returns the force that the acceleration a from rest requires.
  SpatialForce<T> times(const SpatialMotion<T>& a) const {
    const SymMat3<T>& S = second;
    const SymMat3<T> J{S.yy + S.zz, S.xx + S.zz, S.xx + S.yy, -S.xy, -S.xz, -S.yz};
    return {J * a.w + cross(first, a.v), mass * a.v + cross(a.w, first)};
  }
};

}  // namespace sestina
