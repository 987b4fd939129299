// Builds the tree from the references, and the order of bodies, coordinates and points.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/suggest.h"
#include "sestina/model/freezer.h"

namespace sestina {
namespace {

// The connected pieces of bodies so far; the ground is the last element.
class Pieces {
 public:
  explicit Pieces(std::size_t bodies) : piece_(bodies + 1) {
    for (std::size_t i = 0; i < piece_.size(); ++i) piece_[i] = i;
  }
  // Returns the piece of the body at a position; -1 is the ground.
  std::size_t find(int body) {
    std::size_t i = body < 0 ? piece_.size() - 1 : static_cast<std::size_t>(body);
    while (piece_[i] != i) i = piece_[i] = piece_[piece_[i]];
    return i;
  }
  void join(int child, int parent) { piece_[find(child)] = find(parent); }

 private:
  std::vector<std::size_t> piece_;
};

}  // namespace

void Freezer::build_topology() {
  const auto add_points = [&](const std::string& body, const std::vector<PointSpec>& points) {
    point_names_.insert(body + ".origin");
    for (const PointSpec& point : points) point_names_.insert(body + "." + point.name.text);
  };
  add_points("ground", system_.ground_points);
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const BodySpec& spec = system_.bodies[i];
    // If two bodies have the same name, which is a fault, the first counts.
    if (body_positions_.emplace(spec.name.text, static_cast<int>(i)).second) {
      add_points(spec.name.text, spec.points);
    }
  }
  for (const BeamLayout& beam : beams_) {
    for (const auto& point : beam.points) point_names_.insert(beam.name + "." + point.first);
  }
  links_.resize(system_.bodies.size());
  link_joints();
  order_bodies();
  index_points();
  index_cut_joints();
}

// Splits BODY.POINT and finds both; `body` is -1 for the ground. Reports faults.
bool Freezer::find_reference(const Name& reference, const std::string& path, int& body, std::string& point) {
  const std::string& text = reference.text;
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == text.size() ||
      text.find('.', dot + 1) != std::string::npos) {
    fail(reference.mark, path,
         fmt::format("'{}' is not a point: expected BODY.POINT, such as ground.origin", text));
    return false;
  }
  const std::string body_name = text.substr(0, dot);
  point = text.substr(dot + 1);
  body = -1;
  if (const auto beam = beam_of_name_.find(body_name); beam != beam_of_name_.end()) {
    const auto& points = beam->second->points;
    const auto own = std::ranges::find(points, point, [](const auto& p) { return p.first; });
    if (own == points.end()) {
      const std::vector<std::string> known = names_to_suggest(points, [](const auto& p) { return p.first; });
      fail(reference.mark, path,
           fmt::format("the beam '{}' has no point '{}'{}", body_name, point, suggestion(point, known)));
      return false;
    }
    body = beam->second->nodes[static_cast<std::size_t>(own->second)];
    return true;
  }
  if (body_name != "ground") {
    const auto found = body_positions_.find(body_name);
    if (found == body_positions_.end()) {
      const std::vector<std::string> known =
          names_to_suggest(system_.bodies, [](const BodySpec& spec) { return spec.name.text; }, {"ground"});
      fail(reference.mark, path,
           fmt::format("there is no body '{}'{}", body_name, suggestion(body_name, known)));
      return false;
    }
    body = found->second;
  }
  const auto& points =
      body < 0 ? system_.ground_points : system_.bodies[static_cast<std::size_t>(body)].points;
  // The origin of a reduced body's frame is not a material point of it.
  const bool is_reduced = body >= 0 && system_.bodies[static_cast<std::size_t>(body)].reduced.has_value();
  if (!point_names_.contains(text) || (is_reduced && point == "origin")) {
    std::vector<std::string> always;
    if (!is_reduced) always.emplace_back("origin");
    const std::vector<std::string> known = names_to_suggest(
        points, [](const PointSpec& spec) { return spec.name.text; }, always);
    fail(reference.mark, path,
         fmt::format("'{}' has no point '{}'{}", body_name, point, suggestion(point, known)));
    return false;
  }
  return true;
}

// The first joint that reaches a body carries it. A joint closes a loop if its child has a joint already, is
// the ground, or carries the joint's own parent, or if it has `cut`. Joints with a fault are omitted, so that
// their bodies float while the rest is checked.
void Freezer::link_joints() {
  Pieces pieces(links_.size());
  for (std::size_t j = 0; j < system_.joints.size(); ++j) {
    Link link;
    link.joint = static_cast<int>(j);
    int child = -1;
    if (!find_bodies(system_.joints[j], link, child)) {
      leave_out(link.joint);
      continue;
    }
    const bool hangs = child < 0 || links_[static_cast<std::size_t>(child)].joint >= 0;
    if (system_.joints[j].cut || hangs || pieces.find(child) == pieces.find(link.parent)) {
      cut_links_.push_back({link, child});
    } else {
      links_[static_cast<std::size_t>(child)] = link;
      pieces.join(child, link.parent);
    }
  }
}

void Freezer::leave_out(int joint) {
  left_out_joints_.insert(joint);
  left_out_names_.insert(system_.joints[static_cast<std::size_t>(joint)].name.text);
}

// Completes the link and the position of the child; returns false if a fault was reported.
bool Freezer::find_bodies(const JointSpec& joint, Link& link, int& child) {
  const std::string path = fmt::format("joints[{}]", link.joint);
  const bool has_type = joint_type_from_keyword(joint.type.text).has_value();
  if (!has_type) {
    fail(joint.type.mark, path + ".type",
         fmt::format("there is no joint type '{}'{}", joint.type.text,
                     suggestion(joint.type.text, joint_keywords())));
  }
  const bool has_parent = find_reference(joint.parent, path + ".parent", link.parent, link.parent_point);
  const bool has_child = find_reference(joint.child, path + ".child", child, link.child_point);
  if (!has_parent || !has_child) return false;
  if (child == link.parent) {
    fail(joint.child.mark, path + ".child", "a joint cannot connect a body to itself");
    return false;
  }
  return has_type;
}

// Depth first, children in the order of the description, so that a subtree is consecutive.
void Freezer::order_bodies() {
  const std::size_t n = links_.size();
  std::vector<std::vector<int>> children(n + 1);  // the last list is that of the ground
  for (std::size_t i = 0; i < n; ++i) {
    const auto position = static_cast<int>(i);
    const auto beam = beam_of_node_.find(position);
    if (beam != beam_of_node_.end()) {  // all nodes of a beam take the place of the first
      const std::vector<int>& nodes = beam->second->nodes;
      if (position == nodes[0]) {
        const auto count = static_cast<std::ptrdiff_t>(beam->second->node_count());
        children[n].insert(children[n].end(), nodes.begin(), nodes.begin() + count);
      }
      continue;
    }
    const std::size_t parent = links_[i].parent < 0 ? n : static_cast<std::size_t>(links_[i].parent);
    children[parent].push_back(position);
  }
  index_of_position_.assign(n, BodyIndex());
  position_of_index_.assign(1, -1);
  data_.bodies.push_back({"ground", false, BodyIndex(), "", JointType::kWeld, {}, {}, 0, 0, 0, 0});
  std::vector<int> stack(children[n].rbegin(), children[n].rend());
  while (!stack.empty()) {
    const int position = stack.back();
    stack.pop_back();
    add_body(position);
    const std::vector<int>& own = children[static_cast<std::size_t>(position)];
    stack.insert(stack.end(), own.rbegin(), own.rend());
  }
}

// In cartesian coordinates each body floats; the order of bodies is that of relative coordinates.
void Freezer::add_body(int position) {
  const auto i = static_cast<std::size_t>(position);
  const BodySpec& spec = system_.bodies[i];
  const Link& link = links_[i];
  BodyInfo info;
  info.name = spec.name.text;
  info.is_particle = spec.type == "particle";
  info.position = described_position(position);
  info.mark = spec.mass && spec.mass->mark.line > 0 ? spec.mass->mark : spec.mark;
  info.is_mode = is_mode(position);
  info.hangs_on_cut = is_cartesian() && link.joint >= 0 && !info.is_mode;
  if (link.joint < 0 || info.hangs_on_cut) {
    info.parent = kGround;
    info.joint_name = info.name;
    // A free particle does not rotate, since it has no rotary inertia. A cut joint may make it rotate.
    info.joint_type = info.is_particle && link.joint < 0 ? JointType::kXyz : JointType::kFree;
  } else {
    const JointSpec& joint = system_.joints[static_cast<std::size_t>(link.joint)];
    info.parent = link.parent < 0 ? kGround : index_of_position_[static_cast<std::size_t>(link.parent)];
    info.joint_name = joint.name.text;
    info.joint_type = *joint_type_from_keyword(joint.type.text);
  }
  const JointInfo& joint = joint_info(info.joint_type);
  info.q_start = data_.nq, info.nq = joint.nq;
  info.u_start = data_.nu, info.nu = joint.nu;
  data_.nq += joint.nq, data_.nu += joint.nu;
  const bool is_shown = is_cartesian() && !info.hangs_on_cut;
  for (int k = 0; k < joint.nq; ++k) {
    data_.q_names.push_back(info.joint_name + (joint.nq == 1 ? ".q" : fmt::format(".q[{}]", k)));
    data_.q_units.push_back(joint.q_units[static_cast<std::size_t>(k)]);
    if (is_shown) data_.shown_q.push_back(info.q_start + k);
  }
  for (int k = 0; k < joint.nu; ++k) {
    data_.u_names.push_back(info.joint_name + (joint.nu == 1 ? ".u" : fmt::format(".u[{}]", k)));
    data_.u_units.push_back(joint.u_units[static_cast<std::size_t>(k)]);
    if (is_shown) data_.shown_u.push_back(info.u_start + k);
  }
  index_of_position_[i] = data_.bodies.push_back(info);
  position_of_index_.push_back(position);
  if (!info.hangs_on_cut) joint_index_.emplace(info.joint_name, index_of_position_[i]);
}

void Freezer::index_points() {
  const auto add = [&](const std::string& body, const std::string& point, BodyIndex index) {
    const std::string name = body + "." + point;
    point_index_.emplace(name, data_.points.push_back({name, index}));
  };
  for (BodyIndex b = kGround; b.value() < data_.bodies.size(); ++b) {
    BodyInfo& info = data_.bodies[b];
    const int position = position_of_index_[static_cast<std::size_t>(b.value())];
    const auto& points =
        position < 0 ? system_.ground_points : system_.bodies[static_cast<std::size_t>(position)].points;
    add(info.name, "origin", b);
    for (const PointSpec& point : points) add(info.name, point.name.text, b);
    if (position < 0) continue;
    const Link floating;
    const Link& link = info.hangs_on_cut ? floating : links_[static_cast<std::size_t>(position)];
    info.parent_point = point_index_.at(data_.bodies[info.parent].name + "." + link.parent_point);
    info.child_point = point_index_.at(info.name + "." + link.child_point);
  }
  index_beam_points();
}

// Returns the joints that close loops, in file order. In cartesian coordinates the joints that would carry
// bodies come first, in the order of the bodies.
std::vector<Freezer::CutLink> Freezer::find_cut_links() const {
  std::vector<CutLink> cut_links;
  for (const int position : position_of_index_) {
    if (!is_cartesian() || position < 0 || is_mode(position)) continue;
    const Link& link = links_[static_cast<std::size_t>(position)];
    if (link.joint >= 0) cut_links.push_back({link, position});
  }
  cut_links.insert(cut_links.end(), cut_links_.begin(), cut_links_.end());
  return cut_links;
}

// Assigns the places of cut joints among the coordinates of cut joints and among the conditions.
void Freezer::index_cut_joints() {
  const std::vector<CutLink> cut_links = find_cut_links();
  data_.carrying_joints = cut_links.size() - cut_links_.size();
  for (const CutLink& cut : cut_links) {
    const JointSpec& spec = system_.joints[static_cast<std::size_t>(cut.link.joint)];
    const auto body = [&](int position) {
      return position < 0 ? kGround : index_of_position_[static_cast<std::size_t>(position)];
    };
    CutJointInfo info;
    info.name = spec.name.text;
    info.type = *joint_type_from_keyword(spec.type.text);
    info.parent = body(cut.link.parent), info.child = body(cut.child);
    info.parent_point = point_index_.at(data_.bodies[info.parent].name + "." + cut.link.parent_point);
    info.child_point = point_index_.at(data_.bodies[info.child].name + "." + cut.link.child_point);
    info.position = cut.link.joint;
    info.mark = spec.mark;
    const JointInfo& joint = joint_info(info.type);
    info.q_start = data_.cut_nq, info.nq = joint.nq;
    info.u_start = data_.cut_nu, info.nu = joint.nu;
    info.first_row = data_.constraint_rows, info.rows = 6 - joint.nu;
    if (spec.armature && joint.nu == 1) info.armature_row = info.first_row + info.rows++;
    info.is_q_given = !spec.q.empty(), info.is_u_given = !spec.u.empty(), info.is_held = spec.hold;
    data_.cut_nq += joint.nq, data_.cut_nu += joint.nu;
    data_.constraint_rows += info.rows;
    for (int k = 0; k < joint.nq; ++k) {
      data_.cut_q_names.push_back(info.name + (joint.nq == 1 ? ".q" : fmt::format(".q[{}]", k)));
      data_.cut_q_units.push_back(joint.q_units[static_cast<std::size_t>(k)]);
    }
    for (int k = 0; k < joint.nu; ++k) {
      data_.cut_u_names.push_back(info.name + (joint.nu == 1 ? ".u" : fmt::format(".u[{}]", k)));
      data_.cut_u_units.push_back(joint.u_units[static_cast<std::size_t>(k)]);
    }
    cut_index_.emplace(info.name, data_.cut_joints.size());
    data_.cut_joints.push_back(std::move(info));
  }
}

// Freezes the same description in relative coordinates, in which it is assembled.
void Freezer::add_relative_model() {
  ExpandedSystem relative{system_,
                          {beams_.begin(), beams_.end()},
                          {reduced_bodies_.begin(), reduced_bodies_.end()},
                          {hydraulics_.begin(), hydraulics_.end()},
                          {second_orders_.begin(), second_orders_.end()},
                          {belts_.begin(), belts_.end()},
                          {lugres_.begin(), lugres_.end()},
                          {bristles_.begin(), bristles_.end()},
                          described_states_,
                          described_columns_};
  relative.system.analysis.coordinates = "relative";
  data_.relative = Freezer(relative).freeze().model;
}

PointIndex Freezer::find_point(const Name& reference, const std::string& path) {
  if (reference.empty()) {
    fail(reference.mark, path, "is missing: expected BODY.POINT");
    return {};
  }
  int body = -1;
  std::string point;
  if (!find_reference(reference, path, body, point)) return {};
  return point_index_.at(reference.text);
}

}  // namespace sestina
