#include "sestina/io/result.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"

namespace sestina {

std::vector<std::string> ResultHeader::names() const {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

const std::string* ResultHeader::first_repeated_name() const {
  std::unordered_set<std::string_view> seen;
  for (const Column& column : columns) {
    if (!seen.insert(column.name).second) return &column.name;
  }
  return nullptr;
}

bool ResultTable::has_column(std::string_view name) const {
  return std::any_of(header_.columns.begin(), header_.columns.end(),
                     [name](const Column& column) { return column.name == name; });
}

std::size_t ResultTable::column_index(std::string_view name) const {
  for (std::size_t i = 0; i < columns(); ++i) {
    if (header_.columns[i].name == name) return i;
  }
  throw InputError("unknown column '" + std::string(name) + "'" + suggestion(name, header_.names()));
}

std::vector<double> ResultTable::column(std::string_view name) const {
  const std::size_t index = column_index(name);
  std::vector<double> column(rows());
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = at(i, index);
  return column;
}

void ResultTable::append_row(std::span<const double> row) {
  assert(row.size() == columns());
  values_.insert(values_.end(), row.begin(), row.end());
}

void ResultTable::append_rows(std::vector<double> values) {
  assert(columns() > 0 && values.size() % columns() == 0);
  if (values_.empty()) {
    values_ = std::move(values);
  } else {
    values_.insert(values_.end(), values.begin(), values.end());
  }
}

}  // namespace sestina
