// The page of the studio, which page/ has the sources of: one text of HTML with its style and script.
#pragma once

#include <string_view>

namespace sestina::studio {

// Empty where the program was built without it (see CMakeLists.txt).
std::string_view page_text();

}  // namespace sestina::studio
