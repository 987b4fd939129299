// Forward dynamics by divide and conquer: O(log n) on enough processors.
//
// The mechanism is cut into pieces (assembly_tree.h). A piece, or an assembly of pieces, hangs on its base,
// whose acceleration is A_P, and may have a handle, on which an outside force f acts. Seen from there, all
// about the Mo of the base and of the handle, in ground axes:
//   F   = I A_P + z - K f                  force that the base must exert on it              (10)
//   a_t = K^T A_P + b + d + Phi f          acceleration of the handle                        (11)
// b is what the velocities alone do to the handle, d what the forces do through the freedom of the joints;
// d lies in the range of Phi, and Phi is symmetric and not negative.
//
// A piece is eliminated joint by joint from its tips, as in the recursive solver; on the way from the handle
// inward each column H (with U, D, e of (7)) gives
//   t = K^T H,   b <- b + K^T c,   K <- shifted K - U t^T / D,   Phi <- Phi + t t^T / D,
//   d <- d + t e / D                       starting from K = 1 at the handle                 (12)
//
// Two nodes: the outer one (2) on the handle of the inner one (1). With Phi_1 = L L^T, d_1 = L y:
//   N = 1 + L^T I_2 L,   P = L N^-1 L^T,   g = L N^-1 y                                      (13)
//   a_t = v - P (I_2 v + z_2 - K_2 f) + g,       v = K_1^T A_P + b_1                         (14)
//   I = I_1 + K_1 (I_2 - I_2 P I_2) K_1^T,       z = z_1 + K_1 (I_2 a_t0 + z_2)
//   K = K_1 (K_2 - I_2 P K_2),                   Phi = Phi_2 + K_2^T P K_2
//   b = b_2 + K_2^T (b_1 - P I_2 b_1),           d = d_2 + K_2^T (g - P z_2)                 (15)
// where a_t0 is (14) for A_P = 0, f = 0. Where the outer node has no handle, the last two lines fall away;
// where the handle stays open beside it, K_2 = 1 and Phi_2 = b_2 = d_2 = 0.
//
// Outward again: the ground's acceleration is -g; (14) gives each inner node the force on its handle,
// f_1 = -(I_2 a_t + z_2 - K_2 f), and each outer node the acceleration of its base, a_t; in the pieces
//   udot = (e + t.f - U.A') / D.                                                             (16)
//
// By then the acceleration of a handle is known twice: a_t of (14), from which the outer pieces start, and
// what the inner piece makes of its A_P and f. They differ by the round-off of the largest numbers in (14),
// and a chain of a thousand bodies multiplies the difference into a residual 10^5 times that of the
// recursion. So the gaps are closed: they are the b of a system that is otherwise at rest (no z, no d),
// solved by the vector half of (14) and (15), and change A_P and f. The gaps are first taken from (11) of
// each piece, before (16). Where a light body carries a heavy one across a handle, (11) itself is too rough:
// then the joints arrive at another acceleration after (16), and rounds with these gaps and (16) once more
// follow.
//
// After that udot is as good as its own rounding to double allows. The recursion does better still on long
// chains, because each joint answers to the accelerations that the rounded udot of the joints before it have
// produced; that is serial by nature (docs/divide_and_conquer.md has the residuals of all three).
//
// N has no eigenvalue below 1 and the pivots of the pieces are those of the recursion: no inverse inertia
// appears, so that a massless body is as harmless as there, and no pivoting is needed. A piece should end at
// a body whose own inertia resists its joint; the assembly tree sees to that. If a piece is singular all the
// same, the recursive solver takes over.
//
// Featherstone (1999) inverts the inertias of bodies instead (his handles have Phi alone): that fails where a
// body has none and loses digits where it has little. Grain 1 makes every body a piece (his algorithm in
// these variables); a larger grain is the hybrid of Critchley and others (2009).
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
  // Bodies of a piece of the hybrid, for a model of n bodies: below 128 the assemblies cost too much, and 64
  // pieces are enough for any machine of today (docs/divide_and_conquer.md has the measurement).
  static constexpr int hybrid_grain(int n) { return n < 64 * 128 ? 128 : n < 64 * 256 ? n / 64 : 256; }

  // Pieces and assemblies are spread over the executor's threads; without one they are done in order. The
  // result is the same, bit for bit.
  DivideAndConquerSolver(const Model& model, int grain, Executor* executor = nullptr);

  // Kinematics piece by piece: first each handle's motion relative to its base, as if that were at rest in
  // the ground; then the motion of all bases; then every body. As update_kinematics() but for round-off.
  void update_kinematics(const Properties<T>& properties, const State<T>& state, Kinematics<T>& kinematics);

  // As RecursiveSolver.
  SolveReport<T> solve(const Properties<T>& properties, const Kinematics<T>& kinematics,
                       const AppliedForces<T>& forces, std::span<T> udot);
  // update_kinematics() and solve() at once, for forces that do not depend on the kinematics, to the same
  // bits: each piece is eliminated while its kinematics are in the cache, and the threads meet once less.
  SolveReport<T> move_and_solve(const Properties<T>& properties, const State<T>& state,
                                Kinematics<T>& kinematics, const AppliedForces<T>& forces, std::span<T> udot);
  void calc_reactions(const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                      std::span<SpatialForce<T>> reactions) const;

  const AssemblyTree& assembly_tree() const { return tree_; }

 private:
  // The part of (10) and (11) that the masses and the position decide.
  struct Node {
    Mat6<T> I;
    Mat6<T> K, Phi;  // with a handle
  };
  // The part that velocities, forces and gaps decide, and the results of the outward pass.
  struct NodeVectors {
    Vec6<T> z;
    Vec6<T> b, d;    // with a handle
    Vec6<T> A_P;     // acceleration of the base
    Vec6<T> f, a_t;  // force on the handle, and its acceleration
  };
  struct Ends {   // of a piece: sums over the rounds
    Vec6<T> A_P;  // acceleration of the base
    Vec6<T> f;    // force on the handle, as far as it is not in free_udot yet
    Vec6<T> a_t;  // acceleration of the handle
  };
  struct Joint {             // of an assembly: (13)
    Mat6<T> P, X;            // X = C^-1 L^T
    CholeskyFactor<T> L, C;  // of Phi_1 and of N
    Vec6<T> g;
  };

  struct Block {
    std::vector<int> pieces, assemblies;  // in order
  };
  // kEliminate, kClose, kGather and kAccelerate do whole blocks, kTop and kTopGaps everything that is not
  // spread, kWholeTop both with what is between; the others are of single assemblies.
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
  void make_blocks(int end);
  // Calls do_tasks(level, begin, end), spread over the threads.
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
  Schedule solution_, correction_;          // the solution with the gaps of (11) closed; a round after (16)
  std::vector<int> sizes_with_kinematics_;  // of the levels of move_and_solve()
  ArticulatedSweep<T> sweep_;
  RecursiveSolver<T> fallback_;
  bool used_fallback_ = false;
  std::vector<Node> nodes_;
  std::vector<NodeVectors> vectors_;                     // by node
  std::vector<Ends> ends_;                               // by piece
  std::vector<double> relative_gaps_;                    // by piece: after (16), to the acceleration there
  std::vector<Joint> joints_;                            // by assembly
  std::vector<SolveReport<T>> reports_;                  // by piece
  std::vector<Vec6<T>> t_;                               // (nu) t / D, on the way to a handle
  std::vector<std::vector<TreeLayout::Angles>> angles_;  // by piece
  std::vector<Walk> walks_;                              // by piece
  std::vector<std::vector<ArticulatedRows<T>>> sums_;    // by piece
  std::vector<std::vector<BodyIndex>> paths_;            // by piece: from the base to the handle
  std::vector<int> inner_piece_;              // by piece: whose handle its base is; -1 for the ground
  std::vector<BodyMotion<T>> handle_motion_;  // by piece: relative to the base, then absolute
};

}  // namespace sestina
