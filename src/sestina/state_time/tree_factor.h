// The factors of one element's tangent, by elimination from the tips of the tree to its root.
//
// Of a body's unknowns only the velocities v and w at the k points and the end are kept, with the multipliers
// and impulses of its joint. The rest follows from them, linearly:
//   P dC_i + W_i dw = b_i        i = 1..3: Poisson's equations at all points, the i-th coordinates of the
//                                axes; P (3k x 3k) is the same for all three                         (1)
//   dC_e = sum_j E_j dC_j + b    at the end                                                          (2)
//   dx_e = h sum_g weight_g dv_g + b                                                                 (3)
// With G_i = -P^-1 W_i, and the same for the end, dC = G dw + c; a coefficient of dC in an equation of motion
// or of a joint becomes one of dw, and c goes to the right-hand side.                                 (4)
// What is left couples a body b to its parent p alone:
//   A_bb d_b + A_bp d_p = r_b,   A_pb d_b + A_pp d_p + ... = r_p
//   U_b = A_bb^-1 A_bp,   A_pp <- A_pp - A_pb U_b                              tips to root          (5)
//   y_b = A_bb^-1 r_b,    r_p <- r_p - A_pb y_b                                tips to root          (6)
//   d_b = y_b - U_b d_p                                                        root to tips          (7)
// A_bb (with the pivots of its columns) is regular where the mechanism is: with the bodies outboard of b
// eliminated it holds b's articulated inertia and the conditions of its joint.
//
// | here         | size                | meaning                                                          |
// |--------------|---------------------|------------------------------------------------------------------|
// | d_b          | (6 + c) (k + 1)     | v of all points and the end; w of them; multipliers, c conditions |
// | d_p, in A_bp | 6 (k + 1)           | v and w of the parent: its multipliers do not act on b             |
//
// Cost: for each body O(((6 + c) k)^3), which is a tenth of what its 15 k + 18 + c (k + 1) unknowns would
// take.
//
// The linear part is the same with w, C and the multipliers of conditions that turn held: Newton's law and
// the conditions on places are linear in v, x and their multipliers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/state_time/element_equations.h"

namespace sestina {

enum class TangentPart { kWhole, kLinear };

class TreeFactor {
 public:
  // All elements share what follows from the model and the pair alone.
  struct Plan;
  static std::shared_ptr<const Plan> make_plan(const ElementLayout& layout, const ElementPair& pair,
                                               std::span<const JointConditions> joints, TangentPart part);

  explicit TreeFactor(std::shared_ptr<const Plan> plan);
  ~TreeFactor();

  enum class Status { kRegular, kSingular, kNotATree };
  // kNotATree: a force couples bodies that no joint connects. The linear part leaves such couplings out.
  Status factor(double h, std::span<const TangentEntry> tangent);

  // b (layout.size()) <- A^-1 b. Of the linear part, what is held is left 0.
  void solve(std::span<double> b);
  // b <- b - B start, start (layout.start_size()) being a change of the element's start.
  void subtract_start(std::span<const double> start, std::span<double> b) const;
  // Each of `columns` changes of the start (layout.start_size() x columns, by rows) gives way to the change
  // of the end that it brings about, without residuals.
  void carry(int columns, std::span<double> changes);

  // Unknowns that are kept, of the whole element.
  static int kept(const Plan& plan);
  // That the dense blocks of an element take.
  static double bytes(const Plan& plan);

 private:
  struct Numbers;
  void eliminate_cosines(std::span<const TangentEntry> tangent);
  bool add_entry(double h, const TangentEntry& entry);
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
