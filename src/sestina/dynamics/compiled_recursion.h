// The recursion of joint_axes_recursion.h on expressions, over the links of compiled_links.h. The resulting
// expressions contain only the operations that this model needs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sestina/dynamics/compiled_links.h"
#include "sestina/dynamics/joint_axes_recursion.h"
#include "sestina/expression/expression.h"

namespace sestina {

// Symbols and results are in the model's order of coordinates and speeds.
class CompiledRecursion {
 public:
  CompiledRecursion(const Model& model, const CompiledLinks& links);

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
  using Recursion = JointAxesRecursion<Expression, Expression>;

  Recursion make_recursion(const CompiledLinks& links);
  Expression constant(double value);
  Vec3<Expression> constant(const Vec3<double>& a) { return {constant(a.x), constant(a.y), constant(a.z)}; }
  SymMat3<Expression> constant(const SymMat3<double>& A);
  Mat3<Expression> constant(const Mat3<double>& A);
  std::vector<Expression> values_of(const std::vector<Expr>& symbols);
  std::vector<Expr> nodes_of(const std::vector<Expression>& results);

  Graph graph_;
  std::vector<Expr> q_, u_, constants_;
  std::vector<double> values_;
  std::map<double, std::size_t> known_;  // place of each value among values_
  Recursion recursion_;
};

}  // namespace sestina
