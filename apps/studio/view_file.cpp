#include "studio/view_file.h"

#include "sestina/base/error.h"
#include "sestina/scene/json_writer.h"
#include "studio/page.h"

namespace sestina::studio {

std::string make_view_page(const Scene& scene, const Motion& motion, const Provenance& provenance) {
  static constexpr std::string_view kMark = "<!--@data@-->";
  const std::string_view page = page_text();
  const std::size_t at = page.find(kMark);
  if (at == std::string_view::npos) {
    throw InputError(
        "this program was built without the page of the studio: esbuild or libjs-three was missing");
  }
  const std::vector<std::uint8_t> block = make_block(motion);
  std::string text(page.substr(0, at));
  text += R"(<script type="application/json" id="sestina-header">)";
  text += make_header(scene, motion, provenance);
  text += "</script>\n<script type=\"text/plain\" id=\"sestina-block\">";
  text += to_base64(block);
  text += "</script>";
  text += page.substr(at + kMark.size());
  return text;
}

}  // namespace sestina::studio
