// The saddle-point system (1) of constrained_recursion.h by divide and conquer: O(log n) on enough processors
// if each loop is local.
//
// The mechanism is cut into pieces, which are assembled in levels (assembly_tree.h). A piece or an assembly
// hangs on its base, whose acceleration is A_P. Let mu be the force f on its handle, if it has one, and the
// multipliers lambda of the conditions that are open: those that also act on other pieces. With I, K, S, z
// and d as in (2), all about the Mo of base and handle, it requires
//   F = I A_P + z - K mu,         K^T A_P + S mu + d = [a_t; -r]                                     (8)
// where a_t is the acceleration of the handle and r what other pieces contribute to the open conditions. A
// piece starts with K = 1 at its handle, where S = d = 0, and is eliminated by (3)-(6).
//
// Two nodes are joined, the outer one (2) on the handle of the inner one (1), so that f_1 = -F_2. Let mu be
// that of both together: the force on the outer handle and all open conditions. K_1 and S_1 refer to it, with
// zeros for what is not in node 1, and so do K_2 and S_2. Let K_f be the columns of f_1 in the inner K, Phi
// and B their rows of its S for f_1 and mu, d_f those of its d, and Phi = L L^T, N = C C^T:
//   N = 1 + L^T I_2 L,   X = C^-1 L^T,   P = X^T X,   T = 1 - P I_2                                  (9)
//   Y = L^-1 B,   Z = C^-1 Y + X K_2,   R = X^T Z,   V = K_2 - I_2 R                                 (10)
//   a_t1 = a_0 + T K_f^T A_P + R mu,   a_0 = T d_f - P z_2,   f_1 = -(I_2 a_t1 + z_2 - K_2 mu)       (11)
//   I = I_1 + K_f (I_2 - I_2 P I_2) K_f^T,   K = K_1 + K_f V,   S = S_1 - Y^T Y + S_2 + Z^T Z        (12)
//   z = z_1 + K_f (I_2 a_0 + z_2),           d = d_1 + d_2 + V^T d_f - R^T z_2                       (13)
// If the handle stays open beside the outer node, the columns of K_2 for f are 1. B is in the range of Phi,
// because S is positive semidefinite. N has no eigenvalue below 1, and no inverse of an inertia appears.
//
// Then the conditions that are complete, because no other node contributes and the base or a body of this
// node connects the bodies on which they act, are eliminated by (5) and (6), with S_1 - Y^T Y + ... in the
// scales of their pivots too. A condition whose pivot vanishes stays open if it couples with the base or the
// handle; otherwise it is redundant. At the ground A_P = 0; outward, (5) and (11) give each node its A_P and
// mu.
//
// The multipliers of redundant conditions have least norm in the end: the sets of multipliers that exert no
// force follow from (5) and f_1 = K_2 mu at A = 0, outward from the node in which the condition was found
// redundant, as far as there are any.
//
// A piece that is singular by itself (assembly_tree.h) is left to the recursion, together with all others.
// Sources: Featherstone (1999) and Critchley and others (2009), see divide_and_conquer_solver.h; Mukherjee
// and Anderson, Orthogonal complement based divide-and-conquer algorithm for constrained multibody systems,
// Nonlinear Dynamics 48 (2007) 199-215, who project onto the joints' free motions instead of (8).
#pragma once

#include <memory>

#include "sestina/dynamics/assembly_tree.h"
#include "sestina/dynamics/constrained_recursion.h"
#include "sestina/dynamics/idle_multipliers.h"
#include "sestina/parallel/executor.h"
#include "sestina/spatial/cholesky6.h"

namespace sestina {

class ConstrainedAssembly {
 public:
  // `grain` as in DivideAndConquerSolver. Without an executor it runs serially, with the same bits.
  ConstrainedAssembly(const Model& model, int grain, Executor* executor = nullptr);

  // factor() and solve() are those of ConstrainedRecursion. If `lambda` is empty, x alone is wanted.
  SolveReport<double> factor(const Properties<double>& properties, const Kinematics<double>& kinematics,
                             const ConstraintRows<double>& constraints);
  void solve(const Kinematics<double>& kinematics, std::span<const SpatialForce<double>> force,
             std::span<const double> tau, std::span<const double> d, std::span<double> x,
             std::span<double> lambda);

  // Both as in ConstrainedRecursion.
  void keep_small_pivots(bool keep);
  double smallest_pivot() const;

  const AssemblyTree& assembly_tree() const { return tree_; }

 private:
  // Conditions have numbers of their own in each node: their places in `rows`.
  struct Node {
    Mat6<double> I;
    Vec6<double> z, A_P;
    OpenRows* open = nullptr;   // its own, or that of the piece
    std::span<const int> rows;  // of the model; components of f have the numbers from the number of rows on
    std::span<double> d, mu;
  };
  // An assembly has these in addition to its node.
  struct Joint {
    OpenRows open;
    std::vector<int> rows;
    std::vector<double> d, mu;
    ConditionPivots pivots;
    std::vector<int> redundant;
    double smallest_pivot = 1.0;  // of a condition, relative to the largest |K|^2
    Mat6<double> K_f, P, T;
    Vec6<double> a_0;
    std::size_t handle[6] = {};             // places of f_1 among the open rows of the inner node
    std::vector<std::size_t> inner, outer;  // by place there: the number here
    std::size_t stride = 0;
    std::vector<double> Y, K_2, Z, R, V;  // (6 x stride): lines
  };
  struct Piece {
    std::unique_ptr<ConstrainedRecursion> recursion;
    std::vector<int> rows;  // of the model, and of the handle
    std::vector<double> mu;
    SolveReport<double> report;
  };
  // The arguments of solve().
  struct Equations {
    const Kinematics<double>& kinematics;
    std::span<const SpatialForce<double>> force;
    std::span<const double> tau, d;
    std::span<double> x, lambda;
  };

  void lay_out(const ConstraintRows<double>& constraints);
  void bundle_roots(const std::vector<std::vector<int>>& pieces_of_row);
  void find_complete_node(int row, int meeting, const std::vector<int>& pieces);
  void lay_out_pieces(const ConstraintRows<double>& constraints,
                      const std::vector<std::vector<int>>& pieces_of_row);
  int find_meeting_place(const ConstraintRows<double>& constraints, int row) const;
  std::vector<int> find_pieces(const ConstraintRows<double>& constraints, int row) const;
  void make_schedules();

  template <class Tasks>
  void run_levels(std::span<const int> sizes, const Tasks& do_task);
  void factor_task(int level, int i, const Properties<double>& properties,
                   const Kinematics<double>& kinematics, const ConstraintRows<double>& constraints);
  void solve_task(int level, int i, const Equations& equations);
  void factor_piece(int piece, const Properties<double>& properties, const Kinematics<double>& kinematics,
                    const ConstraintRows<double>& constraints);
  void join(int assembly);
  void unite(int assembly);
  void place_open_rows(int assembly);
  void couple(int assembly);
  void add_mobility(int assembly);
  void eliminate_rows(int assembly);
  void gather_piece(int piece, const Equations& equations);
  void gather(int assembly);
  void start_at_ground();
  void spread(int assembly, const Equations& equations);
  void spread_mu(int assembly, const Vec6<double>& of_outer);
  void spread_piece(int piece, const Equations& equations);
  void find_idle_multipliers();
  void find_idle_set(int of, int row, std::size_t eliminations);
  void follow_idle_in_piece(int piece, std::size_t eliminations);
  void follow_idle(int of);

  std::size_t num_pieces() const { return tree_.pieces.size(); }
  bool has_handle(int node) const { return tree_.nodes[static_cast<std::size_t>(node)].handle.is_valid(); }
  bool moves(int node) const { return tree_.nodes[static_cast<std::size_t>(node)].base != kGround; }
  Node& node(int i) { return nodes_[static_cast<std::size_t>(i)]; }
  const AssemblyTree::Assembly& step(int assembly) const {
    return tree_.assemblies[static_cast<std::size_t>(assembly)];
  }
  Joint& joint(int assembly) { return joints_[static_cast<std::size_t>(assembly)]; }
  Piece& piece_of(int piece) { return pieces_[static_cast<std::size_t>(piece)]; }
  int result_of(int assembly) const { return static_cast<int>(num_pieces()) + assembly; }
  Node& result(int assembly) { return node(result_of(assembly)); }

  const Model* model_;
  Executor* executor_;
  AssemblyTree tree_;
  int num_rows_;
  bool is_laid_out_ = false;
  std::unique_ptr<AssemblyBlocks> blocks_;
  std::vector<int> factor_sizes_, solve_sizes_;  // of the levels
  std::vector<int> parent_of_;                   // by node: the one that it becomes part of; -1: a root
  std::vector<int> piece_of_body_;               // by BodyIndex; -1: the ground
  std::vector<int> complete_at_;                 // by row: node
  std::vector<Node> nodes_;
  std::vector<Joint> joints_;  // by assembly
  std::vector<Piece> pieces_;
  ConstrainedRecursion fallback_;
  bool uses_fallback_ = false;
  double length_ = 1.0;
  double smallest_allowed_ = ConditionPivots::kSmallPivot;  // pivot
  IdleMultipliers idle_;
  bool knows_idle_ = false;  // idle_ belongs to the last factor()
};

}  // namespace sestina
