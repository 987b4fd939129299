// The motion of a result, for a picture: where its bodies are in each row, and its columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/io/result.h"
#include "sestina/scene/scene.h"

namespace sestina {

struct Motion {
  std::vector<Column> columns;
  std::vector<double> values;  // (rows x columns)
  std::vector<float> poses;    // (frames x bodies x FrameMaker::kPoseSize)
  std::string x = "t";         // the column that orders the rows: t, load, or mode
  std::size_t rows = 0;
  std::size_t stride = 1;  // so many rows of the result for one here
  std::size_t frames_per_mode =
      0;  // of modes: frames of one period, mode after mode; otherwise a frame a row

  std::size_t frames() const { return rows * (frames_per_mode > 0 ? frames_per_mode : 1); }
};

// How many bytes a motion of one row takes: that decides how many rows there can be.
std::size_t bytes_per_row(const ResultTable& table, const Model& model);

// Rows are left out, equally far apart, until the motion takes at most `most_bytes`; the last one stays.
// `rest` (nq) is where modes are shown, the initial state where it is empty. Throws InputError where the
// result is of another model: where a coordinate of this one is no column.
Motion make_motion(const ResultTable& table, const Model& model, const Properties<double>& properties,
                   std::size_t most_bytes, double extent = 1.0, std::span<const double> rest = {});

}  // namespace sestina
