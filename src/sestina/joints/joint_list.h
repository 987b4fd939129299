// The joint types themselves. To add a joint, write its header, include it here and add a line to the list of
// joint_info.h; the law test takes the types from that list.
#pragma once

#include "sestina/joints/any_joint.h"
#include "sestina/joints/cylindrical.h"
#include "sestina/joints/free.h"
#include "sestina/joints/planar.h"
#include "sestina/joints/prismatic.h"
#include "sestina/joints/revolute.h"
#include "sestina/joints/screw.h"
#include "sestina/joints/spherical.h"
#include "sestina/joints/universal.h"
#include "sestina/joints/weld.h"
#include "sestina/joints/xyz.h"

namespace sestina {

// Returns the joint in its own type, which must be the one that joint.type names.
template <class Joint, class T>
Joint typed_joint(const AnyJoint<T>& joint) {
  Joint typed;
  if constexpr (requires { typed.axis; }) typed.axis = joint.axis;
  if constexpr (requires { typed.second_axis; }) typed.second_axis = joint.second_axis;
  copy_joint_numbers(joint.numbers, typed, [](const T& number) { return number; });
  return typed;
}

// Calls f(joint) with the joint in its own type: one switch, which the compiler can inline through.
template <class T, class F>
decltype(auto) visit_joint(const AnyJoint<T>& joint, F&& f) {
  switch (joint.type) {
#define SESTINA_CASE(Type) \
  case JointType::k##Type: \
    return f(typed_joint<Type<T>>(joint));
    SESTINA_FOR_EACH_JOINT(SESTINA_CASE)
#undef SESTINA_CASE
  }
  __builtin_unreachable();
}

#define SESTINA_CHECK(Type) static_assert(JointFor<Type<double>, double>);
SESTINA_FOR_EACH_JOINT(SESTINA_CHECK)
#undef SESTINA_CHECK

}  // namespace sestina
