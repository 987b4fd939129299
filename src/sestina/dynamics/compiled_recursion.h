// The O(n) recursions on expressions, over the links of compiled_links.h. The resulting expressions contain
// only the operations that this model needs.
//
// All quantities of a link are in its own axes about its own origin; z is the joint's axis. With w the
// angular velocity, a dash for quantities of the parent in the link's axes, and a0, alpha0 the accelerations
// less gravity that the link has for udot = 0, outward:
//   w = w' + u z,   alpha0 = alpha0' + u w' x z,   a0 = a0' + K' s                        (turn)       (1)
//   w = w',         alpha0 = alpha0',              a0 = a0' + K' (s + q z) + 2 u w' x z    (slide)      (1)
//   K = [alpha0 x] + [w x][w x]                                                                        (2)
// so that the point r of the link has the acceleration a0 + K r. A link of mass m, first moments h and second
// moments S needs
//   force = m a0 + K h,   torque = h x a0 + sum over axes i of e_i x (K S e_i)                          (3)
// Inward, with I the articulated inertia, z the bias force and H the joint's axis:
//   U = I H,   D = H.U + armature,   W = U/D,   g = (tau - H.z)/D                                       (4)
//   I - U W^T,   z + U g   rotated and shifted to the parent's frame, and added there                   (5)
// and outward, with A the part of the acceleration that is due to udot:
//   udot = g - W.A',   A = A' + H udot                                                                  (6)
// Since the accelerations are split into a0 and A, no term of (5) has a product of I and a bias acceleration.
// H is z, so that U is a column of I, and (5) leaves I of a rotating joint with a column of zeros. Inverse
// dynamics is (1) to (3) with udot among the accelerations; the mass matrix follows from the composite
// inertias (Walker and Orin 1982).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sestina/dynamics/compiled_links.h"
#include "sestina/expression/expression.h"

namespace sestina {

// Symbols and results are in the model's order of coordinates and speeds.
class CompiledRecursion {
 public:
  CompiledRecursion(const Model& model, std::vector<CompiledLink> links);

  const Graph& graph() const { return graph_; }
  const std::vector<Expr>& q() const { return q_; }
  const std::vector<Expr>& u() const { return u_; }
  // Symbols and values of the model's numbers other than 0, 1 and -1, which become inputs of the function.
  const std::vector<Expr>& constants() const { return constants_; }
  const std::vector<double>& values() const { return values_; }

  struct Accelerations {
    std::vector<Expr> udot;    // (nu)
    std::vector<Expr> pivots;  // (nu): D
  };
  // `tau` and `udot` (nu): symbols made by new_symbols().
  Accelerations calc_udot(const std::vector<Expr>& tau);
  std::vector<Expr> calc_tau(const std::vector<Expr>& udot);
  // Rows of the lower triangle, nu (nu + 1)/2.
  std::vector<Expr> calc_mass_matrix();

  std::vector<Expr> new_symbols(const std::string& name, int count);

 private:
  friend class LinkWalk;

  Expression constant(double value);

  std::vector<CompiledLink> links_;
  Graph graph_;
  std::vector<Expr> q_, u_, constants_;
  std::vector<double> values_;
  std::map<double, std::size_t> known_;  // place of each value among values_
  Expression nothing_;                   // a constant that is 0, see LinkWalk::reciprocal
};

}  // namespace sestina
