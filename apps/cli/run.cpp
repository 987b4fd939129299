// sestina run MODEL [--set PATH=VALUE]... [--out FILE.{csv,h5}] [--reactions] [--quiet]
#include <fmt/format.h>

#include <memory>

#include "commands.h"
#include "sestina/base/error.h"
#include "terminal.h"

namespace sestina::cli {
namespace {

struct RunOptions {
  ModelOptions model;
  std::string out;
  bool reactions = false;
  bool quiet = false;
};

// Up to six significant digits, as a person would write them.
std::string short_number(double x) { return fmt::format("{:.6g}", x); }

void print_final_state(const Model& model, const State<double>& state) {
  constexpr int kMost = 12;
  const auto print = [&](const std::vector<std::string>& names, const std::vector<std::string>& units,
                         const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      fmt::print("  {:<20} {:>14} {}\n", names[i], short_number(values[i]), units[i] == "1" ? "" : units[i]);
    }
  };
  if (model.nq() + model.nu() > kMost) return;
  fmt::print("final state\n");
  print(model.q_names(), model.q_units(), state.q);
  print(model.u_names(), model.u_units(), state.u);
}

void print_report(const Model& model, const RunReport& report, const std::string& out) {
  const Analysis& analysis = model.analysis();
  fmt::print("{}: {}; {}, {}, {} step\n", model.name().empty() ? "model" : model.name(), size_in_words(model),
             analysis.solver, analysis.integrator, analysis.driver);
  if (report.status == RunStatus::kComplete) print_final_state(model, report.final_state);
  fmt::print("simulated      {} s of {} s in {} s of wall time (real-time factor {})\n",
             short_number(report.t), short_number(analysis.duration), short_number(report.wall_seconds),
             short_number(report.real_time_factor()));
  fmt::print("steps          {} accepted, {} rejected, {} evaluations", report.steps.steps,
             report.steps.rejected, report.steps.evaluations);
  if (report.steps.steps > 0) {
    fmt::print("; {} s to {} s long", short_number(report.steps.smallest_step),
               short_number(report.steps.largest_step));
  }
  fmt::print("\nenergy drift   {} J (largest kinetic energy {} J)\n", short_number(report.energy_drift),
             short_number(report.kinetic_energy));
  if (out.empty()) {
    fmt::print("results        not kept (--out FILE.csv or FILE.h5 keeps them)\n");
  } else {
    fmt::print("results        {}: {} rows\n", out, report.rows);
  }
}

int run(const RunOptions& options) {
  Workspace workspace(options.model.read());
  if (!options.out.empty()) workspace.add_recorder(make_recorder(options.out));
  if (options.reactions) workspace.record_reactions();
  workspace.set_interrupt(&catch_interrupt());
  RunReport report;
  {
    ProgressBar bar;
    if (!options.quiet) workspace.on_progress([&](const RunProgress& progress) { bar.show(progress); });
    report = workspace.run();
  }
  if (!options.quiet) print_report(workspace.model(), report, options.out);
  if (report.status == RunStatus::kInterrupted) {
    fmt::print(stderr, "sestina: interrupted at t = {} s; what was computed until then is kept\n",
               short_number(report.t));
    return kInterrupted;
  }
  if (report.status == RunStatus::kFailed) {
    fmt::print(stderr, "sestina: the computation failed: {}\n", report.failure);
    return kComputationFailed;
  }
  return kSuccess;
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a model");
  options->model.add_to(*command);
  command->add_option("-o,--out", options->out, "Result file (.csv, .h5)")->type_name("FILE");
  command->add_flag("--reactions", options->reactions, "Record the reactions of all joints, too");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing but errors");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace sestina::cli
