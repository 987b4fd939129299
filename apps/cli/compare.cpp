// sestina compare MODEL [--set PATH=VALUE]... [--states N] [--trajectory] [--threads N]
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "commands.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/io/model_file.h"
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

// Returns whether all agree.
bool compare_states(const std::shared_ptr<const Model>& model, int count) {
  const auto states = scatter_states(*model, count, 1.0, 1);
  const Comparison comparison = compare_formulations(model, calc_properties(*model), states);
  fmt::print("{}: {}; {} states (the initial one and {} around it)\n",
             model->name().empty() ? "model" : model->name(), size_in_words(*model), comparison.states,
             count);
  if (comparison.skipped > 0)
    fmt::print("{} states skipped: {}\n", comparison.skipped, comparison.formulations[0].failure);
  if (!std::isnan(comparison.condition))
    fmt::print("condition number of the mass matrix: up to {:.2g}\n", comparison.condition);
  fmt::print("\n{:<18} {:>12}   {:<26} {:<26} {:<10}\n", "", "residual of", "the same, relative",
             "udot differs from", "reactions");
  fmt::print("{:<18} {:>12}   {:<26} {:<26} {:<10}\n", "formulation", "inverse dyn.", "to its terms",
             comparison.formulations[0].name + ", relative", "differ");
  for (const FormulationComparison& f : comparison.formulations) {
    const bool is_reference = &f == &comparison.formulations[0];
    fmt::print("{:<18} {:>12.1e}   {:<26} {:<26} {:<10.1e}\n", f.name, f.residual,
               worst(f.relative_residual, f.worst_residual),
               is_reference ? "(reference)" : worst(f.udot_difference, f.worst_udot), f.reaction_difference);
    if (!f.failure.empty() && comparison.skipped == 0) fmt::print("{:<18} failed: {}\n", "", f.failure);
  }
  double disagreement = 0.0, residual = 0.0;
  for (const FormulationComparison& f : comparison.formulations) {
    disagreement = std::max(disagreement, f.udot_difference);
    residual = std::max(residual, f.relative_residual);
  }
  fmt::print("\nlargest disagreement: {:.1e}, largest residual: {:.1e}; {}\n", disagreement, residual,
             comparison.agrees() ? "all formulations agree" : "THE FORMULATIONS DISAGREE");
  return comparison.states > 0 && comparison.agrees();
}

ResultTable simulate(const System& system, const std::string& solver, const std::string& threads) {
  System changed = system;
  changed.analysis.solver = solver;
  Workspace workspace(changed);
  set_threads(workspace, threads);
  auto recorder = std::make_unique<MemoryRecorder>();
  const MemoryRecorder* rows = recorder.get();
  workspace.add_recorder(std::move(recorder));
  workspace.set_interrupt(&catch_interrupt());
  const RunReport report = workspace.run();
  if (report.status == RunStatus::kInterrupted) throw Interrupted{};
  if (report.status == RunStatus::kFailed) {
    throw std::runtime_error(fmt::format("the computation with {} failed: {}", solver, report.failure));
  }
  return rows->table();
}

// The columns of all coordinates and speeds, over time.
void compare_trajectories(const System& system, const Model& model, const std::string& threads) {
  const ResultTable reference = simulate(system, solver_names()[0], threads);
  const auto columns = static_cast<std::size_t>(1 + model.nq() + model.nu());
  fmt::print("\ntrajectories over {} s, {} rows\n", model.analysis().duration, reference.rows());
  for (std::size_t i = 1; i < solver_names().size(); ++i) {
    const ResultTable other = simulate(system, solver_names()[i], threads);
    double largest = 0.0;
    std::size_t worst_column = 1, worst_row = 0;
    for (std::size_t row = 0; row < reference.rows(); ++row) {
      for (std::size_t column = 1; column < columns; ++column) {
        const double difference = std::abs(other.at(row, column) - reference.at(row, column));
        if (difference > largest) largest = difference, worst_column = column, worst_row = row;
      }
    }
    if (largest == 0.0) {
      fmt::print("{} and {} give the same bits\n", solver_names()[i], solver_names()[0]);
    } else {
      fmt::print("{} differs from {} by at most {:.1e} {} ({} at t = {:.6g} s)\n", solver_names()[i],
                 solver_names()[0], largest, reference.header().columns[worst_column].unit,
                 reference.header().columns[worst_column].name, reference.at(worst_row, 0));
    }
  }
}

int compare(const CompareOptions& options) {
  const System system = options.model.read();
  const auto model = freeze(system);
  const bool agrees = compare_states(model, options.states);
  try {
    if (options.trajectory) compare_trajectories(system, *model, options.threads);
  } catch (const Interrupted&) {
    fmt::print(stderr, "sestina: interrupted\n");
    return kInterrupted;
  }
  return agrees ? kSuccess : kComputationFailed;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Hold all formulations of a model against each other");
  options->model.add_to(*command);
  command->add_option("--states", options->states, "Number of random states beside the initial one")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000).description(""))
      ->type_name("N");
  command->add_flag("--trajectory", options->trajectory, "Compare the trajectories over the duration, too");
  add_threads_option(*command, options->threads);
  command->callback([options, &status] { status = compare(*options); });
}

}  // namespace sestina::cli
