// sestina compare MODEL [--set PATH=VALUE]... [--states N] [--trajectory] [--threads N]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "commands.h"
#include "printing.h"
#include "sestina/base/suggest.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/state_time_options.h"
#include "sestina/workspace/workspace.h"
#include "simulate.h"
#include "terminal.h"

namespace sestina::cli {
namespace {

struct CompareOptions {
  ModelOptions model;
  int states = 20;
  bool trajectory = false;
  std::string threads;
};

struct Interrupted {};

std::string worst(double value, const std::string& place) {
  return place.empty() ? fmt::format("{:.1e}", value) : fmt::format("{:.1e} at {}", value, place);
}

// "all formulations agree", or which of them disagree or failed.
std::string verdict(const Comparison& comparison) {
  if (comparison.states == 0) return "NOTHING IS COMPARED, since every formulation failed in every state";
  if (!comparison.agrees_where_computed()) return "THE FORMULATIONS DISAGREE";
  std::vector<std::string> failed;
  for (const FormulationComparison& f : comparison.formulations) {
    if (f.failures > comparison.skipped) failed.push_back(f.name);
  }
  if (failed.empty()) return "all formulations agree";
  return fmt::format("{} FAILED; where they could be computed, the formulations agree", join_words(failed));
}

// Returns whether all agree.
bool compare_states(const std::shared_ptr<const Model>& model, const std::shared_ptr<const Model>& cartesian,
                    int count) {
  const auto states = scatter_states(*model, count, 1.0, 1);
  const Comparison comparison = compare_formulations(model, calc_properties(*model), states, cartesian);
  print("{}: {}; {} states (the initial one and {} around it)\n",
        model->name().empty() ? "model" : model->name(), size_in_words(*model), comparison.states, count);
  if (comparison.skipped > 0)
    print("{} states skipped: {}\n", comparison.skipped, comparison.formulations[0].failure);
  if (!std::isnan(comparison.condition))
    print("condition number of the mass matrix: up to {:.2g}\n", comparison.condition);
  print("\n{:<18} {:>12}   {:<26} {:<26} {:<10}\n", "", "residual of", "the same, relative",
        "udot differs from", "reactions");
  print("{:<18} {:>12}   {:<26} {:<26} {:<10}\n", "formulation", "inverse dyn.", "to its terms",
        comparison.formulations[0].name + ", relative", "differ");
  for (const FormulationComparison& f : comparison.formulations) {
    if (!f.refusal.empty()) {
      print("{:<18} does not apply: {}\n", f.name, f.refusal);
      continue;
    }
    const bool is_reference = &f == &comparison.formulations[0];
    print("{:<18} {:>12.1e}   {:<26} {:<26} {:<10.1e}\n", f.name, f.residual,
          worst(f.relative_residual, f.worst_residual),
          is_reference ? "(reference)" : worst(f.udot_difference, f.worst_udot), f.reaction_difference);
    if (f.failures > comparison.skipped) {
      print("{:<18} failed in {} of the {} states: {}\n", "", f.failures - comparison.skipped,
            comparison.states, f.failure);
    }
  }
  double disagreement = 0.0, residual = 0.0;
  for (const FormulationComparison& f : comparison.formulations) {
    disagreement = std::max(disagreement, f.udot_difference);
    residual = std::max(residual, f.relative_residual);
  }
  print("\nlargest disagreement: {:.1e}, largest residual: {:.1e}; {}\n", disagreement, residual,
        verdict(comparison));
  return comparison.states > 0 && comparison.agrees();
}

constexpr const char* kStateTime = "state_time";
constexpr const char* kCartesian = "cartesian";

System with_coordinates(System system, const char* coordinates) {
  system.analysis.coordinates = coordinates;
  return system;
}

// The time-stepping run with the steps of the model, or with default steps if the model uses time elements.
System with_solver(System system, const std::string& solver) {
  system.analysis.coordinates = "relative";
  system.analysis.time_elements.reset();
  system.analysis.solver = solver;
  return system;
}

// The elements of the model, or enough of high order to agree with a run of that many time steps.
System with_elements(System system, long steps) {
  constexpr long kStepsOfElement = 2, kFewest = 16, kMost = 1024, kOfWindow = 8;
  AnalysisSpec& analysis = system.analysis;
  if (analysis.coordinates == kStateTime) return system;
  const long elements = std::clamp(steps / kStepsOfElement, kFewest, kMost);
  const long windows = (elements + kOfWindow - 1) / kOfWindow;
  analysis.coordinates = kStateTime;
  analysis.integrator = {};
  analysis.time_elements.emplace();
  analysis.time_elements->elements = static_cast<double>(elements);
  analysis.time_elements->pair = "P5P6";
  analysis.time_elements->windows = static_cast<double>(windows);
  return system;
}

struct Simulated {
  ResultTable table;
  RunReport report;
};

Simulated simulate(const System& system, const std::string& threads) {
  Workspace workspace(system);
  set_threads(workspace, threads);
  auto recorder = std::make_unique<MemoryRecorder>();
  const MemoryRecorder* rows = recorder.get();
  workspace.add_recorder(std::move(recorder));
  workspace.set_interrupt(&catch_interrupt());
  RunReport report = workspace.run();
  if (report.status == RunStatus::kInterrupted) throw Interrupted{};
  return {rows->table(), std::move(report)};
}

// The reference run, without which there is nothing to compare.
Simulated simulate_reference(const System& system, const std::string& threads) {
  const std::string& solver = solver_names()[0];
  Simulated run = simulate(with_solver(system, solver), threads);
  if (run.report.status == RunStatus::kFailed) {
    throw std::runtime_error(fmt::format("the computation with {} failed: {}", solver, run.report.failure));
  }
  return run;
}

// The compared data of a trajectory: the columns of all coordinates, speeds and variables over the rows at
// the output's times, and the events in their order (their times differ by rounding).
struct Trajectory {
  ResultTable table;
  std::vector<std::size_t> rows;    // at the output's instants
  std::vector<std::size_t> events;  // just after events

  Trajectory(ResultTable result, const FrozenSystem& of) : table(std::move(result)) {
    const Model& model = *of.model;
    const double every = of.analysis.output_every;
    const auto event_column = static_cast<std::size_t>(1 + model.nq() + model.nu() + model.nd() + model.nx());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const double t = table.at(row, 0);
      if (!model.events().empty() && table.at(row, event_column) != 0.0) {
        events.push_back(row);
      } else if (model.events().empty() || t == std::round(t / every) * every) {
        rows.push_back(row);
      }
    }
  }
};

// If an event coincides with an output instant up to rounding, the row there is before it or after it.
bool is_beside_event(const Trajectory& trajectory, double t, double duration) {
  return std::any_of(trajectory.events.begin(), trajectory.events.end(), [&](std::size_t row) {
    return std::abs(trajectory.table.at(row, 0) - t) <= 1e-9 * duration;
  });
}

void compare_events(const std::string& name, const Trajectory& other, const Trajectory& reference,
                    std::size_t event_column) {
  const std::size_t count = std::min(other.events.size(), reference.events.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t x = other.events[i], y = reference.events[i];
    if (other.table.at(x, event_column) != reference.table.at(y, event_column)) {
      print("{}: event {} of the run differs from that with {}, at t = {:.6g} s\n", name, i + 1,
            solver_names()[0], reference.table.at(y, 0));
      return;
    }
    largest = std::max(largest, std::abs(other.table.at(x, 0) - reference.table.at(y, 0)));
  }
  if (other.events.size() != reference.events.size()) {
    print("{}: {} events, not {} as with {}\n", name, other.events.size(), reference.events.size(),
          solver_names()[0]);
  } else if (count > 0) {
    print("{}: the same {} events, at most {:.1e} s apart\n", name, count, largest);
  }
}

void compare_rows(const std::string& name, const Trajectory& other, const Trajectory& reference,
                  const FrozenSystem& of) {
  const Model& model = *of.model;
  const auto columns = static_cast<std::size_t>(1 + model.nq() + model.nu() + model.nd() + model.nx());
  const double duration = of.analysis.duration;
  double largest = 0.0;
  std::size_t worst_column = 1, worst_row = 0;
  for (std::size_t i = 0; i < std::min(other.rows.size(), reference.rows.size()); ++i) {
    const std::size_t row = reference.rows[i];
    const double t = reference.table.at(row, 0);
    if (is_beside_event(reference, t, duration) || is_beside_event(other, t, duration)) continue;
    for (std::size_t column = 1; column < columns; ++column) {
      const double difference =
          std::abs(other.table.at(other.rows[i], column) - reference.table.at(row, column));
      if (difference > largest) largest = difference, worst_column = column, worst_row = row;
    }
  }
  if (largest == 0.0) {
    print("{} and {} give the same bits\n", name, solver_names()[0]);
  } else {
    const Column& worst = reference.table.header().columns[worst_column];
    print("{} differs from {} by at most {:.1e} {} ({} at t = {:.6g} s)\n", name, solver_names()[0], largest,
          worst.unit, worst.name, reference.table.at(worst_row, 0));
  }
}

// A model without state-time equations does not fail the comparison. Returns whether the run succeeded.
bool compare_state_time(const System& system, const FrozenSystem& of, const Trajectory& reference, long steps,
                        const std::string& threads) {
  try {
    const System by_elements = with_elements(system, steps);
    const Simulated run = simulate(by_elements, threads);
    if (run.report.status == RunStatus::kFailed) {
      print("{} failed: {}\n", kStateTime, run.report.failure);
      return false;
    }
    print("{}\n", elements_in_words(freeze_with_analysis(by_elements).analysis));
    compare_rows(kStateTime, Trajectory(run.table, of), reference, of);
  } catch (const InputError& error) {
    print("{} does not apply: {}\n", kStateTime, error.what());
  }
  return true;
}

// The columns of the trajectory in cartesian coordinates that correspond to those of `of`, in its order.
ResultTable in_order_of(const ResultTable& table, const ResultTable& reference) {
  ResultHeader header = reference.header();
  std::vector<std::size_t> places;
  for (const Column& column : header.columns) {
    const std::vector<Column>& own = table.header().columns;
    const auto found = std::ranges::find(own, column.name, &Column::name);
    places.push_back(static_cast<std::size_t>(found - own.begin()));
  }
  MemoryRecorder ordered;
  ordered.begin(header);
  std::vector<double> row(places.size());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = table.at(i, places[k]);
    ordered.record(row);
  }
  return ordered.table();
}

// Returns whether it was computed.
bool compare_cartesian(const System& system, const FrozenSystem& of, const Trajectory& reference,
                       const std::string& threads) {
  const System cartesian = with_coordinates(with_solver(system, solver_names()[0]), kCartesian);
  try {
    const Simulated run = simulate(cartesian, threads);
    if (run.report.status == RunStatus::kFailed) {
      print("{} failed: {}\n", kCartesian, run.report.failure);
      return false;
    }
    const Trajectory other(in_order_of(run.table, reference.table), of);
    compare_rows(kCartesian, other, reference, of);
    const auto event_column =
        static_cast<std::size_t>(1 + of.model->nq() + of.model->nu() + of.model->nd() + of.model->nx());
    if (!of.model->events().empty()) compare_events(kCartesian, other, reference, event_column);
  } catch (const InputError& error) {
    print("{} does not apply: {}\n", kCartesian, error.what());
  }
  return true;
}

// Returns why the solver does not accept the model, or nothing.
std::string explain_refusal(const FrozenSystem& of, const std::string& solver) {
  try {
    make_solver(solver, *of.model, calc_properties(*of.model));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

// Returns whether all runs were computed.
bool compare_trajectories(const System& system, const FrozenSystem& of, const std::string& threads) {
  const Model& model = *of.model;
  const Simulated march = simulate_reference(system, threads);
  const Trajectory reference(march.table, of);
  const auto event_column = static_cast<std::size_t>(1 + model.nq() + model.nu() + model.nd() + model.nx());
  print("\ntrajectories over {} s, {} rows", of.analysis.duration, reference.rows.size());
  if (!model.events().empty()) print(", {} events", reference.events.size());
  print("\n");
  bool are_computed = true;
  for (std::size_t i = 1; i < solver_names().size(); ++i) {
    const std::string& name = solver_names()[i];
    if (const std::string refusal = explain_refusal(of, name); !refusal.empty()) {
      print("{} does not apply: {}\n", name, refusal);
      continue;
    }
    const Simulated run = simulate(with_solver(system, name), threads);
    if (run.report.status == RunStatus::kFailed) {
      print("{} failed: {}\n", name, run.report.failure);
      are_computed = false;
      continue;
    }
    const Trajectory other(run.table, of);
    compare_rows(name, other, reference, of);
    if (!model.events().empty()) compare_events(name, other, reference, event_column);
  }
  are_computed &= compare_cartesian(system, of, reference, threads);
  return compare_state_time(system, of, reference, march.report.steps.steps, threads) && are_computed;
}

int compare(const CompareOptions& options) {
  const System described = options.model.read();
  const bool is_cartesian = described.analysis.coordinates == kCartesian;
  const System system = is_cartesian ? with_coordinates(described, "relative") : described;
  const FrozenSystem frozen = freeze_with_analysis(system);
  System cartesian = with_coordinates(system, kCartesian);
  cartesian.analysis.time_elements.reset();
  std::shared_ptr<const Model> in_cartesian;
  try {
    in_cartesian = freeze(cartesian);
  } catch (const InputError& error) {
    print("{} does not apply: {}\n", kCartesian, error.what());
  }
  bool succeeds = compare_states(frozen.model, in_cartesian, options.states);
  try {
    if (options.trajectory) succeeds &= compare_trajectories(system, frozen, options.threads);
  } catch (const Interrupted&) {
    print_error("sestina: interrupted\n");
    return kInterrupted;
  }
  return succeeds ? kSuccess : kComputationFailed;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Compare the results of all formulations of a model");
  options->model.add_to(*command);
  command->add_option("--states", options->states, "Number of random states in addition to the initial one")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000).description(""))
      ->type_name("N");
  command->add_flag("--trajectory", options->trajectory, "Also compare the trajectories over the duration");
  add_threads_option(*command, options->threads);
  command->callback([options, &status] { status = compare(*options); });
}

}  // namespace sestina::cli
