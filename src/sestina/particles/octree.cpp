#include "sestina/particles/octree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sestina {
namespace {

constexpr int kDeepest = 21;  // levels that fit into a code of 64 bits

// Spreads the bits of a number of 21 bits, with two zeros after each.
std::uint64_t spread(std::uint64_t a) {
  a &= 0x1fffff;
  a = (a | a << 32) & 0x1f00000000ffff;
  a = (a | a << 16) & 0x1f0000ff0000ff;
  a = (a | a << 8) & 0x100f00f00f00f00f;
  a = (a | a << 4) & 0x10c30c30c30c30c3;
  return (a | a << 2) & 0x1249249249249249;
}

// Returns the offset of an image in sides of the root.
std::array<int, 3> steps_of(int image) { return {image / 9 - 1, image / 3 % 3 - 1, image % 3 - 1}; }

}  // namespace

Vector3d Octree::center(const Node& node) const {
  const double s = side(node.level);
  return {lower_[0] + (node.at[0] + 0.5) * s, lower_[1] + (node.at[1] + 0.5) * s,
          lower_[2] + (node.at[2] + 0.5) * s};
}

// With a root that just encloses the points, the points per leaf would jump by factors of 8 as their number
// grows; with one up to twice as large, leaves can have any size.
void Octree::choose_root(int n, const double* x, const double* y, const double* z, int most) {
  const double* const axes[] = {x, y, z};
  // For points at one place, the root is large enough that the scale of sort_points stays finite.
  side_ = 4.0 * (1 << kDeepest) * std::numeric_limits<double>::min();
  double volume = 1.0;
  for (int a = 0; a < 3; ++a) {
    const auto [low, high] = std::minmax_element(axes[a], axes[a] + n);
    lower_[a] = *low;
    volume *= *high - *low;
    side_ = std::max(side_, (*high - *low) * (1.0 + 1e-12));
  }
  if (most <= 0 || n <= most || !(volume > 0.0 && std::isfinite(volume))) return;
  const double leaves = std::round(side_ / std::cbrt(volume * most / (3.0 * n)));  // along a side
  if (leaves > 1.0 && leaves < 1 << kDeepest) side_ *= std::exp2(std::ceil(std::log2(leaves))) / leaves;
}

void Octree::sort_points(int n, const double* x, const double* y, const double* z) {
  const double* const axes[] = {x, y, z};
  const double scale = static_cast<double>(1 << kDeepest) / side_;
  std::vector<std::uint64_t> codes(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    std::uint64_t code = 0;
    for (int a = 0; a < 3; ++a) {
      const double place = std::clamp((axes[a][i] - lower_[a]) * scale, 0.0, (1 << kDeepest) - 1.0);
      code |= spread(static_cast<std::uint64_t>(place)) << (2 - a);
    }
    codes[i] = code;
  }
  order_.resize(static_cast<std::size_t>(n));
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(),
            [&](int a, int b) { return codes[a] != codes[b] ? codes[a] < codes[b] : a < b; });
  codes_.resize(codes.size());
  for (int i = 0; i < n; ++i) codes_[i] = codes[order_[i]];
}

void Octree::cut(int most, int levels) {
  nodes_.assign(1, Node{});
  nodes_[0].end = static_cast<int>(codes_.size());
  level_begins_ = {0, 1};
  for (int level = 0; level < kDeepest; ++level) {
    const int begin = level_begins_[level], end = level_begins_[level + 1];
    for (int i = begin; i < end; ++i) {
      const bool is_cut = levels >= 0 ? level < levels : nodes_[i].end - nodes_[i].begin > most;
      if (!is_cut) continue;
      const int shift = 3 * (kDeepest - level - 1);
      nodes_[i].first_child = static_cast<int>(nodes_.size());
      for (int first = nodes_[i].begin; first < nodes_[i].end;) {
        const std::uint64_t octant = codes_[first] >> shift;
        const auto last = std::partition_point(codes_.begin() + first, codes_.begin() + nodes_[i].end,
                                               [&](std::uint64_t code) { return code >> shift == octant; });
        Node child;
        child.level = level + 1;
        for (int a = 0; a < 3; ++a)
          child.at[a] = 2 * nodes_[i].at[a] + static_cast<int>(octant >> (2 - a) & 1);
        child.begin = first, child.end = static_cast<int>(last - codes_.begin());
        child.parent = i;
        first = child.end;
        ++nodes_[i].children;
        nodes_.push_back(child);
      }
    }
    if (static_cast<int>(nodes_.size()) == end) break;
    level_begins_.push_back(static_cast<int>(nodes_.size()));
  }
}

Vector3d Octree::shift(int image) const {
  const std::array<int, 3> steps = steps_of(image);
  return {side_ * steps[0], side_ * steps[1], side_ * steps[2]};
}

bool Octree::touch(const Node& a, const Near& b) const {
  const Node& other = nodes_[b.node];
  const std::array<int, 3> steps = steps_of(b.image);
  const int level = std::max(a.level, other.level);
  for (int k = 0; k < 3; ++k) {
    const std::int64_t begin = std::int64_t{a.at[k]} << (level - a.level),
                       end = std::int64_t{a.at[k] + 1} << (level - a.level);
    const std::int64_t image = std::int64_t{steps[k]} * (std::int64_t{1} << level);
    const std::int64_t other_begin = (std::int64_t{other.at[k]} << (level - other.level)) + image,
                       other_end = (std::int64_t{other.at[k] + 1} << (level - other.level)) + image;
    if (end < other_begin || other_end < begin) return false;
  }
  return true;
}

// Finds the members of the lists in a box next to a leaf, or in that box's children.
void Octree::descend(const Node& leaf, const Near& other) {
  const Node& node = nodes_[other.node];
  if (!touch(leaf, other)) {
    w_.items.push_back(other);
  } else if (node.is_leaf()) {
    u_.items.push_back(other);
  } else {
    for (int k = 0; k < node.children; ++k) descend(leaf, {node.first_child + k, other.image});
  }
}

// Puts a box beside a node's parent, or that box's children, into the lists of the node.
void Octree::list_beside(const Node& node, const Near& beside) {
  const Node& uncle = nodes_[beside.node];
  if (uncle.is_leaf()) (touch(node, beside) ? coarse_ : x_).items.push_back(beside);
  const std::array<int, 3> steps = steps_of(beside.image);
  for (int k = 0; k < uncle.children; ++k) {
    const Near cousin{uncle.first_child + k, beside.image};
    if (touch(node, cousin)) {
      colleagues_.items.push_back(cousin);
      continue;
    }
    std::array<int, 3> d{};
    for (int a = 0; a < 3; ++a) d[a] = nodes_[cousin.node].at[a] + steps[a] * (1 << node.level) - node.at[a];
    v_.items.push_back({cousin.node, static_cast<std::int16_t>(direction_of(d[0], d[1], d[2]))});
  }
}

void Octree::make_lists() {
  for (Lists<Near>* lists : {&u_, &w_, &x_, &colleagues_, &coarse_}) *lists = {};
  v_ = {};
  for (int i = 0; i < static_cast<int>(nodes_.size()); ++i) {
    const Node& node = nodes_[i];
    if (node.parent < 0) {
      for (std::int16_t image = 0; image < 27; ++image) {
        if (is_periodic_ || image == kOwnImage) colleagues_.items.push_back({i, image});
      }
    } else {
      // The loop is by index, since the lists grow meanwhile.
      for (int c = colleagues_.begins[node.parent]; c < colleagues_.begins[node.parent + 1]; ++c) {
        const Near beside = colleagues_.items[c];
        list_beside(node, beside);
      }
      for (int c = coarse_.begins[node.parent]; c < coarse_.begins[node.parent + 1]; ++c) {
        const Near large = coarse_.items[c];
        (touch(node, large) ? coarse_ : x_).items.push_back(large);
      }
    }
    // The spans of the lists that follow begin where these end.
    colleagues_.begins.push_back(static_cast<int>(colleagues_.items.size()));
    coarse_.begins.push_back(static_cast<int>(coarse_.items.size()));
    if (node.is_leaf()) {
      for (const Near& large : span_of(coarse_, i)) u_.items.push_back(large);
      for (const Near& beside : span_of(colleagues_, i)) descend(node, beside);
    }
    u_.begins.push_back(static_cast<int>(u_.items.size()));
    w_.begins.push_back(static_cast<int>(w_.items.size()));
    x_.begins.push_back(static_cast<int>(x_.items.size()));
    v_.begins.push_back(static_cast<int>(v_.items.size()));
  }
}

void Octree::build(int n, const double* x, const double* y, const double* z, int most, int levels) {
  is_periodic_ = false;
  choose_root(n, x, y, z, levels >= 0 ? 0 : most);
  sort_points(n, x, y, z);
  cut(most, levels);
  make_lists();
}

void Octree::build_periodic(const Vector3d& lower, double side, int n, const double* x, const double* y,
                            const double* z, int most, int levels) {
  is_periodic_ = true;
  lower_ = lower, side_ = side;
  sort_points(n, x, y, z);
  cut(most, levels);
  make_lists();
}

}  // namespace sestina
