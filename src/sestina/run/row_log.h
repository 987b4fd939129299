// Hands the rows of a run to its recorders, counts them, and keeps what fails at the end.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/io/result_recorder.h"
#include "sestina/run/run_loop.h"

namespace sestina {

class RowLog final : public RunObserver {
 public:
  // The recorders must outlive this.
  explicit RowLog(std::span<const std::unique_ptr<Recorder>> recorders);
  explicit RowLog(Recorder& recorder) : recorders_{&recorder} {}

  // These throw InputError, as the recorders do.
  void begin(const ResultHeader& header);
  // With `rows` former ones, whose checksum is given.
  void resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum);
  // Throws ComputationError where a recorder cannot write it.
  void see_row(std::span<const double> row, RowKind kind) override;
  void sync();
  // Ends all recorders. Returns why the first of them could not, or nothing.
  std::string end();

  bool is_empty() const { return recorders_.empty(); }
  long rows() const { return rows_; }  // former ones included
  void set_rows(long rows) { rows_ = rows; }

 private:
  std::vector<Recorder*> recorders_;
  long rows_ = 0;
};

}  // namespace sestina
