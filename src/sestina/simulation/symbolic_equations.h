// Equations of motion derived with symbols, in the form for the integrators.
//
//   [M  -a^T] [u'    ]   [ f]
//   [a   0  ] [lambda] = [-d]                                                            (1)
//   u <- u + du with   M du = a^T mu,   a (u + du) + b = 0                               (2)
//   q <- q + dq with   J dq = -c,  |dq| least,   J = dc/dq                                (3)
//
// Before speeds are used, they are projected onto the velocity constraints by (2), the impulse of the
// constraints: of all speeds that satisfy them, those nearest in kinetic energy. Velocity constraints
// therefore hold to round-off, however long a run is. Coordinates are projected onto the configuration
// constraints by (3) after each step, to round-off too; the deviation before that is of the size of the
// step's error. Speeds that satisfy the velocity constraints must keep the configuration constraints too:
//
//   c' = J G + dc/dt = 0   wherever   a u + b = 0                                         (4)
//
// A constraint that is omitted because it follows from the others is monitored (find_violated).
//
// If time occurs in (3), in G or in M, it is treated as an additional last coordinate named t.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sestina/integrate/equations_of_motion.h"
#include "sestina/simulation/dense_solver.h"
#include "sestina/simulation/input_function.h"
#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina::symbolic {

using InputFunctions = std::vector<std::pair<Expression, InputFunction>>;

class SymbolicEquations final : public EquationsOfMotion, public ImpulseFace {
 public:
  // `invariants` are further expressions in q and t that vanish along the motion, such as the norm of Euler
  // parameters minus one, and are treated like c. `inputs` occur only in f. `events` are the expressions
  // whose zeros are sought; here only their switches in time are used. Throws InputError if a symbol has no
  // value.
  SymbolicEquations(const MotionEquations& motion, const ParameterValues& parameters,
                    const std::vector<Expression>& invariants, const InputFunctions& inputs = {},
                    const std::vector<Expression>& events = {});

  StateSizes sizes() const override {
    return {.nq = static_cast<int>(n_q_ + (has_clock_ ? 1 : 0)), .nu = static_cast<int>(n_u_)};
  }
  void calc_derivatives(const State<double>& state, const StateRates& rates) override;
  void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) override;
  // For rules that move coordinates by speeds; only if is_plain().
  void plus(std::span<const double> q, std::span<const double> displacement,
            std::span<double> q_out) override;
  void minus(std::span<const double> q_to, std::span<const double> q_from,
             std::span<double> displacement) override;
  void normalize(std::span<double> q) override;             // (3)
  void project(State<double>& state, Projection) override;  // (3), (2)
  TimeSwitches* time_switches() override { return switches_.get(); }
  ImpulseFace* impulse_face() override { return this; }
  // Computes du from [M -a^T; a 0] [du; mu] = [impulse; 0].
  void calc_velocity_jump(const State<double>& state, std::span<const double> impulse,
                          std::span<double> du) override;
  std::string name_of_q(int i) const override;
  std::string name_of_u(int i) const override;

  // True if q' = u, element by element, and there are no constraints.
  bool is_plain() const { return is_plain_; }
  bool has_clock() const { return has_clock_; }
  // True also if an event depends on time.
  bool depends_on_time() const { return depends_on_time_; }
  std::size_t coordinates() const { return n_q_; }  // without the clock
  std::size_t constraints() const { return kept_.size(); }

  // Omits from (1) and (2) the constraints that follow from others at this configuration; returns their
  // places. Call it once, before a motion begins.
  std::vector<std::size_t> drop_redundant(double t, std::span<const double> q);
  // Applies (3) at t.
  void normalize(double t, std::span<double> q);
  // Describes a constraint, possibly an omitted one, that does not hold at a state: "configuration constraint
  // 2 stays at 0.01"; or one that holds but does not persist by (4). Empty if all of them do.
  std::string find_violated(double t, std::span<const double> q, std::span<const double> u, double within);
  // Describes a configuration constraint that does not persist for all speeds by (4), even at rest; the rate
  // is that for speeds whose squares add up to 1. Not checked if there are fewer velocity constraints: the
  // missing ones may follow from the forces. Empty if there is none.
  std::string find_contradicted(double t, std::span<const double> q, double within);

  // The motion at a state; valid until the next call.
  struct Motion {
    std::span<const double> variables;          // t, q, u on the constraints, inputs
    std::span<const double> udot, multipliers;  // zero for omitted constraints
  };
  Motion calc_motion(double t, std::span<const double> q, std::span<const double> u);
  // Applies (2) in place.
  void project_speeds(double t, std::span<const double> q, std::span<double> u);
  // Returns the largest |c|, and the largest |a u + b| of the unprojected speeds.
  double configuration_residual(double t, std::span<const double> q);
  double velocity_residual(double t, std::span<const double> q, std::span<const double> u);
  // Returns the largest |c| before a correction (3) since the last call.
  double take_drift();

 private:
  static constexpr int kMostCorrections = 100;  // of (3)
  static constexpr int kMostHalvings = 30;      // of one correction
  // |c| above this fraction of its terms is far away: a correction may have to be shortened.
  static constexpr double kNear = 1e-6;

  void compile(const MotionEquations& motion, const ParameterValues& parameters,
               const std::vector<Expression>& invariants);
  void update_force_variables(double t);  // of the inputs
  void set_coordinates(double t, std::span<const double> q);
  void set_state(double t, std::span<const double> q, std::span<const double> u);
  void update_matrices();
  void find_switches(const MotionEquations& motion, const ParameterValues& parameters,
                     const std::vector<Expression>& events);
  std::string name_of_condition(std::size_t k) const;
  std::string find_violated_velocity(std::span<const double> u, double within);
  std::string describe_moving(std::size_t k, double rate, double allowed) const;
  // Deviation of c and the invariants at the coordinates: the largest |c|, and the largest |c| relative to
  // its change for a change of the coordinates by 1, with its place.
  struct Deviation {
    double largest = 0.0, part = 0.0;
    std::size_t worst = 0;
  };
  Deviation calc_deviation();
  bool calc_correction();
  bool correct(Deviation& deviation);

  std::size_t n_q_, n_u_, n_c_;
  std::size_t n_given_c_ = 0;  // without invariants
  bool has_clock_ = false, is_plain_ = false;
  bool has_speeds_ = false;  // M, a or b contain speeds
  bool depends_on_time_ = false;
  std::unique_ptr<TimeSwitches> switches_;
  std::vector<std::string> q_names_, u_names_, input_names_;
  std::vector<std::size_t> kept_, kept_c_;  // independent velocity and configuration constraints

  // Functions of t, q, u: G; M, a, b; c, J, dc/dt. Functions of t, q, u and inputs: f, d.
  CompiledExpressions rates_, matrices_, forces_, configuration_;
  InputFunctions inputs_;
  std::vector<double> variables_, known_at_;  // (1 + nq + nu), all or without nu
  std::vector<double> force_variables_;       // (1 + nq + nu + inputs)
  std::span<const double> M_, a_, b_;
  DenseSolver motion_solver_, correction_solver_;
  bool is_factorized_ = false;  // at known_at_
  std::vector<double> solution_, multipliers_, correction_;
  std::vector<double> corrected_, before_;  // (nq)
  double drift_ = 0.0;
};

}  // namespace sestina::symbolic
