// One element whose unknowns are near those of the initial state, everything moved at random.
#pragma once

#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/state_time/closing_conditions.h"
#include "sestina/state_time/element_equations.h"
#include "state_time/state_time_systems.h"

namespace sestina::test {

class MovedElement {
 public:
  static constexpr double kLength = 0.1;  // s

  MovedElement(const System& system, std::uint64_t seed, TestFunctions tests, const char* pair = "QC")
      : model_(freeze(system)),
        properties_(calc_properties(*model_)),
        closing_(choose(*model_, properties_)),
        equations_(*model_, properties_, make_element_pair(pair, tests), closing_),
        random_(seed) {
    const ElementLayout& layout = equations_.layout();
    start_.resize(static_cast<std::size_t>(layout.start_size()));
    y_.resize(static_cast<std::size_t>(layout.size()));
    const State<double> state = calc_assembled_state(*model_, properties_);
    ForwardDynamics dynamics(model_, properties_, "recursive");
    dynamics.update(state);
    for (int b = 0; b < layout.bodies; ++b) {
      const auto& motion = dynamics.kinematics().motion[static_cast<std::size_t>(b + 1)];
      const Vec3<double> c = motion.X_WB.R * properties_.bodies[BodyIndex(b + 1)].M.c;
      const Vec3<double> numbers[] = {motion.V_WB.v + cross(motion.V_WB.w, c),
                                      transpose_times(motion.X_WB.R, motion.V_WB.w),
                                      motion.X_WB.R.column(0),
                                      motion.X_WB.R.column(1),
                                      motion.X_WB.R.column(2),
                                      motion.X_WB.p + c};
      for (int i = 0; i < 18; ++i) {
        const double number = numbers[i / 3][i % 3];
        start_[static_cast<std::size_t>(18 * b + i)] = number + random_.uniform(-0.01, 0.01);
        for (int g = 0; g < layout.degree && i < 15; ++g) {
          y_[static_cast<std::size_t>(layout.point(g, b) + i)] = number + random_.uniform(-0.01, 0.01);
        }
        y_[static_cast<std::size_t>(layout.end(b) + i)] = number + random_.uniform(-0.01, 0.01);
      }
    }
    for (int g = 0; g < layout.degree; ++g) {
      q_.insert(q_.end(), state.q.begin(), state.q.end());
      for (int i = 0; i < layout.multipliers; ++i) {
        y_[static_cast<std::size_t>(layout.point_multiplier(g) + i)] = random_.signed_unit();
      }
    }
    for (int i = 0; i < layout.multipliers; ++i) {
      y_[static_cast<std::size_t>(layout.end_multiplier() + i)] = random_.signed_unit();
    }
  }

  const ElementEquations& equations() const { return equations_; }
  const std::shared_ptr<const Model>& model() const { return model_; }
  const Properties<double>& properties() const { return properties_; }

  // Row by column: by y, then by the start.
  std::vector<std::vector<double>> tangent() {
    std::vector<TangentEntry> entries;
    residual(&entries);
    std::vector<std::vector<double>> dense(y_.size(), std::vector<double>(y_.size() + start_.size()));
    for (const TangentEntry& entry : entries) {
      dense[static_cast<std::size_t>(entry.row)][static_cast<std::size_t>(entry.column)] += entry.value;
    }
    return dense;
  }
  std::vector<double> residual(std::vector<TangentEntry>* tangent = nullptr) {
    std::vector<double> r(y_.size());
    std::vector<double> q = q_;
    equations_.calc_residual(0.2, kLength, start_, y_, q, r, tangent);
    return r;
  }
  std::vector<double> difference(std::size_t column) {
    double& moved = column < y_.size() ? y_[column] : start_[column - y_.size()];
    const double value = moved, step = 1e-5;
    moved = value + step;
    std::vector<double> above = residual();
    moved = value - step;
    const std::vector<double> below = residual();
    moved = value;
    for (std::size_t i = 0; i < above.size(); ++i) above[i] = (above[i] - below[i]) / (2.0 * step);
    return above;
  }

 private:
  static ClosingChoice choose(const Model& model, const Properties<double>& properties) {
    ClosingConditions closing(model, properties);
    closing.choose(calc_assembled_state(model, properties));
    return closing.chosen();
  }

  std::shared_ptr<const Model> model_;
  Properties<double> properties_;
  ClosingChoice closing_;
  ElementEquations equations_;
  testing_support::SplitMix random_;
  std::vector<double> start_, y_, q_;
};

}  // namespace sestina::test
