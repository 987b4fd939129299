// Equations of motion together with the derivatives of their solution with respect to parameters and initial
// values.
//
// For a parameter or an initial value p let s_q = dq/dp (nu), a displacement as in plus(), and s_u = du/dp.
// Along the motion
//
//   ds_q/dt = s_u, plus w x s_q for an orientation with the angular velocity w
//   M ds_u/dt = -(dr/dq s_q + dr/du s_u + dr/dp)                                                  (1)
//
// where M and r are those of ResidualFace. The rate for an orientation differs because plus() rotates it from
// the left: of exp(s) o e, to first order in s, the angular velocity is w + sdot - w x s. With loops,
// constraints or states x with a rate, s = [s_q; s_u; s_x] obeys the equations of motion_derivatives.h, and a
// projection of the state onto the conditions projects s too; constrained_tangents.h computes them for most
// mechanisms.
//
// The s are further states x of the equations, one set after the other for each p, so that explicit rules
// integrate them together with the motion, under error control. A Runge-Kutta rule then gives the derivatives
// of its own numerical solution, for the steps that it took.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sestina/dynamics/constrained_tangents.h"
#include "sestina/dynamics/motion_derivatives.h"
#include "sestina/workspace/integral_derivatives.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {

class TangentEquations final : public EquationsOfMotion {
 public:
  // A direction of differentiation: a parameter, which also determines how (1) is scaled, or an initial
  // value.
  struct Direction {
    std::string parameter = {};  // empty: an initial value
    double scale = 1.0;  // the s are derivatives by p / scale, so that they are of the size of q and u
  };

  // `equations` are those of `dynamics`; both must outlive this object. With `integrals`, for these
  // directions, the state has further integrals: the derivatives of z. Throws InputError for user forces and
  // user constraints.
  TangentEquations(SystemEquations& equations, ForwardDynamics& dynamics, std::vector<Direction> directions,
                   std::unique_ptr<IntegralDerivatives> integrals = nullptr);
  ~TangentEquations() override;

  const std::vector<Direction>& directions() const { return directions_; }
  std::size_t width() const { return 2 * nu() + nx(); }  // size of s
  // The parts s_q, s_u (nu) and s_x (nx) of x.
  std::span<const double> displacement(const State<double>& state, int direction) const {
    return part(state.x, direction).first(nu());
  }
  std::span<const double> speeds(const State<double>& state, int direction) const {
    return part(state.x, direction).subspan(nu(), nu());
  }
  std::span<const double> rated_states(const State<double>& state, int direction) const {
    return part(state.x, direction).subspan(2 * nu());
  }
  // The derivatives of z (nz), or nothing. Like all integrals they do not limit the steps: differences may be
  // less accurate than the tolerance.
  std::span<const double> integrals(const State<double>& state, int direction) const {
    return integrals_ ? integral_part(std::span<const double>(state.z), direction)
                      : std::span<const double>();
  }
  // The state of the equations alone, until the next call.
  const State<double>& own_state(const State<double>& state);

  StateSizes sizes() const override;
  void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) override {
    equations_.calc_q_dot(q, u, qdot);
  }
  void plus(std::span<const double> q, std::span<const double> displacement,
            std::span<double> q_out) override {
    equations_.plus(q, displacement, q_out);
  }
  void minus(std::span<const double> q_to, std::span<const double> q_from,
             std::span<double> displacement) override {
    equations_.minus(q_to, q_from, displacement);
  }
  std::span<const int> rotations() const override { return equations_.rotations(); }
  void normalize(std::span<double> q) override { equations_.normalize(q); }
  void project(State<double>& state, Projection how) override;
  bool is_constrained() const override { return equations_.is_constrained(); }
  bool history_changes_rates() const override { return equations_.history_changes_rates(); }
  void update_history(const State<double>& before, State<double>& after) override;
  void calc_derivatives(const State<double>& state, const StateRates& rates) override;
  TimeSwitches* time_switches() override { return equations_.time_switches(); }
  std::string name_of_q(int i) const override { return equations_.name_of_q(i); }
  std::string name_of_u(int i) const override { return equations_.name_of_u(i); }
  std::string name_of_x(int i) const override;
  std::string name_of_z(int i) const override { return equations_.name_of_z(i % sizes_.nz); }

 private:
  std::size_t nu() const { return static_cast<std::size_t>(sizes_.nu); }
  std::size_t nx() const { return static_cast<std::size_t>(sizes_.nx); }
  int count() const { return static_cast<int>(directions_.size()); }
  // s of a direction.
  template <class T>
  std::span<T> part(std::span<T> x, int direction) const {
    return x.subspan(nx() + static_cast<std::size_t>(direction) * width(), width());
  }
  template <class T>
  std::span<T> integral_part(std::span<T> z, int direction) const {
    const auto nz = static_cast<std::size_t>(sizes_.nz);
    return z.subspan((1 + static_cast<std::size_t>(direction)) * nz, nz);
  }
  std::span<const double> part(const std::vector<double>& x, int direction) const {
    return part(std::span<const double>(x), direction);
  }
  void calc_tree_rates(const State<double>& state, const StateRates& rates);
  void calc_constrained_rates(const State<double>& state, const StateRates& rates);
  void calc_dense_rates(const State<double>& state, const StateRates& rates);
  void set_rates_of_displacements(const State<double>& state, const StateRates& rates);

  SystemEquations& equations_;
  ForwardDynamics& dynamics_;
  std::vector<Direction> directions_;
  StateSizes sizes_;  // sizes of the equations alone
  State<double> own_;
  struct Matrices;
  std::vector<int> parameters_;                       // by direction: the number of the parameter, or -1
  std::unique_ptr<Matrices> matrices_;                // for trees without states with a rate
  std::unique_ptr<ConstrainedTangents> constrained_;  // for most models with loops or constraints
  std::unique_ptr<MotionDerivatives> derivatives_;    // for other models
  std::unique_ptr<IntegralDerivatives> integrals_;    // or null
  // By direction: the place of the parameter in constrained_ or derivatives_, or -1, and its scale.
  std::vector<ConstrainedTangents::Cause> causes_;
};

}  // namespace sestina
