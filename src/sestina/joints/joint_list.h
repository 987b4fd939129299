// The joint types themselves. To add a joint, write its header, include it here and add a line to the list of
// joint_info.h; the law test takes the types from that list.
#pragma once

#include <type_traits>
#include <variant>

#include "sestina/joints/cylindrical.h"
#include "sestina/joints/free.h"
#include "sestina/joints/joint_info.h"
#include "sestina/joints/planar.h"
#include "sestina/joints/prismatic.h"
#include "sestina/joints/revolute.h"
#include "sestina/joints/screw.h"
#include "sestina/joints/spherical.h"
#include "sestina/joints/universal.h"
#include "sestina/joints/weld.h"
#include "sestina/joints/xyz.h"

namespace sestina {

// A joint of any type with its parameters; index() is the JointType.
#define SESTINA_AND(Joint) , Joint<T>
template <class T>
using AnyJoint = std::variant<Weld<T> SESTINA_FOR_EACH_MOVING_JOINT(SESTINA_AND)>;
#undef SESTINA_AND

// Calls f(joint) with the joint in its own type: one switch, which the compiler can inline through.
template <class T, class F>
decltype(auto) visit_joint(const AnyJoint<T>& joint, F&& f) {
  switch (static_cast<JointType>(joint.index())) {
#define SESTINA_CASE(Type) \
  case JointType::k##Type: \
    return f(*std::get_if<Type<T>>(&joint));
    SESTINA_FOR_EACH_JOINT(SESTINA_CASE)
#undef SESTINA_CASE
  }
  __builtin_unreachable();
}

// Sets the parameters that the type has; `axis` and `second_axis` must have unit length.
template <class T>
AnyJoint<T> make_joint(JointType type, const Vec3<T>& axis, const Vec3<T>& second_axis,
                       const JointNumbers<T>& numbers) {
  const auto fill = [&](auto joint) -> AnyJoint<T> {
    if constexpr (requires { joint.axis; }) joint.axis = axis;
    if constexpr (requires { joint.second_axis; }) joint.second_axis = second_axis;
    copy_joint_numbers(numbers, joint, [](const T& number) { return number; });
    return joint;
  };
  switch (type) {
#define SESTINA_CASE(Type) \
  case JointType::k##Type: \
    return fill(Type<T>{});
    SESTINA_FOR_EACH_JOINT(SESTINA_CASE)
#undef SESTINA_CASE
  }
  __builtin_unreachable();
}

#define SESTINA_CHECK(Type)                                                                                 \
  static_assert(JointFor<Type<double>, double>);                                                            \
  static_assert(std::is_same_v<                                                                             \
                std::variant_alternative_t<static_cast<std::size_t>(JointType::k##Type), AnyJoint<double>>, \
                Type<double>>);
SESTINA_FOR_EACH_JOINT(SESTINA_CHECK)
#undef SESTINA_CHECK

}  // namespace sestina
