// Solves Newton's linear equations of a window by stretches of time in parallel, on the threads of this
// process and on other ranks.
//
// A stretch is a range of consecutive elements. Its start is the end of the previous stretch by way of joint
// coordinates, start = X(S(end)) (interface_map.h), so that 2 nu numbers couple two stretches:
//   d end_i = c_i + T_i X' s_(i-1),   s_i = S' d end_i                                                (1)
//   s_i = P_i s_(i-1) + g_i,   P_i = S' T_i X' (2 nu x 2 nu),   g_i = S' c_i                          (2)
// where c_i, the change for a fixed start, and P_i depend only on the stretch's elements. Solution:
//   separate  c_i, by a pass through the elements of the stretch, and for a new tangent P_i by 2 nu passes
//   together  (2), in turn or as a tree (affine_chain.h), between ranks by an InterfaceSolver
//   separate  another pass with the start changed by X' s_(i-1)
// instead of one pass through all elements. The passes need only the factors, which are computed once and
// cost far more; docs/state_time_scaling.md says for how many processors stretches are worthwhile.
//
// The iterates are those of Newton's method for equations in which starts of stretches are X(S(end)); these
// have the same solution. They depend on the number of stretches, within the tolerance of the iteration, and
// with several ranks on the order in which maps are composed between them, but not on the threads.
//
// With several ranks each owns an equal number of consecutive stretches, or nearly. Members marked as
// collective are called by all ranks.
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

// The method for (2) within a rank.
enum class ChainOrder { kInTurn, kTree };

struct ReductionOptions {
  int stretches = 1;  // in a window: at least one for every rank
  ChainOrder order = ChainOrder::kInTurn;
};

class TimeReduction {
 public:
  // All must outlive this object. Executor and ranks may be null; the interface only if ranks is null too.
  TimeReduction(const Model& model, const Properties<double>& properties, const ElementLayout& layout,
                ReductionOptions options, Executor* executor, Communicator* ranks,
                InterfaceSolver* interface_solver);
  ~TimeReduction();

  // Returns the elements of a window of `count` elements that a rank owns; those of this rank.
  TimeMatrix::Stretch elements_of(int rank, int count) const;
  TimeMatrix::Stretch own_elements(int count) const;
  // Returns the largest number of elements that this rank owns in windows of up to `count` elements.
  int most_elements(int count) const;
  // Call this before the first update_starts of a window.
  void begin_window(int count);
  // Collective: updates the starts from the ends of the elements. `unknowns` are those of this rank's
  // elements, `end_coordinates` guesses of q at their ends (own elements x nq), t the time for messages (s).
  // Returns the reason if a joint is too far from closed; only begin_window may follow then.
  std::string update_starts(std::span<const double> unknowns, std::span<const double> end_coordinates,
                            double t);
  // Returns the start of this rank's element e, numbered from its first one, if it begins a stretch other
  // than the first of the window; otherwise empty.
  std::span<const double> start_of(int e) const;
  // Computes P of (2) for the factors of a new tangent; they remain valid as long as the factors.
  void update_maps(TimeMatrix& matrix);
  // Collective: corrections <- -J^-1 residuals of this rank's elements. Returns on all ranks why there is no
  // solution, or an empty text.
  std::string solve(TimeMatrix& matrix, std::span<const double> residuals, std::span<double> corrections);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sestina
