// Solves the motion over an interval of time at once: the equations of all its elements, by Newton's
// method.
//
//   StateTimeSolver solver(model, calc_properties(*model), {.elements = 64, .pair = "QC"}, nullptr);
//   solver.start(calc_initial_state(*model), duration);
//   while (!solver.is_complete()) solver.solve_window();
//   solver.calc_state(t, state);         // any t that has been solved
//
// The interval is divided into windows with equal numbers of elements, or nearly. All elements of a window
// are solved at once, and windows one after the other: a window is as long as Newton's method converges from
// its initial guess. The guess is a march with the recursive solver by the classical Runge-Kutta rule, one
// step from point to point of the elements. If the march fails, as for stiff systems, the guess is the state
// at the window's start everywhere.
//
// Two schemes:
//   newton            Newton's method on all unknowns
//   linear_quadratic  Newton's law and the conditions on positions are linear in v, x and their multipliers,
//                     if no applied force depends on v and x: these are solved exactly after every step, for
//                     the current w and C. Newton's method then iterates on w, C and the multipliers of
//                     conditions on orientations, with the consistent reduced tangent: its step is that of
//                     the whole tangent, since the residuals of the exactly solved equations are zero. It
//                     needs no guess of v, x and multipliers
//
// With a tolerance, the caller's elements are only a start. The errors of the elements of a window's march
// are estimated as if it were a solution (error_estimate.h), and new elements are chosen, shorter where the
// estimate is large, longer where it is small. After these are solved, their errors are estimated; while one
// exceeds the tolerance, new elements are chosen and the last solution is the next guess. With the pair
// "auto" the degree is also chosen for each window: the one with the least work to reach the tolerance
// (element_choice.h). The tolerance is relative to the largest velocity, angular velocity and coordinate of a
// mass centre in the window, and to 1 for direction cosines, and holds for the root mean square over an
// element of each body.
//
// The solution is superconvergent at the ends of elements (element_pair.h). Between them the motion is the
// element's polynomial: of degree k, error O(h^(k+1)). Constraint forces are available in two forms:
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
#include "sestina/state_time/closing_conditions.h"
#include "sestina/state_time/element_choice.h"
#include "sestina/state_time/error_estimate.h"
#include "sestina/state_time/initial_guess.h"
#include "sestina/state_time/state_time_ranks.h"
#include "sestina/state_time/window_equations.h"

namespace sestina {

enum class FirstGuess { kMarch, kHeld };

struct StateTimeOptions {
  int elements = 64;
  std::string pair = "QC";  // from element_pair_names(), or, with a tolerance, kAutomaticPair
  TestFunctions tests = TestFunctions::kNatural;
  int windows = 1;         // at most as many as elements
  double tolerance = 0.0;  // 0: the elements remain those of the caller
  StateTimeScheme scheme = StateTimeScheme::kNewton;
  FirstGuess guess = FirstGuess::kMarch;  // kHeld: the state at the window's start, without march
  TimeMatrixKind matrix = TimeMatrixKind::kTree;
  // Number of stretches of a window whose linear equations are solved at the same time (time_reduction.h); at
  // most the number of elements of a window. Windows that a tolerance shortens have one. 0: one for every
  // rank. More than one requires the scheme kNewton and a matrix other than kSparse. Results depend on it
  // within the tolerance of the iteration.
  int stretches = 0;
  ChainOrder order = ChainOrder::kInTurn;  // method for the coupling of the stretches within a rank
  double most_memory = 0.0;                // bytes, limit on a tolerance's elements; 0: what is available
};

struct StateTimeStatistics {
  long iterations = 0;       // of Newton's method, over all windows and spreads of elements
  int most_iterations = 0;   // for one solution of a window
  long factors = 0;          // iterations that made and factored the tangent
  int held_windows = 0;      // started from the held state instead of a march
  long spreads = 0;          // new choices of elements for the tolerance
  long changes = 0;          // new choices of the pair for the tolerance
  long shorter_windows = 0;  // because Newton's method failed
  long unknowns = 0;         // of the largest window, on which Newton's method iterates
  double correction = 0.0;   // the largest of the last corrections, relative
  double error = 0.0;        // the largest estimate, relative to the tolerance's sizes
};

class StateTimeSolver {
 public:
  // Throws InputError for joints, constraints and forces that have no state-time equations. The executor, if
  // it is not null, must outlive this object; results do not depend on it.
  StateTimeSolver(std::shared_ptr<const Model> model, Properties<double> properties, StateTimeOptions options,
                  Executor* executor, StateTimeRanks ranks = {});
  ~StateTimeSolver();

  // duration > 0
  void start(const State<double>& initial, double duration);
  bool is_complete() const { return next_window_ == options_.windows; }
  double solved_to() const { return trajectory_.end(); }  // s
  // Throws ComputationError, with the time of the window's start, if Newton's method does not converge, the
  // equations are singular, a force is not finite or the tolerance is not reached. Returns false without a
  // solution if it was interrupted.
  bool solve_window();
  // When *interrupt becomes true, solve_window() ends soon.
  void set_interrupt(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }

  // t0 <= t <= solved_to(). Coordinates of joints are continued from element to element.
  void calc_state(double t, State<double>& state);
  // Computes all bodies but the ground by the element's polynomials; at the ends, by the values there.
  void calc_bodies(double t, std::span<BodyInstant> bodies) const { trajectory_.calc_bodies(t, bodies); }
  // Computes the reactions from the multipliers, by BodyIndex: the force and torque that the parent exerts on
  // the child through the joint's conditions at Mo, ground axes.
  void calc_multiplier_reactions(double t, std::span<SpatialForce<double>> reactions) const;
  // Estimates the errors that a solved element adds, body by body.
  void estimate_errors(int element, std::span<BodyError> errors);
  // Estimates them for polynomials of one degree less.
  void estimate_lower_errors(int element, std::span<BodyError> errors) const;

  std::span<const TimeElement> elements() const { return trajectory_.elements(); }  // solved elements
  TimeTrajectory::Place find(double t) const { return trajectory_.find(t); }
  const StateTimeStatistics& statistics() const { return statistics_; }
  const StateTimeOptions& options() const { return options_; }

 private:
  // The reason why a window has not been solved, and advice.
  struct Failure {
    std::string reason, advice;
  };

  std::vector<double> first_lengths() const;
  bool is_interrupted() const { return equations_->is_interrupted(interrupt_); }  // collective
  // On this rank only: a loop may end early, before all ranks agree.
  bool wants_end() const { return interrupt_ && interrupt_->load(std::memory_order_relaxed); }
  const ElementLayout& layout() const { return equations_->form()->layout; }
  void check_stretches(StateTimeRanks ranks);
  void use_pair(std::string_view pair);
  void choose_conditions(const State<double>& state);
  void make_marched_form();
  // For the elements of a solved window that has loops or constraints.
  void check_closed(int first);  // throws if one has opened
  void put_histories();
  void set_history(int element, State<double>& state) const;
  void look_ahead(int first);
  DegreeRange degrees() const;
  double window_end() const;  // s, of the next window
  int last_element() const;
  // These functions return false and set the reason if they fail.
  bool has_room(std::size_t elements, Failure& failure);
  bool solve_with_ease(int first, Failure& failure);
  bool ease(int first, Failure& failure);
  bool solve_elements(int first, Failure& failure);
  bool iterate(int first, Failure& failure);
  bool reach_tolerance(int first, Failure& failure);
  void continue_coordinates(int first);
  double update_errors(int first, const ErrorEstimate& estimate);
  void watch_progress(double t, double end);  // throws if there is none
  BodyError find_sizes(int first) const;
  double shortest_length(double t) const;  // s, for elements near t
  void update_rates(double t, std::vector<BodyRates>& rates);

  std::shared_ptr<const Model> model_;
  Properties<double> properties_;
  StateTimeOptions options_;
  const std::atomic<bool>* interrupt_ = nullptr;
  ForwardDynamics dynamics_;
  ClosingConditions closing_;
  InitialGuess guess_;
  Executor* executor_;
  StateTimeRanks ranks_;
  int stretches_ = 1;
  std::string pair_;  // the current pair
  std::unique_ptr<WindowEquations> equations_;
  std::unique_ptr<ErrorEstimate> estimate_;
  std::shared_ptr<const ElementForm> marched_form_;  // for look_ahead(); null without a tolerance
  std::unique_ptr<ErrorEstimate> marched_estimate_;
  State<double> initial_, march_;
  std::vector<BodyInstant> initial_bodies_;
  std::vector<double> histories_;  // ((solved elements + 1) x nh): State::h at the ends of elements
  double duration_ = 0.0;          // s
  TimeTrajectory trajectory_;
  int next_window_ = 0;
  double reach_ = INFINITY;  // s: longest window that Newton's method is expected to solve
  int attempts_ = 0;         // to solve the current window
  double longest_window_ = 0.0, watched_from_ = 0.0;  // s: of the windows; see watch_progress()
  int windows_watched_ = 0;
  double length_ = 0.0;                       // m, of the bodies
  std::vector<ElementError> element_errors_;  // of the last window that was estimated
  ElementChoice choice_;                      // the choice from element_errors_
  InverseDynamics<double> inverse_;
  std::vector<double> udot_;
  std::vector<BodyRates> rates_at_start_, rates_at_end_;  // of an element, by body
  std::vector<BodyError> errors_, lower_errors_;          // of a window, element after element
  StateTimeStatistics statistics_;
};

}  // namespace sestina
