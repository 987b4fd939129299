// Residual and tangent of the equations of one element in time, for all bodies and joints together.
//
// With the start of the element (v_0, w_0, C_0, x_0) known, D, E and A of element_pair.h and h its length,
// the unknowns are, at each point g = 1..k, v, w, C of every body and the multipliers f of every
// joint, and at the end (index e) v, w, C, x of every body and an impulse of every multiplier. J is the
// inertia about the mass centre in axes of the body, F and T the forces (ground axes) and torques (body
// axes) on it, joints and gravity included, I and Q those of the impulses:
//   m sum_j D_gj v_j / h - F_g = 0                                       Newton              (1)
//   J sum_j D_gj w_j / h + w_g x J w_g - T_g = 0                         Euler               (2)
//   sum_j D_gj C_j / h - C_g [w_g x] = 0                                   Poisson             (3)
//   (4)-(6), (8) of joint_conditions.h at point g = 0                      joints              (4)
//   x_g = x_0 + h sum_j A_gj v_j                     (a linear function, not an unknown)       (5)
//   m (v_e - sum_j E_j v_j) - I = 0,   J (w_e - sum_j E_j w_j) - Q = 0                     (6)
//   C_e - sum_j E_j C_j = 0,   x_e - x_0 - h sum_g weight_g v_g = 0                            (7)
//   the joints' conditions on the velocities of the end = 0                                    (8)
// Joints that close loops and constraints (closing_conditions.h) have multipliers and conditions in the same
// way. The motion alone would need neither the impulses nor (8). Without them, however, the momenta at the
// ends of elements have a part along the joints' conditions that alternates from element to element; it does
// not affect the motion but appears in the multipliers. (8) removes it, and the multipliers gain up to one
// order.
//
// Except for applied forces, every equation is a polynomial in the unknowns: (1), (5)-(7) are linear or
// quadratic, (2) and (3) quadratic; multipliers of conditions on orientations enter (2) in products of three.
// Since each element depends on earlier ones only through the end of the last one, the system of all elements
// is block lower bidiagonal.
//
// | here          | Anderson and Oghbaei 2005 | meaning                                                 |
// |---------------|---------------------------|---------------------------------------------------------|
// | w             | q-dot                     | rates of the quasi-coordinates: body-frame angular velocity |
// | C             | C                         | direction cosines, body to ground                       |
// | x             | x                         | mass centre                                             |
// | f             | f                         | constraint forces                                       |
// | h, k          | element length, degree    |                                                         |
//
// Source: K. S. Anderson and M. Oghbaei, A state-time formulation for dynamic systems simulation using
// massively parallel computing resources, Nonlinear Dynamics 39 (2005); the impulses after Jay, Symplectic
// partitioned Runge-Kutta methods for constrained Hamiltonian systems, SIAM J. Numer. Anal. 33 (1996).
#pragma once

#include <memory>
#include <vector>

#include "sestina/state_time/applied_loads.h"
#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/element_pair.h"
#include "sestina/state_time/row_conditions.h"

namespace sestina {

// A joint that closes a loop, or a constraint: the bodies that it couples, the ground included, and its
// multipliers.
struct Closure {
  std::vector<int> bodies, multipliers;
};

struct TangentEntry {
  int row, column;
  double value;
};

class ElementEquations {
 public:
  // Keeps references: the model and the properties must outlive this object. `closing`: conditions besides
  // those of the joints that carry bodies, numbered after these.
  ElementEquations(const Model& model, const Properties<double>& properties, ElementPair pair,
                   const ClosingChoice& closing = {});

  const ElementLayout& layout() const { return layout_; }
  const ElementPair& pair() const { return pair_; }
  const std::vector<JointConditions>& joints() const { return joints_; }
  // The joints that carry bodies, one for each.
  std::span<const JointConditions> carrying_joints() const {
    return std::span(joints_).first(index(layout_.bodies));
  }
  // All others that have conditions.
  std::vector<Closure> closures() const;

  // Computes the residual of the element that begins at t and has length h (s). start (layout.start_size()),
  // y and residual (layout.size()); `q` (k x nq) holds guesses of the coordinates at the points on entry and
  // the coordinates on return. Appends the derivatives of the residual with respect to y and to the start to
  // `tangent` if it is not null; an entry may occur more than once.
  void calc_residual(double t, double h, std::span<const double> start, std::span<const double> y,
                     std::span<double> q, std::span<double> residual, std::vector<TangentEntry>* tangent);

  // Computes the motion at point g or, for g = k, at the end.
  void calc_motion(double h, std::span<const double> start, std::span<const double> y, int g,
                   std::span<BodyInstant> bodies) const;
  AppliedLoads& loads() { return applied_; }

 private:
  class Site;
  struct Inertia {
    double mass;
    SymMat3<double> J;
    Vec3<double> weight;  // N
  };
  void calc_point(double t, double h, int g, std::span<const double> start, std::span<const double> y,
                  std::span<double> q, std::span<double> residual, std::vector<TangentEntry>* tangent);
  void calc_end(double t, double h, std::span<const double> start, std::span<const double> y,
                std::span<const double> q, std::span<double> residual, std::vector<TangentEntry>* tangent);
  void add_point_tangent(double h, int g, std::vector<TangentEntry>& tangent) const;
  void add_end_tangent(double h, std::vector<TangentEntry>& tangent) const;
  void add_joints(Site& site, std::span<const double> multipliers, int first_row, std::span<double> residual,
                  bool with_tangent);

  ElementPair pair_;
  ElementLayout layout_;
  std::vector<JointConditions> joints_;
  std::vector<Inertia> inertia_;
  AppliedLoads applied_;
  RowConditions rows_;
  int nq_ = 0;
  std::vector<BodyInstant> bodies_;
  std::vector<BodyLoad> load_;
  std::vector<double> rates_;
};

}  // namespace sestina
