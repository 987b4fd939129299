#include "studio/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sestina/base/error.h"
#include "sestina/dynamics/equilibrium.h"
#include "sestina/io/model_file.h"
#include "sestina/io/result_file.h"
#include "sestina/io/sweep_file.h"
#include "sestina/io/yaml.h"
#include "sestina/scene/json_writer.h"
#include "sestina/scene/scene_message.h"
#include "sestina/workspace/run_origin.h"
#include "studio/row_forces.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;

class TableRecorder final : public Recorder {
 public:
  explicit TableRecorder(ResultTable& table) : table_(table) {}
  void begin(const ResultHeader& header) override { table_ = ResultTable(header); }
  void record(std::span<const double> row) override { table_.append_row(row); }
  void flush() override {}
  void end() override {}

 private:
  ResultTable& table_;
};

// Relative names of files in a tree: of meshes, tables and reduced bodies.
void add_files(const YamlNode& node, std::vector<std::string>& files) {
  for (const YamlPointer& item : node.items) add_files(*item, files);
  for (const YamlEntry& entry : node.entries) {
    const std::string& file = entry.value->text;
    const bool is_file = (entry.key == "file" || entry.key == "table") && entry.value->is_scalar();
    if (is_file && file.find("://") == std::string::npos && fs::path(file).is_relative())
      files.push_back(file);
    add_files(*entry.value, files);
  }
}

// The name of a file whose folder has the files that the model of a result names: that of the result or, if
// one of them is not there, of the model file at the time of the run.
std::string place_of(const ResultHeader& header, const std::string& result_file) {
  const auto folder =
      std::ranges::find(header.provenance, kFolderKey, [](const auto& entry) { return entry.first; });
  if (folder == header.provenance.end()) return result_file;
  FaultList ignored;
  std::vector<std::string> files;
  if (const YamlPointer root = parse_yaml(header.model_text, result_file, ignored)) add_files(*root, files);
  const auto has_all = [&](const fs::path& place) {
    std::error_code error;
    return std::ranges::all_of(files,
                               [&](const std::string& file) { return fs::exists(place / file, error); });
  };
  if (has_all(fs::absolute(result_file).parent_path()) || !has_all(folder->second)) return result_file;
  return (fs::path(folder->second) / fs::path(result_file).filename()).string();
}

// The model that an HDF5 result holds.
System model_of(const ResultTable& table, const std::string& result_file) {
  const std::string& text = table.header().model_text;
  if (text.empty()) {
    throw InputError(fmt::format(
        "'{}' does not hold its model, as .h5 files do: name it by --model MODEL.yaml", result_file));
  }
  try {
    return read_model(text, place_of(table.header(), result_file));
  } catch (const InputError& error) {
    throw InputError(fmt::format("the model in '{}' cannot be read (--model MODEL.yaml takes its place):\n{}",
                                 result_file, error.what()));
  }
}

}  // namespace

std::vector<double> rest_of(const Workspace& workspace) {
  State<double> state = workspace.calc_initial_state();
  if (workspace.analysis().about == "equilibrium") {
    Equilibrium equilibrium(workspace.model(), workspace.properties());
    if (!equilibrium.find(1.0, state)) state = workspace.calc_initial_state();
  }
  return state.q;
}

std::unique_ptr<Workspace> make_workspace(System system) {
  if (system.analysis.coordinates == "cartesian") {
    system.analysis.coordinates = "relative";
    system.analysis.solver = "recursive";
  }
  return std::make_unique<Workspace>(std::move(system));
}

Replay read_replay(const std::string& result_file, std::optional<System> model) {
  if (SweepFile::is_sweep_file(result_file)) {
    throw InputError(fmt::format(
        "'{}' is the result of a sweep: `sestina studio` shows the motions of its runs", result_file));
  }
  Replay replay;
  replay.table = read_result(result_file);
  if (replay.table.rows() == 0) throw InputError(fmt::format("'{}' has no rows", result_file));
  System system = model ? std::move(*model) : model_of(replay.table, result_file);
  replay.workspace = make_workspace(std::move(system));
  return replay;
}

Replay run_replay(System model, bool reactions, RunReport& report) {
  Replay replay;
  replay.workspace = std::make_unique<Workspace>(std::move(model));
  ResultTable table;
  replay.workspace->add_recorder(std::make_unique<TableRecorder>(table));
  if (reactions) replay.workspace->record_reactions();
  report = replay.workspace->run();
  replay.table = std::move(table);
  if (replay.workspace->model().is_cartesian()) replay.workspace = make_workspace(replay.workspace->system());
  return replay;
}

Scene make_scene(const Replay& replay) {
  const Workspace& workspace = *replay.workspace;
  return extract_scene(workspace.system(), workspace.model(), workspace.properties(),
                       workspace.calc_initial_state());
}

Ghost make_ghost(const Replay& replay, std::string name, std::size_t most_bytes) {
  Ghost ghost{std::move(name), make_scene(replay), {}};
  ghost.motion = make_motion(replay, ghost.scene, most_bytes);
  return ghost;
}

std::string ghost_message(const Ghost& ghost) {
  JsonWriter json;
  json.begin_object().member("type", "ghost").member("name", ghost.name);
  return json.key("header").raw(make_header(ghost.scene, ghost.motion)).end_object().take();
}

Motion make_motion(const Replay& replay, const Scene& scene, std::size_t most_bytes) {
  const Workspace& workspace = *replay.workspace;
  std::vector<double> rest;
  if (replay.table.has_column("mode")) rest = rest_of(workspace);
  const auto make = [&](std::size_t bytes) {
    Motion motion =
        make_motion(replay.table, workspace.model(), workspace.properties(), bytes, scene.extent, rest);
    if (has_row_forces(workspace)) RowForces(workspace, scene).add_to(motion);
    return motion;
  };
  Motion motion = make(most_bytes);
  const std::size_t size = make_block(motion).size();
  if (motion.forces.empty() || size <= most_bytes || motion.rows <= 2) return motion;
  // The forces take room, too.
  const double part = static_cast<double>(most_bytes) / static_cast<double>(size);
  return make(static_cast<std::size_t>(0.9 * part * static_cast<double>(most_bytes)));
}

}  // namespace sestina::studio
