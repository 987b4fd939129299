#include "sestina/workspace/step_trail.h"

#include <algorithm>

namespace sestina {
StepTrail::StepTrail(ExplicitRungeKutta& rule, std::size_t most)
    : rule_(rule), most_(std::max<std::size_t>(most, 2)) {}

// The last accepted step.
StepTrail::Step StepTrail::step_from(State<double> begin, const StepDriver& driver) const {
  const double t_begin = begin.t, t_end = driver.state().t;
  Step step{.begin = std::move(begin),
            .t_end = t_end,
            .first_time = driver.evaluation_time(t_begin),
            .last_time = driver.evaluation_time(t_end)};
  rule_.append_accelerations(step.udots);
  return step;
}

void StepTrail::see_step(const StepDriver& driver) {
  if (steps_++ % stride_ != 0) return;
  StepCheckpoint checkpoint = driver.checkpoint();
  kept_.push_back({.step = step_from(std::move(checkpoint.state), driver),
                   .rule_memory = std::move(checkpoint.rule_memory),
                   .control = checkpoint.control});
  if (kept_.size() <= most_) return;
  for (std::size_t i = 1; 2 * i < kept_.size(); ++i) kept_[i] = std::move(kept_[2 * i]);
  kept_.resize((kept_.size() + 1) / 2);
  stride_ *= 2;
}

void StepTrail::visit_back(StepDriver& driver, EquationsOfMotion& equations, double t_end,
                           const std::function<void(const Step&)>& visit) {
  std::vector<Step> repeated;
  for (; !kept_.empty(); kept_.pop_back()) {
    Kept& last = kept_.back();
    const long count = std::min(stride_, steps_ - stride_ * (static_cast<long>(kept_.size()) - 1));
    if (count > 1) {
      driver.resume(rule_, equations, {last.step.begin, last.rule_memory, last.control}, t_end);
      repeated.clear();
      for (long i = 0; i < count; ++i) {
        driver.step();
        repeated.push_back(step_from(driver.checkpoint().state, driver));
      }
      for (std::size_t i = repeated.size(); i-- > 0;) visit(repeated[i]);
    } else {
      visit(last.step);
    }
    steps_ -= count;
  }
  stride_ = 1;
}

}  // namespace sestina
