#include "sestina/particles/radial_distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace sestina {
namespace {

constexpr int kMostCells = 128;  // along an axis

// Cells at least as wide as the reach. With fewer than three along a periodic axis there is one, since a cell
// would be its neighbour on both sides.
class Cells {
 public:
  Cells(const Box& box, std::span<const double> position, double reach) : box_(box) {
    const std::size_t n = position.size() / 3;
    for (int a = 0; a < 3; ++a) {
      lower_[a] = box.lower[a], length_[a] = box.length[a];
      if (!box.periodic[a]) find_extent(position, a);
      const double fit = std::floor(length_[a] / reach);
      count_[a] = fit < 3.0 ? 1 : std::min(kMostCells, static_cast<int>(fit));
    }
    first_.assign(static_cast<std::size_t>(count_[0]) * count_[1] * count_[2], -1);
    next_.assign(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
      int& head = first_[static_cast<std::size_t>(cell_of(position.data() + 3 * i))];
      next_[i] = head, head = static_cast<int>(i);
    }
  }

  // Calls f(j) for all particles j > i in the cells about i.
  template <class F>
  void for_each_near(std::span<const double> position, int i, F&& f) const {
    std::array<std::vector<int>, 3> near;
    for (int a = 0; a < 3; ++a) {
      const int c = index_of(position[3 * static_cast<std::size_t>(i) + a], a);
      for (int d = -1; d <= 1; ++d) {
        if (count_[a] == 1 && d != 0) continue;
        int k = c + d;
        if (box_.periodic[a]) k = (k + count_[a]) % count_[a];
        if (k >= 0 && k < count_[a]) near[a].push_back(k);
      }
    }
    for (const int x : near[0]) {
      for (const int y : near[1]) {
        for (const int z : near[2]) {
          for (int j = first_[static_cast<std::size_t>((x * count_[1] + y) * count_[2] + z)]; j >= 0;
               j = next_[j]) {
            if (j > i) f(j);
          }
        }
      }
    }
  }

 private:
  void find_extent(std::span<const double> position, int a) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (std::size_t i = static_cast<std::size_t>(a); i < position.size(); i += 3) {
      low = std::min(low, position[i]), high = std::max(high, position[i]);
    }
    lower_[a] = low, length_[a] = std::max(high - low, 1e-300);
  }

  int index_of(double x, int a) const {
    double place = (x - lower_[a]) / length_[a];
    if (box_.periodic[a]) place -= std::floor(place);
    return std::clamp(static_cast<int>(place * count_[a]), 0, count_[a] - 1);
  }
  int cell_of(const double* x) const {
    return (index_of(x[0], 0) * count_[1] + index_of(x[1], 1)) * count_[2] + index_of(x[2], 2);
  }

  const Box& box_;
  std::array<double, 3> lower_{}, length_{};
  std::array<int, 3> count_{1, 1, 1};
  std::vector<int> first_, next_;
};

}  // namespace

RadialDistribution::RadialDistribution(double reach, int bins)
    : reach_(reach), all_(static_cast<std::size_t>(bins), 0.0), between_(all_) {}

void RadialDistribution::add(const Box& box, std::span<const double> position,
                             std::span<const int> molecule_of) {
  const int n = static_cast<int>(position.size() / 3);
  const Cells cells(box, position, reach_);
  const double scale = static_cast<double>(all_.size()) / reach_;
  for (int i = 0; i < n; ++i) {
    cells.for_each_near(position, i, [&](int j) {
      double square = 0.0;
      for (int a = 0; a < 3; ++a) {
        const double d = box.nearest(
            a, position[3 * static_cast<std::size_t>(i) + a] - position[3 * static_cast<std::size_t>(j) + a]);
        square += d * d;
      }
      if (square >= reach_ * reach_) return;
      const auto bin = std::min(static_cast<std::size_t>(std::sqrt(square) * scale), all_.size() - 1);
      all_[bin] += 1.0;
      if (molecule_of[i] < 0 || molecule_of[i] != molecule_of[j]) between_[bin] += 1.0;
    });
  }
  expected_ += 0.5 * n * (n - 1.0) / box.volume();
}

std::vector<double> RadialDistribution::distances() const {
  std::vector<double> r;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    r.push_back((static_cast<double>(i) + 0.5) * reach_ / static_cast<double>(all_.size()));
  }
  return r;
}

std::vector<double> RadialDistribution::normalise(const std::vector<double>& counts) const {
  std::vector<double> g;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double width = reach_ / static_cast<double>(counts.size());
    const double inner = width * static_cast<double>(i), outer = inner + width;
    const double shell = 4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
    g.push_back(expected_ > 0.0 ? counts[i] / (expected_ * shell) : 0.0);
  }
  return g;
}

std::vector<double> RadialDistribution::all() const { return normalise(all_); }
std::vector<double> RadialDistribution::between() const { return normalise(between_); }

}  // namespace sestina
