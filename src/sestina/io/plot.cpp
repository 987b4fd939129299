#include "sestina/io/plot.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/io/column_expression.h"
#include "sestina/io/figure.h"
#include "sestina/io/output_file.h"
#include "sestina/io/plot_panel.h"
#include "sestina/io/plot_series.h"

namespace sestina {
namespace {

// All in mm; 1 point = 0.3528 mm.
constexpr double kTextSize = 8 * 0.3528;
constexpr double kTitleSize = 9.5 * 0.3528;
constexpr double kMargin = 2;  // around the page
constexpr double kGap = 1.2;   // between a text and its object
constexpr double kTickLength = 1;
constexpr double kPanelGap = 4;      // between panels without legends
constexpr double kSampleLength = 8;  // of the line in a legend
constexpr double kLegendRow = 4.2;
constexpr double kLegendSpace = 6;  // between the entries of a legend
constexpr double kLineHeight = 1.3 * kTextSize;
constexpr double kDigitHeight = 0.73 * kTextSize;
constexpr double kUsualPanelHeight = 42;
constexpr double kSmallestPanelHeight = 12;
constexpr double kSmallestPanelWidth = 20;
constexpr double kTickSpacingX = 15;
constexpr double kTickSpacingY = 8.5;
constexpr double kResolution = 1 / Figure::kDotsPerMillimetre;

constexpr Color kBlack{0, 0, 0};
constexpr Color kGrey{0.88, 0.88, 0.88};

// Okabe and Ito, "Color universal design" (2008), without the yellow that vanishes on white paper.
constexpr std::array<Color, 7> kColors = {{{0, 0.447, 0.698},
                                           {0.835, 0.369, 0},
                                           {0, 0.620, 0.451},
                                           {0.8, 0.475, 0.655},
                                           {0.902, 0.624, 0},
                                           {0.337, 0.706, 0.914},
                                           {0, 0, 0}}};

// Distinguishes curves in grey too. Their number and that of the colours have no common factor, so that 42
// curves differ.
constexpr std::array<double, 2> kDashed = {2.6, 0.7};
constexpr std::array<double, 4> kDashDotted = {3.2, 0.8, 0.6, 0.8};
constexpr std::array<double, 2> kDotted = {0.6, 0.6};
constexpr std::array<double, 2> kLongDashed = {4.8, 1.0};
constexpr std::array<double, 6> kDashDotDotted = {3.2, 0.7, 0.6, 0.7, 0.6, 0.7};
constexpr std::array<std::span<const double>, 6> kDashes = {
    {{}, kDashed, kDashDotted, kDotted, kLongDashed, kDashDotDotted}};

LineStyle curve_style(std::size_t i) {
  return {kColors[i % kColors.size()], 0.35, kDashes[i % kDashes.size()]};
}

FigureFormat format_of(const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (suffix == ".png") return FigureFormat::png;
  if (suffix == ".svg") return FigureFormat::svg;
  if (suffix == ".pdf") return FigureFormat::pdf;
  throw InputError("'" + path.string() + "' is not a figure: its name must end in .png, .svg or .pdf");
}

struct LegendEntry {
  std::size_t series = 0;
  std::size_t row = 0;
  double left = 0;  // mm from the panel's left side
};

// Arranges entries in rows above the panel; a single curve is named by the axis.
std::vector<LegendEntry> arrange_legend(const Figure& figure, const Panel& panel, double width) {
  std::vector<LegendEntry> entries;
  if (panel.series.size() < 2) return entries;
  // Columns of equal width align several rows as a table.
  double widest = 0;
  double total = -kLegendSpace;
  for (const Series& series : panel.series) {
    const double entry = kSampleLength + kGap + figure.text_width(series.name, kTextSize) + kLegendSpace;
    widest = std::max(widest, entry);
    total += entry;
  }
  const bool is_one_row = total <= width;
  const auto per_row = std::max<std::size_t>(1, static_cast<std::size_t>((width + kLegendSpace) / widest));
  double left = 0;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    if (is_one_row) {
      entries.push_back({i, 0, left});
      left += kSampleLength + kGap + figure.text_width(panel.series[i].name, kTextSize) + kLegendSpace;
    } else {
      entries.push_back({i, i / per_row, static_cast<double>(i % per_row) * widest});
    }
  }
  return entries;
}

double legend_height(const std::vector<LegendEntry>& legend) {
  return legend.empty() ? 0 : static_cast<double>(legend.back().row + 1) * kLegendRow + 0.7;
}

class Plot {
 public:
  Plot(const ResultTable& table, const PlotOptions& options)
      : options_(options),
        format_(format_of(options.output)),
        panels_(make_panels(table, select_columns(table, options), options.log_y)),
        axis_(make_horizontal_axis(table, options.x, options.log_x)),
        x_unit_(table.unit(options.x)) {
    lay_out();
  }

  std::string draw() {
    Figure figure(format_, options_.width, height_);
    if (!options_.title.empty()) {
      figure.draw_text({options_.width / 2, kMargin + 0.75 * kTitleSize}, options_.title, kTitleSize,
                       Anchor::middle);
    }
    for (std::size_t i = 0; i < panels_.size(); ++i) draw_panel(figure, i);
    draw_horizontal_axis(figure);
    return figure.finish(options_.title, description());
  }

 private:
  void lay_out();
  double place_panels(double panel_height);
  double usual_panel_height() const;
  bool is_path() const;
  void equalize_scales();
  void draw_panel(Figure& figure, std::size_t i) const;
  void draw_curves(Figure& figure, std::size_t i) const;
  void draw_legend(Figure& figure, std::size_t i) const;
  void draw_horizontal_axis(Figure& figure) const;
  std::string description() const;

  double page_x(double value) const {
    const double share = (value - axis_.range.low) / (axis_.range.high - axis_.range.low);
    return left_ + share * (right_ - left_);
  }
  static double page_y(const Panel& panel, const PageBox& box, double value) {
    const double share = (value - panel.range.low) / (panel.range.high - panel.range.low);
    return box.bottom - share * box.height();
  }

  const PlotOptions& options_;
  FigureFormat format_;
  std::vector<Panel> panels_;
  HorizontalAxis axis_;
  std::string x_unit_;
  std::vector<std::vector<LegendEntry>> legends_;
  std::vector<PageBox> boxes_;
  double height_ = 0;  // mm, like all that follow
  double left_ = 0;
  double right_ = 0;
  double label_center_ = 0;  // of the vertical axes' labels
};

// Panel widths depend on the tick labels, these on the panel heights, and these on the rows of the legends,
// which are computed with an approximate width.
void Plot::lay_out() {
  const Figure ruler(FigureFormat::svg, 10, 10);
  right_ = options_.width - kMargin - 2;
  left_ = kMargin + 16;
  for (const Panel& panel : panels_) legends_.push_back(arrange_legend(ruler, panel, right_ - left_));
  if (options_.height > 0) {
    const double fixed = place_panels(0);
    const double panel_height = (options_.height - fixed) / static_cast<double>(panels_.size());
    if (panel_height < kSmallestPanelHeight) {
      throw InputError("the height of the figure leaves its " + std::to_string(panels_.size()) +
                       " panels less than 12 mm each");
    }
    height_ = place_panels(panel_height);
  } else {
    height_ = place_panels(usual_panel_height());
  }
  double widest = 0;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    set_ticks(panels_[i], boxes_[i].height(), kTickSpacingY);
    for (std::size_t k = 0; k < panels_[i].ticks.values.size(); ++k) {
      widest = std::max(widest, ruler.text_width(panels_[i].ticks.label(k), kTextSize));
    }
  }
  label_center_ = kMargin + kLineHeight / 2;
  left_ = kMargin + kLineHeight + kGap + widest + kGap + kTickLength;
  set_ticks(axis_, x_unit_, right_ - left_, kTickSpacingX);
  if (!axis_.ticks.values.empty()) {  // the last label must stay on the page
    const std::size_t last = axis_.ticks.values.size() - 1;
    const double half = ruler.text_width(axis_.ticks.label(last), kTextSize) / 2;
    right_ = std::min(right_, options_.width - kMargin - half);
  }
  if (right_ - left_ < kSmallestPanelWidth) throw InputError("the figure is too narrow for its labels");
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    boxes_[i].left = left_;
    boxes_[i].right = right_;
    legends_[i] = arrange_legend(ruler, panels_[i], right_ - left_);
  }
  if (is_path()) equalize_scales();
}

// True if both axes have the same unit, as for a path in space: circles must then appear round.
bool Plot::is_path() const {
  const std::vector<double>& x = axis_.series.values;
  return panels_.size() == 1 && panels_.front().unit == x_unit_ && !std::is_sorted(x.begin(), x.end());
}

double Plot::usual_panel_height() const {
  if (panels_.size() > 1) return kUsualPanelHeight;
  const double width = right_ - left_;
  if (is_path())
    return std::clamp(width * panels_.front().range.width() / axis_.range.width(), width / 4, width);
  return 1.4 * kUsualPanelHeight;
}

void Plot::equalize_scales() {
  Panel& panel = panels_.front();
  const PageBox& box = boxes_.front();
  const double scale = std::max(axis_.range.width() / box.width(), panel.range.width() / box.height());
  axis_.range = axis_.range.widened_to(scale * box.width());
  panel.range = panel.range.widened_to(scale * box.height());
  set_ticks(axis_, x_unit_, box.width(), kTickSpacingX);
  set_ticks(panel, box.height(), kTickSpacingY);
}

// Returns the height of the page.
double Plot::place_panels(double panel_height) {
  boxes_.clear();
  double top = kMargin + (options_.title.empty() ? 0 : 1.8 * kTitleSize);
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const double legend = legend_height(legends_[i]);
    if (i > 0) top += legend > 0 ? 2.5 : kPanelGap;
    top += legend;
    boxes_.push_back({left_, top, right_, top + panel_height});
    top += panel_height;
  }
  return top + kTickLength + kGap + kLineHeight + kGap + kLineHeight + kMargin;
}

void Plot::draw_panel(Figure& figure, std::size_t i) const {
  const Panel& panel = panels_[i];
  const PageBox& box = boxes_[i];
  const LineStyle frame{kBlack, 0.2, {}};
  const LineStyle grid{kGrey, 0.15, {}};
  for (const double value : axis_.ticks.values) {
    const double x = page_x(value);
    figure.draw_line(std::array{PagePoint{x, box.top}, PagePoint{x, box.bottom}}, grid);
    figure.draw_line(std::array{PagePoint{x, box.bottom}, PagePoint{x, box.bottom + kTickLength}}, frame);
  }
  for (std::size_t k = 0; k < panel.ticks.values.size(); ++k) {
    const double y = page_y(panel, box, panel.ticks.values[k]);
    figure.draw_line(std::array{PagePoint{box.left, y}, PagePoint{box.right, y}}, grid);
    figure.draw_line(std::array{PagePoint{box.left - kTickLength, y}, PagePoint{box.left, y}}, frame);
    figure.draw_text({box.left - kTickLength - kGap, y + kDigitHeight / 2}, panel.ticks.label(k), kTextSize,
                     Anchor::end);
  }
  draw_curves(figure, i);
  figure.draw_box(box, frame);
  draw_legend(figure, i);
  // Prints a long label smaller instead of overlapping its neighbour.
  const double room = (box.height() + kPanelGap / 2) / figure.text_width(panel.label, kTextSize);
  const double size = kTextSize * std::clamp(room, 0.6, 1.0);
  const double middle = (box.top + box.bottom) / 2;
  figure.draw_text({label_center_ + kDigitHeight / 2, middle}, panel.label, size, Anchor::middle,
                   std::numbers::pi / 2);
}

void Plot::draw_curves(Figure& figure, std::size_t i) const {
  const Panel& panel = panels_[i];
  const PageBox& box = boxes_[i];
  std::vector<double> x = axis_.series.values;
  for (double& value : x) value = page_x(value);
  figure.clip_to(box);
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    std::vector<double> y = panel.series[k].values;
    for (double& value : y) value = page_y(panel, box, value);
    for (const std::vector<PagePoint>& stroke : thin_out(x, y, kResolution)) {
      figure.draw_line(stroke, curve_style(k));
    }
  }
  figure.unclip();
}

void Plot::draw_legend(Figure& figure, std::size_t i) const {
  const PageBox& box = boxes_[i];
  const double top = box.top - legend_height(legends_[i]);
  for (const LegendEntry& entry : legends_[i]) {
    const double x = box.left + entry.left;
    const double y = top + (static_cast<double>(entry.row) + 0.5) * kLegendRow;
    figure.draw_line(std::array{PagePoint{x, y}, PagePoint{x + kSampleLength, y}}, curve_style(entry.series));
    figure.draw_text({x + kSampleLength + kGap, y + kDigitHeight / 2}, panels_[i].series[entry.series].name,
                     kTextSize, Anchor::start);
  }
}

void Plot::draw_horizontal_axis(Figure& figure) const {
  const PageBox& box = boxes_.back();
  const double baseline = box.bottom + kTickLength + kGap + kDigitHeight;
  for (std::size_t k = 0; k < axis_.ticks.values.size(); ++k) {
    figure.draw_text({page_x(axis_.ticks.values[k]), baseline}, axis_.ticks.label(k), kTextSize,
                     Anchor::middle);
  }
  figure.draw_text({(left_ + right_) / 2, baseline + kGap + kLineHeight}, axis_.label, kTextSize,
                   Anchor::middle);
}

std::string Plot::description() const {
  std::string text;
  for (const Panel& panel : panels_) {
    for (const Series& series : panel.series) {
      text += (text.empty() ? "" : ", ") + series.name + " [" + panel.unit + "]";
    }
  }
  return text + " over " + axis_.series.name + " [" + x_unit_ + "]";
}

}  // namespace

void plot_result(const ResultTable& table, const PlotOptions& options) {
  if (table.rows() == 0) throw InputError("the result has no rows to plot");
  std::vector<std::string> columns = select_columns(table, options);
  if (columns.empty()) throw InputError("the result has no column to draw over '" + options.x + "'");
  if (!may_be_expression(options.x)) table.column_index(options.x);  // throws if there is no such column
  PlotOptions names = options;
  names.columns = columns;
  columns.push_back(options.x);
  if (std::ranges::all_of(columns, [&](const std::string& name) { return table.has_column(name); })) {
    write_whole_file(options.output, Plot(table, names).draw());
  } else {
    write_whole_file(options.output, Plot(pick_columns(table, columns), names).draw());
  }
}

}  // namespace sestina
