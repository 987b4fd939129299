#include "sestina/expression/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina {
namespace {

// One-sided slope at an end, limited so that the end piece stays monotone.
// h: widths of the two pieces next to the end, d: their mean slopes, the end piece first.
double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0.0) return 0.0;
  if (d0 * d1 <= 0.0 && std::abs(slope) > 3.0 * std::abs(d0)) return 3.0 * d0;
  return slope;
}

// Derivative of the given order of y0 + c1 s + c2 s^2 + c3 s^3.
double cubic_derivative(double y0, double c1, double c2, double c3, double s, int order) {
  switch (order) {
    case 0:
      return y0 + s * (c1 + s * (c2 + s * c3));
    case 1:
      return c1 + s * (2.0 * c2 + s * 3.0 * c3);
    case 2:
      return 2.0 * c2 + 6.0 * c3 * s;
    case 3:
      return 6.0 * c3;
    default:
      return 0.0;
  }
}

}  // namespace

Table::Table(std::vector<double> x, std::vector<double> y, Interpolation interpolation)
    : x_(std::move(x)), y_(std::move(y)), interpolation_(interpolation) {
  if (x_.size() != y_.size()) {
    throw InputError(fmt::format("a table has {} values of x but {} of y", x_.size(), y_.size()));
  }
  if (x_.size() < 2) throw InputError(fmt::format("a table has {} point(s); it needs two", x_.size()));
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (!std::isfinite(x_[i]) || !std::isfinite(y_[i])) {
      throw InputError(fmt::format("point [{}] of a table, ({}, {}), is not finite", i, x_[i], y_[i]));
    }
    if (i > 0 && !(x_[i - 1] < x_[i])) {
      throw InputError(
          fmt::format("x[{}] = {} of a table does not exceed x[{}] = {}", i, x_[i], i - 1, x_[i - 1]));
    }
  }
  if (interpolation_ == Interpolation::kPchip) set_pchip_slopes();
}

void Table::set_pchip_slopes() {
  const std::size_t n = x_.size();
  std::vector<double> width(n - 1), mean(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    width[i] = x_[i + 1] - x_[i];
    mean[i] = (y_[i + 1] - y_[i]) / width[i];
  }
  slope_.assign(n, mean[0]);
  if (n == 2) return;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    // Weighted harmonic mean, or zero at a local extremum of the points.
    const double left = 2.0 * width[i] + width[i - 1], right = width[i] + 2.0 * width[i - 1];
    slope_[i] = mean[i - 1] * mean[i] <= 0.0 ? 0.0 : (left + right) / (left / mean[i - 1] + right / mean[i]);
  }
  slope_.front() = end_slope(width[0], width[1], mean[0], mean[1]);
  slope_.back() = end_slope(width[n - 2], width[n - 3], mean[n - 2], mean[n - 3]);
}

double Table::calc(double at, int order) const {
  if (std::isnan(at)) return at;
  if (at < x_.front()) return order == 0 ? y_.front() : 0.0;
  if (at >= x_.back()) return order == 0 ? y_.back() : 0.0;
  const auto above = std::upper_bound(x_.begin(), x_.end(), at);
  const auto i = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i], s = at - x_[i];
  const double mean = (y_[i + 1] - y_[i]) / h;
  if (interpolation_ == Interpolation::kLinear) return cubic_derivative(y_[i], mean, 0.0, 0.0, s, order);
  const double m0 = slope_[i], m1 = slope_[i + 1];
  const double c2 = (3.0 * mean - 2.0 * m0 - m1) / h, c3 = (m0 + m1 - 2.0 * mean) / (h * h);
  return cubic_derivative(y_[i], m0, c2, c3, s, order);
}

}  // namespace sestina
