// Forward dynamics by the compiled function of compiled_dynamics.h.
//
// Gravity is part of the function. The model's forces are computed as for every other solver; those on
// bodies are brought to the joints, tau + H^T (what acts on all that hangs on the joint), and go in as
// generalised forces.
//
// A pivot that is small beside the inertia around it, or an acceleration that is not finite, is given to
// RecursiveSolver, so that a singular mass matrix is one for both, and named alike.
#pragma once

#include <vector>

#include "sestina/dynamics/compiled_dynamics.h"
#include "sestina/dynamics/recursive_solver.h"

namespace sestina {

class CompiledSolver {
 public:
  // For these properties alone.
  CompiledSolver(const Model& model, const Properties<double>& properties);

  // Coordinates and speeds of what follows.
  void take(const State<double>& state);
  // By the function, for all generalised forces (nu); false where a pivot is doubtful. No allocation.
  bool try_solve(std::span<const double> tau, std::span<double> udot);
  SolveReport<double> solve_by_recursion(const Properties<double>& properties,
                                         const Kinematics<double>& kinematics,
                                         const AppliedForces<double>& forces, std::span<double> udot) {
    return recursion_.solve(properties, kinematics, forces, udot);
  }
  // One or the other; kinematics and forces of the state that was taken.
  SolveReport<double> solve(const Properties<double>& properties, const Kinematics<double>& kinematics,
                            const AppliedForces<double>& forces, std::span<double> udot);

 private:
  void add_body_forces(const Kinematics<double>& kinematics, const AppliedForces<double>& forces);

  CompiledDynamics dynamics_;
  std::vector<double> least_pivots_;      // (nu): kg m^2 or kg
  std::vector<double> inputs_, outputs_;  // of the function
  std::vector<double> tau_;
  std::vector<SpatialForce<double>> sums_;  // by BodyIndex: on what hangs on the joint, about Mo
  std::size_t nq_, nu_;
  RecursiveSolver<double> recursion_;
};

}  // namespace sestina
