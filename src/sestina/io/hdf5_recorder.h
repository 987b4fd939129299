// Results as HDF5, all in one file: the numbers, what they mean and the model that they came from.
//
//   /                 attributes: sestina_result (1, the version of this layout), model_name, model (the
//   whole text) /names            (columns) strings /units            (columns) strings /values (rows x
//   columns) doubles /provenance       attributes: program version, solver, integrator, date, ...
//
// In Python: `f = h5py.File("run.h5"); f["values"][:, list(f["names"].asstr()).index("hip.q")]`.
// A killed run leaves a file that opens just so, with all rows up to the last flush; a reader may also open
// the file while the run goes on, preferably with `swmr=True` (hdf5_superblock.h tells how).
#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include "sestina/io/output_file.h"
#include "sestina/io/result_recorder.h"

namespace sestina {

class Hdf5Recorder final : public Recorder {
 public:
  explicit Hdf5Recorder(std::filesystem::path path);  // throws InputError when the path cannot be written
  ~Hdf5Recorder() override;                           // ends the file but reports no error; call `end`

  void begin(const ResultHeader& header) override;
  // Copies the rows that are kept to a new file, which then takes the place of the old one.
  void resume(const ResultHeader& header, std::size_t rows, std::span<const double> last_row) override;
  void record(std::span<const double> row) override;
  void flush() override;
  void sync() override;
  void end() override;

 private:
  struct Output;  // what the library holds open

  void prepare(const ResultHeader& header);
  void create(const std::filesystem::path& path, const ResultHeader& header);
  void copy_rows(const ResultHeader& header, std::size_t rows, std::span<const double> last_row,
                 const std::filesystem::path& to);
  void write_rows();
  void close_file();

  // Runs `work`; turns what fails into ComputationError, after which nothing more is written.
  template <class Work>
  void guard(Work work);

  OutputFile path_;  // by which no other process writes the file; the library opens it by its name
  std::unique_ptr<Output> output_;
  std::vector<double> pending_;  // (pending_rows_ x columns), by rows; room for one chunk
  std::size_t columns_ = 0;
  std::size_t pending_rows_ = 0;
  std::size_t chunk_rows_ = 0;
  std::size_t rows_ = 0;  // in the file
  int time_column_ = -1;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();  // s
  FlushClock clock_;
};

}  // namespace sestina
