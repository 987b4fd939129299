// A joint of any type as plain data. Code that only stores, compares or converts a joint needs this header;
// code that evaluates it calls visit_joint() of joint_list.h, which knows the types themselves.
#pragma once

#include "sestina/joints/joint_info.h"
#include "sestina/spatial/spatial.h"

namespace sestina {

// The type of a joint and its parameters; those that the type does not have are ignored.
template <class T>
struct AnyJoint {
  JointType type = JointType::kWeld;
  Vec3<T> axis, second_axis;  // unit length; see the header of the type for the axes of their components
  JointNumbers<T> numbers;
};

}  // namespace sestina
