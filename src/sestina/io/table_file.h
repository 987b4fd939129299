// Tables of numbers over time, or over another number that increases, in CSV files: a header line of names,
// of which one is `t`, and a line of numbers for each instant. Lines that begin with `#` are skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sestina/io/model_file_reader.h"
#include "sestina/model/system.h"

namespace sestina {

struct TableData {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  // one for each name
};

// The independent column; its numbers have to increase.
struct TableKey {
  std::string_view name, meaning;
};
inline constexpr TableKey kTimeKey{"t", "time in s"};
inline constexpr TableKey kCurveKey{"s", "the curve's parameter"};

// Throws InputError with the faults of the text, each at its line and column.
TableData parse_table(const std::string& text, const std::string& file_name, const TableKey& key = kTimeKey);

// Fills `time` and `values` of the table from its file, whose path is relative to the context's directory.
// The paths are those of the keys `table` and `columns`, for faults.
void load_table(ReadContext& context, const NodePath& file_path, const NodePath& columns_path,
                TableSpec& table, const TableKey& key = kTimeKey);

}  // namespace sestina
