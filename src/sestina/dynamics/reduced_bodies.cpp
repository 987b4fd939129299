#include "sestina/dynamics/reduced_bodies.h"

#include <algorithm>
#include <cmath>

namespace sestina {
namespace {

constexpr double kShare = ReducedModes::kRigidShare;  // a of (1)

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// An interface in ground axes.
template <class T>
struct PlacedInterface {
  Rotation<T> R_WB;
  Vec3<T> arm;            // m, from B's origin
  SpatialMotion<T> V;     // relative to B
  SpatialMotion<T> bias;  // (6) and (7) of reduced_body.h, and the terms of B's rotation
  InterfaceMotion<T> in_B;
  const T* eta;

  // The motion of the interface in B for a unit rate of mode i.
  SpatialMotion<T> column(const ReducedModes::Interface& interface, std::size_t i) const {
    return {R_WB * (in_B.D * reduced_body::to_scalar<T>(interface.turns[i])),
            R_WB * calc_interface_shift(interface, i, eta)};
  }
};

template <class T>
PlacedInterface<T> place_interface(const ReducedBodyInfo& info, std::size_t i, const State<T>& state,
                                   const Kinematics<T>& kinematics) {
  const BodyMotion<T>& B = kinematics.motion[at(info.body.value())];
  PlacedInterface<T> placed;
  placed.R_WB = B.X_WB.R;
  placed.eta = state.q.data() + info.q_start;
  placed.in_B = calc_interface_motion(*info.modes, info.modes->interfaces[i], placed.eta,
                                      state.u.data() + info.u_start);
  placed.arm = B.X_WB.R * placed.in_B.X.p;
  placed.V = rotate(B.X_WB.R, placed.in_B.V);
  const Vec3<T>& w = B.V_WB.w;
  placed.bias = {
      cross(w, placed.V.w) + B.X_WB.R * placed.in_B.bias.w,
      cross(w, cross(w, placed.arm)) + T(2) * cross(w, placed.V.v) + B.X_WB.R * placed.in_B.bias.v};
  return placed;
}

// Calls f(info, i, frame) for each interface.
template <class F>
void for_each_interface(const Model& model, F&& f) {
  for (const ReducedBodyInfo& info : model.reduced_bodies()) {
    for (std::size_t i = 0; i < info.modes->interfaces.size(); ++i) {
      f(info, i, at(info.first_frame.value()) + i);
    }
  }
}

// Returns the angular velocity of B, in B.
template <class T>
Vec3<T> update_inertia(const ReducedBodyInfo& info, const State<T>& state, const Kinematics<T>& kinematics,
                       ReducedInertia<T>& inertia) {
  const BodyMotion<T>& B = kinematics.motion[at(info.body.value())];
  const Vec3<T> w = transpose_times(B.X_WB.R, B.V_WB.w);
  inertia.update(*info.modes, state.q.data() + info.q_start, state.u.data() + info.u_start, w);
  return w;
}

// L of (3), by rows below its diagonal; not finite where the matrix is not positive.
template <class T>
struct Lower3 {
  T xx{}, yx{}, yy{}, zx{}, zy{}, zz{};

  explicit Lower3(const SymMat3<T>& S) {
    xx = sqrt(S.xx);
    yx = S.xy / xx, zx = S.xz / xx;
    yy = sqrt(S.yy - yx * yx);
    zy = (S.yz - zx * yx) / yy;
    zz = sqrt(S.zz - zx * zx - zy * zy);
  }
  Vec3<T> solve(const Vec3<T>& c) const {
    const T x = c.x / xx, y = (c.y - yx * x) / yy;
    return {x, y, (c.z - zx * x - zy * y) / zz};
  }
  Vec3<T> column(int j) const {
    return j == 0 ? Vec3<T>{xx, yx, zx} : j == 1 ? Vec3<T>{T(0), yy, zy} : Vec3<T>{T(0), T(0), zz};
  }
};

template <class T>
void subtract_product(const Vec3<T>& a, const T& s, SymMat3<T>& S) {
  S.xx -= s * a.x * a.x, S.yy -= s * a.y * a.y, S.zz -= s * a.z * a.z;
  S.xy -= s * a.x * a.y, S.xz -= s * a.x * a.z, S.yz -= s * a.y * a.z;
}

template <class T>
void set_inertia_rows(const ReducedBodyInfo& info, const State<T>& state, const Kinematics<T>& kinematics,
                      ConstraintRows<T>& constraints) {
  const ReducedModes& modes = *info.modes;
  const Rotation<T>& R_WB = kinematics.motion[at(info.body.value())].X_WB.R;
  ReducedInertia<T>& inertia = constraints.reduced_inertia;
  const Vec3<T> w = update_inertia(info, state, kinematics, inertia);
  const T mass((1.0 - kShare) * modes.mass), root(std::sqrt((1.0 - kShare) * modes.mass));
  const SymMat3<T> J_B = reduced_body::scaled<T>(kShare, modes.J0);
  SymMat3<T> S = inertia.J;
  S -= J_B;
  Vec3<T> c = inertia.c_w - cross(w, J_B * w);
  const auto set_row = [&](std::size_t i, const Vec3<T>& torque, const T& bias) -> ConstraintRow<T>& {
    ConstraintRow<T>& row = constraints.rows[at(info.first_row) + i];
    row.a = FrameIndex(0), row.b = frame_of(info.body);
    row.force = {R_WB * torque, {}};
    row.arm_a = row.arm_b = {};
    row.is_on_position = false, row.is_inertia = true;
    row.error = row.velocity = T(0);
    row.bias = bias;
    return row;
  };
  for (std::size_t i = 0; i < modes.count; ++i) {
    const Vec3<T>& G = inertia.G[i];
    ConstraintRow<T>& row = set_row(i, (T(1) / root) * G, inertia.c_eta[i] / root);
    row.first_term = info.first_term + static_cast<int>(i), row.terms = 1;
    constraints.terms[at(row.first_term)] = {info.u_start + static_cast<int>(i), root};
    subtract_product(G, T(1) / mass, S);
    c -= (inertia.c_eta[i] / mass) * G;
  }
  const Lower3<T> L(S);
  const Vec3<T> d = L.solve(c);
  for (int j = 0; j < 3; ++j) set_row(modes.count + at(j), L.column(j), d[j]);
}

// Adds to the coefficient of a speed in the terms from `first` on.
template <class T>
void add_term(int speed, const T& coefficient, std::size_t first, std::vector<SpeedTerm<T>>& terms) {
  const auto own = std::find_if(terms.begin() + static_cast<std::ptrdiff_t>(first), terms.end(),
                                [&](const SpeedTerm<T>& term) { return term.speed == speed; });
  if (own == terms.end()) {
    terms.push_back({speed, coefficient});
  } else {
    own->coefficient += coefficient;
  }
}

// Moves the end of a pair from an interface to the body, with terms from `first` on for the modes.
template <class T>
void pass_to_body(const ReducedBodyInfo& info, std::size_t interface, const PlacedInterface<T>& placed,
                  bool is_a, FramePair<T>& pair, T& bias, std::size_t first,
                  std::vector<SpeedTerm<T>>& terms) {
  Vec3<T>& arm = is_a ? pair.arm_a : pair.arm_b;
  const SpatialForce<T> force = T(is_a ? -1 : 1) * shift_back(pair.force, arm);
  for (std::size_t i = 0; i < info.modes->count; ++i) {
    const T coefficient = dot(placed.column(info.modes->interfaces[interface], i), force);
    add_term(info.u_start + static_cast<int>(i), coefficient, first, terms);
  }
  bias += dot(placed.bias, force);
  (is_a ? pair.a : pair.b) = frame_of(info.body);
  arm += placed.arm;
}

}  // namespace

template <class T>
void update_interfaces(const Model& model, const State<T>& state, Kinematics<T>& kinematics) {
  for_each_interface(model, [&](const ReducedBodyInfo& info, std::size_t i, std::size_t frame) {
    const BodyMotion<T>& B = kinematics.motion[at(info.body.value())];
    const PlacedInterface<T> placed = place_interface(info, i, state, kinematics);
    kinematics.motion[frame] = {B.X_WB * placed.in_B.X, shift(B.V_WB, placed.arm) + placed.V};
  });
}

template <class T>
void apply_interface_forces(const Model& model, const State<T>& state, const Kinematics<T>& kinematics,
                            std::span<SpatialForce<T>> frame_forces, std::span<T> tau) {
  for_each_interface(model, [&](const ReducedBodyInfo& info, std::size_t i, std::size_t frame) {
    const SpatialForce<T> force = frame_forces[frame];
    const PlacedInterface<T> placed = place_interface(info, i, state, kinematics);
    for (std::size_t k = 0; k < info.modes->count; ++k) {
      tau[at(info.u_start) + k] += dot(placed.column(info.modes->interfaces[i], k), force);
    }
    frame_forces[at(info.body.value())] += shift_back(force, placed.arm);
    frame_forces[frame] = {};
  });
}

void add_interface_accelerations(const Model& model, const State<double>& state,
                                 const Kinematics<double>& kinematics, std::span<const double> udot,
                                 std::vector<SpatialMotion<double>>& frames) {
  for_each_interface(model, [&](const ReducedBodyInfo& info, std::size_t i, std::size_t) {
    const PlacedInterface<double> placed = place_interface(info, i, state, kinematics);
    SpatialMotion<double> A = shift(frames[at(info.body.value())], placed.arm) + placed.bias;
    for (std::size_t k = 0; k < info.modes->count; ++k) {
      A += udot[at(info.u_start) + k] * placed.column(info.modes->interfaces[i], k);
    }
    frames.push_back(A);
  });
}

// The joints of modes have moved their bodies by the amplitudes, along x.
template <class T>
InterfaceColumns<T> calc_interface_columns(const Model& model, const Kinematics<T>& kinematics,
                                           FrameIndex interface) {
  InterfaceColumns<T> columns;
  for_each_interface(model, [&](const ReducedBodyInfo& info, std::size_t i, std::size_t frame) {
    if (frame != at(interface.value())) return;
    State<T> state;
    state.q.resize(at(model.nq())), state.u.resize(at(model.nu()));
    for (std::size_t k = 0; k < info.modes->count; ++k) {
      const BodyIndex carrier = model.body_of_speed(info.u_start + static_cast<int>(k));
      state.q[at(info.q_start) + k] = kinematics.motion[at(carrier.value())].X_WB.p.x;
    }
    const PlacedInterface<T> placed = place_interface(info, i, state, kinematics);
    columns.body = info.body, columns.arm = placed.arm, columns.u_start = info.u_start;
    for (std::size_t k = 0; k < info.modes->count; ++k) {
      columns.modes.push_back(placed.column(info.modes->interfaces[i], k));
    }
  });
  return columns;
}

template <class T>
void start_reduced_rows(const Model& model, ConstraintRows<T>& constraints) {
  if (model.reduced_bodies().empty()) return;
  constraints.terms.resize(at(model.constraint_terms()));
  for (ConstraintRow<T>& row : constraints.rows) row.first_term = row.terms = 0;
}

template <class T>
void finish_reduced_rows(const Model& model, const State<T>& state, const Kinematics<T>& kinematics,
                         ConstraintRows<T>& constraints) {
  if (model.reduced_bodies().empty()) return;
  const int bodies = model.bodies().size();
  const auto is_on_interface = [&](const FramePair<T>& pair) {
    return pair.a != pair.b && (pair.a.value() >= bodies || pair.b.value() >= bodies);
  };
  const auto pass = [&](FramePair<T>& pair, T& bias, std::size_t first) {
    if (!is_on_interface(pair)) return;
    for_each_interface(model, [&](const ReducedBodyInfo& info, std::size_t i, std::size_t frame) {
      for (const bool is_a : {true, false}) {
        if (at((is_a ? pair.a : pair.b).value()) != frame) continue;
        const PlacedInterface<T> placed = place_interface(info, i, state, kinematics);
        pass_to_body(info, i, placed, is_a, pair, bias, first, constraints.terms);
      }
    });
  };
  for (ConstraintRow<T>& row : constraints.rows) {
    bool rides_on_interface = is_on_interface(row);
    for (int p = row.first_pair; p < row.first_pair + row.pairs; ++p) {
      rides_on_interface = rides_on_interface || is_on_interface(constraints.pairs[at(p)]);
    }
    if (!rides_on_interface) continue;
    const std::size_t first = constraints.terms.size();
    for (int i = 0; i < row.terms; ++i) {
      constraints.terms.push_back(SpeedTerm<T>(constraints.terms[at(row.first_term + i)]));
    }
    pass(row, row.bias, first);
    for (int p = row.first_pair; p < row.first_pair + row.pairs; ++p) {
      pass(constraints.pairs[at(p)], row.bias, first);
    }
    row.first_term = static_cast<int>(first);
    row.terms = static_cast<int>(constraints.terms.size() - first);
  }
  for (const ReducedBodyInfo& info : model.reduced_bodies()) {
    set_inertia_rows(info, state, kinematics, constraints);
  }
}

template <class T>
T calc_reduced_kinetic_energy(const Model& model, const State<T>& state, const Kinematics<T>& kinematics) {
  T sum(0);
  for (const ReducedBodyInfo& info : model.reduced_bodies()) {
    ReducedInertia<T> inertia;
    const Vec3<T> w = update_inertia(info, state, kinematics, inertia);
    SymMat3<T> J = inertia.J;
    J -= reduced_body::scaled<T>(kShare, info.modes->J0);
    sum += T(0.5) * dot(w, J * w);
    for (std::size_t i = 0; i < info.modes->count; ++i) {
      const T& etadot = state.u[at(info.u_start) + i];
      sum += etadot * dot(w, inertia.G[i]);
      sum += T(0.5 * (1.0 - kShare) * info.modes->mass) * etadot * etadot;
    }
  }
  return sum;
}

template <class T>
Vec3<T> calc_reduced_angular_momentum(const Model& model, const State<T>& state,
                                      const Kinematics<T>& kinematics) {
  Vec3<T> sum;
  for (const ReducedBodyInfo& info : model.reduced_bodies()) {
    ReducedInertia<T> inertia;
    const Vec3<T> w = update_inertia(info, state, kinematics, inertia);
    SymMat3<T> J = inertia.J;
    J -= reduced_body::scaled<T>(kShare, info.modes->J0);
    Vec3<T> h = J * w;
    for (std::size_t i = 0; i < info.modes->count; ++i) h += state.u[at(info.u_start) + i] * inertia.G[i];
    sum += kinematics.motion[at(info.body.value())].X_WB.R * h;
  }
  return sum;
}

double calc_reduced_strain_energy(const Model& model, std::span<const double> q) {
  double sum = 0.0;
  for (const ReducedBodyInfo& info : model.reduced_bodies()) {
    for (std::size_t i = 0; i < info.modes->count; ++i) {
      const double rate = info.modes->frequencies[i] * q[at(info.q_start) + i];
      sum += 0.5 * info.modes->mass * rate * rate;
    }
  }
  return sum;
}

#define SESTINA_INSTANTIATE(T)                                                                         \
  template void update_interfaces(const Model&, const State<T>&, Kinematics<T>&);                      \
  template void apply_interface_forces(const Model&, const State<T>&, const Kinematics<T>&,            \
                                       std::span<SpatialForce<T>>, std::span<T>);                      \
  template void start_reduced_rows(const Model&, ConstraintRows<T>&);                                  \
  template void finish_reduced_rows(const Model&, const State<T>&, const Kinematics<T>&,               \
                                    ConstraintRows<T>&);                                               \
  template InterfaceColumns<T> calc_interface_columns(const Model&, const Kinematics<T>&, FrameIndex); \
  template T calc_reduced_kinetic_energy(const Model&, const State<T>&, const Kinematics<T>&);         \
  template Vec3<T> calc_reduced_angular_momentum(const Model&, const State<T>&, const Kinematics<T>&);
SESTINA_INSTANTIATE(double)
SESTINA_INSTANTIATE(Dual)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
