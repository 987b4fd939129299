// The mass matrices of the trees of a model, stored and factored without the zeros between branches: for many
// solutions with few right-hand sides that act on few bodies, such as M^-1 C^T of contacts.
//
//   M = L^T D L,   L unit lower triangular, with entries for speeds on one way to the ground only       (1)
//
// A tree is what hangs on one joint of the ground. Its speeds are numbered in their order, from the ground
// outward, one tree after the other ("places"); row k of (1) holds the entries of the speeds on the way to k,
// from the ground. O(sum of the squares of the depths) to factor, O(sum of the depths) of a tree to solve.
//
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), sections 6.2 and 6.5, in ground axes about
// each body's own point as in mass_matrix.h.
#pragma once

#include <span>
#include <vector>

#include "sestina/dynamics/kinematics.h"
#include "sestina/spatial/composite_inertia.h"

namespace sestina {

class BranchMassMatrix {
 public:
  struct Tree {
    int first = 0, count = 0;  // places
  };

  explicit BranchMassMatrix(const Model& model);

  // Factors M for the coordinates to which `kinematics` belongs. Returns whether it is regular. No
  // allocation.
  bool update(const Properties<double>& properties, const Kinematics<double>& kinematics);

  // The tree of a body, empty for the ground.
  const Tree& tree_of(BodyIndex body) const {
    return trees_[tree_of_body_[static_cast<std::size_t>(body.value())]];
  }
  const Tree& tree_of_speed(int speed) const {
    return trees_[tree_of_speed_[static_cast<std::size_t>(speed)]];
  }
  int place_of_speed(int speed) const { return place_[static_cast<std::size_t>(speed)]; }
  std::span<const int> speeds() const { return speed_; }  // by place

  // x <- M^-1 x for the speeds of a tree and three right-hand sides at once: rows of tree.count numbers,
  // whose starts are `stride` numbers apart.
  void solve(const Tree& tree, double* x, std::size_t stride) const;

 private:
  void fill_row(std::size_t body, int speed, const Kinematics<double>& kinematics, ForceLanes<double> U);

  std::vector<Tree> trees_;  // the first is empty
  std::vector<std::size_t> tree_of_body_, tree_of_speed_;
  std::vector<int> place_, speed_;
  // By place: where its row of entries begins, and the places of the speeds on the way to it, itself last.
  std::vector<std::size_t> row_;
  std::vector<int> way_;
  std::vector<double> entries_;
  std::vector<CompositeInertia<double>> inertia_;  // by BodyIndex
};

}  // namespace sestina
