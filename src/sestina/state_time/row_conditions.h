// Conditions on coordinates of joints, such as gears and prescribed motions, and distances that depend on
// time: constraints that are not polynomials of x and C.
//
// Their rates g' and the forces of their multipliers are those of the rows of the equations of motion
// (constraints/constraint_row.h), for the coordinates and speeds nearest to the motion of the bodies
// (joint_coordinates.h). The generalised force of a multiplier becomes a force and a torque along the joint,
// so that the forces are the transpose of the rate's derivative with respect to velocities: with u = H^+ V of
// joint_coordinates.h
//   g' = c . u + dg/dt,     forces H (H^T H)^-1 c f on the child, the opposite on the parent          (1)
// All derivatives with respect to the motion of a body come from dual numbers in 18 directions. Along an
// element g follows from g' at the points: therefore g = 0 holds at the ends of elements to O(h^2k), not to
// round-off.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/dual_forces.h"
#include "sestina/state_time/load_motion.h"

namespace sestina {

class RowConditions {
 public:
  // A row of the model, and the number of its multiplier among all.
  struct Row {
    int row = 0, number = 0;
  };
  // Keeps references: model and properties must outlive this object.
  RowConditions(const Model& model, const Properties<double>& properties, std::span<const Row> rows);

  bool empty() const { return items_.empty(); }
  // Calls f(bodies, number) for each row, with the bodies that it couples, the ground included.
  template <class F>
  void for_each(F&& f) const {
    for (const Item& item : items_) f(item.coupled, item.number);
  }

  // Sets the motion and its coordinates and speeds; the functions below belong to it.
  void set_motion(std::span<const BodyInstant> bodies, const State<double>& state);
  // Computes g' of each row, at its number.
  void calc_rates(std::span<double> rates);
  // Adds the loads of the multipliers, which are given by number.
  void add_loads(std::span<const double> multipliers, std::span<BodyLoad> loads);
  // Adds the derivatives of -loads and of the rates.
  void add_derivatives(std::span<const BodyInstant> bodies, std::span<const double> multipliers,
                       DerivativeSink& sink);

 private:
  struct Item {
    int number = 0, row = 0;
    int condition = -1;             // in Model::conditions(), or
    int distance = -1;              // in ConstraintSet::distances
    std::vector<BodyIndex> joints;  // by their children: those whose coordinates take part
    std::vector<BodyIndex> bodies;  // on which the row depends, without the ground
    std::vector<int> coupled;       // the same, with the ground, numbered from 0
  };
  Item make_item(const Row& row) const;
  // Returns g' and updates the forces of a unit multiplier on the bodies of the item.
  Dual evaluate(const Item& item);
  void follow(const Item& item, BodyIndex moved);
  void rest(const Item& item, BodyIndex moved, const BodyInstant& at);
  CenterLoad<Dual> load_on(BodyIndex b) const;

  const Model& model_;
  DualForces dual_;
  ConstraintRows<Dual> rows_;
  State<double> state_;
  std::vector<Item> items_;
  std::vector<std::array<Vec3<double>, 6>>
      of_loads_;  // by the bodies of an item: columns of forces and torques
};

// The conditions besides those of the joints that carry bodies.
struct ClosingChoice {
  std::vector<JointConditions> joints;
  std::vector<RowConditions::Row> rows;
  bool empty() const { return joints.empty() && rows.empty(); }
};

}  // namespace sestina
