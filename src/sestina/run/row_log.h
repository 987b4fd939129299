// Passes the rows of a run to its recorders, counts them, and collects the failures when the recorders end.
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
  // The recorders must outlive this object.
  explicit RowLog(std::span<const std::unique_ptr<Recorder>> recorders);
  explicit RowLog(Recorder& recorder) : recorders_{&recorder} {}

  // These throw InputError, as the recorders do.
  void begin(const ResultHeader& header);
  // Continues after `rows` former rows with this checksum.
  void resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum);
  // Throws ComputationError if a recorder cannot write the row.
  void see_row(std::span<const double> row, RowKind kind) override;
  void sync();
  // Ends all recorders. Returns the reason of the first failure, or an empty text.
  std::string end();

  bool is_empty() const { return recorders_.empty(); }
  long rows() const { return rows_; }  // including former ones
  void set_rows(long rows) { rows_ = rows; }

 private:
  std::vector<Recorder*> recorders_;
  long rows_ = 0;
};

}  // namespace sestina
