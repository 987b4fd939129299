// Inertia of a beam element: consistent mass, rotary inertia, gyroscopic terms.
//
// The axis runs through the nodes with the tangents t of the sections (R times the x-axis), z = -1 ... 1:
//
//   r = (1 - z)/2 r_a + (1 + z)/2 r_b + h/8 (1 - z^2) b,   b = t_a - t_b                                  (1)
//   r'' : t'' = alpha x t + omega x (omega x t)                                                          (2)
//
// The axis is a function of the ends' poses, so that momentum, angular momentum and energy belong to a
// mechanical system. With the mass m per length, the forces that accelerate the coordinates r_a, r_b and b of
// (1) are
//
//   F_a = m (h/3 r_a'' + h/6 r_b'' + h^2/24 b''),   F_b likewise,
//   G = m (h^2/24 (r_a'' + r_b'') + h^3/120 b'')                                                         (3)
//
// and G works on rotations of the ends by t_a x G and -t_b x G. Half of the rotary inertia turns with each
// end: h/2 (J alpha + omega x J omega). Frequencies of bending converge with fourth order, frequencies of
// stretching and of torsion with second order.
#pragma once

#include "sestina/flexible/twist_map.h"

namespace sestina {

template <class T>
struct BeamMass {
  T length{};          // h, m
  T mass{};            // m, kg/m
  SymMat3<T> inertia;  // J, kg m, section axes
};

// An end's section: pose, velocity and acceleration of its centroid in ground axes.
template <class T>
struct BeamEnd {
  Pose<T> X;
  SpatialMotion<T> V, A;
};

// [torque; force] on the two ends, ground axes, about each end's centroid.
template <class T>
struct BeamEndForces {
  SpatialForce<T> a, b;
};

namespace beam_inertia {

template <class T>
Vec3<T> tangent_acceleration(const BeamEnd<T>& end, const Vec3<T>& t) {
  return cross(end.A.w, t) + cross(end.V.w, cross(end.V.w, t));  // (2)
}

template <class T>
Vec3<T> rotary_torque(const BeamMass<T>& element, const BeamEnd<T>& end) {
  const SymMat3<T> J = rotate(end.X.R, element.inertia);
  return T(0.5) * element.length * (J * end.A.w + cross(end.V.w, J * end.V.w));
}

}  // namespace beam_inertia

// Forces that give the ends these accelerations, (3).
template <class T>
BeamEndForces<T> inertia_forces(const BeamMass<T>& element, const BeamEnd<T>& a, const BeamEnd<T>& b) {
  using namespace beam_inertia;
  const T h = element.length, mh = element.mass * h;
  const Vec3<T> t_a = a.X.R.column(0), t_b = b.X.R.column(0);
  const Vec3<T> bubble = tangent_acceleration(a, t_a) - tangent_acceleration(b, t_b);
  const Vec3<T> shared = (mh * h * T(1.0 / 24)) * bubble;
  const Vec3<T> F_a = (mh * T(1.0 / 3)) * a.A.v + (mh * T(1.0 / 6)) * b.A.v + shared;
  const Vec3<T> F_b = (mh * T(1.0 / 6)) * a.A.v + (mh * T(1.0 / 3)) * b.A.v + shared;
  const Vec3<T> G = (mh * h * T(1.0 / 24)) * (a.A.v + b.A.v) + (mh * h * h * T(1.0 / 120)) * bubble;
  return {{cross(t_a, G) + rotary_torque(element, a), F_a}, {rotary_torque(element, b) - cross(t_b, G), F_b}};
}

// Weight under gravity g (m/s^2), work-equivalent for (1).
template <class T>
BeamEndForces<T> weight_forces(const BeamMass<T>& element, const Rotation<T>& R_a, const Rotation<T>& R_b,
                               const Vec3<T>& g) {
  const T mh = element.mass * element.length;
  const Vec3<T> half = (T(0.5) * mh) * g, G = (mh * element.length * T(1.0 / 12)) * g;
  return {{cross(R_a.column(0), G), half}, {-cross(R_b.column(0), G), half}};
}

// J
template <class T>
T kinetic_energy(const BeamMass<T>& element, const BeamEnd<T>& a, const BeamEnd<T>& b) {
  const T h = element.length, mh = element.mass * h;
  const Vec3<T> bubble = cross(a.V.w, a.X.R.column(0)) - cross(b.V.w, b.X.R.column(0)), sum = a.V.v + b.V.v;
  const T rotary = T(0.25) * h *
                   (dot(a.V.w, rotate(a.X.R, element.inertia) * a.V.w) +
                    dot(b.V.w, rotate(b.X.R, element.inertia) * b.V.w));
  return rotary + mh * (T(1.0 / 6) * (dot(a.V.v, a.V.v) + dot(a.V.v, b.V.v) + dot(b.V.v, b.V.v)) +
                        h * T(1.0 / 24) * dot(sum, bubble) + h * h * T(1.0 / 240) * dot(bubble, bubble));
}

// The blocks of the mass matrix between the ends, by [angular; linear] accelerations in ground axes.
template <class T>
struct BeamMassMatrix {
  Mat6<T> aa, ab, bb;  // ba = ab^T
};

template <class T>
BeamMassMatrix<T> mass_matrix(const BeamMass<T>& element, const Rotation<T>& R_a, const Rotation<T>& R_b) {
  const T h = element.length, mh = element.mass * h;
  const T first = mh * h * T(1.0 / 24), second = mh * h * h * T(1.0 / 120);
  const Mat3<T> one = Mat3<T>::identity();
  // b'' = -[t_a] alpha_a + [t_b] alpha_b
  const Mat3<T> S_a = cross_matrix(R_a.column(0)), S_b = cross_matrix(-R_b.column(0));
  const auto angular_block = [&](const Mat3<T>& S, const Mat3<T>& U) { return (-second) * (S * U); };
  BeamMassMatrix<T> M;
  set_block(M.aa, 0, 0, angular_block(S_a, S_a) + (T(0.5) * h) * full(rotate(R_a, element.inertia)));
  set_block(M.bb, 0, 0, angular_block(S_b, S_b) + (T(0.5) * h) * full(rotate(R_b, element.inertia)));
  set_block(M.ab, 0, 0, angular_block(S_a, S_b));
  set_block(M.aa, 0, 3, first * S_a), set_block(M.ab, 0, 3, first * S_a), set_block(M.bb, 0, 3, first * S_b);
  set_block(M.aa, 3, 0, (-first) * S_a), set_block(M.ab, 3, 0, (-first) * S_b),
      set_block(M.bb, 3, 0, (-first) * S_b);
  set_block(M.aa, 3, 3, (mh * T(1.0 / 3)) * one), set_block(M.bb, 3, 3, (mh * T(1.0 / 3)) * one);
  set_block(M.ab, 3, 3, (mh * T(1.0 / 6)) * one);
  return M;
}

}  // namespace sestina
