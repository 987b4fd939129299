// An adaptive octree over points, and the four lists of each box (Carrier, Greengard, Rokhlin, SIAM J. Sci.
// Stat. Comput. 9, 1988):
//
//   U  of a leaf: the leaves that touch it, including itself. Points act on points.
//   V  of a box: children of boxes that touch its parent, and do not touch itself. Expansions act on
//      expansions.
//   W  of a leaf: smaller boxes that do not touch it but whose parents do. Their expansions act on its
//      points.
//   X  of a box: the leaves that have it in their list W. Their points act on its expansion.
//
// A periodic root has 26 adjacent images, whose boxes are in the lists like its own. More distant images are
// in no list; lattice_translation.h adds their effect.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sestina/particles/box.h"

namespace sestina {

class Octree {
 public:
  struct Node {
    int level = 0;
    std::array<int, 3> at{};  // in units of the side at this level
    int begin = 0, end = 0;   // points
    int parent = -1, first_child = -1, children = 0;
    bool is_leaf() const { return children == 0; }
  };
  struct Far {
    int source = 0;
    std::int16_t direction = 0;  // direction_of
  };
  struct Near {
    int node = 0;
    std::int16_t image = kOwnImage;  // of the root that the box is in: see shift
  };
  static constexpr int kOwnImage = 13;

  // Boxes with more than `most` points are cut; the root is so large that, if points fill their box evenly, a
  // leaf has about a third of `most`. With `levels` >= 0 every box is cut down to that level instead. Points
  // are sorted in Morton's order: `order` has the index of the point at each place.
  void build(int n, const double* x, const double* y, const double* z, int most, int levels = -1);

  // The same for points of a periodic cube, which is the root; all points are in it.
  void build_periodic(const Vector3d& lower, double side, int n, const double* x, const double* y,
                      const double* z, int most, int levels = -1);

  const std::vector<Node>& nodes() const { return nodes_; }  // level by level, children consecutive
  const std::vector<int>& level_begins() const { return level_begins_; }
  int levels() const { return static_cast<int>(level_begins_.size()) - 1; }
  const std::vector<int>& order() const { return order_; }
  double side(int level) const { return side_ / static_cast<double>(std::int64_t{1} << level); }  // m
  Vector3d center(const Node& node) const;
  // Returns the displacement (m) from a box to its image in this image of the root.
  Vector3d shift(int image) const;

  std::span<const Near> u(int node) const { return span_of(u_, node); }
  std::span<const Near> w(int node) const { return span_of(w_, node); }
  std::span<const Near> x(int node) const { return span_of(x_, node); }
  std::span<const Far> v(int node) const { return span_of(v_, node); }

  // A difference of places, each from -3 to 3, source less target.
  static constexpr int kDirections = 343;
  static int direction_of(int dx, int dy, int dz) { return (dx + 3) * 49 + (dy + 3) * 7 + dz + 3; }

 private:
  template <class Item>
  struct Lists {
    std::vector<int> begins{0};
    std::vector<Item> items;
  };
  template <class Item>
  static std::span<const Item> span_of(const Lists<Item>& lists, int node) {
    return {lists.items.data() + lists.begins[node], lists.items.data() + lists.begins[node + 1]};
  }

  void choose_root(int n, const double* x, const double* y, const double* z, int most);
  void sort_points(int n, const double* x, const double* y, const double* z);
  void cut(int most, int levels);
  void make_lists();
  void list_beside(const Node& node, const Near& beside);
  void descend(const Node& leaf, const Near& other);
  bool touch(const Node& a, const Near& b) const;

  Vector3d lower_{};
  double side_ = 1.0;  // m, of the root
  bool is_periodic_ = false;
  std::vector<std::uint64_t> codes_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
  std::vector<int> level_begins_;
  Lists<Near> u_, w_, x_, colleagues_, coarse_;  // coarse: leaves that touch and are larger
  Lists<Far> v_;
};

}  // namespace sestina
