// Collects the reduced bodies of a description.
#include <fmt/format.h>

#include "sestina/flexible/reduced_body.h"
#include "sestina/model/freezer.h"

namespace sestina {

using Kind = ValueRule::Kind;

bool Freezer::has_given_pose(int position) const {
  const std::optional<ReducedSpec>& reduced = system_.bodies[static_cast<std::size_t>(position)].reduced;
  return reduced && (reduced->position || reduced->axes);
}

void Freezer::collect_reduced_bodies() {
  for (const ReducedLayout& layout : reduced_bodies_) collect_reduced_body(layout);
}

void Freezer::collect_reduced_body(const ReducedLayout& layout) {
  const BodySpec& spec = system_.bodies[static_cast<std::size_t>(layout.body)];
  const ReducedSpec& reduced = *spec.reduced;
  const std::string path = fmt::format("bodies[{}]", layout.body);
  ReducedBodyInfo info;
  info.name = layout.name;
  info.modes = reduced.modes;
  info.body = index_of_position_[static_cast<std::size_t>(layout.body)];
  if (info.modes->count > 0) {
    const BodyInfo& first = data_.bodies[index_of_position_[static_cast<std::size_t>(layout.first_mode)]];
    info.q_start = first.q_start, info.u_start = first.u_start;
  }
  int frame = data_.bodies.size();
  for (const ReducedBodyInfo& other : data_.reduced_bodies) {
    frame += static_cast<int>(other.modes->interfaces.size());
  }
  info.first_frame = FrameIndex(frame);
  for (const ReducedModes::Interface& interface : info.modes->interfaces) {
    info.points.push_back(point_index_.at(layout.name + "." + interface.name));
  }
  info.first_row = data_.constraint_rows, info.first_term = data_.constraint_terms;
  data_.constraint_rows += static_cast<int>(info.modes->count) + 3;
  data_.constraint_terms += static_cast<int>(info.modes->count);
  ReducedPlan plan;
  plan.index = data_.forces.push_back({layout.name, "reduced"});
  PointSpec pose;
  if (reduced.position) pose.position = *reduced.position;
  pose.axes = reduced.axes;
  plan.pose.position = numbers_.add_list(pose.position, path + ".position");
  if (pose.axes) {
    plan.pose.kind = pose.axes->kind;
    plan.pose.rotation = numbers_.add_list(pose.axes->numbers, path + ".axes");
    check_rotation(plan.pose.kind, plan.pose.rotation, pose.axes->mark, path + ".axes");
  }
  plan.damping = collect_held(reduced.damping, Kind::kNotNegative, path + ".damping");
  data_.plan.reduced_bodies.push_back(plan);
  data_.reduced_bodies.push_back(std::move(info));
}

}  // namespace sestina
