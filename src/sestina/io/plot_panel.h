// The contents of a figure before its layout: columns, panels and labels.
#pragma once

#include <string>
#include <vector>

#include "sestina/io/plot.h"
#include "sestina/io/plot_ticks.h"

namespace sestina {

struct Series {
  std::string name;
  std::vector<double> values;
};

// The series of one unit, which share a y axis. Magnitudes of a frequency response have a logarithmic one.
struct Panel {
  std::string unit;
  bool is_logarithmic = false;  // values and range are then logarithms (base 10)
  std::vector<Series> series;
  Range range;
  Ticks ticks;
  std::string label;
};

struct HorizontalAxis {
  bool is_logarithmic = false;
  Series series;
  Range range;
  Ticks ticks;
  std::string label;
};

// Returns the panels in the order of the first columns of their units; ranges are set, ticks and labels not.
std::vector<Panel> make_panels(const ResultTable& table, const std::vector<std::string>& columns,
                               bool log_y = false);
HorizontalAxis make_horizontal_axis(const ResultTable& table, const std::string& column, bool log_x = false);

// Sets ticks at least `spacing` apart on an axis of that length (mm), and the corresponding label.
void set_ticks(Panel& panel, double length, double spacing);
void set_ticks(HorizontalAxis& axis, const std::string& unit, double length, double spacing);

// Returns the common part of the names: "q" for hip.q and knee.q, "energy" for energy.kinetic and
// energy.total, "upper.origin" for upper.origin.x and upper.origin.y.
std::string common_quantity(const std::vector<Series>& series);

}  // namespace sestina
