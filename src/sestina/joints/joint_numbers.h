// The table of numbers that joints have beside their axes. A joint type has those that are its members.
//
// From a line here and the member in the joint's header follow: the key of the model file and its check, the
// attribute of JointSpec and of Joint in Python, and how the number reaches the joint, for plain numbers,
// dual numbers and SIMD lanes. `tools/update_fields.py` writes the line into the schema and the reference of
// the model file.
#pragma once

#include "sestina/base/number_info.h"

// X(name, unit, allowed, explanation); a number that is not given is zero.
#define SESTINA_JOINT_NUMBERS(X) \
  X(pitch, "m/rad", kAny, "Of a screw: advance per angle, positive for a right-handed thread")

namespace sestina {

// One value for each of them.
template <class Value>
struct JointNumbers {
#define SESTINA_MEMBER(name, ...) Value name{};
  SESTINA_JOINT_NUMBERS(SESTINA_MEMBER)
#undef SESTINA_MEMBER
};

// f(info, of) for each, where of(s) is the member of this name of any struct s.
template <class F>
void for_each_joint_number(F&& f) {
#define SESTINA_VISIT(name, unit, allowed, explanation)                   \
  f(                                                                      \
      NumberInfo{#name, unit, NumberInfo::Allowed::allowed, explanation}, \
      [](auto& s) -> auto& { return s.name; });
  SESTINA_JOINT_NUMBERS(SESTINA_VISIT)
#undef SESTINA_VISIT
}

// Those that both have; `convert` makes a number of `to` of one of `from`.
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
