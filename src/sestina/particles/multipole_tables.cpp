#include "sestina/particles/multipole_tables.h"

#include <algorithm>
#include <cmath>

#include "sestina/particles/octree.h"

namespace sestina {
namespace {

// Returns the matrices D^n(theta) of the rotation about y, R_n(Ry(theta) r) = D^n R_n(r), for n = 0..order,
// by Risbo's recursion over half-integer degrees (J. Geodesy 70, 1996), which is stable: its terms are
// products of square roots, cosines and sines of theta / 2.
std::vector<std::vector<double>> calc_turn_matrices(int order, double theta) {
  const double p = std::cos(0.5 * theta), q = std::sin(0.5 * theta);
  std::vector<std::vector<double>> matrices{{1.0}};
  std::vector<double> D{1.0}, next;
  for (int j = 1; j <= 2 * order; ++j) {
    const int size = j + 1;
    next.assign(static_cast<std::size_t>(size * size), 0.0);
    for (int i = 0; i < j; ++i) {
      for (int k = 0; k < j; ++k) {
        const double d = D[i * j + k] / j;
        next[i * size + k] += std::sqrt(static_cast<double>((j - i) * (j - k))) * d * p;
        next[(i + 1) * size + k] -= std::sqrt(static_cast<double>((i + 1) * (j - k))) * d * q;
        next[i * size + k + 1] += std::sqrt(static_cast<double>((j - i) * (k + 1))) * d * q;
        next[(i + 1) * size + k + 1] += std::sqrt(static_cast<double>((i + 1) * (k + 1))) * d * p;
      }
    }
    D.swap(next);
    if (j % 2 == 0) matrices.push_back(D);
  }
  return matrices;
}

}  // namespace

MultipoleTables::MultipoleTables(int order) : order_(order) {
  factorials_.assign(1, 1.0);
  for (int i = 1; i <= 2 * order; ++i) factorials_.push_back(factorials_.back() * i);
  const auto norm = [&](int n, int m) {
    return std::sqrt(factorials_[n - m]) * std::sqrt(factorials_[n + m]);
  };
  for (int n = 0; n <= order; ++n) {
    for (int m = 0; m <= n; ++m) norms_.push_back(norm(n, m));
    for (int m = 1; m <= n; ++m) norms_.push_back(norm(n, m));
  }
  for (int m = 0; m <= order; ++m) {
    for (int j = m; j <= order; ++j) {
      for (int k = m; k <= order; ++k) {
        const double sign = (k + m) % 2 == 0 ? 1.0 : -1.0;
        shift_to_local_.push_back(sign * (factorials_[j + k] / norm(k, m)) / norm(j, m));        // (8)
        shift_to_parent_.push_back(k > j ? 0.0 : norm(j, m) / norm(k, m) / factorials_[j - k]);  // (6)
        shift_to_child_.push_back(k < j ? 0.0 : norm(k, m) / norm(j, m) / factorials_[k - j]);   // (10)
      }
    }
  }
  to_local_.resize(Octree::kDirections);
  for (int dx = -3; dx <= 3; ++dx) {
    for (int dy = -3; dy <= 3; ++dy) {
      for (int dz = -3; dz <= 3; ++dz) {
        if (std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 2) continue;
        Translation& t = to_local_[Octree::direction_of(dx, dy, dz)];
        t.turn = make_turn(dx, dy, dz);
        const double r = std::sqrt(static_cast<double>(dx * dx + dy * dy + dz * dz));
        for (int n = 0; n <= order; ++n) {
          t.scale_in.push_back(std::pow(r, -n));
          t.scale_out.push_back(std::pow(r, -n - 1));
        }
      }
    }
  }
  const double r = std::sqrt(3.0) / 4.0;  // between the centres of a box and its child, in sides of the box
  for (int octant = 0; octant < 8; ++octant) {
    const auto sign = [&](int bit) { return (octant & bit) != 0 ? 1.0 : -1.0; };
    Translation up, down;
    up.turn = down.turn = make_turn(sign(4), sign(2), sign(1));
    for (int n = 0; n <= order; ++n) {
      up.scale_in.push_back(std::pow(0.5 / r, n)), up.scale_out.push_back(std::pow(r, n));
      down.scale_in.push_back(std::pow(r, n)), down.scale_out.push_back(0.5 * std::pow(0.5 / r, n));
    }
    to_parent_.push_back(up), to_child_.push_back(down);
  }
}

MultipoleTables::Turn MultipoleTables::make_turn(double x, double y, double z) {
  Turn turn;
  const double phi = std::atan2(y, x), theta = std::atan2(std::hypot(x, y), z);
  for (int m = 0; m <= order_; ++m)
    turn.cosines.push_back(std::cos(m * phi)), turn.sines.push_back(std::sin(m * phi));
  const auto [known, is_new] =
      known_angles_.try_emplace(std::lround(theta * 1e9), static_cast<int>(matrices_.size()));
  if (is_new) matrices_.push_back(make_matrices(theta));
  turn.tables = known->second;
  return turn;
}

// Makes the matrices for real and imaginary parts of m >= 0, with v_-m = (-1)^m conj(v_m).
MultipoleTables::TurnMatrices MultipoleTables::make_matrices(double theta) const {
  const auto all = calc_turn_matrices(order_, theta);
  TurnMatrices made;
  for (int n = 0; n <= order_; ++n) {
    const int size = 2 * n + 1;
    // The rotation onto the axis is that by -theta, whose matrix is the transpose.
    const auto entry = [&](bool to_axis, int i, int k) {
      return to_axis ? all[n][(n + k) * size + n + i] : all[n][(n + i) * size + n + k];
    };
    for (const bool to_axis : {true, false}) {
      CacheLineVector<double>& out = to_axis ? made.to_axis : made.from_axis;
      for (int i = 0; i <= n; ++i) {
        for (int k = 0; k <= n; ++k) {
          const double mirrored = (k % 2 == 0 ? 1.0 : -1.0) * entry(to_axis, i, -k);
          out.push_back(entry(to_axis, i, k) + (k == 0 ? 0.0 : mirrored));
        }
      }
      for (int i = 1; i <= n; ++i) {
        for (int k = 1; k <= n; ++k) {
          out.push_back(entry(to_axis, i, k) - (k % 2 == 0 ? 1.0 : -1.0) * entry(to_axis, i, -k));
        }
      }
    }
  }
  return made;
}

void MultipoleTables::set(const Translation& translation, const CacheLineVector<double>& shift,
                          TranslationTask& task) const {
  const TurnMatrices& matrices = matrices_[translation.turn.tables];
  task.order = order_;
  task.turn = {translation.turn.cosines.data(), translation.turn.sines.data(), matrices.to_axis.data(),
               matrices.from_axis.data()};
  task.shift = shift.data();
  task.scale_in = translation.scale_in.data();
  task.scale_out = translation.scale_out.data();
}

void MultipoleTables::set_to_local(int direction, TranslationTask& task) const {
  set(to_local_[direction], shift_to_local_, task);
}
void MultipoleTables::set_to_parent(int octant, TranslationTask& task) const {
  set(to_parent_[octant], shift_to_parent_, task);
}
void MultipoleTables::set_to_child(int octant, TranslationTask& task) const {
  set(to_child_[octant], shift_to_child_, task);
}

}  // namespace sestina
