#include "sestina/io/result_recorder.h"

#include <algorithm>
#include <cmath>

namespace sestina {

void Recorder::resume(const ResultHeader& header, std::size_t, std::span<const double>) { begin(header); }

bool same_row(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

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
