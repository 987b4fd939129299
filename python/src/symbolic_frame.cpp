// ReferenceFrame and Point.
#include "sestina/symbolic/frame.h"

#include <fmt/format.h>
#include <nanobind/stl/array.h>

#include <algorithm>
#include <functional>

#include "sestina/base/error.h"
#include "sestina/symbolic/point.h"
#include "symbolic.h"
#include "views.h"

namespace sestina::python {

using symbolic::Matrix;
using symbolic::Point;
using symbolic::ReferenceFrame;
using symbolic::Vector;
using V = Of<Vector>;
using Frame = Of<ReferenceFrame>;
using Place = Of<Point>;

namespace {

Frame make_frame(const Owner& owner, const std::string& name) {
  if (name.empty()) throw InputError("a reference frame needs a name");
  return {owner, owner->another_frame(name)};
}

Place make_point(const Owner& owner, const std::string& name) {
  if (name.empty()) throw InputError("a point needs a name");
  return {owner, owner->point(name)};
}

template <std::size_t n>
std::array<Expression, n> to_expressions(const char* what, nb::handle given, Owner& owner) {
  std::vector<Scalar> all;
  if (!nb::try_cast(given, all) || all.size() != n) {
    throw InputError(
        fmt::format("{}: {}; allowed are {} expressions", what, nb::cast<std::string>(nb::repr(given)), n));
  }
  owner = common_of(all, owner);
  std::array<Expression, n> expressions;
  for (std::size_t i = 0; i < n; ++i) expressions[i] = all[i].value;
  return expressions;
}

std::string to_order(nb::handle given) {
  const auto text = nb::cast<std::string>(nb::str(given));
  return text == "0" ? "" : text;
}

void orient_axis(const Frame& self, const Frame& parent, nb::handle a, nb::handle b) {
  // sympy has both (axis, angle) and (angle, axis).
  const bool is_vector_first = find_instance<V>(a) != nullptr;
  VectorLike axis;
  Scalar angle;
  if (!nb::detail::zero_or_caster<VectorLike, Vector>::from_python(is_vector_first ? a : b, axis) ||
      !to_scalar(is_vector_first ? b : a, angle)) {
    throw InputError("allowed are an axis, which is a vector, and an angle");
  }
  common(self, parent, axis, angle);
  self.value.orient_axis(parent.value, axis.value, angle.value);
}

void orient_body(const Frame& self, const Frame& parent, nb::handle angles, nb::handle order) {
  Owner owner = common(self, parent);
  self.value.orient_body_fixed(parent.value, to_expressions<3>("angles", angles, owner), to_order(order));
}

void orient_space(const Frame& self, const Frame& parent, nb::handle angles, nb::handle order) {
  Owner owner = common(self, parent);
  self.value.orient_space_fixed(parent.value, to_expressions<3>("angles", angles, owner), to_order(order));
}

void orient_quaternion(const Frame& self, const Frame& parent, nb::handle numbers) {
  Owner owner = common(self, parent);
  self.value.orient_quaternion(parent.value, to_expressions<4>("numbers", numbers, owner));
}

void orient_explicit(const Frame& self, const Frame& parent, const Of<Matrix>& dcm) {
  common(self, parent, dcm);
  if (dcm.value.rows() != 3 || dcm.value.columns() != 3) {
    throw InputError(
        fmt::format("dcm has the shape ({}, {}); allowed is (3, 3)", dcm.value.rows(), dcm.value.columns()));
  }
  symbolic::Matrix3 R;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) R[i][j] = dcm.value(i, j);
  }
  self.value.orient_explicit(parent.value, R);
}

void orient(const Frame& self, const Frame& parent, std::string type, nb::handle amounts, nb::handle order) {
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
  if (type == "axis") {
    nb::tuple pair;
    if (!nb::isinstance<nb::list>(amounts) && !nb::isinstance<nb::tuple>(amounts)) {
      throw InputError("amounts: allowed are an angle and an axis");
    }
    pair = nb::tuple(amounts);
    if (pair.size() != 2) throw InputError("amounts: allowed are an angle and an axis");
    return orient_axis(self, parent, pair[0], pair[1]);
  }
  if (type == "body") return orient_body(self, parent, amounts, order);
  if (type == "space") return orient_space(self, parent, amounts, order);
  if (type == "quaternion") return orient_quaternion(self, parent, amounts);
  if (type == "dcm") {
    const auto* dcm = find_instance<Of<Matrix>>(amounts);
    if (dcm == nullptr) throw InputError("amounts: allowed is a Matrix");
    return orient_explicit(self, parent, *dcm);
  }
  throw InputError(fmt::format(
      "'{}' is not a way to orient a frame; allowed are Axis, Body, Space, Quaternion and DCM", type));
}

std::vector<V> partials(const Owner& owner, const std::vector<Scalar>& speeds,
                        const std::function<std::vector<Vector>(const std::vector<Expression>&)>& calc) {
  check_symbols("speeds", speeds);
  return owned_all(owner, calc(values_of<Expression>(speeds)));
}

void bind_orientation(nb::class_<Frame>& type) {
  type.def("orient_axis", orient_axis, nb::arg("parent"), nb::arg("axis"), nb::arg("angle"),
           nb::sig("def orient_axis(self, parent: ReferenceFrame, axis: Vector, angle: Expression | float) "
                   "-> None"),
           "Orients this frame by a rotation from the parent about an axis fixed in both, of any length.")
      .def("orient_body_fixed", orient_body, nb::arg("parent"), nb::arg("angles"), nb::arg("rotation_order"),
           nb::sig("def orient_body_fixed(self, parent: ReferenceFrame, angles: "
                   "collections.abc.Sequence[Expression "
                   "| float], rotation_order: str | int) -> None"),
           "Orients this frame by three successive rotations about its own axes; order such as '123' or "
           "'ZXZ'.")
      .def("orient_space_fixed", orient_space, nb::arg("parent"), nb::arg("angles"),
           nb::arg("rotation_order"),
           nb::sig("def orient_space_fixed(self, parent: ReferenceFrame, angles: "
                   "collections.abc.Sequence[Expression "
                   "| float], rotation_order: str | int) -> None"),
           "Orients this frame by three successive rotations about axes of the parent.")
      .def("orient_quaternion", orient_quaternion, nb::arg("parent"), nb::arg("numbers"),
           nb::sig("def orient_quaternion(self, parent: ReferenceFrame, numbers: "
                   "collections.abc.Sequence[Expression | float]) -> None"),
           "Orients this frame by Euler parameters e0, e1, e2, e3, scalar first, of norm one.")
      .def("orient_explicit", orient_explicit, nb::arg("parent"), nb::arg("dcm"),
           "Orients this frame by direction cosines: column j is axis j of this frame in the axes of the "
           "parent.")
      .def(
          "orient", orient, nb::arg("parent"), nb::arg("rot_type"), nb::arg("amounts"),
          nb::arg("rot_order") = "",
          nb::sig(
              "def orient(self, parent: ReferenceFrame, rot_type: str, amounts: typing.Any, rot_order: str | "
              "int = '') -> None"),
          "'Axis' with [angle, axis], 'Body' and 'Space' with three angles and an order, 'Quaternion' with "
          "four\n"
          "numbers, 'DCM' with a matrix.")
      .def(
          "orientnew",
          [](const Frame& self, const std::string& name, const std::string& how, nb::handle amounts,
             nb::handle order) {
            Frame frame = make_frame(self.owner, name);
            orient(frame, self, how, amounts, order);
            return frame;
          },
          nb::arg("name"), nb::arg("rot_type"), nb::arg("amounts"), nb::arg("rot_order") = "",
          nb::sig("def orientnew(self, name: str, rot_type: str, amounts: typing.Any, rot_order: str | int = "
                  "'') -> "
                  "ReferenceFrame"),
          "A new frame, oriented relative to this one; see orient().")
      .def(
          "dcm",
          [](const Frame& self, const Frame& other) {
            const Owner owner = common(self, other);
            const symbolic::Matrix3 R = self.value.dcm(other.value);
            Matrix matrix(3, 3);
            for (std::size_t i = 0; i < 3; ++i) {
              for (std::size_t j = 0; j < 3; ++j) matrix(i, j) = R[i][j];
            }
            return owned(owner, std::move(matrix));
          },
          nb::arg("other"), "(3, 3) v in these axes is dcm(other) times v in the axes of `other`.");
}

void bind_rotation(nb::class_<Frame>& type) {
  type.def(
          "ang_vel_in",
          [](const Frame& self, const Frame& other) {
            return owned(common(self, other), self.value.ang_vel_in(other.value));
          },
          nb::arg("other"), "The angular velocity of this frame in another.")
      .def(
          "set_ang_vel",
          [](const Frame& self, const Frame& other, const VectorLike& value) {
            common(self, other, value);
            self.value.set_ang_vel(other.value, value.value);
          },
          nb::arg("other"), nb::arg("value"),
          "Sets the angular velocity, overriding the orientation: used to introduce generalised speeds.")
      .def(
          "ang_acc_in",
          [](const Frame& self, const Frame& other) {
            return owned(common(self, other), self.value.ang_acc_in(other.value));
          },
          nb::arg("other"), "The angular acceleration of this frame in another.")
      .def(
          "set_ang_acc",
          [](const Frame& self, const Frame& other, const VectorLike& value) {
            common(self, other, value);
            self.value.set_ang_acc(other.value, value.value);
          },
          nb::arg("other"), nb::arg("value"), "Sets the angular acceleration in another frame.")
      .def(
          "partial_velocity",
          [](const Frame& self, const Frame& other, const std::vector<Scalar>& speeds) {
            const Owner owner = common_of(speeds, common(self, other));
            return partials(owner, speeds, [&](const std::vector<Expression>& u) {
              return self.value.partial_velocity(other.value, u);
            });
          },
          nb::arg("frame"), nb::arg("speeds"), "The partial derivatives of the angular velocity by speeds.");
}

void bind_frame(nb::module_& module) {
  nb::class_<Frame> type(module, "ReferenceFrame", nb::type_slots(plain_described_slots),
                         "Three axes x, y, z that turn. Orientations form a tree; a loop must close.");
  type.def(
          "__init__",
          [](Frame* self, nb::handle name) {
            new (self) Frame(make_frame(current_mechanics(), to_name("ReferenceFrame", name)));
          },
          nb::arg("name"), nb::sig("def __init__(self, name: str) -> None"))
      .def_prop_ro("name", [](const Frame& self) { return self.value.name(); })
      .def(
          "__iter__",
          [](const Frame& self) {
            nb::list axes;
            for (const symbolic::Vector& axis : {self.value.x(), self.value.y(), self.value.z()}) {
              axes.append(nb::cast(owned(self.owner, axis)));
            }
            return nb::iter(axes);
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Vector]"))
      .def_prop_ro("x", [](const Frame& self) { return owned(self.owner, self.value.x()); })
      .def_prop_ro("y", [](const Frame& self) { return owned(self.owner, self.value.y()); })
      .def_prop_ro("z", [](const Frame& self) { return owned(self.owner, self.value.z()); })
      .def(
          "__eq__",
          [](const Frame& self, nb::handle other) {
            const auto* b = find_instance<Frame>(other);
            return b != nullptr && self.value == b->value;
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const Frame& self) {
             return static_cast<Py_hash_t>(std::hash<const void*>()(self.owner.get()) ^
                                           (self.value.index() * 31u));
           })
      .def("__repr__", [](const Frame& self) { return self.value.name(); });
  bind_orientation(type);
  bind_rotation(type);
}

// v2pt_theory and similar functions set the vector that they return.
using Theory = Vector (Point::*)(const Point&, const ReferenceFrame&, const ReferenceFrame&) const;

void bind_theory(nb::class_<Place>& type, const char* name, const char* frame, Theory theory,
                 const char* doc) {
  type.def(
      name,
      [theory](const Place& self, const Place& other, const Frame& out, const Frame& in) {
        return owned(common(self, other, out, in), (self.value.*theory)(other.value, out.value, in.value));
      },
      nb::arg("otherpoint"), nb::arg("outframe"), nb::arg(frame), doc);
}

void bind_motion(nb::class_<Place>& type) {
  const auto set = [](void (Point::*set_it)(const ReferenceFrame&, const Vector&) const) {
    return [set_it](const Place& self, const Frame& frame, const VectorLike& value) {
      common(self, frame, value);
      (self.value.*set_it)(frame.value, value.value);
    };
  };
  type.def(
          "vel",
          [](const Place& self, const Frame& frame) {
            return owned(common(self, frame), self.value.vel(frame.value));
          },
          nb::arg("frame"), "The velocity in a frame: as set, otherwise derived from positions.")
      .def("set_vel", set(&Point::set_vel), nb::arg("frame"), nb::arg("value"),
           "Sets the velocity in a frame; 0 is at rest.")
      .def(
          "acc",
          [](const Place& self, const Frame& frame) {
            return owned(common(self, frame), self.value.acc(frame.value));
          },
          nb::arg("frame"), "The acceleration in a frame.")
      .def("set_acc", set(&Point::set_acc), nb::arg("frame"), nb::arg("value"),
           "Sets the acceleration in a frame.")
      .def(
          "partial_velocity",
          [](const Place& self, const Frame& frame, const std::vector<Scalar>& speeds) {
            const Owner owner = common_of(speeds, common(self, frame));
            return partials(owner, speeds, [&](const std::vector<Expression>& u) {
              return self.value.partial_velocity(frame.value, u);
            });
          },
          nb::arg("frame"), nb::arg("speeds"), "The partial derivatives of the velocity by speeds.");
  bind_theory(type, "v2pt_theory", "fixedframe", &Point::v2pt_theory,
              "Sets and returns the velocity: both points are fixed in `fixedframe`, v = v_other + w x r.");
  bind_theory(type, "v1pt_theory", "interframe", &Point::v1pt_theory,
              "Sets and returns the velocity: this point moves in `interframe`, where the other is fixed,\n"
              "v = v_in + v_other + w x r.");
  bind_theory(type, "a2pt_theory", "fixedframe", &Point::a2pt_theory,
              "Sets and returns the acceleration: a = a_other + alpha x r + w x (w x r).");
  bind_theory(type, "a1pt_theory", "interframe", &Point::a1pt_theory,
              "Sets and returns the acceleration, with the additional terms a_in + 2 w x v_in.");
}

void bind_point(nb::module_& module) {
  nb::class_<Place> type(module, "Point", nb::type_slots(plain_described_slots),
                         "A point with its position and motion.");
  type.def(
          "__init__",
          [](Place* self, nb::handle name) {
            new (self) Place(make_point(current_mechanics(), to_name("Point", name)));
          },
          nb::arg("name"), nb::sig("def __init__(self, name: str) -> None"))
      .def_prop_ro("name", [](const Place& self) { return self.value.name(); })
      .def(
          "locatenew",
          [](const Place& self, const std::string& name, const VectorLike& position) {
            Place point = make_point(common(self, position), name);
            point.value.set_pos(self.value, position.value);
            return point;
          },
          nb::arg("name"), nb::arg("value"), "A new point at this vector (m) from here.")
      .def(
          "set_pos",
          [](const Place& self, const Place& other, const VectorLike& position) {
            common(self, other, position);
            self.value.set_pos(other.value, position.value);
          },
          nb::arg("otherpoint"), nb::arg("value"), "The vector from the other point to this one.")
      .def(
          "pos_from",
          [](const Place& self, const Place& other) {
            return owned(common(self, other), self.value.pos_from(other.value));
          },
          nb::arg("otherpoint"), "The vector from the other point to this one.")
      .def(
          "__eq__",
          [](const Place& self, nb::handle other) {
            const auto* b = find_instance<Place>(other);
            return b != nullptr && self.value == b->value;
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const Place& self) {
             return static_cast<Py_hash_t>(std::hash<const void*>()(self.owner.get()) ^
                                           (self.value.index() * 31u));
           })
      .def("__repr__", [](const Place& self) { return self.value.name(); });
  bind_motion(type);
}

}  // namespace

void bind_frames(nb::module_& module) {
  bind_frame(module);
  bind_point(module);
  module.def(
      "_kinematic_equations",
      [](const std::vector<Scalar>& speeds, const std::vector<Scalar>& q, const std::string& type,
         const std::string& order) {
        const Owner owner = common_of(q, common_of(speeds));
        const bool is_quaternion = type == "quaternion";
        if (speeds.size() != 3 || q.size() != (is_quaternion ? 4u : 3u)) {
          throw InputError(fmt::format("there are {} speeds and {} coordinates; allowed are 3 and {}",
                                       speeds.size(), q.size(), is_quaternion ? 4 : 3));
        }
        if (type != "body" && type != "space" && !is_quaternion) {
          throw InputError(fmt::format("'{}'; allowed are body, space and quaternion", type));
        }
        symbolic::Mechanics& mechanics = mechanics_of(owner);
        const symbolic::Triple u = {speeds[0].value, speeds[1].value, speeds[2].value};
        std::vector<Expression> equations;
        if (is_quaternion) {
          const auto all =
              kinematic_equations_quaternion(mechanics, u, {q[0].value, q[1].value, q[2].value, q[3].value});
          equations.assign(all.begin(), all.end());
        } else {
          const symbolic::Triple angles = {q[0].value, q[1].value, q[2].value};
          const auto all = type == "body" ? kinematic_equations_body(mechanics, u, angles, order)
                                          : kinematic_equations_space(mechanics, u, angles, order);
          equations.assign(all.begin(), all.end());
        }
        return owned_all(owner, equations);
      },
      nb::arg("speeds"), nb::arg("coords"), nb::arg("rot_type"), nb::arg("rot_order"));
}

}  // namespace sestina::python
