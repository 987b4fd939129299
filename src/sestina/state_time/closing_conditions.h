// The conditions that close loops and constrain bodies, in addition to those of the joints that carry bodies.
//
// A cut joint, a rod of constant length (distance) and a point on a line or a plane are conditions between
// two bodies of the same kinds as those of joint_conditions.h, so that they hold to round-off at the ends of
// elements. Every scalar condition is one row; a point that coincides with another has three kSlide rows, one
// along each axis of F. Other constraints are rows of the equations of motion (row_conditions.h).
//
// Conditions may depend on each other: of the five of a hinge that closes a plane four-bar, three are implied
// by the other joints. With all of them the equations would be singular, so that only independent ones are
// chosen. Let C (rows x nu) be the Jacobian of all conditions with respect to the joints' speeds at the start
// of a window, with rows of rotations multiplied by the mechanism's size. Householder's method with pivoting
// orders the rows; those with pivots below 1e-9 of the first are left out. A choice is kept as long as its
// least pivot is no less than a tenth of that of the best choice. A condition left out is implied by the
// others on the whole branch of the motion, unless the window starts in a singular position: then it would
// open, which is an error (largest_opening()).
#pragma once

#include <string>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/state_time/row_conditions.h"

namespace sestina {

// The loops and constraints of a model that have no state-time equations, at their places in the file.
FaultList find_conditions_without_equations(const Model& model, const Properties<double>& properties);

class ClosingConditions {
 public:
  // References must outlive this object. Throws InputError for the faults above.
  ClosingConditions(const Model& model, const Properties<double>& properties);

  bool empty() const { return count_ == 0; }
  int count() const { return count_; }  // of all scalar conditions

  // Chooses independent conditions at a state; true if the choice has changed. Keeps the previous choice if
  // fewer conditions are independent because the state is singular.
  bool choose(const State<double>& state);
  // Chooses all conditions, for the estimate of memory.
  void choose_all();
  // The conditions of the choice, numbered from `first` on.
  const ClosingChoice& chosen() const { return chosen_; }

  // Computes the multipliers of the chosen conditions from the last calc_udot. `multipliers` are those of all
  // joints of the model; reactions are taken to be those of closed joints.
  void find_multipliers(const ForwardDynamics& dynamics, std::span<double> multipliers) const;

  // The largest change of an error from one motion to another.
  struct Opening {
    double size = 0.0;  // m; rotations times the mechanism's size
    std::string name;   // of the joint or constraint
  };
  // Considers all conditions of joints and between points, chosen or not.
  Opening largest_opening(std::span<const BodyInstant> before, std::span<const BodyInstant> after) const;
  bool leaves_rows_out() const { return chosen_.rows.size() < rows_.size(); }
  // The largest error of the rows of the equations of motion that were left out, at their last update.
  Opening largest_error(const ConstraintRows<double>& rows) const;

 private:
  struct Source {
    std::string name;
    int cut_joint = -1;  // in Model::cut_joints(), or
    int row = -1;        // the constraint's first row, whose multiplier is sign times that here
    double sign = 1.0;
  };
  void add(JointConditions conditions, Source source);
  void add_cut_joint(std::size_t i);
  void add_constraints();
  void number_chosen();
  std::vector<double> calc_rates_by_speeds(const State<double>& state) const;  // C (count x nu), by rows

  const Model& model_;
  const Properties<double>& properties_;
  int first_ = 0;  // number of the conditions of the tree's joints
  int count_ = 0;
  std::vector<JointConditions> conditions_;  // numbered from 0
  std::vector<Source> sources_;              // of conditions_, and of those chosen
  std::vector<int> rows_;                    // of the model, which are the last conditions
  ClosingChoice chosen_;                     // numbered from first_
  std::vector<double> scales_;               // (count): m
  std::vector<bool> is_chosen_;              // (count)
  std::vector<int> originals_;               // number in conditions_ of every chosen one
};

}  // namespace sestina
