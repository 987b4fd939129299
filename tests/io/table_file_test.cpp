#include "sestina/io/table_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sestina/io/model_file.h"

namespace sestina {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

std::string error_of(const std::string& text, const TableKey& key = kTimeKey) {
  try {
    parse_table(text, "t.csv", key);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TableFile, ReadsColumnsByName) {
  const TableData table =
      parse_table("\xEF\xBB\xBF# comment, with a comma\r\nfx , t\r\n\r\n1e3, -1\r\n.5,2\r\n", "t.csv");
  EXPECT_THAT(table.names, ElementsAre("fx", "t"));
  EXPECT_THAT(table.columns[0], ElementsAre(1000, 0.5));
  EXPECT_THAT(table.columns[1], ElementsAre(-1, 2));
}

TEST(TableFile, FaultsStandAtTheirLineAndColumn) {
  EXPECT_EQ(error_of("a,b\n0,1\n"), "t.csv:1:1: the table has no column 't' (time in s)");
  EXPECT_EQ(error_of("t;fx\n0;1\n"),
            "t.csv:1:1: the table has no column 't' (time in s); commas separate columns");
  EXPECT_EQ(error_of("t,x\n0,1\n", {"s", "the curve's parameter"}),
            "t.csv:1:1: the table has no column 's' (the curve's parameter)");
  EXPECT_EQ(error_of("t, x, x\n0,1,2\n"), "t.csv:1:7: two columns are named 'x'");
  EXPECT_EQ(error_of("t,,x\n0,1,2\n"), "t.csv:1:3: a column has no name");
  EXPECT_EQ(error_of("t,x\n0,1\n1,  2 x\n"), "t.csv:3:5: '2 x' is not a finite number");
  EXPECT_EQ(error_of("t,x\n0,\n"), "t.csv:2:3: '' is not a finite number");
  EXPECT_EQ(error_of("t,x\n0,.nan\n"), "t.csv:2:3: '.nan' is not a finite number");
  EXPECT_EQ(error_of("t,x\n0,1e999\n"), "t.csv:2:3: '1e999' is not a finite number");
  EXPECT_EQ(error_of("t,x\n0,1,2\n"), "t.csv:2:1: the line has 3 columns, the header 2");
  EXPECT_EQ(error_of("# c\nt,x\n1,0\n1,0\n"),
            "t.csv:4:1: t does not increase: 1 comes after a time that is not smaller");
  EXPECT_EQ(error_of(""), "t.csv:1:1: the table is empty; it begins with a line of column names");
  EXPECT_EQ(error_of("# only\n"), "t.csv:1:1: the table is empty; it begins with a line of column names");
  EXPECT_EQ(error_of("t,x\n"), "t.csv:1:1: the table has column names but no numbers");
  EXPECT_THAT(error_of(std::string("t\n\0", 3)), HasSubstr("t.csv:2:1: the control character 0x00"));
}

TEST(TableFile, ReportsSeveralFaultsButNotOneForEachOfAMillionLines) {
  std::string text = "t,x\n";
  for (int i = 0; i < 1'000'000; ++i) text += "a;b\n";
  try {
    parse_table(text, "t.csv");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.faults().size(), 20u);
  }
}

TEST(TableFile, ThatIsNoneIsNotShown) {
  const std::string passwords = "root:secret:19000\nuser:secret:19001\n";
  EXPECT_EQ(error_of(passwords), "t.csv:1:1: the table has no column 't' (time in s)");
  EXPECT_EQ(error_of("t,x\n0," + std::string(100, 'z') + "\n"),
            "t.csv:2:3: '" + std::string(20, 'z') + "...' is not a finite number");
}

class TableOfAForce : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sestina-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(folder_ / "good.csv") << "t,fx,fy\n0,1,2\n1,3,4\n";
    std::ofstream(folder_ / "bad.csv") << "t,fx\n0,1\n0,2\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  System read(const std::string& value) const {
    return read_model(
        "sestina: 1\nbodies: [{name: a, mass: 1}]\nforces:\n"
        "- {name: f, type: point_force, at: a.origin, value: " +
            value + "}\n",
        (folder_ / "m.yaml").string());
  }
  std::string error_of_value(const std::string& value) const {
    try {
      read(value);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  fs::path folder_;
};

TEST_F(TableOfAForce, StandsRelativeToTheModelFile) {
  const TableSpec table = *read("{table: good.csv, columns: [fy, fx, fy]}").forces[0].table;
  EXPECT_THAT(table.time, ElementsAre(0, 1));
  ASSERT_EQ(table.values.size(), 3u);
  EXPECT_THAT(table.values[0], ElementsAre(2, 4));
  EXPECT_THAT(table.values[1], ElementsAre(1, 3));
}

TEST_F(TableOfAForce, FaultsOfTheReferenceStandInTheModelFile) {
  const std::string file = (folder_ / "m.yaml").string() + ":4:";
  EXPECT_THAT(error_of_value("{table: none.csv, columns: [fx]}"),
              HasSubstr(file + "61: forces[0].value.table: " + (folder_ / "none.csv").string() +
                        " cannot be opened: No such file or directory"));
  EXPECT_THAT(error_of_value("{table: ., columns: [fx]}"), HasSubstr("forces[0].value.table: "));
  EXPECT_THAT(error_of_value("{table: /dev/zero, columns: [fx]}"), HasSubstr("/dev/zero is not a file"));
  EXPECT_THAT(error_of_value("{table: good.csv, columns: [fx, fz]}"),
              HasSubstr(file + "85: forces[0].value.columns[1]: the table " +
                        (folder_ / "good.csv").string() + " has no column 'fz' (did you mean 'fx'?)"));
  EXPECT_THAT(error_of_value("{table: good.csv}"),
              HasSubstr("forces[0].value: the key 'columns' is missing"));
  EXPECT_THAT(
      error_of_value("{table: good.csv, columns: [fx], interpolation: spline}"),
      HasSubstr("forces[0].value.interpolation: unknown interpolation 'spline'; allowed: linear or cubic"));
  EXPECT_THAT(error_of_value("{file: good.csv}"), HasSubstr("forces[0].value: unknown key 'file'"));
  EXPECT_THAT(error_of_value("{table: 7, columns: [1]}"),
              HasSubstr("forces[0].value.table: expected a name, found '7'; put it in quotes"));
}

TEST_F(TableOfAForce, FaultsInsideTheTableStandInTheTableAndHaveNoEcho) {
  const std::string bad = (folder_ / "bad.csv").string();
  EXPECT_EQ(
      error_of_value("{table: bad.csv, columns: [fx, fx, fx]}"),
      bad + ":3:1: forces[0].value.table: t does not increase: 0 comes after a time that is not smaller");
}

}  // namespace
}  // namespace sestina
