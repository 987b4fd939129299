#include "sestina/io/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "sestina/base/suggest.h"
#include "sestina/base/text.h"
#include "sestina/io/text_file.h"

namespace sestina {
namespace {

constexpr std::size_t kMaxTableBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxFaults = 20;  // of one file: in a table of another format every line has one
// Limit on the text of a cell in messages: enough to find it, but a user who names a file that is not a
// table, such as one of passwords, does not see its lines.
constexpr std::size_t kMostOfCell = 20;

std::string quoted(std::string_view cell) { return '\'' + shortened_text(cell, kMostOfCell) + '\''; }

struct Cell {
  std::string_view text;  // without blanks around it
  int column;             // from 1
};

std::vector<Cell> split_line(std::string_view line) {
  std::vector<Cell> cells;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t comma = line.find(',', begin);
    std::size_t first = begin;
    std::size_t last = std::min(comma, line.size());
    begin = last + 1;
    while (first < last && (line[first] == ' ' || line[first] == '\t')) ++first;
    while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
    cells.push_back({line.substr(first, last - first), static_cast<int>(first) + 1});
    if (comma == std::string::npos) return cells;
  }
}

class TableParser {
 public:
  TableParser(const std::string& file_name, const TableKey& key)
      : file_(std::make_shared<const std::string>(file_name)), key_(key) {}

  TableData parse(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // the byte order mark of some editors
    while (!text.empty() && faults_.size() < kMaxFaults) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line_;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (line.find_first_not_of(" \t") == std::string::npos || line.front() == '#') continue;
      if (!table_.names.empty()) {
        read_row(line);
        continue;
      }
      read_header(line);
      faults_.throw_if_any();  // the rest may be anything
    }
    if (table_.names.empty()) {
      fault(1, "the table is empty; it begins with a line of column names");
    } else if (faults_.empty() && table_.columns.front().empty()) {
      fault(1, "the table has column names but no numbers");
    }
    faults_.throw_if_any();
    return std::move(table_);
  }

 private:
  void fault(int column, std::string message) {
    faults_.add({{file_, std::max(line_, 1), column}, ""}, std::move(message));
  }

  void read_header(std::string_view line) {
    for (const Cell& cell : split_line(line)) {
      if (cell.text.empty()) fault(cell.column, "a column has no name");
      const auto& names = table_.names;
      if (std::find(names.begin(), names.end(), cell.text) != names.end()) {
        fault(cell.column, "two columns are named " + quoted(cell.text));
      }
      table_.names.emplace_back(cell.text);
    }
    table_.columns.resize(table_.names.size());
    const auto time = std::find(table_.names.begin(), table_.names.end(), key_.name);
    if (time == table_.names.end()) {
      const bool has_other = table_.names.size() == 1 && line.find_first_of(";\t") != std::string_view::npos;
      fault(1, fmt::format("the table has no column '{}' ({}){}", key_.name, key_.meaning,
                           has_other ? "; commas separate columns" : ""));
    }
    time_ = static_cast<std::size_t>(time - table_.names.begin());
  }

  void read_row(std::string_view line) {
    const std::vector<Cell> cells = split_line(line);
    if (cells.size() != table_.names.size()) {
      fault(1, "the line has " + std::to_string(cells.size()) + " columns, the header " +
                   std::to_string(table_.names.size()));
      return;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::optional<double> value = parse_plain_number(cells[i].text);
      if (!value || !std::isfinite(*value)) {
        fault(cells[i].column, quoted(cells[i].text) + " is not a finite number");
      }
      const double number = value.value_or(0.0);
      if (i == time_ && value && !table_.columns[i].empty() && !(number > table_.columns[i].back())) {
        fault(cells[i].column,
              fmt::format("{} does not increase: {} comes after a {} that is not smaller", key_.name,
                          shortened_text(cells[i].text, kMostOfCell), key_.name == "t" ? "time" : "value"));
      }
      table_.columns[i].push_back(number);
    }
  }

  std::shared_ptr<const std::string> file_;
  TableData table_;
  FaultList faults_;
  TableKey key_;
  std::size_t time_ = 0;  // the column of the key
  int line_ = 0;
};

}  // namespace

TableData parse_table(const std::string& text, const std::string& file_name, const TableKey& key) {
  check_utf8_text(text, file_name);
  return TableParser(file_name, key).parse(text);
}

void load_table(ReadContext& context, const NodePath& file_path, const NodePath& columns_path,
                TableSpec& table, const TableKey& key) {
  const std::filesystem::path file = context.directory / table.file.text;
  TableData data;
  try {
    if (std::error_code error;
        std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file)) {
      context.fault(table.file.mark, file_path, file.string() + " is not a file");
      return;
    }
    data = parse_table(read_text_file(file, kMaxTableBytes), file.string(), key);
  } catch (const InputError& error) {
    for (const Fault& fault : error.faults()) {
      // A file that cannot be read is a fault of the model file; a fault in the file keeps its place there.
      // Both name the key that refers to the file.
      const bool is_inside = fault.place.mark.line > 0;
      context.fault(is_inside ? fault.place.mark : table.file.mark, file_path,
                    is_inside ? fault.message : file.string() + " " + fault.message);
    }
    return;
  }
  const auto column = [&](std::string_view name) -> std::vector<double>* {
    const auto found = std::find(data.names.begin(), data.names.end(), name);
    return found == data.names.end() ? nullptr
                                     : &data.columns[static_cast<std::size_t>(found - data.names.begin())];
  };
  table.time = *column(key.name);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Name& name = table.columns[i];
    if (const std::vector<double>* values = column(name.text)) {
      table.values.push_back(*values);
    } else if (!name.empty()) {
      context.fault(name.mark, columns_path / static_cast<int>(i),
                    "the table " + file.string() + " has no column '" + printable(name.text) + "'" +
                        suggestion(name.text, data.names));
    }
  }
}

}  // namespace sestina
