// tests/io/malformed/*.yaml: each file begins with the faults that it has,
//
//   # expect: LINE:COLUMN PATH: MESSAGE...
//
// of which the message may be cut, and the place left out where the fault has none. Reading and freezing the
// file must report these faults and no others.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/io/model_file.h"
#include "sestina/io/text_file.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

namespace fs = std::filesystem;

const fs::path kMalformed = fs::path(repository()) / "tests/io/malformed";

std::vector<fs::path> files() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(kMalformed)) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::string> expected_faults(const std::string& text) {
  const std::string kPrefix = "# expect: ";
  std::vector<std::string> expected;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line) && line.rfind(kPrefix, 0) == 0;) {
    expected.push_back(line.substr(kPrefix.size()));
  }
  return expected;
}

// `LINE:COLUMN PATH: MESSAGE`, leaving out what is not known.
std::string without_file(const Fault& fault) {
  const Mark& mark = fault.place.mark;
  std::string text;
  if (mark.line > 0) text = std::to_string(mark.line) + ':' + std::to_string(mark.column) + ' ';
  if (!fault.place.path.empty()) text += fault.place.path + ": ";
  return text + fault.message;
}

bool matches(const std::string& fault, const std::string& expected) {
  const std::size_t place_end = expected.find(' ');
  const bool has_place = expected.find_first_not_of("0123456789:") == place_end;
  const std::string place = has_place ? expected.substr(0, place_end + 1) : "";
  const std::string rest = expected.substr(place.size());
  return fault.rfind(place, 0) == 0 && fault.find(rest, place.size()) != std::string::npos;
}

class Malformed : public testing::TestWithParam<fs::path> {};

TEST_P(Malformed, HasTheExpectedFaultsAndNoOthers) {
  const std::vector<std::string> expected = expected_faults(read_text_file(GetParam(), 1 << 20));
  ASSERT_FALSE(expected.empty()) << "the file does not say what to expect";
  std::vector<std::string> found;
  try {
    freeze(read_model_file(GetParam()));
  } catch (const InputError& error) {
    for (const Fault& fault : error.faults()) found.push_back(without_file(fault));
    EXPECT_NE(std::string(error.what()).find(GetParam().filename()), std::string::npos) << error.what();
  }
  bool as_expected = found.size() == expected.size();
  for (std::size_t i = 0; as_expected && i < found.size(); ++i) as_expected = matches(found[i], expected[i]);
  std::string report = "found:\n";
  for (const std::string& fault : found) report += "  " + fault + '\n';
  report += "expected:\n";
  for (const std::string& fault : expected) report += "  " + fault + '\n';
  EXPECT_TRUE(as_expected) << report;
}

std::string test_name(const testing::TestParamInfo<fs::path>& file) { return file.param.stem().string(); }

INSTANTIATE_TEST_SUITE_P(Files, Malformed, testing::ValuesIn(files()), test_name);

}  // namespace
}  // namespace sestina
