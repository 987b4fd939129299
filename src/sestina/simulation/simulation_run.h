// One run of a symbolic system: its equations and events for the run loop, and its report.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sestina/run/row_log.h"
#include "sestina/run/run_loop.h"
#include "sestina/simulation/symbolic_system.h"

namespace sestina::symbolic {

class SimulationRun final : private RunSystem, private RunEvents, private RunControl {
 public:
  // Throws InputError for errors in the description or the options.
  SimulationRun(const SymbolicSystem& system, const SimulationOptions& options);

  SimulationReport run(Recorder& recorder);
  std::vector<double> evaluate(const std::vector<Expression>& expressions, const State<double>& state);

 private:
  // The equations for the run loop.
  EquationsOfMotion& equations() override { return *equations_; }
  RunEvents* events() override { return this; }
  std::span<const double> observe(const State<double>& state, int event) override;
  void check_step(const State<double>& state) override { check_constraints(state, ""); }

  // The events.
  int size() const override { return static_cast<int>(system_.events_.size()); }
  std::vector<EventWatch> watches() const override { return watches_; }
  const std::string& name(int event) const override { return what(event).name; }
  bool is_terminal(int event) const override { return what(event).is_terminal; }
  void calc(const State<double>& state, std::span<double> values) override;
  double calc_one(const State<double>& state, int event) override;
  void calc_rates(const State<double>& state, std::span<double> rates) override;
  std::string explain(const State<double>& state, int event) override;
  void apply(int event, State<double>& state) override;

  bool goes_on(RunLoop& loop) override;

  const SymbolicEvent& what(int event) const { return system_.events_[static_cast<std::size_t>(event)]; }
  bool has_events() const { return !system_.events_.empty(); }
  void check_rule() const;
  void compile_events();
  CompiledExpressions compile(const std::vector<Expression>& expressions, const std::string& what) const;
  ResultHeader make_header() const;
  RowSchedule make_schedule() const;
  // Returns t, q, u, inputs, udot, multipliers.
  std::span<const double> all_values(const State<double>& state);
  void check_constraints(const State<double>& state, const std::string& context);
  void finish(const RunLoop& loop);

  const SymbolicSystem& system_;
  SimulationOptions options_;
  std::unique_ptr<SymbolicEquations> equations_;
  std::unique_ptr<IntegrationRule> rule_;
  std::unique_ptr<StepDriver> driver_;
  std::vector<EventWatch> watches_;
  std::vector<Expression> symbols_;  // of all_values()
  CompiledExpressions outputs_, event_values_, event_rates_;
  std::vector<CompiledExpressions> assignments_;          // by event
  std::vector<std::vector<std::string>> assigned_names_;  // by event
  std::vector<Column> columns_;
  std::vector<double> all_, row_;
  std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
  SimulationReport report_;
};

}  // namespace sestina::symbolic
