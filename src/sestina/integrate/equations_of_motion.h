// What an integration rule knows of a mechanical system, and the values it carries forward in time.
//
//   qdot = N(q) u,   udot = a(t, q, u),   zdot = p(t, q, u)
//
// q and u differ in number where orientation is described by Euler parameters. z are quadratures that
// ride along (work done by forces): they never feed back and never enter the control of the error.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/numerics/time_switches.h"

namespace sestina {

struct IntegrationState {
  double t = 0.0;         // s
  std::vector<double> q;  // (nq) generalised coordinates
  std::vector<double> u;  // (nu) generalised speeds
  std::vector<double> z;  // (nz) quadratures
  // (nd) discrete variables, which the equations may depend on: events change them, steps do not
  std::vector<double> d = {};
};

// The equations in canonical form, for rules that carry momenta:
//
//   p = M(q) u,   pdot = d(M u)/dt along the motion = (dM/dt) u + M a(t, q, u)
//
// M is the mass matrix, symmetric and positive definite. Where u is the rate of q, pdot = dL/dq + the
// generalised forces that have no potential. For an orientation p is the angular momentum conjugate to w
// and, with f the derivative of L by a further turn of the body at fixed u plus the torque,
// pdot = f + w x p (Euler-Poincare, right-invariant).
class CanonicalEquations {
 public:
  virtual ~CanonicalEquations() = default;

  // p (nu)
  virtual void calc_momentum(std::span<const double> q, std::span<const double> u, std::span<double> p) = 0;
  // u = M(q)^-1 p, (nu). Throws ComputationError where the mass matrix is singular.
  virtual void calc_speeds(double t, std::span<const double> q, std::span<const double> p,
                           std::span<double> u) = 0;
  // pdot (nu) and zdot (nz). Throws ComputationError.
  virtual void calc_momentum_rate(double t, std::span<const double> q, std::span<const double> u,
                                  std::span<double> pdot, std::span<double> zdot) = 0;
};

class EquationsOfMotion {
 public:
  virtual ~EquationsOfMotion() = default;

  virtual int nq() const = 0;
  virtual int nu() const = 0;
  virtual int nz() const = 0;

  // udot (nu) and zdot (nz). Throws ComputationError, for instance where the mass matrix is singular.
  virtual void calc_derivatives(double t, std::span<const double> q, std::span<const double> u,
                                std::span<double> udot, std::span<double> zdot) = 0;
  // qdot = N(q) u, (nq).
  virtual void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) = 0;
  // q_out = q moved along the displacement dq = u dt of the generalised speeds held constant (nu): an
  // addition, except that orientations are turned. q_out may be q.
  virtual void plus(std::span<const double> q, std::span<const double> displacement,
                    std::span<double> q_out) = 0;
  // Where in u the angular velocities (three components each) stand that turn an orientation: there plus()
  // is exp(displacement) o e, with the displacement a rotation vector in the axes of u. Elsewhere plus() is
  // an addition and u the rate of q.
  virtual std::span<const int> rotations() const { return {}; }
  // Brings the Euler parameters in q back to norm one.
  virtual void normalize(std::span<double> q) = 0;
  // Brings coordinates and speeds back to where constraints keep them, Euler parameters included: after each
  // step of an explicit or multistep rule, and wherever one of them interpolates.
  virtual void restore(std::span<double> q, std::span<double>) { normalize(q); }

  // Null where momenta are not on offer.
  virtual CanonicalEquations* canonical() { return nullptr; }

  // Where the time switches what drives the system; null where it does not.
  virtual TimeSwitches* time_switches() { return nullptr; }

  // For messages: "hip.q", "base.u[3]".
  virtual std::string name_of_q(int i) const = 0;
  virtual std::string name_of_u(int i) const = 0;
  virtual std::string name_of_z(int i) const { return "z[" + std::to_string(i) + "]"; }
};

}  // namespace sestina
