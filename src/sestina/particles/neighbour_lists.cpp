#include "sestina/particles/neighbour_lists.h"

#include <algorithm>
#include <cmath>

#include "sestina/parallel/executor.h"
#include "sestina/particles/particle_arrays.h"

namespace sestina {
namespace {

constexpr int kClustersPerChunk = 32;
constexpr unsigned kAllLanes = 0xFF;

}  // namespace

// Makes the lists of one chunk.
class NeighbourLists::Builder {
 public:
  Builder(const Box& box, const SpatialOrder& order, const ParticleArrays& particles,
          const Exclusions& exclusions, double reach, const ParticleKernels& kernels, Chunk& chunk)
      : box_(box),
        order_(order),
        particles_(particles),
        exclusions_(exclusions),
        reach_(reach),
        kernels_(kernels),
        chunk_(chunk) {}

  void build() {
    chunk_.run_ends.clear(), chunk_.runs.clear(), chunk_.neighbours.clear(), chunk_.masks.clear();
    for (int c = chunk_.first_cluster; c < chunk_.last_cluster; ++c) {
      find_bounds(c);
      find_excluded(c);
      build_cluster(c);
      chunk_.run_ends.push_back(static_cast<int>(chunk_.runs.size()));
    }
  }

 private:
  struct Excluded {
    int place;
    int lane;
  };

  void find_bounds(int cluster) {
    const Numbers64* const axes[] = {&particles_.x, &particles_.y, &particles_.z};
    const int first = cluster * kClusterSize;
    const int last = std::min(first + kClusterSize, order_.acting());
    for (int a = 0; a < 3; ++a) {
      const auto [low, high] = std::minmax_element(axes[a]->begin() + first, axes[a]->begin() + last);
      low_[a] = *low, high_[a] = *high;
      std::copy_n(axes[a]->begin() + first, kClusterSize, position_ + a * kClusterSize);
    }
  }

  void find_excluded(int cluster) {
    excluded_.clear();
    excluded_bits_ = 0;
    if (exclusions_.empty()) return;
    for (int l = 0; l < kClusterSize && cluster * kClusterSize + l < particles_.size; ++l) {
      for (const int partner : exclusions_.of(particles_.number[cluster * kClusterSize + l])) {
        const int place = particles_.place[partner];
        excluded_.push_back({place, l});
        excluded_bits_ |= std::uint64_t{1} << (place & 63);
      }
    }
  }

  // Makes one run for each image of the box within reach of the cluster.
  void build_cluster(int cluster) {
    int first[3] = {}, last[3] = {};
    for (int a = 0; a < 3; ++a) {
      if (!box_.periodic[a]) continue;
      first[a] = static_cast<int>(box_.calc_image(a, low_[a] - reach_));
      last[a] = static_cast<int>(box_.calc_image(a, high_[a] + reach_));
    }
    for (int ix = first[0]; ix <= last[0]; ++ix) {
      for (int iy = first[1]; iy <= last[1]; ++iy) {
        for (int iz = first[2]; iz <= last[2]; ++iz) add_run(cluster, {ix, iy, iz});
      }
    }
  }

  // Adds neighbours that are images of particles, `image` box lengths away from them; instead of the
  // particles the cluster is shifted, by the opposite amount.
  void add_run(int cluster, const std::array<int, 3>& image) {
    NeighbourRun run;
    double lanes[3 * kClusterSize];
    Vector3d low{}, high{};
    for (int a = 0; a < 3; ++a) {
      run.shift[a] = -image[a] * box_.length[a];
      low[a] = low_[a] + run.shift[a], high[a] = high_[a] + run.shift[a];
      for (int l = 0; l < kClusterSize; ++l) {
        lanes[a * kClusterSize + l] = position_[a * kClusterSize + l] + run.shift[a];
      }
    }
    run.begin = static_cast<std::int64_t>(chunk_.neighbours.size());
    run.masks = static_cast<std::int64_t>(chunk_.masks.size());
    search_columns(lanes, low, high);
    if (static_cast<std::int64_t>(chunk_.neighbours.size()) == run.begin) return;
    const bool is_home = image[0] == 0 && image[1] == 0 && image[2] == 0;
    if (is_home || !excluded_.empty()) move_masked_first(cluster, is_home, run);
    run.count = static_cast<std::int32_t>(static_cast<std::int64_t>(chunk_.neighbours.size()) - run.begin);
    if (run.count > 0) chunk_.runs.push_back(run);
  }

  // Returns the first and last column within reach, along x or y.
  std::array<int, 2> columns_near(int a, double low, double high) const {
    const double width = a == 0 ? order_.width_x() : order_.width_y();
    const int count = a == 0 ? order_.columns_x() : order_.columns_y();
    const auto column = [&](double s) {
      return static_cast<int>(std::clamp(std::floor((s - order_.lower()[a]) / width), -1.0, count + 0.0));
    };
    return {std::max(column(low - reach_), 0), std::min(column(high + reach_), count - 1)};
  }

  // Returns the distance (m) between the column and the cluster.
  double gap(int a, int column, const Vector3d& low, const Vector3d& high) const {
    const double width = a == 0 ? order_.width_x() : order_.width_y();
    const double begin = order_.lower()[a] + column * width;
    // The result is a little too small on purpose, since particles are sorted into columns with rounding.
    return std::max({begin - high[a], low[a] - (begin + width), 0.0}) * (1.0 - 1e-9);
  }

  void search_columns(const double* lanes, const Vector3d& low, const Vector3d& high) {
    const auto [first_y, last_y] = columns_near(1, low[1], high[1]);
    const auto [first_x, last_x] = columns_near(0, low[0], high[0]);
    SearchTask task{{particles_.x.data(), particles_.y.data(), particles_.z.data()},
                    lanes,
                    0,
                    0,
                    reach_ * reach_,
                    nullptr};
    for (int iy = first_y; iy <= last_y; ++iy) {
      const double gap_y = gap(1, iy, low, high);
      for (int ix = first_x; ix <= last_x; ++ix) {
        const double gap_x = gap(0, ix, low, high);
        const double rest = reach_ * reach_ - gap_x * gap_x - gap_y * gap_y;
        if (rest <= 0.0) continue;
        const double height = std::sqrt(rest);
        const auto range = order_.find(ix, iy, low[2] - height, high[2] + height, particles_.z.data());
        if (range.begin == range.end) continue;
        const std::size_t size = chunk_.neighbours.size();
        chunk_.neighbours.resize(size + static_cast<std::size_t>(range.end - range.begin));
        task.begin = range.begin, task.end = range.end;
        task.found = chunk_.neighbours.data() + size;
        chunk_.neighbours.resize(size + static_cast<std::size_t>(kernels_.search(task)));
      }
    }
  }

  // Returns the mask of the lanes on which the neighbour acts.
  unsigned mask_of(int cluster, bool is_home, int neighbour) const {
    unsigned mask = kAllLanes;
    if (is_home && neighbour / kClusterSize == cluster) mask &= ~(1U << (neighbour % kClusterSize));
    if ((excluded_bits_ >> (neighbour & 63) & 1) != 0) {
      for (const Excluded& pair : excluded_) {
        if (pair.place == neighbour) mask &= ~(1U << pair.lane);
      }
    }
    return mask;
  }

  void move_masked_first(int cluster, bool is_home, NeighbourRun& run) {
    chunk_.masked.clear();
    std::size_t kept = static_cast<std::size_t>(run.begin);
    for (std::size_t k = kept; k < chunk_.neighbours.size(); ++k) {
      const int neighbour = chunk_.neighbours[k];
      const unsigned mask = mask_of(cluster, is_home, neighbour);
      if (mask == kAllLanes) {
        chunk_.neighbours[kept++] = neighbour;
      } else if (mask != 0) {
        chunk_.masked.push_back(neighbour);
        chunk_.masks.push_back(static_cast<std::uint8_t>(mask));
      }
    }
    chunk_.neighbours.resize(kept);
    chunk_.neighbours.insert(chunk_.neighbours.begin() + run.begin, chunk_.masked.begin(),
                             chunk_.masked.end());
    run.masked = static_cast<std::int32_t>(chunk_.masked.size());
  }

  const Box& box_;
  const SpatialOrder& order_;
  const ParticleArrays& particles_;
  const Exclusions& exclusions_;
  const double reach_;
  const ParticleKernels& kernels_;
  Chunk& chunk_;
  Vector3d low_{}, high_{};
  double position_[3 * kClusterSize] = {};
  std::vector<Excluded> excluded_;
  std::uint64_t excluded_bits_ = 0;  // bit p mod 64 of each place p: excludes most neighbours by one test
};

void NeighbourLists::build(const Box& box, const SpatialOrder& order, const ParticleArrays& particles,
                           const Exclusions& exclusions, double reach, const ParticleKernels& kernels,
                           Executor& executor) {
  const int clusters = (order.acting() + kClusterSize - 1) / kClusterSize;
  const int chunks = (clusters + kClustersPerChunk - 1) / kClustersPerChunk;
  chunks_.resize(static_cast<std::size_t>(chunks));
  executor.parallel_for(chunks, 1, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Chunk& chunk = chunks_[i];
      chunk.first_cluster = i * kClustersPerChunk;
      chunk.last_cluster = std::min(chunk.first_cluster + kClustersPerChunk, clusters);
      Builder(box, order, particles, exclusions, reach, kernels, chunk).build();
    }
  });
}

NeighbourChunk NeighbourLists::chunk(int i) const {
  const Chunk& chunk = chunks_[i];
  return {chunk.first_cluster, chunk.last_cluster,      chunk.run_ends.data(),
          chunk.runs.data(),   chunk.neighbours.data(), chunk.masks.data()};
}

std::int64_t NeighbourLists::calc_size() const {
  std::int64_t size = 0;
  for (const Chunk& chunk : chunks_) size += static_cast<std::int64_t>(chunk.neighbours.size());
  return size;
}

}  // namespace sestina
