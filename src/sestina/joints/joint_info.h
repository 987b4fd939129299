// The list of joint types by name, and the properties of each type for code that needs no details: the model
// layer, readers and messages. The types themselves are in joint_list.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/joints/joint_numbers.h"

// X(Type) for every joint type that moves, and for every joint type.
#define SESTINA_FOR_EACH_MOVING_JOINT(X) \
  X(Revolute)                            \
  X(Prismatic)                           \
  X(Screw)                               \
  X(Cylindrical)                         \
  X(Universal)                           \
  X(Planar)                              \
  X(Xyz)                                 \
  X(Spherical)                           \
  X(Free)
#define SESTINA_FOR_EACH_JOINT(X) X(Weld) SESTINA_FOR_EACH_MOVING_JOINT(X)

namespace sestina {

enum class JointType {
#define SESTINA_ENUMERATOR(Type) k##Type,
  SESTINA_FOR_EACH_JOINT(SESTINA_ENUMERATOR)
#undef SESTINA_ENUMERATOR
};

struct JointInfo {
  std::string keyword;
  int nq = 0;
  int nu = 0;
  std::vector<std::string> q_units, u_units;
  bool has_axis = false;
  bool has_second_axis = false;
  JointNumbers<bool> numbers;       // the numbers that the type has
  int euler_parameters_start = -1;  // index of e0 within q, or -1
};

const JointInfo& joint_info(JointType type);
std::optional<JointType> joint_type_from_keyword(std::string_view keyword);
const std::vector<std::string>& joint_keywords();

}  // namespace sestina
