// The message with which a call is refused.
#pragma once

#include <string>

#include "sestina/base/error.h"

namespace sestina::testing_support {

inline constexpr const char* kNothingThrown = "(nothing was thrown)";

// The message of the Error that `call` throws, or kNothingThrown. An exception of another kind passes.
template <class Error = InputError, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return kNothingThrown;
}

}  // namespace sestina::testing_support
