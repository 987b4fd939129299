// When a run has rows: at the multiples of output.every, and at the end of its duration.
#pragma once

#include "sestina/model/analysis.h"

namespace sestina {

// Two rows nearer than this fraction of the output interval are one.
inline constexpr double kSameRow = 1e-6;

struct RowInstant {
  double t = 0.0;  // s
  bool is_last = false;
};

inline RowInstant find_row_instant(long row, const Analysis& analysis) {
  const double t = static_cast<double>(row) * analysis.output_every;
  if (t >= analysis.duration - kSameRow * analysis.output_every) return {analysis.duration, true};
  return {t, false};
}

}  // namespace sestina
