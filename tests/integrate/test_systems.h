// Small systems whose motion is known in closed form.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sestina/integrate/integration_rule.h"

namespace sestina::test {

// qdot = u, accelerations and quadratures as given; unit masses, so that speeds are momenta.
class PlainSystem final : public EquationsOfMotion, public MomentumFace {
 public:
  using Derivatives = std::function<void(double t, std::span<const double> q, std::span<const double> u,
                                         std::span<double> udot, std::span<double> zdot)>;
  PlainSystem(int n, int nz, Derivatives derivatives, int nd = 0)
      : n_(n), nz_(nz), nd_(nd), derivatives_(std::move(derivatives)) {}

  long evaluations() const { return evaluations_; }

  StateSizes sizes() const override { return {.nq = n_, .nu = n_, .nd = nd_, .nz = nz_}; }
  void calc_derivatives(const State<double>& state, const StateRates& rates) override {
    ++evaluations_;
    derivatives_(state.t, state.q, state.u, rates.udot, rates.zdot);
  }
  void calc_q_dot(std::span<const double>, std::span<const double> u, std::span<double> qdot) override {
    std::copy(u.begin(), u.end(), qdot.begin());
  }
  void plus(std::span<const double> q, std::span<const double> displacement,
            std::span<double> q_out) override {
    for (std::size_t i = 0; i < q.size(); ++i) q_out[i] = q[i] + displacement[i];
  }
  void minus(std::span<const double> q_to, std::span<const double> q_from,
             std::span<double> displacement) override {
    for (std::size_t i = 0; i < q_to.size(); ++i) displacement[i] = q_to[i] - q_from[i];
  }
  void normalize(std::span<double>) override {}
  MomentumFace* momentum_face() override { return this; }
  void calc_momentum(const State<double>& state, std::span<double> p) override {
    std::copy(state.u.begin(), state.u.end(), p.begin());
  }
  void calc_speeds(const State<double>&, std::span<const double> p, std::span<double> u) override {
    std::copy(p.begin(), p.end(), u.begin());
  }
  void calc_momentum_rate(const State<double>& state, std::span<double> pdot,
                          std::span<double> zdot) override {
    calc_derivatives(state, {pdot, {}, zdot});
  }
  std::string name_of_q(int i) const override { return "joint" + std::to_string(i) + ".q"; }
  std::string name_of_u(int i) const override { return "joint" + std::to_string(i) + ".u"; }

 private:
  int n_;
  int nz_;
  int nd_;
  Derivatives derivatives_;
  long evaluations_ = 0;
};

// q'' = -q, from q = 1 at rest: q = cos t.
inline PlainSystem make_oscillator() {
  return {1, 0, [](double, auto q, auto, auto udot, auto) { udot[0] = -q[0]; }};
}

// q'' = -q - 2 c q', from q = 1 at rest; z are the work lost to the damper and that done by the spring.
constexpr double kDamping = 0.2;
inline PlainSystem make_damped_oscillator() {
  return {1, 2, [](double, auto q, auto u, auto udot, auto zdot) {
            udot[0] = -q[0] - 2.0 * kDamping * u[0];
            zdot[0] = 2.0 * kDamping * u[0] * u[0];
            zdot[1] = -q[0] * u[0];
          }};
}
inline State<double> start_of_damped_oscillator() { return {.q = {1.0}, .u = {0.0}, .z = {0.0, 0.0}}; }
inline State<double> exact_damped_oscillator(double t) {
  const double w = std::sqrt(1.0 - kDamping * kDamping);
  const double decay = std::exp(-kDamping * t);
  const double q = decay * (std::cos(w * t) + kDamping / w * std::sin(w * t));
  const double u = -decay * std::sin(w * t) / w;
  return {.t = t, .q = {q}, .u = {u}, .z = {0.5 * (1.0 - q * q - u * u), 0.5 * (1.0 - q * q)}};
}

// Two bodies: r'' = -r / |r|^3, semi-major axis 1, period 2 pi, from the pericentre.
inline PlainSystem make_kepler() {
  return {2, 0, [](double, auto q, auto, auto udot, auto) {
            const double r = std::hypot(q[0], q[1]);
            udot[0] = -q[0] / (r * r * r);
            udot[1] = -q[1] / (r * r * r);
          }};
}
inline State<double> exact_kepler(double eccentricity, double t) {
  double anomaly = t;  // E - e sin E = t, by Newton's method
  for (int i = 0; i < 50; ++i) {
    anomaly -= (anomaly - eccentricity * std::sin(anomaly) - t) / (1.0 - eccentricity * std::cos(anomaly));
  }
  const double b = std::sqrt(1.0 - eccentricity * eccentricity);
  const double rate = 1.0 / (1.0 - eccentricity * std::cos(anomaly));
  return {t,
          {std::cos(anomaly) - eccentricity, b * std::sin(anomaly)},
          {-rate * std::sin(anomaly), rate * b * std::cos(anomaly)}};
}

// sn, cn and dn of modulus k (0 < k < 1) by the arithmetic-geometric mean: Abramowitz and Stegun 16.4.
struct JacobiElliptic {
  double sn, cn, dn;
};
inline JacobiElliptic calc_jacobi_elliptic(double u, double k) {
  constexpr int kLevels = 8;  // quadratic convergence: far below rounding
  std::array<double, kLevels + 1> a{1.0}, c{k};
  double b = std::sqrt(1.0 - k * k);
  for (std::size_t i = 0; i < kLevels; ++i) {
    a[i + 1] = 0.5 * (a[i] + b);
    c[i + 1] = 0.5 * (a[i] - b);
    b = std::sqrt(a[i] * b);
  }
  double phi = std::ldexp(a[kLevels] * u, kLevels);
  for (std::size_t i = kLevels; i > 0; --i) phi = 0.5 * (phi + std::asin(c[i] / a[i] * std::sin(phi)));
  const double sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1.0 - k * k * sn * sn)};
}

using Vector3 = std::array<double, 3>;
inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// A rigid body that turns freely about its centre of mass. q: Euler parameters of R_FM, u: w_FM_F.
class FreeRigidBody final : public EquationsOfMotion, public MomentumFace {
 public:
  static constexpr Vector3 kInertia = {1.0, 2.0, 3.0};  // kg m^2, body axes
  static constexpr std::array<int, 1> kRotations = {0};
  static constexpr Vector3 kStart = {0.6, 0.0, 1.0};  // rad/s, w_FM_M at t = 0, where R_FM is the identity

  StateSizes sizes() const override { return {.nq = 4, .nu = 3}; }
  void calc_derivatives(const State<double>& state, const StateRates& rates) override {
    const auto& [q, u] = std::tie(state.q, state.u);
    const Vector3 w = to_body(q, {u[0], u[1], u[2]});
    const Vector3 h = {kInertia[0] * w[0], kInertia[1] * w[1], kInertia[2] * w[2]};
    Vector3 rate = cross(h, w);
    for (std::size_t i = 0; i < 3; ++i) rate[i] /= kInertia[i];
    const Vector3 rate_F = to_fixed(q, rate);
    std::copy(rate_F.begin(), rate_F.end(), rates.udot.begin());
  }
  // edot = 1/2 (0, w_FM_F) o e
  void calc_q_dot(std::span<const double> e, std::span<const double> w, std::span<double> edot) override {
    multiply({0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]}, e, edot);
  }
  void plus(std::span<const double> e, std::span<const double> displacement, std::span<double> out) override {
    const double angle = std::hypot(displacement[0], displacement[1], displacement[2]);
    const double s = angle > 0.0 ? std::sin(0.5 * angle) / angle : 0.5;
    multiply({std::cos(0.5 * angle), s * displacement[0], s * displacement[1], s * displacement[2]}, e, out);
  }
  // The rotation vector of e_to o e_from^-1, of at most half a turn.
  void minus(std::span<const double> to, std::span<const double> from, std::span<double> out) override {
    std::array<double, 4> e{};
    const std::array<double, 4> inverse = {from[0], -from[1], -from[2], -from[3]};
    multiply({to[0], to[1], to[2], to[3]}, inverse, e);
    const double s = std::hypot(e[1], e[2], e[3]), sign = e[0] < 0.0 ? -1.0 : 1.0;
    const double factor = s > 0.0 ? sign * 2.0 * std::atan2(s, std::abs(e[0])) / s : 0.0;
    for (std::size_t i = 0; i < 3; ++i) out[i] = factor * e[i + 1];
  }
  void normalize(std::span<double> e) override {
    const double norm = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (double& x : e) x /= norm;
  }
  std::span<const int> rotations() const override { return kRotations; }
  // The momentum is the angular momentum in F, which nothing changes.
  MomentumFace* momentum_face() override { return this; }
  void calc_momentum(const State<double>& state, std::span<double> p) override {
    const auto& [q, u] = std::tie(state.q, state.u);
    const Vector3 w = to_body(q, {u[0], u[1], u[2]});
    const Vector3 h = to_fixed(q, {kInertia[0] * w[0], kInertia[1] * w[1], kInertia[2] * w[2]});
    std::copy(h.begin(), h.end(), p.begin());
  }
  void calc_speeds(const State<double>& state, std::span<const double> p, std::span<double> u) override {
    const std::vector<double>& q = state.q;
    const Vector3 h = to_body(q, {p[0], p[1], p[2]});
    const Vector3 w = to_fixed(q, {h[0] / kInertia[0], h[1] / kInertia[1], h[2] / kInertia[2]});
    std::copy(w.begin(), w.end(), u.begin());
  }
  void calc_momentum_rate(const State<double>&, std::span<double> pdot, std::span<double>) override {
    std::fill(pdot.begin(), pdot.end(), 0.0);
  }
  std::string name_of_q(int i) const override { return "base.q[" + std::to_string(i) + "]"; }
  std::string name_of_u(int i) const override { return "base.u[" + std::to_string(i) + "]"; }

  static State<double> start() { return {0.0, {1.0, 0.0, 0.0, 0.0}, {kStart[0], kStart[1], kStart[2]}}; }
  // w_FM_M(t): Landau and Lifshitz, Mechanics, section 37, for I1 < I2 < I3 and |h|^2 > 2 T I2.
  static Vector3 exact_body_velocity(double t) {
    const auto [i1, i2, i3] = kInertia;
    const double energy2 = i1 * kStart[0] * kStart[0] + i3 * kStart[2] * kStart[2];
    const double h2 = i1 * i1 * kStart[0] * kStart[0] + i3 * i3 * kStart[2] * kStart[2];
    const double low = energy2 * i3 - h2;
    const double high = h2 - energy2 * i1;
    const double k = std::sqrt((i2 - i1) * low / ((i3 - i2) * high));
    const JacobiElliptic e = calc_jacobi_elliptic(t * std::sqrt((i3 - i2) * high / (i1 * i2 * i3)), k);
    return {std::sqrt(low / (i1 * (i3 - i1))) * e.cn, std::sqrt(low / (i2 * (i3 - i2))) * e.sn,
            std::sqrt(high / (i3 * (i3 - i1))) * e.dn};
  }
  // Distance from the exact motion: the angular velocity in body axes, and the angular momentum, which
  // stays fixed in F and so tells the orientation.
  static double calc_error(const State<double>& state) {
    const Vector3 w = to_body(state.q, {state.u[0], state.u[1], state.u[2]});
    const Vector3 exact = exact_body_velocity(state.t);
    const Vector3 h = to_fixed(state.q, {kInertia[0] * w[0], kInertia[1] * w[1], kInertia[2] * w[2]});
    double error = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      error = std::max({error, std::abs(w[i] - exact[i]), std::abs(h[i] - kInertia[i] * kStart[i])});
    }
    return error;
  }

 private:
  static void multiply(const std::array<double, 4>& a, std::span<const double> b, std::span<double> out) {
    const std::array<double, 4> e = {b[0], b[1], b[2], b[3]};
    out[0] = a[0] * e[0] - a[1] * e[1] - a[2] * e[2] - a[3] * e[3];
    out[1] = a[0] * e[1] + a[1] * e[0] + a[2] * e[3] - a[3] * e[2];
    out[2] = a[0] * e[2] - a[1] * e[3] + a[2] * e[0] + a[3] * e[1];
    out[3] = a[0] * e[3] + a[1] * e[2] - a[2] * e[1] + a[3] * e[0];
  }
  // v + 2 e x (e0 v + e x v), with e reversed for the inverse
  static Vector3 turn(double e0, const Vector3& e, const Vector3& v) {
    Vector3 inner = cross(e, v);
    for (std::size_t i = 0; i < 3; ++i) inner[i] += e0 * v[i];
    const Vector3 outer = cross(e, inner);
    return {v[0] + 2.0 * outer[0], v[1] + 2.0 * outer[1], v[2] + 2.0 * outer[2]};
  }
  static Vector3 to_fixed(std::span<const double> q, const Vector3& v) {
    return turn(q[0], {q[1], q[2], q[3]}, v);
  }
  static Vector3 to_body(std::span<const double> q, const Vector3& v) {
    return turn(q[0], {-q[1], -q[2], -q[3]}, v);
  }
};

// The state at t_end after `steps` equal steps.
inline State<double> integrate(IntegrationRule& rule, EquationsOfMotion& equations,
                               const State<double>& initial, double t_end, int steps) {
  rule.start(equations, initial);
  for (int k = 1; k <= steps; ++k) {
    rule.try_step(initial.t + (t_end - initial.t) * k / steps);
    rule.accept();
  }
  return rule.state();
}

inline double calc_distance(const State<double>& a, const State<double>& b) {
  double distance = 0.0;
  for (std::size_t i = 0; i < a.q.size(); ++i) distance = std::max(distance, std::abs(a.q[i] - b.q[i]));
  for (std::size_t i = 0; i < a.u.size(); ++i) distance = std::max(distance, std::abs(a.u[i] - b.u[i]));
  return distance;
}

}  // namespace sestina::test
