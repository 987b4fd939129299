// The forces of a model's beams and cables with their analytical tangents.
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
//
// Ends of cables have the speeds of their positions and slopes (flexible/cable_element.h), and no axes.
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
    // Each end has two groups of three consecutive speeds, angular and linear, or of the position and the
    // slope; these are their first ones.
    int u[2][2] = {};
    Vec6<double> f[2];  // [N m; N]; or of a cable [N; N m]
    Mat6<double> K[2][2], D[2][2];

    int speed(int end, int i) const { return u[end][i / 3] + i % 3; }
    // This calls visit(row, column, i, j, k, l) for each number K[i][j].m[k][l], and D, with its speeds.
    template <class F>
    void for_each_number(F&& visit) const {
      for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 2; ++i) {
          for (int l = 0; l < 6; ++l) {
            for (int k = 0; k < 6; ++k) visit(speed(i, k), speed(j, l), i, j, k, l);
          }
        }
      }
    }
  };
  std::span<const Element> elements() const { return elements_; }  // of beams, then of cables
  bool empty() const { return elements_.empty(); }
  // Whether there are wrenches, and nothing else that bends.
  bool are_all_wrenches() const { return !forces_.empty() && cables_.empty(); }

  // The wrenches are functions of the poses. If an element finds none, its forces are not finite.
  void update(const State<double>& state, const Kinematics<double>& kinematics);
  // One step from the wrenches so far.
  void advance(const State<double>& state, const Kinematics<double>& kinematics);
  // The wrenches after a displacement (nu) from the poses of the last advance().
  void take(const double* displacement);
  // Keeps the wrenches of the last update() or advance(), except those that are not finite.
  void keep_wrenches();
  // The first whose forces are not finite.
  std::optional<ForceIndex> find_non_finite() const;

 private:
  void set_forces(std::size_t i, const Kinematics<double>& kinematics);
  void update_cables(const State<double>& state, const Kinematics<double>& kinematics);

  std::vector<BeamForce<double>> forces_;
  std::vector<CableForce<double>> cables_;
  std::vector<BeamElement<double>> states_;
  std::vector<Vec6<double>> wrenches_;
  std::vector<Element> elements_;
  std::vector<Rotation<double>> R_a_, R_b_;
};

}  // namespace sestina
