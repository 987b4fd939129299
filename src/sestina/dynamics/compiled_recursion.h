// The O(n) recursions on expressions, over the links of compiled_links.h: what comes out has the operations
// that this one model needs, and no others.
//
// All of a link is in its own axes about its own origin; z is the joint's axis. With w the angular velocity,
// a dash for the parent in the link's axes, and a0, alpha0 the accelerations that the link has less gravity
// where all udot are zero, outward:
//   w = w' + u z,   alpha0 = alpha0' + u w' x z,   a0 = a0' + K' s                        (turn)       (1)
//   w = w',         alpha0 = alpha0',              a0 = a0' + K' (s + q z) + 2 u w' x z    (slide)      (1)
//   K = [alpha0 x] + [w x][w x]                                                                        (2)
// so that K r is the acceleration of the point r less a0. A link of mass m, first moments h and second
// moments S takes
//   force = m a0 + K h,   torque = h x a0 + sum over axes i of e_i x (K S e_i)                          (3)
// Inward, with I the articulated inertia and z the bias force, H the joint's axis in it:
//   U = I H,   D = H.U + armature,   W = U/D,   g = (tau - H.z)/D                                       (4)
//   I - U W^T,   z + U g   turned and shifted to the parent's frame, and added there                    (5)
// and outward, with A the accelerations that come from udot alone:
//   udot = g - W.A',   A = A' + H udot                                                                  (6)
// Since the accelerations are split into a0 and A, no term of (5) holds a product of I and a bias
// acceleration. H is z, so that U is a column of I, and what turning joints leave of I has a column of
// zeros. Inverse dynamics is (1) to (3) with udot among the accelerations; the mass matrix comes from the
// composite inertias (Walker and Orin 1982).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sestina/dynamics/compiled_links.h"
#include "sestina/expression/expression.h"

namespace sestina {

// Symbols and results, by the model's order of coordinates and speeds.
class CompiledRecursion {
 public:
  CompiledRecursion(const Model& model, std::vector<CompiledLink> links);

  const Graph& graph() const { return graph_; }
  const std::vector<Expr>& q() const { return q_; }
  const std::vector<Expr>& u() const { return u_; }
  // Of the numbers of the model that are neither 0 nor 1 or -1: symbols and values.
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
  std::map<double, std::size_t> known_;  // places among them
  Expression nothing_;                   // a constant that is 0, see LinkWalk::reciprocal
};

}  // namespace sestina
