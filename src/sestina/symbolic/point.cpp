#include "sestina/symbolic/point.h"

#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/point_tree.h"

namespace sestina::symbolic {

const std::string& Point::name() const { return mechanics_->points().name(index_); }

Point Point::locatenew(std::string_view name, const Vector& position) const {
  const Point point = mechanics_->point(name);
  point.set_pos(*this, position);
  return point;
}

void Point::set_pos(const Point& other, const Vector& position) const {
  mechanics_->points().connect(other.index_, index_, position);
}

Vector Point::pos_from(const Point& other) const {
  return mechanics_->points().position(other.index_, index_);
}

Vector Point::vel(const ReferenceFrame& frame) const {
  return mechanics_->points().velocity(index_, frame.index());
}

void Point::set_vel(const ReferenceFrame& frame, const Vector& velocity) const {
  mechanics_->points().set_velocity(index_, frame.index(), velocity);
}

Vector Point::acc(const ReferenceFrame& frame) const {
  return mechanics_->points().acceleration(index_, frame.index());
}

void Point::set_acc(const ReferenceFrame& frame, const Vector& acceleration) const {
  mechanics_->points().set_acceleration(index_, frame.index(), acceleration);
}

Vector Point::v2pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& fixed) const {
  Vector v = other.vel(out) + fixed.ang_vel_in(out).cross(pos_from(other));
  set_vel(out, v);
  return v;
}

Vector Point::v1pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& in) const {
  Vector v = vel(in) + other.vel(out) + in.ang_vel_in(out).cross(pos_from(other));
  set_vel(out, v);
  return v;
}

Vector Point::a2pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& fixed) const {
  const Vector r = pos_from(other), w = fixed.ang_vel_in(out);
  Vector a = other.acc(out) + fixed.ang_acc_in(out).cross(r) + w.cross(w.cross(r));
  set_acc(out, a);
  return a;
}

Vector Point::a1pt_theory(const Point& other, const ReferenceFrame& out, const ReferenceFrame& in) const {
  const Vector r = pos_from(other), w = in.ang_vel_in(out), relative = vel(in);
  Vector a =
      acc(in) + 2 * w.cross(relative) + other.acc(out) + in.ang_acc_in(out).cross(r) + w.cross(w.cross(r));
  set_acc(out, a);
  return a;
}

std::vector<Vector> Point::partial_velocity(const ReferenceFrame& frame,
                                            std::span<const Expression> speeds) const {
  const Vector v = vel(frame);
  std::vector<Vector> partials;
  for (const Expression& u : speeds) partials.push_back(v.diff(u, frame));
  return partials;
}

}  // namespace sestina::symbolic
