#include "sestina/integrate/stage_equations.h"

#include <algorithm>
#include <cmath>

#include "sestina/base/index.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {
namespace {

// The least weight of a direction in the search for implied conditions, relative to the largest one. Where a
// body has no inertia, as a thin rod about its axis, rows that hold this direction would otherwise look
// alike: what distinguishes them must remain above the threshold of IndependentRows.
constexpr double kLeastWeight = 1e-6;

void add_times(const SparsePattern& pattern, std::span<const double> matrix, double factor,
               std::span<const double> x, std::span<double> to) {
  pattern.for_each([&](int i, int j, int p) { to[at(i)] += factor * matrix[at(p)] * x[at(j)]; });
}

}  // namespace

void StageEquations::start(EquationsOfMotion& equations) {
  face_ = equations.implicit_face();
  if (face_ == nullptr) {
    differences_.start(equations);
    face_ = &differences_;
  }
  has_tangents_ = false;
  const StateSizes sizes = equations.sizes();
  if (sizes == sizes_ && face_->pattern() == pattern_ && face_->row_pattern() == row_pattern_) return;
  sizes_ = sizes;
  nw_ = at(sizes.nu + sizes.nx), rows_ = at(face_->rows());
  pattern_ = face_->pattern(), row_pattern_ = face_->row_pattern();
  for (auto* matrix : {&M_, &D_, &K_}) matrix->assign(pattern_.size(), 0.0);
  for (auto* matrix : {&C_, &v_q_}) matrix->assign(row_pattern_.size(), 0.0);
  real_ = {std::vector<double>(pattern_.size()), std::vector<double>(row_pattern_.size())};
  complex_ = {std::vector<std::complex<double>>(pattern_.size()),
              std::vector<std::complex<double>>(row_pattern_.size())};
  weights_.assign(nw_, 1.0);
  active_.assign(rows_, 1);
  independent_.resize(row_pattern_);
  memory_.assign(1 + at(sizes.nq + sizes.nu + sizes.nx + sizes.nh) + nw_ + rows_, 0.0);
  at_ = {.q = std::vector<double>(at(sizes.nq)),
         .u = std::vector<double>(at(sizes.nu)),
         .x = std::vector<double>(at(sizes.nx)),
         .d = std::vector<double>(at(sizes.nd)),
         .h = std::vector<double>(at(sizes.nh)),
         .z = std::vector<double>(at(sizes.nz))};
}

bool StageEquations::take(const ImplicitFace::Tangents& tangents) {
  std::ranges::copy(tangents.M, M_.begin());
  std::ranges::copy(tangents.D, D_.begin());
  std::ranges::copy(tangents.K, K_.begin());
  std::ranges::copy(tangents.C, C_.begin());
  std::ranges::copy(tangents.v_q, v_q_.begin());
  for (const auto* matrix : {&M_, &D_, &K_, &C_, &v_q_}) {
    if (first_not_finite(*matrix) >= 0) return false;
  }
  if (rows_ > 0) {
    pattern_.for_each([&](int i, int j, int p) {
      if (i == j) weights_[at(i)] = M_[at(p)];
    });
    double largest = 0.0;
    for (const double weight : weights_) largest = std::max(largest, weight);
    for (double& weight : weights_) weight = std::max(weight, kLeastWeight * largest);
    independent_.find(C_, weights_, active_);
  }
  return has_tangents_ = true;
}

bool StageEquations::update(const State<double>& state, std::span<const double> wdot,
                            std::span<const double> lambda) {
  has_tangents_ = false;
  auto to = memory_.begin();
  *to++ = state.t;
  for (const std::vector<double>* part : {&state.q, &state.u, &state.x, &state.h}) {
    to = std::ranges::copy(*part, to).out;
  }
  to = std::ranges::copy(wdot, to).out;
  std::ranges::copy(lambda, to);
  ++tangent_count_;
  return take(face_->calc_tangents(state, wdot, lambda));
}

bool StageEquations::restore(std::span<const double> memory, const State<double>& like) {
  if (has_tangents_ && std::ranges::equal(memory, memory_)) return true;
  auto from = memory.begin();
  at_.t = *from++;
  at_.d = like.d;
  for (std::vector<double>* part : {&at_.q, &at_.u, &at_.x, &at_.h}) {
    std::copy_n(from, part->size(), part->begin());
    from += static_cast<long>(part->size());
  }
  const std::span<const double> rest(from, memory.end());
  return update(at_, rest.first(nw_), rest.subspan(nw_));
}

template <>
StageEquations::Values<double>& StageEquations::values() {
  return real_;
}
template <>
StageEquations::Values<std::complex<double>>& StageEquations::values() {
  return complex_;
}

template <class Number>
bool StageEquations::factorize(SaddlePointMatrix<Number>& matrix, Number m, Number d, Number k, Number e) {
  ++factorization_count_;
  Values<Number>& sum = values<Number>();
  for (std::size_t p = 0; p < M_.size(); ++p) sum.E[p] = m * M_[p] + d * D_[p] + k * K_[p];
  for (std::size_t p = 0; p < C_.size(); ++p) sum.B[p] = C_[p] + e * v_q_[p];
  return matrix.factorize(sum.E, sum.B, C_, active_);
}
template bool StageEquations::factorize(SaddlePointMatrix<double>&, double, double, double, double);
template bool StageEquations::factorize(SaddlePointMatrix<std::complex<double>>&, std::complex<double>,
                                        std::complex<double>, std::complex<double>, std::complex<double>);

void StageEquations::add_M_times(double factor, std::span<const double> x, std::span<double> to) const {
  add_times(pattern_, M_, factor, x, to);
}
void StageEquations::add_K_times(double factor, std::span<const double> x, std::span<double> to) const {
  add_times(pattern_, K_, factor, x, to);
}
void StageEquations::add_v_q_times(double factor, std::span<const double> x, std::span<double> to) const {
  add_times(row_pattern_, v_q_, factor, x, to);
}

}  // namespace sestina
