// Conversion between the coordinates of joints and those of floating bodies.
//
// A model in cartesian coordinates and its twin in relative ones (Model::relative) have the same bodies in
// the same order. The initial coordinates of a description, and the values that events set, are coordinates
// of joints; the twin handles them.
#pragma once

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/model/properties.h"

namespace sestina {

class CartesianCoordinates {
 public:
  // `model` is in cartesian coordinates and must outlive this object; `parameters` are the values to use for
  // its free parameters.
  CartesianCoordinates(const Model& model, std::span<const double> parameters);

  // Sets poses and velocities of the bodies from the coordinates and speeds of the joints.
  void to_cartesian(const State<double>& relative, State<double>& state);
  // `rows` belong to the state. The loops of the twin have the same errors as those of the state.
  void to_relative(const State<double>& state, const ConstraintRows<double>& rows,
                   State<double>& relative) const;

  const Model& relative() const { return *model_->relative(); }
  const Properties<double>& relative_properties() const { return properties_; }
  const Kinematics<double>& relative_kinematics() const { return kinematics_; }

 private:
  const Model* model_;
  Properties<double> properties_;
  Kinematics<double> kinematics_;
};

}  // namespace sestina
