// The Lobatto IIIA-IIIB pair: IIIA for positions, IIIB for speeds or momenta, with s = 2 or 3 stages and
// order 2s - 2.
//
// Displacements x are coordinates of q near c, the point halfway between both ends of the step (the state q_n
// moved by X/2, where q_next is q_n moved by X), so that the step is symmetric in time:
//   x_i = -X/2 + h sum_j a_ij y_j,   X = h sum_j b_j y_j,   q_i = c moved by x_i,   u_i = dexp(x_i) y_i   (1)
// with a, b of IIIA, ^a of IIIB, and y the rates of x (rotation_chart.h; dexp = 1 where plus() is an
// addition).
//
// Velocity form, f_i = a(t_i, q_i, u_i):
//   u_i = u_n + h sum_j ^a_ij f_j,   u_next = u_n + h sum_j b_j f_j                                       (2)
// With two stages this is velocity Verlet. It is symmetric, but not symplectic if the mass matrix varies.
//
// Momentum form, P_i = M(q_i) u_i, f_i the force of MomentumFace:
//   P_i = P_n + h sum_j ^a_ij f_j,   P_next = P_n + h sum_j b_j f_j                                       (3)
// This is symplectic on the articulated system and symmetric: the error in the energy stays bounded.
//
// Orientations in the momentum form. The rule is derived from the discrete Lagrangian (Marsden, West;
// Bogfjellmo, Marthinsen)  Ld(q_n, q_next) = h sum_i b_i L(q_i, u_i), made stationary in y under (1). In the
// chart the momentum and force are
//   pi_i = dexp(x_i)^T P_i,    phi_i = dexp(x_i)^T Pdot_i + (d/dt dexp(x_i))^T P_i                        (4)
// with Pdot the rate of P along the motion (MomentumFace), and stationarity is (3) in pi and phi:
//   pi_i = lambda - Phi + h sum_j ^a_ij phi_j,    Phi = h sum_j b_j phi_j                                 (5)
// The chart also moves with both ends of the step. Let f_i = Pdot_i - u_i x P_i, the derivative of L with
// respect to a rotation of the body at fixed u. A rotation of c changes Ld by K = h sum_i b_i exp(-x_i) f_i;
// dLd/dq_next and -dLd/dq_n then are
//   P_next = dexp(X)^-T mu,    P_n = dexp(-X)^-T mu - exp(-X/2) K,
//   mu = lambda - Phi/2 + dexp(X/2)^T K/2                                                                 (6)
// If dexp = 1, then Phi = K, and (5), (6) are (3). For a free body P is conserved to the accuracy of the
// iteration.
//
// The unknowns y are found by accelerated fixed-point iteration (fixed_point.h), which starts from an
// extrapolation of y of the last three steps.
//
// Sources: L. Jay, SIAM J. Numer. Anal. 33 (1996) 368-387; E. Hairer, C. Lubich, G. Wanner, Geometric
// Numerical Integration (2006), II.2.2, VI.4; J. E. Marsden, M. West, Discrete mechanics and variational
// integrators, Acta Numerica 10 (2001) 357-514, section 2.6; G. Bogfjellmo, H. Marthinsen, High-order
// symplectic partitioned Lie group methods, Found. Comput. Math. 16 (2016) 493-530.
#pragma once

#include <array>

#include "sestina/integrate/fixed_point.h"
#include "sestina/integrate/integration_rule.h"
#include "sestina/integrate/rotation_chart.h"

namespace sestina {

// The coefficients: the first s rows and columns of each are used.
struct LobattoTableau {
  int stages;
  std::array<double, 3> b, c;
  std::array<std::array<double, 3>, 3> a, a_hat;
};
const LobattoTableau& lobatto_tableau(int stages);  // 2 or 3

class LobattoPair final : public IntegrationRule {
 public:
  enum class Form { kVelocity, kMomentum };

  LobattoPair(int stages, Form form);

  const std::string& name() const override;
  int order() const override { return 2 * tableau_.stages - 2; }
  int error_order() const override { return 0; }
  bool has_dense_output() const override { return false; }
  // The number of stored steps, and y (stages x nu) of each, the newest first.
  std::span<const double> previous_memory() const override { return previous_; }

 private:
  void do_start(std::span<const double> memory) override;
  bool do_can_remember(std::span<const double> memory) const override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  // Takes one step with y_ as the first guess, which is replaced by the solution.
  StepReport calc_step(const State<double>& from, double t_end, State<double>& to);
  void set_guess(const State<double>& from, std::span<const double> memory);
  StepReport solve_stages(const State<double>& from, double t_end);
  void update_positions(const State<double>& from, double t_end);  // (1)
  StepReport update_forces(int first, int end);
  void update_balance(double h);          // (5) and (6) except for the sum over ^a_ij
  void update_rotation(double h, int k);  // the same for the rotation at u[k]: (4) to (6)
  void calc_stage_rate(double h, int i);  // (2), (3), (5): the next y_i
  void add_forces(double h, std::span<const double> weights, std::span<double> sum) const;

  State<double>& stage(int i) { return stages_[static_cast<std::size_t>(i)]; }
  std::span<double> stage(std::vector<double>& values, int i) const {
    const std::size_t size = values.size() / static_cast<std::size_t>(tableau_.stages);
    return std::span(values).subspan(static_cast<std::size_t>(i) * size, size);
  }

  LobattoTableau tableau_;
  Form form_;
  int force_stages_ = 0;  // number of stages whose forces influence y
  FixedPointIteration iteration_;
  // By stage: (stages x nu), except zdot (stages x nz)
  std::vector<double> y_, y_next_;     // rates of the displacements
  std::vector<double> x_;              // displacements from c
  std::vector<State<double>> stages_;  // (stages) t_i, q_i, u_i
  std::vector<double> P_;              // momenta, only where there are rotations
  std::vector<double> f_;              // accelerations, or rates of the momenta
  std::vector<double> phi_;            // f, except for the rotations of the momentum form (4)
  std::vector<double> zdot_;
  // (nu)
  std::vector<double> X_;         // displacement of the whole step
  std::vector<double> half_;      // X/2
  std::vector<double> begin_;     // u_n or P_n
  std::vector<double> end_;       // u_next or P_next
  std::vector<double> pi_begin_;  // u_n, P_n or, for a rotation, lambda - Phi
  std::vector<double> pi_;        // u_i, P_i or, for a rotation, pi_i
  std::vector<double> center_;    // (nq) c
  // Layout as in previous_memory().
  std::vector<double> previous_, current_;
};

}  // namespace sestina
