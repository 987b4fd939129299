// The runs of a sweep in one HDF5 file; docs/sweep.md tells the layout.
//
// The file gets its full size, and is closed as HDF5, before the first run: every dataset lies in one piece
// and is filled with what a run that has not been done shows (status 0, NaN). Runs are then written over
// that, each at its place, by plain writes that no index depends on, and their status last. So at any
// instant, also after `kill -9`, the file is sound HDF5 that any reader opens, and tells exactly which runs
// it holds. A full disk is found before the first run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sestina/io/output_file.h"
#include "sestina/io/result.h"

namespace sestina {

// One key of the model and the values that it takes: all of them numbers, or texts.
struct SweepAxis {
  std::string path;                // as for `--set`: `parameters.l1`
  std::vector<std::string> texts;  // YAML, each on one line; empty where there are numbers
  std::vector<double> numbers;

  std::size_t size() const { return numbers.empty() ? texts.size() : numbers.size(); }
  std::string value(std::size_t i) const;  // as YAML; of a number the shortest text that reads back to it
  std::string setting(std::size_t i) const { return path + '=' + value(i); }
};

struct SweepHeader {
  std::string model_name;
  std::string model_text;  // before any axis changed it
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<SweepAxis> axes;
  std::vector<Column> columns;      // of the last row of each run
  std::vector<std::string> series;  // the columns that are kept over time
  std::size_t rows = 0;             // of the series of each run

  std::size_t runs() const;                           // the product of the axes' sizes
  std::vector<std::size_t> index(std::size_t) const;  // of a run on each axis; the last axis varies fastest
  std::vector<std::string> settings(std::size_t) const;  // PATH=VALUE, of a run
  double bytes() const;                                  // of all runs, nearly
};

enum class SweepStatus : std::uint8_t { kPending = 0, kComplete = 1, kFailed = 2 };

// What the file keeps of a run.
struct SweepRecord {
  SweepStatus status = SweepStatus::kPending;
  std::string reason;     // why it failed; the file keeps its first kReasonBytes
  std::int64_t rows = 0;  // of the run's series: at k every, and at the end
  std::int64_t steps = 0, rejected = 0, evaluations = 0;
  double energy_drift = 0.0, kinetic_energy = 0.0;  // J, as in RunReport
  double wall_seconds = 0.0;
  std::vector<double> last_row;  // (columns)
  std::vector<double> series;    // (rows x series), by rows
};

class SweepFile {
 public:
  static constexpr std::size_t kReasonBytes = 512;

  // Makes a new file beside `path` and then gives it that name; what stood there remains when this throws
  // InputError: another process is writing it, the disk is full.
  static SweepFile create(const std::filesystem::path& path, SweepHeader header);
  // Opens what `create` made, now or in an earlier version, to write the runs that it lacks or only to read.
  // Throws InputError: it is something else, or damaged, or another process is writing it, too.
  enum class Access { kRead, kWrite };
  static SweepFile open(const std::filesystem::path& path, Access access);
  static bool is_sweep_file(const std::filesystem::path& path);

  const SweepHeader& header() const { return header_; }
  const std::filesystem::path& path() const { return path_; }
  // Both throw InputError where the disk fails or a run is damaged.
  std::vector<SweepStatus> read_status() const;
  SweepRecord read_numbers(std::size_t run) const;  // all but the series
  // Throw std::runtime_error where the disk fails.
  void write(std::size_t run, const SweepRecord& record);
  void sync();

 private:
  // The datasets with a value, or several, for each run.
  enum Field {
    kReason,
    kRows,
    kSteps,
    kRejected,
    kEvaluations,
    kEnergyDrift,
    kKineticEnergy,
    kWallSeconds,
    kFinal,
    kChecksum,
    kSeries,
    kStatus,
    kFields
  };
  struct Layout;

  SweepFile(std::filesystem::path path, SweepHeader header);
  static Layout layout_of(const SweepHeader& header, int field);
  static void make_file(const std::filesystem::path& path, const SweepHeader& header);
  void open_file(Access access);
  void find_places();
  void fill();
  void seal();
  [[noreturn]] void fail_to_read(std::size_t run) const;
  void write_field(Field field, std::size_t run, const void* bytes, std::size_t size);
  void read_field(Field field, std::size_t first, void* bytes, std::size_t size) const;
  template <class T>
  void write_number(Field field, std::size_t run, T value) {
    write_field(field, run, &value, sizeof value);
  }

  std::filesystem::path path_;
  SweepHeader header_;
  std::optional<OutputFile> output_;  // by which no other process writes the file; of one that is written
  FileDescriptor file_;
  std::array<std::uint64_t, kFields> places_{};  // bytes from the file's start to run 0
  bool has_checksums_ = true;                    // those of an earlier version have none
};

// The last rows of all runs as a table over the first axis, for plots: its values, then for each column and
// scalar (`energy_drift`, `steps`, `wall_seconds`) a column for each combination of values of the other axes,
// named `hip.q (parameters.l2=1)`. Only `columns` (names, `*` for any letters; all where empty) are read.
// Throws InputError.
ResultTable read_sweep_table(const std::filesystem::path& path, const std::vector<std::string>& columns);

}  // namespace sestina
