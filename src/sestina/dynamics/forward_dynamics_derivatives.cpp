#include "sestina/dynamics/forward_dynamics_derivatives.h"

#include <algorithm>

namespace sestina {
namespace {

constexpr int kChunk = 8;  // columns at a time, in registers

// y - sum of coefficient(c) row(c)[0..7] for c = begin .. end - 1
template <class Coefficient, class RowOf>
[[gnu::always_inline]] inline void subtract_rows(double (&y)[kChunk], int begin, int end,
                                                 Coefficient&& coefficient, RowOf&& row_of) {
  for (int c = begin; c < end; ++c) {
    const double a = coefficient(c);
    const double* row = row_of(c);
    for (int j = 0; j < kChunk; ++j) y[j] -= a * row[j];
  }
}

}  // namespace

ForwardDynamicsDerivatives::ForwardDynamicsDerivatives(const Model& model,
                                                       const Properties<double>& properties)
    : nu_(model.nu()),
      rows_(static_cast<std::size_t>(model.nu())),
      D_inverse_(rows_.size()),
      M_inverse_(model.nu()),
      inverse_(model, properties) {
  stride_ = inverse_.by_state().stride;
  by_state_.resize(rows_.size() * static_cast<std::size_t>(stride_));
  // Speeds of the bodies from the root to each body, the last one first.
  std::vector<int> last_speed(static_cast<std::size_t>(model.bodies().size()), -1);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    int last = last_speed[static_cast<std::size_t>(info.parent.value())];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      Row& row = rows_[static_cast<std::size_t>(k)];
      row.start = static_cast<int>(inboard_.size());
      if (last >= 0) {
        const Row& before = rows_[static_cast<std::size_t>(last)];
        row.depth = before.depth + 1;
        for (int c = 0; c <= before.depth; ++c) {
          inboard_.push_back(inboard_[static_cast<std::size_t>(before.start + c)]);
        }
      }
      inboard_.push_back(k);
      last = k;
    }
    last_speed[static_cast<std::size_t>(b.value())] = last;
  }
  L_.resize(inboard_.size());
  for (int k = 0; k < nu_; ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    for (int c = 0; c <= row.depth; ++c) {
      rows_[static_cast<std::size_t>(inboard_[static_cast<std::size_t>(row.start + c)])].subtree_end = k + 1;
    }
  }
}

SolveReport<double> ForwardDynamicsDerivatives::update(const State<double>& state,
                                                       const Kinematics<double>& kinematics,
                                                       const AppliedForces<double>& forces,
                                                       std::span<const double> udot) {
  inverse_.update(state, kinematics, forces, udot);
  const SolveReport<double> report = factor();
  if (report.is_singular) return report;
  invert();
  solve();
  return report;
}

SolveReport<double> ForwardDynamicsDerivatives::factor() {
  for (int k = 0; k < nu_; ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    const double* M_k = inverse_.mass_matrix().row(k);
    for (int c = row.start; c <= row.start + row.depth; ++c) {
      L_[static_cast<std::size_t>(c)] = M_k[inboard_[static_cast<std::size_t>(c)]];
    }
  }
  SolveReport<double> report;
  for (int k = nu_ - 1; k >= 0; --k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    double* L_k = L_.data() + row.start;
    report.check_pivot(L_k[row.depth], inverse_.mass_matrix()(k, k), k);
    const double D_inverse = 1.0 / L_k[row.depth];
    D_inverse_[static_cast<std::size_t>(k)] = D_inverse;
    for (int c = row.depth - 1; c >= 0; --c) {
      const int inboard = inboard_[static_cast<std::size_t>(row.start + c)];
      double* L_i = L_.data() + rows_[static_cast<std::size_t>(inboard)].start;
      const double a = L_k[c] * D_inverse;
      for (int j = 0; j <= c; ++j) L_i[j] -= a * L_k[j];
    }
    for (int c = 0; c < row.depth; ++c) L_k[c] *= D_inverse;
  }
  return report;
}

// (2) and (3) for the columns of the unit matrix, the upper triangle.
void ForwardDynamicsDerivatives::invert() {
  for (int i = nu_ - 1; i >= 0; --i) {
    const Row& row = rows_[static_cast<std::size_t>(i)];
    double* y = M_inverse_.row(i);
    std::fill(y + i, y + nu_, 0.0);
    y[i] = 1.0;
    for (int k = i + 1; k < row.subtree_end; ++k) {
      const Row& outboard = rows_[static_cast<std::size_t>(k)];
      const double a = L_[static_cast<std::size_t>(outboard.start + row.depth)];
      const double* y_k = M_inverse_.row(k);
      for (int j = k; j < outboard.subtree_end; ++j) y[j] -= a * y_k[j];
    }
  }
  for (int k = 0; k < nu_; ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    double* x = M_inverse_.row(k);
    const double D_inverse = D_inverse_[static_cast<std::size_t>(k)];
    for (int j = k; j < row.subtree_end; ++j) x[j] *= D_inverse;
    for (int c = row.start; c < row.start + row.depth; ++c) {
      const double a = L_[static_cast<std::size_t>(c)];
      const double* x_l = M_inverse_.row(inboard_[static_cast<std::size_t>(c)]);
      for (int j = k; j < nu_; ++j) x[j] -= a * x_l[j];
    }
    for (int j = k + 1; j < nu_; ++j) M_inverse_(j, k) = x[j];
  }
}

// (2) and (3) for the derivatives of the residual.
void ForwardDynamicsDerivatives::solve() {
  const MatrixBlock residual = inverse_.by_state();
  for (std::ptrdiff_t first = 0; first < stride_; first += kChunk) {
    double* X = by_state_.data() + first;
    for (int i = nu_ - 1; i >= 0; --i) {
      const Row& row = rows_[static_cast<std::size_t>(i)];
      double y[kChunk];
      for (int j = 0; j < kChunk; ++j) y[j] = -residual.row(i)[first + j];
      subtract_rows(
          y, i + 1, row.subtree_end,
          [&](int k) {
            return L_[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)].start + row.depth)];
          },
          [&](int k) { return X + k * stride_; });
      std::copy(y, y + kChunk, X + i * stride_);
    }
    for (int k = 0; k < nu_; ++k) {
      const Row& row = rows_[static_cast<std::size_t>(k)];
      double x[kChunk];
      for (int j = 0; j < kChunk; ++j) x[j] = X[k * stride_ + j] * D_inverse_[static_cast<std::size_t>(k)];
      subtract_rows(
          x, row.start, row.start + row.depth, [&](int c) { return L_[static_cast<std::size_t>(c)]; },
          [&](int c) { return X + inboard_[static_cast<std::size_t>(c)] * stride_; });
      std::copy(x, x + kChunk, X + k * stride_);
    }
  }
}

}  // namespace sestina
