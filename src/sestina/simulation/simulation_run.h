// One run of a symbolic system: the parts that it is made of, and the report as it grows.
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sestina/integrate/event_locator.h"
#include "sestina/simulation/symbolic_system.h"

namespace sestina::symbolic {

class SimulationRun final : private EventFunctions {
 public:
  // InputError for what is wrong with the description or the options.
  SimulationRun(const SymbolicSystem& system, const SimulationOptions& options);

  SimulationReport run(Recorder& recorder);
  std::vector<double> evaluate(const std::vector<Expression>& expressions, const State<double>& state);

 private:
  // Of the events, for the locator.
  int size() const override { return static_cast<int>(system_.events_.size()); }
  void calc(const State<double>& state, std::span<double> values) override;
  double calc_one(const State<double>& state, int event) override;
  void calc_rates(const State<double>& state, std::span<double> rates) override;
  std::string explain(const State<double>& state, int event) override;

  void check_rule() const;
  void compile_events();
  CompiledExpressions compile(const std::vector<Expression>& expressions, const std::string& what) const;
  ResultHeader make_header() const;
  // t, q, u, inputs, udot, multipliers
  std::span<const double> all_values(const State<double>& state);
  bool goes_on();
  // The k-th instant to stop at: a row, or the end, which may be none.
  struct Stop {
    double t = 0.0;
    bool is_row = true;
  };
  Stop stop(long k) const;
  void step();
  void hold_inputs();
  // The first knot after t (s), or infinity.
  double knot_after(double t) const;
  // Goes on from another state at the same instant.
  void restart(const State<double>& state);
  void start(Recorder& recorder);
  void advance(Recorder& recorder);
  void take_place(Recorder& recorder);
  void count(std::size_t event);
  void apply(std::size_t event);
  void check_constraints(const State<double>& state, const std::string& context);
  void record(Recorder& recorder, const State<double>& state, bool is_regular, int event);

  const SymbolicSystem& system_;
  SimulationOptions options_;
  std::unique_ptr<SymbolicEquations> equations_;
  std::unique_ptr<IntegrationRule> rule_;
  std::unique_ptr<StepDriver> driver_;
  std::optional<EventLocator> locator_;
  std::vector<Expression> symbols_;  // of all_values
  CompiledExpressions outputs_, event_values_, event_rates_;
  std::vector<CompiledExpressions> assignments_;          // by event
  std::vector<std::vector<std::string>> assigned_names_;  // likewise
  std::vector<double> all_, row_, new_values_;
  std::span<const int> due_;
  State<double> state_;
  double last_recorded_ = std::numeric_limits<double>::quiet_NaN();  // s; none
  bool has_started_ = false, is_at_knot_ = false;
  std::vector<double> knots_;  // s, of the inputs: where steps of variable length end
  std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
  SimulationReport report_;
  // (events) s, where a window of time begins, and how often the event took place in it.
  std::vector<double> window_start_;
  std::vector<int> window_counts_;
};

}  // namespace sestina::symbolic
