// A flexible body reduced to a few modes, in a floating frame.
//
// The frame B has its origin at the centre of mass of the undeformed body. With the amplitudes eta (k) of
// modes phi_i, a particle at r0 is at
//   r = r0 + sum eta_i phi_i(r0)                      in B                                           (1)
// The modes satisfy the conditions of a mean-axis frame at rest:
//   int phi_i dm = 0,   int r0 x phi_i dm = 0                                                        (2)
// so that B's origin remains the centre of mass, and have the body's mass m as modal mass, so that eta is a
// length: int phi_i . phi_j dm = m delta_ij. With w, v the velocities of B the kinetic energy is
//   2 T = m v.v + w.J w + 2 w.G etadot + m etadot.etadot                                             (3)
//   J = J0 + sum eta_i J1_i + sum eta_i eta_j J2_ij,   column k of G: sum eta_i g_ik                  (4)
//   g_ik = int phi_i x phi_k dm = -g_ki
// In axes of B the equations of motion are, with the further inertial forces c,
//   J wdot + G etaddot + c_w = torque,   m vdot = force,   G^T wdot + m etaddot + c_eta = forces of modes
//   c_w = Jdot w + w x (J w + G etadot)                                                              (5)
//   c_eta_k = 2 w.Gdot_k - w.(dJ/deta_k) w / 2,   Gdot_k = sum etadot_i g_ik
// Sources: Schwertassek and Wallrapp, Dynamik flexibler Mehrkoerpersysteme (1999), ch. 6; for mean axes
// Agrawal and Shabana, Dynamic analysis of multibody systems using component modes, Computers & Structures 21
// (1985) 1303-1312.
//
// An interface is a frame that moves with the body: with the shifts phi_i and turns psi_i of the modes there,
//   p = p0 + sum eta_i phi_i + 1/2 sum eta_i eta_j S_ij,   S_ij = S_ji
//   R = exp(theta) R0,   theta = sum eta_i psi_i                                                      (6)
//   angular velocity in B: D(theta) thetadot,   D = 1 + a theta^ + b theta^ theta^                    (7)
//   a = (1 - cos |theta|) / theta.theta,   b = (1 - sin |theta| / |theta|) / theta.theta
//
// Without S the body is as stiff under load as at rest. With the stresses sigma of a load that is in balance
// with the inertial forces of a rigid motion, its geometric stiffness is
//   K_ij = int sigma : (grad phi_i)^T grad phi_j dV                                                   (8)
// From K of a unit force at an interface follows the displacement of the point, of second order in the
// amplitudes and opposite to that force: S_ij = -K_ij. K^ab of the centrifugal load for w_a w_b = 1 moves the
// particles inwards: -K^ab_ij is added to the element ab of J2_ij. The effect of moments at interfaces is
// neglected.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sestina/spatial/spatial.h"

namespace sestina {

// The numbers of a reduced body. Places are in the axes of its mesh.
struct ReducedModes {
  // The share of J0 and of the modal masses that the rigid body and the joints of modes have; rows that stand
  // for inertias have the rest (dynamics/reduced_bodies.h).
  static constexpr double kRigidShare = 0.0625;

  struct Interface {
    std::string name;
    Vec3<double> position;             // m
    Rotation<double> axes;             // of the interface in those of the mesh
    std::vector<Vec3<double>> shifts;  // (k) phi_i
    std::vector<Vec3<double>> turns;   // (k) psi_i, rad/m
    std::vector<Vec3<double>> second;  // (k x k) S_ij, 1/m; or none
  };
  std::size_t count = 0;                // k
  double mass = 0.0;                    // kg
  Vec3<double> center_of_mass;          // m
  SymMat3<double> J0;                   // kg m^2, about the centre of mass
  std::vector<double> frequencies;      // (k) rad/s, of the free body
  std::vector<SymMat3<double>> J1, J2;  // (k) kg m; (k x k) kg, J2_ij = J2_ji
  std::vector<Vec3<double>> g;          // (k x k) kg
  std::vector<Interface> interfaces;
  // Nodes of the mesh at which stresses are known, from 0, and by node and mode the stresses there for a unit
  // amplitude: (nodes x k x 6) xx, yy, zz, xy, xz, yz, Pa/m, axes of the mesh. Or none.
  std::vector<int> stress_nodes;
  std::vector<double> stresses;
};

// The inertia of a body in a state, axes of B.
template <class T>
struct ReducedInertia {
  SymMat3<T> J;
  std::vector<Vec3<T>> G;  // (k) its columns
  Vec3<T> c_w;             // (5)
  std::vector<T> c_eta;    // (k)

  void update(const ReducedModes& modes, const T* eta, const T* etadot, const Vec3<T>& w);
};

namespace reduced_body {

template <class T>
SymMat3<T> to_scalar(const SymMat3<double>& a) {
  return {T(a.xx), T(a.yy), T(a.zz), T(a.xy), T(a.xz), T(a.yz)};
}
template <class T>
Vec3<T> to_scalar(const Vec3<double>& a) {
  return {T(a.x), T(a.y), T(a.z)};
}
template <class T>
SymMat3<T> scaled(double s, const SymMat3<double>& a) {
  return {T(s * a.xx), T(s * a.yy), T(s * a.zz), T(s * a.xy), T(s * a.xz), T(s * a.yz)};
}
template <class T>
void add_scaled(const T& s, const SymMat3<double>& a, SymMat3<T>& sum) {
  sum.xx += s * T(a.xx), sum.yy += s * T(a.yy), sum.zz += s * T(a.zz);
  sum.xy += s * T(a.xy), sum.xz += s * T(a.xz), sum.yz += s * T(a.yz);
}

}  // namespace reduced_body

template <class T>
void ReducedInertia<T>::update(const ReducedModes& modes, const T* eta, const T* etadot, const Vec3<T>& w) {
  using reduced_body::add_scaled, reduced_body::to_scalar;
  const std::size_t k = modes.count;
  J = to_scalar<T>(modes.J0);
  G.assign(k, Vec3<T>{});
  c_eta.assign(k, T(0));
  SymMat3<T> J_rate;
  Vec3<T> G_etadot;
  for (std::size_t i = 0; i < k; ++i) {
    SymMat3<T> by_eta = to_scalar<T>(modes.J1[i]);  // J1_i + 2 sum eta_j J2_ij
    Vec3<T> G_rate;
    add_scaled(eta[i], modes.J1[i], J);
    for (std::size_t j = 0; j < k; ++j) {
      add_scaled(T(2) * eta[j], modes.J2[i * k + j], by_eta);
      add_scaled(eta[i] * eta[j], modes.J2[i * k + j], J);
      const Vec3<T> g = to_scalar<T>(modes.g[j * k + i]);
      G[i] += eta[j] * g;
      G_rate += etadot[j] * g;
    }
    const Vec3<T> by_eta_w = by_eta * w;
    c_eta[i] = T(2) * dot(w, G_rate) - T(0.5) * dot(w, by_eta_w);
    J_rate.xx += etadot[i] * by_eta.xx, J_rate.yy += etadot[i] * by_eta.yy;
    J_rate.zz += etadot[i] * by_eta.zz, J_rate.xy += etadot[i] * by_eta.xy;
    J_rate.xz += etadot[i] * by_eta.xz, J_rate.yz += etadot[i] * by_eta.yz;
    G_etadot += etadot[i] * G[i];
  }
  c_w = J_rate * w + cross(w, J * w + G_etadot);
}

// The motion of an interface relative to B, axes of B.
template <class T>
struct InterfaceMotion {
  Pose<T> X;
  SpatialMotion<T> V;     // angular velocity; velocity of the origin in B
  SpatialMotion<T> bias;  // the acceleration in B where etaddot = 0
  Mat3<T> D;              // (7)
};

template <class T>
InterfaceMotion<T> calc_interface_motion(const ReducedModes& modes, const ReducedModes::Interface& interface,
                                         const T* eta, const T* etadot);

// The velocity of an interface's origin in B for a unit rate of mode i.
template <class T>
Vec3<T> calc_interface_shift(const ReducedModes::Interface& interface, std::size_t i, const T* eta) {
  Vec3<T> shift = reduced_body::to_scalar<T>(interface.shifts[i]);
  if (interface.second.empty()) return shift;
  const std::size_t k = interface.shifts.size();
  for (std::size_t j = 0; j < k; ++j) {
    shift += eta[j] * reduced_body::to_scalar<T>(interface.second[i * k + j]);
  }
  return shift;
}

namespace reduced_body {

// sum over n of (-s)^n / (2 n + first)!, and its derivative with respect to s.
template <class T>
void add_series(const T& s, int first, T& value, T& slope) {
  constexpr int kTerms = 12;
  double coefficient = 1.0;
  for (int i = 2; i <= first; ++i) coefficient /= i;
  T power(1), power_before(0);  // s^n, s^(n - 1)
  value = slope = T(0);
  for (int n = 0; n < kTerms; ++n) {
    value += T(coefficient) * power;
    slope += T(coefficient * n) * power_before;
    power_before = power;
    power = power * s;
    coefficient /= -double(2 * n + first + 1) * (2 * n + first + 2);
  }
}

}  // namespace reduced_body

template <class T>
InterfaceMotion<T> calc_interface_motion(const ReducedModes& modes, const ReducedModes::Interface& interface,
                                         const T* eta, const T* etadot) {
  using reduced_body::add_series, reduced_body::to_scalar;
  const bool has_second = !interface.second.empty();
  InterfaceMotion<T> motion;
  Vec3<T> theta, rate;
  motion.X.p = to_scalar<T>(interface.position - modes.center_of_mass);
  for (std::size_t i = 0; i < modes.count; ++i) {
    const Vec3<T> turn = to_scalar<T>(interface.turns[i]);
    const Vec3<T> first = to_scalar<T>(interface.shifts[i]), shift = calc_interface_shift(interface, i, eta);
    motion.X.p += (T(0.5) * eta[i]) * (first + shift), motion.V.v += etadot[i] * shift;
    for (std::size_t j = 0; has_second && j < modes.count; ++j) {
      motion.bias.v += (etadot[i] * etadot[j]) * to_scalar<T>(interface.second[i * modes.count + j]);
    }
    theta += eta[i] * turn, rate += etadot[i] * turn;
  }
  const T s = dot(theta, theta), s_rate = T(2) * dot(theta, rate);
  T a, a_slope, b, b_slope;
  add_series(s, 2, a, a_slope), add_series(s, 3, b, b_slope);
  const auto with_a_b = [&](const Vec3<T>& x) {
    return x + a * cross(theta, x) + b * cross(theta, cross(theta, x));
  };
  const Vec3<T> ex{T(1), T(0), T(0)}, ey{T(0), T(1), T(0)}, ez{T(0), T(0), T(1)};
  motion.D = Mat3<T>::from_columns(with_a_b(ex), with_a_b(ey), with_a_b(ez));
  motion.V.w = with_a_b(rate);
  // D' thetadot: the term a' theta x thetadot, and those of b theta^ theta^.
  const Vec3<T> turned = cross(theta, rate);
  motion.bias.w =
      (a_slope * s_rate) * turned + (b_slope * s_rate) * cross(theta, turned) + b * cross(rate, turned);
  // exp(theta) = 1 + theta^ D, as theta commutes with D.
  const auto turn = [&](const Vec3<T>& x) { return x + cross(theta, with_a_b(x)); };
  const Rotation<T> R = Rotation<T>::from_columns(turn(ex), turn(ey), turn(ez));
  Rotation<T> R0;
  const Rotation<double>& from = interface.axes;
  R0 = {T(from.xx), T(from.xy), T(from.xz), T(from.yx), T(from.yy),
        T(from.yz), T(from.zx), T(from.zy), T(from.zz)};
  motion.X.R = R * R0;
  return motion;
}

}  // namespace sestina
