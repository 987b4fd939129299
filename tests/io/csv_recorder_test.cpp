#include "sestina/io/csv_recorder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "io/result_testing.h"
#include "sestina/io/csv_reader.h"

namespace sestina {
namespace {

using test::content;
using test::known_header;
using test::known_row;
using test::TemporaryDirectory;
using test::write;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::message_of;

TEST(CsvRecorder, WritesUnitsAndProvenanceThenNamesThenNumbers) {
  const TemporaryDirectory directory;
  CsvRecorder recorder(directory / "a.csv");
  recorder.begin(known_header(3));
  recorder.record(std::vector<double>{0, 0.1, -1e300});
  recorder.record(std::vector<double>{0.5, 1, 2e-9});
  recorder.end();
  EXPECT_EQ(content(directory / "a.csv"),
            "# sestina result, CSV\n# model: double pendulum\n# version: 0.1.0\n# solver: recursive\n"
            "# command: run a.yaml: --quiet\n# units: s,rad,m\nt,hip.q,base.q[0]\n"
            "0,0.1,-1e+300\n0.5,1,2e-09\n# checksum of the lines above: 2f9f951aff31fd98\n");
  EXPECT_THAT(read_csv_result(directory / "a.csv").header().provenance,
              ElementsAre(std::pair("version", "0.1.0"), std::pair("solver", "recursive"),
                          std::pair("command", "run a.yaml: --quiet")));
}

TEST(CsvRecorder, SaysThatTheDiskIsFullAndWhen) {
  CsvRecorder refused("/dev/full");
  EXPECT_EQ(message_of([&] { refused.begin(known_header(3)); }),
            "cannot write '/dev/full': No space left on device");
}

TEST(CsvRecorder, KeepsWhatFitsOnADiskThatBecomesFull) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.csv";
  constexpr rlim_t kRoom = 300'000;  // bytes, a few buffers of the recorder
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = kRoom;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::size_t recorded = 0;
  std::string message;
  {
    CsvRecorder recorder(path);
    recorder.begin(known_header(4));
    message = message_of<ComputationError>([&] {
      for (; recorded < 100'000; ++recorded) recorder.record(known_row(recorded, 4));
    });
    recorder.end();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(message, HasSubstr("cannot write '" + path.string() + "': File too large"));
  EXPECT_THAT(message, HasSubstr("t = "));
  const ResultTable table = read_csv_result(path);
  // A row takes less than 4 numbers of 20 characters.
  EXPECT_GT(table.rows(), kRoom / 80 - 1);
  test::expect_known_rows(table, 4);
}

TEST(CsvRecorder, RefusesNamesThatWouldBreakTheFile) {
  const TemporaryDirectory directory;
  CsvRecorder recorder(directory / "a.csv");
  ResultHeader header = known_header(3);
  header.columns[1].name = "a,b";
  EXPECT_THROW(recorder.begin(header), InputError);
}

TEST(CsvReader, DropsALastLineThatAKilledRunLeftUnfinished) {
  const TemporaryDirectory directory;
  const std::string whole = "# sestina result, CSV\n# units: s,rad\nt,hip.q\n0,1\n";
  // However far the line came, even when what is there looks like a number.
  for (const char* torn : {"0", "0.", "0.1,", "0.1,12", "0.1,1e"}) {
    write(directory / "a.csv", whole + torn);
    EXPECT_EQ(read_csv_result(directory / "a.csv").rows(), 1u) << torn;
  }
}

TEST(CsvReader, CountsTheRowsThatNoChecksumCovers) {
  const TemporaryDirectory directory;
  CsvRecorder recorder(directory / "a.csv");
  recorder.begin(known_header(3));
  recorder.record(std::vector<double>{0, 0.1, 1});
  recorder.record(std::vector<double>{0.5, 1, 2});
  recorder.end();
  EXPECT_EQ(read_csv_result(directory / "a.csv").unchecked_rows(), 0u);
  write(directory / "b.csv", content(directory / "a.csv") + "1,2,3\n");
  EXPECT_EQ(read_csv_result(directory / "b.csv").unchecked_rows(), 1u);
  const std::string text = content(directory / "a.csv");
  write(directory / "c.csv", text.substr(0, text.rfind("# checksum")));
  EXPECT_EQ(read_csv_result(directory / "c.csv").unchecked_rows(), 2u);
  write(directory / "d.csv", "t,x\n0,1\n");  // of another program
  EXPECT_EQ(read_csv_result(directory / "d.csv").unchecked_rows(), 0u);
}

TEST(CsvReader, ReadsTheFilesOfOtherPrograms) {
  const TemporaryDirectory directory;
  write(directory / "a.csv", "time, x\r\n0, 1.5\r\n\r\n1 ,nan");
  const ResultTable table = read_csv_result(directory / "a.csv");
  EXPECT_THAT(table.header().names(), ElementsAre("time", "x"));
  EXPECT_THAT(table.column("time"), ElementsAre(0, 1));
  EXPECT_EQ(table.unit("x"), "");
  write(directory / "b.csv", "\xEF\xBB\xBFtime,x\n0,1\n");  // a byte order mark
  EXPECT_THAT(read_csv_result(directory / "b.csv").header().names(), ElementsAre("time", "x"));
}

TEST(CsvReader, RefusesDevices) {
  EXPECT_EQ(message_of([] { read_csv_result("/dev/zero"); }),
            "cannot read '/dev/zero': it is a device, not a file");
}

TEST(CsvReader, NamesTheLineOfEveryFault) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.csv";
  write(path, "# units: s\nt,x\n0,1\n1,zwei\n2\n3,1,4\n");
  EXPECT_EQ(message_of([&] { read_csv_result(path); }),
            path.string() + ":2:1: there are 2 columns but 1 units\n" +        //
                path.string() + ":4:3: 'zwei' is not a number\n" +             //
                path.string() + ":5:1: there are 1 numbers for 2 columns\n" +  //
                path.string() + ":6:1: there are 3 numbers for 2 columns");
}

}  // namespace
}  // namespace sestina
