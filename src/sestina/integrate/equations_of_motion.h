// The equations of motion of a system as seen by integrators: several forms, of which a rule uses one or two.
//
//   explicit    qdot = N(q) u,   [udot, xdot, zdot] = f(t, q, u, x, d, h)
//   implicit    r(t, q, u, udot) = 0, with its tangent                           (ResidualFace)
//               r(t, q, w, wdot, lambda) = 0, v(t, q, w) = 0, with sparse tangents (ImplicitFace)
//   canonical   p = M(q) u,   pdot = d(M u)/dt along the motion                  (MomentumFace)
//   impulsive   M (u_after - u_before) = impulse                                 (ImpulseFace)
//   unilateral  gap(q) >= 0                                                      (ContactFace)
//
// Every system has the explicit form. The others are optional; a rule that needs a missing form is refused,
// with a message that names it.
//
// The coordinates q are points of a manifold: q and u differ in number if orientation is described by Euler
// parameters. Displacements (nu) lead from point to point: plus, minus.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sestina/numerics/matrix_block.h"
#include "sestina/numerics/projection.h"
#include "sestina/numerics/sparse_pattern.h"
#include "sestina/numerics/state.h"
#include "sestina/numerics/time_switches.h"

namespace sestina {

// The output of calc_derivatives, in memory of the caller.
struct StateRates {
  std::span<double> udot;  // (nu)
  std::span<double> xdot;  // (nx)
  std::span<double> zdot;  // (nz)
};

// The equations in canonical form, for rules that advance momenta:
//
//   p = M(q) u,   pdot = d(M u)/dt along the motion = (dM/dt) u + M a(t, q, u)
//
// M is the mass matrix, symmetric and positive definite. If u is the rate of q, pdot is dL/dq plus the
// generalised forces without a potential. For an orientation, p is the angular momentum conjugate to w, and
// pdot = f + w x p (Euler-Poincare, right-invariant), where f is the torque plus the derivative of L with
// respect to a further rotation of the body at fixed u.
class MomentumFace {
 public:
  virtual ~MomentumFace() = default;

  // Computes p (nu).
  virtual void calc_momentum(const State<double>& state, std::span<double> p) = 0;
  // u = M(q)^-1 p, (nu). The speeds of `state` are not used and may be u. Throws ComputationError if the mass
  // matrix is singular.
  virtual void calc_speeds(const State<double>& state, std::span<const double> p, std::span<double> u) = 0;
  // Computes pdot (nu) and zdot (nz). Throws ComputationError.
  virtual void calc_momentum_rate(const State<double>& state, std::span<double> pdot,
                                  std::span<double> zdot) = 0;
};

// The equations in implicit form, and the derivatives of both forms:
//
//   r(t, q, u, udot) = M(q) udot - f(t, q, u),   udot = a(t, q, u) where r = 0
//
// "By q" means with respect to a displacement of q (nu columns), as in plus().
class ResidualFace {
 public:
  virtual ~ResidualFace() = default;

  // Computes r (nu), in the unit of the generalised forces.
  virtual void calc_residual(const State<double>& state, std::span<const double> udot,
                             std::span<double> residual) = 0;
  // Computes the matrices below, (nu x nu), at this state, with the udot that solves r = 0. They are valid
  // until the next call. Throws ComputationError if the mass matrix is singular.
  virtual void update_tangent(const State<double>& state) = 0;
  virtual MatrixBlock residual_by_q() const = 0;
  virtual MatrixBlock residual_by_u() const = 0;
  virtual MatrixBlock residual_by_udot() const = 0;  // M
  virtual MatrixBlock udot_by_q() const = 0;
  virtual MatrixBlock udot_by_u() const = 0;
  // Computes the first three of these matrices only, at the state of the last calc_derivatives() and for the
  // udot (nu) that it returned. No other call may lie in between.
  virtual void update_residual_tangent(const State<double>& state, std::span<const double> udot) = 0;
  // dr/dp (nu) with respect to a parameter of the system, with state and udot of the last
  // update_residual_tangent() held fixed. The number of the parameter is that of parameter_number(), which
  // throws InputError if there is no such parameter.
  virtual void calc_residual_by_parameter(int parameter, std::span<double> by_parameter) = 0;
  virtual int parameter_number(const std::string& name) const = 0;
  // Computes only zdot (nz), which costs less than all derivatives.
  virtual void calc_quadrature_rates(const State<double>& state, std::span<double> zdot) = 0;
};

// The equations with conditions (loops, constraints) and their multipliers, for implicit rules. With w = [u,
// x] (nw) and its rates wdot:
//
//   r(t, q, w, wdot, lambda) = 0 (nw),   v(t, q, w) = 0 (rows)                                       (1)
//
// where r is the residual of ResidualFace less C^T lambda, and v the rates of the conditions on positions,
// g(t, q) = 0, and the conditions on speeds. Their tangents, "by" meaning "with respect to", and "by q" as
// above:
//
//   M = r by wdot,   D = r by w,   K = r by q (columns of x are zero),   C = v by w,   v_q = v by q
//
// as numbers of two patterns that do not change.
class ImplicitFace {
 public:
  struct Residual {
    std::span<double> r;  // (nw)
    std::span<double> v;  // (rows)
  };
  struct Tangents {
    std::span<const double> M, D, K;  // (nw x nw) by pattern()
    std::span<const double> C, v_q;   // (rows x nw) by row_pattern()
  };

  virtual ~ImplicitFace() = default;

  virtual int rows() const = 0;
  virtual const SparsePattern& pattern() const = 0;
  virtual const SparsePattern& row_pattern() const = 0;
  // Computes wdot and lambda that solve (1), with v = 0 differentiated once, at a state. Throws
  // ComputationError.
  virtual void calc_start(const State<double>& state, std::span<double> wdot, std::span<double> lambda) = 0;
  virtual void calc_residual(const State<double>& state, std::span<const double> wdot,
                             std::span<const double> lambda, const Residual& to) = 0;
  // Valid until the next call.
  virtual Tangents calc_tangents(const State<double>& state, std::span<const double> wdot,
                                 std::span<const double> lambda) = 0;
  // About how many evaluations of the residual calc_tangents() costs.
  virtual double tangent_cost() const = 0;
  virtual void calc_quadrature_rates(const State<double>& state, std::span<const double> lambda,
                                     std::span<double> zdot) = 0;
};

// How speeds jump if generalised impulses act at an instant.
class ImpulseFace {
 public:
  virtual ~ImpulseFace() = default;

  // The jump du (nu) of the speeds, M du = impulse (nu), within the constraints on speeds. Throws
  // ComputationError if the mass matrix is singular.
  virtual void calc_velocity_jump(const State<double>& state, std::span<const double> impulse,
                                  std::span<double> du) = 0;
};

// Unilateral contacts: points at which bodies touch or may touch, and joint limits.
//
//   gap(q) >= 0,   v = C u
//
// with v the relative velocity at the point, [normal, positive if the gap opens; two tangential].
//
// Dry friction of a joint is a contact whose normal force is given (load): v has only its first tangential
// component, the speed of the joint, the gap is zero, and the coefficient of friction is 1.
class ContactFace {
 public:
  enum class Impact : std::uint8_t { kNewton, kPoisson, kStronge };
  struct Contact {
    double gap = 0.0;        // m or rad, negative where the shapes overlap
    double friction = 0.0;   // Coulomb's coefficient
    double stiffness = 0.0;  // N/m; 0: rigid
    double damping = 0.0;    // N s/m, of a contact with stiffness
    double restitution = 0.0;
    Impact impact = Impact::kStronge;
    std::optional<double> load;  // N or N m: the normal force, where it is given

    bool is_rigid() const { return stiffness == 0.0 && !load; }
    // Returns a compliance R such that R p_n + b = 0 with b = -R load h has the solution p_n = load h. Its
    // size is that of the mobility or, since a prescribed motion leaves a mobility of round-off, of the speed
    // along the contact.
    double compliance_of_load(double mobility, double speed, double h) const {
      const double impulse = h * *load;
      const double R = impulse > 0.0 ? std::max(mobility, std::abs(speed) / impulse) : mobility;
      return R > 0.0 ? R : 1.0;
    }
  };

  virtual ~ContactFace() = default;
  // Finds the contacts for the coordinates of the state.
  virtual void update_contacts(const State<double>& state) = 0;
  virtual std::span<const Contact> contacts() const = 0;
  // Whether a pair of shapes moves so far between two states that it may have passed through each other, or
  // so deep into each other that the nearest surface is not the one through which it came.
  virtual bool may_pass(const State<double>& from, const State<double>& to) = 0;
  // Returns C (3 x nu, row by row) of a contact at the last update; valid until the next call.
  virtual std::span<const double> contact_rows(int contact) = 0;
  // Returns C of a contact at the last update, (3 x n) row by row, for the speeds that it moves only. The
  // ranges refer to order_of_speeds(), in which the speeds of each tree (all that hangs on one joint of the
  // ground) are consecutive. Valid until the next call. Only for systems without constraints.
  struct Rows {
    struct Range {
      int first = 0, count = 0;
    };
    std::array<Range, 2> ranges;
    std::span<const double> C;
  };
  virtual Rows short_rows(int contact) = 0;
  // Returns C M^-1 for the rows of the last short_rows(). Throws ComputationError if M is singular.
  virtual std::span<const double> short_jumps() = 0;
  virtual std::span<const int> order_of_speeds() = 0;
  // Returns a key for a point of contact. Keys ascend; a point keeps its key while its pair of shapes touches
  // at the same number of points.
  virtual std::uint64_t key_of_contact(int contact) const = 0;
  // The index of the quadrature that counts the work absorbed by contacts (J).
  virtual int quadrature_of_contacts() const = 0;
  // The index of the quadrature that counts the work supplied by prescribed motions (J), or -1 if there are
  // none.
  virtual int quadrature_of_motions() const = 0;
  // The contact to which a point belongs, for messages.
  virtual const std::string& name_of_contact(int contact) const = 0;
};

class EquationsOfMotion {
 public:
  virtual ~EquationsOfMotion() = default;

  virtual StateSizes sizes() const = 0;

  // ---- the manifold of q ----------------------------------------------------------------------------------

  // qdot = N(q) u, (nq).
  virtual void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) = 0;
  // q_out = q moved by the displacement dq = u dt of constant generalised speeds (nu): an addition, except
  // that orientations are rotated. q_out may be q.
  virtual void plus(std::span<const double> q, std::span<const double> displacement,
                    std::span<double> q_out) = 0;
  // The displacement (nu) that leads from q_from to q_to, the shortest one for orientations.
  virtual void minus(std::span<const double> q_to, std::span<const double> q_from,
                     std::span<double> displacement) = 0;
  // The indices in u at which the angular velocities (three components each) that rotate an orientation
  // begin: there plus() is exp(displacement) o e, with the displacement a rotation vector in the axes of u.
  // For other coordinates plus() is an addition and u the rate of q.
  virtual std::span<const int> rotations() const { return {}; }
  // Normalises the Euler parameters in q.
  virtual void normalize(std::span<double> q) = 0;

  // ---- the explicit form ----------------------------------------------------------------------------------

  // Throws ComputationError, for instance if the mass matrix is singular.
  virtual void calc_derivatives(const State<double>& state, const StateRates& rates) = 0;
  // Projects coordinates and speeds onto the constraints and normalises Euler parameters. Called after each
  // step and after interpolation. Implicit rules, which evaluate no derivatives, and multistep rules, whose
  // history contains the corrections, project `smooth`. Throws ComputationError.
  virtual void project(State<double>& state, Projection) { normalize(state.q); }
  void project(State<double>& state) { project(state, Projection::after_derivatives); }
  // Removes from the errors of q (nq) and u (nu) of a step that ends at the state, near a singular position
  // of the constraints, what the projection removes. Returns false, with nothing changed, elsewhere.
  virtual bool project_errors(const State<double>& /*state*/, std::span<double> /*of_q*/,
                              std::span<double> /*of_u*/) {
    return false;
  }
  // The time of the state has just passed an instant at which inputs may jump: speeds that constraints
  // prescribe may jump there, and others with them. Throws ComputationError.
  virtual void pass_jump(State<double>& /*state*/) {}
  // Whether project() does more than normalise Euler parameters: rules that do not project are then refused.
  virtual bool is_constrained() const { return false; }
  // Whether the rates depend on the history h; otherwise it is only stored with the state.
  virtual bool history_changes_rates() const { return true; }
  // Computes h of `after`, when a step from `before` to `after` has been accepted.
  virtual void update_history(const State<double>& /*before*/, State<double>& /*after*/) {}

  // ---- optional forms: null if not available --------------------------------------------------------------

  virtual MomentumFace* momentum_face() { return nullptr; }
  virtual ResidualFace* residual_face() { return nullptr; }
  virtual ImplicitFace* implicit_face() { return nullptr; }
  virtual ImpulseFace* impulse_face() { return nullptr; }
  // Null without contacts: then rules that do not support contacts may run the system.
  virtual ContactFace* contact_face() { return nullptr; }
  // The instants at which the system's inputs switch; null if there are none.
  virtual TimeSwitches* time_switches() { return nullptr; }

  // For messages: "hip.q", "base.u[3]".
  virtual std::string name_of_q(int i) const = 0;
  virtual std::string name_of_u(int i) const = 0;
  virtual std::string name_of_x(int i) const { return "x[" + std::to_string(i) + "]"; }
  virtual std::string name_of_z(int i) const { return "z[" + std::to_string(i) + "]"; }
};

}  // namespace sestina
