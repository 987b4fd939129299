// A model's equations of motion as the integrators see them, with the work of forces as quadratures.
#pragma once

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/momentum.h"
#include "sestina/integrate/equations_of_motion.h"

namespace sestina {

// Of the model's forces and events; null where it has none.
std::unique_ptr<TimeSwitches> make_time_switches(const Model& model, const Properties<double>& properties);

class SystemEquations final : public EquationsOfMotion, public CanonicalEquations {
 public:
  // z = [work supplied by given forces, work dissipated in dampers] (J)
  static constexpr int kSupplied = 0, kDissipated = 1, kNz = 2;

  explicit SystemEquations(ForwardDynamics& dynamics);

  int nq() const override { return dynamics_.model().nq(); }
  int nu() const override { return dynamics_.model().nu(); }
  int nz() const override { return kNz; }
  // The model's variables (nd), which hold for all that is asked from here on.
  void set_variables(std::span<const double> d);
  void calc_derivatives(double t, std::span<const double> q, std::span<const double> u,
                        std::span<double> udot, std::span<double> zdot) override;
  void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) override;
  void plus(std::span<const double> q, std::span<const double> displacement,
            std::span<double> q_out) override;
  std::span<const int> rotations() const override { return rotations_; }
  void normalize(std::span<double> q) override;
  TimeSwitches* time_switches() override { return switches_.get(); }

  CanonicalEquations* canonical() override { return this; }
  void calc_momentum(std::span<const double> q, std::span<const double> u, std::span<double> p) override;
  void calc_speeds(double t, std::span<const double> q, std::span<const double> p,
                   std::span<double> u) override;
  void calc_momentum_rate(double t, std::span<const double> q, std::span<const double> u,
                          std::span<double> pdot, std::span<double> zdot) override;

  std::string name_of_q(int i) const override;
  std::string name_of_u(int i) const override;
  std::string name_of_z(int i) const override;

 private:
  void set_state(double t, std::span<const double> q, std::span<const double> u);
  void calc_power(std::span<double> zdot) const;

  ForwardDynamics& dynamics_;
  MomentumEquations momentum_;
  std::vector<int> rotations_;
  std::unique_ptr<TimeSwitches> switches_;
  State<double> state_;
};

}  // namespace sestina
