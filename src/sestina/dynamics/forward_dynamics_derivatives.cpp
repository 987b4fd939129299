#include "sestina/dynamics/forward_dynamics_derivatives.h"

#include <algorithm>
#include <cstring>

#include "sestina/base/memory.h"
#include "sestina/numerics/fused_lanes.h"
#include "sestina/numerics/transpose4.h"

namespace sestina {
namespace {

constexpr int kFour = 4, kEight = 8;

// Part of a row in registers: `width` numbers at each of `blocks` places, a fixed distance apart. A sum over
// many rows is a chain of dependent operations: several chains must run side by side to fill the pipeline.
template <int width, int blocks = 1>
class RowColumns {
 public:
  explicit RowColumns(std::ptrdiff_t distance = 0) : distance_(distance) {}

  [[gnu::always_inline]] void load(const double* row) {
    for_each([&](FusedLanes& x, std::ptrdiff_t place) { x = FusedLanes::load(row + place); });
  }
  [[gnu::always_inline]] void store(double* row) {
    for_each([&](const FusedLanes& x, std::ptrdiff_t place) { x.store(row + place); });
  }
  // Sets all numbers to zero, except a one at place `one` if it is inside.
  [[gnu::always_inline]] void set_unit(int one) {
    for_each([&](FusedLanes& x, std::ptrdiff_t place) { x = FusedLanes::unit(one - place); });
  }
  [[gnu::always_inline]] void scale(double a) {
    for_each([&](FusedLanes& x, std::ptrdiff_t) { x = a * x; });
  }
  [[gnu::always_inline]] void subtract(double a, const double* row) {
    for_each([&](FusedLanes& x, std::ptrdiff_t place) { x.subtract(a, FusedLanes::load(row + place)); });
  }

 private:
  template <class F>
  [[gnu::always_inline]] void for_each(F&& f) {
    for (int b = 0; b < blocks; ++b) {
      for (int c = 0; c < width / kFusedLanes; ++c) f(x_[b][c], b * distance_ + c * kFusedLanes);
    }
  }

  std::ptrdiff_t distance_;
  FusedLanes x_[blocks][width / kFusedLanes];
};

}  // namespace

// Average number of inboard speeds above which the recursion is faster (docs/derivatives.md).
constexpr double kDeep = 14.0;

ForwardDynamicsDerivatives::Columns ForwardDynamicsDerivatives::choose_columns(const Model& model) {
  std::vector<int> depth(static_cast<std::size_t>(model.bodies().size()));  // speeds of the path to the body
  double sum = 0.0;
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    int& own = depth[static_cast<std::size_t>(b.value())];
    own = depth[static_cast<std::size_t>(info.parent.value())] + info.nu;
    sum += info.nu * (own - 0.5 * (info.nu + 1));
  }
  return sum > kDeep * model.nu() ? Columns::kRecursion : Columns::kFactors;
}

ForwardDynamicsDerivatives::ForwardDynamicsDerivatives(const Model& model,
                                                       const Properties<double>& properties)
    : ForwardDynamicsDerivatives(model, properties, choose_columns(model)) {}

ForwardDynamicsDerivatives::ForwardDynamicsDerivatives(const Model& model,
                                                       const Properties<double>& properties, Columns columns)
    : nu_(model.nu()),
      rows_(static_cast<std::size_t>(model.nu())),
      D_inverse_(rows_.size()),
      inverse_(model, properties),
      properties_(properties) {
  width_ = inverse_.width();
  stride_ = 3 * width_;
  check_memory_of_matrix(nu_, stride_, "the derivatives of forward dynamics: a matrix");
  results_.resize(rows_.size() * static_cast<std::size_t>(stride_));
  if (columns == Columns::kRecursion) {
    plan_recursion(model);
  } else {
    plan_rows(model);
    plan_strips();
  }
}

void ForwardDynamicsDerivatives::plan_rows(const Model& model) {
  // Lists for each body the speeds of its path to the root, starting with the last one.
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
      inboard_.resize((inboard_.size() + kEight - 1) / kEight * kEight, k);
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

void ForwardDynamicsDerivatives::plan_recursion(const Model& model) {
  recursion_.emplace(model);
  const std::vector<BodyLink>& links = recursion_->tree().links;
  // Finds the bodies at which the columns [first, end) of the right-hand side can be nonzero.
  const auto find_filled = [&](int first, int end, bool with_outboard) {
    std::vector<bool> is_filled(links.size(), with_outboard && inverse_.is_full());
    for (int k = first; k < end; ++k) {
      const int own = model.body_of_speed(k).value();
      for (int b = own; b > 0; b = links[static_cast<std::size_t>(b)].parent) {
        is_filled[static_cast<std::size_t>(b)] = true;
      }
      for (auto b = static_cast<std::size_t>(own) + 1; with_outboard && b < links.size(); ++b) {
        if (links[b].parent < own) break;  // a subtree is consecutive
        is_filled[b] = true;
      }
    }
    std::vector<int> bodies;
    for (std::size_t b = 1; b < links.size(); ++b) {
      if (is_filled[b]) bodies.push_back(static_cast<int>(b));
    }
    return Walk(recursion_->tree(), bodies);
  };
  const int num_bodies = static_cast<int>(links.size());
  for (int first = 0; first < nu_; first += kEight) {
    recursion_strips_.push_back(
        {first, false, true, num_bodies, find_filled(first, std::min(first + kEight, nu_), true)});
  }
  for (int first = 0; first < nu_; first += 2 * kEight) {
    const int end = std::min(first + 2 * kEight, nu_);
    recursion_strips_.push_back({first, true, end - first > kEight, model.body_of_speed(end - 1).value() + 1,
                                 find_filled(first, end, false)});
  }
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
  for (const bool is_tau : {false, true}) {
    for (int first = 0; first < width_;) {
      Strip strip;
      strip.first = first, strip.width = width_ - first >= 16 ? 16 : 8, strip.is_tau = is_tau;
      strip.begin = static_cast<int>(strip_rows_.size());
      is_filled.assign(is_filled.size(), !is_tau && inverse_.is_full());
      first += strip.width;
      for (int column = strip.first; column < std::min(first, nu_); ++column) fill_for(column, !is_tau);
      for (int k = 0; k < nu_; ++k) {
        if (is_filled[static_cast<std::size_t>(k)]) {
          strip_rows_.push_back({k, rows_[static_cast<std::size_t>(k)].start, 0});
        }
      }
      strip.end = static_cast<int>(strip_rows_.size());
      for (int f = strip.begin; f < strip.end; ++f) {
        StripRow& row = strip_rows_[static_cast<std::size_t>(f)];
        const int end = rows_[static_cast<std::size_t>(row.speed)].subtree_end;
        row.subtree_end = f + 1;
        while (row.subtree_end < strip.end &&
               strip_rows_[static_cast<std::size_t>(row.subtree_end)].speed < end) {
          ++row.subtree_end;
        }
      }
      strips_.push_back(strip);
    }
  }
}

SolveReport<double> ForwardDynamicsDerivatives::update(const State<double>& state,
                                                       const Kinematics<double>& kinematics,
                                                       const AppliedForces<double>& forces,
                                                       std::span<const double> udot) {
  inverse_.update(state, kinematics, forces, udot);
  const SolveReport<double> report = recursion_ ? recursion_->factor(properties_, kinematics) : factor();
  if (report.is_singular) return report;
  if (recursion_) {
    solve_by_recursion();
  } else {
    solve();
  }
  complete_inverse();
  return report;
}

SolveReport<double> ForwardDynamicsDerivatives::factor() {
  for (int k = 0; k < nu_; ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    const double* M_k = inverse_.mass_matrix().row(k);
    double* L_k = L_.data() + row.start;
    for (int c = 0; c <= row.depth; ++c) L_k[c] = M_k[inboard_[static_cast<std::size_t>(row.start + c)]];
    for (int c = row.depth + 1; c % kEight != 0; ++c) L_k[c] = 0.0;
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
      // The numbers beyond the end of the row go into its padding.
      for (int j = 0; j <= c; j += kEight) {
        RowColumns<kEight> L_ij;
        L_ij.load(L_i + j);
        L_ij.subtract(a, L_k + j);
        L_ij.store(L_i + j);
      }
    }
    for (int c = 0; c < row.depth; ++c) L_k[c] *= D_inverse;
  }
  return report;
}

// Applies (2) and (3) to the columns of a strip.
template <int width, bool is_tau>
void ForwardDynamicsDerivatives::solve_strip(const Strip& strip) {
  double* X = results_.data() + strip.first + (is_tau ? 2 * width_ : 0);
  const double* L = L_.data();
  const StripRow* filled = strip_rows_.data();
  RowColumns<width, is_tau ? 1 : 2> y(width_);
  for (int f = strip.end - 1; f >= strip.begin; --f) {
    const int i = filled[f].speed;
    const Row& row = rows_[static_cast<std::size_t>(i)];
    if constexpr (is_tau) {
      y.set_unit(i - strip.first);
    } else {
      y.load(inverse_.by_q().row(i) + strip.first);
      y.scale(-1.0);
    }
    // The row stored last is subtracted last, so that the others need not wait for it.
    for (int g = filled[f].subtree_end - 1; g > f; --g) {
      y.subtract(L[filled[g].start + row.depth], X + filled[g].speed * stride_);  // (2)
    }
    y.store(X + i * stride_);
  }
  const int num_rows = is_tau ? std::min(nu_, strip.first + width) : nu_;
  for (int k = 0, f = strip.begin; k < num_rows; ++k) {
    const Row& row = rows_[static_cast<std::size_t>(k)];
    if (f < strip.end && filled[f].speed == k) {
      ++f;
      y.load(X + k * stride_);
      y.scale(D_inverse_[static_cast<std::size_t>(k)]);
    } else {
      y.set_unit(-1);
    }
    const int* inboard = inboard_.data();
    for (int c = row.start; c < row.start + row.depth; ++c)
      y.subtract(L[c], X + inboard[c] * stride_);  // (3)
    y.store(X + k * stride_);
  }
}

void ForwardDynamicsDerivatives::solve() {
  for (const Strip& strip : strips_) {
    if (strip.is_tau) {
      strip.width == 16 ? solve_strip<16, true>(strip) : solve_strip<8, true>(strip);
    } else {
      strip.width == 16 ? solve_strip<16, false>(strip) : solve_strip<8, false>(strip);
    }
  }
}

void ForwardDynamicsDerivatives::solve_by_recursion() {
  for (const RecursionStrip& strip : recursion_strips_) {
    ColumnRecursion::Strip columns;
    columns.X_stride = stride_;
    columns.num_bodies = strip.num_bodies;
    if (strip.is_tau) {
      columns.X = results_.data() + 2 * width_ + strip.first;
      columns.X_distance = kEight;
      columns.unit = strip.first;
      columns.has_two = strip.has_two;
    } else {
      columns.X = results_.data() + strip.first;
      columns.minus_B = inverse_.by_q().row(0) + strip.first;
      columns.B_stride = 2 * width_;
      columns.B_distance = columns.X_distance = width_;
    }
    recursion_->solve(columns, strip.filled);
  }
}

// Copies the upper triangle of dudot/dtau to the lower one, tile by tile, to use each cache line once.
void ForwardDynamicsDerivatives::complete_inverse() {
  double* inverse = results_.data() + 2 * width_;
  for (int row = 0; row < nu_; row += kFour) {
    const int end = std::min(row + kFour, nu_);
    for (int i = row; i < end; ++i) {
      for (int j = i + 1; j < end; ++j) inverse[j * stride_ + i] = inverse[i * stride_ + j];
    }
    int column = row + kFour;
    for (; column + kFour <= nu_; column += kFour) {
      transpose4(inverse + row * stride_ + column, stride_, inverse + column * stride_ + row, stride_);
    }
    for (; column < nu_; ++column) {
      for (int i = row; i < end; ++i) inverse[column * stride_ + i] = inverse[i * stride_ + column];
    }
  }
}

}  // namespace sestina
