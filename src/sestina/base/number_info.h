// The entry of a number in the tables (joints/joint_numbers.h, forces/force_numbers.h).
#pragma once

#include <string_view>

namespace sestina {

struct NumberInfo {
  enum class Allowed { kAny, kNotNegative, kPositive };

  std::string_view name;  // key of the model file, attribute in Python, member in C++
  std::string_view unit;
  Allowed allowed = Allowed::kAny;
  std::string_view explanation;  // one sentence, without the unit
};

}  // namespace sestina
