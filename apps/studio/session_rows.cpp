// The rows of a run: how many are kept, and how they reach the clients.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sestina/model/output_columns.h"
#include "sestina/scene/json_writer.h"
#include "studio/session.h"

namespace sestina::studio {
namespace {

// A row of `columns` and the poses of all bodies.
std::size_t bytes_per_row(const Model& model, std::size_t columns) {
  return columns * sizeof(double) +
         static_cast<std::size_t>(model.bodies().size()) * FrameMaker::kPoseSize * sizeof(float);
}

}  // namespace

std::size_t Session::stride_of(const Workspace& workspace) const {
  const std::size_t width =
      bytes_per_row(workspace.model(), workspace.model().row_columns(reactions_).size());
  const Analysis& analysis = workspace.analysis();
  const double rows = analysis.type == "modes" || analysis.type == "statics" || !(analysis.output_every > 0.0)
                          ? 1.0
                          : analysis.duration / analysis.output_every;
  return static_cast<std::size_t>(
      std::max(1.0, std::ceil(rows * static_cast<double>(width) / kLargestMotion)));
}

// A live run may last for days: where the rows take all the memory that they may, every second one is
// dropped.
void Session::make_room() {
  const std::size_t width = run_->columns().size(), rows = rows_.size() / width;
  const std::size_t bytes =
      bytes_per_row(drawn().model(), width) + scene_->items.size() * sizeof(MotionForce);
  if (rows < 2 || rows * bytes < most_bytes_) return;
  const auto row = [&](std::size_t i) { return rows_.begin() + static_cast<std::ptrdiff_t>(i * width); };
  const std::size_t kept = (rows + 1) / 2;
  for (std::size_t i = 1; i < kept; ++i) std::copy(row(2 * i), row(2 * i + 1), row(i));
  rows_.resize(kept * width);
  tell_kept(rows, 2);
}

// Tells clients which rows they keep: every stride-th one of the first `rows` rows.
void Session::tell_kept(std::size_t rows, std::size_t stride, bool is_passing) {
  JsonWriter json;
  json.begin_object().member("type", "keep").member("rows", rows).member("stride", stride);
  send_all(json.end_object().take(), is_passing);
}

void Session::pass_on_rows() {
  if (particles_) return pass_on_particles();
  if (!run_) return;
  const RunState state = run_->state();
  std::vector<double> taken;
  run_->take_rows(taken);
  const std::size_t count = taken.size() / run_->columns().size();
  if (count > 0 && run_->is_live()) make_room();
  rows_.insert(rows_.end(), taken.begin(), taken.end());
  const bool are_modes = run_->columns().front().name == "mode";
  if (count > 0 && !is_scene_sent_) {
    is_scene_sent_ = !are_modes || !state.is_running;
    if (is_scene_sent_) send_scene_to_all();
  } else if (count > 0 && !are_modes) {
    send_rows_to_all(motion_of(taken));
  }
  if (are_modes && !state.is_running && !is_scene_sent_) {
    is_scene_sent_ = true;
    send_scene_to_all();
  }
  if (count > 0 || was_running_ != state.is_running || told_t_ != state.t) send_all(status_text(state));
  was_running_ = state.is_running;
  told_t_ = state.t;
}

Motion Session::motion_of(std::span<const double> rows) {
  ResultHeader header;
  header.columns = run_->columns();
  ResultTable table(header);
  table.append_rows(std::vector<double>(rows.begin(), rows.end()));
  const Workspace& workspace = drawn();
  std::vector<double> rest;
  if (table.has_column("mode")) rest = rest_of(workspace);
  Motion motion = sestina::make_motion(table, workspace.model(), workspace.properties(), kLargestMotion,
                                       scene_->extent, rest);
  if (row_forces_) row_forces_->add_to(motion);
  return motion;
}

LiveStart Session::start_at(std::size_t row) const {
  const Model& model = drawn().model();
  const std::size_t width = run_->columns().size();
  const auto all = std::span(rows_).subspan(row * width, width);
  std::unordered_map<std::string_view, double> values;
  for (std::size_t i = 0; i < width; ++i) values.emplace(run_->columns()[i].name, all[i]);
  LiveStart start{values.at("t"), {}, {}, {}, {}, {}, {}};
  for (const std::string& name : model.q_names()) start.q.push_back(values.at(name));
  for (const std::string& name : model.u_names()) start.u.push_back(values.at(name));
  for (const VariableInfo& variable : model.variables()) start.d.push_back(values.at(variable.name));
  for (const StateInfo& state : model.states()) start.x.push_back(values.at(state.name));
  for (const CutJointInfo& joint : model.cut_joints()) {
    for (int i = 0; i < joint.nq; ++i) {
      const auto found = values.find(joint.name + (joint.nq == 1 ? ".q" : fmt::format(".q[{}]", i)));
      if (found != values.end()) start.h.push_back(found->second);
    }
  }
  start.z = {values.at("energy.supplied"), values.at("energy.dissipated")};
  const OutputColumns& own = output_columns(model);
  for (const int column : own.integrals)
    start.z.push_back(values.at(own.columns[static_cast<std::size_t>(column)].name));
  return start;
}

}  // namespace sestina::studio
