// Modes: small oscillations about an equilibrium, or about the initial state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/dynamics/equilibrium.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/linearized_motion.h"
#include "sestina/workspace/analysis_run.h"

namespace sestina {
namespace {

constexpr double kNegligibleForce = 1e-9;  // relative to the terms of the equations of motion

class ModesRun final : public AnalysisRun {
 public:
  using AnalysisRun::AnalysisRun;

 private:
  void compute(State<double>& state) override {
    const Model& model = workspace_.model();
    const std::vector<VibrationMode> modes =
        analysis_.about == "equilibrium" ? about_rest(state) : about(state);
    std::vector<double> row;
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (!goes_on(0.0, 1.0)) return;
      const std::complex<double>& value = modes[i].eigenvalue;
      const double size = std::abs(value);
      row = {static_cast<double>(i + 1), value.real(), value.imag(),
             std::abs(value.imag()) / (2.0 * std::numbers::pi),
             value.real() == 0.0 ? 0.0 : -value.real() / size};
      for (int k = 0; k < model.nu(); ++k) {
        row.push_back(modes[i].shape[k].real());
        row.push_back(modes[i].shape[k].imag());
      }
      for (const std::complex<double>& x : modes[i].states) {
        row.push_back(x.real());
        row.push_back(x.imag());
      }
      record(row);
    }
  }

  std::vector<VibrationMode> about_rest(State<double>& state) {
    Equilibrium equilibrium(workspace_.model(), workspace_.properties());
    watch(equilibrium);
    if (const Equilibrium::Search search = equilibrium.find_in_parts(0.0, 1.0, state); !search.is_found) {
      throw ComputationError(0.0, search.describe() + "; `about: initial` takes the initial state as it is");
    }
    const std::vector<double> rest(state.u.size());
    MotionTangents tangents(workspace_.model(), workspace_.properties());
    tangents.update_tangents(state, rest, equilibrium.lambda(), true);
    return calc_modes(workspace_.model(), tangents, state);
  }

  std::vector<VibrationMode> about(const State<double>& state) {
    ForwardDynamics dynamics(workspace_.shared_model(), workspace_.properties(), "recursive");
    std::vector<double> udot(state.u.size());
    dynamics.calc_udot(state, udot);
    Eigen::VectorXd lambda(workspace_.model().constraint_rows());
    if (const ConstrainedDynamics* constrained = dynamics.constrained()) {
      std::ranges::copy(constrained->lambda(), lambda.begin());
    }
    MotionTangents tangents(workspace_.model(), workspace_.properties());
    tangents.update_tangents(state, udot, lambda, true);
    const bool is_steady =
        std::ranges::all_of(udot, [&](double a) { return a == 0.0; }) ||
        (tangents.M * Eigen::Map<const Eigen::VectorXd>(udot.data(), tangents.nu())).cwiseAbs().maxCoeff() <=
            kNegligibleForce * tangents.scale.maxCoeff();
    if (!is_steady) {
      report_.remarks.emplace_back("the initial state is accelerated: the modes hold for the instant only");
    } else if (!keeps_state_matrix(workspace_.model(), workspace_.properties(), state, udot, lambda)) {
      report_.remarks.emplace_back(
          "the motion turns a body without symmetry about its axis, so that the coefficients of small "
          "motions "
          "change with time: the modes hold for the instant only, and do not show whether the motion is "
          "stable");
    }
    return calc_modes(workspace_.model(), tangents, state);
  }
};

}  // namespace

std::unique_ptr<AnalysisRun> make_modes_run(Workspace& workspace) {
  return std::make_unique<ModesRun>(workspace);
}

}  // namespace sestina
