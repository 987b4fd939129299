// Columns that are calculated from those of a result, row by row: "hip.q + knee.q".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sestina/expression/graph.h"
#include "sestina/io/result.h"

namespace sestina {

struct CalculatedColumn {
  Column column;  // its unit is that of the columns, for a sum of multiples of columns of one unit
  std::vector<double> values;  // (rows)
};

// Numbers for symbols that are not columns.
using ColumnConstants = std::span<const std::pair<std::string, double>>;

// The symbols of the expression are columns of the table, by name, or constants. Throws InputError for any
// other symbol, with the nearest column.
CalculatedColumn calc_column(const ResultTable& table, const Graph& graph, Expr expression, std::string name,
                             ColumnConstants constants = {});
// The column's name is the text. Also throws InputError if the text is not an expression.
CalculatedColumn calc_column(const ResultTable& table, const std::string& text);

// True if a text that is not a column's name is probably an expression: it has an operator or a bracket.
bool may_be_expression(std::string_view text);
// True if the text has the form of an expression.
bool is_expression(std::string_view text);

// Returns a table of these columns only, each once: columns by name, and expressions of columns.
ResultTable pick_columns(const ResultTable& table, std::span<const std::string> columns);

}  // namespace sestina
