// A page for drawing, in millimetres from its upper left corner; y points down.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sestina {

struct PagePoint {
  double x = 0;  // mm
  double y = 0;  // mm
};

struct PageBox {
  double left = 0, top = 0, right = 0, bottom = 0;  // mm
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct Color {
  double red = 0, green = 0, blue = 0;  // 0 to 1
};

struct LineStyle {
  Color color;
  double width = 0.2;              // mm
  std::span<const double> dashes;  // mm, on and off alternately; empty: solid
};

enum class Anchor { start, middle, end };  // the end of a text that is at the given place

enum class FigureFormat { png, svg, pdf };

class Figure {
 public:
  static constexpr double kDotsPerMillimetre = 300 / 25.4;  // of a PNG

  Figure(FigureFormat format, double width, double height);  // mm; throws InputError when that is too large
  Figure(const Figure&) = delete;
  Figure& operator=(const Figure&) = delete;
  ~Figure();

  double width() const { return width_; }
  double height() const { return height_; }

  // Draws a line through the points; a single point is drawn as a dot.
  void draw_line(std::span<const PagePoint> points, const LineStyle& style);
  void draw_box(const PageBox& box, const LineStyle& style);
  // `at` is on the baseline; `angle` in radians, anticlockwise.
  void draw_text(PagePoint at, const std::string& text, double size, Anchor anchor, double angle = 0);
  double text_width(const std::string& text, double size) const;  // mm

  void clip_to(const PageBox& box);
  void unclip();

  // Returns the bytes of the file. `title` and `description` are stored if the format allows it; in SVG
  // letters are outlines, so that these keep it searchable.
  std::string finish(const std::string& title, const std::string& description);

 private:
  struct Canvas;
  double width_;
  double height_;
  FigureFormat format_;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace sestina
