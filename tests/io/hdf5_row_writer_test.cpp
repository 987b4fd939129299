#include "sestina/io/hdf5_row_writer.h"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>

#include "io/hdf5_testing.h"
#include "io/result_testing.h"
#include "sestina/io/hdf5_handle.h"
#include "sestina/io/hdf5_reader.h"
#include "sestina/io/hdf5_result_file.h"

namespace sestina {
namespace {

using test::known_header;
using test::known_row;
using test::TemporaryDirectory;

// One thing that the writer does to its file, and the rows that must be in the file before and after it.
struct Change {
  bool is_resize = false;
  std::uint64_t place = 0;  // or the new size
  std::string bytes;
  std::size_t rows = 0;
};

class Journal {
 public:
  Hdf5Bytes bytes() {
    return {[this](std::uint64_t size) {
              return add({true, size, "", rows_});
            },
            [this](std::uint64_t place, std::string_view bytes) {
              return add({false, place, std::string(bytes), rows_});
            }};
  }
  void append(Hdf5RowWriter& writer, std::size_t rows, std::size_t columns) {
    std::vector<double> values;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::vector<double> row = known_row(writer.rows() + i, columns);
      values.insert(values.end(), row.begin(), row.end());
    }
    writer.append(values);
    rows_ = writer.rows();
  }
  const std::vector<Change>& changes() const { return changes_; }

 private:
  int add(Change change) {
    changes_.push_back(std::move(change));
    return 0;
  }
  std::vector<Change> changes_;
  std::size_t rows_ = 0;
};

// A file to which changes are made again, one after the other, each also as far as a kill may let it come.
class Replay {
 public:
  Replay(const std::filesystem::path& path, std::size_t columns) : path_(path), columns_(columns) {
    std::ofstream{path_};
  }

  void apply(const Change& change) {
    if (change.is_resize) {
      std::filesystem::resize_file(path_, change.place);
    } else {
      write(change.place, change.bytes);
    }
  }
  // Writes of numbers stay within a sector, so that a kill finds them done or not. Rows may come to any byte.
  void apply_half(const Change& change) {
    if (change.is_resize || change.bytes.size() < 2) return;
    const std::uint64_t sector = Hdf5RowPlaces::kSector;
    if (change.place / sector == (change.place + change.bytes.size() - 1) / sector) return;
    for (const std::size_t size : {std::size_t{1}, change.bytes.size() / 3, change.bytes.size() - 1}) {
      write(change.place, std::string_view(change.bytes).substr(0, size));
      expect_rows(change.rows);
    }
  }
  void expect_rows(std::size_t least) {
    const std::vector<double> values = test::read_values_by_hdf5(path_);
    const ResultTable table = read_hdf5_result(path_);
    ASSERT_GE(table.rows(), least);
    ASSERT_EQ(values, std::vector<double>(table.values().begin(), table.values().end()));
    test::expect_known_rows(table, columns_);
  }

 private:
  void write(std::uint64_t place, std::string_view bytes) {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(place));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::filesystem::path path_;
  std::size_t columns_;
};

void replay(const Journal& journal, const std::filesystem::path& path, std::size_t columns) {
  Replay file(path, columns);
  const std::vector<Change>& changes = journal.changes();
  ASSERT_TRUE(changes[0].is_resize);  // of what stood there, and the header in one piece
  file.apply(changes[0]);
  file.apply(changes[1]);
  for (std::size_t i = 2; i < changes.size(); ++i) {
    SCOPED_TRACE("change " + std::to_string(i));
    file.apply_half(changes[i]);
    file.apply(changes[i]);
    file.expect_rows(changes[i].rows);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Hdf5RowWriter, LeavesASoundFileAfterEachOfItsWritesAndWithinThem) {
  const TemporaryDirectory directory;
  constexpr std::size_t kColumns = 3;
  Journal journal;
  Hdf5RowWriter writer(journal.bytes(), known_header(kColumns));
  for (const std::size_t rows : {1, 2, 61, 1, 200, 0, 30}) journal.append(writer, rows, kColumns);
  writer.finish();
  replay(journal, directory / "a.h5", kColumns);
}

TEST(Hdf5RowWriter, LeavesASoundFileWhereverItMakesRoom) {
  const TemporaryDirectory directory;
  constexpr std::size_t kColumns = 1000;
  Journal journal;
  Hdf5RowWriter writer(journal.bytes(), known_header(kColumns));
  for (int i = 0; i < 4; ++i) journal.append(writer, 300, kColumns);  // 2.4 MB: room is made twice
  writer.finish();
  const auto resizes = std::count_if(journal.changes().begin(), journal.changes().end(),
                                     [](const Change& change) { return change.is_resize; });
  EXPECT_EQ(resizes, 4);
  replay(journal, directory / "a.h5", kColumns);
}

TEST(Hdf5RowWriter, LeavesASoundFileWhileItDropsRowsAndGoesOn) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "a.h5";
  constexpr std::size_t kColumns = 3;
  Journal journal;
  Hdf5RowWriter first(journal.bytes(), known_header(kColumns));
  journal.append(first, 100, kColumns);
  journal.append(first, 100, kColumns);
  Replay file(path, kColumns);
  for (const Change& change : journal.changes()) file.apply(change);

  RowChecksums kept(kColumns);
  for (std::size_t i = 0; i < 70; ++i) kept.add_rows(known_row(i, kColumns));
  Journal later;
  Hdf5RowWriter second(later.bytes(), Hdf5ResultFile(path).places(), kept, kColumns);
  for (const std::size_t rows : {10, 200}) later.append(second, rows, kColumns);
  second.finish();
  for (const Change& change : later.changes()) {
    file.apply_half({change.is_resize, change.place, change.bytes, 70});
    file.apply(change);
    file.expect_rows(std::max<std::size_t>(70, change.rows));
  }
  file.expect_rows(280);
}

TEST(Hdf5RowWriter, TakesAllRowsThatFitIntoAFileThatMayNotGrow) {
  constexpr std::uint64_t kMost = 100'000;  // bytes, less than the room that is made at once elsewhere
  std::uint64_t end = 0;
  const Hdf5Bytes bytes{[](std::uint64_t size) { return size > kMost ? EFBIG : 0; },
                        [&end](std::uint64_t place, std::string_view written) {
                          end = std::max(end, place + written.size());
                          return 0;
                        }};
  Hdf5RowWriter writer(bytes, known_header(3));
  EXPECT_THAT(testing_support::message_of<Hdf5Error>([&] {
                while (true) writer.append(known_row(0, 3));
              }),
              ::testing::HasSubstr("File too large"));
  EXPECT_GT(end, kMost - 3 * sizeof(double));
}

TEST(Hdf5RowWriter, ChangesNumbersWithinASectorWhateverTheHeaderIsLike) {
  for (std::size_t size = 0; size < 3000; size += 100) {
    Journal journal;
    ResultHeader header = known_header(3);
    header.model_text.assign(size, 'x');
    Hdf5RowWriter writer(journal.bytes(), header);
    for (int i = 0; i < 3; ++i) journal.append(writer, 1, 3);
    for (std::size_t i = 2; i < journal.changes().size(); ++i) {
      const Change& change = journal.changes()[i];
      const std::uint64_t last = change.place + change.bytes.size() - 1;
      if (change.is_resize || change.bytes.empty()) continue;
      EXPECT_EQ(change.place / Hdf5RowPlaces::kSector, last / Hdf5RowPlaces::kSector) << i;
    }
  }
}

}  // namespace
}  // namespace sestina
