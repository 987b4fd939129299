#include "sestina/io/csv_reader.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>

#include "sestina/base/error.h"
#include "sestina/base/text.h"
#include "sestina/io/checksum.h"

namespace sestina {
namespace {

constexpr std::string_view kSignature = "# sestina result";
constexpr std::size_t kMostFaults = 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.emplace_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// from_chars rejects subnormal numbers, strtod does not.
bool is_out_of_range(std::errc error, std::string_view field, double& value) {
  if (error != std::errc::result_out_of_range) return false;
  value = std::strtod(std::string(field).c_str(), nullptr);
  return true;
}

class CsvReader {
 public:
  CsvReader(const std::filesystem::path& path, std::string_view text)
      : file_(std::make_shared<const std::string>(path.string())), text_(text) {}

  ResultTable read() {
    const bool is_ours = text_.starts_with(kSignature);
    // A run that was killed while writing leaves an incomplete line.
    if (is_ours) text_ = text_.substr(0, text_.rfind('\n') + 1);
    while (!text_.empty() && faults_.size() < kMostFaults) read_line(next_line());
    if (header_.columns.empty()) add_fault(1, "there is no line of column names");
    faults_.throw_if_any();
    ResultTable table(std::move(header_));
    table.append_rows(std::move(values_));
    if (is_ours) table.set_unchecked_rows(table.rows() - checked_values_ / table.columns());
    return table;
  }

 private:
  std::string_view next_line() {
    const std::size_t end = text_.find('\n');
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    ++line_;
    return line;
  }

  void read_line(std::string_view line) {
    if (line.starts_with(LineChecksum::kMark)) return check_lines(line.substr(LineChecksum::kMark.size()));
    lines_.add(line);
    if (trimmed(line).empty()) return;
    const bool is_text = line.front() == '#' || header_.columns.empty();
    if (is_text && !check_utf8(line)) return;
    if (line.front() == '#') {
      read_comment(trimmed(line.substr(1)));
    } else if (header_.columns.empty()) {
      read_names(line);
    } else {
      read_row(line);
    }
  }

  bool check_utf8(std::string_view line) {
    for (std::size_t i = 0; i < line.size();) {
      const std::size_t length = utf8_length(line.substr(i));
      if (length == 0) {
        add_fault(static_cast<int>(i) + 1,
                  "the byte " + escape_controls(line.substr(i, 1)) + " is not UTF-8");
        return false;
      }
      i += length;
    }
    return true;
  }

  void check_lines(std::string_view stated) {
    if (trimmed(stated) != lines_.text()) {
      add_fault(1, "the lines from " + std::to_string(first_line_) +
                       " to here are damaged or were changed: their checksum is " + lines_.text() +
                       "; without this line they are read as they are");
    }
    first_line_ = line_ + 1;
    lines_ = {};
    checked_values_ = values_.size();
  }

  void read_comment(std::string_view comment) {
    const std::size_t colon = comment.find(": ");
    if (colon == std::string_view::npos) return;
    const std::string_view key = comment.substr(0, colon);
    const std::string_view value = trimmed(comment.substr(colon + 1));
    if (key == "units") {
      units_ = split(value);
    } else if (key == "model") {
      header_.model_name = value;
    } else {
      header_.provenance.emplace_back(key, value);
    }
  }

  void read_names(std::string_view line) {
    for (std::string& name : split(line)) header_.columns.push_back({std::move(name), ""});
    if (const std::string* name = header_.first_repeated_name()) {
      add_fault(1, "two columns are named '" + *name + "'");
    }
    if (units_.empty()) return;
    if (units_.size() != header_.columns.size()) {
      add_fault(1, "there are " + std::to_string(header_.columns.size()) + " columns but " +
                       std::to_string(units_.size()) + " units");
      return;
    }
    for (std::size_t i = 0; i < units_.size(); ++i) header_.columns[i].unit = std::move(units_[i]);
  }

  void read_row(std::string_view line) {
    const std::size_t before = values_.size();
    const std::size_t bad = read_csv_row(line, values_);
    if (bad != std::string_view::npos) {
      const std::string_view field = trimmed(line.substr(bad, line.find(',', bad) - bad));
      add_fault(static_cast<int>(bad) + 1, "'" + std::string(field) + "' is not a number");
    } else if (const std::size_t fields = values_.size() - before; fields != header_.columns.size()) {
      add_fault(1, "there are " + std::to_string(fields) + " numbers for " +
                       std::to_string(header_.columns.size()) + " columns");
    }
  }

  void add_fault(int column, std::string message) {
    faults_.add({{file_, line_, column}, ""}, std::move(message));
  }

  std::shared_ptr<const std::string> file_;
  std::string_view text_;  // the unread rest
  int line_ = 0;
  int first_line_ = 1;  // after the last line with a checksum
  LineChecksum lines_;  // from there
  ResultHeader header_;
  std::vector<std::string> units_;
  std::vector<double> values_;
  std::size_t checked_values_ = 0;  // number of values_ that a checksum covers
  FaultList faults_;
};

}  // namespace

std::size_t read_csv_row(std::string_view line, std::vector<double>& numbers) {
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(',', start), line.size());
    const std::string_view field = trimmed(line.substr(start, end - start));
    double value = 0;
    const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool is_whole = stop == field.data() + field.size();
    if (!is_whole || (error != std::errc() && !is_out_of_range(error, field, value))) return start;
    numbers.push_back(value);
    start = end + 1;
  }
  return std::string_view::npos;
}

ResultTable read_csv_result(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    const int error = file ? EISDIR : errno;
    throw InputError("cannot read '" + path.string() + "': " + std::generic_category().message(error));
  }
  if (std::filesystem::is_character_file(path) || std::filesystem::is_block_file(path)) {
    throw InputError("cannot read '" + path.string() + "': it is a device, not a file");
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // that spreadsheets write
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return CsvReader(path, text).read();
}

}  // namespace sestina
