// Results as HDF5 in a single file: the numbers, their meaning and the model of the run.
//
//   /             attributes: sestina_result (2, the version of this layout), model_name, model (the whole
//                 text), header_checksum
//
//   /names        (columns) strings
//   /units        (columns) strings
//   /values       (rows x columns) doubles, in one piece
//   /provenance   attributes: program version, solver, integrator, date, ...
//   /checksums    of the rows (row_checksums.h, hdf5_row_writer.h)
//
// In Python: `f = h5py.File("run.h5"); f["values"][:, list(f["names"].asstr()).index("hip.q")]`.
// A killed run leaves a file that opens in the same way, with all rows up to the last flush. A reader may
// also open the file during the run, and again to see more rows (hdf5_row_writer.h explains how).
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "sestina/io/hdf5_row_writer.h"
#include "sestina/io/output_file.h"
#include "sestina/io/result_recorder.h"

namespace sestina {

class Hdf5Recorder final : public Recorder {
 public:
  explicit Hdf5Recorder(std::filesystem::path path);  // throws InputError when the path cannot be written
  ~Hdf5Recorder() override;                           // ends the file but reports no error; call `end`

  void begin(const ResultHeader& header) override;
  void resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum) override;
  void record(std::span<const double> row) override;
  void flush() override;
  void sync() override;
  void end() override;

 private:
  void prepare(const ResultHeader& header);
  void continue_rows(const ResultHeader& header, std::size_t rows, std::uint64_t checksum);
  Hdf5Bytes bytes();
  void write_rows();

  // Runs `work`; converts failures to ComputationError, after which nothing more is written.
  template <class Work>
  void guard(Work work);

  OutputFile file_;
  std::optional<Hdf5RowWriter> writer_;  // none before the beginning and after the end
  std::vector<double> pending_;          // (pending_rows_ x columns), by rows
  std::size_t columns_ = 0;
  std::size_t pending_rows_ = 0;
  std::size_t most_pending_ = 0;  // rows
  int time_column_ = -1;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();  // s
  FlushClock clock_;
};

}  // namespace sestina
