// The rows of a run of particles that are kept: every stride-th, and the last one. When they take more than a
// given number of bytes, every second one is dropped and the stride doubles, so that a run of any length is
// shown from its beginning to the present.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sestina/scene/motion.h"

namespace sestina::studio {

class ParticleTrack {
 public:
  // `numbers` of a frame: of the poses of bodies and the positions of particles. At least two rows are kept,
  // whatever `most_bytes`.
  ParticleTrack(std::vector<Column> columns, std::size_t numbers, std::size_t most_bytes);

  // A change brings the rows before to those after: of the first `rows` keep every stride-th one, drop the
  // others, and append those from `first` on.
  struct Change {
    std::size_t rows = 0, stride = 1, first = 0;
    bool is_passing = false;  // the next change will drop all that this one adds
  };
  // (rows x columns) and (rows x numbers).
  Change add(std::span<const double> values, std::span<const float> frames);

  const Motion& motion() const { return motion_; }
  Motion part(std::size_t first, std::size_t rows) const;
  std::size_t bytes_per_row() const { return width_ * sizeof(double) + numbers_ * sizeof(float); }

 private:
  void add_row(std::span<const double> values, std::span<const float> frames);
  void drop_every_second();
  bool is_last_passing() const { return count_ > 0 && (count_ - 1) % motion_.stride != 0; }

  std::size_t width_, numbers_;  // of a row: columns, numbers of its frame
  std::size_t most_rows_;
  std::size_t count_ = 0;  // rows of the run so far
  Motion motion_;
};

}  // namespace sestina::studio
