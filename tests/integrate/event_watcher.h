// Functions of a state that are watched for zeros, and runs that report them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sestina/integrate/event_locator.h"
#include "sestina/integrate/step_options.h"

namespace sestina::test {

struct Watched {
  std::function<double(const State<double>&)> value, rate;
  EventWatch watch = {};
};

// A function of the time alone.
inline Watched of_time(std::function<double(double)> g, std::function<double(double)> rate,
                       CrossingDirection direction = CrossingDirection::kBoth, double tolerance = 0.0) {
  return {[g = std::move(g)](const State<double>& s) { return g(s.t); },
          [rate = std::move(rate)](const State<double>& s) { return rate(s.t); },
          {direction, tolerance}};
}

// The coordinate i minus a height.
inline Watched of_height(double height, CrossingDirection direction = CrossingDirection::kFalling,
                         std::size_t i = 0) {
  return {[=](const State<double>& s) { return s.q[i] - height; },
          [=](const State<double>& s) { return s.u[i]; },
          {direction, 0.0}};
}

class WatchedFunctions final : public EventFunctions {
 public:
  explicit WatchedFunctions(std::vector<Watched> functions) : functions_(std::move(functions)) {}
  int size() const override { return static_cast<int>(functions_.size()); }
  void calc(const State<double>& state, std::span<double> values) override {
    ++calls_of_all_;
    for (std::size_t i = 0; i < functions_.size(); ++i) values[i] = functions_[i].value(state);
  }
  double calc_one(const State<double>& state, int event) override {
    ++calls_of_one_;
    return functions_[static_cast<std::size_t>(event)].value(state);
  }
  void calc_rates(const State<double>& state, std::span<double> rates) override {
    for (std::size_t i = 0; i < functions_.size(); ++i) rates[i] = functions_[i].rate(state);
  }
  std::string explain(const State<double>&, int event) override {
    return "function " + std::to_string(event) + " is not finite";
  }
  long calls_of_all() const { return calls_of_all_; }
  long calls_of_one() const { return calls_of_one_; }
  std::vector<EventWatch> watches() const {
    std::vector<EventWatch> watches;
    for (const Watched& function : functions_) watches.push_back(function.watch);
    return watches;
  }

 private:
  std::vector<Watched> functions_;
  long calls_of_all_ = 0, calls_of_one_ = 0;
};

struct Occurrence {
  int event = -1;
  double t = 0.0;
  std::vector<double> q = {}, u = {};  // just before
};

// From the start to t_end. `act` may change the state at an event; when it returns false, the run ends.
class EventRun {
 public:
  using Act = std::function<bool(int event, State<double>& state)>;

  EventRun(IntegrationRule& rule, const StepOptions& options, EquationsOfMotion& equations,
           std::vector<Watched> watched)
      : rule_(rule),
        equations_(equations),
        functions_(std::move(watched)),
        locator_(functions_, functions_.watches()),
        driver_(make_step_driver(options)) {}

  const std::vector<Occurrence>& run(const State<double>& initial, double t_end, const Act& act = {}) {
    driver_->start(rule_, equations_, initial, t_end);
    bool goes_on = handle(locator_.start(*driver_), act);
    while (goes_on && !driver_->done()) {
      driver_->step();
      goes_on = handle(locator_.look(*driver_), act);
    }
    return found_;
  }
  const std::vector<Occurrence>& found() const { return found_; }
  StepDriver& driver() { return *driver_; }
  EventLocator& locator() { return locator_; }
  const WatchedFunctions& functions() const { return functions_; }

 private:
  bool handle(std::span<const int> due, const Act& act) {
    bool goes_on = true;
    while (!due.empty() && goes_on) {
      State<double> state = driver_->state();
      for (const int event : due) {
        found_.push_back({event, state.t, driver_->state().q, driver_->state().u});
        if (act) goes_on = act(event, state) && goes_on;
      }
      driver_->restart(state);
      due = locator_.restart(*driver_);
    }
    return goes_on;
  }

  IntegrationRule& rule_;
  EquationsOfMotion& equations_;
  WatchedFunctions functions_;
  EventLocator locator_;
  std::unique_ptr<StepDriver> driver_;
  std::vector<Occurrence> found_;
};

}  // namespace sestina::test
