// A motion as one file of HTML, which needs nothing else: `sestina view`.
#pragma once

#include <string>

#include "sestina/scene/scene_message.h"

namespace sestina::studio {

// Throws InputError where the program was built without the page.
std::string make_view_page(const Scene& scene, const Motion& motion, const Provenance& provenance);

}  // namespace sestina::studio
