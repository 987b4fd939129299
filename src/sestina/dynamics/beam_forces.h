// The forces of a model's beams with their analytical tangents.
//
// An element exerts a force on each of its two ends. The force that each end requires, [torque; force] about
// the end in ground axes, is a part of the residual of the equations of motion. With a displacement [theta;
// dp] of each end, ground axes, chi = R^T [theta; dp] in its own axes, f = R f_own of beam_element.h:
//
//   delta f_a = R_a (K_aa chi_a + K_ab chi_b) + theta_a x f_a,   f_b likewise                            (1)
//   D_ij = R_i P_i^T tau S P_j R_j^T                                                                     (2)
//
// by displacements and by velocities. (1) omits the change of damping forces with displacements at fixed
// velocities; Newton's method corrects for it.
//
// The wrench of an element is either that in equilibrium with its ends, or an unknown that each iteration of
// Newton's method improves by one step (`advance`, then `take`), which needs far fewer iterations if a beam
// bends strongly.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sestina/dynamics/kinematics.h"
#include "sestina/model/properties.h"

namespace sestina {

class BeamForces {
 public:
  BeamForces(const Model& model, const Properties<double>& properties);

  struct Element {
    int u_a = 0, u_b = 0;   // the first speeds of its ends
    Vec6<double> f_a, f_b;  // [N m; N]
    Mat6<double> K[2][2], D[2][2];
  };
  std::span<const Element> elements() const { return elements_; }
  bool empty() const { return elements_.empty(); }

  // The wrenches are functions of the poses. If an element finds none, its forces are not finite.
  void update(const Kinematics<double>& kinematics);
  // One step from the wrenches so far.
  void advance(const Kinematics<double>& kinematics);
  // The wrenches after a displacement (nu) from the poses of the last advance().
  void take(const double* displacement);
  // Keeps the wrenches of the last update() or advance(), except those that are not finite.
  void keep_wrenches();
  // The first whose forces are not finite.
  std::optional<ForceIndex> find_non_finite() const;

 private:
  void set_forces(std::size_t i, const Kinematics<double>& kinematics);

  std::vector<BeamForce<double>> forces_;
  std::vector<BeamElement<double>> states_;
  std::vector<Vec6<double>> wrenches_;
  std::vector<Element> elements_;
  std::vector<Rotation<double>> R_a_, R_b_;
};

}  // namespace sestina
