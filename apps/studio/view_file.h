// A motion as one self-contained file of HTML: `sestina view`.
#pragma once

#include <string>

#include "sestina/scene/scene_message.h"
#include "studio/replay.h"

namespace sestina::studio {

// Throws InputError if the program was built without the page.
std::string make_view_page(const Scene& scene, const Motion& motion, const Provenance& provenance,
                           const Ghost* ghost = nullptr);

}  // namespace sestina::studio
