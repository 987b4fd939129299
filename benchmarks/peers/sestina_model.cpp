#include "sestina_model.h"

#include "sestina/model/freeze.h"

namespace peers {

using namespace sestina;

namespace {

Triple to_triple(const Vector3& v) { return {v[0], v[1], v[2]}; }

}  // namespace

std::string link_name(int i) { return "link" + std::to_string(i); }

std::shared_ptr<const Model> make_model(const Mechanism& mechanism) {
  System system;
  system.gravity = to_triple(mechanism.gravity);
  for (int i = 0; i < static_cast<int>(mechanism.links.size()); ++i) {
    const Link& link = mechanism.links[static_cast<std::size_t>(i)];
    const auto& J = link.inertia;
    BodySpec& body = system.add_body(link_name(i), link.mass);
    body.center_of_mass = to_triple(link.center_of_mass);
    body.inertia = {.xx = J[0], .yy = J[1], .zz = J[2], .xy = J[3], .xz = J[4], .yz = J[5]};
    const std::string mount = "mount" + std::to_string(i);
    const auto& e = link.orientation;
    PointSpec& point = link.parent < 0
                           ? system.add_ground_point(mount, to_triple(link.position))
                           : system.body(link_name(link.parent)).add_point(mount, to_triple(link.position));
    if (e[0] != 1.0) point.axes = RotationSpec::euler_parameters(e[0], e[1], e[2], e[3]);
    const char* type = link.joint == peers::Joint::kRevolute    ? "revolute"
                       : link.joint == peers::Joint::kSpherical ? "spherical"
                                                                : "free";
    JointSpec& joint = system.add_joint("joint" + std::to_string(i), type,
                                        (link.parent < 0 ? "ground" : link_name(link.parent)) + "." + mount,
                                        link_name(i) + ".origin");
    if (link.joint == peers::Joint::kRevolute) {
      joint.axis = Triple{double(link.axis == 0), double(link.axis == 1), double(link.axis == 2)};
    }
  }
  return freeze(system);
}

}  // namespace peers
