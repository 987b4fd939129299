#include "sestina/dynamics/divide_and_conquer_solver.h"

#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

// Below this fraction of its diagonal element a pivot of a positive semidefinite matrix is round-off.
constexpr double kNullPivot = 1e-14;
// A body may be a handle where its own inertia, about the axes of its joint, exceeds this fraction of its
// inertia in any direction.
constexpr double kStrongPivot = 1e-6;

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
      joints_(tree_.assemblies.size()),
      reports_(tree_.pieces.size()),
      t_(static_cast<std::size_t>(model.nu())),
      is_on_path_(static_cast<std::size_t>(model.bodies().size()), 0) {
  const int num_pieces = static_cast<int>(tree_.pieces.size());
  const auto level_size = [&](std::size_t level) {
    return tree_.level_starts[level + 1] - tree_.level_starts[level];
  };
  const auto depth = static_cast<std::size_t>(tree_.num_levels());
  level_sizes_.push_back(num_pieces);
  for (std::size_t level = 0; level < depth; ++level) level_sizes_.push_back(level_size(level));
  for (std::size_t level = depth; level > 0; --level) level_sizes_.push_back(level_size(level - 1));
  level_sizes_.push_back(num_pieces);
  for (std::size_t piece = 0; piece < tree_.pieces.size(); ++piece) {
    const AssemblyTree::Node& ends = tree_.nodes[piece];
    if (!ends.handle.is_valid()) continue;
    for (BodyIndex b = ends.handle; b != ends.base; b = model.bodies()[b].parent) {
      is_on_path_[static_cast<std::size_t>(b.value())] = 1;
    }
  }
}

template <class T>
SolveReport<T> DivideAndConquerSolver<T>::solve(const Properties<T>& properties,
                                                const Kinematics<T>& kinematics,
                                                const AppliedForces<T>& forces, std::span<T> udot) {
  for (const int root : tree_.roots) node(root).A_P = node(root).f = {};
  const auto do_tasks = [&](int level, int begin, int end) {
    for (int i = begin; i < end; ++i)
      do_task(static_cast<std::size_t>(level), i, properties, kinematics, forces, udot);
  };
  if (executor_ != nullptr) {
    executor_->parallel_levels(level_sizes_, 1, do_tasks);
  } else {
    for (std::size_t level = 0; level < level_sizes_.size(); ++level) {
      do_tasks(static_cast<int>(level), 0, level_sizes_[level]);
    }
  }
  used_fallback_ = false;
  for (const SolveReport<T>& report : reports_) used_fallback_ = used_fallback_ || any(report.is_singular);
  return used_fallback_ ? fallback_.solve(properties, kinematics, forces, udot) : SolveReport<T>{};
}

// Task i of a level; level_sizes_ says what the levels are.
template <class T>
void DivideAndConquerSolver<T>::do_task(std::size_t level, int i, const Properties<T>& properties,
                                        const Kinematics<T>& kinematics, const AppliedForces<T>& forces,
                                        std::span<T> udot) {
  const auto depth = static_cast<std::size_t>(tree_.num_levels());
  if (level == 0) {
    eliminate_piece(i, properties, kinematics, forces);
  } else if (level <= depth) {
    assemble(tree_.level_starts[level - 1] + i);
  } else if (level <= 2 * depth) {
    disassemble(tree_.level_starts[2 * depth - level] + i);
  } else {
    accelerate_piece(i, kinematics, udot);
  }
}

template <class T>
void DivideAndConquerSolver<T>::eliminate_piece(int piece, const Properties<T>& properties,
                                                const Kinematics<T>& kinematics,
                                                const AppliedForces<T>& forces) {
  const std::vector<BodyIndex>& bodies = tree_.pieces[static_cast<std::size_t>(piece)].bodies;
  const AssemblyTree::Node& ends = tree_.nodes[static_cast<std::size_t>(piece)];
  Node& result = node(piece);
  SolveReport<T>& report = reports_[static_cast<std::size_t>(piece)];
  report = {};
  result.K = Mat6<T>::identity();
  result.Phi = {};
  result.b = result.d = {};
  ArticulatedInertia<T> I;
  SpatialForce<T> z;
  for (const BodyIndex b : bodies) sweep_.start_body(b, properties, kinematics, forces);
  for (auto b = bodies.rbegin(); b != bodies.rend(); ++b) {
    const BodyInfo& info = model_->bodies()[*b];
    const auto i = static_cast<std::size_t>(b->value());
    const auto outcome = sweep_.eliminate_joint(*b, info, properties, kinematics, forces, report);
    if (is_on_path_[i] != 0) extend_path(result, info, i, kinematics);
    if (info.parent == ends.base) {
      I += outcome.I;
      z += outcome.z;
    } else {
      sweep_.add(info.parent, outcome);
    }
  }
  result.I = to_mat6(I);
  result.z = to_vec6(z);
}

// (12) for the joint of one body on the way from the handle to the base.
template <class T>
void DivideAndConquerSolver<T>::extend_path(Node& node, const BodyInfo& info, std::size_t body,
                                            const Kinematics<T>& kinematics) {
  Mat6<T>& K = node.K;
  for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
    const auto k = static_cast<std::size_t>(speed);
    const Vec6<T> H = to_vec6(kinematics.H[k]), U = to_vec6(sweep_.U[k]);
    const T& D_inverse = sweep_.D_inverse[k];
    Vec6<T>& t = t_[k];
    t = transpose_times(K, H);
    for (int i = 0; i < 6; ++i) {
      const T scaled = D_inverse * t[i];
      for (int j = 0; j < 6; ++j) node.Phi.m[i][j] += scaled * t[j];
      node.d[i] += scaled * sweep_.e[k];
      const T U_scaled = D_inverse * U[i];
      for (int j = 0; j < 6; ++j) K.m[i][j] -= U_scaled * t[j];
    }
  }
  const Vec6<T> c = to_vec6(kinematics.bias[body]);
  node.b = node.b + transpose_times(K, c);
  // A force at Mo, felt at the parent's Mo: torque + s x force.
  const Vec3<T>& s = kinematics.s[body];
  for (int j = 0; j < 6; ++j) {
    K.m[0][j] += s.y * K.m[5][j] - s.z * K.m[4][j];
    K.m[1][j] += s.z * K.m[3][j] - s.x * K.m[5][j];
    K.m[2][j] += s.x * K.m[4][j] - s.y * K.m[3][j];
  }
}

template <class T>
void DivideAndConquerSolver<T>::assemble(int assembly) {
  const AssemblyTree::Assembly& step = tree_.assemblies[static_cast<std::size_t>(assembly)];
  const Node& inner = node(step.inner);
  const Node& outer = node(step.outer);
  Node& result = node(static_cast<int>(tree_.pieces.size()) + assembly);
  if (step.kind == AssemblyTree::Kind::kBundle) {
    result.I = inner.I + outer.I;
    result.z = inner.z + outer.z;
    return;
  }
  const bool outer_has_handle = tree_.nodes[static_cast<std::size_t>(step.outer)].handle.is_valid();
  join(inner, outer, outer_has_handle, step.kind == AssemblyTree::Kind::kAttach,
       joints_[static_cast<std::size_t>(assembly)], result);
}

// (13) and (15)
template <class T>
void DivideAndConquerSolver<T>::join(const Node& inner, const Node& outer, bool outer_has_handle,
                                     bool stays_open, Joint& joint, Node& result) {
  const Mat6<T> L = factor_semidefinite(inner.Phi);
  Mat6<T> N = transpose_times(L, outer.I * L);
  for (int i = 0; i < 6; ++i) N.m[i][i] = N.m[i][i] + T(1);
  const Mat6<T> C = factor_semidefinite(N);
  Mat6<T> X;  // C^-1 L^T, column by column
  for (int j = 0; j < 6; ++j) {
    Vec6<T> row;
    for (int i = 0; i < 6; ++i) row[i] = L.m[j][i];
    row = solve_lower(C, row);
    for (int i = 0; i < 6; ++i) X.m[i][j] = row[i];
  }
  joint.P = transpose_times(X, X);
  joint.g = transpose_times(X, solve_lower(C, solve_lower(L, inner.d)));  // (13)

  const Mat6<T> I2_P = outer.I * joint.P;
  const Vec6<T> a_b = inner.b - joint.P * (outer.I * inner.b);
  const Vec6<T> a_d = joint.g - joint.P * outer.z;
  result.I = inner.I +
             symmetrised(inner.K * ((outer.I - symmetrised(I2_P * outer.I)) * transpose(inner.K)));  // (15)
  result.z = inner.z + inner.K * (outer.I * (a_b + a_d) + outer.z);
  if (stays_open) {
    result.K = inner.K * (Mat6<T>::identity() - I2_P);
    result.Phi = joint.P;
    result.b = a_b;
    result.d = a_d;
  } else if (outer_has_handle) {
    result.K = inner.K * (outer.K - I2_P * outer.K);
    result.Phi = outer.Phi + symmetrised(transpose_times(outer.K, joint.P * outer.K));
    result.b = outer.b + transpose_times(outer.K, a_b);
    result.d = outer.d + transpose_times(outer.K, a_d);
  }
}

// (14), and what it means for the two nodes.
template <class T>
void DivideAndConquerSolver<T>::disassemble(int assembly) {
  const AssemblyTree::Assembly& step = tree_.assemblies[static_cast<std::size_t>(assembly)];
  Node& inner = node(step.inner);
  Node& outer = node(step.outer);
  const Node& whole = node(static_cast<int>(tree_.pieces.size()) + assembly);
  inner.A_P = whole.A_P;
  if (step.kind == AssemblyTree::Kind::kBundle) {
    outer.A_P = whole.A_P;
    return;
  }
  const Joint& joint = joints_[static_cast<std::size_t>(assembly)];
  const bool stays_open = step.kind == AssemblyTree::Kind::kAttach;
  const bool outer_has_handle = tree_.nodes[static_cast<std::size_t>(step.outer)].handle.is_valid();
  Vec6<T> z2 = outer.z;  // what is left of z_2 - K_2 f
  if (stays_open) z2 = z2 - whole.f;
  if (outer_has_handle) z2 = z2 - outer.K * whole.f;
  const Vec6<T> v = transpose_times(inner.K, whole.A_P) + inner.b;
  const Vec6<T> a_t = v - joint.P * (outer.I * v + z2) + joint.g;
  inner.f = Vec6<T>{} - (outer.I * a_t + z2);
  outer.A_P = a_t;
  outer.f = whole.f;
}

// (16)
template <class T>
void DivideAndConquerSolver<T>::accelerate_piece(int piece, const Kinematics<T>& kinematics,
                                                 std::span<T> udot) {
  const Node& ends = node(piece);
  const BodyIndex base = tree_.nodes[static_cast<std::size_t>(piece)].base;
  for (const BodyIndex b : tree_.pieces[static_cast<std::size_t>(piece)].bodies) {
    const BodyInfo& info = model_->bodies()[b];
    const auto i = static_cast<std::size_t>(b.value());
    if (is_on_path_[i] != 0) {
      for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
        const auto k = static_cast<std::size_t>(speed);
        sweep_.e[k] += dot(t_[k], ends.f);
      }
    }
    const SpatialMotion<T> A_P =
        info.parent == base ? to_motion(ends.A_P) : sweep_.A[static_cast<std::size_t>(info.parent.value())];
    sweep_.accelerate_body(b, info, A_P, kinematics, udot);
  }
}

template <class T>
void DivideAndConquerSolver<T>::calc_reactions(const Kinematics<T>& kinematics,
                                               std::span<SpatialForce<T>> reactions) const {
  if (used_fallback_) {
    fallback_.calc_reactions(reactions);
    return;
  }
  reactions[0] = {};
  for (int piece = 0; piece < static_cast<int>(tree_.pieces.size()); ++piece) {
    calc_piece_reactions(piece, kinematics, reactions);
  }
}

// I A + z, and between the handle and the base less what the force on the handle does there, K f.
template <class T>
void DivideAndConquerSolver<T>::calc_piece_reactions(int piece, const Kinematics<T>& kinematics,
                                                     std::span<SpatialForce<T>> reactions) const {
  for (const BodyIndex b : tree_.pieces[static_cast<std::size_t>(piece)].bodies) {
    const auto i = static_cast<std::size_t>(b.value());
    reactions[i] = sweep_.I[i] * sweep_.A[i] + sweep_.z[i];
  }
  const AssemblyTree::Node& ends = tree_.nodes[static_cast<std::size_t>(piece)];
  if (!ends.handle.is_valid()) return;
  SpatialForce<T> Kf = to_force(nodes_[static_cast<std::size_t>(piece)].f);
  for (BodyIndex b = ends.handle; b != ends.base; b = model_->bodies()[b].parent) {
    const BodyInfo& info = model_->bodies()[b];
    const auto i = static_cast<std::size_t>(b.value());
    reactions[i] -= Kf;
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {  // (12) times f
      const auto k = static_cast<std::size_t>(speed);
      Kf -= (sweep_.D_inverse[k] * dot(kinematics.H[k], Kf)) * sweep_.U[k];
    }
    Kf = shift_back(Kf, kinematics.s[i]);
  }
}

#define SESTINA_INSTANTIATE(T) template class DivideAndConquerSolver<T>;
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)

}  // namespace sestina
