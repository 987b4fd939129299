// Kinematics: at each row, the motion that the conditions determine and the forces that it requires.
//
// Works are integrated between rows by Gauss quadrature with three points.
#include <array>
#include <cmath>

#include "sestina/dynamics/driven_motion.h"
#include "sestina/run/row_schedule.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/constraint_jumps.h"
#include "sestina/workspace/quadrature_rates.h"

namespace sestina {
namespace {

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
    static const double kOuter = 0.5 * std::sqrt(0.6);
    static const std::array<double, 3> kPoints{0.5 - kOuter, 0.5, 0.5 + kOuter};
    static constexpr std::array<double, 3> kWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    const double begin = state.t, h = t - begin;
    std::vector<double> rates(state.z.size()), z = state.z;
    if (!rates_.vanish()) {
      for (std::size_t g = 0; g < kPoints.size(); ++g) {
        motion_.advance(begin + kPoints[g] * h, state);
        dynamics_.take_motion(state, motion_.lambda());
        rates_.calc(state, rates);
        for (std::size_t i = 0; i < z.size(); ++i) z[i] += h * kWeights[g] * rates[i];
      }
    }
    motion_.advance(t, state);
    state.z = z;
    ++report_.steps.steps;
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
