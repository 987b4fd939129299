#include "sestina/integrate/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sestina {
namespace {

constexpr int kMostIterations = 60;
constexpr double kTolerance = 2.0 * std::numeric_limits<double>::epsilon();
// Residuals below this part of |x| that no longer decrease are at the level of the rounding errors of g. The
// accelerated residuals do not decrease evenly: one that has not halved is no evidence yet.
constexpr double kRoundingLevel = 1e-12;
constexpr int kStalls = 2;
// A difference is dropped if less than this part of it is independent of the newer ones: it would be noise.
constexpr double kDependent = 1e-8;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add(std::span<double> a, double scale, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += scale * b[i];
}

}  // namespace

void FixedPointIteration::resize(std::size_t n) {
  n_ = n;
  for (auto* v : {&residual_, &former_residual_, &former_g_}) v->assign(n, 0.0);
  for (auto* v : {&df_, &dg_, &basis_, &basis_dg_}) v->assign(kDepth * n, 0.0);
}

void FixedPointIteration::start() {
  iterations_ = 0;
  columns_ = 0;
  newest_ = -1;
}

std::span<double> FixedPointIteration::column(std::vector<double>& columns, int i) const {
  return std::span(columns).subspan(static_cast<std::size_t>(i) * n_, n_);
}

FixedPointIteration::Status FixedPointIteration::advance(std::span<double> x, std::span<const double> g) {
  double change = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < n_; ++i) {
    residual_[i] = g[i] - x[i];
    scale = std::max(scale, std::abs(g[i]));
    if (!(std::abs(residual_[i]) <= change)) {
      change = std::abs(residual_[i]);
      worst_ = static_cast<int>(i);
    }
  }
  if (!std::isfinite(change)) return Status::kFailed;
  const bool shrinks = iterations_ == 0 || change < 0.5 * least_change_;
  stalls_ = shrinks ? 0 : stalls_ + 1;
  if (shrinks) least_change_ = change;
  if (change <= kTolerance * scale || (change <= kRoundingLevel * scale && stalls_ >= kStalls)) {
    std::copy(g.begin(), g.end(), x.begin());
    return Status::kArrived;
  }
  if (++iterations_ == kMostIterations) return Status::kFailed;
  remember(g);
  accelerate(x, g);
  return Status::kGoOn;
}

void FixedPointIteration::remember(std::span<const double> g) {
  if (iterations_ > 1) {
    newest_ = (newest_ + 1) % kDepth;
    columns_ = std::min(columns_ + 1, kDepth);
    const std::span<double> df = column(df_, newest_), dg = column(dg_, newest_);
    for (std::size_t i = 0; i < n_; ++i) {
      df[i] = residual_[i] - former_residual_[i];
      dg[i] = g[i] - former_g_[i];
    }
  }
  std::copy(residual_.begin(), residual_.end(), former_residual_.begin());
  std::copy(g.begin(), g.end(), former_g_.begin());
}

// Modified Gram-Schmidt on the differences, the newest first; dg is combined in the same way as df.
void FixedPointIteration::accelerate(std::span<double> x, std::span<const double> g) {
  std::copy(g.begin(), g.end(), x.begin());
  int kept = 0;
  for (int age = 0; age < columns_; ++age) {
    const int source = (newest_ - age + kDepth) % kDepth;
    const std::span<double> v = column(basis_, kept), w = column(basis_dg_, kept);
    std::ranges::copy(column(df_, source), v.begin());
    std::ranges::copy(column(dg_, source), w.begin());
    const double full = std::sqrt(dot(v, v));
    for (int j = 0; j < kept; ++j) {
      const double along = dot(v, column(basis_, j));
      add(v, -along, column(basis_, j));
      add(w, -along, column(basis_dg_, j));
    }
    const double rest = std::sqrt(dot(v, v));
    if (!(rest > kDependent * full)) continue;
    for (std::size_t i = 0; i < n_; ++i) v[i] /= rest, w[i] /= rest;
    const double gamma = dot(residual_, v);
    add(residual_, -gamma, v);
    add(x, -gamma, w);
    ++kept;
  }
}

}  // namespace sestina
