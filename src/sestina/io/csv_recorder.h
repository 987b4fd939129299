// Results as comma-separated values.
//
//   # sestina result, CSV
//   # model: double pendulum
//   # solver: recursive
//   # units: s,rad,rad/s
//   t,hip.q,hip.u
//   0,1,1
//   # checksum of the lines above: 85944171f73967e8
//
// A checksum line is written at the end, and whenever the lines since the last one reach 64 KiB, so that a
// resumed run writes the same bytes as an uninterrupted one. Every number reads back to the same bits. The
// file does not contain the text of the model (HDF5 files do).
#pragma once

#include <filesystem>
#include <limits>
#include <vector>

#include "sestina/io/checksum.h"
#include "sestina/io/output_file.h"
#include "sestina/io/result_recorder.h"

namespace sestina {

class CsvRecorder final : public Recorder {
 public:
  explicit CsvRecorder(std::filesystem::path path);  // throws InputError when the path cannot be written
  ~CsvRecorder() override;                           // writes what is left but reports no error; call `end`

  void begin(const ResultHeader& header) override;
  void resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum) override;
  void record(std::span<const double> row) override;
  void flush() override;
  void sync() override;
  void end() override;

 private:
  void start(const ResultHeader& header);
  void add_checksum();  // of the lines since the last one, to the buffer
  void write_buffer();  // throws ComputationError

  OutputFile file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;      // of the buffer
  std::size_t row_size_ = 0;  // upper bound
  LineChecksum lines_;        // since the last line with a checksum
  std::size_t columns_ = 0;
  int time_column_ = -1;
  double last_time_ = std::numeric_limits<double>::quiet_NaN();  // s
  FlushClock clock_;
};

}  // namespace sestina
