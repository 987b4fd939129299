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

namespace sestina {

struct IntegrationState {
  double t = 0.0;         // s
  std::vector<double> q;  // (nq) generalised coordinates
  std::vector<double> u;  // (nu) generalised speeds
  std::vector<double> z;  // (nz) quadratures
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
  // Brings the Euler parameters in q back to norm one.
  virtual void normalize(std::span<double> q) = 0;

  // For messages: "hip.q", "base.u[3]".
  virtual std::string name_of_q(int i) const = 0;
  virtual std::string name_of_u(int i) const = 0;
};

}  // namespace sestina
