#include "sestina/io/result.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "io/result_testing.h"
#include "sestina/io/result_file.h"

namespace sestina {
namespace {

using test::known_header;
using test::known_row;
using test::TemporaryDirectory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::message_of;

TEST(ResultTable, GivesColumnsByName) {
  ResultTable table(known_header(3));
  table.append_row(std::vector<double>{0, 1, 2});
  table.append_row(std::vector<double>{3, 4, 5});
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_THAT(table.column("hip.q"), ElementsAre(1, 4));
  EXPECT_THAT(table.row(1), ElementsAre(3, 4, 5));
  EXPECT_EQ(table.unit("base.q[0]"), "m");
  EXPECT_TRUE(table.has_column("t"));
  EXPECT_FALSE(table.has_column("T"));
}

TEST(ResultTable, NamesTheNearestColumnWhenItHasNotTheOneAskedFor) {
  const ResultTable table(known_header(3));
  EXPECT_EQ(message_of([&] { table.column("hip.w"); }), "unknown column 'hip.w' (did you mean 'hip.q'?)");
}

TEST(MemoryRecorder, KeepsEveryRow) {
  MemoryRecorder recorder(10);
  recorder.begin(known_header(3));
  for (std::size_t i = 0; i < 100; ++i) recorder.record(known_row(i, 3));
  recorder.end();
  EXPECT_EQ(recorder.table().rows(), 100u);
  test::expect_known_rows(recorder.table(), 3);
}

class AnyResultFile : public ::testing::TestWithParam<const char*> {
 protected:
  TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / (std::string("result") + GetParam());
};

INSTANTIATE_TEST_SUITE_P(Formats, AnyResultFile, ::testing::Values(".csv", ".h5", ".hdf5"),
                         [](const auto& suffix) { return std::string(suffix.param).substr(1); });

TEST_P(AnyResultFile, ReadsBackBitForBit) {
  const auto recorder = make_recorder(path_);
  recorder->begin(known_header(7));
  for (std::size_t i = 0; i < 5000; ++i) recorder->record(known_row(i, 7));
  recorder->end();

  const ResultTable table = read_result(path_);
  EXPECT_EQ(table.rows(), 5000u);
  test::expect_known_rows(table, 7);
  const ResultHeader expected = known_header(7);
  EXPECT_EQ(table.header().names(), expected.names());
  EXPECT_EQ(table.unit("extra_4"), "kg m^2");
  EXPECT_EQ(table.header().model_name, expected.model_name);
}

TEST_P(AnyResultFile, KeepsTheLargestTheSmallestAndWhatIsNoNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> row = {-std::numeric_limits<double>::max(),
                                   std::numeric_limits<double>::denorm_min(), -infinity, -0.0,
                                   -std::numeric_limits<double>::quiet_NaN()};
  const auto recorder = make_recorder(path_);
  recorder->begin(known_header(row.size()));
  recorder->record(row);
  recorder->end();
  const ResultTable table = read_result(path_);
  ASSERT_EQ(table.rows(), 1u);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(table.at(0, j), row[j]);
  EXPECT_TRUE(std::signbit(table.at(0, 3)));
  EXPECT_TRUE(std::isnan(table.at(0, 4)));
}

TEST_P(AnyResultFile, CanBeReadAfterAFlushWhileTheRunGoesOn) {
  const auto recorder = make_recorder(path_);
  recorder->begin(known_header(3));
  EXPECT_EQ(read_result(path_).rows(), 0u);
  for (std::size_t i = 0; i < 10; ++i) recorder->record(known_row(i, 3));
  recorder->flush();
  EXPECT_EQ(read_result(path_).rows(), 10u);
  recorder->record(known_row(10, 3));
  recorder->end();
  EXPECT_EQ(read_result(path_).rows(), 11u);
}

TEST_P(AnyResultFile, IsFlushedWithoutBeingAskedWhenRowsComeSlowly) {
  const auto recorder = make_recorder(path_);
  recorder->begin(known_header(3));
  ::usleep(300'000);  // more than FlushClock::kPeriod
  recorder->record(known_row(0, 3));
  EXPECT_EQ(read_result(path_).rows(), 1u);
}

TEST_P(AnyResultFile, IsCompleteWhenTheRecorderIsDestroyedWithoutAnEnd) {
  {
    const auto recorder = make_recorder(path_);
    recorder->begin(known_header(3));
    recorder->record(known_row(0, 3));
  }
  EXPECT_EQ(read_result(path_).rows(), 1u);
}

TEST_P(AnyResultFile, ReplacesAnEarlierResultOnlyWhenTheRunBegins) {
  for (const std::size_t rows : {20, 5}) {
    const auto recorder = make_recorder(path_);
    if (rows == 5) {
      EXPECT_EQ(read_result(path_).rows(), 20u);
    }
    recorder->begin(known_header(3));
    for (std::size_t i = 0; i < rows; ++i) recorder->record(known_row(i, 3));
    recorder->end();
    EXPECT_EQ(read_result(path_).rows(), rows);
  }
}

TEST_P(AnyResultFile, IsNotLeftBehindByARunThatNeverBegan) {
  make_recorder(path_);
  EXPECT_EQ(directory_.files(), 0u);
}

TEST_P(AnyResultFile, IsRefusedAtOnceWhereItCannotBeWritten) {
  const auto missing = directory_ / "nowhere" / path_.filename();
  EXPECT_EQ(message_of([&] { make_recorder(missing); }), "cannot write '" + missing.string() +
                                                             "': there is no directory '" +
                                                             missing.parent_path().string() + "'");
  std::filesystem::create_directory(path_);
  EXPECT_THAT(message_of([&] { make_recorder(path_); }), HasSubstr("Is a directory"));
  EXPECT_THAT(message_of([&] { read_result(path_); }), HasSubstr("cannot read '" + path_.string()));
}

TEST_P(AnyResultFile, NeedsPermissionToBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  {
    const auto recorder = make_recorder(path_);
    recorder->begin(known_header(3));
  }
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  EXPECT_THAT(message_of([&] { make_recorder(path_); }), HasSubstr("Permission denied"));
}

TEST_P(AnyResultFile, SaysWhyItCannotBeRead) {
  EXPECT_THAT(message_of([&] { read_result(path_); }), HasSubstr("No such file or directory"));
  std::ofstream(path_) << "t\nnonsense\n";
  EXPECT_THAT(message_of([&] { read_result(path_); }), HasSubstr(path_.string()));
}

TEST(ResultFile, HasASuffixThatTellsItsFormat) {
  EXPECT_EQ(message_of([] { make_recorder("out.txt"); }),
            "'out.txt' is not a result file: its name must end in .csv, .h5 or .hdf5");
  EXPECT_THAT(message_of([] { read_result("out"); }), HasSubstr(".csv, .h5 or .hdf5"));
}

}  // namespace
}  // namespace sestina
