// The forces of a model's beams and cables with their analytical tangents.
//
// An element exerts a force on each of its two ends. The force that each end requires, [torque; force] about
// the end in ground axes, is a part of the residual of the equations of motion. With a displacement [theta;
// dp] of each end, ground axes, chi = R^T [theta; dp] in its own axes, f = R f_own of beam_element.h:
//
//   delta f_a = R_a (K_aa chi_a + K_ab chi_b) + theta_a x f_a
//   delta f_b = R_b (K_ba chi_a + K_bb chi_b) + theta_b x f_b                                            (1)
//   D_ij = R_i P_i^T tau S P_j R_j^T                                                                     (2)
//
// with respect to displacements and to velocities. (1) omits the change of damping forces with displacements
// at fixed velocities; Newton's method corrects for that.
//
// The wrench of an element is either the one in equilibrium with its ends, or an unknown that each iteration
// of Newton's method improves by one step (`advance`, then `take`). The latter needs far fewer iterations if
// a beam bends strongly.
//
// The ends of cables have no axes; their speeds are those of position and slope (flexible/cable_element.h).
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
    // Each end has two groups of three consecutive speeds: angular and linear ones, or those of position and
    // slope. These are the first speeds of the groups.
    int u[2][2] = {};
    Vec6<double> f[2];  // [N m; N]; or of a cable [N; N m]
    Mat6<double> K[2][2], D[2][2];

    int speed(int end, int i) const { return u[end][i / 3] + i % 3; }
    // Calls visit(row, column, i, j, k, l) for each element K[i][j].m[k][l], and D, with its two speeds.
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
  // True if all elements have wrenches, that is, all are of beams.
  bool are_all_wrenches() const { return !forces_.empty() && cables_.empty(); }

  // Finds the wrenches as functions of the poses. If none is found for an element, its forces are not finite.
  void update(const State<double>& state, const Kinematics<double>& kinematics);
  // Takes one step from the present wrenches.
  void advance(const State<double>& state, const Kinematics<double>& kinematics);
  // Sets the wrenches after a displacement (nu) from the poses of the last advance().
  void take(const double* displacement);
  // Keeps the wrenches of the last update() or advance(), except those that are not finite.
  void keep_wrenches();
  // The first element whose forces are not finite.
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
