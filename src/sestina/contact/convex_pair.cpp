#include "sestina/contact/convex_pair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sestina/contact/nearest_points.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

// Relative to the sum of the sizes of the bodies.
constexpr double kApart = 1e-3;        // a distance above gives a direction to 1e-12
constexpr double kNoDistance = 1e-11;  // a distance below gives none
constexpr double kEqual = 2e-14;       // gaps that differ by less are the same
constexpr double kBeside = 1e-7;       // a corner that is no farther beyond the side of a face lies on it
constexpr double kSeparated = 0.01;    // to which bodies that touch are moved apart
// Angles in radians and sines.
constexpr double kSidewards = 0.1;       // from a right angle: n may turn about the side of a cylinder
constexpr double kParallelLines = 1e-3;  // between lines that touch at two points
constexpr double kFlush = 1e-9;          // from the direction of an axis, or from a right angle to it
constexpr double kMostTurn = 0.3;        // of n, by one step of Newton's method
constexpr int kMostClimbs = 20;

Vec unit(const Vec& v) { return (1.0 / norm(v)) * v; }

struct Candidate {
  Vec n;
  double gap = -std::numeric_limits<double>::infinity();  // of the cores
  int rank = 0;  // of candidates that are equal to round-off the one of the highest rank is the most exact
  int face_a = -1, face_b = -1;  // whose normal n is
};

// Ranks; those in between are of normals found with one or two hinges. Of two faces, a polygon ranks above a
// disc and a larger disc above a smaller one, so that the outline of the other face is clipped by it. Of two
// equal faces that of `a` ranks higher: otherwise round-off would choose, and the order of the points depends
// on the choice.
constexpr int kClimbed = 1, kOnFace = 4, kOnLargeFace = 6, kOfA = 1;

class ConvexPair {
 public:
  ConvexPair(const ConvexBody& a, const ConvexBody& b) : a_(a), b_(b) {
    const Vec x{1.0, 0.0, 0.0};
    size_ = a.radius() + b.radius() + norm(a.support(x) - a.centre()) + norm(b.support(x) - b.centre());
  }

  void add_points(std::vector<ContactPoint>& points) {
    find_normal();
    const std::size_t first = points.size();
    if (best_.face_a >= 0) {
      add_on_face(a_.face(best_.face_a, best_.n), b_, 1.0, points);
    } else if (best_.face_b >= 0) {
      add_on_face(b_.face(best_.face_b, -best_.n), a_, -1.0, points);
    } else {
      add_on_lines(points);
    }
    for (std::size_t i = first; i < points.size(); ++i) {
      if (points[i].gap <= best_.gap - rounding() + kEqual * size_) return;
    }
    add_nearest(points);
  }

 private:
  double rounding() const { return a_.radius() + b_.radius(); }
  double gap_along(const Vec& n) const { return dot(n, b_.support(-n) - a_.support(n)); }  // (1)

  void look(const Candidate& candidate) {
    const int higher = candidate.rank - best_.rank;
    const double needed = higher > 0 ? -kEqual * size_ : higher < 0 ? kEqual * size_ : 0.0;
    if (candidate.gap > best_.gap + needed) best_ = candidate;
  }
  void look_along(const Vec& n, int rank) { look({n, gap_along(n), rank}); }
  void look_at_face_of_a(int face) {
    const Vec n = a_.face_normal(face);
    const bool is_large =
        a_.face_radius() == 0.0 || (b_.face_radius() > 0.0 && a_.face_radius() >= b_.face_radius());
    look({n, gap_along(n), (is_large ? kOnLargeFace : kOnFace) + kOfA, face, -1});
  }
  void look_at_face_of_b(int face) {
    const Vec n = -b_.face_normal(face);
    const bool is_large =
        b_.face_radius() == 0.0 || (a_.face_radius() > 0.0 && b_.face_radius() >= a_.face_radius());
    look({n, gap_along(n), is_large ? kOnLargeFace : kOnFace, -1, face});
  }

  void find_normal() {
    const NearestPoints near = find_nearest_points(a_, b_);
    if (near.distance > kNoDistance * size_) look_from(near);
    if (near.distance < kApart * size_) {
      double shrunk = kApart;
      NearestPoints apart = find_nearest_points(a_, b_, 1.0 - shrunk);
      while (apart.distance < 0.1 * shrunk * kApart * size_ && shrunk < 1.0) {
        shrunk = std::min(2.0 * shrunk, 1.0);
        apart = find_nearest_points(a_, b_, 1.0 - shrunk);
      }
      if (apart.distance == 0.0) apart.on_b = apart.on_a + Vec{0.0, 0.0, 1.0};
      look_from(apart);
      climb_apart();
    }
    if (best_.gap > 0.0) return;
    for (int i = 0; i < a_.face_count(); ++i) look_at_face_of_a(i);
    for (int i = 0; i < b_.face_count(); ++i) look_at_face_of_b(i);
  }

  NearestPoints moved_apart() const {
    return find_nearest_points(a_, b_, 1.0, (kSeparated * size_ - best_.gap) * best_.n);
  }

  // Moves b along n until the bodies are apart: their nearest points then give a better n, or the same one.
  void climb_apart() {
    for (int step = 0; step < kMostClimbs; ++step) {
      const double before = best_.gap;
      look_from(moved_apart());
      if (best_.gap <= before + kEqual * size_) return;
    }
  }

  void look_from(const NearestPoints& near) {
    const Vec n = unit(near.on_b - near.on_a);
    look_along(n, 0);
    if (const int face = a_.face_towards(n); face >= 0) look_at_face_of_a(face);
    if (const int face = b_.face_towards(-n); face >= 0) look_at_face_of_b(face);
    for (const Vec& about_a : hinges(a_, n, near.edge_a)) {
      for (const Vec& about_b : hinges(b_, n, near.edge_b)) {
        const int count = (dot(about_a, about_a) > 0.0 ? 1 : 0) + (dot(about_b, about_b) > 0.0 ? 1 : 0);
        look_along(climb(n, about_a, about_b), kClimbed + count);
      }
    }
  }

  // The directions about which n may turn at an edge; zero where it may turn freely.
  static std::vector<Vec> hinges(const ConvexBody& body, const Vec& n, const Vec& edge) {
    if (!body.is_curved()) return {dot(edge, edge) > 0.0 ? unit(edge) : Vec{}};
    std::vector<Vec> found{Vec{}};
    if (body.has_line()) {
      const auto [first, second] = body.line(n);
      const Vec axis = unit(second - first);
      if (std::abs(dot(axis, n)) < kSidewards) found.push_back(axis);
    }
    return found;
  }

  // Iterates (2) from n, keeping the normal perpendicular to the hinges that are not zero.
  Vec climb(Vec n, const Vec& about_a, const Vec& about_b) const {
    const bool is_a = dot(about_a, about_a) > 0.0, is_b = dot(about_b, about_b) > 0.0;
    if (is_a && is_b) {
      const Vec across = cross(about_a, about_b);
      if (norm(across) > kParallelLines) return unit(dot(across, n) < 0.0 ? -across : across);
    }
    const Vec about = is_a ? about_a : about_b;
    if (is_a || is_b) n = unit(n - dot(n, about) * about);
    Candidate best{n, gap_along(n)};
    for (int step = 0; step < kMostClimbs; ++step) {
      const Vec next = turned(n, about, is_a || is_b);
      const double angle = norm(next - n), gap = gap_along(next);
      n = next;
      if (gap > best.gap - kEqual * size_) best = {n, std::max(gap, best.gap)};
      if (angle < 1e-16) break;
    }
    return best.n;
  }

  // Takes one step of (2), about a hinge or freely.
  Vec turned(const Vec& n, const Vec& about, bool is_hinged) const {
    const Vec r = b_.support(-n) - a_.support(n);
    const double g = dot(n, r);
    if (!a_.is_curved() && !b_.is_curved()) {  // corners: along the vector between them
      const Vec between = is_hinged ? r - dot(r, about) * about : r;
      return norm(between) > kNoDistance * size_ ? unit(between) : n;
    }
    const SymMat3<double> H = a_.curvature(n) + b_.curvature(-n);
    const Vec other = std::abs(n.x) < 0.6 ? Vec{1.0, 0.0, 0.0} : Vec{0.0, 1.0, 0.0};
    const Vec e = is_hinged ? cross(about, n) : unit(cross(n, other)), f = cross(n, e);
    const double A = dot(e, H * e) + g, re = dot(e, r);
    Vec turn;
    if (is_hinged) {
      if (A <= kNoDistance * size_) return n;
      turn = (re / A) * e;
    } else {
      const double B = dot(e, H * f), C = dot(f, H * f) + g, rf = dot(f, r);
      const double determinant = A * C - B * B;
      if (A <= 0.0 || determinant <= kNoDistance * size_ * A) return n;
      turn = ((C * re - B * rf) / determinant) * e + ((A * rf - B * re) / determinant) * f;
    }
    return unit(n + std::min(1.0, kMostTurn / std::max(norm(turn), kMostTurn)) * turn);
  }

  // Clips the feature of the other body that faces this face. `sense`: 1 for a face of a, -1 for a face of b.
  void add_on_face(const ConvexBody::Face& face, const ConvexBody& other, double sense,
                   std::vector<ContactPoint>& points) const {
    const Vec out = sense * best_.n;
    const double height = sense > 0.0 ? dot(out, a_.support(out)) : dot(out, b_.support(out));
    for (const Vec& p : clipped(other.facing(-out), face)) {
      const double gap = dot(out, p) - height - rounding();
      const double to_middle = other.radius() + 0.5 * gap;
      points.push_back({p - to_middle * out, best_.n, gap});
    }
  }

  std::vector<Vec> clipped(std::vector<Vec> corners, const ConvexBody::Face& face) const {
    if (face.radius > 0.0) return clipped_by_disc(corners, face);
    for (std::size_t i = 0; i < face.corners.size(); ++i) {
      const Vec& p = face.corners[i];
      const Vec side = unit(cross(face.corners[(i + 1) % face.corners.size()] - p, face.normal));
      corners = clipped_by_side(corners, side, p);
    }
    return corners;
  }

  // Returns the part of a polygon (a segment, a point) where side . (x - p) is not positive.
  std::vector<Vec> clipped_by_side(const std::vector<Vec>& corners, const Vec& side, const Vec& p) const {
    std::vector<Vec> inside;
    const double bound = kBeside * size_;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec &one = corners[i], &next = corners[(i + 1) % corners.size()];
      const double here = dot(side, one - p) - bound, there = dot(side, next - p) - bound;
      if (here <= 0.0) inside.push_back(one);
      if (corners.size() == 2 && i == 1) break;  // a segment has one edge
      if ((here < 0.0 && there > 0.0) || (here > 0.0 && there < 0.0)) {
        inside.push_back(one + (here / (here - there)) * (next - one));
      }
    }
    return inside;
  }

  std::vector<Vec> clipped_by_disc(const std::vector<Vec>& corners, const ConvexBody::Face& disc) const {
    std::vector<Vec> inside;
    const double bound = disc.radius + kBeside * size_;
    const auto across = [&](const Vec& v) { return v - dot(v, disc.normal) * disc.normal; };
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec &one = corners[i], &next = corners[(i + 1) % corners.size()];
      const Vec d = across(next - one), from = across(one - disc.middle);
      const double A = dot(d, d), B = dot(from, d), C = dot(from, from) - bound * bound;
      if (C <= 0.0) inside.push_back(one);
      if (corners.size() == 2 && i == 1) break;
      const double square = B * B - A * C;
      if (A == 0.0 || square <= 0.0) continue;
      for (const double root : {-std::sqrt(square), std::sqrt(square)}) {
        const double t = (root - B) / A;
        if (t > 0.0 && t < 1.0) inside.push_back(one + t * (next - one));
      }
    }
    return inside;
  }

  // Adds the ends of the stretch along which two parallel lines are beside each other.
  void add_on_lines(std::vector<ContactPoint>& points) const {
    if (!a_.has_line() || !b_.has_line()) return;
    const Vec& n = best_.n;
    const auto [p, p_end] = a_.line(n);
    const auto [q, q_end] = b_.line(-n);
    const Vec d = p_end - p, e = q_end - q;
    const double length = norm(d);
    if (norm(cross(d, e)) > kParallelLines * length * norm(e) ||
        std::abs(dot(n, d)) > kParallelLines * length)
      return;
    const double s0 = dot(q - p, d) / (length * length), s1 = dot(q_end - p, d) / (length * length);
    const double low = std::max(std::min(s0, s1), 0.0), high = std::min(std::max(s0, s1), 1.0);
    if (low >= high) return;
    const Vec side = cross(n, d);
    if (std::abs(dot(side, q - p)) > kParallelLines * length * size_) return;
    for (const double s : {low, high}) {
      const Vec on_a = p + s * d, on_b = q + ((s - s0) / (s1 - s0)) * e;
      const double gap = dot(n, on_b - on_a) - rounding();
      points.push_back({on_a + (a_.radius() + 0.5 * gap) * n, n, gap});
    }
  }

  // Adds the point at which the bodies are nearest along n. It does not change if b is moved along n, so that
  // it is found with the bodies apart.
  void add_nearest(std::vector<ContactPoint>& points) const {
    const Vec &n = best_.n, shift = (kSeparated * size_ - best_.gap) * n;
    const NearestPoints near = moved_apart();
    const double gap = best_.gap - rounding();
    const auto [on_a, digits_a] = on_surface(a_, near.on_a, near.edge_a, n);
    const auto [on_b, digits_b] = on_surface(b_, near.on_b - shift, near.edge_b, -n);
    const Vec from_a = on_a + (a_.radius() + 0.5 * gap) * n, from_b = on_b - (b_.radius() + 0.5 * gap) * n;
    points.push_back({digits_a >= digits_b ? from_a : from_b, n, gap});
  }

  // The accuracy of a nearest point, ascending. For curved bodies only half of its digits are right: if there
  // is a unique farthest point along n, that is taken instead.
  enum class Exact { kAlongAxis, kOnEdge, kFarthest, kCorner };

  static std::pair<Vec, Exact> on_surface(const ConvexBody& body, const Vec& near, const Vec& edge,
                                          const Vec& n) {
    if (!body.is_curved()) return {near, dot(edge, edge) == 0.0 ? Exact::kCorner : Exact::kOnEdge};
    if (!body.has_line()) return {body.support(n), Exact::kFarthest};
    const auto [first, second] = body.line(n);
    const Vec axis = unit(second - first);
    const double cosine = std::abs(dot(axis, n));
    if (cosine > kFlush && cosine < 1.0 - kFlush) return {body.support(n), Exact::kFarthest};
    return {cosine > kFlush ? near : first + dot(near - first, axis) * axis, Exact::kAlongAxis};
  }

  const ConvexBody &a_, &b_;
  double size_ = 0.0;
  Candidate best_;
};

}  // namespace

void add_convex_points(const ConvexBody& a, const ConvexBody& b, std::vector<ContactPoint>& points) {
  ConvexPair(a, b).add_points(points);
}

}  // namespace sestina
