// The planar double pendulum of Anderson and Oghbaei by the state-time formulation: errors for 1 to 64
// elements and every pair, against the closed equations of motion.
//
//   bench_state_time [SECONDS] > table.md
//
// Columns: the L2 norm over the run of the difference of all curves of a kind: positions of both mass
// centres, all direction cosines, velocities of the mass centres, the four components of the joint forces, as
// multipliers and recovered from the motion; the square root of the sum of the squares of positions,
// direction cosines and recovered forces (what the paper's total has, but for the quasi-coordinates), the
// largest error of a coordinate or speed at the ends of elements, iterations of Newton's method, and seconds.
// The reference is the classical Runge-Kutta rule in long double with steps of 1/8192 s, error about 1e-16.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/analysis.h"
#include "sestina/model/freeze.h"
#include "sestina/state_time/state_time_solver.h"
#include "state_time/state_time_systems.h"

namespace sestina {
namespace {

constexpr int kSamples = 4096;  // a second
// The parameters of double_pendulum() (kg, m, m/s^2).
constexpr double kMass[] = {1.0, 0.5}, kLength[] = {0.8, 1.0}, kGravity = 2.0;

using Angles = std::array<long double, 4>;  // a1, a2 from the downward vertical, and their rates

// Lagrange's equations of two rods.
Angles rate(const Angles& y) {
  const long double m1 = kMass[0], m2 = kMass[1], l1 = kLength[0], l2 = kLength[1], g = kGravity;
  const long double J1 = m1 * l1 * l1 / 3 + m2 * l1 * l1, J2 = m2 * l2 * l2 / 3, c = m2 * l1 * l2 / 2;
  const long double C = c * std::cos(y[0] - y[1]), S = c * std::sin(y[0] - y[1]);
  const long double b1 = -S * y[3] * y[3] - (m1 / 2 + m2) * g * l1 * std::sin(y[0]);
  const long double b2 = S * y[2] * y[2] - m2 * g * l2 / 2 * std::sin(y[1]);
  const long double D = J1 * J2 - C * C;
  return {y[2], y[3], (J2 * b1 - C * b2) / D, (J1 * b2 - C * b1) / D};
}

// States at i / (2 kSamples).
std::vector<Angles> integrate_reference(int seconds) {
  const long double dt = 0.5L / kSamples;
  std::vector<Angles> states{{1.0L, 1.2L, 1.0L, -1.0L}};
  const auto moved = [](const Angles& y, const Angles& d, long double factor) {
    Angles z;
    for (std::size_t i = 0; i < 4; ++i) z[i] = y[i] + factor * d[i];
    return z;
  };
  for (int i = 0; i < 2 * kSamples * seconds; ++i) {
    const Angles y = states.back();
    const Angles k1 = rate(y), k2 = rate(moved(y, k1, dt / 2)), k3 = rate(moved(y, k2, dt / 2)),
                 k4 = rate(moved(y, k3, dt));
    Angles next = y;
    for (std::size_t j = 0; j < 4; ++j) next[j] += dt / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    states.push_back(next);
  }
  return states;
}

// The compared quantities: x, y, C, v of both rods, forces of both joints.
struct Curves {
  std::array<double, 4> position{}, velocity{}, force{};
  std::array<double, 8> cosines{};  // the four in the plane; the others are constant
};

Curves exact_curves(const Angles& y) {
  const Angles rates = rate(y);
  Curves c;
  double ax[2], ay[2], tip[6] = {};  // x, y, vx, vy, ax, ay of the rod's upper end
  for (std::size_t i = 0; i < 2; ++i) {
    const double s = static_cast<double>(std::sin(y[i])), k = static_cast<double>(std::cos(y[i]));
    const double w = static_cast<double>(y[2 + i]), e = static_cast<double>(rates[2 + i]);
    const double arm[6] = {s, -k, k * w, s * w, k * e - s * w * w, s * e + k * w * w};
    double middle[6];
    for (int j = 0; j < 6; ++j) middle[j] = tip[j] + kLength[i] / 2 * arm[j], tip[j] += kLength[i] * arm[j];
    c.position[2 * i] = middle[0], c.position[2 * i + 1] = middle[1];
    c.velocity[2 * i] = middle[2], c.velocity[2 * i + 1] = middle[3];
    ax[i] = middle[4], ay[i] = middle[5];
    c.cosines[4 * i] = k, c.cosines[4 * i + 1] = s, c.cosines[4 * i + 2] = -s, c.cosines[4 * i + 3] = k;
  }
  c.force[2] = kMass[1] * ax[1], c.force[3] = kMass[1] * (ay[1] + kGravity);
  c.force[0] = kMass[0] * ax[0] + c.force[2], c.force[1] = kMass[0] * (ay[0] + kGravity) + c.force[3];
  return c;
}

template <std::size_t n>
double square_of_difference(const std::array<double, n>& a, const std::array<double, n>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

struct Errors {
  double position = 0, cosines = 0, velocity = 0, multipliers = 0, recovered = 0, total = 0, ends = 0;
  long iterations = 0;
  double seconds = 0;
};

class Study {
 public:
  explicit Study(int seconds)
      : seconds_(seconds),
        model_(freeze(test::double_pendulum())),
        reference_(integrate_reference(seconds)) {}

  Errors measure(const StateTimeOptions& options) const {
    const auto begin = std::chrono::steady_clock::now();
    StateTimeSolver solver(model_, calc_properties(*model_), options, nullptr);
    solver.start(calc_initial_state(*model_), seconds_);
    while (!solver.is_complete()) solver.solve_window();
    Errors errors;
    errors.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    errors.iterations = solver.statistics().iterations;
    add_curves(solver, errors);
    for (int e = 1; e <= options.elements; ++e) {
      State<double> state;
      const double t = solver.elements()[static_cast<std::size_t>(e - 1)].end();
      solver.calc_state(t, state);
      const auto sample = static_cast<std::size_t>(std::lround(2 * kSamples * t));
      const Angles& y = reference_[sample];
      const double exact[] = {static_cast<double>(y[0]), static_cast<double>(y[1] - y[0]),
                              static_cast<double>(y[2]), static_cast<double>(y[3] - y[2])};
      for (std::size_t i = 0; i < 2; ++i) {
        errors.ends =
            std::max({errors.ends, std::abs(state.q[i] - exact[i]), std::abs(state.u[i] - exact[2 + i])});
      }
    }
    return errors;
  }

 private:
  void add_curves(StateTimeSolver& solver, Errors& errors) const {
    ForwardDynamics dynamics(model_, calc_properties(*model_), "recursive");
    std::vector<BodyInstant> bodies(2);
    std::vector<SpatialForce<double>> reactions(3);
    std::vector<double> udot(2);
    State<double> state;
    for (int i = 0; i < kSamples * seconds_; ++i) {
      const auto sample = static_cast<std::size_t>(2 * i + 1);
      const double t = static_cast<double>(sample) / (2 * kSamples);
      const Curves exact = exact_curves(reference_[sample]);
      Curves computed;
      solver.calc_bodies(t, bodies);
      for (std::size_t b = 0; b < 2; ++b) {
        const BodyInstant& body = bodies[b];
        computed.position[2 * b] = body.x.x, computed.position[2 * b + 1] = body.x.y;
        computed.velocity[2 * b] = body.v.x, computed.velocity[2 * b + 1] = body.v.y;
        computed.cosines[4 * b] = body.C.xx, computed.cosines[4 * b + 1] = body.C.yx;
        computed.cosines[4 * b + 2] = body.C.xy, computed.cosines[4 * b + 3] = body.C.yy;
      }
      const auto put_forces = [&] {
        for (std::size_t b = 0; b < 2; ++b) {
          computed.force[2 * b] = reactions[b + 1].force.x,
                             computed.force[2 * b + 1] = reactions[b + 1].force.y;
        }
        return square_of_difference(computed.force, exact.force);
      };
      solver.calc_multiplier_reactions(t, reactions);
      errors.multipliers += put_forces();
      solver.calc_state(t, state);
      dynamics.calc_udot(state, udot);
      dynamics.calc_reactions(udot, reactions);
      errors.recovered += put_forces();
      errors.position += square_of_difference(computed.position, exact.position);
      errors.velocity += square_of_difference(computed.velocity, exact.velocity);
      errors.cosines += square_of_difference(computed.cosines, exact.cosines);
    }
    errors.total = errors.position + errors.cosines + errors.recovered;
    for (double* sum : {&errors.position, &errors.cosines, &errors.velocity, &errors.multipliers,
                        &errors.recovered, &errors.total}) {
      *sum = std::sqrt(*sum / kSamples);
    }
  }

  int seconds_;
  std::shared_ptr<const Model> model_;
  std::vector<Angles> reference_;
};

int run(int seconds) {
  const Study study(seconds);
  for (const TestFunctions tests : {TestFunctions::kNatural, TestFunctions::kUpwind}) {
    for (const std::string& pair : element_pair_names()) {
      fmt::print("\n{}, {}\n\n", pair, test_function_names()[tests == TestFunctions::kUpwind]);
      fmt::print(
          "| n_e | positions | cosines | velocities | multipliers | recovered | total | ends | iterations | "
          "s |\n");
      fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
      for (int elements = 1; elements <= 64; elements *= 2) {
        const Errors e = study.measure({.elements = elements * seconds, .pair = pair, .tests = tests});
        fmt::print("| {} | {:.2e} | {:.2e} | {:.2e} | {:.2e} | {:.2e} | {:.2e} | {:.2e} | {} | {:.3f} |\n",
                   elements, e.position, e.cosines, e.velocity, e.multipliers, e.recovered, e.total, e.ends,
                   e.iterations, e.seconds);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace sestina

int main(int argc, char** argv) { return sestina::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 1); }
