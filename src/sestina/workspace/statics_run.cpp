// Statics: equilibria under an increasing part of the load.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/equilibrium.h"
#include "sestina/workspace/analysis_run.h"

namespace sestina {
namespace {

constexpr double kSmallestPart = 1e-6;  // of the longest step along the path
constexpr int kEasy = 4;                // corrections after which the next step is longer
constexpr double kLongestArc = 0.2;     // rad, or relative to the mechanism's size
constexpr double kFreeArc = 1.0;        // along which the load leaves zero unless a joint is free to move
constexpr double kNoLoad = 1e-9;        // rounding of balances, in parts of the load
constexpr double kLongestPath = 1000.0;

class StaticsRun final : public AnalysisRun {
 public:
  explicit StaticsRun(Workspace& workspace)
      : AnalysisRun(workspace),
        equilibrium_(workspace.model(), workspace.properties()),
        dynamics_(workspace.shared_model(), workspace.properties(), "recursive"),
        row_(workspace.model(), workspace.properties().parameters, settings_.reactions),
        rest_(static_cast<std::size_t>(workspace.model().nu())) {
    watch(equilibrium_, &load_);
  }

 private:
  void compute(State<double>& state) override {
    if (analysis_.arc_length) {
      follow_path(state);
    } else {
      step_load(state);
    }
    if (!equilibrium_.is_stable()) {
      report_.remarks.emplace_back(
          "the state of rest is not stable: a small deviation from it grows; start from other coordinates "
          "to find another");
    }
  }

  void step_load(State<double>& state) {
    for (int k = 1; k <= analysis_.load_steps; ++k) {
      const double next = static_cast<double>(k) / analysis_.load_steps;
      load_to(next, load_, state);
      load_ = next;
      record_row(load_, state);
    }
  }

  void load_to(double load, double from, State<double>& state) {
    State<double> found = state;
    Equilibrium::Search search = equilibrium_.find_in_parts(from, load, found);
    if (!search.is_found && search.reached == 0.0) {
      const std::string failure = search.describe();
      found = state;
      if (!bend_in_parts(found)) throw ComputationError(0.0, failure);
      search = equilibrium_.find_in_parts(0.0, load, found);
    }
    state = found;
    if (!search.is_found) throw ComputationError(0.0, search.describe());
  }

  // The start has all loops closed, beams bent at once as far as that takes. If there is no way from it to
  // equilibrium, they are bent bit by bit from their unstressed shape.
  bool bend_in_parts(State<double>& state) {
    const Model& model = workspace_.model();
    if (model.beams().empty() || !model.is_constrained()) return false;
    State<double> bent = calc_placed_state(model, workspace_.properties());
    bent.h = state.h, bent.z = state.z;
    if (!equilibrium_.close_in_parts(0.0, bent)) return false;
    state = bent;
    return true;
  }

  void follow_path(State<double>& state) {
    State<double> start = state;
    if (equilibrium_.find(0.0, start)) {
      state = start;
    } else if (const std::string left = equilibrium_.describe_rest(); !bend_in_parts(state)) {
      throw ComputationError(0.0, "no state of rest was found without load: " + left);
    }
    Equilibrium::PathPoint point;
    double arc = std::min(kLongestArc, 1.0 / analysis_.load_steps);
    const double longest = arc;
    while (point.load < 1.0) {
      load_ = point.load;
      if (!equilibrium_.follow(arc, point, state)) {
        arc *= 0.5;
        if (arc < kSmallestPart * longest) {
          throw ComputationError(0.0,
                                 fmt::format("the path of equilibria cannot be followed beyond {:.6g} of "
                                             "the load: {}",
                                             point.load, equilibrium_.describe_rest()));
        }
        continue;
      }
      check_path(arc, point);
      if (equilibrium_.iterations() <= kEasy) arc = std::min(longest, 2.0 * arc);
      if (point.load >= 1.0) {
        load_to(1.0, 0.0, state);
        point.load = 1.0;
      }
      record_row(point.load, state);
    }
  }

  // Paths that never reach the whole load end here.
  void check_path(double arc, const Equilibrium::PathPoint& point) {
    travelled_ += arc;
    highest_ = std::max(highest_, point.load);
    has_load_ = has_load_ || std::abs(point.load) > kNoLoad;
    if (point.direction.size() == 0) return;
    Eigen::Index moved = 0;
    point.direction.head(point.direction.size() - 1).cwiseAbs().maxCoeff(&moved);
    const Model& model = workspace_.model();
    const std::string& joint = model.bodies()[model.body_of_speed(static_cast<int>(moved))].joint_name;
    if (travelled_ >= kFreeArc && !has_load_) {
      throw ComputationError(0.0, fmt::format("{} is free to move without load, so that arc_length finds no "
                                              "path to the load: give it a stiffness, or take arc_length: "
                                              "false",
                                              joint));
    }
    if (travelled_ > kLongestPath) {
      throw ComputationError(0.0,
                             fmt::format("the path of equilibria does not reach the whole load: along an "
                                         "arc of {:.0f} the highest load is {:.6g}; {} moves most",
                                         travelled_, highest_, joint));
    }
  }

  void record_row(double load, const State<double>& state) {
    dynamics_.set_load(load);
    State<double> checked = state;
    dynamics_.update_history(checked);  // a point is still on its curve or beam
    const Eigen::VectorXd& lambda = equilibrium_.lambda();
    const std::span<const double> row =
        row_.calc(state, dynamics_, rest_, std::span(lambda.data(), static_cast<std::size_t>(lambda.size())));
    values_.assign(row.begin(), row.end());
    values_.push_back(load);
    record(values_);
    ++report_.steps.steps;
  }

  Equilibrium equilibrium_;
  ForwardDynamics dynamics_;
  ResultRow row_;
  std::vector<double> rest_, values_;
  double load_ = 0.0;                       // of the last row
  double travelled_ = 0.0, highest_ = 0.0;  // along the path: its length so far, and the highest load
  bool has_load_ = false;                   // has left load zero
};

}  // namespace

std::unique_ptr<AnalysisRun> make_statics_run(Workspace& workspace) {
  return std::make_unique<StaticsRun>(workspace);
}

}  // namespace sestina
