// The page of the studio as one text of HTML with its style and script; its sources are in page/.
#pragma once

#include <string_view>

namespace sestina::studio {

// Empty where the program was built without it (see CMakeLists.txt).
std::string_view page_text();

}  // namespace sestina::studio
