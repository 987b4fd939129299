#include "sestina/contact/nearest_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sestina {
namespace {

using Vec = Vec3<double>;

constexpr int kMostCorners = 128;
constexpr double kNearest = 1e-14;     // of the square of the distance, between its bounds, for curved bodies
constexpr double kDegenerate = 1e-14;  // volume of a simplex, relative to that of its edges

// A point of the Minkowski difference b - a, and the points of the two bodies that give it.
struct Corner {
  Vec y, on_a, on_b;
};

struct Weights {
  std::array<double, 4> of{};  // by corner, positive for those that are used
  Vec y;                       // the point
};

// Finds the point nearest to the origin on the plane (line, point) through corners of a simplex; false if it
// lies outside them.
bool project(const std::array<Corner, 4>& corners, const std::array<int, 4>& chosen, int count,
             Weights& out) {
  const auto y = [&](int i) -> const Vec& {
    return corners[static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)])].y;
  };
  const Vec& o = y(0);
  std::array<double, 4> w{1.0, 0.0, 0.0, 0.0};
  if (count == 2) {
    const Vec d = y(1) - o;
    const double square = dot(d, d);
    if (square == 0.0) return false;
    w[1] = -dot(o, d) / square;
  } else if (count == 3) {
    const Vec d = y(1) - o, e = y(2) - o, n = cross(d, e);
    const double square = dot(n, n);
    if (square <= kDegenerate * dot(d, d) * dot(e, e)) return false;
    w[1] = -dot(cross(o, e), n) / square;
    w[2] = -dot(cross(d, o), n) / square;
  } else if (count == 4) {
    const Vec d = y(1) - o, e = y(2) - o, f = y(3) - o;
    const double volume = dot(d, cross(e, f));
    if (std::abs(volume) <= kDegenerate * norm(d) * norm(e) * norm(f)) return false;
    w[1] = -dot(o, cross(e, f)) / volume;
    w[2] = -dot(d, cross(o, f)) / volume;
    w[3] = -dot(d, cross(e, o)) / volume;
  }
  w[0] = 1.0 - w[1] - w[2] - w[3];
  out = {};
  for (int i = 0; i < count; ++i) {
    const double weight = w[static_cast<std::size_t>(i)];
    if (weight < 0.0) return false;
    out.of[static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)])] = weight;
  }
  // The point is computed from the edges: a sum of the corners themselves would cancel.
  out.y = o;
  for (int i = 1; i < count; ++i) out.y += w[static_cast<std::size_t>(i)] * (y(i) - o);
  if (count == 4) out.y = {};
  return true;
}

// Returns the nearest point of a simplex: the nearest of those of all its faces, edges and corners.
Weights nearest_of_simplex(const std::array<Corner, 4>& corners, int count) {
  Weights best, weights;
  double least = std::numeric_limits<double>::infinity();
  for (int subset = 1; subset < (1 << count); ++subset) {
    std::array<int, 4> chosen{};
    int size = 0;
    for (int i = 0; i < count; ++i) {
      if ((subset >> i) % 2 == 1) chosen[static_cast<std::size_t>(size++)] = i;
    }
    if (!project(corners, chosen, size, weights)) continue;
    const double square = dot(weights.y, weights.y);
    if (square < least) least = square, best = weights;
  }
  return best;
}

class Search {
 public:
  Search(const ConvexBody& a, const ConvexBody& b, double kept, const Vec& shift)
      : a_(a),
        b_(b),
        kept_(kept),
        shift_(shift),
        converged_(a.is_curved() || b.is_curved() ? kNearest : 0.0) {}

  NearestPoints run() {
    Vec start = b_.centre() + shift_ - a_.centre();
    if (dot(start, start) == 0.0) start = {1.0, 0.0, 0.0};
    corners_[0] = corner(start);
    weights_.of[0] = 1.0, weights_.y = corners_[0].y;
    for (int step = 0; step < kMostCorners; ++step) {
      const double square = dot(weights_.y, weights_.y);
      if (square == 0.0) break;
      const Corner next = corner(weights_.y);
      if (square - dot(weights_.y, next.y) <= converged_ * square || holds(next)) break;
      std::array<Corner, 4> corners = corners_;
      corners[static_cast<std::size_t>(count_)] = next;
      const Weights weights = nearest_of_simplex(corners, count_ + 1);
      if (!(dot(weights.y, weights.y) < square)) break;
      keep(corners, weights);
    }
    return result();
  }

 private:
  static Vec scaled(const ConvexBody& body, double kept, const Vec& n) {
    const Vec p = body.support(n);
    return kept < 1.0 ? body.centre() + kept * (p - body.centre()) : p;
  }
  // Returns the corner of b - a that is nearest to the origin along y.
  Corner corner(const Vec& y) const {
    const Vec p = scaled(a_, kept_, y), q = scaled(b_, kept_, -y) + shift_;
    return {q - p, p, q};
  }
  bool holds(const Corner& next) const {
    for (int i = 0; i < count_; ++i) {
      const Vec d = corners_[static_cast<std::size_t>(i)].y - next.y;
      if (dot(d, d) == 0.0) return true;
    }
    return false;
  }
  // Keeps the corners that carry the nearest point; a whole tetrahedron holds the origin.
  void keep(const std::array<Corner, 4>& corners, const Weights& weights) {
    count_ = 0;
    weights_.y = weights.y;
    for (std::size_t i = 0; i < 4; ++i) {
      if (weights.of[i] <= 0.0) continue;
      corners_[static_cast<std::size_t>(count_)] = corners[i];
      weights_.of[static_cast<std::size_t>(count_++)] = weights.of[i];
    }
  }
  NearestPoints result() const {
    NearestPoints found;
    for (int i = 0; i < count_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      found.on_a += weights_.of[at] * corners_[at].on_a;
      found.on_b += weights_.of[at] * corners_[at].on_b;
      const auto longer = [](const Vec& d, Vec& edge) {
        if (dot(d, d) > dot(edge, edge)) edge = d;
      };
      longer(corners_[at].on_a - corners_[0].on_a, found.edge_a);
      longer(corners_[at].on_b - corners_[0].on_b, found.edge_b);
    }
    found.distance = count_ == 4 ? 0.0 : norm(weights_.y);
    return found;
  }

  const ConvexBody &a_, &b_;
  double kept_;
  Vec shift_;
  double converged_;
  std::array<Corner, 4> corners_;
  Weights weights_;
  int count_ = 1;
};

}  // namespace

NearestPoints find_nearest_points(const ConvexBody& a, const ConvexBody& b, double kept,
                                  const Vec3<double>& shift) {
  return Search(a, b, kept, shift).run();
}

}  // namespace sestina
