#include "sestina/sweep/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/plot.h"
#include "sestina/io/set_option.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/result_row.h"

namespace sestina {
namespace {

constexpr const char* kFlag = "--vary";
constexpr std::size_t kMostReportedValues = 3;    // of an axis, whose faults are reported
constexpr std::size_t kMostTriedValues = 20'000;  // of an axis; of more values, so many spread over it
constexpr std::string_view kParameters = "parameters.";

bool varies_parameter(const SweepAxis& axis) {
  return !axis.numbers.empty() && axis.path.starts_with(kParameters);
}

// Adds the option to a fault whose place is elsewhere.
Fault with_setting(Fault fault, const std::string& setting) {
  const std::string place = fault.place.mark.file ? *fault.place.mark.file : "";
  if (!place.starts_with(kFlag)) fault.message += fmt::format(" (with {} {})", kFlag, setting);
  return fault;
}

std::string size_in_words(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6) : fmt::format("{:.1f} GB", bytes / 1e9);
}

}  // namespace

// Rows are at the multiples of `every` and at the end; one just before the end is the end (Workspace::Run).
std::size_t count_rows(double duration, double every) {
  if (!(duration > 0.0)) return 1;
  const double intervals = std::ceil(duration / every - 1e-6);
  return 1 + static_cast<std::size_t>(std::clamp(intervals, 1.0, 1e15));
}

SweepPlan::SweepPlan(const ModelTree& model, const std::vector<SweepAxis>& axes, const SweepOptions& options)
    : model_(model), out_(options.out), reactions_(options.reactions), interrupt_(options.interrupt) {
  header_.axes = axes;
  const System base = read_model(model_);
  header_.model_name = base.name;
  header_.model_text = write_model(base);
  header_.provenance = {{"program", "sestina " + version()},
                        {"checksum", fmt::format("{:016x}", checksum_of_model(header_.model_text, base))}};
  check_paths();
  if (std::ranges::all_of(axes, varies_parameter)) {
    check_files(base);
    try {
      base_ = std::make_unique<const Workspace>(base);
    } catch (const InputError&) {
      // The runs may be valid although the model in its present form is not.
    }
  }
  check_values();
  if (is_interrupted_) return;
  header_.rows = timing_axes_.size() > 1 ? count_rows(longest_, shortest_) : most_rows_;
  choose_series(options);
}

System SweepPlan::make_system(std::size_t run) const {
  ModelTree tree = model_;
  for (const std::string& setting : header_.settings(run)) {
    tree.root = apply_set_option(tree.root, setting, kFlag);
  }
  return read_model(tree);
}

// Returns null if the run needs its own model, which also reports faults at the options.
std::unique_ptr<Workspace> SweepPlan::share_model(std::size_t run) const {
  if (base_ == nullptr) return nullptr;
  std::vector<ParameterValue> values(header_.axes.size());
  for (std::size_t k = header_.axes.size(); k-- > 0;) {
    const SweepAxis& axis = header_.axes[k];
    values[k] = {axis.path.substr(kParameters.size()), axis.numbers[run % axis.numbers.size()]};
    run /= axis.numbers.size();
  }
  return base_->share_model(values);
}

std::unique_ptr<Workspace> SweepPlan::begin(std::size_t run) const {
  if (auto workspace = share_model(run)) return workspace;
  return std::make_unique<Workspace>(make_system(run));
}

std::unique_ptr<Workspace> SweepPlan::make_workspace(std::size_t run) {
  if (const auto found = checked_.find(run); found != checked_.end()) return std::move(found->second);
  return begin(run);
}

SweepPlan::Outline SweepPlan::outline_of(std::size_t run) {
  auto workspace = begin(run);
  if (base_ == nullptr) check_files(workspace->system());  // otherwise all runs have the same files
  const Analysis& analysis = workspace->analysis();
  if (analysis.type != "dynamics" && analysis.type != "kinematics") {
    FaultList faults;
    faults.add({workspace->described().analysis.type.mark, "analysis.type"},
               fmt::format("a sweep keeps rows over time, and {} has none: take dynamics or kinematics",
                           analysis.type));
    faults.throw_if_any();
  }
  Outline outline{run_columns(workspace->model(), analysis, reactions_), analysis.duration,
                  analysis.output_every};
  keep(run, std::move(workspace));
  return outline;
}

void SweepPlan::check_files(const System& system) const {
  FileUses files;
  files.add_inputs_of(system);
  files.add_output("the result", out_);
  files.check();
}

void SweepPlan::keep(std::size_t run, std::unique_ptr<Workspace> workspace) {
  if (header_.axes.size() > 1) return;
  kept_bodies_ += workspace->model().bodies().size();
  if (kept_bodies_ > kMostKeptBodies) return;
  checked_.emplace(run, std::move(workspace));
}

std::size_t SweepPlan::run_at(const std::vector<std::size_t>& index) const {
  std::size_t run = 0;
  for (std::size_t k = 0; k < index.size(); ++k) run = run * header_.axes[k].size() + index[k];
  return run;
}

// Reports faults in the paths of all axes together, each with its first value. An axis that replaces a value
// set by an earlier axis would report it with values that no run has.
void SweepPlan::check_paths() const {
  FaultList faults;
  YamlPointer root = model_.root;
  std::vector<std::pair<std::string, std::string>> keys;  // as given, and in canonical form
  for (const SweepAxis& axis : header_.axes) {
    try {
      const std::string key = canonical_set_path(root, axis.path, kFlag);
      for (const auto& [path, former] : keys) {
        if (!former.starts_with(key)) continue;
        const Mark mark{
            std::make_shared<const std::string>(fmt::format("{} {}", kFlag, printable(axis.path))), 0, 0};
        faults.add({mark, ""}, former == key
                                   ? fmt::format("is the same key as {} {}", kFlag, printable(path))
                                   : fmt::format("replaces the key of {} {}", kFlag, printable(path)));
      }
      keys.emplace_back(axis.path, key);
      root = apply_set_option(root, axis.setting(0), kFlag);
    } catch (const InputError& error) {
      faults.add(error.faults());
    }
  }
  faults.throw_if_any();
}

// The runs end a short check that is interrupted, and leave a file to resume.
bool SweepPlan::wants_end() {
  constexpr std::chrono::milliseconds kNoTime{50};
  const bool is_asked = interrupt_ != nullptr && interrupt_->load();
  if (is_asked && std::chrono::steady_clock::now() - start_ > kNoTime) is_interrupted_ = true;
  return is_interrupted_;
}

// Tries each value with the first values of the other axes; always the first and the last value of an axis.
void SweepPlan::check_values() {
  FaultList faults;
  for (std::size_t axis = 0; axis < header_.axes.size(); ++axis) {
    std::size_t refused = 0;
    std::vector<Fault> reported;
    const std::size_t size = header_.axes[axis].size(), tried = std::min(size, kMostTriedValues);
    for (std::size_t i = 0; i < tried; ++i) {
      if (wants_end()) return;
      const std::size_t value = tried < 2 ? 0 : i * (size - 1) / (tried - 1);
      FaultList of_value;
      if (can_begin(axis, value, of_value)) continue;
      if (++refused > kMostReportedValues) continue;
      reported.insert(reported.end(), of_value.faults().begin(), of_value.faults().end());
    }
    if (refused > kMostReportedValues) {
      reported.back().message +=
          fmt::format("; the same for {} more values of the axis", refused - kMostReportedValues);
    }
    faults.add(reported);
  }
  faults.throw_if_any();
}

bool SweepPlan::can_begin(std::size_t axis, std::size_t value, FaultList& faults) {
  std::vector<std::size_t> index(header_.axes.size(), 0);
  index[axis] = value;
  try {
    add(axis, outline_of(run_at(index)));
    return true;
  } catch (const InputError& error) {
    for (const Fault& fault : error.faults()) {
      const Fault named = with_setting(fault, header_.axes[axis].setting(value));
      faults.add(named.place, named.message);
    }
  }
  return another_can_begin(axis, value);
}

// Goes diagonally through the other axes, so that no faulty value of one of them persists. After enough
// attempts, the runs decide.
bool SweepPlan::another_can_begin(std::size_t axis, std::size_t value) {
  std::size_t longest = 0;
  for (std::size_t k = 0; k < header_.axes.size(); ++k) {
    if (k != axis) longest = std::max(longest, header_.axes[k].size());
  }
  for (std::size_t stride = 1; stride <= 3; ++stride) {
    for (std::size_t i = 0; i < longest; ++i) {
      std::vector<std::size_t> index(header_.axes.size());
      for (std::size_t k = 0; k < index.size(); ++k) {
        index[k] = k == axis ? value : (i * (k % 2 == 0 ? 1 : stride)) % header_.axes[k].size();
      }
      if (--searches_left_ < 0 || wants_end()) return true;
      try {
        add(axis, outline_of(run_at(index)));
        return true;
      } catch (const InputError&) {
        // Tries the next combination.
      }
    }
  }
  return false;
}

void SweepPlan::add(std::size_t axis, const Outline& outline) {
  most_rows_ = std::max(most_rows_, count_rows(outline.duration, outline.every));
  if (!first_) {
    first_ = outline;
    longest_ = outline.duration;
    shortest_ = outline.every;
  }
  longest_ = std::max(longest_, outline.duration);
  shortest_ = std::min(shortest_, outline.every);
  if (outline.duration != first_->duration || outline.every != first_->every) timing_axes_.insert(axis);
  for (const Column& column : outline.columns) {
    const bool is_known = std::any_of(header_.columns.begin(), header_.columns.end(),
                                      [&](const Column& known) { return known.name == column.name; });
    if (!is_known) header_.columns.push_back(column);
  }
}

void SweepPlan::choose_series(const SweepOptions& options) {
  const bool is_asked = !options.record.empty();
  if (is_asked && options.record == std::vector<std::string>{"none"}) {
    header_.rows = 0;
    return;
  }
  ResultHeader names;
  names.columns = header_.columns;
  PlotOptions chosen;
  chosen.columns = is_asked ? options.record : std::vector<std::string>{"*"};
  chosen.x = "";
  try {
    header_.series = select_columns(ResultTable(names), chosen);
  } catch (const InputError& error) {
    FaultList faults;
    for (const Fault& fault : error.faults()) faults.add({}, "--record: " + fault.message);
    faults.throw_if_any();
  }
  if (is_asked || header_.bytes() <= SweepOptions::kMostUnasked) return;
  throw InputError(
      fmt::format("all {} columns at all {} rows of {} runs take {}: choose what to keep with "
                  "--record (`--record hip.q 'energy.*'`; `none`: only the last row of each run; "
                  "'*': all of it)",
                  header_.series.size(), header_.rows, header_.runs(), size_in_words(header_.bytes())));
}

}  // namespace sestina
