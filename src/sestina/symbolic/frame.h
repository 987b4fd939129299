// Reference frames and how they are oriented.
//
// Orientations form a tree; the direction cosines between any two frames are the product along the path
// between them. Angular velocities are known along the same paths, unless they are set. What closes a loop
// must agree with what is known already; a contradiction is an InputError, never a silent choice.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "sestina/symbolic/vector.h"

namespace sestina::symbolic {

class ReferenceFrame {
 public:
  ReferenceFrame(Mechanics& mechanics, FrameIndex index) : mechanics_(&mechanics), index_(index) {}

  Mechanics& mechanics() const { return *mechanics_; }
  FrameIndex index() const { return index_; }
  const std::string& name() const;
  friend bool operator==(const ReferenceFrame&, const ReferenceFrame&) = default;

  Vector x() const { return {*this, {1, 0, 0}}; }
  Vector y() const { return {*this, {0, 1, 0}}; }
  Vector z() const { return {*this, {0, 0, 1}}; }

  // --- Orientation of this frame in `parent` ---
  // Rotation about an axis that is fixed in both, else InputError; it needs no unit length.
  void orient_axis(const ReferenceFrame& parent, const Vector& axis, const Expression& angle) const;
  // Successive rotations about axes of this frame; the order is "123", "313", "XYZ" ... : any of the twelve.
  void orient_body_fixed(const ReferenceFrame& parent, const Triple& angles, std::string_view order) const;
  // Successive rotations about axes of the parent.
  void orient_space_fixed(const ReferenceFrame& parent, const Triple& angles, std::string_view order) const;
  // Euler parameters e0 e1 e2 e3, the scalar first, of norm one; of numbers that is checked.
  void orient_quaternion(const ReferenceFrame& parent, const std::array<Expression, 4>& e) const;
  // Direction cosines: column j holds axis j of this frame in parent axes. Of numbers it is checked that they
  // are a rotation.
  void orient_explicit(const ReferenceFrame& parent, const Matrix3& dcm) const;
  // A new frame, turned from this one about an axis.
  ReferenceFrame orientnew(std::string_view name, const Expression& angle, const Vector& axis) const;

  // v in these axes = dcm(other) * v in axes of `other`.
  Matrix3 dcm(const ReferenceFrame& other) const;

  // --- Motion ---
  Vector ang_vel_in(const ReferenceFrame& other) const;
  // From now on this is the angular velocity of this frame in `other`, whatever the orientation says: it
  // brings in generalised speeds. InputError where it contradicts what is known without any rate of a
  // coordinate.
  void set_ang_vel(const ReferenceFrame& other, const Vector& value) const;
  Vector ang_acc_in(const ReferenceFrame& other) const;
  void set_ang_acc(const ReferenceFrame& other, const Vector& value) const;
  std::vector<Vector> partial_velocity(const ReferenceFrame& other, std::span<const Expression> speeds) const;

 private:
  Mechanics* mechanics_;
  FrameIndex index_;
};

// Equations that vanish: the angular velocity in the frame's own axes, for speeds u[0..2], in terms of angles
// and their rates. `order` as in orient_body_fixed and orient_space_fixed.
Triple kinematic_equations_body(Mechanics& mechanics, const Triple& speeds, const Triple& angles,
                                std::string_view order);
Triple kinematic_equations_space(Mechanics& mechanics, const Triple& speeds, const Triple& angles,
                                 std::string_view order);
// e' = 1/2 e (0, u): four equations.
std::array<Expression, 4> kinematic_equations_quaternion(Mechanics& mechanics, const Triple& speeds,
                                                         const std::array<Expression, 4>& e);

}  // namespace sestina::symbolic
