// The common fixture of tests of result files: a separate directory, and rows with known numbers.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "message_of.h"
#include "sestina/io/result.h"

namespace sestina::test {

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sestina_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(path_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

 private:
  std::filesystem::path path_;
};

inline ResultHeader known_header(std::size_t columns) {
  ResultHeader header;
  header.columns = {{"t", "s"}, {"hip.q", "rad"}, {"base.q[0]", "m"}};
  while (header.columns.size() < columns) {
    header.columns.push_back({"extra_" + std::to_string(header.columns.size()), "kg m^2"});
  }
  header.columns.resize(columns);
  header.model_name = "double pendulum";
  header.model_text = "sestina: 1\nname: double pendulum  # µ\n";
  header.provenance = {{"version", "0.1.0"}, {"solver", "recursive"}, {"command", "run a.yaml: --quiet"}};
  return header;
}

// Row i: all numbers differ and none is a short decimal fraction.
inline std::vector<double> known_row(std::size_t i, std::size_t columns) {
  std::vector<double> row(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    row[j] = (static_cast<double>(i) + 1.0) / (3.0 + static_cast<double>(j));
  }
  return row;
}

inline void expect_known_rows(const ResultTable& table, std::size_t columns) {
  ASSERT_EQ(table.columns(), columns);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::vector<double> expected = known_row(i, columns);
    // Bit for bit: recording must not round.
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), table.row(i).begin())) << "row " << i;
  }
}

}  // namespace sestina::test
