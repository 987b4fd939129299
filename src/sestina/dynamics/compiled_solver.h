// Forward dynamics by the compiled function of compiled_dynamics.h.
//
// Gravity is part of the compiled function. The model's other forces are computed as for every other solver;
// forces on bodies enter as generalised forces, tau + H^T (sum of the forces on all bodies outboard of the
// joint).
//
// If a pivot is small relative to the inertia around it, or an acceleration is not finite, RecursiveSolver
// repeats the computation, so that both report the same singular mass matrix under the same name.
#pragma once

#include <vector>

#include "sestina/dynamics/compiled_dynamics.h"
#include "sestina/dynamics/recursive_solver.h"

namespace sestina {

class CompiledSolver {
 public:
  // Compiles the function for these properties.
  CompiledSolver(const Model& model, const Properties<double>& properties);

  // Sets coordinates and speeds for the calls that follow.
  void take(const State<double>& state);
  // Evaluates the function for all generalised forces tau (nu); false if a pivot is doubtful. No allocation.
  bool try_solve(std::span<const double> tau, std::span<double> udot);
  SolveReport<double> solve_by_recursion(const Properties<double>& properties,
                                         const Kinematics<double>& kinematics,
                                         const AppliedForces<double>& forces, std::span<double> udot) {
    return recursion_.solve(properties, kinematics, forces, udot);
  }
  // Solves by the function or, if that fails, by recursion; for the state that was taken.
  SolveReport<double> solve(const Properties<double>& properties, const Kinematics<double>& kinematics,
                            const AppliedForces<double>& forces, std::span<double> udot);

 private:
  void add_body_forces(const Kinematics<double>& kinematics, const AppliedForces<double>& forces);

  CompiledDynamics dynamics_;
  std::vector<double> least_pivots_;      // (nu) kg m^2 or kg
  std::vector<double> inputs_, outputs_;  // of the function
  std::vector<double> tau_;
  std::vector<SpatialForce<double>> sums_;  // by BodyIndex: forces outboard of the joint, about Mo
  std::size_t nq_, nu_;
  RecursiveSolver<double> recursion_;
};

}  // namespace sestina
