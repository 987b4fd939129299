#include "sestina/run/row_log.h"

#include "sestina/base/error.h"

namespace sestina {

RowLog::RowLog(std::span<const std::unique_ptr<Recorder>> recorders) {
  for (const auto& recorder : recorders) recorders_.push_back(recorder.get());
}

void RowLog::begin(const ResultHeader& header) {
  rows_ = 0;
  for (Recorder* recorder : recorders_) recorder->begin(header);
}

void RowLog::resume(const ResultHeader& header, std::size_t rows, std::uint64_t checksum) {
  for (Recorder* recorder : recorders_) recorder->resume(header, rows, checksum);
  rows_ = static_cast<long>(rows);
}

void RowLog::see_row(std::span<const double> row, RowKind kind) {
  for (Recorder* recorder : recorders_) {
    if (kind == RowKind::kRegular) {
      recorder->record(row);
    } else {
      recorder->record_between(row);
    }
  }
  ++rows_;
}

void RowLog::sync() {
  for (Recorder* recorder : recorders_) recorder->sync();
}

std::string RowLog::end() {
  std::string failure;
  for (Recorder* recorder : recorders_) {
    try {
      recorder->end();
    } catch (const ComputationError& error) {
      if (failure.empty()) failure = error.what();
    }
  }
  return failure;
}

}  // namespace sestina
