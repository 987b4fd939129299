#include "sestina/io/figure.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <cmath>
#include <stdexcept>

#include "sestina/base/error.h"

namespace sestina {
namespace {

constexpr double kPointsPerMillimetre = 72 / 25.4;
constexpr double kLargestSide = 2000;  // mm; such a PNG has 24,000 dots

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cannot draw the figure: ") + cairo_status_to_string(status));
  }
}

std::string escape_xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

struct Figure::Canvas {
  Canvas(FigureFormat format, double width, double height) {
    const double points = kPointsPerMillimetre;
    const double dots = kDotsPerMillimetre;
    switch (format) {
      case FigureFormat::png:
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(width * dots)),
                                             static_cast<int>(std::lround(height * dots)));
        break;
      case FigureFormat::svg:
        surface = cairo_svg_surface_create_for_stream(append, &bytes, width * points, height * points);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
        break;
      case FigureFormat::pdf:
        surface = cairo_pdf_surface_create_for_stream(append, &bytes, width * points, height * points);
        break;
    }
    context = cairo_create(surface);
    const double scale = format == FigureFormat::png ? dots : points;
    cairo_scale(context, scale, scale);
    cairo_set_source_rgb(context, 1, 1, 1);
    cairo_paint(context);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    // Without hinting, so that all formats look alike.
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(context, options);
    cairo_font_options_destroy(options);
  }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  ~Canvas() {
    cairo_destroy(context);
    cairo_surface_destroy(surface);
  }

  void set_style(const LineStyle& style) {
    cairo_set_source_rgb(context, style.color.red, style.color.green, style.color.blue);
    cairo_set_line_width(context, style.width);
    cairo_set_dash(context, style.dashes.data(), static_cast<int>(style.dashes.size()), 0);
    cairo_set_line_cap(context, style.dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  }

  std::string bytes;  // outlives the surface, which appends to it
  cairo_surface_t* surface = nullptr;
  cairo_t* context = nullptr;
};

Figure::Figure(FigureFormat format, double width, double height)
    : width_(width), height_(height), format_(format) {
  if (!(width > 0 && width <= kLargestSide && height > 0 && height <= kLargestSide)) {
    throw InputError("a figure of " + std::to_string(width) + " mm x " + std::to_string(height) +
                     " mm cannot be drawn: each side must be larger than 0 and at most 2000 mm");
  }
  canvas_ = std::make_unique<Canvas>(format, width, height);
  check(cairo_status(canvas_->context));
}

Figure::~Figure() = default;

void Figure::draw_line(std::span<const PagePoint> points, const LineStyle& style) {
  if (points.empty()) return;
  canvas_->set_style(style);
  cairo_t* context = canvas_->context;
  if (points.size() == 1) {
    cairo_arc(context, points[0].x, points[0].y, 1.5 * style.width, 0, 6.3);
    cairo_fill(context);
    return;
  }
  cairo_move_to(context, points[0].x, points[0].y);
  for (const PagePoint& point : points.subspan(1)) cairo_line_to(context, point.x, point.y);
  cairo_stroke(context);
}

void Figure::draw_box(const PageBox& box, const LineStyle& style) {
  canvas_->set_style(style);
  cairo_rectangle(canvas_->context, box.left, box.top, box.width(), box.height());
  cairo_stroke(canvas_->context);
}

void Figure::draw_text(PagePoint at, const std::string& text, double size, Anchor anchor, double angle) {
  cairo_t* context = canvas_->context;
  const double width = text_width(text, size);
  const double shift = anchor == Anchor::start ? 0 : anchor == Anchor::middle ? width / 2 : width;
  cairo_save(context);
  cairo_translate(context, at.x, at.y);
  cairo_rotate(context, -angle);
  cairo_move_to(context, -shift, 0);
  cairo_set_source_rgb(context, 0, 0, 0);
  cairo_show_text(context, text.c_str());
  cairo_restore(context);
}

double Figure::text_width(const std::string& text, double size) const {
  cairo_set_font_size(canvas_->context, size);
  cairo_text_extents_t extents;
  cairo_text_extents(canvas_->context, text.c_str(), &extents);
  return extents.x_advance;
}

void Figure::clip_to(const PageBox& box) {
  cairo_save(canvas_->context);
  cairo_rectangle(canvas_->context, box.left, box.top, box.width(), box.height());
  cairo_clip(canvas_->context);
}

void Figure::unclip() { cairo_restore(canvas_->context); }

std::string Figure::finish(const std::string& title, const std::string& description) {
  std::string& bytes = canvas_->bytes;
  cairo_surface_t* surface = canvas_->surface;
  check(cairo_status(canvas_->context));
  if (format_ == FigureFormat::pdf) {
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title.c_str());
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, description.c_str());
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "sestina");
  }
  if (format_ == FigureFormat::png) check(cairo_surface_write_to_png_stream(surface, append, &bytes));
  cairo_surface_finish(surface);
  check(cairo_surface_status(surface));
  if (format_ == FigureFormat::svg) {
    const std::size_t root = bytes.find('>', bytes.find("<svg"));
    bytes.insert(root + 1,
                 "\n<title>" + escape_xml(title) + "</title>\n<desc>" + escape_xml(description) + "</desc>");
  }
  return bytes;
}

}  // namespace sestina
