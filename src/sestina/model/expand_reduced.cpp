#include "sestina/model/expand_reduced.h"

#include <algorithm>
#include <set>

#include "sestina/flexible/reduced_body.h"

namespace sestina {
namespace {

bool is_reduced(const BodySpec& body) {
  return body.type == "reduced" && body.reduced.has_value() && body.reduced->modes != nullptr;
}

void fill_body(BodySpec& body) {
  const ReducedModes& modes = *body.reduced->modes;
  constexpr double kShare = ReducedModes::kRigidShare;
  const SymMat3<double>& J = modes.J0;
  body.mass = modes.mass;
  body.inertia = {.xx = kShare * J.xx,
                  .yy = kShare * J.yy,
                  .zz = kShare * J.zz,
                  .xy = kShare * J.xy,
                  .xz = kShare * J.xz,
                  .yz = kShare * J.yz};
  body.points.clear();
  for (const ReducedModes::Interface& interface : modes.interfaces) {
    const Vec3<double> p = interface.position - modes.center_of_mass;
    body.points.push_back({interface.name, {p.x, p.y, p.z}, {}});
  }
}

}  // namespace

bool has_reduced_bodies(const System& system) { return std::ranges::any_of(system.bodies, is_reduced); }

void expand_reduced_bodies(ExpandedSystem& expanded) {
  System& system = expanded.system;
  std::set<std::string> names;
  const std::size_t described = system.bodies.size();
  for (std::size_t i = 0; i < described; ++i) {
    if (!is_reduced(system.bodies[i])) continue;
    BodySpec& body = system.bodies[i];
    fill_body(body);
    names.insert(body.name.text);
    const ReducedModes& modes = *body.reduced->modes;
    expanded.reduced_bodies.push_back(
        {body.name.text, static_cast<int>(i), static_cast<int>(system.bodies.size())});
    const std::string name = body.name.text;
    const Mark mark = body.mark;
    for (std::size_t k = 1; k <= modes.count; ++k) {
      const std::string mode = name + "_mode_" + std::to_string(k);
      BodySpec& carrier = system.add_body(mode + "_carrier", 0);
      carrier.mark = carrier.name.mark = mark;
      JointSpec& joint = system.add_joint(mode, "prismatic", "ground.origin", mode + "_carrier.origin");
      joint.axis = Triple{1, 0, 0};
      joint.q = joint.u = {0};  // unless something else is given, the body moves and is undeformed
      joint.armature = ReducedModes::kRigidShare * modes.mass;
      joint.mark = joint.name.mark = mark;
    }
  }
  const auto is_on_reduced = [&](const Name& reference) {
    return names.contains(reference.text.substr(0, reference.text.find('.')));
  };
  for (JointSpec& joint : system.joints) {
    joint.cut = joint.cut || is_on_reduced(joint.parent) || is_on_reduced(joint.child);
  }
}

}  // namespace sestina
