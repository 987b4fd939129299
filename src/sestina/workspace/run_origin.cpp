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

// The folder to which relative names of files in the model refer; empty if it has none.
std::string folder_of_files(const System& system) {
  std::string folder;
  const auto look = [&](const Name& file) {
    const std::filesystem::path path = file.text;
    const bool is_relative =
        !file.empty() && path.is_relative() && file.text.find("://") == std::string::npos;
    if (!folder.empty() || !is_relative || file.mark.line == 0 || !file.mark.file) return;
    folder = std::filesystem::absolute(*file.mark.file).parent_path().lexically_normal().string();
  };
  for (const ShapeSpec& shape : system.ground_shapes) look(shape.file);
  for (const BodySpec& body : system.bodies) {
    if (body.reduced) look(body.reduced->file);
    for (const ShapeSpec& shape : body.shapes) look(shape.file);
  }
  for (const ForceSpec& force : system.forces) {
    if (force.table) look(force.table->file);
  }
  for (const ConstraintSpec& constraint : system.constraints) {
    if (constraint.table) look(constraint.table->file);
  }
  return folder;
}

std::string step_text(const Analysis& analysis) {
  std::string text = analysis.driver == "fixed"
                         ? fmt::format("fixed, dt = {} s", analysis.dt)
                         : fmt::format("variable, rtol = {}, atol = {}", analysis.rtol, analysis.atol);
  if (analysis.driver == "variable" && analysis.control == "pid") text += ", PID control";
  if (analysis.land_on_output) text += ", landing on the output";
  return text;
}

// All but the folder.
void add_model(const System& system, const Analysis& analysis, ResultHeader& header) {
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
  add_model(system, analysis, header);
  std::string folder = folder_of_files(system);
  if (!folder.empty()) header.provenance.emplace_back(kFolderKey, std::move(folder));
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
