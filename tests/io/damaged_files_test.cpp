// Readers end with a result or an InputError, whichever byte of a file is another one.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <new>

#include "io/hdf5_testing.h"
#include "io/result_testing.h"
#include "repository.h"
#include "sestina/io/csv_recorder.h"
#include "sestina/io/hdf5_handle.h"
#include "sestina/io/hdf5_seal.h"
#include "sestina/io/plot.h"
#include "sestina/io/rehearsal.h"
#include "sestina/io/result_file.h"
#include "sestina/io/sweep_file.h"

namespace sestina {
namespace {

using test::content;
using test::known_header;
using test::known_row;
using test::TemporaryDirectory;
using test::write;
using ::testing::HasSubstr;
using testing_support::message_of;

constexpr std::size_t kColumns = 3;
constexpr std::size_t kRows = 70;  // more than a block of checksums

void write_at(const std::filesystem::path& path, std::size_t place, std::string_view text) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(place)) << text;
}

std::filesystem::path former(const std::string& name) {
  return std::filesystem::path(repository()) / "tests/io/former" / name;
}

void record(const std::filesystem::path& path) {
  const auto recorder = make_recorder(path);
  recorder->begin(known_header(kColumns));
  for (std::size_t i = 0; i < kRows; ++i) recorder->record(known_row(i, kColumns));
  recorder->end();
}

SweepHeader sweep_header() {
  SweepHeader header;
  header.model_name = "pendulum";
  header.model_text = "sestina: 1\n";
  header.provenance = {{"program", "sestina"}};
  header.axes = {{"parameters.l", {"1", "2"}, {1, 2}}, {"analysis.solver", {"kane", "recursive"}, {}}};
  header.columns = known_header(kColumns).columns;
  header.series = {"hip.q"};
  header.rows = 2;
  return header;
}

void record_sweep(const std::filesystem::path& path) {
  SweepFile file = SweepFile::create(path, sweep_header()).value();
  for (std::size_t run = 0; run < 3; ++run) {
    SweepRecord record;
    record.status = run == 1 ? SweepStatus::kFailed : SweepStatus::kComplete;
    record.reason = run == 1 ? "t = 0.5 s: hip.q does not stay finite" : "";
    record.last_row = known_row(run, kColumns);
    record.series = {0.25, 0.75};
    file.write(run, record);
  }
}

// A file of which one byte at a time is another one.
class Damage {
 public:
  explicit Damage(const std::filesystem::path& path) : path_(path), bytes_(content(path)) {}

  std::size_t size() const { return bytes_.size(); }
  // Room that a writer of HDF5 leaves: a zero between zeros.
  bool is_padding(std::size_t i) const {
    return i > 8 && i + 8 < size() && bytes_.find_first_not_of('\0', i - 8) > i + 8;
  }
  char byte(std::size_t i) const { return bytes_[i]; }
  void change(std::size_t i, char byte) const { write_at(path_, i, {&byte, 1}); }

 private:
  std::filesystem::path path_;
  std::string bytes_;
};

// Reads the file with each byte (of padding, every 16th) changed in turn; `read` may throw InputError.
// Returns how often it did. The changes are made in a child process, so that those which break the HDF5
// library are found fast; each of these is then made here, where the reader has to be safe by itself.
std::size_t count_refusals(const std::filesystem::path& path, const std::function<void()>& read) {
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& next = *new (memory) std::atomic<std::size_t>(0);
  auto& refusals = *new (static_cast<char*>(memory) + 64) std::atomic<std::size_t>(0);
  auto& failures = *new (static_cast<char*>(memory) + 128) std::atomic<std::size_t>(0);
  const Damage damage(path);
  const auto read_changed = [&](std::size_t i) {
    damage.change(i, static_cast<char>(~damage.byte(i)));
    try {
      read();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      ++refusals;
    }
    damage.change(i, damage.byte(i));
    if (::testing::Test::HasFailure()) failures = i + 1;  // of the child process, too
  };
  while (next < damage.size()) {
    try {
      rehearse(path, [&] {
        for (; next < damage.size(); ++next) {
          if (!damage.is_padding(next) || next % 16 == 0) read_changed(next);
        }
      });
    } catch (const Hdf5Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the HDF5 library fails to read it"));
      read_changed(next++);
    }
  }
  EXPECT_EQ(failures.load(), 0u) << "changing the byte before this one";
  const std::size_t result = refusals;
  ::munmap(memory, 4096);
  return result;
}

class DamagedResult : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, DamagedResult, ::testing::Values(".csv", ".h5"),
                         [](const auto& suffix) { return std::string(suffix.param).substr(1); });

TEST_P(DamagedResult, IsReadAsItWasWrittenOrRefused) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / (std::string("a") + GetParam());
  record(path);
  const std::size_t size = std::filesystem::file_size(path);
  const std::size_t refusals = count_refusals(path, [&] {
    const ResultTable table = read_result(path);
    EXPECT_EQ(table.rows(), kRows);
    test::expect_known_rows(table, kColumns);
    EXPECT_EQ(table.header().names(), known_header(kColumns).names());
  });
  // All bytes of the numbers, names and units at least.
  EXPECT_GT(refusals, kRows * kColumns * sizeof(double));
  if (GetParam() == std::string(".csv")) {
    EXPECT_GT(refusals, size - 60);  // the last line tells a checksum, or is a remark
  }
}

TEST_P(DamagedResult, IsNotContinuedWhereARowThatIsKeptIsDamaged) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / (std::string("a") + GetParam());
  record(path);
  constexpr std::size_t kKept = 66;  // of them two behind the last whole block
  RowChecksum checksum;
  for (std::size_t i = 0; i < kKept; ++i) checksum.add(known_row(i, kColumns));
  const auto resume = [&] {
    const auto recorder = make_recorder(path);
    recorder->resume(known_header(kColumns), kKept, checksum.value());
    for (std::size_t i = kKept; i < kRows; ++i) recorder->record(known_row(i, kColumns));
    recorder->end();
  };
  const std::string whole = content(path);
  resume();
  EXPECT_EQ(content(path).size(), whole.size());
  test::expect_known_rows(read_result(path), kColumns);

  const bool is_csv = GetParam() == std::string(".csv");
  const std::size_t row_bytes = kColumns * sizeof(double);
  std::size_t begin = whole.size() - kRows * row_bytes, end = begin + kKept * row_bytes;
  if (is_csv) {
    begin = whole.find("\nt,") + 1;
    end = 0;
    for (std::size_t line = 0; line < 7 + kKept; ++line) end = whole.find('\n', end) + 1;
  }
  const Damage damage(path);
  for (std::size_t i = begin; i < end; i += is_csv ? 1 : 7) {
    damage.change(i, static_cast<char>(damage.byte(i) ^ 1));
    const std::string changed = content(path);
    EXPECT_THAT(message_of(resume), HasSubstr("cannot continue '" + path.string() + "': it")) << i;
    EXPECT_EQ(content(path), changed);
    damage.change(i, damage.byte(i));
  }
}

TEST(DamagedSweep, IsReadAsItWasWrittenOrRefused) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "s.h5";
  record_sweep(path);
  const SweepRecord third = SweepFile::open(path, SweepFile::Access::kRead).read_numbers(2);
  const std::size_t refusals = count_refusals(path, [&] {
    if (!SweepFile::is_sweep_file(path)) throw InputError(path.string() + " is no sweep");
    const SweepFile file = SweepFile::open(path, SweepFile::Access::kRead);
    const std::vector<SweepStatus> status = file.read_status();
    for (std::size_t run = 0; run < status.size(); ++run) file.read_numbers(run);
    if (status[2] == SweepStatus::kComplete) {
      EXPECT_EQ(file.read_numbers(2).last_row, third.last_row);
    }
  });
  EXPECT_GT(refusals, 3 * kColumns * sizeof(double));
}

TEST(FormerResult, IsReadAsItWasWritten) {
  const ResultTable table = read_result(former("result_1.h5"));
  EXPECT_EQ(table.rows(), 5u);
  EXPECT_EQ(table.header().model_name, "pendulum");
  EXPECT_EQ(table.header().provenance.front(),
            std::pair(std::string("program"), std::string("sestina 0.1.0")));
  EXPECT_EQ(table.unit("hinge.u"), "rad/s");
  EXPECT_DOUBLE_EQ(table.column("t")[4], 1.0);
  EXPECT_DOUBLE_EQ(table.column("hinge.q")[1], 0.6472977096471794);
}

TEST(FormerResult, IsLeftAsItIsByAResume) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.h5";
  std::filesystem::copy_file(former("result_1.h5"), path);
  const ResultTable table = read_result(path);
  RowChecksum checksum;
  checksum.add(table.values());
  const auto recorder = make_recorder(path);
  EXPECT_THAT(
      message_of([&] { recorder->resume(table.header(), table.rows(), checksum.value()); }),
      HasSubstr("an earlier version of sestina wrote it, in a layout that is read but not continued"));
  EXPECT_EQ(content(path), content(former("result_1.h5")));
}

TEST(FormerSweep, IsReadAsItWasWritten) {
  const SweepFile file = SweepFile::open(former("sweep_1.h5"), SweepFile::Access::kRead);
  EXPECT_EQ(file.header().axes.front().path, "joints.hinge.q");
  EXPECT_EQ(file.header().runs(), 3u);
  for (std::size_t run = 0; run < 3; ++run) {
    EXPECT_EQ(file.read_numbers(run).status, SweepStatus::kComplete);
    EXPECT_DOUBLE_EQ(file.read_numbers(run).last_row[0], 1.0);
  }
}

// Changes that broke the library: the size of a name in the heap of texts, an address, a number of rows.
TEST(FormerResult, IsReadOrRefusedWhateverByteOfItIsChanged) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.h5";
  std::filesystem::copy_file(former("result_1.h5"), path);
  // Without the room for more rows, which is zero and has no meaning.
  const std::string bytes = content(path);
  Damage damage(path);
  std::size_t refusals = 0;
  for (std::size_t i = 0; i < bytes.size(); i += bytes[i] == 0 ? 4093 : 61) {
    damage.change(i, static_cast<char>(~bytes[i]));
    try {
      read_result(path);
    } catch (const InputError&) {
      ++refusals;
    }
    damage.change(i, bytes[i]);
  }
  EXPECT_GT(refusals, 0u);
}

TEST(DamagedResult, NamesTheRowsThatAreDamaged) {
  const TemporaryDirectory directory;
  for (const char* name : {"a.csv", "a.h5"}) record(directory / name);
  const std::filesystem::path hdf5 = directory / "a.h5";
  const std::size_t size = std::filesystem::file_size(hdf5);
  {
    const std::string bytes = content(hdf5);
    std::string changed = bytes;
    changed[size - 8] = static_cast<char>(changed[size - 8] ^ 1);
    write(hdf5, changed);
    EXPECT_THAT(message_of([&] { read_result(hdf5); }),
                HasSubstr("its rows 65 to 70 are damaged: they do not fit their checksum"));
    changed = bytes;
    const std::size_t first = size - kRows * kColumns * sizeof(double);
    changed[first] = static_cast<char>(changed[first] ^ 1);
    write(hdf5, changed);
    EXPECT_THAT(message_of([&] { read_result(hdf5); }), HasSubstr("its rows 1 to 64 are damaged"));
  }
  const std::filesystem::path csv = directory / "a.csv";
  std::string text = content(csv);
  text[text.find("\n0.5,") + 3] = '6';
  write(csv, text);
  EXPECT_THAT(message_of([&] { read_result(csv); }),
              HasSubstr(":78:1: the lines from 1 to here are damaged or were changed: their checksum is "));
}

TEST(MadeResult, WithTheTimeAloneHasNothingToDraw) {
  const TemporaryDirectory directory;
  write(directory / "t.csv", "t\n0\n1\n");
  PlotOptions options;
  options.output = directory / "a.svg";
  EXPECT_EQ(message_of([&] { plot_result(read_result(directory / "t.csv"), options); }),
            "the result has no column to draw over 't'");
  options.columns = {"*"};
  EXPECT_EQ(message_of([&] { plot_result(read_result(directory / "t.csv"), options); }),
            "the result has no column to draw over 't'");
}

TEST(MadeResult, WithAColumnTwiceIsRefused) {
  const TemporaryDirectory directory;
  write(directory / "a.csv", "t,x,t\n0,1,2\n");
  EXPECT_THAT(message_of([&] { read_result(directory / "a.csv"); }),
              HasSubstr(":1:1: two columns are named 't'"));
  ResultHeader header = known_header(kColumns);
  header.columns[2].name = "t";
  {
    const auto recorder = make_recorder(directory / "a.h5");
    recorder->begin(header);
  }
  EXPECT_THAT(message_of([&] { read_result(directory / "a.h5"); }),
              HasSubstr("two of its columns are named 't'"));
}

// A result whose dataset `values` is replaced by what `make` puts there.
std::string refusal_of_values(const std::function<void(hid_t file)>& make) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.h5";
  record(directory / "other.h5");
  record(path);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "values", H5P_DEFAULT);
  make(file);
  H5Fclose(file);
  // Without its seal, which would tell the change.
  write_at(path, Hdf5Seal::kPlace, "x");
  return message_of([&] { read_result(path); });
}

TEST(MadeResult, DoesNotLeadToOtherFiles) {
  EXPECT_THAT(refusal_of_values([](hid_t file) {
                H5Lcreate_external("other.h5", "/values", file, "values", H5P_DEFAULT, H5P_DEFAULT);
              }),
              HasSubstr("'values' is a link, which is not followed"));
  EXPECT_THAT(refusal_of_values(
                  [](hid_t file) { H5Lcreate_soft("/names", file, "values", H5P_DEFAULT, H5P_DEFAULT); }),
              HasSubstr("'values' is a link, which is not followed"));
  EXPECT_THAT(
      refusal_of_values([](hid_t file) {
        const hsize_t size[2] = {kRows, kColumns};
        const hid_t space = H5Screate_simple(2, size, nullptr);
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_external(properties, "/etc/passwd", 0, H5F_UNLIMITED);
        H5Dclose(H5Dcreate2(file, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
        H5Pclose(properties);
        H5Sclose(space);
      }),
      HasSubstr("the numbers of 'values' are in another file, which is not read"));
}

TEST(MadeResult, CannotAskForMoreThanItHolds) {
  EXPECT_THAT(
      refusal_of_values([](hid_t file) {
        const hsize_t size[2] = {std::uint64_t{1} << 40, kColumns};
        const hsize_t chunk[2] = {1, kColumns};
        const hid_t space = H5Screate_simple(2, size, nullptr);
        const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(properties, 2, chunk);
        H5Dclose(H5Dcreate2(file, "values", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
        H5Pclose(properties);
        H5Sclose(space);
      }),
      HasSubstr("it claims 3298534883328 elements of 8 bytes, more than a file of "));
  EXPECT_THAT(refusal_of_values([](hid_t file) {
                const hsize_t size[2] = {2, kColumns};
                const hid_t space = H5Screate_simple(2, size, nullptr);
                const hid_t number = H5Tcopy(H5T_IEEE_F64LE);
                H5Tset_size(number, std::size_t{1} << 31);
                H5Dclose(H5Dcreate2(file, "values", number, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                H5Tclose(number);
                H5Sclose(space);
              }),
              HasSubstr("the numbers of 'values' take more room than the file has"));
}

TEST(ResultThatAnotherProgramChanged, IsRefused) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.h5";
  record(path);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t space = H5Screate(H5S_SCALAR);
  H5Aclose(H5Acreate2(file, "remark", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  H5Fclose(file);
  EXPECT_THAT(
      message_of([&] { read_result(path); }),
      HasSubstr("it is damaged, or another program changed it: its header does not fit its checksum"));
}

}  // namespace
}  // namespace sestina
