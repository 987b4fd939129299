// Accelerations, speeds and positions of a mechanism with loops and constraints.
//
//   M udot = f + C^T lambda,    C udot = -bias                   of constraint_row.h
//
// and, with least change in the norm of M, the projections onto
//   g(t, q) = 0   by displacements:   M dq = C^T mu,  C dq = -g          (Newton's method)
//   g' = 0        by speeds:          M du = C^T mu,  C du = -g'
// all by one of four ways of solving the saddle-point system: by recursion (constrained_recursion.h), by
// divide and conquer (constrained_assembly.h), by embedding (constrained_kane.h), or, in cartesian
// coordinates, by sparse factors (constrained_sparse.h).
#pragma once

#include <algorithm>
#include <memory>

#include "sestina/dynamics/constrained_kane.h"
#include "sestina/dynamics/constrained_sparse.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/numerics/projection.h"

namespace sestina {

enum class SaddlePoint { kRecursion, kAssembly, kEmbedding, kSparse };
// The default method for a model.
SaddlePoint standard_way(const Model& model);

// The residual of the conditions: the largest |g| and |g'|, and the rows in which they occur.
struct ConstraintErrors {
  double position = 0.0, velocity = 0.0;
  int position_row = -1, velocity_row = -1;
};

class ConstrainedAssembly;
class ConstrainedRecursion;
class Executor;

class ConstrainedDynamics {
 public:
  // `grain`, `executor`: for divide and conquer; see ConstrainedAssembly.
  ConstrainedDynamics(const Model& model, SaddlePoint way, int grain = 1, Executor* executor = nullptr);
  ~ConstrainedDynamics();

  // udot (nu) for the state to which `kinematics` and `forces` belong; the forces of constraints are then
  // part of `forces`. No allocation after the first call. A report of a singular mass matrix names the speed.
  SolveReport<double> solve(const Properties<double>& properties, const State<double>& state,
                            const Kinematics<double>& kinematics, AppliedForces<double>& forces,
                            std::span<double> udot);

  // The same for given multipliers (rows).
  void take_lambda(const Properties<double>& properties, const State<double>& state,
                   const Kinematics<double>& kinematics, std::span<const double> lambda,
                   AppliedForces<double>& forces);

  // Updates only the rows and the coordinates of the cut joints.
  void update(const Properties<double>& properties, const State<double>& state,
              const Kinematics<double>& kinematics) {
    update_constraint_rows(*model_, properties, state, kinematics, rows_);
  }
  ConstraintErrors errors() const;

  // Projects q and u of the state onto the conditions, with the smallest change; false if they cannot be
  // satisfied there. `kinematics` is used as scratch memory and belongs to the state afterwards.
  bool project(const Properties<double>& properties, State<double>& state, Kinematics<double>& kinematics,
               Projection how = Projection::after_derivatives);
  bool project_positions(const Properties<double>& properties, State<double>& state,
                         Kinematics<double>& kinematics);
  bool project_speeds(const Properties<double>& properties, State<double>& state,
                      Kinematics<double>& kinematics);
  // Removes from errors of the coordinates (displacements, nu) and of the speeds (nu) at a state near a
  // singular position what a projection removes: e <- e + x with M x = C^T mu, C x = -C e. Returns false,
  // with nothing changed, elsewhere. `kinematics` as in project().
  bool project_errors(const Properties<double>& properties, const State<double>& state,
                      Kinematics<double>& kinematics, std::span<double> displacement, std::span<double> du);
  // du (nu) for generalised impulses (nu) at the state: M du = impulse + C^T mu, C du = 0.
  void calc_velocity_jump(const Properties<double>& properties, const State<double>& state,
                          Kinematics<double>& kinematics, std::span<const double> impulse,
                          std::span<double> du);

  // Solves M x = tau + C^T mu, C x = 0 for x (nu) with the factors of the last solve() or
  // calc_velocity_jump(), to whose state `kinematics` belongs, and returns mu (rows), until the next call.
  std::span<const double> solve_again(const Kinematics<double>& kinematics, std::span<const double> tau,
                                      std::span<double> x) {
    std::copy(tau.begin(), tau.end(), tau_.begin());
    std::fill(force_.begin(), force_.end(), SpatialForce<double>{});
    std::fill(d_.begin(), d_.end(), 0.0);
    solve_factored(kinematics, d_, x);
    return mu_;
  }

  // The following results belong to the last solve() or take_lambda().
  std::span<const double> lambda() const { return lambda_; }
  double power() const { return power_; }  // W, of constraint forces; zero unless conditions depend on time
  // [torque; force] that a cut joint of the model exerts on its child, about M's origin, ground axes: from
  // its conditions and conditions on its coordinates, less the forces that drive it.
  SpatialForce<double> reaction(const CutJointInfo& joint) const;

  // The following results belong to the last solve(), take_lambda(), update() or project().
  const ConstraintRows<double>& rows() const { return rows_; }
  // Tolerance of the projections (m); smaller errors are round-off.
  static double tolerance(const Properties<double>& properties);

 private:
  SolveReport<double> factor(const Properties<double>& properties, const Kinematics<double>& kinematics);
  // Newton's method. `factors_serve`: true if the present factors are those of a nearby state.
  bool take_position_steps(const Properties<double>& properties, State<double>& state,
                           Kinematics<double>& kinematics, bool& factors_serve, bool always_corrects = false);
  bool take_speed_steps(const Properties<double>& properties, State<double>& state,
                        Kinematics<double>& kinematics, bool& factors_serve, bool always_corrects = false);
  void solve_factored(const Kinematics<double>& kinematics, std::span<const double> d, std::span<double> x,
                      bool wants_mu = true);
  bool loses_digits() const;
  void refine(const Properties<double>& properties, const Kinematics<double>& kinematics,
              std::span<double> x);
  void keep_small_pivots(bool keep);
  bool is_nearly_singular() const;  // at the last factor()
  void move_forces_to_joints(const Kinematics<double>& kinematics);
  void move_bodies(const Kinematics<double>& kinematics, std::span<const double> x);
  void subtract_from_residual(const Properties<double>& properties, const Kinematics<double>& kinematics,
                              std::span<const double> x, std::span<const double> mu);
  void apply_lambda(const State<double>& state, const Kinematics<double>& kinematics,
                    AppliedForces<double>& forces);
  void update_without_udot(const Properties<double>& properties, const Kinematics<double>& kinematics,
                           const AppliedForces<double>& forces);

  const Model* model_;
  ConstraintRows<double> rows_;
  std::unique_ptr<ConstrainedRecursion> recursion_;
  std::unique_ptr<ConstrainedAssembly> assembly_;
  std::unique_ptr<ConstrainedKane> kane_;
  std::unique_ptr<ConstrainedSparse> sparse_;
  std::vector<SpatialMotion<double>> A0_;        // by BodyIndex: less g, for udot = 0
  std::vector<SpatialForce<double>> force_;      // by BodyIndex: the force that the body lacks at udot = 0
  std::vector<SpatialForce<double>> of_lambda_;  // by BodyIndex: the forces of the conditions
  std::vector<double> tau_, x_, dx_, zero_u_;    // (nu)
  std::vector<double> d_, lambda_, mu_, dmu_;    // (rows)
  double power_ = 0.0;
};

}  // namespace sestina
