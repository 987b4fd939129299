// Newton's linear equations of a window by stretches of time that are solved at the same time, on the threads
// of this process and on other ranks.
//
// A stretch is some elements in turn. Its start is the end of the stretch before by way of joint coordinates,
// start = X(S(end)) (interface_map.h), so that stretches hold together by 2 nu numbers each:
//   d end_i = c_i + T_i X' s_(i-1),   s_i = S' d end_i                                                (1)
//   s_i = P_i s_(i-1) + g_i,   P_i = S' T_i X' (2 nu x 2 nu),   g_i = S' c_i                          (2)
// in which c_i, the change with the start held, and P_i want the stretch's elements alone. So a solution is
//   apart     c_i, by a pass through the elements of the stretch, and, where the tangent is new, P_i by 2 nu
//   together  (2), in turn or as a tree (affine_chain.h), between ranks by an InterfaceSolver
//   apart     one more pass with the start changed by X' s_(i-1)
// against one pass through all elements without stretches. The passes want factors alone, which are made once
// and cost far more (docs/state_time_scaling.md): from how many processors on stretches pay is told there.
//
// The iterates are those of Newton's method for equations in which starts of stretches are X(S(end)); these
// have the solution of the equations without. They depend on the number of stretches, within the tolerance
// of the iteration; on threads not at all; on ranks by the order in which maps are composed between them.
//
// With several ranks each owns as many stretches in turn, or nearly. The members say which are collective:
// called by all ranks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/model/model.h"
#include "sestina/state_time/time_matrix.h"

namespace sestina {

class Communicator;
class InterfaceSolver;

// How (2) is solved within a rank.
enum class ChainOrder { kInTurn, kTree };

struct ReductionOptions {
  int stretches = 1;  // of a window: at least one for every rank
  ChainOrder order = ChainOrder::kInTurn;
};

class TimeReduction {
 public:
  // All must outlive this; executor and ranks may be null, the interface is wanted with ranks.
  TimeReduction(const Model& model, const Properties<double>& properties, const ElementLayout& layout,
                ReductionOptions options, Executor* executor, Communicator* ranks,
                InterfaceSolver* interface_solver);
  ~TimeReduction();

  // Of a window of so many elements, those that a rank owns; this one.
  TimeMatrix::Stretch elements_of(int rank, int count) const;
  TimeMatrix::Stretch own_elements(int count) const;
  // How many it owns at most, of windows of up to so many.
  int most_elements(int count) const;
  // Before the first update_starts of a window.
  void begin_window(int count);
  // Collective: from the ends of the elements, `unknowns` being those of the own ones; `end_coordinates` has
  // guesses of q at the ends (own elements x nq), t is the time of messages. Where a joint is too far from
  // closed the reason is returned; nothing but the next begin_window is of use then.
  std::string update_starts(std::span<const double> unknowns, std::span<const double> end_coordinates,
                            double t);
  // Of the own element e, counted from the first own one, where it begins a stretch that is not the first of
  // the window; else empty.
  std::span<const double> start_of(int e) const;
  // P of (2) for the factors of a new tangent; they may serve for several solutions, as the factors may.
  void update_maps(TimeMatrix& matrix);
  // Collective: corrections <- -J^-1 residuals of the own elements. Returns on all ranks why there are none,
  // or nothing.
  std::string solve(TimeMatrix& matrix, std::span<const double> residuals, std::span<double> corrections);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sestina
