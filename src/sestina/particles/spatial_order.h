// The spatial order of particles, and the places of the particles of a region in it.
//
// The box is cut into columns along z with a cross-section as wide as a cluster of eight particles is on
// average. Columns follow a serpentine path: rows of x alternately forward and backward, z alternately upward
// and downward, so that eight consecutive particles are near each other, also at the transition between
// columns. Within a column z increases or decreases, so that the particles between two heights are found by
// bisection and are contiguous in memory. (Pall and Hess, A flexible algorithm for calculating pair
// interactions on SIMD architectures, Comput. Phys. Commun. 184, 2013, sort so within columns.)
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sestina/particles/box.h"

namespace sestina {

struct ParticleArrays;

class SpatialOrder {
 public:
  SpatialOrder() = default;
  // Particles of species that are silent, by number, stand behind all others.
  explicit SpatialOrder(std::vector<char> is_silent) : is_silent_(std::move(is_silent)) {}

  // Sorts the particles into spatial order: wraps them into the box (counting images) and moves all their
  // data except the forces. Particles that are in this order already keep their places.
  void sort(const Box& box, ParticleArrays& particles);

  int acting() const {
    return begins_.empty() ? 0 : begins_[begins_.size() - 2];
  }                                                   // particles that are not silent
  const Vector3d& lower() const { return lower_; }    // m
  const Vector3d& length() const { return length_; }  // m, of the box, or of the bounds of all particles

  int columns_x() const { return count_[0]; }
  int columns_y() const { return count_[1]; }
  double width_x() const { return width_[0]; }  // m
  double width_y() const { return width_[1]; }  // m

  struct Range {
    int begin = 0, end = 0;
  };
  // Finds the particles of column (ix, iy) with z in [lowest, highest].
  Range find(int ix, int iy, double lowest, double highest, const double* z) const;

 private:
  void choose_columns(const Box& box, const ParticleArrays& particles);
  void count_columns(const ParticleArrays& particles);
  int column_of(double x, double y) const;
  bool is_silent(const ParticleArrays& particles, int place) const;
  // Returns the place of a column in the order.
  int turn_of(int ix, int iy) const { return iy * count_[0] + (iy % 2 == 0 ? ix : count_[0] - 1 - ix); }

  Vector3d lower_{}, length_{};
  std::array<int, 2> count_{1, 1};
  std::array<double, 2> width_{};  // m
  std::vector<char> is_silent_;    // species
  std::vector<int> begins_;        // of each column in its turn, of the silent particles, and the end
  std::vector<int> turns_, order_, next_;
  std::vector<double> moved_;  // scratch
  std::vector<std::int32_t> moved_whole_;
};

}  // namespace sestina
