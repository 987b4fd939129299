// Tangents of the residual of implicit_motion.h in closed form, for mechanisms of floating bodies whose
// joints are cut: the contributions of inertia, of the forces and conditions of cut joints, and of springs
// and dampers between points.
//
// A displacement of a body is [theta; dp] about Mo, ground axes, [a] the matrix of a x.
//
// Inertia. With J about Mo and h = m c, the body requires
//   torque = J alpha + w x (J w) + h x a,   force = m a + alpha x h + w x (w x h),   a less gravity
//   by theta:  -[J alpha] + J [alpha] - [w] [J w] + [w] J [w] + [a] [h],  -([alpha] + [w] [w]) [h]       (1)
//   by w:      -[J w] + [w] J,                                            -[w x h] - [w] [h]             (2)
//
// A cut joint acts between frame F on body a and M on body b. S_b converts the motion of b to that of its
// point at M's origin p, S_a that of a; r and s are the arms from the origins of a and b to p:
//   V = S_b V_b - S_a V_a,   S_b [theta; dp] = [theta; dp - s x theta]                                   (3)
// It exerts [T; f] on b at p, and the opposite on a. T and f rotate with a. If the directions of the joint or
// its driving forces depend on its coordinates, they also change by Z V_F, with V_F the displacement of M in
// F:
//   dT = theta_a x T + (Z V)_T,   df = theta_a x f + (Z V)_f
//   d(T + s x f) = dT + s x df + (theta_b x s) x f,
//   d(T + r x f) = dT + r x df + (dp_b + theta_b x s - dp_a) x f                                         (4)
// A condition n = [t; phi], fixed in F, has n.V = t.(w_b - w_a) + phi.v; its derivative at fixed speeds is
//   by theta_a: t x (w_b - w_a) + phi x v,   by dp_a: phi x w_a,
//   by theta_b: s x (phi x (w_b - w_a)),     by dp_b: -phi x w_a                                         (5)
// and, where n depends on the joint's coordinates, V_F . dn in addition.
//
// A spring and damper of spring_damper.h between points at r_a and r_b of two bodies, with the direction e
// and the distance L from a to b, their relative velocity v and the tension T, pulls at a with f = T e, which
// changes with d = dp_b + theta_b x r_b - dp_a - theta_a x r_a and the change of velocity z by
//   df = e (k e.d + c (e.z + v.Pd / L)) + T Pd / L,   P = 1 - e e^T                                      (6)
// At a fixed velocity of a body, z is w x (theta x r) of b less that of a.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/forces/spring_damper.h"
#include "sestina/numerics/sparse_pattern.h"
#include "sestina/spatial/mat6.h"

namespace sestina {

class FloatingTangents {
 public:
  // True if all bodies are connected to the ground by free or xyz joints along its own axes, without rotors,
  // and no cut joint has a rotor. The caller adds the mass of cables, including that of the joints of their
  // slopes.
  static bool serve(const Model& model, const Properties<double>& properties);

  // The model must outlive this object, which contributes the spring_dampers of the properties.
  FloatingTangents(const Model& model, const Properties<Dual>& properties);

  // Adds, for each speed, the speeds whose residual depends on it and the rows on which it acts.
  void add_to_pattern(std::vector<std::vector<int>>& of_r, std::vector<std::vector<int>>& of_v) const;
  // Finds the places of its numbers in these patterns.
  void find_places(const SparsePattern& pattern, const SparsePattern& row_pattern);

  // The derivatives of the generalised forces of a cut joint with respect to its own coordinates and speeds,
  // [force][...].
  struct Drive {
    double by_q[6][7] = {}, by_u[6][6] = {};
  };
  // The cut joints' driving forces; if empty, these belong to the caller.
  struct DrivenJoints {
    std::span<const Drive> drives;                // by joint
    std::span<const SpatialForce<double>> force;  // by joint: on the child, about M's origin, ground axes
    std::span<const double> tau;                  // (cut_nu)
  };
  struct Matrices {
    std::span<double> M, D, K, C, v_q;
  };
  // Adds the numbers at the state to which the arguments belong. A: accelerations of the bodies, by
  // BodyIndex. No allocation.
  void add(const Properties<double>& properties, const Kinematics<double>& kinematics,
           std::span<const SpatialMotion<double>> A, const ConstraintRows<double>& rows,
           std::span<const double> lambda, const DrivenJoints& driven, const Matrices& to) const;

 private:
  // The place in a pattern at which each column of a block begins; the rows of a column are consecutive.
  using Block = std::array<std::size_t, 6>;
  // A body or the ground: its speeds are the last nu of [w; v].
  struct Body {
    int u_start = 0, nu = 0;
    Block K{};
    int first() const { return 6 - nu; }
  };
  struct Pair {
    std::array<std::size_t, 2> bodies{};
    Block K[2][2]{};  // by body of the rows, of the columns
  };
  struct Joint : Pair {  // of the bodies that carry F and M
    Block C[2]{};
    int variable = -1;  // in variable_, unless its directions are constant
  };
  struct Law;
  struct Displaced;

  void add_body(std::size_t b, const Kinematics<double>& kinematics, const SpatialMotion<double>& A,
                const Matrices& to) const;
  void find_law(std::size_t i, const CutJoint<double>& cut, const ConstraintRows<double>& rows,
                std::span<const double> lambda, const DrivenJoints& driven, Law& law) const;
  void add_changes_of_directions(std::size_t i, const CutJointMotion<double>& motion,
                                 std::span<const double> q, std::span<const double> lambda,
                                 std::span<const double> tau, Law& law) const;
  void find_changes_of_coordinates(std::size_t i, const CutJoint<double>& cut, std::span<const double> q,
                                   Law& law) const;
  void add_drive(std::size_t i, const Drive& drive, Law& law) const;
  void add_rows(std::size_t i, const Displaced& displaced, const ConstraintRows<double>& rows, const Law* law,
                const Matrices& to) const;
  void add_turning(std::size_t i, const Displaced& displaced, const SpatialForce<double>& force,
                   std::span<double> K) const;
  void add_law(std::size_t i, const Displaced& displaced, const Law& law, const Matrices& to) const;
  void add_spring(const Pair& pair, const SpringDamper<double>& spring, const Kinematics<double>& kinematics,
                  const Matrices& to) const;
  void add_block(const Pair& pair, std::size_t x, std::size_t y, const double (&block)[6][6],
                 std::span<double> to) const;

  const Model& model_;
  std::vector<Body> bodies_;  // by BodyIndex
  std::vector<Joint> joints_;
  std::vector<Pair> springs_;
  std::vector<CutJoint<Dual>> variable_;  // between unit frames: F is frame 0, M is frame 1
};

}  // namespace sestina
