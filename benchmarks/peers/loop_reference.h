// Mechanisms with closed loops by dense matrices in long double, written for these checks alone: no engine's
// code, and no recursion. Conventions of mechanism.h.
//
//   M udot = f + C^T lambda,     C udot = -g
#pragma once

#include <Eigen/Dense>

#include "engine.h"
#include "loop_mechanism.h"

namespace peers {

struct LoopErrors {
  // The largest number of C udot + g, over the largest of |C| |udot| + |g|.
  double condition = 0.0;
  // The largest number of M udot - f - C^T lambda, with lambda of least residual, over that of
  // |M| |udot| + |f|.
  double motion = 0.0;
  // The largest difference of udot to that of the reference, over the largest number of udot.
  double udot = 0.0;

  void take_worse(const LoopErrors& other);
};

class LoopReference {
 public:
  using Real = long double;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  explicit LoopReference(const LoopMechanism& mechanism);

  // Computes the matrices and the accelerations of the state.
  void update(const DrivenState& state);
  LoopErrors errors(const std::vector<double>& udot) const;

  // Moves q, then u, onto the conditions, with the least change; false if that fails.
  bool close(DrivenState& state);
  // The largest errors of positions and speeds, of the last update() or close().
  double position_error() const;
  double speed_error() const;

 private:
  using Vec3 = Eigen::Matrix<Real, 3, 1>;
  using Mat3 = Eigen::Matrix<Real, 3, 3>;
  using Jacobian = Eigen::Matrix<Real, 3, Eigen::Dynamic>;
  // The pose of a frame in the ground, its velocity, its acceleration for udot = 0, and their Jacobians.
  struct FrameMotion {
    Mat3 R = Mat3::Identity();
    Vec3 p = Vec3::Zero(), w = Vec3::Zero(), v = Vec3::Zero(), alpha = Vec3::Zero(), a = Vec3::Zero();
    Jacobian Jw, Jv;
  };

  void move(const DrivenState& state);
  FrameMotion calc_link(const DrivenState& state, const Link& link) const;
  FrameMotion calc_frame(const LinkFrame& frame) const;
  void add_link_to_dynamics(const Link& link, const FrameMotion& motion);
  void update_conditions(const DrivenState& state);
  void add_closure(const Closure& closure, int& row);
  void add_row(int& row, Real error, const Vec3& direction, const Jacobian& J, const Vec3& bias);
  void find_udot();

  const LoopMechanism& mechanism_;
  std::vector<FrameMotion> links_;
  Matrix M_, C_;
  Vector f_, g_, error_, speed_, udot_;
};

// `count` states of the mechanism with closed loops, from random numbers. Throws std::runtime_error where the
// loops cannot be closed.
std::vector<DrivenState> make_loop_states(const LoopMechanism& mechanism, int count);

}  // namespace peers
