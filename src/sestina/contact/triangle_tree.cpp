#include "sestina/contact/triangle_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "sestina/contact/convex_pair.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

constexpr int kMostInLeaf = 4;
constexpr double kAngle = 1e-6;          // rad, between normals that count as one
constexpr double kBesideOutline = 1e-6;  // likewise, of points that are left out
constexpr double kOnEdge = 1e-9;         // relative to the size of the surface

Vec direction_of(const Vec& v) { return (1.0 / norm(v)) * v; }

Vec lower(const Vec& a, const Vec& b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec upper(const Vec& a, const Vec& b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

}  // namespace

TriangleTree::TriangleTree(const TriangleMesh& mesh, const Vec3<double>& scale) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Vec low{kFar, kFar, kFar}, high = -low;
  for (const auto& p : mesh.points) {
    points_.push_back({scale.x * double{p[0]}, scale.y * double{p[1]}, scale.z * double{p[2]}});
    low = lower(low, points_.back()), high = upper(high, points_.back());
    outer_radius_ = std::max(outer_radius_, norm(points_.back()));
  }
  const Vec extent = high - low;
  size_ = norm(extent);
  inner_radius_ = std::max(0.05 * std::min({extent.x, extent.y, extent.z}), 1e-3 * size_);
  spokes_.resize(points_.size());
  const bool is_mirrored = scale.x * scale.y * scale.z < 0.0;
  for (auto corners : mesh.triangles) {
    if (is_mirrored) std::swap(corners[1], corners[2]);
    add_triangle(corners);
  }
  find_neighbours();
  find_corners();
  order_.resize(triangles_.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (!order_.empty()) build(0, static_cast<int>(order_.size()));
}

void TriangleTree::add_triangle(const std::array<std::uint32_t, 3>& corners) {
  const Vec &p = points_[corners[0]], &q = points_[corners[1]], &r = points_[corners[2]];
  const Vec area = cross(q - p, r - p);
  if (norm(area) <= 0.0) return;
  Triangle triangle;
  Polytope body;
  body.points = {p, q, r};
  body.centre = (1.0 / 3.0) * (p + q + r);
  body.faces.push_back({direction_of(area), {0, 1, 2}});
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec edge = direction_of(body.points[(k + 1) % 3] - body.points[k]);
    triangle.out[k] = cross(edge, body.faces[0].normal);
    triangle.corners[k] = static_cast<int>(corners[k]);
    spokes_[corners[k]].push_back(edge);
    spokes_[corners[(k + 1) % 3]].push_back(-edge);
  }
  triangle.body.polytope = std::move(body);
  triangles_.push_back(std::move(triangle));
}

void TriangleTree::find_neighbours() {
  std::map<std::pair<int, int>, Vec> out_of_edge;
  for (const Triangle& triangle : triangles_) {
    for (std::size_t k = 0; k < 3; ++k) {
      out_of_edge[{triangle.corners[k], triangle.corners[(k + 1) % 3]}] = triangle.out[k];
    }
  }
  const Vec up{0.0, 0.0, 1.0};
  for (Triangle& triangle : triangles_) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int here = triangle.corners[k], next = triangle.corners[(k + 1) % 3];
      const auto found = out_of_edge.find({next, here});
      triangle.beyond[k] = found != out_of_edge.end() ? found->second : up;
      if (found != out_of_edge.end()) continue;
      for (const int i : {here, next}) spokes_[static_cast<std::size_t>(i)].push_back(-up);
    }
  }
}

// Finds the points where at least three planes meet.
void TriangleTree::find_corners() {
  std::vector<std::vector<Vec>> normals(points_.size());
  for (const Triangle& triangle : triangles_) {
    const Vec& n = triangle.body.polytope->faces[0].normal;
    for (const int i : triangle.corners) {
      auto& known = normals[static_cast<std::size_t>(i)];
      if (std::ranges::none_of(known, [&](const Vec& m) { return norm(m - n) < kAngle; })) known.push_back(n);
    }
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (normals[i].size() >= 3) corners_.push_back(points_[i]);
  }
}

// Splits the triangles at the median of their centres along the longest side of their box.
int TriangleTree::build(int first, int count) {
  const auto at = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  constexpr double kFar = std::numeric_limits<double>::infinity();
  Node node{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}, first, count};
  const auto begin = order_.begin() + first, end = begin + count;
  for (auto i = begin; i != end; ++i) {
    for (const Vec& p : triangles_[static_cast<std::size_t>(*i)].body.polytope->points) {
      node.low = lower(node.low, p), node.high = upper(node.high, p);
    }
  }
  if (count > kMostInLeaf) {
    const Vec extent = node.high - node.low;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const auto middle = [&](int i) {
      return std::pair(triangles_[static_cast<std::size_t>(i)].body.polytope->centre[axis], i);
    };
    std::sort(begin, end, [&](int i, int k) { return middle(i) < middle(k); });
    node.left = build(first, count / 2);
    node.right = build(first + count / 2, count - count / 2);
  }
  nodes_[static_cast<std::size_t>(at)] = node;
  return at;
}

double TriangleTree::distance(const Node& node, const Box& box) {
  Vec apart;
  for (int k = 0; k < 3; ++k)
    apart[k] = std::max({node.low[k] - box.high[k], box.low[k] - node.high[k], 0.0});
  return norm(apart);
}

void TriangleTree::add_points(const Pose<double>& X, const ConvexBody& body, double margin,
                              std::vector<ContactPoint>& points) const {
  Box box;
  for (int k = 0; k < 3; ++k) {
    const Vec axis = X.R.column(k);
    box.high[k] = dot(axis, body.support(axis) - X.p) + body.radius();
    box.low[k] = dot(axis, body.support(-axis) - X.p) - body.radius();
  }
  std::vector<std::pair<int, ContactPoint>> found;
  std::vector<ContactPoint> of_triangle;
  double nearest = std::numeric_limits<double>::infinity();
  const auto is_near = [&](double gap) { return gap <= std::max(nearest, 0.0) + margin; };
  std::vector<int> open{0};
  while (!open.empty() && !nodes_.empty()) {
    const Node& node = nodes_[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (!is_near(distance(node, box))) continue;
    if (node.left >= 0) {  // the nearer one first
      const auto [left, right] = std::pair(node.left, node.right);
      const bool is_left = distance(nodes_[static_cast<std::size_t>(left)], box) <=
                           distance(nodes_[static_cast<std::size_t>(right)], box);
      open.push_back(is_left ? right : left);
      open.push_back(is_left ? left : right);
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) {
      const int index = order_[static_cast<std::size_t>(i)];
      const Triangle& triangle = triangles_[static_cast<std::size_t>(index)];
      const Shape shape{ShapeType::kConvexMesh, {}, &triangle.body};
      of_triangle.clear();
      add_convex_points(ConvexBody(shape, X), body, of_triangle);
      for (const ContactPoint& point : of_triangle) {
        const Vec on_triangle = inverse(X) * (point.p - 0.5 * point.gap * point.normal);
        if (!is_felt(triangle, on_triangle, transpose_times(X.R, point.normal))) continue;
        nearest = std::min(nearest, point.gap);
        found.emplace_back(index, point);
      }
    }
  }
  std::ranges::stable_sort(found, {}, &std::pair<int, ContactPoint>::first);
  const std::size_t first = points.size();
  for (const auto& [index, point] : found) {
    if (is_near(point.gap)) points.push_back(point);
  }
  keep_outlines(points, first, kOnEdge * size_, kBesideOutline * size_);
}

// Whether n is an outward normal of the surface at a point of the triangle: the triangle's own normal; at an
// edge one between its own and its neighbour's; at a corner one from which all edges recede.
bool TriangleTree::is_felt(const Triangle& triangle, const Vec& p, const Vec& n) const {
  const Polytope& body = *triangle.body.polytope;
  const Vec& own = body.faces[0].normal;
  if (norm(n - own) < kAngle) return true;
  if (dot(n, own) < -kAngle) return false;
  const double tolerance = kOnEdge * size_;
  bool is_at_edge = false;
  for (std::size_t k = 0; k < 3; ++k) {
    if (norm(p - body.points[k]) <= tolerance) {
      const auto& spokes = spokes_[static_cast<std::size_t>(triangle.corners[k])];
      return std::ranges::all_of(spokes, [&](const Vec& edge) { return dot(n, edge) <= kAngle; });
    }
    if (dot(triangle.out[k], p - body.points[k]) < -tolerance) continue;
    is_at_edge = true;
    if (dot(n, triangle.beyond[k]) < -kAngle) return false;
  }
  return is_at_edge;
}

namespace {

using Place = std::array<double, 2>;

double turn(const Place& o, const Place& p, const Place& q) {
  return (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
}

// Indices of the corners of the convex hull, anticlockwise, by Andrew's monotone chain.
std::vector<std::size_t> find_hull(const std::vector<Place>& at) {
  std::vector<std::size_t> order(at.size()), hull;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return at[i]; });
  for (int side = 0; side < 2; ++side) {
    const std::size_t first = hull.size();
    for (const std::size_t i : order) {
      while (hull.size() >= first + 2 && turn(at[hull[hull.size() - 2]], at[hull.back()], at[i]) <= 0.0)
        hull.pop_back();
      hull.push_back(i);
    }
    hull.pop_back();  // begins the other side
    std::ranges::reverse(order);
  }
  return hull;
}

// Leaves out corners that are no farther than `beside` from the line between their neighbours.
void simplify_hull(const std::vector<Place>& at, double beside, std::vector<std::size_t>& hull) {
  for (std::size_t k = 0; k < hull.size() && hull.size() > 2;) {
    const std::size_t n = hull.size();
    const Place &o = at[hull[(k + n - 1) % n]], &q = at[hull[(k + 1) % n]];
    if (turn(o, at[hull[k]], q) > beside * std::hypot(q[0] - o[0], q[1] - o[1])) {
      ++k;
    } else {
      hull.erase(hull.begin() + static_cast<std::ptrdiff_t>(k));
      k = k > 0 ? k - 1 : 0;
    }
  }
}

}  // namespace

void keep_outlines(std::vector<ContactPoint>& points, std::size_t first, double flat, double beside) {
  std::vector<ContactPoint> kept;
  std::vector<char> is_done(points.size(), 0);
  std::vector<std::size_t> group;
  std::vector<std::array<double, 2>> at;
  std::vector<char> is_kept(points.size(), 0);
  for (std::size_t i = first; i < points.size(); ++i) {
    if (is_done[i] != 0) continue;
    const ContactPoint& one = points[i];
    const auto on_surface = [](const ContactPoint& point) {
      return point.p - 0.5 * point.gap * point.normal;
    };
    const Vec other = std::abs(one.normal.x) < 0.6 ? Vec{1.0, 0.0, 0.0} : Vec{0.0, 1.0, 0.0};
    const Vec u = direction_of(cross(one.normal, other)), v = cross(one.normal, u);
    group.clear(), at.clear();
    for (std::size_t k = i; k < points.size(); ++k) {
      const Vec d = on_surface(points[k]) - on_surface(one);
      if (is_done[k] != 0 || norm(points[k].normal - one.normal) > kAngle ||
          std::abs(dot(d, one.normal)) > flat) {
        continue;
      }
      is_done[k] = 1;
      const std::array<double, 2> place{dot(u, d), dot(v, d)};
      const auto is_same = [&](const auto& x) {
        return std::hypot(x[0] - place[0], x[1] - place[1]) <= beside;
      };
      if (std::ranges::any_of(at, is_same)) continue;
      group.push_back(k);
      at.push_back(place);
    }
    std::vector<std::size_t> hull{0};
    if (at.size() > 1) {
      hull = find_hull(at);
      simplify_hull(at, beside, hull);
    }
    for (const std::size_t k : hull) is_kept[group[k]] = 1;
  }
  for (std::size_t i = first; i < points.size(); ++i) {
    if (is_kept[i] != 0) kept.push_back(points[i]);
  }
  points.resize(first);
  points.insert(points.end(), kept.begin(), kept.end());
}

}  // namespace sestina
