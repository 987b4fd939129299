// The result of a run: named columns of numbers, and their provenance.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sestina {

struct Column {
  std::string name;  // `hip.q`, `energy.total`, `base.q[0]`
  std::string unit;  // `rad/s`; empty when not known, `1` for a pure number
};

struct ResultHeader {
  std::vector<Column> columns;
  std::string model_name;
  std::string model_text;                                       // the whole model file
  std::vector<std::pair<std::string, std::string>> provenance;  // program version, solver, date, ...

  std::vector<std::string> names() const;
  const std::string* first_repeated_name() const;  // null if all names differ
};

// A result in memory: a matrix (rows x columns), stored by rows.
class ResultTable {
 public:
  ResultTable() = default;
  explicit ResultTable(ResultHeader header) : header_(std::move(header)) {}

  const ResultHeader& header() const { return header_; }
  std::size_t rows() const { return header_.columns.empty() ? 0 : values_.size() / header_.columns.size(); }
  std::size_t columns() const { return header_.columns.size(); }

  bool has_column(std::string_view name) const;
  // Throws InputError with the nearest name if there is no such column.
  std::size_t column_index(std::string_view name) const;
  std::vector<double> column(std::string_view name) const;
  const std::string& unit(std::string_view name) const { return header_.columns[column_index(name)].unit; }

  double at(std::size_t row, std::size_t column) const { return values_[row * columns() + column]; }
  std::span<const double> row(std::size_t i) const { return {values_.data() + i * columns(), columns()}; }
  std::span<const double> values() const { return values_; }  // (rows x columns), by rows

  void reserve_rows(std::size_t rows) { values_.reserve(rows * columns()); }
  void append_row(std::span<const double> row);
  void append_rows(std::vector<double> values);  // (any number of rows x columns), by rows

  // Rows at the end that no checksum of the file covers: those of a run that was killed or has not ended.
  std::size_t unchecked_rows() const { return unchecked_rows_; }
  void set_unchecked_rows(std::size_t rows) { unchecked_rows_ = rows; }

 private:
  ResultHeader header_;
  std::vector<double> values_;
  std::size_t unchecked_rows_ = 0;
};

}  // namespace sestina
