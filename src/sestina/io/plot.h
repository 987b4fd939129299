// Plots of results for papers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sestina/io/result.h"

namespace sestina {

struct PlotOptions {
  // Names, with `*` for any letters, or expressions of columns: `hip.q + knee.q`. Empty: the first 8 joint
  // coordinates (`*.q`) and the energies.
  std::vector<std::string> columns;
  std::string x = "t";                // or an expression
  bool log_x = false, log_y = false;  // logarithmic axes; numbers that are not positive are left out
  std::string title;
  double width = 160;            // mm
  double height = 0;             // mm; 0: by the number of panels
  std::filesystem::path output;  // .png (300 dots per inch), .svg or .pdf
};

// Draws the columns over `x`, one panel for each unit, one above the other. The file appears when it is
// complete. Throws InputError for an unknown column, a suffix of no known format, or a path that cannot be
// written.
void plot_result(const ResultTable& table, const PlotOptions& options);

// Returns the names that match the patterns, each once, in the order of the patterns and then of the table;
// expressions are unchanged.
std::vector<std::string> select_columns(const ResultTable& table, const PlotOptions& options);

}  // namespace sestina
