#include "sestina/workspace/run_origin.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/state_time_options.h"
#include "sestina/workspace/workspace.h"

namespace sestina {
namespace {

// The text of the model for the result; empty if the model cannot be written to a file.
std::string model_text(const System& system) {
  try {
    return write_model(system);
  } catch (const InputError& error) {
    return fmt::format("# no file can hold this model: {}\n", error.what());
  }
}

std::string step_text(const Analysis& analysis) {
  std::string text = analysis.driver == "fixed"
                         ? fmt::format("fixed, dt = {} s", analysis.dt)
                         : fmt::format("variable, rtol = {}, atol = {}", analysis.rtol, analysis.atol);
  if (analysis.driver == "variable" && analysis.control == "pid") text += ", PID control";
  if (analysis.land_on_output) text += ", landing on the output";
  return text;
}

}  // namespace

bool has_tables(const Workspace& workspace) {
  const System& system = workspace.described();
  const auto has_file = [](const auto& spec) { return spec.table && !spec.table->file.empty(); };
  return std::ranges::any_of(system.forces, has_file) || std::ranges::any_of(system.constraints, has_file);
}

ResultHeader make_header(const Workspace& workspace, const std::vector<Column>& columns) {
  ResultHeader header;
  header.columns = columns;
  header.model_name = workspace.model().name();
  const RunSettings& settings = workspace.settings();
  const bool is_origin_kept =
      settings.checkpoint || std::any_of(settings.recorders.begin(), settings.recorders.end(),
                                         [](const auto& recorder) { return recorder->keeps_origin(); });
  if (is_origin_kept) add_origin(workspace, header);
  return header;
}

void add_origin(const Workspace& workspace, ResultHeader& header) {
  add_origin(workspace.system(), workspace.analysis(), header);
}

void add_origin(const System& system, const Analysis& analysis, ResultHeader& header) {
  header.model_text = model_text(system);
  if (analysis.type != "dynamics") {
    header.provenance = {{"program", fmt::format("sestina {}", version())},
                         {"analysis", analysis.type},
                         {"checksum", fmt::format("{:016x}", checksum_of_model(header.model_text, system))}};
    return;
  }
  const bool has_elements = is_state_time(analysis);
  header.provenance = {{"program", fmt::format("sestina {}", version())},
                       {"solver", has_elements ? "state_time" : analysis.solver},
                       {"integrator", has_elements ? elements_in_words(analysis) : analysis.integrator},
                       {"step", has_elements ? step_of_elements(analysis) : step_text(analysis)},
                       {"duration", fmt::format("{} s", analysis.duration)},
                       {"checksum", fmt::format("{:016x}", checksum_of_model(header.model_text, system))}};
}

void check_files(const Workspace& workspace, const std::filesystem::path& result_file) {
  FileUses files;
  files.add_inputs_of(workspace.described());
  files.add_output("the result", result_file);
  const auto& checkpoint = workspace.settings().checkpoint;
  if (checkpoint) files.add_output("the checkpoint", checkpoint->path);
  files.check();
}

}  // namespace sestina
