// Equations of motion together with the derivatives of their solution by parameters and initial values.
//
// For a parameter or an initial value p let s_q = dq/dp (nu), a displacement as in plus(), and s_u = du/dp.
// Along the motion
//
//   ds_q/dt = s_u, plus w x s_q for an orientation with the angular velocity w
//   M ds_u/dt = -(dr/dq s_q + dr/du s_u + dr/dp)                                                  (1)
//
// where M and r are those of ResidualFace. An orientation has another rate because plus() turns it from the
// left: of exp(s) o e, to first order in s, the angular velocity is w + sdot - w x s.
//
// The s are states x of the equations, two of nu each for each direction p, so that explicit rules integrate
// (1) beside the motion, under error control. A Runge-Kutta rule then gives the derivatives of its own
// numerical solution, for the steps that it took.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sestina/integrate/equations_of_motion.h"

namespace sestina {

class TangentEquations final : public EquationsOfMotion {
 public:
  // A direction of differentiation: by a parameter, which also says how (1) is scaled, or by an initial
  // value.
  struct Direction {
    std::string parameter = {};  // empty: an initial value
    double scale = 1.0;  // the s are derivatives by p / scale, so that they are of the size of q and u
  };

  // The equations must outlive this, and have a ResidualFace and no states with a rate.
  TangentEquations(EquationsOfMotion& equations, std::vector<Direction> directions);
  ~TangentEquations() override;

  const std::vector<Direction>& directions() const { return directions_; }
  // The parts s_q and s_u (nu) of x.
  std::span<const double> displacement(const State<double>& state, int direction) const {
    return part(state.x, 2 * direction);
  }
  std::span<const double> speeds(const State<double>& state, int direction) const {
    return part(state.x, 2 * direction + 1);
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
  void calc_derivatives(const State<double>& state, const StateRates& rates) override;
  TimeSwitches* time_switches() override { return equations_.time_switches(); }
  std::string name_of_q(int i) const override { return equations_.name_of_q(i); }
  std::string name_of_u(int i) const override { return equations_.name_of_u(i); }
  std::string name_of_x(int i) const override;
  std::string name_of_z(int i) const override { return equations_.name_of_z(i); }

 private:
  template <class T>
  std::span<T> part(std::span<T> x, int i) const {
    return x.subspan(static_cast<std::size_t>(i * sizes_.nu), static_cast<std::size_t>(sizes_.nu));
  }
  std::span<const double> part(const std::vector<double>& x, int i) const {
    return part(std::span<const double>(x), i);
  }
  EquationsOfMotion& equations_;
  ResidualFace& face_;
  std::vector<Direction> directions_;
  StateSizes sizes_;  // of the equations alone
  State<double> own_;
  struct Matrices;
  std::vector<int> parameters_;  // by direction: the number of the parameter, or -1
  std::unique_ptr<Matrices> matrices_;
};

}  // namespace sestina
