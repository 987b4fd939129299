// A system derived with symbols, and its numbers: everything needed to run it.
//
//   SymbolicSystem system(kane);                              // or (mechanics, lagrange)
//   system.set({{m, 1.2}, {l, 0.5}, {g, 9.81}});               // parameters
//   system.set_initial({{q, 0.3}});                           // other values start at zero
//   system.run({.duration = 10, .output_every = 0.01}, "pendulum.csv");
//
// A run has rows of t, all coordinates, all speeds, the outputs and, if there are events, the number of the
// event that has just occurred. Its result has the form of that of a model's run: a table, a file, a plot.
//
// Dependent coordinates and speeds are solved for: those named in KaneOptions; for Lagrange's method, as many
// as have no initial value. In the rows, and wherever an expression is evaluated, speeds satisfy the velocity
// constraints to round-off; coordinates satisfy the configuration constraints to round-off after each step
// (symbolic_equations.h). SimulationReport contains both residuals.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/run_limits.h"
#include "sestina/integrate/step_options.h"
#include "sestina/io/result_recorder.h"
#include "sestina/numerics/zero_crossing.h"
#include "sestina/simulation/input_function.h"
#include "sestina/simulation/symbolic_equations.h"
#include "sestina/symbolic/body.h"

namespace sestina::symbolic {

// An event that occurs when an expression of t, coordinates and speeds reaches zero.
struct SymbolicEvent {
  std::string name;
  Expression function;
  CrossingDirection direction = CrossingDirection::kBoth;
  // Coordinates and speeds that it sets, from the state before. Speeds then satisfy the velocity constraints
  // as after an impulse of the constraints.
  Replacements set = {};
  bool is_terminal = false;  // ends the run
  double tolerance = 0.0;    // s; zero: the resolution of time
};

struct SimulationOptions {
  double start = 0.0;         // s
  double duration = 0.0;      // s
  double output_every = 0.0;  // s, between rows; 0: the first and the last only
  double max_rows = 1e7;      // a run with more rows of output_every is rejected
  // s, rising, from the start to the end: rows at these times instead.
  std::vector<double> output_at = {};
  RuleOptions rule = {};
  StepOptions step = {};
  RunLimits limits = {};
  // Called about ten times a second with the time (s) and the number of steps; returning false ends the run.
  std::function<bool(double t, long steps)> go_on = {};
};

struct SimulationReport {
  bool is_complete = false;
  bool is_interrupted = false;  // go_on returned false
  std::string failure, reason;  // with and without the time
  double t = 0.0;               // s, end of the computed motion
  long rows = 0;
  StepStatistics steps;
  std::vector<long> event_counts;
  std::string ended_by;  // the terminal event that occurred
  // Largest over all rows: |c| and |a u + b| (motion_equations.h), in their own units.
  double configuration_residual = 0.0, velocity_residual = 0.0;
  // Largest |c| after a step, before coordinates were projected.
  double drift = 0.0;
  std::vector<std::size_t> redundant;  // from 0: velocity constraints that follow from the others
};

class SymbolicSystem {
 public:
  explicit SymbolicSystem(const KanesMethod& kane);
  SymbolicSystem(Mechanics& mechanics, const LagrangesMethod& lagrange);
  explicit SymbolicSystem(MotionEquations motion);
  ~SymbolicSystem();
  SymbolicSystem(const SymbolicSystem&) = delete;
  SymbolicSystem& operator=(const SymbolicSystem&) = delete;

  // All of these throw InputError for symbols of the wrong kind. Later values replace earlier ones.
  void set(const ParameterValues& parameters);
  // Sets a function of time that is neither coordinate nor speed, such as a drive, as expression of t,
  // coordinates, speeds and parameters. Its first two derivatives follow from it.
  void set_input(const Expression& input, const Expression& value);
  // Sets an input by code or a table, whose rates are unknown: it may occur in forces, outputs and values set
  // by events, not in factors of accelerations, in kinematic equations or in constraints.
  void set_input(const Expression& input, InputFunction function);
  // Sets initial coordinates and speeds; for dependent ones, the start of Newton's method. Numbers or
  // expressions of parameters.
  void set_initial(const Replacements& values);
  // Sets the start of Newton's method (else 0) for unknowns of Lagrange's method without initial value.
  void set_guess(const Replacements& values);
  // Adds an expression in q and t that vanishes along the motion, such as the norm of Euler parameters minus
  // one: coordinates are projected onto it.
  void add_invariant(const Expression& invariant);
  // Adds an output: expression of t, coordinates, speeds, their rates, multipliers, inputs and parameters.
  void add_output(const std::string& name, const Expression& value, const std::string& unit = "");
  // Adds energy.kinetic, energy.potential (of the bodies, and of weights that act as loads:
  // weight_potential.h) and energy.total.
  void add_energies(const ReferenceFrame& frame, const std::vector<Body>& bodies);
  void add_event(SymbolicEvent event);

  const MotionEquations& motion() const { return motion_; }
  // Returns the state at t, consistent with all constraints. Throws InputError if there is none nearby.
  State<double> calc_initial_state(double t = 0.0) const;
  // For the user's own drivers, which make their own rows.
  std::unique_ptr<SymbolicEquations> make_equations() const;
  // Evaluates expressions, such as outputs, at the initial state.
  std::vector<double> evaluate_at_start(const std::vector<Expression>& expressions) const;

  // Throws InputError for errors in the description or the options, before anything has been written.
  // Failures during the run are in the report. After the recorder's `begin` no expression is read any more,
  // so that others may continue the derivation.
  SimulationReport run(const SimulationOptions& options, Recorder& recorder) const;
  SimulationReport run(const SimulationOptions& options, const std::filesystem::path& result_file) const;
  ResultTable simulate(const SimulationOptions& options) const;  // throws InputError and ComputationError

 private:
  friend class SimulationRun;
  struct Output {
    Column column;
    Expression value;
  };
  bool is_coordinate(const Expression& e) const;
  bool is_speed(const Expression& e) const;
  void check_input(const Expression& input) const;
  void check_places_of_functions(const MotionEquations& motion,
                                 const std::vector<Expression>& invariants) const;
  // Inserts inputs and kinematics.
  Expression resolve(const Expression& expression) const;
  MotionEquations resolved_motion() const;
  double number(const Expression& symbol, const Expression& value) const;

  MotionEquations motion_;
  ParameterValues parameters_;
  Replacements inputs_;  // and their derivatives
  InputFunctions functions_;
  Replacements initial_, guesses_;
  std::vector<Expression> invariants_;
  std::vector<Output> outputs_;
  std::vector<SymbolicEvent> events_;
};

}  // namespace sestina::symbolic
