#include "mechanism.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../mechanisms.h"

namespace peers {
namespace {

using sestina::benchmarks::Random;

EulerParameters random_orientation(Random& random) {
  EulerParameters e{};
  for (double& x : e) x = random.next();
  const double norm = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  for (double& x : e) x /= norm;
  return e;
}

Vector3 random_vector(Random& random, double size) {
  Vector3 v{};
  for (double& x : v) x = size * random.next();
  return v;
}

// Principal moments as a body has them, about axes of any direction.
std::array<double, 6> random_inertia(Random& random) {
  Vector3 second_moment{};
  for (double& x : second_moment) x = 0.055 + 0.045 * random.next();
  const double sum = second_moment[0] + second_moment[1] + second_moment[2];
  const EulerParameters e = random_orientation(random);
  std::array<double, 6> inertia{};
  for (std::size_t k = 0; k < 3; ++k) {
    Vector3 unit{};
    unit[k] = 1.0;
    const Vector3 a = rotate(e, unit);
    const double moment = sum - second_moment[k];
    inertia[0] += moment * a[0] * a[0], inertia[1] += moment * a[1] * a[1];
    inertia[2] += moment * a[2] * a[2], inertia[3] += moment * a[0] * a[1];
    inertia[4] += moment * a[0] * a[2], inertia[5] += moment * a[1] * a[2];
  }
  return inertia;
}

// Serial revolute joints about the given axes; returns the last link.
int add_limb(Mechanism& mechanism, Random& random, int parent, const std::vector<int>& axes) {
  for (const int axis : axes) {
    Link link;
    link.parent = parent;
    link.axis = axis;
    link.orientation = random_orientation(random);
    link.position = random_vector(random, 0.5);
    link.mass = 1.0 + 0.5 * random.next();
    link.center_of_mass = random_vector(random, 0.3);
    link.inertia = random_inertia(random);
    parent = static_cast<int>(mechanism.links.size());
    add_link(mechanism, link);
  }
  return parent;
}

void add_subtree(Mechanism& mechanism, int parent, int i, int n) {
  const Vector3 position = i == 0 ? Vector3{} : Vector3{1, i % 2 == 1 ? 0.2 : -0.2, 0};
  const int self = static_cast<int>(mechanism.links.size());
  add_link(mechanism, make_rod(parent, Joint::kRevolute, i % 2 == 0 ? 1 : 2, position));
  for (const int child : {2 * i + 1, 2 * i + 2}) {
    if (child < n) add_subtree(mechanism, self, child, n);
  }
}

Vector3 at(const std::vector<double>& x, int start) {
  const auto k = static_cast<std::size_t>(start);
  return {x[k], x[k + 1], x[k + 2]};
}

void put(std::vector<double>& x, int start, const Vector3& v) {
  std::copy(v.begin(), v.end(), x.begin() + start);
}

}  // namespace

void add_link(Mechanism& mechanism, Link link) {
  link.nq = link.joint == Joint::kSpherical ? 4 : link.joint == Joint::kFree ? 7 : 1;
  link.nu = link.joint == Joint::kSpherical ? 3 : link.joint == Joint::kFree ? 6 : 1;
  link.q_start = mechanism.nq;
  link.u_start = mechanism.nu;
  mechanism.nq += link.nq;
  mechanism.nu += link.nu;
  mechanism.links.push_back(link);
}

Link make_rod(int parent, Joint joint, int axis, Vector3 position) {
  Link link;
  link.parent = parent;
  link.joint = joint;
  link.axis = axis;
  link.position = position;
  link.center_of_mass = {0.5, 0, 0};
  link.inertia = {0.01, 0.0833, 0.0833, 0, 0, 0};
  return link;
}

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector3 rotate(const EulerParameters& e, const Vector3& v) {
  const Vector3 axis{e[1], e[2], e[3]};
  const Vector3 a = cross(axis, v);
  const Vector3 b = cross(axis, a);
  Vector3 result{};
  for (std::size_t k = 0; k < 3; ++k) result[k] = v[k] + 2.0 * (e[0] * a[k] + b[k]);
  return result;
}

Vector3 rotate_back(const EulerParameters& e, const Vector3& v) {
  return rotate({e[0], -e[1], -e[2], -e[3]}, v);
}

bool Mechanism::is_revolute() const {
  return std::all_of(links.begin(), links.end(),
                     [](const Link& link) { return link.joint == Joint::kRevolute; });
}

Mechanism make_chain(int n, Joint joint) {
  Mechanism mechanism;
  mechanism.name = (joint == Joint::kSpherical ? "spherical chain " : "chain ") + std::to_string(n);
  for (int i = 0; i < n; ++i) {
    add_link(mechanism, make_rod(i - 1, joint, i % 2 == 0 ? 1 : 2, {i == 0 ? 0.0 : 1.0, 0, 0}));
  }
  return mechanism;
}

Mechanism make_binary_tree(int n) {
  Mechanism mechanism;
  mechanism.name = "binary tree " + std::to_string(n);
  add_subtree(mechanism, -1, 0, n);
  return mechanism;
}

Mechanism make_arm() {
  Mechanism mechanism;
  mechanism.name = "arm 7";
  Random random(7);
  int parent = -1;
  for (const double offset : {0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081}) {
    Link link;
    link.parent = parent++;
    link.axis = parent % 2 == 0 ? 2 : 1;
    link.position = {0, 0, offset};
    link.mass = 1.0 + 0.5 * random.next();
    link.center_of_mass = random_vector(random, 0.1);
    link.inertia = random_inertia(random);
    add_link(mechanism, link);
  }
  return mechanism;
}

Mechanism make_skew_arm() {
  Mechanism mechanism;
  mechanism.name = "skew arm 7";
  Random random(7);
  add_limb(mechanism, random, -1, {0, 1, 2, 0, 1, 2, 0});
  return mechanism;
}

Mechanism make_humanoid() {
  enum { kX, kY, kZ };
  const std::vector<int> limb{kX, kY, kZ, kY, kY, kX};
  Mechanism mechanism;
  mechanism.name = "humanoid";
  Random random(32);
  Link base;
  base.joint = Joint::kFree;
  base.mass = 5.0;
  base.center_of_mass = random_vector(random, 0.3);
  base.inertia = random_inertia(random);
  add_link(mechanism, base);
  add_limb(mechanism, random, 0, limb);
  add_limb(mechanism, random, 0, limb);
  const int chest = add_limb(mechanism, random, 0, {kY, kZ});
  add_limb(mechanism, random, chest, limb);
  add_limb(mechanism, random, chest, limb);
  return mechanism;
}

EulerParameters DrivenState::orientation(const Link& link) const {
  const auto k = static_cast<std::size_t>(link.q_start + (link.joint == Joint::kFree ? 3 : 0));
  return {q[k], q[k + 1], q[k + 2], q[k + 3]};
}

std::vector<DrivenState> make_states(const Mechanism& mechanism, int count) {
  std::vector<DrivenState> states;
  for (int i = 0; i < count; ++i) {
    Random random(static_cast<std::uint64_t>(100 + i));
    DrivenState state;
    for (const Link& link : mechanism.links) {
      const EulerParameters e = link.nu == 1 ? EulerParameters{} : random_orientation(random);
      if (link.nu == 1) state.q.push_back(random.next());
      if (link.joint == Joint::kFree) {
        for (int k = 0; k < 3; ++k) state.q.push_back(random.next());
      }
      if (link.nu != 1) state.q.insert(state.q.end(), e.begin(), e.end());
      for (int k = 0; k < link.nu; ++k) state.u.push_back(random.next());
      for (int k = 0; k < link.nu; ++k) state.tau.push_back(random.next());
      for (int k = 0; k < link.nu; ++k) state.udot.push_back(random.next());
    }
    states.push_back(std::move(state));
  }
  return states;
}

std::vector<double> to_engine(const Mechanism& mechanism, const DrivenState& state,
                              const std::vector<double>& ours, SpeedConvention convention) {
  std::vector<double> theirs = ours;
  for (const Link& link : mechanism.links) {
    if (link.nu == 1) continue;
    const EulerParameters e = state.orientation(link);
    const int k = link.u_start;
    const bool is_free = link.joint == Joint::kFree;
    put(theirs, is_free && !convention.is_angular_first ? k + 3 : k, rotate_back(e, at(ours, k)));
    if (!is_free) continue;
    const Vector3 linear = at(ours, k + 3);
    put(theirs, convention.is_angular_first ? k + 3 : k,
        convention.is_linear_turned ? rotate_back(e, linear) : linear);
  }
  return theirs;
}

std::vector<double> from_engine(const Mechanism& mechanism, const DrivenState& state,
                                const std::vector<double>& theirs, SpeedConvention convention) {
  std::vector<double> ours = theirs;
  for (const Link& link : mechanism.links) {
    if (link.nu == 1) continue;
    const EulerParameters e = state.orientation(link);
    const int k = link.u_start;
    const bool is_free = link.joint == Joint::kFree;
    put(ours, k, rotate(e, at(theirs, is_free && !convention.is_angular_first ? k + 3 : k)));
    if (!is_free) continue;
    const Vector3 linear = at(theirs, convention.is_angular_first ? k + 3 : k);
    put(ours, k + 3, convention.is_linear_turned ? rotate(e, linear) : linear);
  }
  return ours;
}

namespace {

// w x v of each free joint, in the axes of F, added to its linear accelerations `sign` times: v' is
// R (x' + w_M x v_M) = R x' + w x v.
std::vector<double> add_turning(const Mechanism& mechanism, const DrivenState& state,
                                std::vector<double> udot, SpeedConvention convention, double sign) {
  for (const Link& link : mechanism.links) {
    if (link.joint != Joint::kFree || !convention.is_linear_turned) continue;
    const Vector3 turning = cross(at(state.u, link.u_start), at(state.u, link.u_start + 3));
    for (std::size_t k = 0; k < 3; ++k) {
      udot[static_cast<std::size_t>(link.u_start) + 3 + k] += sign * turning[k];
    }
  }
  return udot;
}

}  // namespace

std::vector<double> udot_to_engine(const Mechanism& mechanism, const DrivenState& state,
                                   const std::vector<double>& ours, SpeedConvention convention) {
  return to_engine(mechanism, state, add_turning(mechanism, state, ours, convention, -1.0), convention);
}

std::vector<double> udot_from_engine(const Mechanism& mechanism, const DrivenState& state,
                                     const std::vector<double>& theirs, SpeedConvention convention) {
  return add_turning(mechanism, state, from_engine(mechanism, state, theirs, convention), convention, 1.0);
}

std::vector<double> matrix_from_engine(const Mechanism& mechanism, const DrivenState& state,
                                       const std::vector<double>& theirs, SpeedConvention convention) {
  const auto n = static_cast<std::size_t>(mechanism.nu);
  std::vector<double> half(n * n), result(n * n), line(n);
  for (std::size_t i = 0; i < n; ++i) {  // rows
    for (std::size_t j = 0; j < n; ++j) line[j] = theirs[i * n + j];
    line = from_engine(mechanism, state, line, convention);
    for (std::size_t j = 0; j < n; ++j) half[i * n + j] = line[j];
  }
  for (std::size_t j = 0; j < n; ++j) {  // columns
    for (std::size_t i = 0; i < n; ++i) line[i] = half[i * n + j];
    line = from_engine(mechanism, state, line, convention);
    for (std::size_t i = 0; i < n; ++i) result[i * n + j] = line[i];
  }
  return result;
}

}  // namespace peers
