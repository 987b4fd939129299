#include "simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "commands.h"
#include "printing.h"
#include "processes.h"
#include "sestina/base/error.h"
#include "sestina/base/text.h"
#include "sestina/io/result_recorder.h"
#include "sestina/parallel/thread_count.h"
#include "sestina/workspace/state_time_options.h"
#include "terminal.h"

namespace sestina::cli {
namespace {

// Up to six significant digits, without trailing zeros.
std::string short_number(double x) { return fmt::format("{:.6g}", x); }

// "85 us", "1.2 ms"
std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

void print_final_state(const Model& model, const State<double>& state) {
  constexpr int kMost = 12;
  const auto print_values = [&](const std::vector<std::string>& names, const std::vector<std::string>& units,
                                const std::vector<double>& values) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      print("  {:<20} {:>14} {}\n", names[i], short_number(values[i]), units[i] == "1" ? "" : units[i]);
    }
  };
  const int cartesian = model.is_cartesian() ? model.cut_nq() : 0;
  if (cartesian + (model.is_cartesian() ? 0 : model.nq() + model.nu()) + model.nd() + model.nx() > kMost)
    return;
  print("final state\n");
  if (model.is_cartesian()) {
    print_values(model.cut_q_names(), model.cut_q_units(), state.h);
  } else {
    print_values(model.q_names(), model.q_units(), state.q);
    print_values(model.u_names(), model.u_units(), state.u);
  }
  for (std::size_t i = 0; i < state.d.size(); ++i) {
    print("  {:<20} {:>14}\n", model.variables()[i].name, short_number(state.d[i]));
  }
  for (std::size_t i = 0; i < state.x.size(); ++i) {
    const StateInfo& info = model.states()[i];
    print("  {:<20} {:>14} {}\n", info.name, short_number(state.x[i]), info.unit == "1" ? "" : info.unit);
  }
}

// "events         floor 10, enough 1; enough ended the run"
void print_events(const Model& model, const RunReport& report) {
  if (report.event_counts.empty()) return;
  print("events         ");
  for (std::size_t i = 0; i < report.event_counts.size(); ++i) {
    print("{}{} {}", i > 0 ? ", " : "", model.events()[i].name, report.event_counts[i]);
  }
  if (!report.ended_by.empty()) {
    print("; {} ended the run at t = {} s", report.ended_by, short_number(report.t));
  }
  print("\n");
}

void print_trace(const std::vector<PhaseTime>& trace) {
  double sum = 0.0;
  for (const PhaseTime& phase : trace) sum += phase.seconds;
  print("\n{:<14} {:>12} {:>8} {:>12} {:>12}\n", "phase", "time", "share", "times", "each");
  for (const PhaseTime& phase : trace) {
    if (phase.seconds == 0.0) continue;
    print("{:<14} {:>12} {:>6.1f} %", phase.name, duration(phase.seconds), 100.0 * phase.seconds / sum);
    if (phase.entries > 0) {
      print(" {:>12} {:>12}", phase.entries, duration(phase.seconds / static_cast<double>(phase.entries)));
    }
    print("\n");
  }
}

void print_real_time(const RealTimeReport& report) {
  print("real time      {} rows, late by {} on average, 99 % by at most {}, at worst {}; {} missed\n",
        report.deadlines, duration(report.mean_lateness), duration(report.lateness_99),
        duration(report.largest_lateness), report.missed);
}

void print_steps(const StepStatistics& steps) {
  print("steps          {} accepted, {} rejected, {} evaluations", steps.steps, steps.rejected,
        steps.evaluations);
  if (steps.steps > 0) {
    print("; {} s to {} s long", short_number(steps.smallest_step), short_number(steps.largest_step));
  }
}

std::string title(const Model& model) {
  return model.name().empty() ? "model" : escape_controls(model.name(), LineBreaks::kEscape);
}

// Prints frequencies and damping of the first modes.
void print_modes(const ResultTable& modes) {
  constexpr std::size_t kMost = 12;
  if (modes.rows() == 0) return;
  const auto value = [&](std::size_t row, const char* column) {
    return short_number(modes.at(row, modes.column_index(column)));
  };
  print("{:>6} {:>14} {:>14} {:>27}\n", "mode", "frequency", "damping ratio", "eigenvalue");
  for (std::size_t i = 0; i < std::min(modes.rows(), kMost); ++i) {
    print("{:>6} {:>11} Hz {:>14} {:>12} {:>12}i 1/s\n", value(i, "mode"), value(i, "frequency"),
          value(i, "damping_ratio"), value(i, "eigenvalue.real"), value(i, "eigenvalue.imag"));
  }
  if (modes.rows() > kMost) print("       and {} more\n", modes.rows() - kMost);
}

// Prints the result of an analysis without time steps; `modes` has no rows but for an analysis of modes.
void print_result_of_analysis(const Model& model, const Analysis& analysis, const RunReport& report,
                              const ResultTable& modes) {
  print("{}: {}; {}\n", title(model), size_in_words(model), analysis.type);
  if (report.status == RunStatus::kComplete) print_final_state(model, report.final_state);
  print_modes(modes);
  for (const std::string& remark : report.remarks) print("remark         {}\n", remark);
  print("computed       in {} of wall time\n", duration(report.wall_seconds));
}

void print_run(const Model& model, const Analysis& analysis, const RunReport& report) {
  const bool has_elements = is_state_time(analysis);
  const std::string method =
      has_elements ? "state_time, " + elements_in_words(analysis)
                   : fmt::format("{}, {}, {} step", analysis.solver, analysis.integrator, analysis.driver);
  print("{}: {}; {}\n", title(model), size_in_words(model), method);
  if (report.status == RunStatus::kComplete) print_final_state(model, report.final_state);
  if (report.resumed_at) print("resumed        at t = {} s\n", short_number(*report.resumed_at));
  print("simulated      {} s of {} s in {} s of wall time (real-time factor {})\n", short_number(report.t),
        short_number(analysis.duration), short_number(report.wall_seconds),
        short_number(report.real_time_factor()));
  if (has_elements) {
    const std::string length =
        analysis.tolerance > 0.0 ? fmt::format("from {} s to {} s", short_number(report.steps.smallest_step),
                                               short_number(report.steps.largest_step))
                                 : fmt::format("each {} s", short_number(report.steps.largest_step));
    const std::string solved =
        report.steps.steps == 0 ? "none" : fmt::format("{} solved, {} long", report.steps.steps, length);
    print("elements       {}; {} iterations of Newton's method", solved, report.steps.evaluations);
  } else {
    print_steps(report.steps);
  }
  print("\nenergy drift   {} J (largest kinetic energy {} J)\n", short_number(report.energy_drift),
        short_number(report.kinetic_energy));
  print_events(model, report);
  if (report.real_time) print_real_time(*report.real_time);
}

void print_report(const Model& model, const Analysis& analysis, const RunReport& report,
                  const ResultTable& modes, const std::string& out, const std::string& checkpoint) {
  if (analysis.type == "dynamics") {
    print_run(model, analysis, report);
  } else {
    print_result_of_analysis(model, analysis, report, modes);
  }
  if (out.empty()) {
    print("results        not kept (--out FILE.csv or FILE.h5 keeps them)\n");
  } else {
    print("results        {}: {} {}\n", out, report.rows, report.rows == 1 ? "row" : "rows");
  }
  if (report.checkpoints > 0) {
    print("checkpoint     {}: t = {} s\n", checkpoint, short_number(report.checkpoint_t));
  }
  if (!report.trace.empty()) print_trace(report.trace);
}

int status_of(const RunReport& report) {
  if (report.status == RunStatus::kComplete) return kSuccess;
  return report.status == RunStatus::kInterrupted ? kInterrupted : kComputationFailed;
}

int tell_failure(const RunReport& report, const std::string& checkpoint) {
  if (!report.checkpoint_failure.empty()) {
    print_error("sestina: warning: the last checkpoint is missing: {}\n", report.checkpoint_failure);
  }
  if (report.status == RunStatus::kComplete) return kSuccess;
  const bool is_interrupted = report.status == RunStatus::kInterrupted;
  if (is_interrupted) {
    print_error("sestina: interrupted at t = {} s; what was computed until then is kept\n",
                short_number(report.t));
  } else {
    print_error("sestina: the computation failed: {}\n", report.failure);
  }
  if (report.checkpoints > 0) {
    print_error("sestina: `sestina resume {}` continues it from t = {} s\n", checkpoint,
                short_number(report.checkpoint_t));
  }
  return status_of(report);
}

}  // namespace

void add_threads_option(CLI::App& command, std::string& threads) {
  command
      .add_option("--threads", threads,
                  "Threads of the solvers hybrid and divide_and_conquer, of state_time and of particles\n"
                  "(otherwise SESTINA_THREADS, or all processors); results do not depend on it")
      ->type_name("N");
}

void set_threads(Workspace& workspace, const std::string& threads) {
  if (!threads.empty()) workspace.set_threads(parse_thread_count(threads, "--threads"));
}

void LimitOptions::add_to(CLI::App& command) {
  command
      .add_option("--max-steps", steps,
                  "A run that would take more steps fails; its rows are kept\n"
                  "(otherwise as analysis.limits.steps says)")
      ->type_name("N");
  command.add_option("--max-wall", wall_time, "The same for wall time (default: analysis.limits.wall_time)")
      ->type_name("SECONDS");
}

RunLimits LimitOptions::limits() const {
  if (steps && *steps < 1) throw InputError(fmt::format("--max-steps: {} is not 1 or more", *steps));
  if (wall_time && !(*wall_time > 0.0 && std::isfinite(*wall_time))) {
    throw InputError(fmt::format("--max-wall: {} s is not a positive time", *wall_time));
  }
  return {steps.value_or(0), wall_time.value_or(0.0)};
}

void SimulateOptions::add_to(CLI::App& command, const std::string& describe_out) {
  command.add_option("-o,--out", out, describe_out)->type_name("FILE")->check(check_file_name);
  add_threads_option(command, threads);
  command.add_flag("--trace", trace, "Print where the time went");
  command
      .add_option("--real-time", real_time,
                  "Keep pace with the wall clock: rows come when they are due, FACTOR\n"
                  "seconds of the run in a second (1 unless given)")
      ->expected(0, 1)
      ->default_str("1")
      ->type_name("[FACTOR]");
  limits.add_to(command);
  command.add_flag("-q,--quiet", quiet, "Print nothing but errors");
}

int simulate(Workspace& workspace, const SimulateOptions& options, const std::string& checkpoint,
             const std::function<RunReport()>& run) {
  set_threads(workspace, options.threads);
  if (options.trace) workspace.record_trace();
  if (options.real_time) workspace.set_real_time(*options.real_time);
  workspace.set_limits(options.limits.limits());
  workspace.set_interrupt(&catch_interrupt());
  auto kept = std::make_unique<MemoryRecorder>();
  const ResultTable& modes = kept->table();
  if (workspace.analysis().type == "modes") workspace.add_recorder(std::move(kept));
  RunReport report;
  {
    ProgressBar bar;
    if (!options.quiet && is_first_process()) {
      workspace.on_progress([&](const RunProgress& progress) { bar.show(progress); });
    }
    workspace.on_hint([&](const std::string& hint) { bar.tell("sestina: hint: " + hint); });
    report = run();
  }
  const bool is_told = is_first_process();
  if (!options.quiet && is_told) {
    for (const std::string& change : report.assembly) print("to close the loops, {}\n", change);
  }
  if (!options.quiet && is_told)
    print_report(workspace.model(), workspace.analysis(), report, modes, options.out, checkpoint);
  return is_told ? tell_failure(report, checkpoint) : status_of(report);
}

}  // namespace sestina::cli
