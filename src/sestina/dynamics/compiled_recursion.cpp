#include "sestina/dynamics/compiled_recursion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/dynamics/compiled_spatial.h"

namespace sestina {
namespace {

using namespace compiled;
using Kind = CompiledLink::Kind;
constexpr int kZ = 2;  // component of the joint's axis; as a translation 3 + kZ

// One step of the path from a link to the next: a rotation about an axis or a shift along it.
struct Step {
  bool is_turn = false;
  int axis = 0;
  SinCos<E> by;
  E along;
};

// The quantities of (4) that (6) needs for one joint axis.
struct Column {
  int unit = -1;  // component that is the axis, if W is 1 there
  std::array<E, 6> W;
  E g;
};

bool is_idle(const ConstantTurn& turn) { return is_exactly(turn.cos, 1.0) && is_exactly(turn.sin, 0.0); }

}  // namespace

class LinkWalk {
 public:
  explicit LinkWalk(CompiledRecursion& made) : made_(made), links_(made.links_) {
    for (const CompiledLink& link : links_) paths_.push_back(path_of(link));
  }

  CompiledRecursion::Accelerations calc_udot(const std::vector<Expr>& tau);
  std::vector<Expr> calc_tau(const std::vector<Expr>& udot);
  std::vector<Expr> calc_mass_matrix();

 private:
  struct Path {
    std::vector<Step> steps;  // up to the joint
    Rotation<E> ball;         // for a kBall joint
    std::vector<Step> joint;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  E in(Expr e) { return {made_.graph_, e}; }
  E constant(double value) { return made_.constant(value); }
  E q(int i) { return in(made_.q_[at(i)]); }
  E u(int i) { return in(made_.u_[at(i)]); }
  SinCos<E> constant(const ConstantTurn& by) { return {constant(by.sin), constant(by.cos)}; }
  Vector constant(const Vec3<double>& a) { return {constant(a.x), constant(a.y), constant(a.z)}; }

  // Returns 1/D as a term of a sum: one division, where each product by 1/D would be made a division.
  E reciprocal(const E& D) { return E(1) / D + made_.nothing_; }

  Path path_of(const CompiledLink& link);
  Rotation<E> ball_rotation(int q_start);
  void move_outward(const CompiledLink& link, const std::vector<Expr>& udot, std::size_t i);
  void pass_shift(int k, const E& d, std::size_t i);
  Force force_of(std::size_t i);
  Inertia inertia_of(const CompiledLink& link);

  Column eliminate(const CompiledLink& link, int unit, const E& tau, Inertia& I, Force& z);
  void eliminate_ball(std::size_t i, const std::vector<Expr>& tau, Inertia& I, Force& z);
  void accelerate(std::size_t i, std::vector<Expr>& udot);
  E accelerate_by(const Column& column, double pitch, Motion& A);
  E entry(const CompiledLink& link, Force& f) {
    return link.kind == Kind::kTurn    ? f.torque.z
           : link.kind == Kind::kSlide ? f.force.z
                                       : f.torque.z + constant(link.pitch) * f.force.z;
  }
  template <class Quantity>
  static void pass_inward(const std::vector<Step>& steps, Quantity& x) {
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (step->is_turn) {
        x.turn_by(step->axis, step->by);
      } else {
        x.shift(step->axis, step->along);
      }
    }
  }

  CompiledRecursion& made_;
  const std::vector<CompiledLink>& links_;
  std::vector<Path> paths_;
  std::vector<Vector> w_, alpha_, a_;  // (1), by link
  std::vector<std::vector<Column>> columns_;
  std::vector<Motion> A_;
  std::vector<Expr> pivots_;
};

LinkWalk::Path LinkWalk::path_of(const CompiledLink& link) {
  Path path;
  const auto add_turn = [&](std::vector<Step>& steps, int axis, const SinCos<E>& by) {
    steps.push_back({true, axis, by, {}});
  };
  const auto add_shift = [&](std::vector<Step>& steps, int axis, const E& along) {
    if (!along.is_zero()) steps.push_back({false, axis, {}, along});
  };
  for (int k = 0; k < 3; ++k) add_shift(path.steps, k, constant(link.shift[k]));
  if (!is_idle(link.before_x)) add_turn(path.steps, kZ, constant(link.before_x));
  if (!is_idle(link.about_x)) add_turn(path.steps, 0, constant(link.about_x));
  const E along = constant(link.along_z);
  if (link.kind == Kind::kBall) {
    if (!is_idle(link.about_z)) add_turn(path.steps, kZ, constant(link.about_z));
    path.ball = ball_rotation(link.q);
  } else if (link.kind == Kind::kSlide) {
    if (!is_idle(link.about_z)) add_turn(path.steps, kZ, constant(link.about_z));
    add_shift(path.joint, kZ, q(link.q) + along);
  } else {
    const E angle = q(link.q) + constant(link.angle);
    const E s = sin(angle), c = cos(angle);
    const SinCos<E> by = constant(link.about_z);  // right angles
    const bool is_screw = link.kind == Kind::kScrew;
    add_shift(is_screw ? path.joint : path.steps, kZ,
              is_screw ? constant(link.pitch) * q(link.q) + along : along);
    add_turn(path.joint, kZ, {by.cos * s + by.sin * c, by.cos * c - by.sin * s});
  }
  return path;
}

// Divides by the squared norm, as euler_parameter_rotation() does.
Rotation<E> LinkWalk::ball_rotation(int q_start) {
  const E w = q(q_start), x = q(q_start + 1), y = q(q_start + 2), z = q(q_start + 3);
  const E s = E(2) * reciprocal((w * w + x * x) + (y * y + z * z));
  const E sx = s * x, sy = s * y, sz = s * z;
  const E xx = sx * x, yy = sy * y, zz = sz * z, xy = sx * y, xz = sx * z, yz = sy * z;
  const E wx = sx * w, wy = sy * w, wz = sz * w;
  return {E(1) - (yy + zz), xy - wz, xz + wy, xy + wz,         E(1) - (xx + zz),
          yz - wx,          xz - wy, yz + wx, E(1) - (xx + yy)};
}

// Adds K d e_k to a of (1), with K of (2).
void LinkWalk::pass_shift(int k, const E& d, std::size_t i) {
  const int x = (k + 1) % 3, y = (k + 2) % 3;
  const Vector &w = w_[i], &alpha = alpha_[i];
  Vector& a = a_[i];
  a[x] += d * (w[x] * w[k] + alpha[y]);
  a[y] += d * (w[y] * w[k] - alpha[x]);
  a[k] -= d * (w[x] * w[x] + w[y] * w[y]);
}

// Computes (1) for link i. An empty `udot` stands for zeros.
void LinkWalk::move_outward(const CompiledLink& link, const std::vector<Expr>& udot, std::size_t i) {
  const int parent = link.parent;
  w_.push_back(parent < 0 ? Vector{} : w_[at(parent)]);
  alpha_.push_back(parent < 0 ? Vector{} : alpha_[at(parent)]);
  a_.push_back(parent < 0 ? constant(link.base_acceleration) : a_[at(parent)]);
  Vector &w = w_[i], &alpha = alpha_[i], &a = a_[i];
  const auto acceleration = [&](int k) { return udot.empty() ? E(0) : in(udot[at(link.u + k)]); };
  const auto pass = [&](const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (!step.is_turn) {
        pass_shift(step.axis, step.along, i);
        continue;
      }
      for (Vector* x : {&w, &alpha, &a}) turn_back(*x, step.axis, step.by);
    }
  };
  pass(paths_[i].steps);
  if (link.kind == Kind::kBall) {
    const Vector turning{u(link.u), u(link.u + 1), u(link.u + 2)};
    alpha += cross(w, turning) + Vector{acceleration(0), acceleration(1), acceleration(2)};
    w += turning;
    for (Vector* x : {&w, &alpha, &a}) *x = transpose_times(paths_[i].ball, *x);
    return;
  }
  const E speed = u(link.u);
  if (link.kind != Kind::kTurn) {
    const E slide = link.kind == Kind::kSlide ? E(1) : constant(link.pitch);
    pass_shift(kZ, paths_[i].joint.front().along, i);
    a += (E(2) * (slide * speed)) * cross_axis(w, kZ);
    a.z += slide * acceleration(0);
    if (link.kind == Kind::kSlide) return;
  }
  const SinCos<E>& by = paths_[i].joint.back().by;
  for (Vector* x : {&w, &alpha, &a}) turn_back(*x, kZ, by);
  alpha += speed * cross_axis(w, kZ);
  alpha.z += acceleration(0);
  w.z += speed;
}

// Returns the force and torque of (3).
Force LinkWalk::force_of(std::size_t i) {
  const CompiledLink& link = links_[i];
  const Vector &w = w_[i], &alpha = alpha_[i], &a = a_[i];
  const Vector h = constant(link.first);
  Composite moments{constant(link.mass), h, {}};
  moments.second = {constant(link.second.xx), constant(link.second.yy), constant(link.second.zz),
                    constant(link.second.xy), constant(link.second.xz), constant(link.second.yz)};
  // Returns the off-diagonal element of K in row j and column k.
  const auto K = [&](int j, int k) {
    const int third = 3 - j - k;
    const E both = w[std::min(j, k)] * w[std::max(j, k)];
    return (j + 1) % 3 == k ? both - alpha[third] : both + alpha[third];
  };
  Force f;
  for (int x = 0; x < 3; ++x) {
    const int y = (x + 1) % 3, z = (x + 2) % 3;
    f.force[x] = moments.mass * a[x];
    if (!h[y].is_zero()) f.force[x] += h[y] * K(x, y);
    if (!h[z].is_zero()) f.force[x] += h[z] * K(x, z);
    if (!h[x].is_zero()) f.force[x] -= h[x] * (w[y] * w[y] + w[z] * w[z]);
    const auto S = [&](int m, int n) { return moments.second_at(m, n); };
    E& n = f.torque[x];
    n = h[y] * a[z] - h[z] * a[y];
    if (!S(y, z).is_zero()) n += S(y, z) * (w[z] * w[z] - w[y] * w[y]);
    if (!S(x, y).is_zero()) n += S(x, y) * K(z, x);
    if (!S(x, z).is_zero()) n -= S(x, z) * K(y, x);
    if (!S(y, y).is_zero()) n += S(y, y) * K(z, y);
    if (!S(z, z).is_zero()) n -= S(z, z) * K(y, z);
  }
  return f;
}

Inertia LinkWalk::inertia_of(const CompiledLink& link) {
  const SymMat3<double>& S = link.second;
  const double J[3][3] = {
      {S.yy + S.zz, -S.xy, -S.xz}, {-S.xy, S.xx + S.zz, -S.yz}, {-S.xz, -S.yz, S.xx + S.yy}};
  Inertia I;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) I(i, j) = constant(J[i][j]);
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const E h = constant(link.first[k]);
    I(i, 3 + j) = -h;
    I(j, 3 + i) = h;
    I(3 + i, 3 + i) = constant(link.mass);
  }
  return I;
}

// (4), and I and z of (5) before the shift, for axis e_unit; a screw has unit -1: axis z with its pitch.
Column LinkWalk::eliminate(const CompiledLink& link, int unit, const E& tau, Inertia& I, Force& z) {
  const E pitch = constant(link.pitch), armature = constant(link.armature);
  Column column;
  std::array<E, 6> U;
  for (int i = 0; i < 6; ++i) U[at(i)] = unit >= 0 ? I(i, unit) : I(i, kZ) + pitch * I(i, 3 + kZ);
  const E felt = unit >= 0 ? U[at(unit)] : U[kZ] + pitch * U[3 + kZ];
  const E D = felt + armature, r = reciprocal(D);
  const E e = tau - (unit >= 0 ? z[unit] : z[kZ] + pitch * z[3 + kZ]);
  pivots_.push_back(D.in(made_.graph_));
  if (unit >= 0 && armature.is_zero()) column.unit = unit;
  for (int i = 0; i < 6; ++i) {
    if (i != column.unit) column.W[at(i)] = U[at(i)] * r;
  }
  column.g = e * r;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      if (column.unit >= 0 && (i == column.unit || j == column.unit)) {
        I(i, j) = E(0);
      } else {
        I(i, j) -= U[at(i)] * column.W[at(j)];
      }
    }
    z[i] = i == column.unit ? tau : z[i] + column.W[at(i)] * e;
  }
  return column;
}

// Eliminates a spherical joint in the axes of M, into which the torques of the joint are rotated from F.
void LinkWalk::eliminate_ball(std::size_t i, const std::vector<Expr>& tau, Inertia& I, Force& z) {
  const CompiledLink& link = links_[i];
  const Rotation<E>& R = paths_[i].ball;
  const Vector in_F{in(tau[at(link.u)]), in(tau[at(link.u + 1)]), in(tau[at(link.u + 2)])};
  const Vector in_M = transpose_times(R, in_F);
  for (int k = 0; k < 3; ++k) columns_[i].push_back(eliminate(link, k, in_M[k], I, z));
  const SymMat3<E> m = rotate(R, SymMat3<E>{I(3, 3), I(4, 4), I(5, 5), I(3, 4), I(3, 5), I(4, 5)});
  I = {};
  I(3, 3) = m.xx, I(4, 4) = m.yy, I(5, 5) = m.zz, I(3, 4) = m.xy, I(3, 5) = m.xz, I(4, 5) = m.yz;
  z = {in_F, R * z.force};
}

// Applies (6) for one column; returns the derivative of its speed.
E LinkWalk::accelerate_by(const Column& column, double pitch, Motion& A) {
  E sum = column.g;
  for (int i = 0; i < 6; ++i) {
    if (i != column.unit) sum -= column.W[at(i)] * A[i];
  }
  if (column.unit >= 0) {  // W is 1 there: the rest of the sum is the new component of A
    E udot = sum - A[column.unit];
    A[column.unit] = sum;
    return udot;
  }
  A.w.z += sum;
  A.v.z += constant(pitch) * sum;
  return sum;
}

void LinkWalk::accelerate(std::size_t i, std::vector<Expr>& udot) {
  const CompiledLink& link = links_[i];
  Motion A = link.parent < 0 ? Motion{} : A_[at(link.parent)];
  const auto pass = [&](const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (step.is_turn) {
        turn_back(A.w, step.axis, step.by), turn_back(A.v, step.axis, step.by);
      } else {
        A.v += step.along * cross_axis(A.w, step.axis);
      }
    }
  };
  pass(paths_[i].steps);
  if (link.kind == Kind::kBall) {
    const Rotation<E>& R = paths_[i].ball;
    A = {transpose_times(R, A.w), transpose_times(R, A.v)};
    Vector turning;
    for (int k = 2; k >= 0; --k) turning[k] = accelerate_by(columns_[i][at(k)], 0.0, A);
    turning = R * turning;
    for (int k = 0; k < 3; ++k) udot[at(link.u + k)] = turning[k].in(made_.graph_);
  } else {
    pass(paths_[i].joint);
    const Column& column = columns_[i].front();
    const int axis = link.kind == Kind::kSlide ? 3 + kZ : kZ;
    if (column.unit < 0 && link.kind != Kind::kScrew) {  // a joint with armature
      E sum = column.g;
      for (int k = 0; k < 6; ++k) sum -= column.W[at(k)] * A[k];
      A[axis] += sum;
      udot[at(link.u)] = sum.in(made_.graph_);
    } else {
      udot[at(link.u)] = accelerate_by(column, link.pitch, A).in(made_.graph_);
    }
  }
  A_.push_back(A);
}

CompiledRecursion::Accelerations LinkWalk::calc_udot(const std::vector<Expr>& tau) {
  const std::size_t n = links_.size();
  std::vector<Inertia> I;
  std::vector<Force> z;
  columns_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    move_outward(links_[i], {}, i);
    z.push_back(force_of(i));
    I.push_back(inertia_of(links_[i]));
  }
  CompiledRecursion::Accelerations result;
  result.udot.resize(tau.size());
  result.pivots.resize(tau.size());
  for (std::size_t i = n; i-- > 0;) {
    const CompiledLink& link = links_[i];
    pivots_.clear();
    if (link.kind == Kind::kBall) {
      eliminate_ball(i, tau, I[i], z[i]);
    } else {
      const int unit = link.kind == Kind::kTurn ? kZ : link.kind == Kind::kSlide ? 3 + kZ : -1;
      columns_[i].push_back(eliminate(link, unit, in(tau[at(link.u)]), I[i], z[i]));
    }
    std::copy(pivots_.begin(), pivots_.end(), result.pivots.begin() + link.u);
    if (link.parent < 0) continue;
    for (const auto* steps : {&paths_[i].joint, &paths_[i].steps}) {
      pass_inward(*steps, z[i]);
      for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
        if (step->is_turn) {
          I[i].turn(step->axis, step->by);
        } else {
          I[i].shift(step->axis, step->along);
        }
      }
    }
    I[at(link.parent)] += I[i];
    z[at(link.parent)].torque += z[i].torque;
    z[at(link.parent)].force += z[i].force;
  }
  for (std::size_t i = 0; i < n; ++i) accelerate(i, result.udot);
  return result;
}

std::vector<Expr> LinkWalk::calc_tau(const std::vector<Expr>& udot) {
  std::vector<Force> z;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    move_outward(links_[i], udot, i);
    z.push_back(force_of(i));
  }
  std::vector<Expr> tau(udot.size());
  for (std::size_t i = links_.size(); i-- > 0;) {
    const CompiledLink& link = links_[i];
    if (link.kind == Kind::kBall) {
      z[i] = {paths_[i].ball * z[i].torque, paths_[i].ball * z[i].force};
      for (int k = 0; k < 3; ++k) tau[at(link.u + k)] = z[i].torque[k].in(made_.graph_);
    } else {
      const E driven = entry(link, z[i]) + constant(link.armature) * in(udot[at(link.u)]);
      tau[at(link.u)] = driven.in(made_.graph_);
    }
    if (link.parent < 0) continue;
    pass_inward(paths_[i].joint, z[i]);
    pass_inward(paths_[i].steps, z[i]);
    z[at(link.parent)].torque += z[i].torque;
    z[at(link.parent)].force += z[i].force;
  }
  return tau;
}

std::vector<Expr> LinkWalk::calc_mass_matrix() {
  const std::size_t n = made_.u_.size();
  std::vector<Expr> M(n * (n + 1) / 2, made_.graph_.number(0.0));
  const auto set = [&](int i, int j, const E& value) {
    const std::size_t high = at(std::max(i, j)), low = at(std::min(i, j));
    M[high * (high + 1) / 2 + low] = value.in(made_.graph_);
  };
  std::vector<Composite> composite;
  for (const CompiledLink& link : links_) {
    const SymMat3<double>& S = link.second;
    composite.push_back(
        {constant(link.mass),
         constant(link.first),
         {constant(S.xx), constant(S.yy), constant(S.zz), constant(S.xy), constant(S.xz), constant(S.yz)}});
  }
  // Enters the elements of a force on link i into row u; for a kBall joint they are in the axes of F.
  const auto enter = [&](int u, std::size_t i, Force& f) {
    const CompiledLink& link = links_[i];
    if (link.kind != Kind::kBall) return set(u, link.u, entry(link, f));
    for (int k = 0; k < 3; ++k) set(u, link.u + k, f.torque[k]);
  };
  for (std::size_t i = links_.size(); i-- > 0;) {
    const CompiledLink& link = links_[i];
    Composite& own = composite[i];
    if (link.kind == Kind::kBall) {
      own.second = rotate(paths_[i].ball, own.second);
      own.first = paths_[i].ball * own.first;
    }
    const int count = link.kind == Kind::kBall ? 3 : 1;
    for (int k = 0; k < count; ++k) {
      const int axis = link.kind == Kind::kBall ? k : kZ;
      Force f = link.kind == Kind::kSlide ? own.for_slide(axis) : own.for_turn(axis);
      if (link.kind == Kind::kScrew) {
        const Force slide = own.for_slide(axis);
        f.torque += constant(link.pitch) * slide.torque;
        f.force += constant(link.pitch) * slide.force;
      }
      enter(link.u + k, i, f);
      if (!is_exactly(link.armature, 0.0)) set(link.u, link.u, entry(link, f) + constant(link.armature));
      for (std::size_t j = i; links_[j].parent >= 0;) {
        pass_inward(paths_[j].joint, f);
        pass_inward(paths_[j].steps, f);
        j = at(links_[j].parent);
        if (links_[j].kind == Kind::kBall) f = {paths_[j].ball * f.torque, paths_[j].ball * f.force};
        enter(link.u + k, j, f);
      }
    }
    if (link.parent < 0) continue;
    pass_inward(paths_[i].joint, own);
    pass_inward(paths_[i].steps, own);
    Composite& parent = composite[at(link.parent)];
    parent.mass += own.mass, parent.first += own.first, parent.second += own.second;
  }
  return M;
}

CompiledRecursion::CompiledRecursion(const Model& model, std::vector<CompiledLink> links)
    : links_(std::move(links)), graph_(0) {
  q_ = new_symbols("q", model.nq());
  u_ = new_symbols("u", model.nu());
  constants_ = new_symbols("nothing", 1);
  values_ = {0.0};
  nothing_ = {graph_, constants_.front()};
}

std::vector<Expr> CompiledRecursion::new_symbols(const std::string& name, int count) {
  std::vector<Expr> symbols;
  for (int i = 0; i < count; ++i) symbols.push_back(graph_.symbol(name + std::to_string(i)));
  return symbols;
}

Expression CompiledRecursion::constant(double value) {
  if (is_exactly(value, 0.0) || is_exactly(std::abs(value), 1.0)) return value;
  const double magnitude = std::abs(value);
  const auto [entry, is_new] = known_.try_emplace(magnitude, values_.size());
  if (is_new) {
    constants_.push_back(graph_.symbol("c" + std::to_string(values_.size())));
    values_.push_back(magnitude);
  }
  const Expression symbol(graph_, constants_[entry->second]);
  return value < 0.0 ? -symbol : symbol;
}

CompiledRecursion::Accelerations CompiledRecursion::calc_udot(const std::vector<Expr>& tau) {
  return LinkWalk(*this).calc_udot(tau);
}
std::vector<Expr> CompiledRecursion::calc_tau(const std::vector<Expr>& udot) {
  return LinkWalk(*this).calc_tau(udot);
}
std::vector<Expr> CompiledRecursion::calc_mass_matrix() { return LinkWalk(*this).calc_mass_matrix(); }

}  // namespace sestina
