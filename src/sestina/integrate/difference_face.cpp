#include "sestina/integrate/difference_face.h"

#include <algorithm>
#include <cmath>

namespace sestina {
namespace {

// The square root of the spacing of numbers near 1.
constexpr double kIncrement = 1.5e-8;

}  // namespace

void DifferenceFace::start(EquationsOfMotion& equations) {
  equations_ = &equations;
  if (sizes_ == equations.sizes()) return;
  sizes_ = equations.sizes();
  const int nw = sizes_.nu + sizes_.nx;
  const auto n = static_cast<std::size_t>(nw);
  pattern_ = make_full_pattern(nw, nw);
  row_pattern_ = make_full_pattern(0, nw);
  zdot_.assign(static_cast<std::size_t>(sizes_.nz), 0.0);
  for (auto* v : {&base_, &changed_}) v->assign(n, 0.0);
  moved_ = {.q = std::vector<double>(static_cast<std::size_t>(sizes_.nq)),
            .u = std::vector<double>(static_cast<std::size_t>(sizes_.nu)),
            .x = std::vector<double>(static_cast<std::size_t>(sizes_.nx)),
            .d = std::vector<double>(static_cast<std::size_t>(sizes_.nd)),
            .h = std::vector<double>(static_cast<std::size_t>(sizes_.nh)),
            .z = std::vector<double>(static_cast<std::size_t>(sizes_.nz))};
  displacement_.assign(static_cast<std::size_t>(sizes_.nu), 0.0);
  for (auto* matrix : {&M_, &D_, &K_}) matrix->assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) M_[i * n + i] = 1.0;
}

void DifferenceFace::calc(const State<double>& state, std::span<double> wdot) {
  const auto nu = static_cast<std::size_t>(sizes_.nu);
  equations_->calc_derivatives(state, {wdot.first(nu), wdot.subspan(nu), zdot_});
}

void DifferenceFace::calc_start(const State<double>& state, std::span<double> wdot, std::span<double>) {
  calc(state, wdot);
}

void DifferenceFace::calc_residual(const State<double>& state, std::span<const double> wdot,
                                   std::span<const double>, const Residual& to) {
  calc(state, to.r);
  for (std::size_t i = 0; i < wdot.size(); ++i) to.r[i] = wdot[i] - to.r[i];
}

void DifferenceFace::take_column(std::vector<double>& matrix, int column, double step) {
  calc(moved_, changed_);
  double* to = matrix.data() + static_cast<std::size_t>(column) * changed_.size();
  for (std::size_t i = 0; i < changed_.size(); ++i) to[i] = -(changed_[i] - base_[i]) / step;
}

ImplicitFace::Tangents DifferenceFace::calc_tangents(const State<double>& state, std::span<const double>,
                                                     std::span<const double>) {
  moved_ = state;
  calc(moved_, base_);
  const bool is_plain = state.q.size() == state.u.size();
  for (int k = 0; k < sizes_.nu; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double step = kIncrement * std::max(1.0, is_plain ? std::abs(state.q[i]) : 0.0);
    displacement_[i] = step;
    equations_->plus(state.q, displacement_, moved_.q);
    displacement_[i] = 0.0;
    take_column(K_, k, step);
  }
  std::ranges::copy(state.q, moved_.q.begin());
  int column = 0;
  for (std::vector<double>* part : {&moved_.u, &moved_.x}) {
    for (double& value : *part) {
      const double kept = value;
      value += kIncrement * std::max(1.0, std::abs(kept));
      const double step = value - kept;  // as it is rounded
      take_column(D_, column++, step);
      value = kept;
    }
  }
  return {M_, D_, K_, {}, {}};
}

void DifferenceFace::calc_quadrature_rates(const State<double>& state, std::span<const double>,
                                           std::span<double> zdot) {
  calc(state, changed_);
  std::ranges::copy(zdot_, zdot.begin());
}

}  // namespace sestina
