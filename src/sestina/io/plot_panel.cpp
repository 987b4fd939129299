#include "sestina/io/plot_panel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/io/column_expression.h"

namespace sestina {
namespace {

constexpr std::size_t kMostCoordinates = 8;  // shown if no columns are chosen
constexpr double kLargest = 1e300;  // larger values are gaps, since the width of the axis must be finite

// `*` matches any letters. Only the last star takes more letters, since earlier ones have matched as soon as
// possible: at most pattern times name comparisons.
bool matches(std::string_view pattern, std::string_view name) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, n = 0, star = kNone, taken = 0;  // the star takes the name up to `taken`
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

std::vector<std::string> usual_columns(const ResultTable& table, const std::string& x) {
  std::vector<std::string> chosen;
  for (const std::string& name : table.header().names()) {
    const bool is_coordinate = matches("*.q", name) || matches("*.q[*]", name);
    if (is_coordinate && name != x && chosen.size() < kMostCoordinates) chosen.push_back(name);
  }
  for (const std::string& name : table.header().names()) {
    if (matches("energy.*", name)) chosen.push_back(name);
  }
  if (!chosen.empty()) return chosen;
  for (const std::string& name : table.header().names()) {
    if (name != x && chosen.size() < kMostCoordinates) chosen.push_back(name);
  }
  return chosen;
}

Series make_series(const ResultTable& table, const std::string& name) {
  Series series{name, table.column(name)};
  for (double& value : series.values) {
    if (!(std::abs(value) <= kLargest)) value = std::numeric_limits<double>::quiet_NaN();
  }
  return series;
}

// Whether the column is a magnitude of a frequency response.
bool is_magnitude(const std::string& name) {
  return matches("*.magnitude", name) || matches("*.magnitude[*]", name);
}

// A value without a logarithm becomes a gap.
void take_logarithms(std::vector<double>& values) {
  for (double& value : values) {
    value = value > 0.0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
  }
}

Range range_of(const std::vector<double>& values, Range range) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  return range;
}

constexpr Range kEmpty{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

Range axis_range(Range data, double margin) {
  return data.low <= data.high ? calc_axis_range(data, margin) : Range{0, 1};
}

// Returns "base.q" for "base.q[0]" and for "base.q (parameters.l=1)".
std::string_view without_index(std::string_view name) { return name.substr(0, name.find_first_of("[ ")); }

std::string_view last_word(std::string_view name) {
  name = without_index(name);
  return name.substr(name.rfind('.') + 1);
}

// Returns the leading words that all names share, "" if there are none.
std::string_view common_words(const std::vector<Series>& series) {
  std::string_view words = without_index(series.front().name);
  while (true) {
    const std::size_t dot = words.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view with_dot = words.substr(0, dot + 1);
    words = words.substr(0, dot);
    if (std::all_of(series.begin(), series.end(),
                    [with_dot](const Series& one) { return one.name.starts_with(with_dot); })) {
      return words;
    }
  }
}

template <class Part>
bool agree(const std::vector<Series>& series, Part part) {
  return std::all_of(series.begin(), series.end(),
                     [&](const Series& one) { return part(one.name) == part(series.front().name); });
}

int most_ticks(double length, double spacing) {
  return std::max(3, static_cast<int>(std::floor(length / spacing)) + 1);
}

}  // namespace

std::vector<std::string> select_columns(const ResultTable& table, const PlotOptions& options) {
  if (options.columns.empty()) return usual_columns(table, options.x);
  const std::vector<std::string> names = table.header().names();
  std::vector<std::string> chosen;
  FaultList faults;
  for (const std::string& pattern : options.columns) {
    const bool is_pattern = pattern.find('*') != std::string::npos;
    bool is_found = false;
    for (const std::string& name : names) {
      if (!matches(pattern, name)) continue;
      is_found = true;
      if (!is_pattern || name != options.x) add_once(chosen, name);
    }
    if (is_found) continue;
    std::string fault = is_pattern ? "no column matches '" + pattern + "'"
                                   : "unknown column '" + pattern + "'" + suggestion(pattern, names);
    if (is_pattern ? is_expression(pattern) : may_be_expression(pattern)) {
      try {
        calc_column(table, pattern);
        add_once(chosen, pattern);
        continue;
      } catch (const InputError& error) {
        fault = is_pattern ? fault + "; as an expression: " + error.what() : error.what();
      }
    }
    faults.add({}, fault);
  }
  faults.throw_if_any();
  return chosen;
}

std::vector<Panel> make_panels(const ResultTable& table, const std::vector<std::string>& columns,
                               bool log_y) {
  std::vector<Panel> panels;
  for (const std::string& name : columns) {
    const std::string& unit = table.unit(name);
    const bool is_logarithmic = log_y || is_magnitude(name);
    auto panel = std::find_if(panels.begin(), panels.end(), [&](const Panel& one) {
      return one.unit == unit && one.is_logarithmic == is_logarithmic;
    });
    if (panel == panels.end()) {
      panels.emplace_back();
      panel = panels.end() - 1;
      panel->unit = unit;
      panel->is_logarithmic = is_logarithmic;
    }
    panel->series.push_back(make_series(table, name));
    if (is_logarithmic) take_logarithms(panel->series.back().values);
  }
  for (Panel& panel : panels) {
    Range data = kEmpty;
    for (const Series& series : panel.series) data = range_of(series.values, data);
    panel.range = axis_range(data, 0.06);  // so that no curve touches the frame
  }
  return panels;
}

HorizontalAxis make_horizontal_axis(const ResultTable& table, const std::string& column, bool log_x) {
  HorizontalAxis axis;
  axis.series = make_series(table, column);
  const std::vector<std::string> names = table.header().names();
  axis.is_logarithmic = log_x || (column == "frequency" && std::ranges::any_of(names, is_magnitude));
  if (axis.is_logarithmic) take_logarithms(axis.series.values);
  const std::vector<double>& x = axis.series.values;
  // Time fills the width; a curve that turns back needs a margin.
  const double margin = std::is_sorted(x.begin(), x.end()) ? 0.0 : 0.04;
  axis.range = axis_range(range_of(x, kEmpty), margin);
  return axis;
}

void set_ticks(Panel& panel, double length, double spacing) {
  const auto calc = panel.is_logarithmic ? calc_logarithmic_ticks : calc_ticks;
  panel.ticks = calc(panel.range.low, panel.range.high, most_ticks(length, spacing));
  panel.label = axis_label(common_quantity(panel.series), panel.unit, panel.ticks);
}

void set_ticks(HorizontalAxis& axis, const std::string& unit, double length, double spacing) {
  const auto calc = axis.is_logarithmic ? calc_logarithmic_ticks : calc_ticks;
  axis.ticks = calc(axis.range.low, axis.range.high, most_ticks(length, spacing));
  axis.label = axis_label(axis.series.name, unit, axis.ticks);
}

std::string common_quantity(const std::vector<Series>& series) {
  if (series.size() == 1) return series.front().name;
  const std::string& name = series.front().name;
  if (agree(series, without_index)) return std::string(without_index(name));
  if (agree(series, last_word)) return std::string(last_word(name));
  return std::string(common_words(series));
}

}  // namespace sestina
