// Replaces the page if the build found no esbuild or no three.js.
#include "studio/page.h"

namespace sestina::studio {

std::string_view page_text() { return {}; }

}  // namespace sestina::studio
