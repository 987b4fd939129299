// Equations of motion that were derived with symbols, as the integrators see them.
//
//   [M  -a^T] [u'    ]   [ f]
//   [a   0  ] [lambda] = [-d]                                                            (1)
//   u <- u + du with   M du = a^T mu,   a (u + du) + b = 0                               (2)
//   q <- q + dq with   J dq = -c,  |dq| least,   J = dc/dq                                (3)
//
// Wherever speeds are used they are first brought onto the velocity constraints by (2), the impulse of the
// constraints: of all speeds that satisfy them, those nearest in kinetic energy. Velocity constraints
// therefore hold to round-off however long a run is. Coordinates are brought onto the configuration
// constraints by (3) after each step, to round-off as well; what a step leaves before that is of the size of
// its error. Speeds that satisfy the velocity constraints have to keep the configuration constraints as well:
//
//   c' = J G + dc/dt = 0   wherever   a u + b = 0                                         (4)
//
// A constraint that is left out as one that follows from the others is watched (find_violated).
//
// Where time occurs in (3), in G or in M, it rides along as a last coordinate named t.
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
  // parameters less one, and are treated like c. `inputs` stand in f alone. `events` are those whose zeros
  // are sought: of them only where the time switches them is looked at here. InputError where a symbol has no
  // value.
  SymbolicEquations(const MotionEquations& motion, const ParameterValues& parameters,
                    const std::vector<Expression>& invariants, const InputFunctions& inputs = {},
                    const std::vector<Expression>& events = {});

  StateSizes sizes() const override {
    return {.nq = static_cast<int>(n_q_ + (has_clock_ ? 1 : 0)), .nu = static_cast<int>(n_u_)};
  }
  void calc_derivatives(const State<double>& state, const StateRates& rates) override;
  void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) override;
  // For rules that move coordinates by speeds: only where is_plain().
  void plus(std::span<const double> q, std::span<const double> displacement,
            std::span<double> q_out) override;
  void minus(std::span<const double> q_to, std::span<const double> q_from,
             std::span<double> displacement) override;
  void normalize(std::span<double> q) override;  // (3)
  void project(State<double>& state) override;   // (3), (2)
  TimeSwitches* time_switches() override { return switches_.get(); }
  ImpulseFace* impulse_face() override { return this; }
  // du by [M -a^T; a 0] [du; mu] = [impulse; 0].
  void calc_velocity_jump(const State<double>& state, std::span<const double> impulse,
                          std::span<double> du) override;
  std::string name_of_q(int i) const override;
  std::string name_of_u(int i) const override;

  // Whether q' = u, one by one, and nothing constrains them.
  bool is_plain() const { return is_plain_; }
  bool has_clock() const { return has_clock_; }
  // Or an event.
  bool depends_on_time() const { return depends_on_time_; }
  std::size_t coordinates() const { return n_q_; }  // without the clock
  std::size_t constraints() const { return kept_.size(); }

  // Leaves out of (1) and (2) the constraints that at this configuration follow from the others; returns
  // their places. Run once, before a motion begins.
  std::vector<std::size_t> drop_redundant(double t, std::span<const double> q);
  // (3) at t.
  void normalize(double t, std::span<double> q);
  // The constraint that does not hold at a state, one that has been left out included: "configuration
  // constraint 2 stays at 0.01"; or that holds but does not last by (4). Empty where all of them do.
  std::string find_violated(double t, std::span<const double> q, std::span<const double> u, double within);
  // The configuration constraint that does not last for all speeds by (4), at rest too; the rate told is that
  // for speeds whose squares add up to 1. Not sought where there are fewer velocity constraints, as what
  // these leave out may follow from the forces. Empty where there is none.
  std::string find_contradicted(double t, std::span<const double> q, double within);

  // What holds at a state; all valid until the next call.
  struct Motion {
    std::span<const double> variables;          // t, q, u on the constraints, inputs
    std::span<const double> udot, multipliers;  // of dropped constraints 0
  };
  Motion calc_motion(double t, std::span<const double> q, std::span<const double> u);
  // (2) in place.
  void project_speeds(double t, std::span<const double> q, std::span<double> u);
  // The largest |c|, and |a u + b| of the speeds as they are.
  double configuration_residual(double t, std::span<const double> q);
  double velocity_residual(double t, std::span<const double> q, std::span<const double> u);
  // The largest |c| that (3) has met since the last call.
  double take_drift();

 private:
  static constexpr int kMostCorrections = 100;  // of (3)
  static constexpr int kMostHalvings = 30;      // of one of them
  // |c| above this part of its terms is far away, where a correction may have to be shortened.
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
  // Of c and the invariants at the coordinates: the largest |c|; that one for which |c| is the largest part
  // of what a change of the coordinates by 1 makes of it, and that part.
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
  bool has_speeds_ = false;  // in M, a or b
  bool depends_on_time_ = false;
  std::unique_ptr<TimeSwitches> switches_;
  std::vector<std::string> q_names_, u_names_, input_names_;
  std::vector<std::size_t> kept_, kept_c_;  // velocity and configuration constraints that are independent

  // Over t, q, u: G; M, a, b; c, J, dc/dt. Over t, q, u and inputs: f, d
  CompiledExpressions rates_, matrices_, forces_, configuration_;
  InputFunctions inputs_;
  std::vector<double> variables_, known_at_;  // (1 + nq + nu), all or without nu
  std::vector<double> force_variables_;       // (1 + nq + nu + inputs)
  std::span<const double> M_, a_, b_;
  DenseSolver motion_solver_, correction_solver_;
  bool is_factorized_ = false;  // for known_at_
  std::vector<double> solution_, multipliers_, correction_;
  std::vector<double> corrected_, before_;  // (nq)
  double drift_ = 0.0;
};

}  // namespace sestina::symbolic
