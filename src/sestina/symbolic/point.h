// Points: where they are and how they move.
//
// Positions form a tree. A velocity or acceleration that was not set follows from that of the nearest point
// of the tree for which it was, by differentiating the position between them. Where two points are equally
// near and give different answers, or a position closes a loop that does not close, that is an InputError.
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

  // A new point at this vector from here.
  Point locatenew(std::string_view name, const Vector& position) const;
  // From `other` to this point.
  void set_pos(const Point& other, const Vector& position) const;
  Vector pos_from(const Point& other) const;

  Vector vel(const ReferenceFrame& frame) const;
  void set_vel(const ReferenceFrame& frame, const Vector& velocity) const;
  Vector acc(const ReferenceFrame& frame) const;
  void set_acc(const ReferenceFrame& frame, const Vector& acceleration) const;

  // Both set the result and return it.
  // This point and `other` are fixed in `fixed`: v = v_other + w x r.
  Vector v2pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& fixed) const;
  // This point moves in `in`, where `other` is fixed: v = v_in + v_other + w x r.
  Vector v1pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& in) const;
  // a = a_other + alpha x r + w x (w x r)
  Vector a2pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& fixed) const;
  // ... + a_in + 2 w x v_in
  Vector a1pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& in) const;

  std::vector<Vector> partial_velocity(const ReferenceFrame& frame, std::span<const Expression> speeds) const;

 private:
  Mechanics* mechanics_;
  PointIndex index_;
};

}  // namespace sestina::symbolic
