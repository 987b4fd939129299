// The motion of a whole stretch of time at once: the equations of all its elements, solved by Newton's
// method.
//
//   StateTimeSolver solver(model, calc_properties(*model), {.elements = 64, .pair = "QC"}, nullptr);
//   solver.start(calc_initial_state(*model), duration);
//   while (!solver.is_complete()) solver.solve_window();
//   solver.calc_state(t, state);         // any t that has been solved
//
// The stretch is cut into windows of as many elements each, or nearly; all elements of a window are solved at
// once, windows one after the other: a window is as long as Newton's method can see from its first guess.
// That is a march with the recursive solver by the classical Runge-Kutta rule, one step from point to point
// of the elements; where it leads nowhere, as in stiff systems, the state at the window's start is held
// instead.
//
// Two schemes:
//   newton            Newton's method on all unknowns
//   linear_quadratic  Newton's law and the conditions on places are linear in v, x and their multipliers
//   (where
//                     no applied force depends on v and x): these are solved for exactly after every step,
//                     for the w and C at hand. Newton's method then iterates on w, C and the multipliers of
//                     conditions that turn, with the consistent reduced tangent: its step is that of the
//                     whole tangent, since the residuals of what is solved exactly are zero. No guess of v, x
//                     and multipliers is wanted
//
// With a tolerance the elements are those of the caller to begin with only. The march of a window is looked
// at as if it were a solution: the errors of its elements are estimated (error_estimate.h) and elements
// spread by them, shorter where the estimate is large, longer where it is small. Once these are solved their
// errors are estimated, and where one is above the tolerance elements are spread anew until all are below.
// What was solved is the next guess. With the pair "auto" the degree is chosen likewise, window by window:
// the one with the least work to reach the tolerance (element_choice.h). The tolerance is relative to the
// largest velocity, angular velocity and coordinate of a mass centre in the window, and to 1 for direction
// cosines, and holds for the root mean square over an element of each body.
//
// Of the solution, what is at the ends of elements is superconvergent (element_pair.h). In between the motion
// is the element's polynomial: of degree k, error O(h^(k+1)). Constraint forces come in two ways:
//   multipliers   f, of degree k - 1 on each element, error O(h^k)
//   recovered     from the motion: with q and u known at an instant, the equations of motion of that instant
//                 give the accelerations and with them the reactions of all joints. Error O(h^(k+1)), at the
//                 ends of elements O(h^2k): ForwardDynamics::calc_reactions for the state of calc_state.
#pragma once

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sestina/model/properties.h"
#include "sestina/state_time/element_choice.h"
#include "sestina/state_time/error_estimate.h"
#include "sestina/state_time/initial_guess.h"
#include "sestina/state_time/state_time_ranks.h"
#include "sestina/state_time/window_equations.h"

namespace sestina {

enum class FirstGuess { kMarch, kHeld };

struct StateTimeOptions {
  int elements = 64;
  std::string pair = "QC";  // one of element_pair_names(), or, with a tolerance, kAutomaticPair
  TestFunctions tests = TestFunctions::kNatural;
  int windows = 1;         // at most as many as elements
  double tolerance = 0.0;  // 0: the elements stay as they are
  StateTimeScheme scheme = StateTimeScheme::kNewton;
  FirstGuess guess = FirstGuess::kMarch;  // kHeld: no march, the state at the window's start
  TimeMatrixKind matrix = TimeMatrixKind::kTree;
  // Stretches of a window whose linear equations are solved at the same time (time_reduction.h); at most as
  // many as a window has elements; where a tolerance makes windows shorter, those have one. 0: one for every
  // rank. More than one want the scheme kNewton, and a matrix that is not kSparse. Results depend on it
  // within the tolerance of the iteration.
  int stretches = 0;
  ChainOrder order = ChainOrder::kInTurn;  // of what holds them together, within a rank
  double most_memory = 0.0;  // bytes that a tolerance's elements may take; 0: those that are available
};

struct StateTimeStatistics {
  long iterations = 0;       // of Newton's method, over all windows and spreads of elements
  int most_iterations = 0;   // of one solution of a window
  long factors = 0;          // iterations that made and factored the tangent
  int held_windows = 0;      // begun from a state held instead of the march
  long spreads = 0;          // of elements, for the tolerance
  long changes = 0;          // of the pair, likewise
  long shorter_windows = 0;  // because Newton's method failed
  long unknowns = 0;         // of the largest window, on which Newton's method iterates
  double correction = 0.0;   // the largest of the last iterations, relative
  double error = 0.0;        // the largest estimate, relative to what the tolerance is
};

class StateTimeSolver {
 public:
  // Throws InputError for joints and forces that have no state-time equations. The executor, if there is
  // one, must outlive this; results do not depend on it.
  StateTimeSolver(std::shared_ptr<const Model> model, Properties<double> properties, StateTimeOptions options,
                  Executor* executor, StateTimeRanks ranks = {});
  ~StateTimeSolver();

  // duration > 0
  void start(const State<double>& initial, double duration);
  bool is_complete() const { return next_window_ == options_.windows; }
  double solved_to() const { return trajectory_.end(); }  // s
  // Throws ComputationError, with the time of the window's start, where Newton's method does not converge,
  // the equations are singular, a force is not finite or the tolerance is not reached. Returns false, and has
  // solved nothing, when it was interrupted.
  bool solve_window();
  // solve_window() ends soon after this becomes true.
  void set_interrupt(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }

  // t0 <= t <= solved_to(); where the joints have coordinates, these are continued from element to element.
  void calc_state(double t, State<double>& state);
  // Of all bodies but the ground: the element's polynomials, at the ends of elements the values there.
  void calc_bodies(double t, std::span<BodyInstant> bodies) const { trajectory_.calc_bodies(t, bodies); }
  // What the multipliers stand for: by BodyIndex, the force and torque that the parent exerts on the child
  // through the joint's conditions at Mo, ground axes.
  void calc_multiplier_reactions(double t, std::span<SpatialForce<double>> reactions) const;
  // Estimates of the errors that a solved element adds, body by body.
  void estimate_errors(int element, std::span<BodyError> errors);
  // And what they would be with polynomials of one degree less.
  void estimate_lower_errors(int element, std::span<BodyError> errors) const;

  std::span<const TimeElement> elements() const { return trajectory_.elements(); }  // that have been solved
  TimeTrajectory::Place find(double t) const { return trajectory_.find(t); }
  const StateTimeStatistics& statistics() const { return statistics_; }
  const StateTimeOptions& options() const { return options_; }

 private:
  // Why a window has not been solved, and what may help.
  struct Failure {
    std::string reason, advice;
  };

  std::vector<double> first_lengths() const;
  bool is_interrupted() const { return equations_->is_interrupted(interrupt_); }  // collective
  // Of this rank alone: a loop may end early, before all ranks agree.
  bool wants_end() const { return interrupt_ && interrupt_->load(std::memory_order_relaxed); }
  const ElementLayout& layout() const { return equations_->form()->layout; }
  void check_stretches(StateTimeRanks ranks);
  void use_pair(std::string_view pair);
  void look_ahead(int first);
  DegreeRange degrees() const;
  double window_end() const;  // s, of the next
  int last_element() const;
  // These return false with the reason.
  bool has_room(std::size_t elements, Failure& failure);
  bool solve_with_ease(int first, Failure& failure);
  bool ease(int first, Failure& failure);
  bool solve_elements(int first, Failure& failure);
  bool iterate(int first, Failure& failure);
  bool reach_tolerance(int first, Failure& failure);
  void continue_coordinates(int first);
  double update_errors(int first, const ErrorEstimate& estimate);
  void watch_progress(double t, double end);  // throws where there is none
  BodyError find_sizes(int first) const;
  double shortest_length(double t) const;  // s, of elements about t
  void update_rates(double t, std::vector<BodyRates>& rates);

  std::shared_ptr<const Model> model_;
  Properties<double> properties_;
  StateTimeOptions options_;
  const std::atomic<bool>* interrupt_ = nullptr;
  ForwardDynamics dynamics_;
  InitialGuess guess_;
  Executor* executor_;
  StateTimeRanks ranks_;
  int stretches_ = 1;
  std::string pair_;  // in use
  std::unique_ptr<WindowEquations> equations_;
  std::unique_ptr<ErrorEstimate> estimate_;
  std::shared_ptr<const ElementForm> marched_form_;  // of looking ahead; null without a tolerance
  std::unique_ptr<ErrorEstimate> marched_estimate_;
  State<double> initial_, march_;
  double duration_ = 0.0;  // s
  TimeTrajectory trajectory_;
  int next_window_ = 0;
  double reach_ = INFINITY;  // s: how long a window may be for Newton's method, as far as is known
  int attempts_ = 0;         // to solve the window at hand
  double longest_window_ = 0.0, watched_from_ = 0.0;  // s: of the windows; see watch_progress()
  int windows_watched_ = 0;
  double length_ = 0.0;                       // m: of the bodies
  std::vector<ElementError> element_errors_;  // of the last window that was estimated
  ElementChoice choice_;                      // from these
  InverseDynamics<double> inverse_;
  std::vector<double> udot_;
  std::vector<BodyRates> rates_at_start_, rates_at_end_;  // of an element, by body
  std::vector<BodyError> errors_, lower_errors_;          // of a window, element after element
  StateTimeStatistics statistics_;
};

}  // namespace sestina
