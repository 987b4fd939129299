// The coefficients of translations: rotations of an expansion onto the z-axis and shifts along it, for each
// of the directions in which the fast multipole method translates. See fast_multipole.h for the letters.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sestina/numerics/cache_line_vector.h"
#include "sestina/particles/kernels/multipole_kernels.h"

namespace sestina {

class MultipoleTables {
 public:
  explicit MultipoleTables(int order);

  int order() const { return order_; }
  int size() const { return (order_ + 1) * (order_ + 1); }
  // sqrt((n-m)! (n+m)!) for each number of an expansion.
  const std::vector<double>& norms() const { return norms_; }

  // These set the members that depend on the direction; the caller sets expansions and scratch.
  void set_to_local(int direction, TranslationTask& task) const;  // of Octree::direction_of
  void set_to_parent(int octant, TranslationTask& task) const;    // octant: 4 x + 2 y + z of the child
  void set_to_child(int octant, TranslationTask& task) const;

 private:
  struct Turn {
    std::vector<double> cosines, sines;
    int tables = 0;  // of the angle to the z-axis
  };
  struct Translation {
    Turn turn;
    std::vector<double> scale_in, scale_out;
  };
  struct TurnMatrices {
    CacheLineVector<double> to_axis, from_axis;
  };

  Turn make_turn(double x, double y, double z);
  TurnMatrices make_matrices(double theta) const;
  void set(const Translation& translation, const CacheLineVector<double>& shift, TranslationTask& task) const;

  int order_;
  std::vector<double> norms_, factorials_;
  std::vector<TurnMatrices> matrices_;
  std::map<long, int> known_angles_;
  std::vector<Translation> to_local_, to_parent_, to_child_;
  CacheLineVector<double> shift_to_local_, shift_to_parent_, shift_to_child_;
};

}  // namespace sestina
