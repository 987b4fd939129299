#include "sestina/io/result_recorder.h"

namespace sestina {

void Recorder::resume(const ResultHeader& header, std::size_t, std::uint64_t) { begin(header); }

void MemoryRecorder::begin(const ResultHeader& header) {
  table_ = ResultTable(header);
  table_.reserve_rows(expected_rows_);
}

int time_column(const ResultHeader& header) {
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    if (header.columns[i].name == "t") return static_cast<int>(i);
  }
  return -1;
}

}  // namespace sestina
