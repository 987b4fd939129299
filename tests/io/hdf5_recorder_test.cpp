#include "sestina/io/hdf5_recorder.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <new>
#include <random>

#include "io/hdf5_testing.h"
#include "io/result_testing.h"
#include "sestina/io/hdf5_reader.h"

namespace sestina {
namespace {

using test::known_header;
using test::known_row;
using test::TemporaryDirectory;
using ::testing::HasSubstr;
using testing_support::message_of;

// The rows of a file, read by us and, as by any other program, by the library alone.
std::size_t read_whole(const std::filesystem::path& path, std::size_t columns) {
  const ResultTable table = read_hdf5_result(path);
  test::expect_known_rows(table, columns);
  const std::vector<double> values = test::read_values_by_hdf5(path);
  const std::vector<double> ours(table.values().begin(), table.values().end());
  EXPECT_EQ(values, ours);
  return table.rows();
}

TEST(Hdf5Recorder, KeepsTheModelAndTheProvenance) {
  const TemporaryDirectory directory;
  ResultHeader header = known_header(3);
  header.model_text.append(1 << 20, '#');  // larger than the 64 kB of an ordinary attribute
  for (int i = 0; i < 20; ++i) header.provenance.emplace_back("key " + std::to_string(i), "");
  Hdf5Recorder recorder(directory / "a.h5");
  recorder.begin(header);
  recorder.end();
  const ResultHeader read = read_hdf5_result(directory / "a.h5").header();
  EXPECT_EQ(read.model_text, header.model_text);
  EXPECT_EQ(read.provenance, header.provenance);
}

TEST(Hdf5Recorder, TakesRowsLargerThanAChunk) {
  const TemporaryDirectory directory;
  constexpr std::size_t kColumns = 20'000;
  Hdf5Recorder recorder(directory / "a.h5");
  recorder.begin(known_header(kColumns));
  for (std::size_t i = 0; i < 5; ++i) recorder.record(known_row(i, kColumns));
  recorder.end();
  const ResultTable table = read_hdf5_result(directory / "a.h5");
  EXPECT_EQ(table.rows(), 5u);
  test::expect_known_rows(table, kColumns);
}

TEST(Hdf5Recorder, LeavesNoHoleBehindAfterAnEnd) {
  const TemporaryDirectory directory;
  Hdf5Recorder recorder(directory / "a.h5");
  recorder.begin(known_header(3));
  recorder.record(known_row(0, 3));
  recorder.end();
  // The description of the rows, then one row, and nothing that could be mistaken for other rows.
  EXPECT_LT(std::filesystem::file_size(directory / "a.h5"), 40'000u);
  EXPECT_EQ(std::filesystem::file_size(directory / "a.h5") % 4096, 3 * sizeof(double));
}

TEST(Hdf5Recorder, KeepsWhatFitsOnADiskThatBecomesFull) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.h5";
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 10 << 20;  // bytes
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::string message;
  {
    Hdf5Recorder recorder(path);
    recorder.begin(known_header(100));
    message = message_of<ComputationError>([&] {
      for (std::size_t i = 0; i < 100'000; ++i) recorder.record(known_row(i, 100));
    });
    EXPECT_THROW(recorder.flush(), ComputationError);  // no further row is taken in silence
    recorder.end();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(message, HasSubstr("cannot write '" + path.string() + "': File too large"));
  const ResultTable table = read_hdf5_result(path);
  EXPECT_GT(table.rows(), 1000u);  // of 800 bytes
  test::expect_known_rows(table, 100);
}

TEST(Hdf5Reader, RefusesOtherFiles) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.h5";
  std::ofstream(path) << "t,x\n";
  ::testing::internal::CaptureStderr();
  const std::string message = message_of([&] { read_hdf5_result(path); });
  EXPECT_THAT(message, HasSubstr("cannot read '" + path.string() + "': "));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");  // the library keeps quiet
}

// Records until it is killed, also by the end of its parent, counting in shared memory the rows that were
// flushed.
[[noreturn]] void record_for_ever(const std::filesystem::path& path, std::size_t columns, unsigned seed,
                                  std::atomic<std::size_t>& flushed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::size_t> rows_between_flushes(1, 300);
  Hdf5Recorder recorder(path);
  recorder.begin(known_header(columns));
  for (std::size_t row = 0;;) {
    for (std::size_t n = rows_between_flushes(random); n > 0; --n) recorder.record(known_row(row++, columns));
    recorder.flush();
    flushed = row;
  }
}

// Kills a process that records, some time after its first rows, and reads the file that it leaves.
// Returns the rows.
std::size_t kill_and_read(const std::filesystem::path& path, std::size_t columns, unsigned seed,
                          std::chrono::microseconds delay) {
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& flushed = *new (memory) std::atomic<std::size_t>(0);
  const pid_t child = ::fork();
  if (child == 0) record_for_ever(path, columns, seed, flushed);
  int status = 0;
  bool has_ended = false;
  while (flushed == 0 && !has_ended) {
    has_ended = ::waitpid(child, &status, WNOHANG) == child;
    ::usleep(100);
  }
  if (!has_ended) {
    ::usleep(static_cast<useconds_t>(delay.count()));
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  EXPECT_TRUE(WIFSIGNALED(status));
  const std::size_t rows = read_whole(path, columns);
  EXPECT_GE(rows, flushed.load());
  ::munmap(memory, 4096);
  return rows;
}

// SESTINA_KILLS=100000 in the environment sets the number of kills.
TEST(Hdf5Recorder, LeavesAReadableFileWheneverItIsKilled) {
  const TemporaryDirectory directory;
  const char* wanted = std::getenv("SESTINA_KILLS");  // NOLINT(concurrency-mt-unsafe)
  const int kills = wanted != nullptr ? std::stoi(wanted) : 20;
  std::mt19937 random(7);
  std::uniform_int_distribution<int> delay(0, 4000);  // microseconds, in which some hundred flushes fit
  std::size_t rows = 0;
  for (int trial = 0; trial < kills && !HasFailure(); ++trial) {
    const std::size_t columns = trial % 2 == 0 ? 5 : 401;
    rows += kill_and_read(directory / "a.h5", columns, static_cast<unsigned>(trial),
                          std::chrono::microseconds(delay(random)));
  }
  EXPECT_GT(rows, 0u);
  if (wanted != nullptr) std::cout << kills << " kills, " << rows << " rows\n";
}

}  // namespace
}  // namespace sestina
