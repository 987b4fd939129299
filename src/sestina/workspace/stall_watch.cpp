#include "sestina/workspace/stall_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/model/tape_inputs.h"

namespace sestina {
namespace {

std::string name_of_force(const Model& model, int expression) {
  for (const JointForcePlan& plan : model.plan().joint_forces) {
    if (plan.expression == expression) return model.forces()[plan.index].name;
  }
  for (const PointForcePlan& plan : model.plan().point_forces) {
    if (expression >= plan.expression && expression < plan.expression + 3)
      return model.forces()[plan.index].name;
  }
  return "";
}

}  // namespace

StallWatch::StallWatch(const Model& model, double duration)
    : model_(model),
      duration_(duration),
      inputs_(static_cast<std::size_t>(model.num_force_tape_inputs())),
      scratch_(static_cast<std::size_t>(model.force_tape_scratch_size())),
      before_(static_cast<std::size_t>(model.num_force_expressions())),
      now_(before_) {}

bool StallWatch::look(const State<double>& state, const Properties<double>& properties) {
  if (!hint_.empty()) return false;
  if (looked_at_ < 0) {
    if (steps_++ == 0) {
      t_start_ = state.t;
      interval_ = has_undamped_beam(properties) ? kStepsOfBeams : kSteps;
    }
    if (steps_ <= interval_) return false;
    advance_ = state.t - t_start_;
    steps_ = 0;
    if (advance_ < (interval_ == kSteps ? kLeast : kLeastOfBeams) * duration_) {
      looked_at_ = 0;
      calc_forces(state, properties, now_);
    }
    return false;
  }
  std::swap(before_, now_);
  calc_forces(state, properties, now_);
  look_for_jumps();
  if (++looked_at_ < kLookedAt) return false;
  hint_ = describe(state.t);
  return true;
}

bool StallWatch::has_undamped_beam(const Properties<double>& properties) const {
  return std::ranges::any_of(properties.forces.connectors.beams,
                             [](const BeamForce<double>& beam) { return beam.damping == 0.0; });
}

void StallWatch::calc_forces(const State<double>& state, const Properties<double>& properties,
                             std::vector<double>& values) {
  // For joints that close loops the state has the coordinates, but not the speeds.
  model_.calc_force_expressions<double>(
      properties, state, {std::span(state.h).first(static_cast<std::size_t>(model_.cut_nq())), {}}, inputs_,
      scratch_, values);
}

void StallWatch::look_for_jumps() {
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const double a = before_[i], b = now_[i];
    const bool is_jump = std::abs(b - a) > kJump * std::max(std::abs(a), std::abs(b));
    if (!is_jump || std::abs(b - a) <= std::abs(to_ - from_)) continue;
    jumping_ = static_cast<int>(i);
    from_ = a, to_ = b;
  }
}

std::string StallWatch::describe(double t) const {
  std::string text = fmt::format(
      "t = {} s: the steps are very short: the last {} advanced the time by {:.2g} s, so that the run would "
      "take {:.1g} steps",
      t, interval_, advance_, static_cast<double>(interval_) * duration_ / advance_);
  if (jumping_ < 0 && interval_ == kSteps) return text;
  if (jumping_ < 0) {
    return text +
           "; they follow vibrations of beams without damping: `damping` of the material, or larger "
           "analysis.step.rtol and atol, allow longer ones";
  }
  return text + fmt::format(
                    "; the force {} jumps between {:.6g} and {:.6g} there: let it change smoothly, or by an "
                    "event",
                    name_of_force(model_, jumping_), std::min(from_, to_), std::max(from_, to_));
}

}  // namespace sestina
