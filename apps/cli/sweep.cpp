// sestina sweep MODEL --vary PATH=a:b:n [--vary PATH=[x, y, z]]... [--set PATH=VALUE]... [--out FILE.h5]
//               [--record COLUMN...] [--reactions] [--threads N] [--lanes auto|off]
//               [--max-steps N] [--max-wall SECONDS] [--resume] [--quiet]
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "commands.h"
#include "printing.h"
#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/parallel/thread_count.h"
#include "sestina/sweep/sweep.h"
#include "simulate.h"
#include "terminal.h"

namespace sestina::cli {
namespace {

struct SweepCommand {
  ModelOptions model;
  std::vector<std::string> vary;
  std::vector<std::string> record;
  std::string out;
  std::string threads;
  std::string lanes = "auto";
  LimitOptions limits;
  bool reactions = false;
  bool resume = false;
  bool quiet = false;
};

std::string plural(std::size_t n, const char* word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string grid_in_words(const std::vector<SweepAxis>& axes, std::size_t runs) {
  std::string sizes;
  for (const SweepAxis& axis : axes) sizes += (sizes.empty() ? "" : " x ") + std::to_string(axis.size());
  return axes.size() == 1 ? plural(runs, "run") : fmt::format("{} = {}", sizes, plural(runs, "run"));
}

std::string bytes_in_words(std::uintmax_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size < 1e6) return fmt::format("{:.3g} kB", size / 1e3);
  return size < 1e9 ? fmt::format("{:.3g} MB", size / 1e6) : fmt::format("{:.3g} GB", size / 1e9);
}

void print_lanes(const SweepReport& report, std::size_t done) {
  if (!report.lanes || report.in_lanes == 0) {
    print("lanes          {}", report.lanes ? "none" : "off");
  } else {
    print("lanes          {} in {} lanes ({})", plural(report.in_lanes, "run"), lanes_of(*report.lanes),
          to_string(*report.lanes));
  }
  if (report.lanes && report.in_lanes < done) print(", {} by themselves", done - report.in_lanes);
  if (!report.reason_alone.empty()) print(": {}", report.reason_alone);
  print("\n");
}

void print_report(const std::string& model, const std::vector<SweepAxis>& axes, const SweepReport& report,
                  const SweepOptions& options) {
  print("{}: {} on {}\n", model, grid_in_words(axes, report.runs),
        plural(static_cast<std::size_t>(options.threads), "thread"));
  for (const SweepAxis& axis : axes) {
    print("  {:<24} {} values, {} to {}\n", axis.path, axis.size(), axis.value(0),
          axis.value(axis.size() - 1));
  }
  print("runs           {} complete, {} failed", report.complete, report.failed);
  if (report.complete + report.failed < report.runs) {
    print(", {} missing", report.runs - report.complete - report.failed);
  }
  if (report.found > 0) print("; {} of them done before", report.found);
  const std::size_t done = report.complete + report.failed - report.found;
  print("\nwall time      {:.3g} s", report.wall_seconds);
  if (done > 0) print(", {:.3g} ms a run", 1e3 * report.wall_seconds / static_cast<double>(done));
  print("\n");
  if (done > 0) print_lanes(report, done);
  print("results        {}: {}\n", options.out.string(), bytes_in_words(report.file_bytes));
}

int tell_failures(const SweepReport& report, const SweepOptions& options) {
  if (report.begun_by != "sestina " + version()) {
    print_error("sestina: warning: {} was begun by {}; whether its runs would be the same now is not known\n",
                options.out.string(), report.begun_by);
  }
  if (report.cut > 0) {
    print_error(
        "sestina: warning: {} had more than the {} that 'series' has room for, which are the first ones; "
        "'rows' has their number\n",
        plural(report.cut, "run"), plural(report.rows, "row"));
  }
  if (report.failed > 0) {
    print_error("sestina: {} of {} failed\n", report.failed, plural(report.runs, "run"));
    for (const SweepReport::Failure& failure : report.failures) {
      print_error("  {}: {}\n", failure.settings, failure.reason);
    }
    if (report.failed > report.failures.size()) {
      print_error("  and {} more; the dataset 'reason' has them all\n",
                  report.failed - report.failures.size());
    }
  }
  if (report.status == RunStatus::kInterrupted) {
    print_error("sestina: interrupted after {} of {}; the same command with --resume does the others\n",
                report.complete + report.failed, plural(report.runs, "run"));
    return kInterrupted;
  }
  return report.failed > 0 ? kComputationFailed : kSuccess;
}

int sweep(const SweepCommand& given) {
  SweepOptions options;
  options.out =
      given.out.empty() ? std::filesystem::path(given.model.path).stem().string() + ".sweep.h5" : given.out;
  options.threads =
      given.threads.empty() ? default_thread_count() : parse_thread_count(given.threads, "--threads");
  options.record = given.record;
  options.reactions = given.reactions;
  options.resume = given.resume;
  options.limits = given.limits.limits();
  options.lanes = given.lanes == "auto";
  options.interrupt = &catch_interrupt();
  const std::vector<SweepAxis> axes = parse_sweep_axes(given.vary);
  const ModelTree model = given.model.read_tree();
  SweepReport report;
  {
    ProgressBar bar;
    if (!given.quiet) options.on_progress = [&](const SweepProgress& progress) { bar.show(progress); };
    options.on_hint = [&](const std::string& hint) { bar.tell("sestina: hint: " + hint); };
    report = run_sweep(model, axes, options);
  }
  if (!given.quiet) print_report(given.model.path, axes, report, options);
  return tell_failures(report, options);
}

}  // namespace

void add_sweep(CLI::App& app, int& status) {
  auto options = std::make_shared<SweepCommand>();
  CLI::App* command = app.add_subcommand("sweep", "Simulate a model for many values of its keys");
  options->model.add_to(*command);
  command
      ->add_option("--vary", options->vary,
                   "Values of a key: parameters.l1=0.5:1.5:100 (100 numbers, both ends included),\n"
                   "parameters.m1=0.1:10:20:log, 'analysis.solver=[kane, recursive]'.\n"
                   "Given several times: all combinations; the last varies fastest")
      ->type_name("PATH=VALUES")
      ->take_all()
      ->expected(1)
      ->required();
  command->add_option("-o,--out", options->out, "Result file (.h5); MODEL.sweep.h5 unless given")
      ->type_name("FILE")
      ->check(check_file_name);
  command
      ->add_option("--record", options->record,
                   "Columns to keep over time, such as hip.q or 'energy.*' (all unless given);\n"
                   "none: only the last row of each run")
      ->type_name("COLUMN");
  command->add_flag("--reactions", options->reactions, "Also record the reactions of all joints");
  command
      ->add_option("--threads", options->threads,
                   "Runs at a time (otherwise SESTINA_THREADS, or all processors);\n"
                   "results do not depend on it")
      ->type_name("N");
  command
      ->add_option("--lanes", options->lanes,
                   "auto: several runs at once in the lanes of SIMD registers, where the model allows it;\n"
                   "off: each by itself, to the last bit as `sestina run`")
      ->type_name("auto|off")
      ->check(CLI::IsMember({"auto", "off"}));
  options->limits.add_to(*command);
  command->add_flag("--resume", options->resume, "Compute the runs that FILE does not have yet");
  command->add_flag("-q,--quiet", options->quiet, "Print nothing but errors");
  command->callback([options, &status] { status = sweep(*options); });
}

}  // namespace sestina::cli
