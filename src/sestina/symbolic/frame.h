// Reference frames and their orientation.
//
// Orientations form a tree; the direction cosines between any two frames are the product along the path
// between them. Angular velocities follow along the same paths, unless they are set. An orientation that
// closes a loop must agree with the known ones; a contradiction is an InputError, never a silent choice.
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
  // Rotation about an axis that is fixed in both frames, else InputError; it need not have unit length.
  void orient_axis(const ReferenceFrame& parent, const Vector& axis, const Expression& angle) const;
  // Successive rotations about axes of this frame; `order` is any of the twelve: "123", "313", "XYZ" ...
  void orient_body_fixed(const ReferenceFrame& parent, const Triple& angles, std::string_view order) const;
  // Successive rotations about axes of the parent.
  void orient_space_fixed(const ReferenceFrame& parent, const Triple& angles, std::string_view order) const;
  // Euler parameters e0 e1 e2 e3, scalar first, of norm one (checked if they are numbers).
  void orient_quaternion(const ReferenceFrame& parent, const std::array<Expression, 4>& e) const;
  // Direction cosines: column j holds axis j of this frame in parent axes. If they are numbers, they must
  // form a rotation.
  void orient_explicit(const ReferenceFrame& parent, const Matrix3& dcm) const;
  // Returns a new frame, rotated from this one about an axis.
  ReferenceFrame orientnew(std::string_view name, const Expression& angle, const Vector& axis) const;

  // Returns the direction cosines: v in these axes = dcm(other) * v in axes of `other`.
  Matrix3 dcm(const ReferenceFrame& other) const;

  // --- Motion ---
  Vector ang_vel_in(const ReferenceFrame& other) const;
  // Sets the angular velocity of this frame in `other` independently of the orientation: this introduces
  // generalised speeds. Throws InputError if it contradicts what is known without the rate of a
  // coordinate.
  void set_ang_vel(const ReferenceFrame& other, const Vector& value) const;
  Vector ang_acc_in(const ReferenceFrame& other) const;
  void set_ang_acc(const ReferenceFrame& other, const Vector& value) const;
  std::vector<Vector> partial_velocity(const ReferenceFrame& other, std::span<const Expression> speeds) const;

 private:
  Mechanics* mechanics_;
  FrameIndex index_;
};

// Returns equations that vanish: the angular velocity in the frame's own axes, with speeds u[0..2], minus
// that of angles and their rates. `order` as in orient_body_fixed and orient_space_fixed.
Triple kinematic_equations_body(Mechanics& mechanics, const Triple& speeds, const Triple& angles,
                                std::string_view order);
Triple kinematic_equations_space(Mechanics& mechanics, const Triple& speeds, const Triple& angles,
                                 std::string_view order);
// Returns the four equations of e' = 1/2 e (0, u).
std::array<Expression, 4> kinematic_equations_quaternion(Mechanics& mechanics, const Triple& speeds,
                                                         const std::array<Expression, 4>& e);

}  // namespace sestina::symbolic
