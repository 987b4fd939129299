// A model's equations of motion as seen by integrators, with the work of forces as quadratures.
#pragma once

#include <memory>
#include <optional>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/forward_dynamics_derivatives.h"
#include "sestina/dynamics/inverse_dynamics_by_parameters.h"
#include "sestina/dynamics/momentum.h"
#include "sestina/integrate/equations_of_motion.h"
#include "sestina/workspace/contact_system.h"
#include "sestina/workspace/implicit_equations.h"
#include "sestina/workspace/quadrature_rates.h"

namespace sestina {

// The switches of the model's forces and events; null if it has none.
std::unique_ptr<TimeSwitches> make_time_switches(const Model& model, const Properties<double>& properties);

// For z see quadrature_rates.h.
class SystemEquations final : public EquationsOfMotion,
                              public MomentumFace,
                              public ResidualFace,
                              public ImpulseFace {
 public:
  explicit SystemEquations(ForwardDynamics& dynamics);

  // From now on tau (nu; N m, N) is added to the generalised forces of the model, in every form, and its
  // power counts as supplied; empty: none. The numbers are not copied: after changing them, restart the
  // rule.
  void set_tau(std::span<const double> tau) {
    tau_ = tau;
    if (implicit_) implicit_->set_tau(tau);
  }

  StateSizes sizes() const override;
  void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) override;
  void plus(std::span<const double> q, std::span<const double> displacement,
            std::span<double> q_out) override;
  void minus(std::span<const double> q_to, std::span<const double> q_from,
             std::span<double> displacement) override;
  std::span<const int> rotations() const override { return rotations_; }
  void normalize(std::span<double> q) override;
  using EquationsOfMotion::project;
  void project(State<double>& state, Projection how) override;
  bool project_errors(const State<double>& state, std::span<double> of_q, std::span<double> of_u) override;
  // The impulse of constraints on speeds that jump; the energy that it adds counts as supplied.
  void pass_jump(State<double>& state) override;
  bool is_constrained() const override { return dynamics_.model().is_constrained(); }
  bool history_changes_rates() const override { return false; }
  void update_history(const State<double>& before, State<double>& after) override;
  void calc_derivatives(const State<double>& state, const StateRates& rates) override;
  TimeSwitches* time_switches() override { return switches_.get(); }

  // Null if the model has loops or constraints, or states with a rate.
  // The first call allocates.
  MomentumFace* momentum_face() override;
  void calc_momentum(const State<double>& state, std::span<double> p) override;
  void calc_speeds(const State<double>& state, std::span<const double> p, std::span<double> u) override;
  void calc_momentum_rate(const State<double>& state, std::span<double> pdot,
                          std::span<double> zdot) override;

  // Null if the model has user forces (UserForce), which have no derivatives, loops or constraints, or states
  // with a rate. The first call allocates the memory of the tangent.
  ResidualFace* residual_face() override;
  void calc_residual(const State<double>& state, std::span<const double> udot,
                     std::span<double> residual) override;
  void update_tangent(const State<double>& state) override;
  MatrixBlock residual_by_q() const override { return tangent_->derivatives.inverse().by_q(); }
  MatrixBlock residual_by_u() const override { return tangent_->derivatives.inverse().by_u(); }
  MatrixBlock residual_by_udot() const override;
  MatrixBlock udot_by_q() const override { return tangent_->derivatives.by_q(); }
  MatrixBlock udot_by_u() const override { return tangent_->derivatives.by_u(); }
  void update_residual_tangent(const State<double>& state, std::span<const double> udot) override;
  void calc_residual_by_parameter(int parameter, std::span<double> by_parameter) override;
  int parameter_number(const std::string& name) const override {
    return find_parameter(dynamics_.model(), name);
  }
  void calc_quadrature_rates(const State<double>& state, std::span<double> zdot) override;

  // Null where the model has forces or constraints of the user's own. The first call allocates.
  ImplicitFace* implicit_face() override;
  // Null where the model has none.
  ContactFace* contact_face() override { return contacts_.get(); }
  // The columns of contacts at a state with its udot without them: see ContactSystem. udot then becomes, and
  // the dynamics belong to, the motion with the forces of contacts and stops. The columns of contacts that
  // are force elements become zero.
  void add_contact_forces(const State<double>& state, std::span<double> udot, std::span<double> columns);
  // The forces at points, also of force elements, for the state of the last add_contact_forces().
  std::span<const ContactForce> contact_forces() const { return contact_forces_; }

  ImpulseFace* impulse_face() override { return this; }
  void calc_velocity_jump(const State<double>& state, std::span<const double> impulse,
                          std::span<double> du) override;

  std::string name_of_q(int i) const override;
  std::string name_of_u(int i) const override;
  std::string name_of_x(int i) const override;
  std::string name_of_z(int i) const override;

 private:
  // Data for the implicit form, allocated on first use.
  struct Tangent {
    explicit Tangent(const ForwardDynamics& dynamics);

    InverseDynamics<double> inverse;
    ForwardDynamicsDerivatives derivatives;
    std::optional<InverseDynamicsByParameters> by_parameters;
    State<double> state;       // of the last update_residual_tangent()
    std::vector<double> udot;  // (nu)
  };

  // xdot (nx) of the state that the dynamics has evaluated last; throws ComputationError.
  void copy_state_rates(const State<double>& state, std::span<double> xdot) const;
  // Uses the state that the dynamics has evaluated last.
  void calc_rates_at_last_state(const State<double>& state, std::span<double> zdot);
  double calc_power_of_tau(const State<double>& state) const;
  MomentumEquations& momentum();
  void solve_momenta(const State<double>& state, std::span<const double> p, std::span<double> u);

  ForwardDynamics& dynamics_;
  std::span<const double> tau_;
  std::unique_ptr<MomentumEquations> momentum_;
  QuadratureRates quadratures_;
  std::unique_ptr<Tangent> tangent_;
  std::unique_ptr<ImplicitEquations> implicit_;
  std::vector<int> rotations_;
  std::unique_ptr<TimeSwitches> switches_;
  std::unique_ptr<ContactSystem> contacts_;
  std::vector<ContactForce> contact_forces_;
};

}  // namespace sestina
