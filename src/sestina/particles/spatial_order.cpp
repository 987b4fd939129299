#include "sestina/particles/spatial_order.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/particles/kernels/particle_kernels.h"
#include "sestina/particles/particle_arrays.h"

namespace sestina {
namespace {

// The coordinate in the lanes behind the last particle, far from every particle.
constexpr double kNowhere = 1e15;

template <class Values, class Scratch>
void permute(const std::vector<int>& order, Values& values, Scratch& scratch) {
  scratch.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) scratch[i] = values[order[i]];
  std::copy(scratch.begin(), scratch.end(), values.begin());
}

void wrap(const Box& box, int axis, int size, Numbers64& x, std::vector<std::int32_t>& image) {
  if (!box.periodic[axis]) return;
  for (int i = 0; i < size; ++i) {
    double turns = box.calc_image(axis, x[i]);
    if (turns == 0.0) continue;
    x[i] -= turns * box.length[axis];
    image[i] += static_cast<std::int32_t>(turns);
    // Rounding may leave the particle just outside.
    turns = box.calc_image(axis, x[i]);
    if (turns == 0.0) continue;
    x[i] = box.lower[axis];
    if (turns > 0.0) ++image[i];
  }
}

}  // namespace

bool SpatialOrder::is_silent(const ParticleArrays& particles, int place) const {
  return !is_silent_.empty() && is_silent_[static_cast<std::size_t>(particles.species[place])] != 0;
}

void SpatialOrder::choose_columns(const Box& box, const ParticleArrays& particles) {
  const Numbers64* const axes[] = {&particles.x, &particles.y, &particles.z};
  for (int a = 0; a < 3; ++a) {
    lower_[a] = box.lower[a], length_[a] = box.length[a];
    if (box.periodic[a]) continue;
    const auto [low, high] = std::minmax_element(axes[a]->begin(), axes[a]->begin() + particles.size);
    lower_[a] = *low;
    length_[a] = std::max(*high - *low, std::numeric_limits<double>::min());
  }
  const double volume = std::max(length_[0] * length_[1] * length_[2], std::numeric_limits<double>::min());
  int acting = 0;
  for (int i = 0; i < particles.size; ++i) acting += is_silent(particles, i) ? 0 : 1;
  const double side = std::cbrt(volume * kClusterSize / std::max(acting, 1));
  const double most = std::sqrt(static_cast<double>(particles.size)) + 1.0;  // no more columns than particles
  for (int a = 0; a < 2; ++a) {
    count_[a] = static_cast<int>(std::clamp(std::floor(length_[a] / side), 1.0, most));
    width_[a] = length_[a] / count_[a];
  }
}

int SpatialOrder::column_of(double x, double y) const {
  const auto along = [&](int a, double s) {
    return static_cast<int>(std::clamp((s - lower_[a]) / width_[a], 0.0, count_[a] - 1.0));
  };
  return turn_of(along(0, x), along(1, y));
}

void SpatialOrder::count_columns(const ParticleArrays& particles) {
  turns_.resize(static_cast<std::size_t>(particles.size));
  const int columns = count_[0] * count_[1];
  begins_.assign(static_cast<std::size_t>(columns + 2), 0);
  for (int i = 0; i < particles.size; ++i) {
    turns_[i] = is_silent(particles, i) ? columns : column_of(particles.x[i], particles.y[i]);
    ++begins_[turns_[i] + 1];
  }
  for (std::size_t c = 1; c < begins_.size(); ++c) begins_[c] += begins_[c - 1];
}

void SpatialOrder::sort(const Box& box, ParticleArrays& particles) {
  wrap(box, 0, particles.size, particles.x, particles.image_x);
  wrap(box, 1, particles.size, particles.y, particles.image_y);
  wrap(box, 2, particles.size, particles.z, particles.image_z);
  choose_columns(box, particles);
  count_columns(particles);
  next_.assign(begins_.begin(), begins_.end() - 1);
  order_.resize(static_cast<std::size_t>(particles.size));
  for (int i = 0; i < particles.size; ++i) order_[next_[turns_[i]]++] = i;
  const auto rises = [&](int a, int b) {
    return particles.z[a] != particles.z[b] ? particles.z[a] < particles.z[b]
                                            : particles.number[a] < particles.number[b];
  };
  for (std::size_t c = 0; c + 1 < begins_.size(); ++c) {
    const auto begin = order_.begin() + begins_[c], end = order_.begin() + begins_[c + 1];
    if (c % 2 == 0) {
      std::sort(begin, end, rises);
    } else {
      std::sort(begin, end, [&](int a, int b) { return rises(b, a); });
    }
  }
  for (Numbers64* values : {&particles.x, &particles.y, &particles.z, &particles.vx, &particles.vy,
                            &particles.vz, &particles.inverse_mass}) {
    permute(order_, *values, moved_);
  }
  if (!particles.charge.empty()) permute(order_, particles.charge, moved_);
  for (auto* values :
       {&particles.image_x, &particles.image_y, &particles.image_z, &particles.species, &particles.number}) {
    permute(order_, *values, moved_whole_);
  }
  for (int i = 0; i < particles.size; ++i) particles.place[particles.number[i]] = i;
  for (std::size_t i = particles.size; i < particles.x.size(); ++i) {
    particles.x[i] = particles.y[i] = particles.z[i] = kNowhere;
  }
}

SpatialOrder::Range SpatialOrder::find(int ix, int iy, double lowest, double highest, const double* z) const {
  const int turn = turn_of(ix, iy);
  const double *const begin = z + begins_[turn], *const end = z + begins_[turn + 1];
  const double *first, *last;
  if (turn % 2 == 0) {
    first = std::lower_bound(begin, end, lowest);
    last = std::upper_bound(first, end, highest);
  } else {
    first = std::lower_bound(begin, end, highest, [](double a, double b) { return a > b; });
    last = std::upper_bound(first, end, lowest, [](double a, double b) { return a > b; });
  }
  return {static_cast<int>(first - z), static_cast<int>(last - z)};
}

}  // namespace sestina
