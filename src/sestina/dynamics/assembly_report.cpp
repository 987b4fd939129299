#include "sestina/dynamics/assembly_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/constraints/cut_joint_motion.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

// Reports a joint whose given values changed, and by how much. `units` are those of its speeds.
void add_moved(const std::string& joint, std::span<const double> changes, std::span<const std::string> units,
               bool is_speed, std::vector<AssemblyReport::Moved>& moved) {
  AssemblyReport::Moved of_joint{joint, 0.0, "",
                                 is_speed ? AssemblyReport::Moved::kSpeed : AssemblyReport::Moved::kPosition};
  for (std::size_t k = 0; k < changes.size(); ++k) {
    if (std::abs(changes[k]) <= of_joint.by) continue;
    of_joint.by = std::abs(changes[k]);
    of_joint.unit = is_speed ? units[k] : units[k] == "rad/s" ? "rad" : "m";
  }
  if (of_joint.by <= 1e-9) return;
  if (!moved.empty() && moved.back().name == joint &&
      moved.back().what == of_joint.what) {  // nodes of a beam
    if (of_joint.by > moved.back().by) moved.back() = of_joint;
    return;
  }
  moved.push_back(of_joint);
}

}  // namespace

// "; held: hip": the joints that are held.
std::string holds(const Model& model) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "; held: " : ", ") + name; };
  for (const BodyInfo& body : model.bodies()) {
    if (body.nu > 0 && model.is_held()[static_cast<std::size_t>(body.u_start)]) add(body.joint_name);
  }
  for (const CutJointInfo& cut : model.cut_joints()) {
    if (cut.is_held) add(cut.name);
  }
  return names;
}

void fail(const Model& model, const std::string& name, const std::string& what) {
  for (const CutJointInfo& joint : model.cut_joints()) {
    if (name != joint.name) continue;
    throw InputError({Fault{{joint.mark, fmt::format("joints[{}]", joint.position)}, what}});
  }
  for (const ConstraintInfo& constraint : model.constraints()) {
    if (name != constraint.name) continue;
    throw InputError({Fault{{constraint.mark, fmt::format("constraints[{}]", constraint.position)}, what}});
  }
  throw InputError(what);
}

void find_moved(const Model& model, std::span<const double> changes, const std::vector<bool>& is_given,
                bool is_speed, std::vector<AssemblyReport::Moved>& moved) {
  const auto beam_of = [&](BodyIndex b) -> const BeamInfo* {
    for (const BeamInfo& beam : model.beams()) {
      if (std::ranges::find(beam.nodes, b) != beam.nodes.end()) return &beam;
    }
    return nullptr;
  };
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    const auto first = static_cast<std::size_t>(info.u_start), count = static_cast<std::size_t>(info.nu);
    if (count == 0 || !is_given[first]) continue;
    const BeamInfo* const beam = beam_of(b);
    add_moved(beam != nullptr ? beam->name : info.joint_name, changes.subspan(first, count),
              std::span(model.u_units()).subspan(first, count), is_speed, moved);
  }
}

void find_moved_cut_joints(const Model& model, const Properties<double>& properties,
                           std::span<const double> q_wanted, std::span<const double> u_wanted,
                           const ConstraintRows<double>& rows, std::vector<AssemblyReport::Moved>& moved) {
  for (std::size_t i = 0; i < model.cut_joints().size(); ++i) {
    const CutJointInfo& info = model.cut_joints()[i];
    const auto q = static_cast<std::size_t>(info.q_start), u = static_cast<std::size_t>(info.u_start);
    const auto count = static_cast<std::size_t>(info.nu);
    const auto units = std::span(model.cut_u_units()).subspan(u, count);
    std::array<double, 6> away{};
    if (info.is_q_given) {
      visit_joint(properties.constraints.cut_joints[i].joint, [&](const auto& joint) {
        joint.minus(rows.cut_q.data() + q, q_wanted.data() + q, away.data());
      });
      add_moved(info.name, std::span(away).first(count), units, false, moved);
    }
    if (!info.is_u_given) continue;
    for (std::size_t k = 0; k < count; ++k) away[k] = rows.cut_u[u + k] - u_wanted[u + k];
    add_moved(info.name, std::span(away).first(count), units, true, moved);
  }
}

void find_deformed(const Model& model, const State<double>& before, const State<double>& after,
                   std::vector<AssemblyReport::Moved>& moved) {
  const auto pose = [&](const State<double>& state, BodyIndex node) {
    const double* const q = state.q.data() + model.bodies()[node].q_start;
    return Pose<double>{euler_parameter_rotation(q + 3), {q[0], q[1], q[2]}};
  };
  for (const BeamInfo& beam : model.beams()) {
    if (beam.is_cable) continue;
    const BodyIndex first = beam.nodes.front();
    const Pose<double> whole = pose(after, first) * inverse(pose(before, first));
    AssemblyReport::Moved of_beam{beam.name, 0.0, "m", AssemblyReport::Moved::kShape};
    for (const BodyIndex node : beam.nodes) {
      of_beam.by = std::max(of_beam.by, norm(pose(after, node).p - whole * pose(before, node).p));
    }
    if (of_beam.by > 1e-9) moved.push_back(of_beam);
  }
}

std::string describe(const AssemblyReport::Moved& moved) {
  const char* const what[] = {"position", "speed", "shape"};
  return fmt::format("the {} of {} changed by {:.3g} {}", what[moved.what], moved.name, moved.by, moved.unit);
}

}  // namespace sestina
