// Results as comma-separated values.
//
//   # sestina result, CSV
//   # model: double pendulum
//   # solver: recursive
//   # units: s,rad,rad/s
//   t,hip.q,hip.u
//   0,1,1
//
// Every number reads back to the same bits. The text of the model is not in the file (HDF5 keeps it).
#pragma once

#include <filesystem>
#include <limits>
#include <vector>

#include "sestina/io/output_file.h"
#include "sestina/io/result_recorder.h"

namespace sestina {

class CsvRecorder final : public Recorder {
 public:
  explicit CsvRecorder(std::filesystem::path path);  // throws InputError when the path cannot be written
  ~CsvRecorder() override;                           // writes what is left but reports no error; call `end`

  void begin(const ResultHeader& header) override;
  void resume(const ResultHeader& header, std::size_t rows, std::span<const double> last_row) override;
  void record(std::span<const double> row) override;
  void flush() override;
  void sync() override;
  void end() override;

 private:
  void start(const ResultHeader& header);
  void write_buffer();  // throws ComputationError

  OutputFile file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;      // of the buffer
  std::size_t row_size_ = 0;  // the most that a row can take
  std::size_t columns_ = 0;
  int time_column_ = -1;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();  // s
  FlushClock clock_;
};

}  // namespace sestina
