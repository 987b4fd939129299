// Which sestina this is.
#pragma once

#include <string>

namespace sestina {

// "0.1.0"
std::string version();

// "clang 14.0.6, release"
std::string build_description();

}  // namespace sestina
