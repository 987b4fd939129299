// The contacts of cables with pulleys (forces/belt_contact.h) with their analytical tangents.
//
// The force at one contact point is a function of the point's displacement xi and velocity relative to the
// pulley, in axes that turn with it. For a displacement of the point by dr, of the pulley's centre by dp and
// its rotation theta, with d from the centre to the point,
//   xi = dr - dp - theta x d,   dv = change of the relative velocity v,   eta = dv - theta x v            (1)
//   d delta = -m.xi,  dm = t (t.xi)/rho - a (a.xi)/g,  dt = -e (t.xi)/rho,  d delta' = -m.eta - dm.v,
//   d slip = t.eta + dt.v,   dF = theta x F + dN m + N dm - dF_t t - F_t dt                               (2)
// Generalised forces are F.psi, with psi = S for the positions and slopes of the cable's nodes and
// psi_k = -(v_k + w_k x d) for a speed k that moves the pulley's centre by v_k and turns it by w_k. The
// change of v_k and w_k contributes the derivative of a wrench that is held constant while the pulley moves
// (HeldWrench, which the caller adds to the forces that it differentiates); the change of d contributes
//   -w_k x (dr - dp)                                                                                      (3)
//
// The residual of the equations of motion contains the opposite of these forces.
#pragma once

#include <vector>

#include "sestina/dynamics/kinematics.h"
#include "sestina/model/properties.h"

namespace sestina {

// The totals of a contact at a state: the sum of normal forces (N), the friction's torque on the pulley about
// its axis (N m), and the length of cable that touches over its distance from the axis (rad).
struct BeltTotals {
  double normal_force = 0.0, torque = 0.0, angle = 0.0;
};
BeltTotals calc_belt_totals(const BeltContact<double>& belt, const ForceInput<double>& in);

class BeltForces {
 public:
  BeltForces(const Model& model, const Properties<double>& properties);

  bool empty() const { return belts_.empty(); }

  // The derivatives of the residual for the speeds of a cable's element and of the pulley, then for its
  // bristles: K with respect to displacements, D with respect to speeds and bristles, by rows.
  struct Block {
    std::vector<int> numbers;  // of the rows and columns, through speeds and states
    std::vector<double> K, D;
    std::vector<double> r;  // the residual; of bristles their rates
    bool is_zero = true;    // but for D of bristles with themselves
    // Calls visit(row, column, place of the number).
    template <class F>
    void for_each_number(const F& visit) const {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        for (std::size_t j = 0; j < numbers.size(); ++j)
          visit(numbers[i], numbers[j], i * numbers.size() + j);
      }
    }
  };
  const std::vector<Block>& blocks() const { return blocks_; }

  // `dual` are the model's properties; the state's numbers have no derivatives.
  void update(const State<double>& state, const Kinematics<double>& kinematics, const Properties<Dual>& dual);
  // Puts the wrenches of the last update on the pulleys into a set of forces.
  void hold(std::vector<HeldWrench<Dual>>& held) const;

 private:
  using Point = BeltContact<double>::Point;
  using Pulley = BeltContact<double>::Pulley;
  // The motion of a pulley per unit of one of its speeds, and the change of its velocities at fixed speeds
  // per unit of displacement along that speed.
  struct Column {
    Vec3<double> v, w, dv, dw;
  };
  struct Belt {
    std::vector<int> speeds;  // that move the pulley
    std::size_t first_block = 0;
    Vec3<double> force, torque;  // on the pulley, at its centre
    std::vector<Column> columns;
  };
  // The effect at the contact point of a unit displacement or speed along one number of a block.
  struct Change {
    Vec3<double> xi, theta, by_q, by_u;  // by_q, by_u: eta
    Vec3<double> dr_less_dp;
  };

  void find_columns(const State<double>& state, const Properties<Dual>& dual);
  std::size_t place_of_bristle(std::size_t belt, int bristle) const;  // in its block
  void add_free(std::size_t belt, std::size_t piece, int bristle, double z);
  void add_point(std::size_t belt, const Pulley& pulley, std::size_t piece, int bristle, const Point& point);
  void find_changes(const Belt& belt, const Pulley& pulley, const Point& point);
  static Vec3<double> change_of_force(const BeltContact<double>& belt, const Pulley& pulley,
                                      const Point& point, const Vec3<double>& xi, const Vec3<double>& theta,
                                      const Vec3<double>& eta, double& of_rate);

  const Model& model_;
  std::vector<BeltContact<double>> contacts_;
  std::vector<Belt> belts_;
  std::vector<Block> blocks_;
  std::vector<int> all_speeds_;  // that move any pulley
  std::vector<Change> changes_;
  State<Dual> state_;
  Kinematics<Dual> kinematics_;
};

}  // namespace sestina
