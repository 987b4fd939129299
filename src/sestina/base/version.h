// The version of sestina.
#pragma once

#include <string>

namespace sestina {

// Returns a version such as "0.1.0".
std::string version();

// Returns a description such as "clang 14.0.6, release".
std::string build_description();

}  // namespace sestina
