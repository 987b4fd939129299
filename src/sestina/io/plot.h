// A result as a figure for a paper.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sestina/io/result.h"

namespace sestina {

struct PlotOptions {
  // Names, of which `*` stands for any letters, or expressions of columns: `hip.q + knee.q`. Empty: the first
  // 8 joint coordinates (`*.q`) and the energies.
  std::vector<std::string> columns;
  std::string x = "t";  // or an expression
  std::string title;
  double width = 160;            // mm
  double height = 0;             // mm; 0: as the number of panels needs
  std::filesystem::path output;  // .png (300 dots per inch), .svg or .pdf
};

// Draws the columns over `x`, one panel per unit, the panels above each other. The file appears when it is
// complete. Throws InputError for an unknown column, a suffix that is no format, or a path that cannot be
// written.
void plot_result(const ResultTable& table, const PlotOptions& options);

// The names that the patterns stand for, each once, in the order of the patterns and then of the table;
// expressions as they are.
std::vector<std::string> select_columns(const ResultTable& table, const PlotOptions& options);

}  // namespace sestina
