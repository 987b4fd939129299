// The mechanisms and states on which engines are compared, in terms that no engine owns. Each engine's file
// builds its own model from these and turns the states into its own coordinates.
//
// Conventions (Sestina's): a link's frame is the moving frame M of its joint; F is the joint's frame on the
// parent, given by its orientation and position there; at q = 0 the two coincide. Orientations are Euler
// parameters e0 e1 e2 e3 (scalar first) and take components in the inner frame to the outer one.
//   revolute   q: angle (rad)                u: its rate
//   prismatic  q: displacement (m)   u: its rate   (only where there are closed loops)
//   spherical  q: Euler parameters of R_FM   u: w_FM in the axes of F
//   free       q: p_FM in F, Euler parameters   u: w_FM, then v_FM, in the axes of F
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace peers {

using Vector3 = std::array<double, 3>;
using EulerParameters = std::array<double, 4>;

Vector3 rotate(const EulerParameters& e, const Vector3& v);
Vector3 rotate_back(const EulerParameters& e, const Vector3& v);
Vector3 cross(const Vector3& a, const Vector3& b);

enum class Joint { kRevolute, kPrismatic, kSpherical, kFree };

struct Link {
  int parent = -1;  // -1: the ground; parents come before children, and subtrees are consecutive
  Joint joint = Joint::kRevolute;
  int axis = 0;                             // of a joint with one speed: 0, 1, 2 for x, y, z of F
  EulerParameters orientation{1, 0, 0, 0};  // R_PF
  Vector3 position{};                       // m, p_PF in the parent's frame
  double mass = 1.0;                        // kg
  Vector3 center_of_mass{};                 // m, in M
  std::array<double, 6> inertia{};          // kg m^2, xx yy zz xy xz yz, about the centre of mass, axes of M
  int q_start = 0, nq = 0, u_start = 0, nu = 0;
};

struct Mechanism {
  std::string name;
  Vector3 gravity{0, 0, -9.81};  // m/s^2
  std::vector<Link> links;
  int nq = 0, nu = 0;

  bool is_revolute() const;  // nothing but revolute joints
};

// Appends the link and numbers its coordinates and speeds, which the caller leaves at zero.
void add_link(Mechanism& mechanism, Link link);
// The rod of 1 kg and 1 m along x that chains and trees are made of.
Link make_rod(int parent, Joint joint, int axis, Vector3 position);

Mechanism make_chain(int n, Joint joint);
Mechanism make_binary_tree(int n);
// Seven revolute joints in a row, as of a light-weight robot (KUKA LBR iiwa: axes along the arm and across it
// in turn, its lengths) with random centres of mass and inertias; and one with random placements, too.
Mechanism make_arm();
Mechanism make_skew_arm();
// Free base, two legs and two arms of six revolute joints, trunk and neck of two: the tree of Pinocchio's
// humanoidRandom, 32 degrees of freedom, with random placements and inertias.
Mechanism make_humanoid();

struct DrivenState {
  std::vector<double> q, u;  // (nq), (nu)
  std::vector<double> tau;   // (nu) generalised forces, for forward dynamics
  std::vector<double> udot;  // (nu) accelerations, for inverse dynamics

  EulerParameters orientation(const Link& link) const;  // of a spherical or free joint
};

// Every number in (-1, 1), orientations normalised.
std::vector<DrivenState> make_states(const Mechanism& mechanism, int count);

// For engines whose speeds of a ball or of a free base are in other axes. With R = R_FM (of a ball or free
// joint), such an engine's speeds x belong to ours by
//   ball:  u = R x          free:  w = R x_angular,   v = x_linear or R x_linear
// which is an orthogonal matrix, so that generalised forces turn alike.
struct SpeedConvention {
  bool is_angular_first;  // of the free joint
  bool is_linear_turned;  // of the free joint: the linear speeds are in the axes of M
};
std::vector<double> to_engine(const Mechanism& mechanism, const DrivenState& state,
                              const std::vector<double>& ours, SpeedConvention convention);
std::vector<double> from_engine(const Mechanism& mechanism, const DrivenState& state,
                                const std::vector<double>& theirs, SpeedConvention convention);
// Accelerations: where the linear speeds are in M's axes, v' = R (x' + w x x) has one term more.
std::vector<double> udot_to_engine(const Mechanism& mechanism, const DrivenState& state,
                                   const std::vector<double>& ours, SpeedConvention convention);
std::vector<double> udot_from_engine(const Mechanism& mechanism, const DrivenState& state,
                                     const std::vector<double>& theirs, SpeedConvention convention);
// A matrix (nu x nu, rows one after another) that maps accelerations to forces or back.
std::vector<double> matrix_from_engine(const Mechanism& mechanism, const DrivenState& state,
                                       const std::vector<double>& theirs, SpeedConvention convention);

}  // namespace peers
