#include "studio/particle_track.h"

#include <algorithm>

namespace sestina::studio {
namespace {

// Moves the row `from` of an array to the place of the row `to`.
template <class T>
void move_row(std::vector<T>& numbers, std::size_t width, std::size_t from, std::size_t to) {
  const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(from * width);
  std::copy(begin, begin + static_cast<std::ptrdiff_t>(width),
            numbers.begin() + static_cast<std::ptrdiff_t>(to * width));
}

template <class T>
std::vector<T> rows_of(const std::vector<T>& numbers, std::size_t width, std::size_t first,
                       std::size_t rows) {
  const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first * width);
  return {begin, begin + static_cast<std::ptrdiff_t>(rows * width)};
}

}  // namespace

ParticleTrack::ParticleTrack(std::vector<Column> columns, std::size_t numbers, std::size_t most_bytes)
    : width_(columns.size()), numbers_(numbers) {
  motion_.columns = std::move(columns);
  most_rows_ = std::max<std::size_t>(2, most_bytes / bytes_per_row());
}

ParticleTrack::Change ParticleTrack::add(std::span<const double> values, std::span<const float> frames) {
  Change change{.rows = motion_.rows - (is_last_passing() ? 1 : 0)};
  const std::size_t stride = motion_.stride;
  for (std::size_t i = 0; i < values.size() / width_; ++i) {
    add_row(values.subspan(i * width_, width_), frames.subspan(i * numbers_, numbers_));
  }
  change.stride = motion_.stride / stride;
  change.first = (change.rows + change.stride - 1) / change.stride;
  change.is_passing = change.stride == 1 && is_last_passing() && motion_.rows == change.first + 1;
  return change;
}

void ParticleTrack::add_row(std::span<const double> values, std::span<const float> frames) {
  if (is_last_passing()) {
    --motion_.rows;
    motion_.values.resize(motion_.rows * width_);
    motion_.poses.resize(motion_.rows * numbers_);
  }
  motion_.values.insert(motion_.values.end(), values.begin(), values.end());
  motion_.poses.insert(motion_.poses.end(), frames.begin(), frames.end());
  ++motion_.rows;
  ++count_;
  if (!is_last_passing() && motion_.rows > most_rows_) drop_every_second();
}

// The last row remains, if need be as one that passes.
void ParticleTrack::drop_every_second() {
  motion_.stride *= 2;
  const std::size_t before = motion_.rows;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < before; ++i) {
    if (i % 2 != 0 && i + 1 < before) continue;
    move_row(motion_.values, width_, i, rows);
    move_row(motion_.poses, numbers_, i, rows);
    ++rows;
  }
  motion_.rows = rows;
  motion_.values.resize(rows * width_);
  motion_.poses.resize(rows * numbers_);
}

Motion ParticleTrack::part(std::size_t first, std::size_t rows) const {
  Motion part;
  part.columns = motion_.columns;
  part.rows = rows;
  part.stride = motion_.stride;
  part.values = rows_of(motion_.values, width_, first, rows);
  part.poses = rows_of(motion_.poses, numbers_, first, rows);
  return part;
}

}  // namespace sestina::studio
