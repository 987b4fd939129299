// The runs of a sweep in one HDF5 file; docs/sweep.md describes the layout.
//
// The file gets its full size, and is closed as HDF5, before the first run: every dataset is contiguous
// and filled with the values of a pending run (status 0, NaN). Runs are then written to their places by
// plain writes without an index, and their status last. Therefore the file is valid HDF5 at any instant,
// even after `kill -9`, and shows exactly which runs it contains. A full disk is detected before the first
// run.
#pragma once

#include <array>
#include <atomic>
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

// A key of the model and its values: all of them numbers, or texts.
struct SweepAxis {
  std::string path;                // as for `--set`: `parameters.l1`
  std::vector<std::string> texts;  // YAML, each on one line; empty for numbers
  std::vector<double> numbers;

  std::size_t size() const { return numbers.empty() ? texts.size() : numbers.size(); }
  std::string value(std::size_t i) const;  // as YAML; for a number the shortest text that reads back to it
  std::string setting(std::size_t i) const { return path + '=' + value(i); }
};

struct SweepHeader {
  std::string model_name;
  std::string model_text;  // before any axis changed it
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<SweepAxis> axes;
  std::vector<Column> columns;      // for the last row of each run
  std::vector<std::string> series;  // the columns stored over time
  std::size_t rows = 0;             // of the series of each run

  std::size_t runs() const;                           // the product of the axes' sizes
  std::vector<std::size_t> index(std::size_t) const;  // of a run on each axis; the last axis varies fastest
  std::vector<std::string> settings(std::size_t) const;  // PATH=VALUE of a run
  double bytes() const;                                  // of all runs, approximately
};

enum class SweepStatus : std::uint8_t { kPending = 0, kComplete = 1, kFailed = 2 };

// The stored data of a run.
struct SweepRecord {
  SweepStatus status = SweepStatus::kPending;
  std::string reason;     // of a failure; the file stores its first kReasonBytes
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

  // Makes a temporary file and renames it to `path`; the former contents remain if this throws InputError:
  // another process is writing the file, or the disk is full. Nothing remains of a large file and nothing is
  // returned if `interrupt` becomes true while it is laid out.
  static std::optional<SweepFile> create(const std::filesystem::path& path, SweepHeader header,
                                         const std::atomic<bool>* interrupt = nullptr);
  // Opens a file that `create` made, in this or an earlier version, to write missing runs or only to read.
  // Throws InputError if it is something else or damaged, or if another process is writing it too.
  enum class Access { kRead, kWrite };
  static SweepFile open(const std::filesystem::path& path, Access access);
  static bool is_sweep_file(const std::filesystem::path& path);

  const SweepHeader& header() const { return header_; }
  const std::filesystem::path& path() const { return path_; }
  // Both throw InputError if the disk fails or a run is damaged.
  std::vector<SweepStatus> read_status() const;
  SweepRecord read_numbers(std::size_t run) const;  // all but the series
  // Both throw std::runtime_error if the disk fails.
  void write(std::size_t run, const SweepRecord& record);
  void sync();

 private:
  // The datasets with one or several values for each run.
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
  bool fill(const std::atomic<bool>* interrupt);  // false if it was interrupted
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
  std::optional<OutputFile> output_;  // locks the file against other writers; absent for reading
  FileDescriptor file_;
  std::array<std::uint64_t, kFields> places_{};  // bytes from the start of the file to run 0
  bool has_checksums_ = true;                    // files of an earlier version have none
};

// Returns the last rows of all runs as a table over the first axis, for plots: its values, then for each
// column and scalar (`energy_drift`, `steps`, `wall_seconds`) a column for each combination of values of the
// other axes, named `hip.q (parameters.l2=1)`. Only `columns` (names, `*` for any letters; empty: all) are
// read. Throws InputError.
ResultTable read_sweep_table(const std::filesystem::path& path, const std::vector<std::string>& columns);

}  // namespace sestina
