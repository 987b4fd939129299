// A system that was derived with symbols, with its numbers: what is needed to run it.
//
//   SymbolicSystem system(kane);                              // or (mechanics, lagrange)
//   system.set({{m, 1.2}, {l, 0.5}, {g, 9.81}});               // parameters
//   system.set_initial({{q, 0.3}});                           // what is not given starts at zero
//   system.add_output("energy", T + V, "J");
//   system.run({.duration = 10, .output_every = 0.01}, "pendulum.csv");
//
// A run has rows of t, all coordinates, all speeds, the outputs, and, where there are events, the number of
// the one that has just taken place. Its result is what that of a model's run is: a table, a file, a plot.
//
// Dependent coordinates and speeds are solved for: those that KaneOptions name, of Lagrange's method as many
// as have no initial value. In the rows, and wherever an expression is evaluated, speeds satisfy the velocity
// constraints to round-off; coordinates satisfy the configuration constraints to round-off after each step
// (symbolic_equations.h). SimulationReport tells both.
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

// Something that takes place when an expression of t, coordinates and speeds reaches zero.
struct SymbolicEvent {
  std::string name;
  Expression function;
  CrossingDirection direction = CrossingDirection::kBoth;
  // Coordinates and speeds that it sets, from the state before. Speeds then satisfy the velocity constraints
  // as after an impulse of the constraints.
  Replacements set = {};
  bool is_terminal = false;  // ends the run
  double tolerance = 0.0;    // s; zero: as the time can be told
};

struct SimulationOptions {
  double start = 0.0;         // s
  double duration = 0.0;      // s
  double output_every = 0.0;  // s, between rows; 0: the first and the last only
  double max_rows = 1e7;      // a run that would have more of output_every is refused
  // s, rising, from the start to the end: rows at these times instead.
  std::vector<double> output_at = {};
  RuleOptions rule = {};
  StepOptions step = {};
  RunLimits limits = {};
  // Asked some ten times a second, with the time (s) and the number of steps: where it says no, the run ends.
  std::function<bool(double t, long steps)> go_on = {};
};

struct SimulationReport {
  bool is_complete = false;
  bool is_interrupted = false;  // SimulationOptions::go_on said no
  std::string failure, reason;  // with and without the time
  double t = 0.0;               // s, how far it came
  long rows = 0;
  StepStatistics steps;
  std::vector<long> event_counts;
  std::string ended_by;  // the terminal event that took place
  // The largest over all rows: |c|, and |a u + b| (motion_equations.h), in their own units.
  double configuration_residual = 0.0, velocity_residual = 0.0;
  // The largest |c| that a step has left before coordinates were brought back.
  double drift = 0.0;
  std::vector<std::size_t> redundant;  // velocity constraints that follow from the others, from 0
};

class SymbolicSystem {
 public:
  explicit SymbolicSystem(const KanesMethod& kane);
  SymbolicSystem(Mechanics& mechanics, const LagrangesMethod& lagrange);
  explicit SymbolicSystem(MotionEquations motion);
  ~SymbolicSystem();
  SymbolicSystem(const SymbolicSystem&) = delete;
  SymbolicSystem& operator=(const SymbolicSystem&) = delete;

  // All of these throw InputError for what is no symbol of the kind. Later values take the place of earlier
  // ones.
  void set(const ParameterValues& parameters);
  // A function of time that is neither coordinate nor speed, such as a drive, by t, coordinates, speeds and
  // parameters. Its first two derivatives follow from it.
  void set_input(const Expression& input, const Expression& value);
  // By code or a table, of which no rates are known: it may stand in forces, outputs and what events set, not
  // in what multiplies accelerations, in kinematic equations or in constraints.
  void set_input(const Expression& input, InputFunction function);
  // Of coordinates and speeds; of dependent ones, where Newton's method begins. Numbers or expressions of
  // parameters.
  void set_initial(const Replacements& values);
  // Of what has no initial value in Lagrange's method, where Newton's method begins; else 0.
  void set_guess(const Replacements& values);
  // An expression in q and t that vanishes along the motion, such as the norm of Euler parameters less one:
  // coordinates are brought back to it.
  void add_invariant(const Expression& invariant);
  // Of t, coordinates, speeds, their rates, multipliers, inputs and parameters.
  void add_output(const std::string& name, const Expression& value, const std::string& unit = "");
  // energy.kinetic, energy.potential (of the bodies, and of weights that act as loads: weight_potential.h)
  // and energy.total
  void add_energies(const ReferenceFrame& frame, const std::vector<Body>& bodies);
  void add_event(SymbolicEvent event);

  const MotionEquations& motion() const { return motion_; }
  // The state at t, consistent with all constraints. InputError where there is none near.
  State<double> calc_initial_state(double t = 0.0) const;
  // For drivers of one's own. Rows are not made there.
  std::unique_ptr<SymbolicEquations> make_equations() const;
  // Values of expressions as outputs may be, at the initial state.
  std::vector<double> evaluate_at_start(const std::vector<Expression>& expressions) const;

  // InputError for what is wrong with the description or the options; nothing has been written then. What
  // fails on the way is told in the report. After the recorder's `begin` no expression is looked at any more,
  // so that others may go on with the derivation.
  SimulationReport run(const SimulationOptions& options, Recorder& recorder) const;
  SimulationReport run(const SimulationOptions& options, const std::filesystem::path& result_file) const;
  ResultTable simulate(const SimulationOptions& options) const;  // InputError and ComputationError

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
  // With inputs and kinematics put in.
  Expression resolve(const Expression& expression) const;
  MotionEquations resolved_motion() const;
  double number(const Expression& symbol, const Expression& value) const;

  MotionEquations motion_;
  ParameterValues parameters_;
  Replacements inputs_;  // with their derivatives
  InputFunctions functions_;
  Replacements initial_, guesses_;
  std::vector<Expression> invariants_;
  std::vector<Output> outputs_;
  std::vector<SymbolicEvent> events_;
};

}  // namespace sestina::symbolic
