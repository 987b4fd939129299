// Elastic and damping forces between two markers along and about the three axes of the first: a bushing.
//
// With F the first marker on body a, M the second on body b, components in F:
//   d      displacement of M's origin from F's (m)
//   theta  rotation vector of R_FM (rad): M's axes turned from F's, by less than half a turn
//   y = [d; theta],   y' = B [v; w],   B = diag(1, J^-1(theta))                                      (1)
// with v, w the velocity and angular velocity of M as seen from F, and the left Jacobian of rotations
//   J^-1 = 1 - [theta]x/2 + c [theta]x^2,   c = (1 - (t/2) cot(t/2))/t^2,   t = |theta|              (2)
// The energy is y.K y/2 and the dissipated power y'.D y', so that M feels
//   [force; torque] = -B^T (K y + D y')                                                              (3)
// about its origin, and F the opposite about the same point. For small angles this is -K y - D y'. For large
// angles it still derives from a potential, which a stiffness times a vector of angles does not. K and D are
// symmetric, and D is positive semidefinite. Nothing is singular at zero length.
//
// Source of (2): Barfoot, State Estimation for Robotics (2017), section 7.1.
#pragma once

#include <array>

#include "sestina/forces/force.h"
#include "sestina/spatial/rotation_vector.h"

namespace sestina {

template <class T>
using BushingVector = std::array<T, 6>;  // [displacement; rotation]

template <class T>
using BushingMatrix = std::array<T, 36>;  // by rows

template <class T>
BushingVector<T> product(const BushingMatrix<T>& A, const BushingVector<T>& x) {
  BushingVector<T> y{};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) y[i] += A[6 * i + j] * x[j];
  }
  return y;
}

template <class T>
T inner_product(const BushingVector<T>& a, const BushingVector<T>& b) {
  T sum = a[0] * b[0];
  for (std::size_t i = 1; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

// (2): J^-1(theta) w; with -theta its transpose.
template <class T>
Vec3<T> rate_of_rotation_vector(const Vec3<T>& theta, const Vec3<T>& w) {
  const T square = dot(theta, theta);
  T c(1.0 / 12.0);
  if (value_of(square) < 1e-4) {
    c = c + square / T(720) + square * square / T(30240);  // the next term is 1e-20
  } else {
    const T half = T(0.5) * sqrt(square);
    c = (T(1) - half * cos(half) / sin(half)) / square;
  }
  const Vec3<T> turned = cross(theta, w);
  return w - T(0.5) * turned + c * cross(theta, turned);
}

template <class T>
struct Bushing : ForceElement<T> {
  Marker<T> from, to;            // F, M
  BushingMatrix<T> stiffness{};  // N/m, N, N m/rad
  BushingMatrix<T> damping{};    // N s/m, N s, N m s/rad

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const Deformation now = measure(in);
    const BushingVector<T> elastic = product(stiffness, now.y), viscous = product(damping, now.y_rate);
    BushingVector<T> f{};
    for (std::size_t i = 0; i < 6; ++i) f[i] = -elastic[i] - viscous[i];
    const Vec3<T> force = now.R_WF * Vec3<T>{f[0], f[1], f[2]};
    const Vec3<T> torque =
        now.R_WF * rate_of_rotation_vector(-Vec3<T>{now.y[3], now.y[4], now.y[5]}, Vec3<T>{f[3], f[4], f[5]});
    out.add_force_at(to, now.to.arm, force);  // (3)
    out.add_torque_at(to, torque);
    out.add_force_at(from, now.to.position - in.frame(from).X_WB.p, -force);
    out.add_torque_at(from, -torque);
  }
  T potential_energy(const ForceInput<T>& in) const {
    const Deformation now = measure(in);
    return T(0.5) * inner_product(now.y, product(stiffness, now.y));
  }
  T dissipated_power(const ForceInput<T>& in) const {
    const Deformation now = measure(in);
    return inner_product(now.y_rate, product(damping, now.y_rate));
  }

 private:
  struct Deformation {
    MarkerMotion<T> to;
    Rotation<T> R_WF;
    BushingVector<T> y, y_rate;
  };
  Deformation measure(const ForceInput<T>& in) const {
    const MarkerMotion<T> F = marker_motion(in.frames, from), M = marker_motion(in.frames, to);
    const Vec3<T>&w_a = in.frame(from).V_WB.w, &w_b = in.frame(to).V_WB.w;
    const Rotation<T> R_WF = marker_pose(in.frames, from).R, R_WM = marker_pose(in.frames, to).R;
    const Rotation<T> R_FW = R_WF.transpose();
    const Vec3<T> d_W = M.position - F.position;
    const Vec3<T> d = R_FW * d_W, v = R_FW * (M.velocity - F.velocity - cross(w_a, d_W));
    const Vec3<T> theta = rotation_vector_between(R_FW * R_WM, Rotation<T>::identity());
    const Vec3<T> theta_rate = rate_of_rotation_vector(theta, R_FW * (w_b - w_a));  // (1)
    return {M,
            R_WF,
            {d.x, d.y, d.z, theta.x, theta.y, theta.z},
            {v.x, v.y, v.z, theta_rate.x, theta_rate.y, theta_rate.z}};
  }
};

// The displacements alone: three springs and dampers along the axes of the first marker, at rest where the
// second one is at `reference`. The force acts at the second marker, on both bodies.
template <class T>
struct CartesianSpring : ForceElement<T> {
  Marker<T> from, to;  // F, M
  Vec3<T> stiffness;   // N/m
  Vec3<T> damping;     // N s/m
  Vec3<T> reference;   // m

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const Stretch now = measure(in);
    const Vec3<T>&d = now.d, &v = now.v;
    const Vec3<T> f{-stiffness.x * d.x - damping.x * v.x, -stiffness.y * d.y - damping.y * v.y,
                    -stiffness.z * d.z - damping.z * v.z};
    const Vec3<T> force = now.R_WF * f;
    out.add_force_at(to, now.to.arm, force);
    out.add_force_at(from, now.to.position - in.frame(from).X_WB.p, -force);
  }
  T potential_energy(const ForceInput<T>& in) const {
    const Vec3<T> d = measure(in).d;
    return T(0.5) * (stiffness.x * d.x * d.x + stiffness.y * d.y * d.y + stiffness.z * d.z * d.z);
  }
  T dissipated_power(const ForceInput<T>& in) const {
    const Vec3<T> v = measure(in).v;
    return damping.x * v.x * v.x + damping.y * v.y * v.y + damping.z * v.z * v.z;
  }

 private:
  struct Stretch {
    MarkerMotion<T> to;
    Rotation<T> R_WF;
    Vec3<T> d, v;  // from `reference`, and its rate, axes of F
  };
  Stretch measure(const ForceInput<T>& in) const {
    const MarkerMotion<T> F = marker_motion(in.frames, from), M = marker_motion(in.frames, to);
    const Rotation<T> R_WF = marker_pose(in.frames, from).R;
    const Vec3<T> d = M.position - F.position;
    const Vec3<T> v = M.velocity - F.velocity - cross(in.frame(from).V_WB.w, d);
    return {M, R_WF, transpose_times(R_WF, d) - reference, transpose_times(R_WF, v)};
  }
};

}  // namespace sestina
