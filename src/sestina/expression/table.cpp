#include "sestina/expression/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina {
namespace {

constexpr double kClosed = 1e-9;  // of the range of y: by how much the ends of a periodic table may differ

// Returns the one-sided slope at an end, limited so that the end piece stays monotone. h: widths of the two
// pieces next to the end, d: their mean slopes, the end piece first.
double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0.0) return 0.0;
  if (d0 * d1 <= 0.0 && std::abs(slope) > 3.0 * std::abs(d0)) return 3.0 * d0;
  return slope;
}

// Returns a derivative of the given order of y0 + c1 s + c2 s^2 + c3 s^3.
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

// Destroys the matrix; the solution is left in `right`.
void solve_tridiagonal(std::vector<double>& below, std::vector<double>& on, std::vector<double>& above,
                       std::vector<double>& right) {
  const std::size_t n = on.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double part = below[i] / on[i - 1];
    on[i] -= part * above[i - 1];
    right[i] -= part * right[i - 1];
  }
  for (std::size_t i = n; i-- > 0;) {
    if (i + 1 < n) right[i] -= above[i] * right[i + 1];
    right[i] /= on[i];
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
  if (interpolation_ == Interpolation::kSpline) set_spline_slopes();
  if (interpolation_ == Interpolation::kPeriodicSpline) {
    const auto [least, most] = std::ranges::minmax(y_);
    if (!(std::abs(y_.front() - y_.back()) <= kClosed * (most - least))) {
      throw InputError(fmt::format("a periodic table begins with {} and ends with {}: they have to be equal",
                                   y_.front(), y_.back()));
    }
    y_.back() = y_.front();
    set_periodic_slopes();
  }
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

// The second derivatives of two pieces agree where they meet: with widths h and mean slopes d,
//   h_i m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_(i-1) m_(i+1) = 3 (h_i d_(i-1) + h_(i-1) d_i)
// and at the ends, that the third derivatives of the first two pieces agree:
//   h_1 m_0 + (h_0 + h_1) m_1 = ((h_0 + 2 (h_0 + h_1)) h_1 d_0 + h_0^2 d_1) / (h_0 + h_1)
// de Boor, A Practical Guide to Splines (1978), chapter IV.
void Table::set_spline_slopes() {
  const std::size_t n = x_.size();
  std::vector<double> h(n - 1), d(n - 1);
  for (std::size_t i = 0; i + 1 < n; ++i) h[i] = x_[i + 1] - x_[i], d[i] = (y_[i + 1] - y_[i]) / h[i];
  slope_.assign(n, d[0]);
  if (n == 2) return;
  if (n == 3) {
    const double curvature = (d[1] - d[0]) / (h[0] + h[1]);
    slope_ = {d[0] - curvature * h[0], d[0] + curvature * h[0], d[1] + curvature * h[1]};
    return;
  }
  std::vector<double> below(n), on(n), above(n), right(n);
  const auto end = [](double h0, double h1, double d0, double d1) {
    return ((h0 + 2.0 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1);
  };
  on[0] = h[1], above[0] = h[0] + h[1], right[0] = end(h[0], h[1], d[0], d[1]);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = h[i], on[i] = 2.0 * (h[i - 1] + h[i]), above[i] = h[i - 1];
    right[i] = 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
  }
  below[n - 1] = h[n - 2] + h[n - 3], on[n - 1] = h[n - 3];
  right[n - 1] = end(h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
  solve_tridiagonal(below, on, above, right);
  slope_ = right;
}

// The same equations around the circle, whose two corners are a matrix of rank one (Sherman and Morrison):
// A = B + w v^T with w = (c, 0, ..., 0, a), v = (1, 0, ..., 0, b).
void Table::set_periodic_slopes() {
  const std::size_t n = x_.size() - 1;  // pieces, and unknowns
  std::vector<double> h(n), d(n);
  for (std::size_t i = 0; i < n; ++i) h[i] = x_[i + 1] - x_[i], d[i] = (y_[i + 1] - y_[i]) / h[i];
  slope_.assign(n + 1, 0.0);
  if (n == 1) return;  // a constant
  if (n == 2) {        // m_0 and m_1: the neighbours on both sides are the same
    const double sum = h[0] + h[1];
    const double right = 3.0 * (h[0] * d[1] + h[1] * d[0]);
    slope_.assign(3, right / (3.0 * sum));
    return;
  }
  std::vector<double> below(n), on(n), above(n), right(n), w(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = i == 0 ? n - 1 : i - 1;
    below[i] = h[i], on[i] = 2.0 * (h[before] + h[i]), above[i] = h[before];
    right[i] = 3.0 * (h[i] * d[before] + h[before] * d[i]);
  }
  const double corner_first = below[0], corner_last = above[n - 1];
  const double c = -on[0], b = corner_first / c;
  on[0] -= c, on[n - 1] -= corner_last * b;
  w[0] = c, w[n - 1] = corner_last;
  std::vector<double> on_again = on, above_again = above, below_again = below;
  solve_tridiagonal(below, on, above, right);
  solve_tridiagonal(below_again, on_again, above_again, w);
  const double part = (right[0] + b * right[n - 1]) / (1.0 + w[0] + b * w[n - 1]);
  for (std::size_t i = 0; i < n; ++i) slope_[i] = right[i] - part * w[i];
  slope_[n] = slope_[0];
}

double Table::calc(double at, int order) const {
  if (std::isnan(at)) return at;
  if (interpolation_ == Interpolation::kPeriodicSpline) {
    const double period = x_.back() - x_.front();
    at -= period * std::floor((at - x_.front()) / period);
    at = std::clamp(at, x_.front(), x_.back());
  }
  const bool goes_on =
      interpolation_ == Interpolation::kSpline || interpolation_ == Interpolation::kPeriodicSpline;
  if (!goes_on && at < x_.front()) return order == 0 ? y_.front() : 0.0;
  if (!goes_on && at >= x_.back()) return order == 0 ? y_.back() : 0.0;
  const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, at);
  const auto i = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double h = x_[i + 1] - x_[i], s = at - x_[i];
  const double mean = (y_[i + 1] - y_[i]) / h;
  if (interpolation_ == Interpolation::kLinear) return cubic_derivative(y_[i], mean, 0.0, 0.0, s, order);
  const double m0 = slope_[i], m1 = slope_[i + 1];
  const double c2 = (3.0 * mean - 2.0 * m0 - m1) / h, c3 = (m0 + m1 - 2.0 * mean) / (h * h);
  return cubic_derivative(y_[i], m0, c2, c3, s, order);
}

}  // namespace sestina
