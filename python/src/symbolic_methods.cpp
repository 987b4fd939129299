// Bodies, loads, Kane's and Lagrange's methods.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <functional>

#include "sestina/base/error.h"
#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/lagrange.h"
#include "sestina/symbolic/linearize.h"
#include "sestina/symbolic/motion_equations.h"
#include "symbolic.h"
#include "views.h"

namespace sestina::python {

using symbolic::Body;
using symbolic::KanesMethod;
using symbolic::LagrangesMethod;
using symbolic::Load;
using symbolic::Matrix;
using symbolic::Particle;
using symbolic::Point;
using symbolic::ReferenceFrame;
using symbolic::RigidBody;
using V = Of<symbolic::Vector>;
using D = Of<symbolic::Dyadic>;
using M = Of<Matrix>;
using E = Of<Expression>;
using Frame = Of<ReferenceFrame>;
using Place = Of<Point>;

std::vector<Body> to_bodies(nb::handle given, Owner& owner) {
  std::vector<Body> bodies;
  if (given.is_none()) return bodies;
  for (nb::handle one : nb::iter(given)) {
    if (const auto* particle = find_instance<Of<Particle>>(one)) {
      join(owner, particle->owner);
      bodies.emplace_back(particle->value);
    } else if (const auto* body = find_instance<Of<RigidBody>>(one)) {
      join(owner, body->owner);
      bodies.emplace_back(body->value);
    } else {
      throw InputError(fmt::format("bodies: {} is neither a Particle nor a RigidBody",
                                   nb::cast<std::string>(nb::repr(one))));
    }
  }
  return bodies;
}

namespace {

// Pairs of a point and a force, or of a frame and a torque.
std::vector<Load> to_loads(nb::handle given, Owner& owner) {
  std::vector<Load> loads;
  if (given.is_none()) return loads;
  for (nb::handle one : nb::iter(given)) {
    VectorLike vector;
    const bool is_pair =
        PySequence_Check(one.ptr()) && nb::len(one) == 2 &&
        nb::detail::zero_or_caster<VectorLike, symbolic::Vector>::from_python(one[1], vector);
    const nb::object where = is_pair ? nb::object(one[0]) : nb::none();
    if (const auto* point = find_instance<Place>(where)) {
      join(owner, point->owner);
      loads.emplace_back(symbolic::Force{point->value, vector.value});
    } else if (const auto* frame = find_instance<Frame>(where)) {
      join(owner, frame->owner);
      loads.emplace_back(symbolic::Torque{frame->value, vector.value});
    } else {
      throw InputError(fmt::format("loads: {} is neither a point with a force nor a frame with a torque",
                                   nb::cast<std::string>(nb::repr(one))));
    }
    join(owner, vector.owner);
  }
  return loads;
}

template <class T>
void bind_common(nb::class_<Of<T>>& type) {
  using B = Of<T>;
  type.def_prop_ro("name", [](const B& self) { return self.value.name; })
      .def_prop_rw(
          "mass", [](const B& self) { return owned(self.owner, self.value.mass); },
          [](B& self, const Scalar& mass) {
            common(self, mass);
            self.value.mass = mass.value;
          },
          nb::for_setter(nb::sig("def mass(self, value: Expression | float, /) -> None")))
      .def_prop_rw(
          "potential_energy", [](const B& self) { return owned(self.owner, self.value.potential_energy); },
          [](B& self, const Scalar& energy) {
            common(self, energy);
            self.value.potential_energy = energy.value;
          },
          nb::for_setter(nb::sig("def potential_energy(self, value: Expression | float, /) -> None")))
      .def(
          "kinetic_energy",
          [](const B& self, const Frame& frame) {
            return owned(common(self, frame), self.value.kinetic_energy(frame.value));
          },
          nb::arg("frame"), "The kinetic energy, J, as seen from the frame.")
      .def(
          "linear_momentum",
          [](const B& self, const Frame& frame) {
            return owned(common(self, frame), self.value.linear_momentum(frame.value));
          },
          nb::arg("frame"), "kg m/s, as seen from the frame.")
      .def(
          "angular_momentum",
          [](const B& self, const Place& point, const Frame& frame) {
            return owned(common(self, point, frame), self.value.angular_momentum(point.value, frame.value));
          },
          nb::arg("point"), nb::arg("frame"), "kg m^2/s, about the point, as seen from the frame.")
      .def("__repr__", [](const B& self) { return self.value.name; });
}

void bind_particle(nb::module_& module) {
  nb::class_<Of<Particle>> particle(module, "Particle", nb::type_slots(plain_described_slots),
                                    "A mass at a point.");
  particle
      .def(
          "__init__",
          [](Of<Particle>* self, nb::handle name, nb::handle point, nb::handle mass) {
            const auto& at = to_argument<Place>("Particle", "point", point, "a Point");
            const Scalar of_mass = to_mass("Particle", mass);
            new (self)
                Of<Particle>{common(at, of_mass), {to_name("Particle", name), at.value, of_mass.value}};
          },
          nb::arg("name"), nb::arg("point"), nb::arg("mass"),
          nb::sig("def __init__(self, name: str, point: Point, mass: Expression | float) -> None"))
      .def_prop_ro("point", [](const Of<Particle>& self) { return owned(self.owner, self.value.point); });
  bind_common(particle);
}

void bind_rigid_body(nb::module_& module) {
  nb::class_<Of<RigidBody>> body(module, "RigidBody", nb::type_slots(plain_described_slots),
                                 "A body with a mass centre, a frame, a mass and an inertia.");
  body.def(
          "__init__",
          [](Of<RigidBody>* self, nb::handle name, nb::handle masscenter, nb::handle frame, nb::handle mass,
             nb::handle inertia) {
            constexpr const char* kWhere = "RigidBody";
            const auto& centre = to_argument<Place>(kWhere, "masscenter", masscenter, "a Point");
            const auto& axes = to_argument<Frame>(kWhere, "frame", frame, "a ReferenceFrame");
            const Scalar of_mass = to_mass(kWhere, mass);
            const bool is_sequence = PyTuple_Check(inertia.ptr()) || PyList_Check(inertia.ptr());
            DyadicLike moments;
            if (!is_sequence || nb::len(inertia) != 2 || !nb::try_cast(inertia[0], moments)) {
              refuse_argument(kWhere, "inertia", inertia, "a pair of a Dyadic and a Point");
            }
            const auto& about = to_argument<Place>(kWhere, "inertia[1]", inertia[1], "a Point");
            const Owner owner = common(centre, axes, of_mass, moments, about);
            new (self) Of<RigidBody>{
                owner,
                {to_name(kWhere, name), centre.value, axes.value, of_mass.value, moments.value, about.value}};
          },
          nb::arg("name"), nb::arg("masscenter"), nb::arg("frame"), nb::arg("mass"), nb::arg("inertia"),
          nb::sig("def __init__(self, name: str, masscenter: Point, frame: ReferenceFrame, mass: Expression "
                  "| float, "
                  "inertia: tuple[Dyadic, Point]) -> None"),
          "inertia: the dyadic, and the point about which it is taken.")
      .def_prop_ro("masscenter",
                   [](const Of<RigidBody>& self) { return owned(self.owner, self.value.masscenter); })
      .def_prop_ro("frame", [](const Of<RigidBody>& self) { return owned(self.owner, self.value.frame); })
      .def_prop_ro("inertia",
                   [](const Of<RigidBody>& self) {
                     return std::pair(owned(self.owner, self.value.inertia),
                                      owned(self.owner, self.value.inertia_point));
                   })
      .def_prop_ro(
          "central_inertia",
          [](const Of<RigidBody>& self) { return owned(self.owner, self.value.central_inertia()); },
          "The inertia about the mass centre.")
      .def(
          "parallel_axis",
          [](const Of<RigidBody>& self, const Place& point) {
            return owned(common(self, point), self.value.parallel_axis(point.value));
          },
          nb::arg("point"), "The inertia about another point.");
  bind_common(body);
}

void bind_body_functions(nb::module_& module) {
  module.def(
      "inertia",
      [](const Frame& frame, const Scalar& ixx, const Scalar& iyy, const Scalar& izz, const Scalar& ixy,
         const Scalar& iyz, const Scalar& izx) {
        return owned(
            common(frame, ixx, iyy, izz, ixy, iyz, izx),
            symbolic::inertia(frame.value, ixx.value, iyy.value, izz.value, ixy.value, iyz.value, izx.value));
      },
      nb::arg("frame"), nb::arg("ixx"), nb::arg("iyy"), nb::arg("izz"), nb::arg("ixy") = 0,
      nb::arg("iyz") = 0, nb::arg("izx") = 0,
      "A dyadic from moments and products of inertia, elements of the matrix: ixy = -integral of x y dm.");
  module.def(
      "inertia_of_point_mass",
      [](const Scalar& mass, const VectorLike& position, const Frame& frame) {
        return owned(common(mass, position, frame),
                     symbolic::inertia_of_point_mass(mass.value, position.value, frame.value));
      },
      nb::arg("mass"), nb::arg("pos_vec"), nb::arg("frame"), "m (r.r 1 - r r)");
  module.def("_kinetic_energy", [](const Frame& frame, nb::handle bodies) {
    Owner owner = frame.owner;
    const std::vector<Body> all = to_bodies(bodies, owner);
    return owned(owner, symbolic::kinetic_energy(frame.value, all));
  });
  module.def("_potential_energy", [](nb::handle bodies) {
    Owner owner;
    const std::vector<Body> all = to_bodies(bodies, owner);
    return owned(owner, symbolic::potential_energy(all));
  });
  module.def("_linear_momentum", [](const Frame& frame, nb::handle bodies) {
    Owner owner = frame.owner;
    const std::vector<Body> all = to_bodies(bodies, owner);
    return owned(owner, symbolic::linear_momentum(frame.value, all));
  });
  module.def("_angular_momentum", [](const Place& point, const Frame& frame, nb::handle bodies) {
    Owner owner = common(point, frame);
    const std::vector<Body> all = to_bodies(bodies, owner);
    return owned(owner, symbolic::angular_momentum(point.value, frame.value, all));
  });
  module.def("_center_of_mass", [](const Place& from, nb::handle bodies) {
    Owner owner = from.owner;
    const std::vector<Body> all = to_bodies(bodies, owner);
    if (all.empty()) throw InputError("there are no bodies, whose centre of mass this would be");
    return owned(owner, symbolic::center_of_mass(from.value, all));
  });
}

std::vector<Expression> expressions(const std::vector<Scalar>& given) { return values_of<Expression>(given); }

std::vector<std::pair<E, E>> pairs_of(const Owner& owner, const symbolic::Replacements& replacements) {
  std::vector<std::pair<E, E>> pairs;
  for (const auto& [from, to] : replacements) pairs.emplace_back(owned(owner, from), owned(owner, to));
  return pairs;
}

nb::tuple linearization(const Owner& owner, const symbolic::Linearization& one) {
  return nb::make_tuple(owned(owner, one.A), owned(owner, one.B), owned_all(owner, one.inputs),
                        owned_all(owner, one.states), owned(owner, one.C0), owned(owner, one.C1),
                        owned(owner, one.C2), owned(owner, one.D0), owned(owner, one.D1));
}

// A property that is a matrix, or a list as a column.
template <class T, class Member>
void def_matrix(nb::class_<Of<T>>& type, const char* name, Member member) {
  type.def_prop_ro(name, [member](const Of<T>& self) {
    return M{self.owner, Matrix(std::invoke(member, self.value))};
  });
}

void bind_kane(nb::module_& module) {
  using K = Of<KanesMethod>;
  nb::class_<K> type(module, "_Kane");
  type.def(
          "__init__",
          [](K* self, const Frame& frame, const std::vector<std::vector<Scalar>>& lists,
             bool explicit_kinematics, nb::handle bodies, nb::handle loads) {
            Owner owner = frame.owner;
            for (const auto& list : lists) owner = common_of(list, owner);
            const std::vector<Body> all_bodies = to_bodies(bodies, owner);
            const std::vector<Load> all_loads = to_loads(loads, owner);
            const auto list = [&](std::size_t i) { return expressions(lists.at(i)); };
            new (self) K{owner, KanesMethod(frame.value,
                                            {.q_ind = list(0),
                                             .u_ind = list(1),
                                             .kd_eqs = list(2),
                                             .q_dependent = list(3),
                                             .configuration_constraints = list(4),
                                             .u_dependent = list(5),
                                             .velocity_constraints = list(6),
                                             .acceleration_constraints = list(7),
                                             .u_auxiliary = list(8),
                                             .explicit_kinematics = explicit_kinematics},
                                            all_bodies, all_loads)};
          },
          nb::arg("frame"), nb::arg("lists"), nb::arg("explicit_kinematics"), nb::arg("bodies"),
          nb::arg("loads"))
      .def("kindiffdict", [](const K& self) { return pairs_of(self.owner, self.value.kindiffdict()); })
      .def("rhs",
           [](const K& self) {
             return M{self.owner, self.value.rhs()};
           })
      .def("motion", [](const K& self) { return owned(self.owner, symbolic::motion_equations(self.value)); })
      .def(
          "linearize",
          [](const K& self, nb::handle op_point) {
            Owner owner = self.owner;
            const symbolic::Replacements state = to_replacements(op_point, owner);
            return linearization(owner, symbolic::linearize(self.value, state));
          },
          nb::arg("op_point"),
          nb::sig("def linearize(self, op_point: typing.Any) -> "
                  "tuple[Matrix, Matrix, list[Expression], list[Expression], Matrix, Matrix, Matrix, Matrix, "
                  "Matrix]"));
  def_matrix(type, "q", &KanesMethod::q);
  def_matrix(type, "u", &KanesMethod::u);
  def_matrix(type, "fr", &KanesMethod::fr);
  def_matrix(type, "frstar", &KanesMethod::frstar);
  def_matrix(type, "mass_matrix", &KanesMethod::mass_matrix);
  def_matrix(type, "forcing", &KanesMethod::forcing);
  type.def(
      "set_explicit_kinematics",
      [](K& self, bool is_explicit) { self.value.set_explicit_kinematics(is_explicit); },
      nb::arg("is_explicit"));
  def_matrix(type, "mass_matrix_kin", &KanesMethod::mass_matrix_kin);
  def_matrix(type, "forcing_kin", &KanesMethod::forcing_kin);
  def_matrix(type, "mass_matrix_full", &KanesMethod::mass_matrix_full);
  def_matrix(type, "forcing_full", &KanesMethod::forcing_full);
  def_matrix(type, "auxiliary_eqs", &KanesMethod::auxiliary_eqs);
}

Of<LagrangesMethod> make_lagrange(const Scalar& lagrangian, const std::vector<Scalar>& q,
                                  nb::handle forcelist, const std::optional<Frame>& frame,
                                  const std::vector<Scalar>& hol_coneqs,
                                  const std::vector<Scalar>& nonhol_coneqs) {
  check_symbols("qs", q);
  Owner owner = common_of(nonhol_coneqs, common_of(hol_coneqs, common_of(q, lagrangian.owner)));
  if (frame) join(owner, frame->owner);
  const std::vector<Load> loads = to_loads(forcelist, owner);
  if (q.empty()) throw InputError("qs: there are no coordinates");
  symbolic::LagrangeOptions options{expressions(hol_coneqs), expressions(nonhol_coneqs), loads, {}};
  if (frame) options.frame = frame->value;
  return {owner, LagrangesMethod(*owner, lagrangian.value, expressions(q), std::move(options))};
}

void bind_lagrange(nb::module_& module) {
  using L = Of<LagrangesMethod>;
  nb::class_<L> type(module, "_Lagrange");
  type.def(
          "__init__",
          [](L* self, const Scalar& lagrangian, const std::vector<Scalar>& q, nb::handle forcelist,
             const std::optional<Frame>& frame, const std::vector<Scalar>& hol_coneqs,
             const std::vector<Scalar>& nonhol_coneqs) {
            new (self) L(make_lagrange(lagrangian, q, forcelist, frame, hol_coneqs, nonhol_coneqs));
          },
          nb::arg("lagrangian"), nb::arg("q"), nb::arg("forcelist").none(), nb::arg("frame").none(),
          nb::arg("hol_coneqs"), nb::arg("nonhol_coneqs"))
      .def("equations",
           [](const L& self) {
             return M{self.owner, self.value.equations()};
           })
      .def("motion",
           [](const L& self) {
             return owned(self.owner, symbolic::motion_equations(*self.owner, self.value));
           })
      .def("solve",
           [](const L& self) {
             const LagrangesMethod::Solution solution = self.value.solve();
             return std::pair(M{self.owner, solution.rhs}, M{self.owner, solution.multipliers});
           })
      .def(
          "linearize",
          [](const L& self, const std::vector<Scalar>& q_ind, const std::vector<Scalar>& qd_ind,
             nb::handle op_point) {
            Owner owner = common_of(qd_ind, common_of(q_ind, self.owner));
            const symbolic::Replacements state = to_replacements(op_point, owner);
            return linearization(owner, symbolic::linearize(*owner, self.value, expressions(q_ind),
                                                            expressions(qd_ind), state));
          },
          nb::arg("q_ind"), nb::arg("qd_ind"), nb::arg("op_point"),
          nb::sig("def linearize(self, q_ind: collections.abc.Sequence[Expression], qd_ind: "
                  "collections.abc.Sequence[Expression], op_point: typing.Any) -> tuple[Matrix, Matrix, "
                  "list[Expression], list[Expression], Matrix, Matrix, "
                  "Matrix, Matrix, Matrix]"));
  def_matrix(type, "q", &LagrangesMethod::q);
  def_matrix(type, "lam_vec", &LagrangesMethod::lam_vec);
  def_matrix(type, "mass_matrix", &LagrangesMethod::mass_matrix);
  def_matrix(type, "forcing", &LagrangesMethod::forcing);
  def_matrix(type, "lam_coeffs", &LagrangesMethod::lam_coeffs);
  def_matrix(type, "mass_matrix_full", &LagrangesMethod::mass_matrix_full);
  def_matrix(type, "forcing_full", &LagrangesMethod::forcing_full);
}

}  // namespace

void bind_symbolic_bodies(nb::module_& module) {
  bind_particle(module);
  bind_rigid_body(module);
  bind_body_functions(module);
}

void bind_methods(nb::module_& module) {
  nb::class_<Of<symbolic::MotionEquations>>(module, "_Motion")
      .def_prop_ro(
          "q", [](const Of<symbolic::MotionEquations>& self) { return owned_all(self.owner, self.value.q); });
  bind_kane(module);
  bind_lagrange(module);
}

}  // namespace sestina::python
