// Factors one element's tangent by elimination from the tips of the tree to its root.
//
// Only the velocities v and w of a body at the k points and the end are kept, with the multipliers and
// impulses of its joint. The other unknowns follow from them linearly:
//   P dC_i + W_i dw = b_i        i = 1..3: Poisson's equations at all points, the i-th coordinates of the
//                                axes; P (3k x 3k) is the same for all three                         (1)
//   dC_e = sum_j E_j dC_j + b    at the end                                                          (2)
//   dx_e = h sum_g weight_g dv_g + b                                                                 (3)
// With G_i = -P^-1 W_i, and the same for the end, dC = G dw + c; a coefficient of dC in an equation of motion
// or of a joint becomes one of dw, and c is moved to the right-hand side.                             (4)
// The remaining equations couple a body b only to its parent p:
//   A_bb d_b + A_bp d_p = r_b,   A_pb d_b + A_pp d_p + ... = r_p
//   U_b = A_bb^-1 A_bp,   A_pp <- A_pp - A_pb U_b                              tips to root          (5)
//   y_b = A_bb^-1 r_b,    r_p <- r_p - A_pb y_b                                tips to root          (6)
//   d_b = y_b - U_b d_p                                                        root to tips          (7)
// A_bb (with the pivots of its columns) is regular if the mechanism is: after the elimination of the outboard
// bodies it contains the articulated inertia of b and the conditions of its joint.
//
// | here         | size                | meaning                                                            |
// |--------------|---------------------|--------------------------------------------------------------------|
// | d_b          | (6 + c) (k + 1)     | v at all points and the end; w there; multipliers, c conditions    |
// | d_p, in A_bp | 6 (k + 1)           | v and w of the parent: its multipliers do not act on b             |
//
// Cost: O(((6 + c) k)^3) for each body, a tenth of the cost with all its 15 k + 18 + c (k + 1)
// unknowns.
//
// **Loops.** The multipliers of a closure couple its bodies, and by their directions these bodies to each
// other. They are a node of their own, eliminated as soon as all bodies outboard of the one that carries all
// of its bodies (or of the ground) have been: their matrix is then that of the compliance of the loop,
// regular if the conditions are independent. Until then the bodies on the way there are coupled to it as well
// as to their parents: p in (5)-(7) stands for all of these outer nodes. Which they are follows from the
// elimination of the graph. The cost stays linear in the bodies if few closures are open at a time.
//
// The linear part is the same with w, C and the multipliers of conditions on orientations held constant:
// Newton's law and the conditions on positions are linear in v, x and their multipliers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/state_time/element_equations.h"

namespace sestina {

enum class TangentPart { kWhole, kLinear };

class TreeFactor {
 public:
  // Data that depend only on the model and the pair, shared by all elements.
  struct Plan;
  // `joints` carry the bodies, in their order.
  static std::shared_ptr<const Plan> make_plan(const ElementLayout& layout, const ElementPair& pair,
                                               std::span<const JointConditions> joints, TangentPart part,
                                               std::span<const Closure> closures = {});

  explicit TreeFactor(std::shared_ptr<const Plan> plan);
  ~TreeFactor();

  enum class Status { kRegular, kSingular, kNotATree };
  // kNotATree: a force couples bodies that no joint connects. The linear part ignores such couplings.
  Status factor(double h, std::span<const TangentEntry> tangent);

  // b (layout.size()) <- A^-1 b. For the linear part, the numbers that are held become 0.
  void solve(std::span<double> b);
  // b <- b - B start, where start (layout.start_size()) is a change of the element's start.
  void subtract_start(std::span<const double> start, std::span<double> b) const;
  // Replaces each of `columns` changes of the start (layout.start_size() x columns, by rows) by the resulting
  // change of the end, without residuals.
  void carry(int columns, std::span<double> changes);

  // Number of kept unknowns of the whole element.
  static int kept(const Plan& plan);
  // Bytes of the dense blocks of an element.
  static double bytes(const Plan& plan);

 private:
  struct Numbers;
  void eliminate_cosines(std::span<const TangentEntry> tangent);
  bool add_entry(double h, const TangentEntry& entry);
  void eliminate(int b);
  template <class Columns, class B>
  void solve_columns(Columns& work, B& b);
  template <class Columns, class B>
  void begin_solution(Columns& work, const B& b) const;
  template <class Columns, class B>
  void end_solution(Columns& work, B& b) const;

  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<Numbers> numbers_;
};

}  // namespace sestina
