// Points: their positions and their motion.
//
// Positions form a tree. A velocity or acceleration that was not set follows from that of the nearest point
// of the tree where it was set, by differentiating the position between them. Throws InputError if two points
// are equally near and give different results, or if a position closes a loop inconsistently.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/vector.h"

namespace sestina::symbolic {

using PointIndex = std::uint32_t;

class Point {
 public:
  Point(Mechanics& mechanics, PointIndex index) : mechanics_(&mechanics), index_(index) {}

  Mechanics& mechanics() const { return *mechanics_; }
  PointIndex index() const { return index_; }
  const std::string& name() const;
  friend bool operator==(const Point&, const Point&) = default;

  // Returns a new point at this position from here.
  Point locatenew(std::string_view name, const Vector& position) const;
  // Sets the position of this point from `other`.
  void set_pos(const Point& other, const Vector& position) const;
  Vector pos_from(const Point& other) const;

  Vector vel(const ReferenceFrame& frame) const;
  void set_vel(const ReferenceFrame& frame, const Vector& velocity) const;
  Vector acc(const ReferenceFrame& frame) const;
  void set_acc(const ReferenceFrame& frame, const Vector& acceleration) const;

  // Each of these sets the result and returns it.
  // For this point and `other` fixed in `fixed`: v = v_other + w x r.
  Vector v2pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& fixed) const;
  // For this point moving in `in`, in which `other` is fixed: v = v_in + v_other + w x r.
  Vector v1pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& in) const;
  // a = a_other + alpha x r + w x (w x r).
  Vector a2pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& fixed) const;
  // ... + a_in + 2 w x v_in.
  Vector a1pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& in) const;

  std::vector<Vector> partial_velocity(const ReferenceFrame& frame, std::span<const Expression> speeds) const;

 private:
  Mechanics* mechanics_;
  PointIndex index_;
};

}  // namespace sestina::symbolic
