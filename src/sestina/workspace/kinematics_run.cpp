// Kinematics: at each row, the motion that the conditions determine and the forces that it requires.
//
// Works are integrated between rows by the Gauss-Kronrod rule of seven points, on halves of the stretch, and
// halves of these, where the Gauss rule of three of them differs.
#include <array>
#include <cmath>

#include "sestina/dynamics/driven_motion.h"
#include "sestina/run/row_schedule.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/constraint_jumps.h"
#include "sestina/workspace/quadrature_rates.h"

namespace sestina {
namespace {

// Points of the Gauss-Kronrod rule on (0, 1) and their weights; the second, fourth and sixth are Gauss's.
// Source: Piessens and others, QUADPACK (1983).
constexpr std::array<double, 7> kPoints{0.019754365645989858, 0.1127016653792583, 0.28287812532659872, 0.5,
                                        0.71712187467340128,  0.8872983346207417, 0.98024563435401014};
constexpr std::array<double, 7> kWeights{0.052328113013233633, 0.13424404493416672, 0.20069870738798111,
                                         0.22545826932923707,  0.20069870738798111, 0.13424404493416672,
                                         0.052328113013233633};
constexpr std::array<double, 3> kGaussWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
constexpr double kDisagreement = 1e-9;  // of both rules, relative to the integral: the error is far smaller
constexpr int kMostHalvings = 8;

class KinematicsRun final : public AnalysisRun {
 public:
  explicit KinematicsRun(Workspace& workspace)
      : AnalysisRun(workspace),
        motion_(workspace.model(), workspace.properties()),
        dynamics_(workspace.shared_model(), workspace.properties(), "recursive"),
        rows_(0.0, analysis_.duration, analysis_.output_every),
        row_(workspace.model(), workspace.properties().parameters, settings_.reactions),
        rates_(dynamics_) {}

 private:
  void compute(State<double>& state) override {
    check_constraint_jumps(workspace_, state, true);
    motion_.start(state);
    record_row(state);
    for (long k = 1; state.t < analysis_.duration; ++k) {
      if (!goes_on(state.t, analysis_.duration)) break;
      advance(rows_.stop(k).t, state);
      record_row(state);
    }
    report_.energy_drift = energy_.drift;
    report_.kinetic_energy = energy_.kinetic;
  }

  void advance(double t, State<double>& state) {
    std::vector<double> z = state.z;
    if (!rates_.vanish()) integrate(t, state, z, kMostHalvings);
    motion_.advance(t, state);
    state.z = z;
    ++report_.steps.steps;
  }

  // Adds the integrals of the rates up to t to z. The state is left within the stretch, near its end.
  void integrate(double t, State<double>& state, std::vector<double>& z, int halvings) {
    const State<double> from = state;
    const double begin = state.t, h = t - begin;
    std::vector<double> rates(z.size()), sums(z.size()), coarse(z.size()), sizes(z.size());
    for (std::size_t g = 0; g < kPoints.size(); ++g) {
      motion_.advance(begin + kPoints[g] * h, state);
      dynamics_.take_motion(state, motion_.lambda());
      rates_.calc(state, rates);
      for (std::size_t i = 0; i < z.size(); ++i) {
        sums[i] += h * kWeights[g] * rates[i];
        sizes[i] += h * kWeights[g] * std::abs(rates[i]);
        if (g % 2 == 1) coarse[i] += h * kGaussWeights[g / 2] * rates[i];
      }
    }
    const auto is_inaccurate = [&](std::size_t i) {
      return std::abs(sums[i] - coarse[i]) > kDisagreement * (std::abs(z[i]) + sizes[i]);
    };
    bool is_accurate = true;
    for (std::size_t i = 0; i < z.size(); ++i) is_accurate = is_accurate && !is_inaccurate(i);
    if (is_accurate || halvings == 0) {
      for (std::size_t i = 0; i < z.size(); ++i) z[i] += sums[i];
      return;
    }
    state = from;
    integrate(begin + 0.5 * h, state, z, halvings - 1);
    motion_.advance(begin + 0.5 * h, state);
    integrate(t, state, z, halvings - 1);
  }

  void record_row(const State<double>& state) {
    record(row_.calc(state, dynamics_, motion_.udot(), motion_.lambda()));
    energy_.add(row_);
  }

  DrivenMotion motion_;
  ForwardDynamics dynamics_;
  RowSchedule rows_;
  ResultRow row_;
  QuadratureRates rates_;
  EnergyLog energy_;
};

}  // namespace

std::unique_ptr<AnalysisRun> make_kinematics_run(Workspace& workspace) {
  return std::make_unique<KinematicsRun>(workspace);
}

}  // namespace sestina
