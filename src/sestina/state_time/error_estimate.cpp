#include "sestina/state_time/error_estimate.h"

#include <algorithm>
#include <cmath>

#include "sestina/state_time/element_layout.h"

namespace sestina {
namespace {

using V3 = Vec3<double>;

V3 unit(int i) { return {double(i == 0), double(i == 1), double(i == 2)}; }

// Legendre's polynomial of degree n, and the mean over [0, 1] of the square of its integral from 0 to s.
double legendre(int n, double x) {
  double before = 0.0, value = 1.0;
  for (int i = 1; i <= n; ++i) {
    const double next = ((2 * i - 1) * x * value - (i - 1) * before) / i;
    before = value, value = next;
  }
  return value;
}
double square_of_legendre_integral(int n) {
  if (n == 0) return 1.0 / 3.0;
  return (1.0 / (2 * n + 3) + 1.0 / (2 * n - 1)) / (4.0 * (2 * n + 1) * (2 * n + 1));
}

}  // namespace

ErrorEstimate::ErrorEstimate(const ElementForm& form) : layout_(form.layout), at_end_(form.pair.at_end) {
  const ElementPair& pair = form.pair;
  const int k = pair.degree;
  slope_start_.resize(index(k + 1)), slope_end_.resize(index(k + 1));
  point_start_.resize(index(k)), point_end_.resize(index(k));
  pair.calc_shape_slope(0.0, slope_start_.data()), pair.calc_shape_slope(1.0, slope_end_.data());
  pair.calc_point_shape(0.0, point_start_.data()), pair.calc_point_shape(1.0, point_end_.data());
  double scale = 1.0;
  for (const double point : pair.points) scale *= point;
  const auto M = [&](double s) {
    double product = 1.0 / scale;
    for (const double point : pair.points) product *= s - point;
    return product;
  };
  M_start_ = M(0.0), M_end_ = M(1.0);
  const bool has_jump = std::abs(M_end_) > 1e-6;
  if (has_jump) {
    for (const double point : pair.points) M_slope_end_ += 1.0 / (1.0 - point);
  }
  // Exact: Gauss points of the highest degree on each of several parts of the element.
  const ElementPair rule = make_element_pair(element_pair_names().back(), TestFunctions::kNatural);
  constexpr int kParts = 4;
  double before = 0.0;  // integral of M
  for (int part = 0; part < kParts; ++part) {
    const auto place = [&](double s) { return (part + s) / kParts; };
    for (int g = 0; g < rule.degree; ++g) {
      double integral = before;
      for (int j = 0; j < rule.degree; ++j)
        integral += rule.A(g, j) / kParts * M(place(rule.points[index(j)]));
      const double s = place(rule.points[index(g)]), weight = rule.weights[index(g)] / kParts;
      const double jump = has_jump ? s * M(s) / M_end_ : 0.0;
      by_free_ += weight * integral * integral;
      by_both_ += weight * integral * jump;
      by_jump_ += weight * jump * jump;
    }
    for (int j = 0; j < rule.degree; ++j) {
      before += rule.weights[index(j)] / kParts * M(place(rule.points[index(j)]));
    }
  }
  set_lower(pair);
}

// For Gauss points M is P itself, for Radau points half the difference of P and the polynomial before it; the
// integrals of these two are orthogonal except for degrees 1 and 0.
void ErrorEstimate::set_lower(const ElementPair& pair) {
  const int k = pair.degree, n = k - 1;
  top_.assign(index(k + 1), 0.0);
  for (int g = 0; g < k; ++g) {
    const std::size_t at = index(g);
    point_top_.push_back((2 * n + 1) * pair.weights[at] * legendre(n, 2.0 * pair.points[at] - 1.0));
    for (int j = 0; j <= k; ++j) top_[index(j)] += point_top_.back() * pair.D(g, j);
  }
  by_lower_ = square_of_legendre_integral(n);
  if (M_slope_end_ == 0.0) by_lower_ += n == 1 ? 1.0 / 2.0 : square_of_legendre_integral(n - 1);
}

// Returns the mean over the element of the square of (4).
double ErrorEstimate::square(double h, const V3& r_start, const V3& r_end, const V3& jump) const {
  V3 start = r_start, end = r_end, j;
  if (M_slope_end_ != 0.0) {
    j = jump;
    start -= (M_start_ / M_end_ / h) * j;
    end -= ((1.0 + M_slope_end_) / h) * j;
  }
  const double size = M_start_ * M_start_ + M_end_ * M_end_;
  const V3 R = (M_start_ / size) * start + (M_end_ / size) * end;  // (3)
  const double sum = h * h * dot(R, R) * by_free_ + 2.0 * h * dot(R, j) * by_both_ + dot(j, j) * by_jump_;
  return std::max(0.0, sum);
}

double ErrorEstimate::square_of(double h, const Curve& curve, bool has_jump) const {
  V3 slope_start = slope_start_[0] * curve.start, slope_end = slope_end_[0] * curve.start;
  V3 at_end = at_end_[0] * curve.start;
  for (int j = 1; j <= layout_.degree; ++j) {
    slope_start += slope_start_[index(j)] * curve.points[j - 1];
    slope_end += slope_end_[index(j)] * curve.points[j - 1];
    at_end += at_end_[index(j)] * curve.points[j - 1];
  }
  return square(h, curve.f_start - (1.0 / h) * slope_start, curve.f_end - (1.0 / h) * slope_end,
                has_jump ? curve.end - at_end : V3{});
}

// x_h is the integral of the polynomial through the velocities at the points.
double ErrorEstimate::square_of_place(double h, const Curve& velocity) const {
  V3 start = velocity.start, end = velocity.end;
  for (int j = 0; j < layout_.degree; ++j) {
    start -= point_start_[index(j)] * velocity.points[j];
    end -= point_end_[index(j)] * velocity.points[j];
  }
  return square(h, start, end, {});
}

ErrorEstimate::Curve ErrorEstimate::curve_of(std::span<const double> start, std::span<const double> y,
                                             int body, int number) const {
  Curve curve{read_vector(start, ElementLayout::kEndNumbers * body + number),
              read_vector(y, layout_.end(body) + number),
              {},
              {},
              {}};
  for (int g = 0; g < layout_.degree; ++g) {
    curve.points[g] = read_vector(y, layout_.point(g, body) + number);
  }
  return curve;
}

void ErrorEstimate::calc_lower(double h, std::span<const double> start, std::span<const double> y,
                               std::span<BodyError> errors) const {
  const auto square_of_top = [&](const Curve& curve) {
    V3 top = top_[0] * curve.start;
    for (int j = 1; j <= layout_.degree; ++j) top += top_[index(j)] * curve.points[j - 1];
    return by_lower_ * dot(top, top);
  };
  for (int b = 0; b < layout_.bodies; ++b) {
    const Curve v = curve_of(start, y, b, 0);
    V3 top_of_rate;
    for (int j = 0; j < layout_.degree; ++j) top_of_rate += point_top_[index(j)] * v.points[j];
    double cosines = 0.0;
    for (int c = 0; c < 3; ++c) cosines += square_of_top(curve_of(start, y, b, 6 + 3 * c));
    errors[index(b)] = {std::sqrt(square_of_top(v)), std::sqrt(square_of_top(curve_of(start, y, b, 3))),
                        std::sqrt(cosines), h * std::sqrt(by_lower_) * norm(top_of_rate)};
  }
}

void ErrorEstimate::calc(double h, std::span<const double> start, std::span<const double> y,
                         std::span<const BodyRates> at_start, std::span<const BodyRates> at_end,
                         std::span<BodyError> errors) const {
  for (int b = 0; b < layout_.bodies; ++b) {
    const int first = ElementLayout::kEndNumbers * b, end = layout_.end(b);
    Curve v = curve_of(start, y, b, 0), w = curve_of(start, y, b, 3);
    v.f_start = at_start[index(b)].v, v.f_end = at_end[index(b)].v;
    w.f_start = at_start[index(b)].w, w.f_end = at_end[index(b)].w;
    const Mat3<double> C_start = read_matrix(start, first + 6), C_end = read_matrix(y, end + 6);
    double cosines = 0.0;
    for (int c = 0; c < 3; ++c) {
      Curve column = curve_of(start, y, b, 6 + 3 * c);
      column.f_start = C_start * cross(w.start, unit(c)), column.f_end = C_end * cross(w.end, unit(c));
      cosines += square_of(h, column, false);
    }
    errors[index(b)] = {std::sqrt(square_of(h, v, true)), std::sqrt(square_of(h, w, true)),
                        std::sqrt(cosines), std::sqrt(square_of_place(h, v))};
  }
}

}  // namespace sestina
