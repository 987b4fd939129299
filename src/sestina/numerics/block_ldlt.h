// Factors of a sparse symmetric saddle-point matrix of small dense blocks, along its own graph.
//
//   [M  C^T] [x]   [f]
//   [C  -E ] [y] = [g]                                                                               (1)
//
// M is block diagonal and positive semidefinite, a block for each primal node (a body: 6 x 6); C has a block
// for each link between a dual node (the conditions of a joint) and a primal one; E is diagonal and not
// negative. The nodes are eliminated one by one, in an order of minimum degree that is found once. A dual
// node waits until the nodes outboard of it have been eliminated and can move in as many directions as it has
// conditions, so that its pivot D is negative definite, while the pivot of a primal node is positive
// definite:
//   D = s G G^T,  s = 1 or -1,   Y_j = s G^-1 K_vj      for each later neighbour j of the node v       (2)
//   K_jk' = K_jk - s Y_j^T Y_k                                                                       (3)
// In a chain each body is eliminated after all bodies outboard of it, and (3) gives the articulated inertia.
// Cost and memory are linear in the number of nodes if loops are local.
//
// If pivots of (2) are small, the node is eliminated unknown by unknown, the largest pivots first, or by 2x2
// pivots of a direction without inertia and the condition that holds it. An unknown without a good pivot is
// delayed to the next node. So a body may have no inertia in some direction, or none at all, as long as (1)
// has a solution. A condition that has neither a pivot nor an effect on the remaining equations is redundant:
// others imply it. Its y is zero at first; then the part of y that has no effect is removed, so that y has
// least norm.
//
// Source: Amestoy, Davis and Duff (1996) for the order; Duff and Reid (1983) for fronts with delayed pivots.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace sestina {

struct BlockPattern {
  std::vector<int> sizes;  // by node
  std::vector<bool> is_dual;
  std::vector<std::array<int, 2>> links;           // dual node, primal node
  std::vector<std::array<int, 2>> couplings = {};  // of two primal nodes (block_lu.h; none in (1))
};

// An order of elimination: nodes, and for each the later nodes to which it is then coupled.
struct EliminationOrder {
  explicit EliminationOrder(const BlockPattern& pattern);

  std::vector<int> nodes;                    // in the order of elimination, each subtree consecutive
  std::vector<int> place;                    // by node: its place in `nodes`
  std::vector<std::vector<int>> neighbours;  // by place: places of later nodes, ascending
};

class BlockLdlt {
 public:
  // A block of the matrix while it is being filled.
  struct Block {
    double* data = nullptr;
    std::ptrdiff_t row_stride = 0, column_stride = 0;
    double& operator()(int i, int j) const { return data[i * row_stride + j * column_stride]; }
  };

  explicit BlockLdlt(const BlockPattern& pattern);

  int size() const { return size_; }
  // The places of the unknowns of a node in vectors.
  int start(int node) const { return nodes_[place(node)].start; }

  // Before factor(): set everything to zero, then fill the blocks; all elements of a diagonal block.
  void clear();
  Block diagonal(int node);
  Block link(std::size_t link);  // rows of the dual node, columns of the primal one
  // Returns the scale of each unknown, which the caller sets: for x a typical inertia, whatever its
  // direction; for y zero.
  std::span<double> scales() { return scales_; }
  // Returns the factor of each unknown, which the caller sets: the factors scale the elements of C to
  // comparable sizes of order one.
  std::span<double> units() { return units_; }

  // Pivots up to these limits, in the given units, count as round-off of zero even if the accumulated scales
  // are smaller: one limit for unknowns of x, one for those of y. Default 1e-15.
  void set_round_off(double of_x, double of_y) { round_off_[0] = of_x, round_off_[1] = of_y; }

  // Factors the matrix of (1). Returns false if (1) has no solution; singular() is then an unknown of x.
  // Allocates memory in the first calls and when pivots become small for the first time.
  bool factor();
  // Solves (1) in place. No allocation.
  void solve(std::span<double> b);
  // Removes the part of y that has no effect. The first call after factor() also computes that part.
  void remove_idle_part(std::span<double> solution);

  int singular() const { return singular_; }
  // Returns the unknowns of y whose conditions are implied by others, as found by the last factor().
  const std::vector<int>& redundant() const { return redundant_; }
  // Blocks of the factors, for messages and benchmarks.
  std::size_t memory() const { return values_.size() * sizeof(double); }

 private:
  static constexpr int kMostSize = 6;  // of nodes with code of their own; larger ones go unknown by unknown
  struct Node {
    int size = 0, start = 0;
    int width = 0;          // unknowns of all later neighbours
    std::size_t first = 0;  // in neighbours_
    int neighbours = 0;
    std::size_t D = 0, K = 0;      // in values_: (size x size) and (size x width)
    std::size_t first_target = 0;  // in targets_: of each pair of neighbours
    int parent = -1;               // the first of the neighbours
    int first_child = -1, next_sibling = -1;
    double sign = 1.0;
    bool is_fast = false;  // true: by (2); false: unknown by unknown
    std::size_t first_step = 0, end_step = 0;
  };
  struct Neighbour {
    int place = 0, start = 0, size = 0, column = 0;  // of the node; of its block in K
  };
  struct Target {
    std::size_t at = 0;  // in values_
    int stride = 0;
  };
  struct Entry {
    int unknown = 0;
    double first = 0.0, second = 0.0;
  };
  // One pivot, of one or two unknowns.
  struct Step {
    int unknowns[2] = {-1, -1};
    double inverse[3] = {};            // elements 11, 12, 22 of the inverse
    std::size_t first = 0, count = 0;  // in entries_
  };
  // An unknown that waits for a pivot.
  struct Delayed {
    int unknown = 0;
    std::size_t first = 0, count = 0;  // in waiting_: its row
    int next = -1;                     // next of those that wait for the same node
  };
  struct IdleVector {
    std::size_t first = 0, count = 0;  // in idle_entries_
  };

  std::size_t place(int node) const {
    return static_cast<std::size_t>(order_.place[static_cast<std::size_t>(node)]);
  }
  bool is_dual(int unknown) const { return is_dual_[static_cast<std::size_t>(unknown)]; }
  double scale(int unknown) const { return scales_[static_cast<std::size_t>(unknown)]; }
  // In the unit of the unknown.
  double round_off(int unknown) const {
    const double unit = units_[static_cast<std::size_t>(unknown)];
    return round_off_[is_dual(unknown) ? 1 : 0] / (unit * unit);
  }
  void lay_out(const BlockPattern& pattern);
  void find_targets();
  bool factor_node(Node& node);
  template <int N>
  bool factor_node_of(Node& node);
  template <int N, int W>
  void eliminate(Node& node, const double* G_inverse);
  template <int N>
  void update_targets(const Node& node);
  template <int N>
  void solve_forward(const Node& node, double* b) const;
  template <int N>
  void solve_backward(const Node& node, double* b) const;
  void run_forward(const Node& node, double* b) const;
  void run_backward(const Node& node, double* b) const;

  // Unknown by unknown: block_ldlt_steps.cpp.
  void factor_by_steps(int place);
  void gather_front(const Node& node, int place);
  void eliminate_front(const Node& node, bool is_last);
  bool find_pivot(bool is_last, int& first, int& second) const;
  bool is_good_pivot(int i, bool is_last, double& quality) const;
  void take_step(int first, int second);
  void grow_scale(int unknown, double change);
  void scatter_front(const Node& node);
  void delay_rest(const Node& node);
  bool has_effect(int i) const;
  double& front(int i, int j) {
    return front_[static_cast<std::size_t>(i) * front_width_ + static_cast<std::size_t>(j)];
  }
  double front(int i, int j) const {
    return front_[static_cast<std::size_t>(i) * front_width_ + static_cast<std::size_t>(j)];
  }

  // Multipliers without effect: block_ldlt_idle.cpp.
  void find_idle_vectors();
  void find_idle_vector(int unknown, int place);
  void factor_gram();

  EliminationOrder order_;
  int size_ = 0;
  std::vector<Node> nodes_;  // by place
  std::vector<Neighbour> neighbours_;
  std::vector<Target> targets_;
  std::vector<Block> links_;  // relative to values_
  std::vector<std::size_t> link_at_;
  std::vector<bool> is_dual_;  // by unknown
  std::vector<int> place_of_;  // by unknown
  std::vector<double> values_;
  std::vector<double> scales_, units_;
  double round_off_[2] = {1e-15, 1e-15};

  std::vector<Step> steps_;
  std::vector<Entry> entries_;
  std::vector<Delayed> delayed_;
  std::vector<Entry> waiting_;
  std::vector<int> first_delayed_;  // by place
  std::vector<int> redundant_, redundant_at_;
  int singular_ = -1;
  // The current front: rows of candidates over candidates, then boundary, and the effect of their pivots on
  // the boundary.
  std::vector<double> front_, border_;
  std::vector<int> front_unknowns_;
  std::vector<int> slot_;  // by unknown: its place in the front, or -1
  std::vector<bool> is_done_;
  std::size_t front_width_ = 0;
  int candidates_ = 0;

  bool has_idle_vectors_ = false;  // of the last factor()
  std::vector<IdleVector> idle_;
  std::vector<Entry> idle_entries_;
  std::vector<double> gram_;             // rows of the envelope of its factor
  std::vector<std::size_t> gram_first_;  // by idle vector: the first column of its row
  std::vector<std::size_t> gram_at_;     // where its row begins
  std::vector<double> work_;             // by unknown
  std::vector<double> parts_;            // by idle vector
  std::vector<int> stack_;
};

}  // namespace sestina
