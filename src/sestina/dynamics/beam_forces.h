// The forces of a model's beams with their analytical tangents.
//
// An element gives each of its two ends a force; what the ends have to be given, [torque; force] about them
// in ground axes, is a part of the residual of the equations of motion. With a displacement [theta; dp] of
// each end, ground axes, chi = R^T [theta; dp] in its own axes, f = R f_own of beam_element.h:
//
//   delta f_a = R_a (K_aa chi_a + K_ab chi_b) + theta_a x f_a,   f_b likewise                            (1)
//   D_ij = R_i P_i^T tau S P_j R_j^T                                                                     (2)
//
// by displacements and by velocities. The change of damping forces with displacements at rest of the
// velocities is left out of (1): Newton's method takes it as a part of its error.
//
// The wrench of an element is either that in equilibrium with its ends, or an unknown that each iteration of
// Newton's method improves by one step (`advance`, then `take`), which needs far fewer iterations where a
// beam bends much.
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

  // The wrenches are functions of the poses. Where an element finds none, its forces are not finite.
  void update(const Kinematics<double>& kinematics);
  // One step from the wrenches so far.
  void advance(const Kinematics<double>& kinematics);
  // The wrenches after a displacement (nu) from the poses of the last advance().
  void take(const double* displacement);
  // Keeps the wrenches of the last update() or advance(); none where they are not finite.
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
