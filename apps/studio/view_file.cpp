#include "studio/view_file.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/scene/json_writer.h"
#include "studio/page.h"

namespace sestina::studio {

std::string make_view_page(const Scene& scene, const Motion& motion, const Provenance& provenance,
                           const Ghost* ghost) {
  static constexpr std::string_view kMark = "<!--@data@-->";
  const std::string_view page = page_text();
  const std::size_t at = page.find(kMark);
  if (at == std::string_view::npos) {
    throw InputError(
        "this program was built without the page of the studio: esbuild or libjs-three was missing");
  }
  std::string text(page.substr(0, at));
  const auto add = [&](std::string_view id, const std::string& header, const Motion& own) {
    text += fmt::format(R"(<script type="application/json" id="{}-header">)", id);
    text += header;
    text += fmt::format("</script>\n<script type=\"text/plain\" id=\"{}-block\">", id);
    text += to_base64(make_block(own));
    text += "</script>";
  };
  add("sestina", make_header(scene, motion, provenance), motion);
  if (ghost != nullptr) add("sestina-ghost", ghost_message(*ghost), ghost->motion);
  text += page.substr(at + kMark.size());
  return text;
}

}  // namespace sestina::studio
