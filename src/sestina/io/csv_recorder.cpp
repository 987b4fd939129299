#include "sestina/io/csv_recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

#include "sestina/base/error.h"
#include "sestina/base/text.h"
#include "sestina/io/csv_reader.h"

namespace sestina {
namespace {

constexpr std::size_t kBufferSize = 1 << 16;
constexpr std::size_t kChecksumSize = LineChecksum::kMark.size() + 17;  // with the end of the line
constexpr std::size_t kNumberSize = 25;                                 // "-2.2250738585072014e-308,"

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return escape_controls(text, LineBreaks::kEscape);
}

void check_no_separator(const std::string& text) {
  if (text.find_first_of(",\"\n\r") != std::string::npos || text.starts_with('#')) {
    throw InputError("'" + text + "' is not allowed in a CSV file: it has a comma, a quote or a line break");
  }
}

std::string header_text(const ResultHeader& header) {
  std::string units;
  std::string names;
  for (const Column& column : header.columns) {
    check_no_separator(column.name);
    check_no_separator(column.unit);
    if (!names.empty()) {
      units += ',';
      names += ',';
    }
    names += column.name;
    units += column.unit;
  }
  std::string text = "# sestina result, CSV\n";
  if (!header.model_name.empty()) text += "# model: " + on_one_line(header.model_name) + '\n';
  for (const auto& [key, value] : header.provenance) {
    text += "# " + on_one_line(key) + ": " + on_one_line(value) + '\n';
  }
  return text + "# units: " + units + '\n' + names + '\n';
}

char* print_number(char* to, double value) {
  if (std::isnan(value)) return std::copy_n("nan", 3, to);  // without the sign that to_chars shows
  return std::to_chars(to, to + kNumberSize, value).ptr;
}

[[noreturn]] void fail_to_resume(const std::filesystem::path& path, const std::string& reason) {
  throw InputError("cannot continue '" + path.string() + "': " + reason);
}

// The part of a result up to the end of one of its rows.
struct Beginning {
  off_t bytes = 0;
  RowChecksum rows;
  LineChecksum lines;  // since the last line with a checksum
};

// Prints a row without line end.
std::string print_row(std::span<const double> row) {
  std::string text;
  for (const double value : row) {
    char number[kNumberSize];
    text.append(number, print_number(number, value)) += ',';
  }
  if (!text.empty()) text.pop_back();
  return text;
}

// Returns the checksum of the header, line by line.
LineChecksum checksum_of(std::string_view header) {
  LineChecksum lines;
  while (!header.empty()) {
    const std::size_t end = header.find('\n');
    lines.add(header.substr(0, end));
    header.remove_prefix(end + 1);
  }
  return lines;
}

Beginning find_beginning(const std::filesystem::path& path, const std::string& header, std::size_t rows) {
  std::ifstream file(path, std::ios::binary);
  std::string text(header.size(), '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) || text != header) {
    fail_to_resume(path, "it is not the result of this run, whose first lines are others");
  }
  Beginning beginning{static_cast<off_t>(header.size()), {}, checksum_of(header)};
  std::string line;
  std::vector<double> numbers;
  for (std::size_t row = 0; row < rows;) {
    std::getline(file, line);
    if (file.eof() || !file) {
      fail_to_resume(path, fmt::format("it has {} rows, and should have {} by now", row, rows));
    }
    beginning.bytes += static_cast<off_t>(line.size()) + 1;
    if (!line.starts_with(LineChecksum::kMark)) {
      beginning.lines.add(line);
      ++row;
      numbers.clear();
      if (read_csv_row(line, numbers) != std::string::npos || print_row(numbers) != line) {
        fail_to_resume(path, fmt::format("its row {} is damaged", row));
      }
      beginning.rows.add(numbers);
    } else if (line.substr(LineChecksum::kMark.size()) == beginning.lines.text()) {
      beginning.lines = {};
    } else {
      fail_to_resume(
          path, fmt::format("it is damaged: lines before its row {} do not fit their checksum", row + 1));
    }
  }
  return beginning;
}

}  // namespace

CsvRecorder::CsvRecorder(std::filesystem::path path) : file_(std::move(path)) {}

CsvRecorder::~CsvRecorder() {
  if (columns_ == 0) return;
  try {
    end();
  } catch (const ComputationError&) {
    // A destructor cannot report errors.
  }
}

void CsvRecorder::begin(const ResultHeader& header) {
  assert(columns_ == 0 && !header.columns.empty());
  const std::string text = header_text(header);
  const bool is_regular = std::filesystem::is_regular_file(file_.path());
  if (is_regular && ::ftruncate(file_.file_descriptor(), 0) != 0) {
    throw InputError(cannot_write(file_.path(), errno));
  }
  if (const int error = write_all(file_.file_descriptor(), text)) {
    throw InputError(cannot_write(file_.path(), error));
  }
  start(header);
  lines_ = checksum_of(text);
}

void CsvRecorder::resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum) {
  assert(columns_ == 0);
  if (file_.was_absent()) fail_to_resume(file_.path(), "there is no such file");
  const Beginning beginning = find_beginning(file_.path(), header_text(header), rows);
  if (beginning.rows.value() != checksum) {
    fail_to_resume(file_.path(), fmt::format("its first {} rows are not those of this run", rows));
  }
  if (::ftruncate(file_.file_descriptor(), beginning.bytes) != 0 ||
      ::lseek(file_.file_descriptor(), beginning.bytes, SEEK_SET) < 0) {
    throw InputError(cannot_write(file_.path(), errno));
  }
  start(header);
  lines_ = beginning.lines;
  if (lines_.bytes() >= LineChecksum::kBlock) add_checksum();
}

void CsvRecorder::start(const ResultHeader& header) {
  file_.keep();
  columns_ = header.columns.size();
  time_column_ = time_column(header);
  row_size_ = columns_ * kNumberSize;
  buffer_.resize(kBufferSize + row_size_ + 2 * kChecksumSize);
  clock_.restart();
}

void CsvRecorder::record(std::span<const double> row) {
  assert(row.size() == columns_);
  if (time_column_ >= 0) last_time_ = row[static_cast<std::size_t>(time_column_)];
  char* to = buffer_.data() + used_;
  for (const double value : row) {
    to = print_number(to, value);
    *to++ = ',';
  }
  to[-1] = '\n';
  const char* const begin = buffer_.data() + used_;
  lines_.add({begin, static_cast<std::size_t>(to - 1 - begin)});
  used_ = static_cast<std::size_t>(to - buffer_.data());
  if (lines_.bytes() >= LineChecksum::kBlock) add_checksum();
  if (used_ >= kBufferSize || clock_.is_due()) write_buffer();
}

void CsvRecorder::add_checksum() {
  const char* const end =
      fmt::format_to(buffer_.data() + used_, "{}{:016x}\n", LineChecksum::kMark, lines_.value());
  used_ = static_cast<std::size_t>(end - buffer_.data());
  lines_ = {};
}

void CsvRecorder::flush() { write_buffer(); }

void CsvRecorder::sync() {
  write_buffer();
  // EINVAL: a pipe or a device, which cannot be synchronised.
  if (::fsync(file_.file_descriptor()) != 0 && errno != EINVAL) {
    throw ComputationError(last_time_, cannot_write(file_.path(), errno));
  }
}

void CsvRecorder::end() {
  if (file_.file_descriptor() < 0) return;
  if (lines_.bytes() > 0) add_checksum();
  write_buffer();
  file_.close();
}

void CsvRecorder::write_buffer() {
  const std::string_view bytes(buffer_.data(), used_);
  used_ = 0;
  if (const int error = write_all(file_.file_descriptor(), bytes)) {
    lines_ = {};  // the last line may be incomplete, and nothing may follow it
    throw ComputationError(last_time_, cannot_write(file_.path(), error));
  }
  clock_.restart();
}

}  // namespace sestina
