#include "sestina/dynamics/constrained_assembly.h"

#include <algorithm>
#include <cmath>

#include "sestina/model/properties.h"

namespace sestina {
namespace {

// The mobility of a handle along one of its six components counts as zero below this fraction of what it was
// before conditions were eliminated.
constexpr double kNoMobility = 1e-13;
// Factor on |K|^2 in the scale of a pivot, as in the recursion.
constexpr double kRoundingOfKAtHandle = 1e-6;
// The scale of a row keeps this part of that of a light inner node, whose round-off remains in the difference
// S_1 - Y^T Y.
constexpr double kRemainingScale = 1e-5;

using Block = OpenRows::Block;

// Six lines, of which one block of columns at a time is processed.
struct SixLines {
  double* first;
  std::size_t stride;

  [[gnu::always_inline]] void load(std::size_t c, Block (&x)[6]) const {
    for (std::size_t i = 0; i < 6; ++i) x[i] = OpenRows::load(first + i * stride + c).block;
  }
  [[gnu::always_inline]] void store(const Block (&x)[6], std::size_t c) const {
    for (std::size_t i = 0; i < 6; ++i) OpenRows::store(x[i], first + i * stride + c);
  }
};

// Replaces the lines by L^-1 times these.
void solve_lower_lines(const CholeskyFactor<double>& factor, const SixLines& lines) {
  for (std::size_t c = 0; c < lines.stride; c += OpenRows::kBlock) {
    Block x[6];
    lines.load(c, x);
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= factor.L.m[i][k] * x[k];
      x[i] *= factor.inverse_pivots[i];
    }
    lines.store(x, c);
  }
}

// result += A lines
void add_product(const Mat6<double>& A, const SixLines& lines, const SixLines& result) {
  for (std::size_t c = 0; c < lines.stride; c += OpenRows::kBlock) {
    Block x[6], y[6];
    lines.load(c, x);
    result.load(c, y);
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < 6; ++k) y[i] += A.m[i][k] * x[k];
    }
    result.store(y, c);
  }
}

// lines^T x, added to y.
void add_transpose_product(const double* lines, std::size_t stride, const Vec6<double>& x, double* y,
                           std::size_t size) {
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t c = 0; c < size; ++c) y[c] += x[static_cast<int>(i)] * lines[i * stride + c];
  }
}

// lines mu
Vec6<double> product(const double* lines, std::size_t stride, std::span<const double> mu) {
  Vec6<double> sum;
  for (std::size_t i = 0; i < 6; ++i) {
    double s = 0.0;
    for (std::size_t c = 0; c < mu.size(); ++c) s += lines[i * stride + c] * mu[c];
    sum[static_cast<int>(i)] = s;
  }
  return sum;
}

double squared_norm_of_K(OpenRows& open, std::size_t i, double length) {
  const SpatialForce<double> K = open.K_of(i);
  return dot(K.torque, K.torque) / (length * length) + dot(K.force, K.force);
}

}  // namespace

ConstrainedAssembly::ConstrainedAssembly(const Model& model, int grain, Executor* executor)
    : model_(&model),
      executor_(executor),
      tree_(model, grain, find_strong_bodies(model)),
      num_rows_(model.constraint_rows()),
      piece_of_body_(static_cast<std::size_t>(model.bodies().size()), -1),
      complete_at_(static_cast<std::size_t>(num_rows_), 0),
      pieces_(tree_.pieces.size()),
      fallback_(model),
      idle_(num_rows_) {
  for (std::size_t p = 0; p < num_pieces(); ++p) {
    for (const BodyIndex b : tree_.pieces[p].bodies) {
      piece_of_body_[static_cast<std::size_t>(b.value())] = static_cast<int>(p);
    }
    const AssemblyTree::Node& ends = tree_.nodes[p];
    pieces_[p].recursion = std::make_unique<ConstrainedRecursion>(
        model, ConstrainedRecursion::Part{tree_.pieces[p].bodies, ends.base, ends.handle});
  }
}

SolveReport<double> ConstrainedAssembly::factor(const Properties<double>& properties,
                                                const Kinematics<double>& kinematics,
                                                const ConstraintRows<double>& constraints) {
  if (!is_laid_out_) lay_out(constraints);
  length_ = properties.constraints.length;
  knows_idle_ = false;
  run_levels(factor_sizes_,
             [&](int level, int i) { factor_task(level, i, properties, kinematics, constraints); });
  uses_fallback_ = std::ranges::any_of(pieces_, [](const Piece& p) { return p.report.is_singular; });
  if (uses_fallback_) return fallback_.factor(properties, kinematics, constraints);
  return {};
}

void ConstrainedAssembly::solve(const Kinematics<double>& kinematics,
                                std::span<const SpatialForce<double>> force, std::span<const double> tau,
                                std::span<const double> d, std::span<double> x, std::span<double> lambda) {
  if (uses_fallback_) return fallback_.solve(kinematics, force, tau, d, x, lambda);
  if (!lambda.empty() && !knows_idle_) find_idle_multipliers();
  std::fill(lambda.begin(), lambda.end(), 0.0);
  const Equations equations{kinematics, force, tau, d, x, lambda};
  run_levels(solve_sizes_, [&](int level, int i) { solve_task(level, i, equations); });
  if (!lambda.empty()) idle_.remove_from(lambda);
}

void ConstrainedAssembly::keep_small_pivots(bool keep) {
  smallest_allowed_ = keep ? ConditionPivots::kRoundOffPivot : ConditionPivots::kSmallPivot;
  for (const Piece& piece : pieces_) piece.recursion->keep_small_pivots(keep);
  fallback_.keep_small_pivots(keep);
}

double ConstrainedAssembly::smallest_pivot() const {
  if (uses_fallback_) return fallback_.smallest_pivot();
  double smallest = 1.0, mobility = 0.0;
  for (const Piece& piece : pieces_) {
    smallest = std::min(smallest, piece.recursion->smallest_pivot());
    mobility = std::max(mobility, piece.recursion->mobility());
  }
  for (const Joint& joint : joints_) smallest = std::min(smallest, joint.smallest_pivot / mobility);
  return smallest;
}

template <class Tasks>
void ConstrainedAssembly::run_levels(std::span<const int> sizes, const Tasks& do_task) {
  const auto do_tasks = [&](int level, int begin, int end) {
    for (int i = begin; i < end; ++i) do_task(level, i);
  };
  if (executor_ != nullptr) return executor_->parallel_levels(sizes, 1, do_tasks);
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    do_tasks(static_cast<int>(level), 0, sizes[level]);
  }
}

// Blocks, then the levels that are spread, then the rest in one task.
void ConstrainedAssembly::factor_task(int level, int i, const Properties<double>& properties,
                                      const Kinematics<double>& kinematics,
                                      const ConstraintRows<double>& constraints) {
  if (level == 0) {
    const AssemblyBlocks::Block& block = blocks_->blocks[static_cast<std::size_t>(i)];
    for (const int piece : block.pieces) factor_piece(piece, properties, kinematics, constraints);
    for (const int assembly : block.assemblies) join(assembly);
    return;
  }
  const int spread_level = blocks_->first_spread + level - 1;
  if (spread_level < blocks_->end_spread) {
    return join(tree_.level_starts[static_cast<std::size_t>(spread_level)] + i);
  }
  for (int a = blocks_->first_serial; a < static_cast<int>(tree_.assemblies.size()); ++a) join(a);
}

// The same inward; outward in the opposite order.
void ConstrainedAssembly::solve_task(int level, int i, const Equations& equations) {
  const int spread_levels = blocks_->end_spread - blocks_->first_spread, top = spread_levels + 1;
  const int last = 2 * top;
  if (level == 0 || level == last) {
    const AssemblyBlocks::Block& block = blocks_->blocks[static_cast<std::size_t>(i)];
    if (level == 0) {
      for (const int piece : block.pieces) gather_piece(piece, equations);
      for (const int assembly : block.assemblies) gather(assembly);
      return;
    }
    for (auto a = block.assemblies.rbegin(); a != block.assemblies.rend(); ++a) spread(*a, equations);
    for (const int piece : block.pieces) spread_piece(piece, equations);
    return;
  }
  if (level != top) {
    const int of_level = blocks_->first_spread + std::min(level, last - level) - 1;
    const int assembly = tree_.level_starts[static_cast<std::size_t>(of_level)] + i;
    return level < top ? gather(assembly) : spread(assembly, equations);
  }
  const int end = static_cast<int>(tree_.assemblies.size());
  for (int a = blocks_->first_serial; a < end; ++a) gather(a);
  start_at_ground();
  for (int a = end - 1; a >= blocks_->first_serial; --a) spread(a, equations);
}

void ConstrainedAssembly::factor_piece(int piece, const Properties<double>& properties,
                                       const Kinematics<double>& kinematics,
                                       const ConstraintRows<double>& constraints) {
  Piece& of = piece_of(piece);
  of.report = of.recursion->factor(properties, kinematics, constraints);
  node(piece).open = &of.recursion->open_at_base();
  if (moves(piece)) node(piece).I = to_mat6(of.recursion->I_of_base());
}

void ConstrainedAssembly::join(int assembly) {
  unite(assembly);
  place_open_rows(assembly);
  const AssemblyTree::Assembly& of = step(assembly);
  if (of.kind != AssemblyTree::Kind::kBundle) {
    couple(assembly);
  } else if (moves(result_of(assembly))) {
    result(assembly).I = node(of.inner).I + node(of.outer).I;
  }
  eliminate_rows(assembly);
}

// Lists the open conditions of both nodes, after the components of the force on the handle.
void ConstrainedAssembly::unite(int assembly) {
  Joint& at = joint(assembly);
  const bool is_bundle = step(assembly).kind == AssemblyTree::Kind::kBundle;
  at.rows.clear();
  if (has_handle(result_of(assembly))) {
    for (int i = 0; i < 6; ++i) at.rows.push_back(num_rows_ + i);
  }
  const auto find = [&](int row) {
    const auto place = std::find(at.rows.begin(), at.rows.end(), row);
    const auto number = static_cast<std::size_t>(place - at.rows.begin());
    if (place == at.rows.end()) at.rows.push_back(row);
    return number;
  };
  const auto number = [&](const Node& from, std::vector<std::size_t>& numbers, bool is_inner) {
    numbers.clear();
    for (std::size_t c = 0; c < from.open->size(); ++c) {
      const int row = from.rows[static_cast<std::size_t>(from.open->row(c))];
      if (row >= num_rows_ && is_inner && !is_bundle) {
        at.handle[row - num_rows_] = c;
        numbers.push_back(OpenRows::kNone);
      } else {
        numbers.push_back(find(row));
      }
    }
  };
  number(node(step(assembly).inner), at.inner, true);
  number(node(step(assembly).outer), at.outer, false);
  at.d.resize(at.rows.size());
  at.mu.resize(at.rows.size());
  Node& united = result(assembly);
  united.open = &at.open;
  united.rows = at.rows, united.d = at.d, united.mu = at.mu;
}

// Sums K_1, S_1, S_2 and the scales; of a bundle, K_2 too.
void ConstrainedAssembly::place_open_rows(int assembly) {
  Joint& at = joint(assembly);
  at.open.clear();
  at.open.listed = OpenRows::kNone;
  at.pivots.clear();
  for (std::size_t i = 0; i < at.rows.size(); ++i) at.open.append(static_cast<int>(i));
  const OpenRows::Lines to = at.open.lines();
  const auto place = [&](OpenRows& open, const std::vector<std::size_t>& numbers, bool with_K) {
    const OpenRows::Lines from = open.lines();
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      const std::size_t i = numbers[c];
      if (i == OpenRows::kNone) continue;
      for (std::size_t x = 0; x < 6 && with_K; ++x) to.at(x)[i] += from.at(x)[c];
      to.at(OpenRows::kScale)[i] += from.at(OpenRows::kScale)[c];
      double& largest = to.at(OpenRows::kLargestK)[i];
      largest = std::max(largest, from.at(OpenRows::kLargestK)[c]);
      for (std::size_t e = 0; e < numbers.size(); ++e) {
        if (numbers[e] != OpenRows::kNone) to.S(i)[numbers[e]] += from.S(c)[e];
      }
    }
  };
  place(*node(step(assembly).inner).open, at.inner, true);
  place(*node(step(assembly).outer).open, at.outer, step(assembly).kind == AssemblyTree::Kind::kBundle);
}

// (9), (10), (12)
void ConstrainedAssembly::couple(int assembly) {
  Joint& at = joint(assembly);
  const AssemblyTree::Assembly& of = step(assembly);
  Node &inner = node(of.inner), &outer = node(of.outer);
  const OpenRows::Lines to = at.open.lines(), of_inner = inner.open->lines(), of_outer = outer.open->lines();
  const std::size_t stride = at.stride = to.padded;
  for (std::vector<double>* lines : {&at.Y, &at.K_2, &at.Z, &at.R, &at.V}) lines->assign(6 * stride, 0.0);

  Mat6<double> Phi;
  for (std::size_t i = 0; i < 6; ++i) {
    const double* const S = of_inner.S(at.handle[i]);
    for (std::size_t x = 0; x < 6; ++x) at.K_f.m[x][i] = of_inner.at(x)[at.handle[i]];
    for (std::size_t k = 0; k < 6; ++k) Phi.m[i][k] = S[at.handle[k]];
    for (std::size_t c = 0; c < at.inner.size(); ++c) {
      if (at.inner[c] != OpenRows::kNone) at.Y[i * stride + at.inner[c]] = S[c];
    }
    for (std::size_t c = 0; c < at.outer.size(); ++c) at.K_2[i * stride + at.outer[c]] = of_outer.at(i)[c];
    if (of.kind == AssemblyTree::Kind::kAttach) at.K_2[i * stride + i] = 1.0;
  }
  for (std::size_t i = 0; i < 6; ++i) {
    if (Phi.m[i][i] > kNoMobility * of_inner.at(OpenRows::kScale)[at.handle[i]]) continue;
    for (std::size_t k = 0; k < 6; ++k) Phi.m[i][k] = Phi.m[k][i] = 0.0;
  }
  CholeskyFactor<double> L, C;
  factor_semidefinite(Phi, L);
  const Mat6<double> L_transposed = transpose(L.L);
  Mat6<double> N = L_transposed * (outer.I * L.L);
  for (int i = 0; i < 6; ++i) N.m[i][i] += 1.0;
  factor_semidefinite(N, C);
  const Mat6<double> X = solve_lower(C, L_transposed), X_transposed = transpose(X);
  at.P = X_transposed * X;
  const Mat6<double> I2_P = outer.I * at.P;
  at.T = transpose(Mat6<double>::identity() - I2_P);

  const SixLines Y{at.Y.data(), stride}, K_2{at.K_2.data(), stride}, Z{at.Z.data(), stride},
      R{at.R.data(), stride}, V{at.V.data(), stride}, K{to.at(0), to.stride};
  solve_lower_lines(L, Y);
  at.Z = at.Y;
  solve_lower_lines(C, Z);
  add_product(X, K_2, Z);
  add_product(X_transposed, Z, R);
  at.V = at.K_2;
  add_product(Mat6<double>{} - outer.I, R, V);
  add_mobility(assembly);
  if (!moves(result_of(assembly))) return;
  result(assembly).I =
      inner.I + symmetrised(at.K_f * ((outer.I - symmetrised(I2_P * outer.I)) * transpose(at.K_f)));
  add_product(at.K_f, V, K);
  for (std::size_t i = 0; i < stride; i += OpenRows::kBlock) {
    OpenRows::Forces(to, i).update_largest(1.0 / (length_ * length_), to, i);
  }
}

// S and the scales of (12).
void ConstrainedAssembly::add_mobility(int assembly) {
  Joint& at = joint(assembly);
  const std::size_t size = at.rows.size(), stride = at.stride;
  const OpenRows::Lines to = at.open.lines(), of_outer = node(step(assembly).outer).open->lines();
  double* const scale = to.at(OpenRows::kScale);
  const SixLines of_Y{at.Y.data(), stride}, of_Z{at.Z.data(), stride};
  for (std::size_t c = 0; c < stride; c += OpenRows::kBlock) {
    Block Y[6], Z[6];
    of_Y.load(c, Y);
    of_Z.load(c, Z);
    for (std::size_t r = 0; r < size; ++r) {
      Block S = OpenRows::load(to.S(r) + c).block;
      for (std::size_t i = 0; i < 6; ++i) S += at.Z[i * stride + r] * Z[i] - at.Y[i * stride + r] * Y[i];
      OpenRows::store(S, to.S(r) + c);
    }
    const Block before = to.load(OpenRows::kScale, c).block, least = kRemainingScale * before;
    Block now = before;
    for (std::size_t i = 0; i < 6; ++i) now += Z[i] * Z[i] - Y[i] * Y[i];
    to.store(now > least ? now : least, OpenRows::kScale, c);
  }
  const double mobility = length_ * length_ * (at.P.m[0][0] + at.P.m[1][1] + at.P.m[2][2]) +
                          (at.P.m[3][3] + at.P.m[4][4] + at.P.m[5][5]);
  for (std::size_t c = 0; c < at.outer.size(); ++c) {
    scale[at.outer[c]] += kRoundingOfKAtHandle * mobility * of_outer.at(OpenRows::kLargestK)[c];
  }
}

void ConstrainedAssembly::eliminate_rows(int assembly) {
  Joint& at = joint(assembly);
  const int result = result_of(assembly), first_condition = has_handle(result) ? 6 : 0;
  const auto is_complete = [&](int i) {
    return i >= first_condition &&
           complete_at_[static_cast<std::size_t>(at.rows[static_cast<std::size_t>(i)])] <= result;
  };
  at.redundant.clear();
  at.smallest_pivot = INFINITY;
  for (;;) {
    const std::size_t i = ConditionPivots::find_pivot(at.open, is_complete, smallest_allowed_);
    if (i == at.open.size()) break;
    at.smallest_pivot = std::min(at.smallest_pivot, at.open.S(i)[i] / at.open.largest_K()[i]);
    const ConditionPivots::Elimination& elimination = at.pivots.eliminate(at.open, i, moves(result));
    if (!moves(result)) continue;
    const Vec6<double> K = to_vec6(elimination.K);
    Mat6<double>& I = node(result).I;
    for (int x = 0; x < 6; ++x) {
      for (int y = 0; y < 6; ++y) I.m[x][y] += K[x] * K[y] * elimination.S_inverse;
    }
  }
  for (std::size_t i = at.open.size(); i-- > 0;) {
    if (!is_complete(at.open.row(i))) continue;
    constexpr double kIdle = ConditionPivots::kIdleForce * ConditionPivots::kIdleForce;
    if (moves(result) && squared_norm_of_K(at.open, i, length_) > kIdle * at.open.largest_K()[i]) continue;
    if (first_condition > 0 && ConditionPivots::couples_with(at.open, i, 0, first_condition)) continue;
    at.redundant.push_back(at.open.row(i));
    at.open.remove(i);
  }
}

void ConstrainedAssembly::gather_piece(int piece, const Equations& equations) {
  ConstrainedRecursion& recursion = *piece_of(piece).recursion;
  recursion.solve_inward(equations.kinematics, equations.force, equations.tau, equations.d);
  node(piece).z = to_vec6(recursion.z_of_base());
}

// (13), then (6) for z and d.
void ConstrainedAssembly::gather(int assembly) {
  Joint& at = joint(assembly);
  const AssemblyTree::Assembly& of = step(assembly);
  const Node &inner = node(of.inner), &outer = node(of.outer);
  Node& whole = result(assembly);
  std::fill(at.d.begin(), at.d.end(), 0.0);
  const auto take = [&](const Node& from, const std::vector<std::size_t>& numbers) {
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      if (numbers[c] != OpenRows::kNone)
        at.d[numbers[c]] += from.d[static_cast<std::size_t>(from.open->row(c))];
    }
  };
  take(inner, at.inner);
  take(outer, at.outer);
  if (of.kind == AssemblyTree::Kind::kBundle) {
    whole.z = inner.z + outer.z;
  } else {
    Vec6<double> d_f;
    for (int i = 0; i < 6; ++i) {
      d_f[i] = inner.d[static_cast<std::size_t>(inner.open->row(at.handle[static_cast<std::size_t>(i)]))];
    }
    at.a_0 = at.T * d_f - at.P * outer.z;
    whole.z = inner.z + at.K_f * (outer.I * at.a_0 + outer.z);
    add_transpose_product(at.V.data(), at.stride, d_f, at.d.data(), at.d.size());
    add_transpose_product(at.R.data(), at.stride, Vec6<double>{} - outer.z, at.d.data(), at.d.size());
  }
  for (const ConditionPivots::Elimination& elimination : at.pivots.eliminations()) {
    const double part = at.d[static_cast<std::size_t>(elimination.row)] * elimination.S_inverse;
    const Vec6<double> K = to_vec6(elimination.K);
    for (int x = 0; x < 6; ++x) whole.z[x] += part * K[x];
    at.pivots.spread(elimination.S, -part, at.d);
  }
}

void ConstrainedAssembly::start_at_ground() {
  for (const int root : tree_.roots) {
    node(root).A_P = {};
    std::fill(node(root).mu.begin(), node(root).mu.end(), 0.0);
  }
}

// (5), then (11).
void ConstrainedAssembly::spread(int assembly, const Equations& equations) {
  Joint& at = joint(assembly);
  const AssemblyTree::Assembly& of = step(assembly);
  const Node& whole = result(assembly);
  for (const int r : at.redundant) at.mu[static_cast<std::size_t>(r)] = 0.0;
  const std::vector<ConditionPivots::Elimination>& eliminations = at.pivots.eliminations();
  for (auto e = eliminations.rbegin(); e != eliminations.rend(); ++e) {
    const auto r = static_cast<std::size_t>(e->row);
    const double of_A = moves(result_of(assembly)) ? dot(whole.A_P, to_vec6(e->K)) : 0.0;
    at.mu[r] = -(of_A + at.pivots.sum_of(e->S, at.mu) + at.d[r]) * e->S_inverse;
    if (!equations.lambda.empty()) equations.lambda[static_cast<std::size_t>(at.rows[r])] = at.mu[r];
  }
  Node &inner = node(of.inner), &outer = node(of.outer);
  inner.A_P = whole.A_P;
  if (of.kind == AssemblyTree::Kind::kBundle) {
    outer.A_P = whole.A_P;
    return spread_mu(assembly, {});
  }
  const Vec6<double> a_t =
      at.a_0 + at.T * transpose_times(at.K_f, whole.A_P) + product(at.R.data(), at.stride, at.mu);
  outer.A_P = a_t;
  spread_mu(assembly, outer.I * a_t + outer.z);
}

// Distributes mu to the two nodes, with f_1 = K_2 mu - `of_outer`.
void ConstrainedAssembly::spread_mu(int assembly, const Vec6<double>& of_outer) {
  Joint& at = joint(assembly);
  Node &inner = node(step(assembly).inner), &outer = node(step(assembly).outer);
  for (std::size_t c = 0; c < at.inner.size(); ++c) {
    if (at.inner[c] == OpenRows::kNone) continue;
    inner.mu[static_cast<std::size_t>(inner.open->row(c))] = at.mu[at.inner[c]];
  }
  for (std::size_t c = 0; c < at.outer.size(); ++c) {
    outer.mu[static_cast<std::size_t>(outer.open->row(c))] = at.mu[at.outer[c]];
  }
  if (step(assembly).kind == AssemblyTree::Kind::kBundle) return;
  const Vec6<double> f = product(at.K_2.data(), at.stride, at.mu) - of_outer;
  for (std::size_t i = 0; i < 6; ++i) {
    inner.mu[static_cast<std::size_t>(inner.open->row(at.handle[i]))] = f[static_cast<int>(i)];
  }
}

void ConstrainedAssembly::spread_piece(int piece, const Equations& equations) {
  ConstrainedRecursion& recursion = *piece_of(piece).recursion;
  const Node& of = node(piece);
  for (const int r : recursion.redundant()) of.mu[static_cast<std::size_t>(r)] = 0.0;
  recursion.solve_outward(equations.kinematics, to_motion(of.A_P), equations.x, of.mu);
  if (equations.lambda.empty()) return;
  for (const ConditionPivots::Elimination& elimination : recursion.pivots().eliminations()) {
    const auto r = static_cast<std::size_t>(elimination.row);
    equations.lambda[static_cast<std::size_t>(of.rows[r])] = of.mu[r];
  }
}

}  // namespace sestina
