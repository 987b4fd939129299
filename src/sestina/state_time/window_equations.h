// The equations of all elements of a window, which share one form, and Newton's method for them.
//
// A new tangent is computed and factored for each large correction. It is reused if corrections are
// small: to leading order the next correction is as small as with a new tangent, and costs only a
// residual and a solution with the present factors. The corrections after it shrink by the relative error of
// the tangent, which is kept while they shrink fast enough to converge at less than the cost of a new one. A
// held guess has no multipliers, on which the tangent depends: the correction that provides them does not
// predict the next ones.
#pragma once

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sestina/state_time/state_time_ranks.h"
#include "sestina/state_time/time_matrix.h"
#include "sestina/state_time/time_reduction.h"
#include "sestina/state_time/time_trajectory.h"

namespace sestina {

enum class StateTimeScheme { kNewton, kLinearQuadratic };

class WindowEquations {
 public:
  // All references must outlive this object; the executor may be null.
  // `closing`: see ElementEquations.
  WindowEquations(const Model& model, const Properties<double>& properties, const std::string& pair,
                  TestFunctions tests, StateTimeScheme scheme, TimeMatrixKind matrix, Executor* executor,
                  ClosingChoice closing = {});
  ~WindowEquations();

  const std::shared_ptr<const ElementForm>& form() const { return form_; }
  std::span<const JointConditions> joints() const { return equations_.front()->joints(); }
  std::span<const JointConditions> carrying_joints() const { return equations_.front()->carrying_joints(); }
  AppliedLoads& loads() { return equations_.front()->loads(); }
  // Number of unknowns on which Newton's method iterates.
  long unknowns(int elements) const;

  // Solves windows of at least this number of elements by stretches (time_reduction.h) on these ranks;
  // smaller ones on each rank alone. Call it before prepare().
  void cut_into_stretches(ReductionOptions options, StateTimeRanks ranks);
  // Collective: true if any rank is interrupted.
  bool is_interrupted(const std::atomic<bool>* interrupt) const;

  // Allocates memory for windows of up to `elements` elements; solve() needs no more.
  void prepare(int elements);
  int room() const { return room_; }  // capacity in elements of this rank

  struct Outcome {
    bool is_solved = false;
    int iterations = 0, factors = 0;
    double correction = 0.0;  // the last, relative
    std::string failure;      // the reason of a failure
  };
  // Solves from the guess in the trajectory's elements from `first` on. Ends early, unsolved, if interrupted.
  // Collective; all ranks then have the whole solution.
  Outcome solve(TimeTrajectory& trajectory, int first, const std::atomic<bool>* interrupt);

 private:
  // Size of a correction relative to the corrected numbers.
  struct Correction {
    double motion = INFINITY, multipliers = INFINITY;
  };
  static bool pays_again(const Correction& last, const Correction& before);
  static bool pays(const Correction& last, const Correction& before);
  static bool is_round_off(const Correction& last, const Correction& before, int iterations);

  // On this rank only.
  bool wants_end() const { return interrupt_ && interrupt_->load(std::memory_order_relaxed); }
  void assemble(bool with_tangent);
  // These functions return the failure, or an empty text.
  std::string solve_linear_part();
  std::string linearise(bool with_tangent);
  std::string factor();
  std::string solve_linear();
  std::string tell_singular(int element) const;
  bool iterate(const std::atomic<bool>* interrupt, Outcome& outcome);
  bool has_stretches(int elements) const { return reduction_ && elements >= stretches_; }
  void gather(int first, int count);
  Correction correct();
  std::span<double> of_window(std::vector<double>& numbers) const;
  std::span<const std::vector<TangentEntry>> tangents() const;

  const Model& model_;
  const Properties<double>& properties_;
  StateTimeScheme scheme_;
  TimeMatrixKind kind_;
  Executor* executor_;
  ClosingChoice closing_;
  std::shared_ptr<const ElementForm> form_;
  std::vector<std::unique_ptr<ElementEquations>> equations_;  // one for each chunk of a loop over elements
  std::vector<std::vector<TangentEntry>> tangents_;
  std::vector<double> residuals_, corrections_, lengths_;
  std::unique_ptr<TimeMatrix> matrix_, linear_part_;
  int stretches_ = 1;
  StateTimeRanks ranks_;
  std::unique_ptr<TimeReduction> reduction_;  // null with one stretch
  int room_ = 0;                              // elements
  // Data of the window that is being solved.
  TimeTrajectory* trajectory_ = nullptr;
  int first_ = 0, count_ = 0;  // of this rank
  bool is_cut_ = false;        // solved by stretches
  const std::atomic<bool>* interrupt_ = nullptr;
};

}  // namespace sestina
