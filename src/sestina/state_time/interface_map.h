// The interface between two stretches of time: the motion of all bodies at an instant in joint coordinates.
//
// The numbers of an element's end, v, w, C and x of every body, are 18 n; motions that the joints and
// orthonormal direction cosines allow have only 2 nu directions. Between stretches that are solved
// separately, the start of the later one is
//   start = X(s),   s = S(end)                                                                        (1)
// with S the joint coordinates and speeds nearest to the end (joint_coordinates.h) and X the motion for
// these. If the equations of the elements are satisfied, the end is a motion that the joints allow, and (1)
// states that both are equal. Otherwise (1) removes the part that is not a motion of the mechanism. The
// derivative of the following stretch with respect to the previous one then passes through 2 nu numbers:
//   d start = X' (S' d end),   S' (2 nu x 18 n), X' (18 n x 2 nu)                                     (2)
// Directions of coordinates are displacements as in plus_q(). Neither S' nor X' is formed: dual numbers
// multiply by them in O(n).
//
// | here         | meaning                                                        |
// |--------------|----------------------------------------------------------------|
// | end, start   | (18 n) of element_equations.h                                  |
// | displacement | (2 nu): of q, then of u                                        |
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/model/model.h"

namespace sestina {

class AppliedLoads;
struct DualForces;

// S of (1) and products with S'.
class EndToJoints {
 public:
  // Keeps references: the model and the properties must outlive this object.
  EndToJoints(const Model& model, const Properties<double>& properties);
  ~EndToJoints();

  // state.q is a guess on entry and, with state.u, the solution on return. Throws ComputationError, at
  // state.t, if a joint is too far from closed.
  void find_state(std::span<const double> end, State<double>& state);
  // displacement <- S' change, at the last find_state.
  void calc_displacement(std::span<const double> change, std::span<double> displacement);

 private:
  const Model& model_;
  std::unique_ptr<AppliedLoads> loads_;
  std::unique_ptr<DualForces> dual_;
  std::vector<double> end_, q_;
};

// X of (1) and products with X'.
class JointsToStart {
 public:
  JointsToStart(const Model& model, const Properties<double>& properties);
  ~JointsToStart();

  void put_state(const State<double>& state, std::span<double> start);
  // change <- X' displacement, at the last put_state.
  void calc_change(std::span<const double> displacement, std::span<double> change);

 private:
  const Model& model_;
  std::unique_ptr<DualForces> dual_;
  State<double> state_;
  std::vector<Dual> numbers_, displacement_;
};

}  // namespace sestina
