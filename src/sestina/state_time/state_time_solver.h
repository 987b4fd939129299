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
// Of the solution, what is at the ends of elements is superconvergent (element_pair.h). In between the motion
// is the element's polynomial: of degree k, error O(h^(k+1)). Constraint forces come in two ways:
//   multipliers   f, of degree k - 1 on each element, error O(h^k)
//   recovered     from the motion: with q and u known at an instant, the equations of motion of that instant
//                 give the accelerations and with them the reactions of all joints. Error O(h^(k+1)), at the
//                 ends of elements O(h^2k): ForwardDynamics::calc_reactions for the state of calc_state.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/state_time/time_matrix.h"

namespace sestina {

enum class StateTimeScheme { kNewton, kLinearQuadratic };
enum class FirstGuess { kMarch, kHeld };

struct StateTimeOptions {
  int elements = 64;
  std::string pair = "QC";  // one of element_pair_names()
  TestFunctions tests = TestFunctions::kNatural;
  int windows = 1;  // at most as many as elements
  StateTimeScheme scheme = StateTimeScheme::kNewton;
  FirstGuess guess = FirstGuess::kMarch;  // kHeld: no march, the state at the window's start
  TimeMatrixKind matrix = TimeMatrixKind::kTree;
};

struct StateTimeStatistics {
  long iterations = 0;      // of Newton's method, over all windows
  int most_iterations = 0;  // of one window
  int held_windows = 0;     // begun from a state held instead of the march
  long unknowns = 0;        // of the largest window, on which Newton's method iterates
  double correction = 0.0;  // the largest of the last iterations, relative
};

class StateTimeSolver {
 public:
  // Throws InputError for joints and forces that have no state-time equations. The executor, if there is
  // one, must outlive this; results do not depend on it.
  StateTimeSolver(std::shared_ptr<const Model> model, Properties<double> properties, StateTimeOptions options,
                  Executor* executor);
  ~StateTimeSolver();

  // duration > 0
  void start(const State<double>& initial, double duration);
  bool is_complete() const { return next_element_ == options_.elements; }
  double solved_to() const { return initial_.t + element_length_ * next_element_; }  // s
  // Throws ComputationError, with the time of the window's start, where Newton's method does not converge,
  // the equations are singular or a force is not finite. Returns false, and has solved nothing, when it was
  // interrupted.
  bool solve_window();
  // solve_window() ends soon after this becomes true.
  void set_interrupt(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }

  // t0 <= t <= solved_to(); where the joints have coordinates, these are continued from element to element.
  void calc_state(double t, State<double>& state);
  // Of all bodies but the ground: the element's polynomials, at the ends of elements the values there.
  void calc_bodies(double t, std::span<BodyInstant> bodies) const;
  // What the multipliers stand for: by BodyIndex, the force and torque that the parent exerts on the child
  // through the joint's conditions at Mo, ground axes.
  void calc_multiplier_reactions(double t, std::span<SpatialForce<double>> reactions) const;

  double element_length() const { return element_length_; }  // s
  const ElementPair& pair() const { return equations_.front()->pair(); }
  const StateTimeStatistics& statistics() const { return statistics_; }
  const StateTimeOptions& options() const { return options_; }

 private:
  struct Place {
    int element;
    double s;
  };
  Place find(double t) const;
  std::span<const double> start_of(int element) const;
  std::span<double> unknowns_of(int element);
  std::span<const double> unknowns_of(int element) const;
  std::span<double> coordinates_of(int element);  // (k x nq) at the points
  void guess_by_march(int first, int count);
  void guess_held(int first, int count);
  void take_guess(int element, int g);
  void continue_coordinates(int first, int count);
  void put_instants(const Kinematics<double>& kinematics, std::span<double> numbers, int first, int stride,
                    bool with_x) const;
  bool is_interrupted() const { return interrupt_ && interrupt_->load(std::memory_order_relaxed); }
  bool iterate(int first, int count, std::string& failure);
  void prepare(int most);  // elements of a window
  std::span<const std::vector<TangentEntry>> tangents_of(int count) const {
    return {tangents_.data(), static_cast<std::size_t>(count)};
  }
  std::span<double> of_window(std::vector<double>& numbers, int count) const {
    return {numbers.data(), static_cast<std::size_t>(count) * static_cast<std::size_t>(layout_.size())};
  }
  void assemble(int first, int count);
  int solve_linear_part(int first, int count);
  double correct(int first, int count);

  std::shared_ptr<const Model> model_;
  Properties<double> properties_;
  StateTimeOptions options_;
  Executor* executor_;
  const std::atomic<bool>* interrupt_ = nullptr;
  ForwardDynamics dynamics_;
  std::vector<std::unique_ptr<ElementEquations>> equations_;  // one for each element of a window
  ElementLayout layout_;
  State<double> initial_, march_;
  std::vector<double> initial_numbers_;  // (layout.start_size())
  std::vector<double> unknowns_;         // (elements x layout.size())
  std::vector<double> coordinates_;      // (elements x k x nq)
  std::vector<double> end_coordinates_;  // ((elements + 1) x nq)
  std::vector<std::vector<TangentEntry>> tangents_;
  std::vector<double> residuals_, corrections_;
  std::unique_ptr<TimeMatrix> matrix_, linear_part_;
  int next_element_ = 0, next_window_ = 0;
  double element_length_ = 0.0;
  StateTimeStatistics statistics_;
};

}  // namespace sestina
