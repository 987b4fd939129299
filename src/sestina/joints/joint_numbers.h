// The table of the numbers that joints have besides their axes. A joint type has those that are its members.
//
// A line here and the member in the joint's header provide the key of the model file and its check, the
// attribute of JointSpec and of Joint in Python, and the transfer of the number to the joint as plain number,
// dual number or SIMD lanes. `tools/update_fields.py` writes the line into the schema and the reference of
// the model file.
#pragma once

#include "sestina/base/number_info.h"

// X(name, unit, allowed, explanation); a number that is not given is zero.
#define SESTINA_JOINT_NUMBERS(X) \
  X(pitch, "m/rad", kAny, "Of a screw: advance per angle, positive for a right-handed thread")

namespace sestina {

// One value for each number of the table.
template <class Value>
struct JointNumbers {
#define SESTINA_MEMBER(name, ...) Value name{};
  SESTINA_JOINT_NUMBERS(SESTINA_MEMBER)
#undef SESTINA_MEMBER
};

// Calls f(info, of) for each number; of(s) is the member of this name of any struct s.
template <class F>
void for_each_joint_number(F&& f) {
#define SESTINA_VISIT(name, unit, allowed, explanation)                   \
  f(                                                                      \
      NumberInfo{#name, unit, NumberInfo::Allowed::allowed, explanation}, \
      [](auto& s) -> auto& { return s.name; });
  SESTINA_JOINT_NUMBERS(SESTINA_VISIT)
#undef SESTINA_VISIT
}

// Copies the numbers that both structs have; `convert` turns a number of `from` into one of `to`.
template <class From, class To, class Convert>
void copy_joint_numbers(const From& from, To& to, Convert&& convert) {
#define SESTINA_COPY(name, ...)                         \
  if constexpr (                                        \
      requires { from.name; } && requires { to.name; }) \
    to.name = convert(from.name);
  SESTINA_JOINT_NUMBERS(SESTINA_COPY)
#undef SESTINA_COPY
}

}  // namespace sestina
