#include "sestina/dynamics/divide_and_conquer_solver.h"

#include <algorithm>
#include <cmath>

#include "sestina/spatial/row6.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

// Below this fraction of its diagonal element a pivot of a positive
// semidefinite matrix is round-off.
constexpr double kNullPivot = 1e-14;
// A body may be a handle where its own inertia, about the axes of its joint,
// exceeds this fraction of its inertia in any direction.
constexpr double kStrongPivot = 1e-6;

// Rounds of closing the gaps at handles, and the relative gap after which one
// more round is enough.
constexpr int kMostRounds = 5;
constexpr double kSmallGap = 1e-9;

// The lower L of Phi = L L^T; columns of vanishing pivots are zero.
template <class T>
Mat6<T> factor_semidefinite(const Mat6<T>& Phi) {
  Mat6<T> L;
  for (int j = 0; j < 6; ++j) {
    T pivot = Phi.m[j][j];
    for (int k = 0; k < j; ++k) pivot -= L.m[j][k] * L.m[j][k];
    const auto vanishes = pivot <= T(kNullPivot) * Phi.m[j][j];
    const T root = sqrt(select(vanishes, T(1), pivot));
    const T inverse = select(vanishes, T(0), T(1) / root);
    L.m[j][j] = select(vanishes, T(0), root);
    for (int i = j + 1; i < 6; ++i) {
      T x = Phi.m[i][j];
      for (int k = 0; k < j; ++k) x -= L.m[i][k] * L.m[j][k];
      L.m[i][j] = x * inverse;
    }
  }
  return L;
}

// y with L y = d, for d in the range of L L^T.
template <class T>
Vec6<T> solve_lower(const Mat6<T>& L, Vec6<T> d) {
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k) d[i] -= L.m[i][k] * d[k];
    const auto vanishes = L.m[i][i] <= T(0);
    d[i] = select(vanishes, T(0), d[i] / select(vanishes, T(1), L.m[i][i]));
  }
  return d;
}

// A^T B
template <class T>
Mat6<T> transpose_times(const Mat6<T>& A, const Mat6<T>& B) {
  return transpose(A) * B;
}

// Which bodies resist their own joint's motion by their own inertia.
std::vector<bool> find_strong_bodies(const Model& model) {
  const Properties<double> properties = calc_properties(model);
  const State<double> state = calc_initial_state(model);
  Kinematics<double> kinematics(model);
  update_kinematics(model, properties, state, kinematics);
  std::vector<bool> is_strong(static_cast<std::size_t>(model.bodies().size()), true);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const auto i = static_cast<std::size_t>(b.value());
    const BodyInfo& info = model.bodies()[b];
    ArticulatedInertia<double> I(kinematics.inertia[i]);
    const double inertia = I.J.trace(), mass = I.m.trace();
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
      const SpatialMotion<double>& H = kinematics.H[static_cast<std::size_t>(speed)];
      const SpatialForce<double> U = I * H;
      const double D = dot(H, U) + properties.bodies[b].armature;
      const double scale = dot(H.w, H.w) * inertia + dot(H.v, H.v) * mass;
      if (D <= kStrongPivot * scale) {
        is_strong[i] = false;
        break;
      }
      I.subtract_outer(U, 1.0 / D);
    }
  }
  return is_strong;
}

}  // namespace

template <class T>
DivideAndConquerSolver<T>::DivideAndConquerSolver(const Model& model, int grain, Executor* executor)
    : model_(&model),
      executor_(executor),
      tree_(model, grain, find_strong_bodies(model)),
      sweep_(model),
      fallback_(model),
      nodes_(tree_.nodes.size()),
      vectors_(tree_.nodes.size()),
      A_P_(tree_.pieces.size()),
      f_(tree_.pieces.size()),
      a_t_(tree_.pieces.size()),
      relative_gaps_(tree_.pieces.size(), 0.0),
      joints_(tree_.assemblies.size()),
      reports_(tree_.pieces.size()),
      t_(static_cast<std::size_t>(model.nu())),
      paths_(tree_.pieces.size()),
      handle_motion_(tree_.pieces.size()) {
  const TreeLayout layout(model);
  std::vector<int> piece_of_handle(layout.links.size(), -1);
  for (std::size_t piece = 0; piece < tree_.pieces.size(); ++piece) {
    const AssemblyTree::Node& ends = tree_.nodes[piece];
    std::vector<int> bodies;
    for (const BodyIndex b : tree_.pieces[piece].bodies) bodies.push_back(b.value());
    walks_.emplace_back(layout, bodies);
    sums_.emplace_back(static_cast<std::size_t>(walks_.back().num_sums));
    if (!ends.handle.is_valid()) continue;
    piece_of_handle[static_cast<std::size_t>(ends.handle.value())] = static_cast<int>(piece);
    for (BodyIndex b = ends.handle; b != ends.base; b = model.bodies()[b].parent) paths_[piece].push_back(b);
    std::reverse(paths_[piece].begin(), paths_[piece].end());
  }
  for (const AssemblyTree::Node& ends : tree_.nodes) {
    inner_piece_.push_back(piece_of_handle[static_cast<std::size_t>(ends.base.value())]);
  }
  const int num_pieces = static_cast<int>(tree_.pieces.size()), depth = tree_.num_levels();
  const auto add_level = [](Schedule& schedule, TaskKind kind, int first, int size) {
    schedule.levels.push_back({kind, first});
    schedule.sizes.push_back(size);
  };
  const auto add_assemblies = [&](Schedule& schedule, TaskKind kind, int level) {
    const int first = tree_.level_starts[static_cast<std::size_t>(level)];
    add_level(schedule, kind, first, tree_.level_starts[static_cast<std::size_t>(level) + 1] - first);
  };
  add_level(solution_, TaskKind::kEliminate, 0, num_pieces);
  for (int level = 0; level < depth; ++level) add_assemblies(solution_, TaskKind::kJoin, level);
  for (int level = depth - 1; level >= 0; --level) add_assemblies(solution_, TaskKind::kPart, level);
  add_level(solution_, TaskKind::kAccelerate, 0, num_pieces);
  for (int level = 0; level < depth; ++level) add_assemblies(correction_, TaskKind::kJoinGaps, level);
  for (int level = depth - 1; level >= 0; --level) add_assemblies(correction_, TaskKind::kPart, level);
  add_level(correction_, TaskKind::kCorrect, 0, num_pieces);
}

namespace {

// The motion of a frame that moves by `relative` in a frame that moves by `base`.
template <class T>
BodyMotion<T> chain(const BodyMotion<T>& base, const BodyMotion<T>& relative) {
  const SpatialMotion<T> r = rotate(base.X_WB.R, relative.V_WB);
  return {base.X_WB * relative.X_WB, shift(base.V_WB, base.X_WB.R * relative.X_WB.p) + r};
}

}  // namespace

template <class T>
void DivideAndConquerSolver<T>::update_kinematics(const Properties<T>& properties, const State<T>& state,
                                                  Kinematics<T>& kinematics) {
  const int num_pieces = static_cast<int>(tree_.pieces.size());
  const int sizes[] = {num_pieces, 1, num_pieces};
  update_sin_cos(state, kinematics);
  const auto do_tasks = [&](int level, int begin, int end) {
    for (int i = begin; i < end; ++i) {
      if (level == 0) calc_relative_motion(i, properties, state, kinematics);
      if (level == 1) chain_motions();
      if (level == 2) move_piece(i, properties, state, kinematics);
    }
  };
  if (executor_ != nullptr) {
    executor_->parallel_levels(sizes, 1, do_tasks);
    return;
  }
  for (int level = 0; level < 3; ++level) do_tasks(level, 0, sizes[level]);
}

template <class T>
void DivideAndConquerSolver<T>::calc_relative_motion(int piece, const Properties<T>& properties,
                                                     const State<T>& state, const Kinematics<T>& kinematics) {
  const auto p = static_cast<std::size_t>(piece);
  handle_motion_[p] = calc_motion_along<T>(paths_[p], properties, state, kinematics);
}

// Pieces stand in order from the tips inward.
template <class T>
void DivideAndConquerSolver<T>::chain_motions() {
  for (std::size_t piece = tree_.pieces.size(); piece-- > 0;) {
    const int inner = inner_piece_[piece];
    if (inner < 0 || paths_[piece].empty()) continue;
    handle_motion_[piece] = chain(handle_motion_[static_cast<std::size_t>(inner)], handle_motion_[piece]);
  }
}

template <class T>
void DivideAndConquerSolver<T>::move_piece(int piece, const Properties<T>& properties, const State<T>& state,
                                           Kinematics<T>& kinematics) {
  const int inner = inner_piece_[static_cast<std::size_t>(piece)];
  const BodyMotion<T> base = inner < 0 ? BodyMotion<T>{} : handle_motion_[static_cast<std::size_t>(inner)];
  update_kinematics_of(walks_[static_cast<std::size_t>(piece)], base, properties, state, kinematics);
}

template <class T>
SolveReport<T> DivideAndConquerSolver<T>::solve(const Properties<T>& properties,
                                                const Kinematics<T>& kinematics,
                                                const AppliedForces<T>& forces, std::span<T> udot) {
  start_at_ground(-properties.gravity);
  run(solution_, properties, kinematics, forces, udot);
  used_fallback_ = false;
  for (const SolveReport<T>& report : reports_) used_fallback_ = used_fallback_ || any(report.is_singular);
  if (used_fallback_) return fallback_.solve(properties, kinematics, forces, udot);
  if (tree_.num_levels() > 0) close_gaps(properties, kinematics, forces, udot);
  return {};
}

template <class T>
void DivideAndConquerSolver<T>::start_at_ground(const Vec3<T>& a) {
  for (const int root : tree_.roots) {
    vectors(root).f = vectors(root).a_t = {};
    vectors(root).A_P = to_vec6(SpatialMotion<T>{{}, a});
  }
}

template <class T>
void DivideAndConquerSolver<T>::close_gaps(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                           const AppliedForces<T>& forces, std::span<T> udot) {
  const auto largest_gap = [&] { return *std::max_element(relative_gaps_.begin(), relative_gaps_.end()); };
  double gap = largest_gap();
  start_at_ground({});
  for (int round = 0; round < kMostRounds; ++round) {
    run(correction_, properties, kinematics, forces, udot);
    // A round leaves the square of what it found: below this, that is
    // round-off.
    if (!(gap > kSmallGap)) return;
    gap = largest_gap();
  }
}

template <class T>
void DivideAndConquerSolver<T>::run(const Schedule& schedule, const Properties<T>& properties,
                                    const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                    std::span<T> udot) {
  const auto do_tasks = [&](int level, int begin, int end) {
    const TaskLevel& tasks = schedule.levels[static_cast<std::size_t>(level)];
    for (int i = begin; i < end; ++i) do_task(tasks, i, properties, kinematics, forces, udot);
  };
  if (executor_ != nullptr) {
    executor_->parallel_levels(schedule.sizes, 1, do_tasks);
    return;
  }
  for (std::size_t level = 0; level < schedule.sizes.size(); ++level) {
    do_tasks(static_cast<int>(level), 0, schedule.sizes[level]);
  }
}

template <class T>
void DivideAndConquerSolver<T>::do_task(const TaskLevel& task, int i, const Properties<T>& properties,
                                        const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                        std::span<T> udot) {
  switch (task.kind) {
    case TaskKind::kEliminate:
      return eliminate_piece(i, properties, kinematics, forces);
    case TaskKind::kJoin:
      join_matrices(task.first + i);
      return join_vectors(task.first + i);
    case TaskKind::kPart:
      return part_vectors(task.first + i);
    case TaskKind::kAccelerate:
      return accelerate_piece(i, kinematics, udot);
    case TaskKind::kJoinGaps:
      return join_vectors(task.first + i);
    case TaskKind::kCorrect:
      return correct_piece(i, kinematics, udot);
  }
}

template <class T>
void DivideAndConquerSolver<T>::eliminate_piece(int piece, const Properties<T>& properties,
                                                const Kinematics<T>& kinematics,
                                                const AppliedForces<T>& forces) {
  SolveReport<T>& report = reports_[static_cast<std::size_t>(piece)];
  report = {};
  ArticulatedRows<T> whole;
  const auto p = static_cast<std::size_t>(piece);
  sweep_.eliminate(walks_[p], properties, kinematics, forces, sums_[p], report,
                   [&](const ArticulatedRows<T>& outcome) { whole += outcome; });
  node(piece).I = to_mat6(whole);
  vectors(piece).z = to_vec6(whole.z.unpacked());
  if (!has_handle(piece)) return;
  extend_path(piece, kinematics);
  sum_up_freedom(piece, kinematics);
}

// (12) from the handle of a piece inward to its base.
template <class T>
void DivideAndConquerSolver<T>::extend_path(int piece, const Kinematics<T>& kinematics) {
  const auto p = static_cast<std::size_t>(piece);
  Rows6<T> K(Mat6<T>::identity());
  Row6<T> b, d;
  for (auto body = paths_[p].rbegin(); body != paths_[p].rend(); ++body) {
    const auto i = static_cast<std::size_t>(body->value());
    const BodyLink& link = kinematics.tree.links[i];
    const Vec3<T>& s = kinematics.s[i];
    const auto first = static_cast<std::size_t>(link.u_start);
    Row6<T> t;
    if (link.is_revolute) t = K.transpose_times_turn(kinematics.H[first].w);
    K.shift_back(s);
    b += K.transpose_times(at_parent(kinematics.bias[i], s));
    for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
      if (!link.is_revolute) t = K.transpose_times(at_parent(kinematics.H[k], s));
      d += sweep_.free_udot[k] * t;
      K.subtract_outer(sweep_.W[k], t);
      t.store(t_[k]);
    }
  }
  K.store(node(piece).K);
  b.a.store(vectors(piece).b.x), b.b.store(vectors(piece).b.x + 3);
  d.a.store(vectors(piece).d.x), d.b.store(vectors(piece).d.x + 3);
}

// Phi of (12), when all t are known.
template <class T>
void DivideAndConquerSolver<T>::sum_up_freedom(int piece, const Kinematics<T>& kinematics) {
  Rows6<T> Phi{Mat6<T>{}};
  for (const BodyIndex body : paths_[static_cast<std::size_t>(piece)]) {
    const BodyLink& link = kinematics.tree.links[static_cast<std::size_t>(body.value())];
    const auto first = static_cast<std::size_t>(link.u_start);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
      const Vec6<T>& t = t_[k];
      const Row6<T> scaled = sweep_.D_inverse[k] * load_row6(t.x);
      for (int i = 0; i < 6; ++i) Phi.row[i] += t[i] * scaled;
    }
  }
  Phi.store(node(piece).Phi);
}

// (13) but g, and the matrices of (15)
template <class T>
void DivideAndConquerSolver<T>::join_matrices(int assembly) {
  const AssemblyTree::Assembly& step = tree_.assemblies[static_cast<std::size_t>(assembly)];
  const Node& inner = node(step.inner);
  const Node& outer = node(step.outer);
  Node& result = node(result_of(assembly));
  if (step.kind == AssemblyTree::Kind::kBundle) {
    result.I = inner.I + outer.I;
    return;
  }
  Joint& joint = joints_[static_cast<std::size_t>(assembly)];
  joint.L = factor_semidefinite(inner.Phi);
  Mat6<T> N = transpose_times(joint.L, outer.I * joint.L);
  for (int i = 0; i < 6; ++i) N.m[i][i] += T(1);
  joint.C = factor_semidefinite(N);
  for (int j = 0; j < 6; ++j) {
    Vec6<T> column;
    for (int i = 0; i < 6; ++i) column[i] = joint.L.m[j][i];
    column = solve_lower(joint.C, column);
    for (int i = 0; i < 6; ++i) joint.X.m[i][j] = column[i];
  }
  joint.P = transpose_times(joint.X, joint.X);
  const Mat6<T> I2_P = outer.I * joint.P;
  result.I = inner.I + symmetrised(inner.K * ((outer.I - symmetrised(I2_P * outer.I)) * transpose(inner.K)));
  if (step.kind == AssemblyTree::Kind::kAttach) {
    result.K = inner.K * (Mat6<T>::identity() - I2_P);
    result.Phi = joint.P;
  } else if (has_handle(step.outer)) {
    result.K = inner.K * (outer.K - I2_P * outer.K);
    result.Phi = outer.Phi + symmetrised(transpose_times(outer.K, joint.P * outer.K));
  }
}

// g of (13), and the vectors of (15)
template <class T>
void DivideAndConquerSolver<T>::join_vectors(int assembly) {
  const AssemblyTree::Assembly& step = tree_.assemblies[static_cast<std::size_t>(assembly)];
  const NodeVectors& inner = vectors(step.inner);
  const NodeVectors& outer = vectors(step.outer);
  NodeVectors& result = vectors(result_of(assembly));
  if (step.kind == AssemblyTree::Kind::kBundle) {
    result.z = inner.z + outer.z;
    return;
  }
  Joint& joint = joints_[static_cast<std::size_t>(assembly)];
  const Mat6<T>& I2 = node(step.outer).I;
  joint.g = transpose_times(joint.X, solve_lower(joint.C, solve_lower(joint.L, inner.d)));
  const Vec6<T> a_b = inner.b - joint.P * (I2 * inner.b);
  const Vec6<T> a_d = joint.g - joint.P * outer.z;
  result.z = inner.z + node(step.inner).K * (I2 * (a_b + a_d) + outer.z);
  if (step.kind == AssemblyTree::Kind::kAttach) {
    result.b = a_b;
    result.d = a_d;
  } else if (has_handle(step.outer)) {
    const Mat6<T>& K2 = node(step.outer).K;
    result.b = outer.b + transpose_times(K2, a_b);
    result.d = outer.d + transpose_times(K2, a_d);
  }
}

// (14), and what it means for the two nodes.
template <class T>
void DivideAndConquerSolver<T>::part_vectors(int assembly) {
  const AssemblyTree::Assembly& step = tree_.assemblies[static_cast<std::size_t>(assembly)];
  NodeVectors& inner = vectors(step.inner);
  NodeVectors& outer = vectors(step.outer);
  const NodeVectors& whole = vectors(result_of(assembly));
  inner.A_P = whole.A_P;
  if (step.kind == AssemblyTree::Kind::kBundle) {
    outer.A_P = whole.A_P;
    return;
  }
  const Mat6<T>& I2 = node(step.outer).I;
  Vec6<T> z2 = outer.z;  // z_2 - K_2 f
  if (step.kind == AssemblyTree::Kind::kAttach) {
    // The handle is that of the whole: its acceleration is known already.
    inner.a_t = whole.a_t;
    inner.f = whole.f - (I2 * inner.a_t + z2);
  } else {
    if (has_handle(step.outer)) z2 = z2 - node(step.outer).K * whole.f;
    const Joint& joint = joints_[static_cast<std::size_t>(assembly)];
    const Vec6<T> v = transpose_times(node(step.inner).K, whole.A_P) + inner.b;
    inner.a_t = v - joint.P * (I2 * v + z2) + joint.g;
    inner.f = Vec6<T>{} - (I2 * inner.a_t + z2);
    outer.f = whole.f;
    outer.a_t = whole.a_t;
  }
  outer.A_P = inner.a_t;
}

// (16), and the gap at the handle.
template <class T>
void DivideAndConquerSolver<T>::accelerate_piece(int piece, const Kinematics<T>& kinematics,
                                                 std::span<T> udot) {
  const auto i = static_cast<std::size_t>(piece);
  const NodeVectors& ends = vectors(piece);
  A_P_[i] = ends.A_P, f_[i] = ends.f, a_t_[i] = ends.a_t;
  push_handle(piece, ends.f);
  sweep_.accelerate(walks_[i], to_motion(A_P_[i]), kinematics, udot);
  measure_gap(piece);
}

// (16) with what a round has changed.
template <class T>
void DivideAndConquerSolver<T>::correct_piece(int piece, const Kinematics<T>& kinematics, std::span<T> udot) {
  const auto i = static_cast<std::size_t>(piece);
  const NodeVectors& ends = vectors(piece);
  A_P_[i] = A_P_[i] + ends.A_P, f_[i] = f_[i] + ends.f, a_t_[i] = a_t_[i] + ends.a_t;
  push_handle(piece, ends.f);
  sweep_.accelerate(walks_[i], to_motion(A_P_[i]), kinematics, udot);
  measure_gap(piece);
}

// What a force on the handle adds to e / D of the joints between it and the base.
template <class T>
void DivideAndConquerSolver<T>::push_handle(int piece, const Vec6<T>& f) {
  for (const BodyIndex b : paths_[static_cast<std::size_t>(piece)]) {
    const BodyInfo& info = model_->bodies()[b];
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
      const auto k = static_cast<std::size_t>(speed);
      sweep_.free_udot[k] += sweep_.D_inverse[k] * dot(t_[k], f);
    }
  }
}

// The gap at the handle becomes the b of the next round, in which there is nothing else.
template <class T>
void DivideAndConquerSolver<T>::measure_gap(int piece) {
  NodeVectors& ends = vectors(piece);
  ends.z = ends.d = {};
  const BodyIndex handle = tree_.nodes[static_cast<std::size_t>(piece)].handle;
  if (!handle.is_valid()) return;
  const auto i = static_cast<std::size_t>(piece);
  ends.b = to_vec6(sweep_.A[static_cast<std::size_t>(handle.value())]) - a_t_[i];
  const double scale = std::sqrt(value_of(dot(a_t_[i], a_t_[i])));
  relative_gaps_[i] = scale > 0.0 ? std::sqrt(value_of(dot(ends.b, ends.b))) / scale : 0.0;
}

template <class T>
void DivideAndConquerSolver<T>::calc_reactions(const Kinematics<T>& kinematics,
                                               const AppliedForces<T>& forces,
                                               std::span<SpatialForce<T>> reactions) const {
  if (used_fallback_) {
    fallback_.calc_reactions(kinematics, forces, reactions);
  } else {
    sweep_.calc_reactions(kinematics, forces, reactions);
  }
}

#define SESTINA_INSTANTIATE(T) template class DivideAndConquerSolver<T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
