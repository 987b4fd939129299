// The table of the numbers that force elements have, one for each element (not for each coordinate). An
// element has the numbers that are its members.
//
// A line here and the member in the element's header provide the key of the model file and its check, the
// attribute of ForceSpec and of Force in Python, and the transfer of the number to the element as plain
// number, dual number or SIMD lanes. `tools/update_fields.py` writes the line into the schema and the
// reference of the model file. Symbolic equations (derivation/model_layout.cpp) are written by hand and
// refuse a number that they do not know.
#pragma once

#include "sestina/base/number_info.h"

// X(name, unit, allowed, explanation); a number that is not given is zero.
#define SESTINA_FORCE_NUMBERS(X)                                                                             \
  X(free_length, "m", kNotNegative, "Of a spring_damper and a rope: length at which its spring is at rest")  \
  X(friction, "N m or N", kNotNegative,                                                                      \
    "Of coordinate_friction and sliding_force: the friction force of what moves")                            \
  X(creep_speed, "rad/s or m/s", kPositive,                                                                  \
    "Of coordinate_friction and sliding_force: speed below which it creeps, which friction of a "            \
    "sliding_force needs; not given: it sticks")                                                             \
  X(lower, "rad or m", kAny, "Of coordinate_friction and sliding_force: where the lower stop begins")        \
  X(upper, "rad or m", kAny, "Of coordinate_friction and sliding_force: where the upper stop begins")        \
  X(stop_stiffness, "N m/rad or N/m", kNotNegative,                                                          \
    "Of coordinate_friction and sliding_force: of both stops")                                               \
  X(stop_damping, "N m s/rad or N s/m", kNotNegative,                                                        \
    "Of coordinate_friction and sliding_force: of both stops")                                               \
  X(sigma0, "N m/rad or N/m", kPositive, "Of lugre_friction: stiffness of the bristles; required")           \
  X(sigma1, "N m s/rad or N s/m", kNotNegative, "Of lugre_friction: damping of the bristles")                \
  X(sigma2, "N m s/rad or N s/m", kNotNegative, "Of lugre_friction: viscous friction")                       \
  X(coulomb_friction, "N m or N", kPositive,                                                                 \
    "Of lugre_friction: at speeds far above stribeck_speed; required")                                       \
  X(static_friction, "N m or N", kPositive,                                                                  \
    "Of lugre_friction: the largest at rest, not below coulomb_friction; required")                          \
  X(stribeck_speed, "rad/s or m/s", kPositive,                                                               \
    "Of lugre_friction: speed at which friction falls to that of sliding; required")                         \
  X(strength, "N m^2", kAny, "Of gravity_between: gravitational constant times both masses")                 \
  X(radius, "m", kPositive, "Of belt_contact: of the pulley, to the axis of the cable; required")            \
  X(groove_radius, "m", kPositive,                                                                           \
    "Of belt_contact: of the groove's section, which keeps the cable in the middle; if not given, none")     \
  X(friction_coefficient, "1", kPositive, "Of belt_contact: Coulomb's; if not given, no friction")           \
  X(bristle_stiffness, "N/m^2", kPositive, "Of belt_contact: per length, before it slips")                   \
  X(bristle_damping, "N s/m^2", kPositive, "Of belt_contact: likewise")                                      \
  X(head_area, "m^2", kPositive, "Of hydraulic_actuator: piston area on the head side; required")            \
  X(rod_area, "m^2", kNotNegative, "Of hydraulic_actuator: piston area on the rod side, less the rod")       \
  X(retracted_length, "m", kNotNegative, "Of hydraulic_actuator: distance of the points at stroke 0")        \
  X(stroke, "m", kPositive, "Of hydraulic_actuator: the largest; required")                                  \
  X(head_volume, "m^3", kPositive, "Of hydraulic_actuator: hose and dead volume on the head side; required") \
  X(rod_volume, "m^3", kPositive, "Of hydraulic_actuator: the same on the rod side; required")               \
  X(bulk_modulus, "Pa", kPositive, "Of hydraulic_actuator: of oil and walls together; required")             \
  X(valve_flow, "m^3/(s Pa^0.5)", kNotNegative,                                                              \
    "Of hydraulic_actuator: flow through the open valve over the root of the pressure drop")                 \
  X(supply_pressure, "Pa", kAny, "Of hydraulic_actuator: of the pump")                                       \
  X(tank_pressure, "Pa", kAny, "Of hydraulic_actuator: of the tank")                                         \
  X(laminar_pressure, "Pa", kPositive,                                                                       \
    "Of hydraulic_actuator: pressure drop below which the valve's flow is laminar; if not given, 1000 Pa")   \
  X(leakage, "m^3/(s Pa)", kNotNegative, "Of hydraulic_actuator: past the piston")                           \
  X(initial_p1, "Pa", kAny, "Of hydraulic_actuator: pressure on the head side at the start")                 \
  X(initial_p2, "Pa", kAny, "Of hydraulic_actuator: pressure on the rod side at the start")

namespace sestina {

// One value for each number of the table.
template <class Value>
struct ForceNumbers {
#define SESTINA_MEMBER(name, ...) Value name{};
  SESTINA_FORCE_NUMBERS(SESTINA_MEMBER)
#undef SESTINA_MEMBER
};

// Calls f(info, of) for each number; of(s) is the member of this name of any struct s.
template <class F>
void for_each_force_number(F&& f) {
#define SESTINA_VISIT(name, unit, allowed, explanation)                   \
  f(                                                                      \
      NumberInfo{#name, unit, NumberInfo::Allowed::allowed, explanation}, \
      [](auto& s) -> auto& { return s.name; });
  SESTINA_FORCE_NUMBERS(SESTINA_VISIT)
#undef SESTINA_VISIT
}

// Copies the numbers that both structs have; `convert` turns a number of `from` into one of `to`.
template <class From, class To, class Convert>
void copy_force_numbers(const From& from, To& to, Convert&& convert) {
#define SESTINA_COPY(name, ...)                         \
  if constexpr (                                        \
      requires { from.name; } && requires { to.name; }) \
    to.name = convert(from.name);
  SESTINA_FORCE_NUMBERS(SESTINA_COPY)
#undef SESTINA_COPY
}

// Returns which numbers of the table an element has.
template <template <class> class Element>
ForceNumbers<bool> numbers_of_force() {
  ForceNumbers<bool> has;
#define SESTINA_HAS(name, ...) \
  has.name = requires(Element<double> element) { element.name; };
  SESTINA_FORCE_NUMBERS(SESTINA_HAS)
#undef SESTINA_HAS
  return has;
}

}  // namespace sestina
