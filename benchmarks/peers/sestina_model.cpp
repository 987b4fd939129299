#include "sestina_model.h"

#include <algorithm>

#include "sestina/model/freeze.h"

namespace peers {

using namespace sestina;

namespace {

Triple to_triple(const Vector3& v) { return {v[0], v[1], v[2]}; }

}  // namespace

std::string link_name(int i) { return "link" + std::to_string(i); }

System make_system(const Mechanism& mechanism) {
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
                       : link.joint == peers::Joint::kPrismatic ? "prismatic"
                       : link.joint == peers::Joint::kSpherical ? "spherical"
                                                                : "free";
    JointSpec& joint = system.add_joint("joint" + std::to_string(i), type,
                                        (link.parent < 0 ? "ground" : link_name(link.parent)) + "." + mount,
                                        link_name(i) + ".origin");
    if (link.nu == 1) {
      joint.axis = Triple{double(link.axis == 0), double(link.axis == 1), double(link.axis == 2)};
    }
  }
  return system;
}

std::shared_ptr<const Model> make_model(const Mechanism& mechanism) { return freeze(make_system(mechanism)); }

LinkOrder::LinkOrder(const Mechanism& mechanism, const Model& model) : mechanism_(mechanism), model_(model) {
  for (int i = 0; i < static_cast<int>(mechanism.links.size()); ++i) {
    bodies_.push_back(model.body(link_name(i)));
  }
}

template <class Start, class OurStart>
std::vector<double> LinkOrder::reorder(const std::vector<double>& x, Start start, OurStart our_start,
                                       int Link::*count) const {
  std::vector<double> ours(x.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Link& link = mechanism_.links[i];
    const auto from = x.begin() + link.*start;
    std::copy(from, from + link.*count, ours.begin() + model_.bodies()[bodies_[i]].*our_start);
  }
  return ours;
}
std::vector<double> LinkOrder::reorder_q(const std::vector<double>& q) const {
  return reorder(q, &Link::q_start, &BodyInfo::q_start, &Link::nq);
}
std::vector<double> LinkOrder::reorder_u(const std::vector<double>& u) const {
  return reorder(u, &Link::u_start, &BodyInfo::u_start, &Link::nu);
}
std::vector<double> LinkOrder::restore_u(const std::vector<double>& ours) const {
  std::vector<double> x(ours.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = ours[static_cast<std::size_t>(ours_of_speed(static_cast<int>(k)))];
  }
  return x;
}
int LinkOrder::ours_of_speed(int speed) const {
  std::size_t i = 0;
  while (speed >= mechanism_.links[i].u_start + mechanism_.links[i].nu) ++i;
  return model_.bodies()[bodies_[i]].u_start + speed - mechanism_.links[i].u_start;
}

}  // namespace peers
