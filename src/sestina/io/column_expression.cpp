#include "sestina/io/column_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <variant>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/tape.h"

namespace sestina {
namespace {

std::string explain_unknown(const ResultTable& table, std::string_view name) {
  return fmt::format("there is no column '{}'{}", name, suggestion(name, table.header().names()));
}

// Returns the unit of a sum of multiples of columns of one unit; otherwise empty.
std::string unit_of(const ResultTable& table, const Graph& graph, Expr expression) {
  // Units of the sub-expressions, operands first; none for a part without columns.
  std::unordered_map<std::uint32_t, std::string> units;
  for (const Expr node : graph.reachable(std::span(&expression, 1))) {
    const Op op = graph.op(node);
    if (op == Op::kSymbol && table.has_column(graph.name_of(node))) {
      units.emplace(node.id, table.unit(graph.name_of(node)));
    }
    for (const Expr operand : graph.operands(node)) {
      const auto of_operand = units.find(operand.id);
      if (of_operand == units.end()) continue;
      const auto [unit, is_first] = units.emplace(node.id, of_operand->second);
      const bool fits = op == Op::kSum ? unit->second == of_operand->second : op == Op::kProduct && is_first;
      if (!fits) unit->second.clear();
    }
  }
  const auto found = units.find(expression.id);
  return found == units.end() ? "" : found->second;
}

}  // namespace

CalculatedColumn calc_column(const ResultTable& table, const Graph& graph, Expr expression, std::string name,
                             ColumnConstants constants) {
  const std::vector<Expr> symbols = graph.free_symbols(expression);
  std::vector<double> inputs(symbols.size());
  std::vector<std::pair<std::size_t, std::size_t>> places;  // index in the inputs, index in the table
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::string& symbol = graph.name_of(symbols[i]);
    if (table.has_column(symbol)) {
      places.emplace_back(i, table.column_index(symbol));
      continue;
    }
    const auto constant = std::ranges::find(constants, symbol, &std::pair<std::string, double>::first);
    if (constant == constants.end()) throw InputError(explain_unknown(table, symbol));
    inputs[i] = constant->second;
  }
  CalculatedColumn result{{std::move(name), unit_of(table, graph, expression)}, {}};
  result.values.resize(table.rows());
  const Tape tape(graph, std::span(&expression, 1), symbols);
  std::vector<double> scratch(tape.scratch_size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (const auto& [input, column] : places) inputs[input] = table.at(row, column);
    tape.evaluate<double>(inputs, std::span(&result.values[row], 1), scratch);
  }
  return result;
}

CalculatedColumn calc_column(const ResultTable& table, const std::string& text) {
  Graph graph;
  try {
    const Expr expression = parse(graph, text, [&](std::string_view name) -> std::variant<Expr, std::string> {
      if (!table.has_column(name)) return explain_unknown(table, name);
      return graph.symbol(name);
    });
    return calc_column(table, graph, expression, text);
  } catch (const ExpressionError& error) {
    throw InputError(fmt::format("{} in '{}'", error.what(), text));
  }
}

bool may_be_expression(std::string_view text) {
  return text.find_first_of("+-*/^(") != std::string_view::npos;
}

bool is_expression(std::string_view text) {
  Graph graph;
  try {
    parse(graph, text, resolve_to_symbols(graph));
    return true;
  } catch (const ExpressionError&) {
    return false;
  }
}

ResultTable pick_columns(const ResultTable& table, std::span<const std::string> columns) {
  ResultHeader header = table.header();
  header.columns.clear();
  std::vector<std::vector<double>> values;
  for (const std::string& name : columns) {
    if (std::ranges::find(header.columns, name, &Column::name) != header.columns.end()) continue;
    if (table.has_column(name)) {
      header.columns.push_back({name, table.unit(name)});
      values.push_back(table.column(name));
    } else {
      CalculatedColumn calculated = calc_column(table, name);
      header.columns.push_back(std::move(calculated.column));
      values.push_back(std::move(calculated.values));
    }
  }
  ResultTable picked(std::move(header));
  std::vector<double> row(values.size());
  picked.reserve_rows(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = values[k][i];
    picked.append_row(row);
  }
  return picked;
}

}  // namespace sestina
