#include "sestina/dynamics/divide_and_conquer_solver.h"

#include <algorithm>
#include <cmath>

#include "sestina/model/properties.h"
#include "sestina/spatial/row6.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

// Maximum number of rounds that close the gaps at handles; relative gap that counts as round-off; relative
// gap below which one more round is enough, because the convergence is quadratic.
constexpr int kMostRounds = 5;
constexpr double kRoundOffGap = 1e-13;
constexpr double kSmallGap = 1e-9;

// A^T B
template <class T>
Mat6<T> transpose_times(const Mat6<T>& A, const Mat6<T>& B) {
  return transpose(A) * B;
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
      ends_(tree_.pieces.size()),
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
    angles_.push_back(layout.find_angles(bodies));
    sums_.emplace_back(static_cast<std::size_t>(walks_.back().num_sums));
    if (!ends.handle.is_valid()) continue;
    piece_of_handle[static_cast<std::size_t>(ends.handle.value())] = static_cast<int>(piece);
    for (BodyIndex b = ends.handle; b != ends.base; b = model.bodies()[b].parent) paths_[piece].push_back(b);
    std::reverse(paths_[piece].begin(), paths_[piece].end());
  }
  for (const AssemblyTree::Node& ends : tree_.nodes) {
    inner_piece_.push_back(piece_of_handle[static_cast<std::size_t>(ends.base.value())]);
  }
  make_schedule();
}

template <class T>
void DivideAndConquerSolver<T>::make_schedule() {
  const AssemblyBlocks distribution(tree_);
  blocks_ = distribution.blocks;
  first_serial_ = distribution.first_serial;
  const int num_pieces = static_cast<int>(tree_.pieces.size());
  const int cut = distribution.first_spread, serial = distribution.end_spread;
  const auto start = [&](int level) { return tree_.level_starts[static_cast<std::size_t>(level)]; };
  const int num_blocks = static_cast<int>(blocks_.size());
  const auto add = [&](Schedule& schedule, TaskKind kind, int first, int size) {
    schedule.tasks.push_back({kind, first});
    schedule.sizes.push_back(size);
  };
  const auto add_levels = [&](Schedule& schedule, TaskKind inward, TaskKind top) {
    for (int level = cut; level < serial; ++level) {
      add(schedule, inward, start(level), start(level + 1) - start(level));
    }
    add(schedule, top, 0, 1);
    for (int level = serial - 1; level >= cut; --level) {
      add(schedule, TaskKind::kPart, start(level), start(level + 1) - start(level));
    }
  };
  add(solution_, TaskKind::kEliminate, 0, num_blocks);
  if (first_serial_ > 0) {
    add_levels(solution_, TaskKind::kJoin, TaskKind::kTop);
    add(solution_, TaskKind::kClose, 0, num_blocks);
    add_levels(solution_, TaskKind::kJoinGaps, TaskKind::kTopGaps);
  } else {
    add(solution_, TaskKind::kWholeTop, 0, 1);
  }
  add(solution_, TaskKind::kAccelerate, 0, num_blocks);
  add(correction_, TaskKind::kGather, 0, num_blocks);
  add_levels(correction_, TaskKind::kJoinGaps, TaskKind::kTopGaps);
  add(correction_, TaskKind::kAccelerate, 0, num_blocks);
  sizes_with_kinematics_ = {num_pieces, 1};
  sizes_with_kinematics_.insert(sizes_with_kinematics_.end(), solution_.sizes.begin(), solution_.sizes.end());
}

namespace {

// Composes two motions: `base` of a frame in the ground, `relative` of a second frame in the first.
template <class T>
BodyMotion<T> chain(const BodyMotion<T>& base, const BodyMotion<T>& relative) {
  const SpatialMotion<T> r = rotate(base.X_WB.R, relative.V_WB);
  return {base.X_WB * relative.X_WB, shift(base.V_WB, base.X_WB.R * relative.X_WB.p) + r};
}

}  // namespace

template <class T>
template <class Tasks>
void DivideAndConquerSolver<T>::run_levels(std::span<const int> sizes, Tasks& do_tasks) {
  if (executor_ != nullptr) {
    executor_->parallel_levels(sizes, 1, do_tasks);
    return;
  }
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    do_tasks(static_cast<int>(level), 0, sizes[level]);
  }
}

template <class T>
void DivideAndConquerSolver<T>::update_kinematics(const Properties<T>& properties, const State<T>& state,
                                                  Kinematics<T>& kinematics) {
  const int num_pieces = static_cast<int>(tree_.pieces.size());
  const int sizes[] = {num_pieces, 1, num_pieces};
  const auto do_tasks = [&](int level, int begin, int end) {
    for (int i = begin; i < end; ++i) {
      if (level == 0) calc_relative_motion(i, properties, state, kinematics);
      if (level == 1) chain_motions();
      if (level == 2) move_piece(i, properties, state, kinematics);
    }
  };
  run_levels(sizes, do_tasks);
}

template <class T>
void DivideAndConquerSolver<T>::calc_relative_motion(int piece, const Properties<T>& properties,
                                                     const State<T>& state, Kinematics<T>& kinematics) {
  const auto p = static_cast<std::size_t>(piece);
  update_sin_cos<T>(angles_[p], state, kinematics);
  handle_motion_[p] = calc_motion_along<T>(paths_[p], properties, state, kinematics);
}

// Computes the motions of the handles in the ground. Outer pieces have lower indices than inner ones.
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
  run(solution_, properties, kinematics, forces, udot);
  return close_gaps(properties, kinematics, forces, udot);
}

template <class T>
SolveReport<T> DivideAndConquerSolver<T>::move_and_solve(const Properties<T>& properties,
                                                         const State<T>& state, Kinematics<T>& kinematics,
                                                         const AppliedForces<T>& forces, std::span<T> udot) {
  const auto do_task_of = [&](int level, int i) {
    if (level == 0) return calc_relative_motion(i, properties, state, kinematics);
    if (level == 1) return chain_motions();
    if (level > 2) {
      return do_task(solution_.tasks[static_cast<std::size_t>(level - 2)], i, properties, kinematics, forces,
                     udot);
    }
    const Block& block = blocks_[static_cast<std::size_t>(i)];
    for (const int piece : block.pieces) {
      move_piece(piece, properties, state, kinematics);
      eliminate_piece(piece, properties, kinematics, forces);
    }
    for (const int assembly : block.assemblies) join(assembly);
  };
  const auto do_tasks = [&](int level, int begin, int end) {
    for (int i = begin; i < end; ++i) do_task_of(level, i);
  };
  run_levels(sizes_with_kinematics_, do_tasks);
  return close_gaps(properties, kinematics, forces, udot);
}

// Runs the correction rounds after the first solution, or the fallback solver if a piece is singular.
template <class T>
SolveReport<T> DivideAndConquerSolver<T>::close_gaps(const Properties<T>& properties,
                                                     const Kinematics<T>& kinematics,
                                                     const AppliedForces<T>& forces, std::span<T> udot) {
  used_fallback_ = false;
  for (const SolveReport<T>& report : reports_) used_fallback_ = used_fallback_ || any(report.is_singular);
  if (used_fallback_) return fallback_.solve(properties, kinematics, forces, udot);
  double gap = largest_gap();
  for (int round = 1; round < kMostRounds && gap > kRoundOffGap; ++round) {
    run(correction_, properties, kinematics, forces, udot);
    if (gap <= kSmallGap) break;
    gap = largest_gap();
  }
  return {};
}

template <class T>
double DivideAndConquerSolver<T>::largest_gap() const {
  return *std::max_element(relative_gaps_.begin(), relative_gaps_.end());
}

template <class T>
void DivideAndConquerSolver<T>::start_at_ground(const Vec3<T>& a) {
  for (const int root : tree_.roots) {
    vectors(root).f = vectors(root).a_t = {};
    vectors(root).A_P = to_vec6(SpatialMotion<T>{{}, a});
  }
}

template <class T>
void DivideAndConquerSolver<T>::run(const Schedule& schedule, const Properties<T>& properties,
                                    const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                    std::span<T> udot) {
  const auto do_tasks = [&](int level, int begin, int end) {
    const Task& tasks = schedule.tasks[static_cast<std::size_t>(level)];
    for (int i = begin; i < end; ++i) do_task(tasks, i, properties, kinematics, forces, udot);
  };
  run_levels(schedule.sizes, do_tasks);
}

template <class T>
void DivideAndConquerSolver<T>::do_task(const Task& task, int i, const Properties<T>& properties,
                                        const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                        std::span<T> udot) {
  const auto block = [&]() -> const Block& { return blocks_[static_cast<std::size_t>(i)]; };
  switch (task.kind) {
    case TaskKind::kEliminate:
      for (const int piece : block().pieces) eliminate_piece(piece, properties, kinematics, forces);
      for (const int assembly : block().assemblies) join(assembly);
      return;
    case TaskKind::kJoin:
      return join(task.first + i);
    case TaskKind::kTop:
      return do_top(-properties.gravity, [&](int assembly) { join(assembly); });
    case TaskKind::kPart:
      return part_vectors(task.first + i);
    case TaskKind::kClose:
      return close_block(block());
    case TaskKind::kWholeTop:
      do_top(-properties.gravity, [&](int assembly) { join(assembly); });
      for (const Block& each : blocks_) close_block(each);
      return do_top({}, [&](int assembly) { join_vectors(assembly); });
    case TaskKind::kGather:
      for (const int assembly : block().assemblies) join_vectors(assembly);
      return;
    case TaskKind::kJoinGaps:
      return join_vectors(task.first + i);
    case TaskKind::kTopGaps:
      return do_top({}, [&](int assembly) { join_vectors(assembly); });
    case TaskKind::kAccelerate:
      return accelerate_block(block(), kinematics, udot);
  }
}

template <class T>
void DivideAndConquerSolver<T>::join(int assembly) {
  join_matrices(assembly);
  join_vectors(assembly);
}

// Joins the top assemblies inward and solves them outward; `a`: acceleration of the ground less g (m/s^2).
template <class T>
template <class Join>
void DivideAndConquerSolver<T>::do_top(const Vec3<T>& a, Join&& join_one) {
  const int end = static_cast<int>(tree_.assemblies.size());
  for (int assembly = first_serial_; assembly < end; ++assembly) join_one(assembly);
  start_at_ground(a);
  for (int assembly = end - 1; assembly >= first_serial_; --assembly) part_vectors(assembly);
}

// Solves the assemblies of a block outward, computes the gaps of its pieces and joins these inward.
template <class T>
void DivideAndConquerSolver<T>::close_block(const Block& block) {
  for (auto i = block.assemblies.rbegin(); i != block.assemblies.rend(); ++i) part_vectors(*i);
  for (const int piece : block.pieces) calc_gap(piece);
  for (const int assembly : block.assemblies) join_vectors(assembly);
}

// Propagates the changes of a round outward through a block, then applies (16), two pieces at a time.
template <class T>
void DivideAndConquerSolver<T>::accelerate_block(const Block& block, const Kinematics<T>& kinematics,
                                                 std::span<T> udot) {
  for (auto i = block.assemblies.rbegin(); i != block.assemblies.rend(); ++i) part_vectors(*i);
  for (const int piece : block.pieces) push_handle(piece, kinematics);
  const auto walk = [&](std::size_t i) -> const Walk& {
    return walks_[static_cast<std::size_t>(block.pieces[i])];
  };
  const auto A_base = [&](std::size_t i) {
    return to_motion(ends_[static_cast<std::size_t>(block.pieces[i])].A_P);
  };
  std::size_t i = 0;
  for (; i + 1 < block.pieces.size(); i += 2) {
    sweep_.accelerate(walk(i), A_base(i), walk(i + 1), A_base(i + 1), kinematics, udot);
  }
  if (i < block.pieces.size()) sweep_.accelerate(walk(i), A_base(i), kinematics, udot);
  for (const int piece : block.pieces) measure_gap(piece);
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
}

// Applies (12) from the handle of a piece inward to its base.
template <class T>
void DivideAndConquerSolver<T>::extend_path(int piece, const Kinematics<T>& kinematics) {
  const auto p = static_cast<std::size_t>(piece);
  Rows6<T> K(Mat6<T>::identity()), Phi;
  Row6<T> b, d;
  const auto take_column = [&](std::size_t k, const Row6<T>& t) {
    (sweep_.D_inverse[k] * t).store(t_[k].x);
    d += sweep_.free_udot[k] * t;
    K.subtract_outer(sweep_.W[k], t);
    Phi.add_outer(t_[k], t);
  };
  for (auto body = paths_[p].rbegin(); body != paths_[p].rend(); ++body) {
    const auto i = static_cast<std::size_t>(body->value());
    const BodyLink& link = kinematics.tree.links[i];
    const Vec3<T>& s = kinematics.s[i];
    const auto first = static_cast<std::size_t>(link.u_start);
    b += K.transpose_times(kinematics.bias[i]);
    if (link.is_revolute) {
      const Row6<T> t = K.transpose_times_turn(kinematics.H[first].w);
      K.shift_back(s);
      take_column(first, t);
      continue;
    }
    K.shift_back(s);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
      take_column(k, K.transpose_times(at_parent(kinematics.H[k], s)));
    }
  }
  K.store(node(piece).K);
  Phi.store(node(piece).Phi);
  b.store(vectors(piece).b.x);
  d.store(vectors(piece).d.x);
}

// Computes the matrices of (13) and (15).
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
  factor_semidefinite(inner.Phi, joint.L);
  const Mat6<T> L_transposed = transpose(joint.L.L);
  Mat6<T> N = L_transposed * (outer.I * joint.L.L);
  for (int i = 0; i < 6; ++i) N.m[i][i] += T(1);
  factor_semidefinite(N, joint.C);
  joint.X = solve_lower(joint.C, L_transposed);
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

// Computes g of (13) and the vectors of (15).
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

// Applies (14) and distributes forces and accelerations to the two nodes.
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
    // The handle is that of the whole node: its acceleration is known.
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

// Saves the forces and accelerations that the assemblies give at the ends of a piece. The gap is the
// difference between its own (11) and a_t; it becomes b of the next round, which has no other terms.
template <class T>
void DivideAndConquerSolver<T>::calc_gap(int piece) {
  NodeVectors& at = vectors(piece);
  ends_[static_cast<std::size_t>(piece)] = {at.A_P, at.f, at.a_t};
  if (has_handle(piece)) {
    const Node& matrices = node(piece);
    const Vec6<T> a_t = transpose_times(matrices.K, at.A_P) + at.b + (at.d + matrices.Phi * at.f);
    at.b = a_t - at.a_t;
  }
  at.z = at.d = {};
}

// Adds the changes of a round at the ends of a piece, and to e / D the effect of the force on the handle.
template <class T>
void DivideAndConquerSolver<T>::push_handle(int piece, const Kinematics<T>& kinematics) {
  const auto p = static_cast<std::size_t>(piece);
  const NodeVectors& change = vectors(piece);
  Ends& ends = ends_[p];
  const Vec6<T> f = ends.f + change.f;
  ends = {ends.A_P + change.A_P, {}, ends.a_t + change.a_t};
  for (const BodyIndex b : paths_[p]) {
    const BodyLink& link = kinematics.tree.links[static_cast<std::size_t>(b.value())];
    const auto first = static_cast<std::size_t>(link.u_start);
    for (std::size_t k = first; k < first + static_cast<std::size_t>(link.nu); ++k) {
      const Vec6<T>& t = t_[k];
      sweep_.free_udot[k] +=
          (t[0] * f[0] + t[1] * f[1]) + (t[2] * f[2] + t[3] * f[3]) + (t[4] * f[4] + t[5] * f[5]);
    }
  }
}

// Computes the gap between the acceleration that (16) gives to the handle and the one that outer pieces used.
template <class T>
void DivideAndConquerSolver<T>::measure_gap(int piece) {
  NodeVectors& at = vectors(piece);
  at.z = at.d = {};
  const BodyIndex handle = tree_.nodes[static_cast<std::size_t>(piece)].handle;
  if (!handle.is_valid()) return;
  const auto i = static_cast<std::size_t>(piece);
  const Vec6<T>& a_t = ends_[i].a_t;
  at.b = to_vec6(sweep_.A[static_cast<std::size_t>(handle.value())]) - a_t;
  const double scale = std::sqrt(value_of(dot(a_t, a_t)));
  relative_gaps_[i] = scale > 0.0 ? std::sqrt(value_of(dot(at.b, at.b))) / scale : 0.0;
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
#undef SESTINA_INSTANTIATE

}  // namespace sestina
