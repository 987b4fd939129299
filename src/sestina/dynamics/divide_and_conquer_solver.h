// Forward dynamics by divide and conquer: O(log n) on enough processors.
//
// The mechanism is cut into pieces (assembly_tree.h). A piece, or an assembly of pieces, hangs on its base,
// whose acceleration is A_P, and may have a handle, on which an external force f acts. All quantities are in
// ground axes, about the Mo of the base and of the handle:
//   F   = I A_P + z - K f                  force that the base must exert on it              (10)
//   a_t = K^T A_P + b + d + Phi f          acceleration of the handle                        (11)
// b is due to the velocities alone and d to the forces along the freedoms of the joints; d lies in the range
// of Phi, and Phi is symmetric positive semidefinite.
//
// A piece is eliminated joint by joint from its tips, as in the recursive solver. From the handle inward,
// each column H, with D, e and (about the parent's Mo) W of (7) and (8), gives
//   t = K^T H,   b <- b + K^T c,   K <- shifted K - W t^T,   Phi <- Phi + t t^T / D,
//   d <- d + t e / D                       starting from K = 1 at the handle                 (12)
//
// Two nodes are joined, the outer one (2) on the handle of the inner one (1); Phi_1 = L L^T and N = C C^T:
//   N = 1 + L^T I_2 L,   X = C^-1 L^T,   P = X^T X,   g = X^T C^-1 L^-1 d_1                  (13)
//   a_t = v - P (I_2 v + z_2 - K_2 f) + g,       v = K_1^T A_P + b_1                         (14)
//   I = I_1 + K_1 (I_2 - I_2 P I_2) K_1^T,       z = z_1 + K_1 (I_2 a_t0 + z_2)
//   K = K_1 (K_2 - I_2 P K_2),                   Phi = Phi_2 + K_2^T P K_2
//   b = b_2 + K_2^T (b_1 - P I_2 b_1),           d = d_2 + K_2^T (g - P z_2)                 (15)
// where a_t0 is (14) for A_P = 0, f = 0. If the outer node has no handle, the last two lines do not apply; if
// the handle stays open beside the outer node, K_2 = 1 and Phi_2 = b_2 = d_2 = 0.
//
// Outward again, the acceleration of the ground is -g. (14) gives each inner node the force on its handle,
// f_1 = -(I_2 a_t + z_2 - K_2 f), and each outer node the acceleration of its base, a_t; in the pieces
//   udot = (e + t.f)/D - W.A_P.                                                             (16)
//
// The acceleration of a handle is now known twice: as a_t of (14), from which the outer pieces start, and as
// the result of the inner piece for its A_P and f. The two differ by the round-off of the largest numbers in
// (14), and in a chain of a thousand bodies this makes the residual 10^5 times as large as the recursion's.
// Therefore the gaps are closed: they are the b of a system that is otherwise at rest (z = d = 0), whose
// solution by (14) and the vectors of (15) corrects A_P and f. The first gaps come from (11) of each piece,
// before (16). Where a light body carries a heavy one across a handle, (11) itself is not accurate enough:
// the joints then reach another acceleration in (16), and further rounds of these gaps and (16) follow.
//
// The error of udot is then its rounding to double. On long chains the recursion does better still,
// because each joint responds to the accelerations that the rounded udot of the joints before it have
// produced; that is inherently serial (docs/divide_and_conquer.md has the residuals of all three).
//
// N has no eigenvalue below 1, and the pivots of the pieces equal the recursion's. No inverse of an
// inertia appears, so that massless bodies are harmless and no pivoting is needed. A piece should end at a
// body whose own inertia resists its joint; the assembly tree ensures that where it can. If a piece is
// singular nevertheless, the recursive solver takes over.
//
// Featherstone (1999) inverts the inertias of bodies instead (his handles have Phi only), which fails for a
// massless body and loses digits for a light one. Grain 1 makes every body a piece, which is his algorithm in
// these variables; a larger grain is the hybrid of Critchley and others (2009).
// Cost: about 1.5 times the recursion in the pieces, and of the order of 3000 multiplications an assembly.
// Sources: Featherstone, A divide-and-conquer articulated-body algorithm, IJRR 18 (1999) 867-892;
// Critchley, Anderson, Binani, J. Comput. Nonlinear Dynam. 4 (2009) 021004.
#pragma once

#include "sestina/dynamics/assembly_tree.h"
#include "sestina/dynamics/recursive_solver.h"
#include "sestina/parallel/executor.h"
#include "sestina/spatial/cholesky6.h"

namespace sestina {

template <class T>
class DivideAndConquerSolver {
 public:
  // Bodies in a piece of the hybrid, for a model of n bodies. Below 128 the assemblies cost too much, and 64
  // pieces are enough for present machines (docs/divide_and_conquer.md has the measurement).
  static constexpr int hybrid_grain(int n) { return n < 64 * 128 ? 128 : n < 64 * 256 ? n / 64 : 256; }

  // Spreads pieces and assemblies over the executor's threads; without an executor it runs serially. The
  // result is the same, bit for bit.
  DivideAndConquerSolver(const Model& model, int grain, Executor* executor = nullptr);

  // Computes the kinematics piece by piece: first the motion of each handle relative to its base, then the
  // motion of all bases, then every body. Equals update_kinematics() to round-off.
  void update_kinematics(const Properties<T>& properties, const State<T>& state, Kinematics<T>& kinematics);

  // Solves as RecursiveSolver::solve() does.
  SolveReport<T> solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                       const AppliedForces<T>& forces, std::span<T> udot);
  // Equals update_kinematics() and solve(), to the same bits, for forces that do not depend on the
  // kinematics: each piece is eliminated while its kinematics are in the cache; one synchronisation less.
  SolveReport<T> move_and_solve(const Properties<T>& properties, const State<T>& state,
                                Kinematics<T>& kinematics, const AppliedForces<T>& forces, std::span<T> udot);
  void calc_reactions(const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                      std::span<SpatialForce<T>> reactions) const;

  const AssemblyTree& assembly_tree() const { return tree_; }

 private:
  // The matrices of (10) and (11), which depend on masses and positions alone.
  struct Node {
    Mat6<T> I;
    Mat6<T> K, Phi;  // only with a handle
  };
  // The vectors of (10) and (11), from velocities, forces and gaps, and the results of the outward pass.
  struct NodeVectors {
    Vec6<T> z;
    Vec6<T> b, d;    // only with a handle
    Vec6<T> A_P;     // acceleration of the base
    Vec6<T> f, a_t;  // force on the handle, and its acceleration
  };
  struct Ends {   // of a piece: sums over the rounds
    Vec6<T> A_P;  // acceleration of the base
    Vec6<T> f;    // force on the handle that is not in free_udot yet
    Vec6<T> a_t;  // acceleration of the handle
  };
  struct Joint {             // of an assembly: (13)
    Mat6<T> P, X;            // X = C^-1 L^T
    CholeskyFactor<T> L, C;  // of Phi_1 and of N
    Vec6<T> g;
  };

  using Block = AssemblyBlocks::Block;
  // kEliminate, kClose, kGather and kAccelerate process whole blocks; kTop and kTopGaps all assemblies that
  // are not spread; kWholeTop both and the closing between them; the others process single assemblies.
  enum class TaskKind {
    kEliminate,
    kJoin,
    kTop,
    kPart,
    kClose,
    kWholeTop,
    kGather,
    kJoinGaps,
    kTopGaps,
    kAccelerate
  };
  struct Task {
    TaskKind kind;
    int first;  // assembly
  };
  struct Schedule {
    std::vector<Task> tasks;  // by level
    std::vector<int> sizes;   // of each level
  };
  void make_schedule();
  // Calls do_tasks(level, begin, end) on ranges that cover each level, spread over the threads.
  template <class Tasks>
  void run_levels(std::span<const int> sizes, Tasks& do_tasks);
  void run(const Schedule& schedule, const Properties<T>& properties, const Kinematics<T>& kinematics,
           const AppliedForces<T>& forces, std::span<T> udot);
  void do_task(const Task& task, int i, const Properties<T>& properties, const Kinematics<T>& kinematics,
               const AppliedForces<T>& forces, std::span<T> udot);
  SolveReport<T> close_gaps(const Properties<T>& properties, const Kinematics<T>& kinematics,
                            const AppliedForces<T>& forces, std::span<T> udot);
  template <class Join>
  void do_top(const Vec3<T>& a, Join&& join_one);
  void close_block(const Block& block);
  void accelerate_block(const Block& block, const Kinematics<T>& kinematics, std::span<T> udot);
  void eliminate_piece(int piece, const Properties<T>& properties, const Kinematics<T>& kinematics,
                       const AppliedForces<T>& forces);
  void extend_path(int piece, const Kinematics<T>& kinematics);
  void join(int assembly);
  void join_matrices(int assembly);
  void join_vectors(int assembly);
  void part_vectors(int assembly);
  void calc_gap(int piece);
  void push_handle(int piece, const Kinematics<T>& kinematics);
  void measure_gap(int piece);
  double largest_gap() const;

  void start_at_ground(const Vec3<T>& a);
  void calc_relative_motion(int piece, const Properties<T>& properties, const State<T>& state,
                            Kinematics<T>& kinematics);
  void chain_motions();
  void move_piece(int piece, const Properties<T>& properties, const State<T>& state,
                  Kinematics<T>& kinematics);

  bool has_handle(int node) const { return tree_.nodes[static_cast<std::size_t>(node)].handle.is_valid(); }
  Node& node(int i) { return nodes_[static_cast<std::size_t>(i)]; }
  NodeVectors& vectors(int i) { return vectors_[static_cast<std::size_t>(i)]; }
  int result_of(int assembly) const { return static_cast<int>(tree_.pieces.size()) + assembly; }

  const Model* model_;
  Executor* executor_;
  AssemblyTree tree_;
  std::vector<Block> blocks_;
  int first_serial_ = 0;                    // assembly
  Schedule solution_, correction_;          // the solution with gaps of (11) closed; a round after (16)
  std::vector<int> sizes_with_kinematics_;  // of the levels of move_and_solve()
  ArticulatedSweep<T> sweep_;
  RecursiveSolver<T> fallback_;
  bool used_fallback_ = false;
  std::vector<Node> nodes_;
  std::vector<NodeVectors> vectors_;                     // by node
  std::vector<Ends> ends_;                               // by piece
  std::vector<double> relative_gaps_;                    // by piece: gap after (16) relative to a_t
  std::vector<Joint> joints_;                            // by assembly
  std::vector<SolveReport<T>> reports_;                  // by piece
  std::vector<Vec6<T>> t_;                               // (nu) t / D, on the path to a handle
  std::vector<std::vector<TreeLayout::Angles>> angles_;  // by piece
  std::vector<Walk> walks_;                              // by piece
  std::vector<std::vector<ArticulatedRows<T>>> sums_;    // by piece
  std::vector<std::vector<BodyIndex>> paths_;            // by piece: from the base to the handle
  std::vector<int> inner_piece_;              // by piece: the piece whose handle its base is; -1: ground
  std::vector<BodyMotion<T>> handle_motion_;  // by piece: relative to the base, then absolute
};

}  // namespace sestina
