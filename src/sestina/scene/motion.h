// The motion of a result, for a picture: the poses of its bodies in each row, and its columns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sestina/io/result.h"
#include "sestina/scene/scene.h"

namespace sestina {

// The force of a contact or of a force element on a body. That of a contact acts on the second shape, or the
// first if the second is the ground's.
struct MotionForce {
  std::uint32_t item = 0;         // in Scene::items
  std::array<float, 3> p, force;  // m and N, ground axes
};
static_assert(sizeof(MotionForce) == 28);

struct Motion {
  std::vector<Column> columns;
  std::vector<double> values;  // (rows x columns)
  std::vector<float> poses;    // (frames x (bodies x FrameMaker::kPoseSize + 3 particles))
  std::string x = "t";         // the column that orders the rows: t, load, or mode
  std::size_t rows = 0;
  std::size_t stride = 1;  // number of rows of the result for each row here
  std::size_t frames_per_mode =
      0;  // for modes: frames of one period, mode by mode; otherwise 0, one frame per row

  std::vector<std::uint32_t> force_starts;  // (rows + 1) in forces; empty: none are known
  std::vector<MotionForce> forces;

  std::size_t frames() const { return rows * (frames_per_mode > 0 ? frames_per_mode : 1); }
};

// The size of a motion of one row in bytes, which determines the possible number of rows.
std::size_t bytes_per_row(const ResultTable& table, const Model& model);

// Omits rows at equal intervals until the motion takes at most `most_bytes`; the last row is kept. `rest`
// (nq) is the state about which modes are shown; empty: the initial state. Throws InputError if the result
// belongs to another model, in which a coordinate of this one has no column.
Motion make_motion(const ResultTable& table, const Model& model, const Properties<double>& properties,
                   std::size_t most_bytes, double extent = 1.0, std::span<const double> rest = {});

}  // namespace sestina
