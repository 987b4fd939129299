// The contact forces in the rows of a motion, for arrows. Results hold only their sums; the forces at the
// points are computed again from the states in the rows.
#pragma once

#include <vector>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/scene/motion.h"
#include "sestina/workspace/workspace.h"

namespace sestina::studio {

class ContactForces {
 public:
  // The workspace must outlive this.
  explicit ContactForces(const Workspace& workspace);

  // Fills contact_starts and contact_points. Does nothing if the model has no contacts, if the motion shows
  // modes, or if its columns lack a part of the state.
  void add_to(Motion& motion);

 private:
  bool find_columns(const Motion& motion);
  void read_state(const double* row);

  const Workspace& workspace_;
  ForwardDynamics dynamics_;
  State<double> state_;
  std::vector<std::size_t> q_, u_, d_, x_;  // positions in a row
  std::size_t t_ = 0;
};

}  // namespace sestina::studio
