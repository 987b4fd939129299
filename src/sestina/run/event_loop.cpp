#include "sestina/run/event_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"

namespace sestina {

EventLoop::EventLoop(RunEvents* events, double duration, Row row)
    : events_(events), duration_(duration), row_(std::move(row)) {
  if (events_ == nullptr || events_->size() == 0) return;
  watches_ = events_->watches();
  locator_.emplace(*events_, watches_);
  for (auto* v : {&memory_.sides, &memory_.counts, &memory_.window_start, &memory_.window_counts})
    v->assign(watches_.size(), 0.0);
}

bool EventLoop::can_be_of_a_run(const EventMemory& memory) const {
  constexpr double kMostCounts = 1e15;
  const std::size_t n = watches_.size();
  const auto are_counts = [n](const std::vector<double>& v) {
    return v.size() == n && std::ranges::all_of(v, [](double count) { return is_count(count, kMostCounts); });
  };
  const auto is_side = [](double side) { return side == -1.0 || side == 0.0 || side == 1.0; };
  return memory.sides.size() == n && std::ranges::all_of(memory.sides, is_side) &&
         are_counts(memory.counts) && memory.window_start.size() == n &&
         first_not_finite(memory.window_start) < 0 && are_counts(memory.window_counts);
}

void EventLoop::start(StepDriver& driver) {
  ended_by_.reset();
  if (!has_events()) return;
  for (auto* v : {&memory_.counts, &memory_.window_start, &memory_.window_counts})
    v->assign(watches_.size(), 0.0);
  state_ = driver.state();
  due_ = locator_->start(driver);
}

void EventLoop::resume(const EventMemory& memory) {
  memory_ = memory;
  ended_by_.reset();
  due_ = {};
  if (!has_events()) return;
  std::vector<int> sides;
  for (const double side : memory.sides) sides.push_back(static_cast<int>(side));
  locator_->resume(sides);
}

EventMemory EventLoop::memory() const {
  EventMemory memory = memory_;
  if (!has_events()) return memory;
  const std::span<const int> sides = locator_->sides_before_step();
  memory.sides.assign(sides.begin(), sides.end());
  return memory;
}

const EventMemory& EventLoop::memory_after_step() {
  if (!has_events()) return memory_;
  const std::span<const int> sides = locator_->sides();
  memory_.sides.assign(sides.begin(), sides.end());
  return memory_;
}

void EventLoop::look(StepDriver& driver) {
  if (has_events()) due_ = locator_->look(driver);
}

void EventLoop::restart(const StepDriver& driver) {
  if (has_events()) due_ = locator_->restart(driver);
}

void EventLoop::take_place(StepDriver& driver) {
  row_(driver.state(), 0);
  state_ = driver.state();
  while (is_due() && !ended_by_) {
    for (const int event : due_) {
      count(event, state_.t);
      events_->apply(event, state_);
      row_(state_, event + 1);
      if (events_->is_terminal(event)) ended_by_ = event;
    }
    driver.restart(state_);
    due_ = locator_->restart(driver);
  }
  due_ = {};
}

void EventLoop::count(int event, double t) {
  const auto i = static_cast<std::size_t>(event);
  const double window = std::max(1e-9 * duration_, 2.0 * kMostInWindow * watches_[i].tolerance);
  if (memory_.window_counts[i] == 0.0 || t - memory_.window_start[i] > window) {
    memory_.window_start[i] = t;
    memory_.window_counts[i] = 0.0;
  }
  memory_.counts[i] += 1.0;
  memory_.window_counts[i] += 1.0;
  if (memory_.window_counts[i] <= kMostInWindow) return;
  throw ComputationError(
      t,
      fmt::format("event {} takes place over and over: {} times in {:.3g} s. Let another event bring to rest "
                  "what it watches, or give it a hysteresis",
                  events_->name(event), kMostInWindow + 1.0, t - memory_.window_start[i]));
}

}  // namespace sestina
