#include "sestina/io/plot_series.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace sestina {
namespace {

Strokes split_at_gaps(std::span<const double> x, std::span<const double> y) {
  Strokes strokes;
  bool is_gap = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_finite = std::isfinite(x[i]) && std::isfinite(y[i]);
    if (is_finite && is_gap) strokes.emplace_back();
    if (is_finite) strokes.back().push_back({x[i], y[i]});
    is_gap = !is_finite;
  }
  return strokes;
}

void keep_extremes(std::span<const PagePoint> column, std::vector<PagePoint>& kept) {
  const auto lower = [](const PagePoint& a, const PagePoint& b) { return a.y < b.y; };
  const auto [lowest, highest] = std::minmax_element(column.begin(), column.end(), lower);
  const auto first = column.begin();
  const auto last = column.end() - 1;
  auto previous = column.end();
  for (const auto point : {first, std::min(lowest, highest), std::max(lowest, highest), last}) {
    if (point != previous) kept.push_back(*point);
    previous = point;
  }
}

std::vector<PagePoint> thin_out_columns(std::span<const PagePoint> points, double resolution) {
  std::vector<PagePoint> kept;
  const auto column_of = [resolution](const PagePoint& point) {
    return static_cast<std::int64_t>(std::floor(point.x / resolution));
  };
  for (std::size_t start = 0; start < points.size();) {
    std::size_t end = start + 1;
    while (end < points.size() && column_of(points[end]) == column_of(points[start])) ++end;
    keep_extremes(points.subspan(start, end - start), kept);
    start = end;
  }
  return kept;
}

std::vector<PagePoint> thin_out_neighbours(std::span<const PagePoint> points, double distance) {
  std::vector<PagePoint> kept = {points.front()};
  for (const PagePoint& point : points.subspan(1, points.size() - 2)) {
    if (std::hypot(point.x - kept.back().x, point.y - kept.back().y) > distance) kept.push_back(point);
  }
  kept.push_back(points.back());
  return kept;
}

}  // namespace

Strokes thin_out(std::span<const double> x, std::span<const double> y, double resolution) {
  assert(x.size() == y.size());
  Strokes strokes = split_at_gaps(x, y);
  for (std::vector<PagePoint>& stroke : strokes) {
    if (stroke.size() <= 4) continue;
    const auto left_of = [](const PagePoint& a, const PagePoint& b) { return a.x < b.x; };
    stroke = std::is_sorted(stroke.begin(), stroke.end(), left_of)
                 ? thin_out_columns(stroke, resolution)
                 : thin_out_neighbours(stroke, resolution / 4);
  }
  return strokes;
}

}  // namespace sestina
