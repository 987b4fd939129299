#include "sestina/dynamics/forward_dynamics_derivatives.h"

#include <algorithm>
#include <cstring>

namespace sestina {
namespace {

using Four = double __attribute__((vector_size(32)));
constexpr int kFour = 4;

[[gnu::always_inline]] inline void load(const double* from, Four& x) { std::memcpy(&x, from, sizeof(x)); }

// Numbers of a row while they are in registers. A sum over many rows is a chain of dependent operations:
// enough of them run side by side only if the strip is wide.
template <int width>
struct Columns {
  Four x[width / kFour];

  [[gnu::always_inline]] void load_row(const double* row) {
    for (int c = 0; c < width / kFour; ++c) load(row + c * kFour, x[c]);
  }
  [[gnu::always_inline]] void store_row(double* row) const {
    for (int c = 0; c < width / kFour; ++c) std::memcpy(row + c * kFour, &x[c], sizeof(x[c]));
  }
  // Zero but for a one at `place`, if that is inside.
  [[gnu::always_inline]] void set_unit(int place) {
    for (int c = 0; c < width / kFour; ++c) {
      for (int j = 0; j < kFour; ++j) x[c][j] = c * kFour + j == place ? 1.0 : 0.0;
    }
  }
  [[gnu::always_inline]] void scale(double a) {
    for (int c = 0; c < width / kFour; ++c) x[c] *= a;
  }
  [[gnu::always_inline]] void subtract(double a, const double* row) {
    for (int c = 0; c < width / kFour; ++c) {
      Four b;
      load(row + c * kFour, b);
      x[c] -= a * b;
    }
  }
};

}  // namespace

ForwardDynamicsDerivatives::ForwardDynamicsDerivatives(const Model& model,
                                                       const Properties<double>& properties)
    : nu_(model.nu()),
      rows_(static_cast<std::size_t>(model.nu())),
      D_inverse_(rows_.size()),
      inverse_(model, properties) {
  tau_start_ = inverse_.by_state().stride;
  stride_ = tau_start_ + (nu_ + 7) / 8 * 8;
  results_.resize(rows_.size() * static_cast<std::size_t>(stride_));
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
      inboard_.resize((inboard_.size() + 3) / 4 * 4, k);
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
  plan_strips();
}

void ForwardDynamicsDerivatives::plan_strips() {
  std::vector<bool> is_filled(rows_.size());
  const auto fill_for = [&](int column, bool with_outboard) {
    const Row& row = rows_[static_cast<std::size_t>(column)];
    for (int c = 0; c <= row.depth; ++c) {
      is_filled[static_cast<std::size_t>(inboard_[static_cast<std::size_t>(row.start + c)])] = true;
    }
    for (int k = column; with_outboard && k < row.subtree_end; ++k) {
      is_filled[static_cast<std::size_t>(k)] = true;
    }
  };
  for (int first = 0; first < stride_;) {
    const bool is_tau = first >= tau_start_;
    const int end = static_cast<int>(is_tau ? stride_ : tau_start_);
    Strip strip;
    strip.first = first, strip.width = end - first >= 16 ? 16 : 8, strip.is_tau = is_tau;
    strip.begin = static_cast<int>(strip_rows_.size());
    is_filled.assign(is_filled.size(), !is_tau && inverse_.is_full());
    for (int c = first; c < first + strip.width; ++c) {
      const int column = is_tau ? c - static_cast<int>(tau_start_) : c < nu_ ? c : c - nu_;
      if (column < nu_) fill_for(column, !is_tau);
    }
    for (int k = 0; k < nu_; ++k) {
      if (is_filled[static_cast<std::size_t>(k)]) strip_rows_.push_back(k);
    }
    strip.end = static_cast<int>(strip_rows_.size());
    strips_.push_back(strip);
    first += strip.width;
  }
}

SolveReport<double> ForwardDynamicsDerivatives::update(const State<double>& state,
                                                       const Kinematics<double>& kinematics,
                                                       const AppliedForces<double>& forces,
                                                       std::span<const double> udot) {
  inverse_.update(state, kinematics, forces, udot);
  const SolveReport<double> report = factor();
  if (report.is_singular) return report;
  solve();
  return report;
}

SolveReport<double> ForwardDynamicsDerivatives::factor() {
  for (int k = 0; k < nu_; ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    const double* M_k = inverse_.mass_matrix().row(k);
    double* L_k = L_.data() + row.start;
    for (int c = 0; c <= row.depth; ++c) L_k[c] = M_k[inboard_[static_cast<std::size_t>(row.start + c)]];
    for (int c = row.depth + 1; c % kFour != 0; ++c) L_k[c] = 0.0;
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
      // What is beyond the row's end falls into the place that fills it up.
      for (int j = 0; j <= c; j += kFour) {
        Columns<kFour> L_ij;
        L_ij.load_row(L_i + j);
        L_ij.subtract(a, L_k + j);
        L_ij.store_row(L_i + j);
      }
    }
    for (int c = 0; c < row.depth; ++c) L_k[c] *= D_inverse;
  }
  return report;
}

// (2) and (3) for the columns of a strip.
template <int width>
void ForwardDynamicsDerivatives::solve_strip(const Strip& strip) {
  const MatrixBlock residual = inverse_.by_state();
  double* X = results_.data() + strip.first;
  const int unit_row = strip.first - static_cast<int>(tau_start_);  // of the first column by tau
  Columns<width> y;
  for (int f = strip.end - 1; f >= strip.begin; --f) {
    const int i = strip_rows_[static_cast<std::size_t>(f)];
    const Row& row = rows_[static_cast<std::size_t>(i)];
    if (!strip.is_tau) {
      y.load_row(residual.row(i) + strip.first);
      y.scale(-1.0);
    } else {
      y.set_unit(i - unit_row);
    }
    for (int g = f + 1; g < strip.end; ++g) {
      const int k = strip_rows_[static_cast<std::size_t>(g)];
      if (k >= row.subtree_end) break;
      const int start = rows_[static_cast<std::size_t>(k)].start;
      y.subtract(L_[static_cast<std::size_t>(start + row.depth)], X + k * stride_);  // (2)
    }
    y.store_row(X + i * stride_);
  }
  const int num_rows = strip.is_tau ? std::min(nu_, unit_row + width) : nu_;
  for (int k = 0, f = strip.begin; k < num_rows; ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    if (f < strip.end && strip_rows_[static_cast<std::size_t>(f)] == k) {
      ++f;
      y.load_row(X + k * stride_);
      y.scale(D_inverse_[static_cast<std::size_t>(k)]);
    } else {
      y.set_unit(-1);
    }
    const auto begin = static_cast<std::size_t>(row.start), end = begin + static_cast<std::size_t>(row.depth);
    for (std::size_t c = begin; c < end; ++c) y.subtract(L_[c], X + inboard_[c] * stride_);  // (3)
    y.store_row(X + k * stride_);
  }
}

void ForwardDynamicsDerivatives::solve() {
  for (const Strip& strip : strips_) {
    if (strip.width == 16) {
      solve_strip<16>(strip);
    } else {
      solve_strip<8>(strip);
    }
  }
  double* inverse = results_.data() + tau_start_;
  for (int i = 0; i < nu_; ++i) {
    for (int j = i + 1; j < nu_; ++j) inverse[j * stride_ + i] = inverse[i * stride_ + j];
  }
}

}  // namespace sestina
