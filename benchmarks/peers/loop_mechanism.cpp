#include "loop_mechanism.h"

#include <algorithm>
#include <cmath>

namespace peers {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr EulerParameters kUnturned{1, 0, 0, 0};

EulerParameters product(const EulerParameters& a, const EulerParameters& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

EulerParameters turn_about(int axis, double angle) {
  EulerParameters e{std::cos(0.5 * angle), 0, 0, 0};
  e[static_cast<std::size_t>(axis) + 1] = std::sin(0.5 * angle);
  return e;
}

Vector3 sum(const Vector3& a, const Vector3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector3 difference(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

struct Place {
  EulerParameters orientation{1, 0, 0, 0};
  Vector3 position{};
};

// The pose of the link's frame in the ground.
Place calc_place(const Mechanism& mechanism, const std::vector<double>& q, int i) {
  if (i < 0) return {};
  const Link& link = mechanism.links[static_cast<std::size_t>(i)];
  const Place parent = calc_place(mechanism, q, link.parent);
  Place place{product(parent.orientation, link.orientation),
              sum(parent.position, rotate(parent.orientation, link.position))};
  const double* at = q.data() + link.q_start;
  Vector3 moved{};
  EulerParameters turned = kUnturned;
  if (link.joint == Joint::kRevolute) turned = turn_about(link.axis, at[0]);
  if (link.joint == Joint::kPrismatic) moved[static_cast<std::size_t>(link.axis)] = at[0];
  if (link.joint == Joint::kFree) moved = {at[0], at[1], at[2]}, at += 3;
  if (link.nu > 1) turned = {at[0], at[1], at[2], at[3]};
  place.position = sum(place.position, rotate(place.orientation, moved));
  place.orientation = product(place.orientation, turned);
  return place;
}

// Frames whose z axes are the axis y of the links.
const EulerParameters kZToY = turn_about(0, -kPi / 2);

Link make_part(int parent, Joint joint, int axis, const Vector3& position, double mass, const Vector3& com,
               double moment) {
  Link link = make_rod(parent, joint, axis, position);
  link.mass = mass;
  link.center_of_mass = com;
  link.inertia = {moment, moment, moment, 0, 0, 0};
  return link;
}

const char* suffix(ClosureType type) {
  return type == ClosureType::kPoint ? "" : type == ClosureType::kHinge ? ", hinge" : ", weld";
}

// The orientation whose x axis has this direction.
EulerParameters turn_x_to(const Vector3& d) {
  const double yaw = std::atan2(d[1], d[0]), pitch = -std::atan2(d[2], std::hypot(d[0], d[1]));
  return product(turn_about(2, yaw), turn_about(1, pitch));
}

Vector3 on_circle(double radius, double angle, double height) {
  return {radius * std::cos(angle), radius * std::sin(angle), height};
}

}  // namespace

int LoopMechanism::rows() const {
  int count = 0;
  for (const Closure& closure : closures) {
    count += closure.type == ClosureType::kPoint ? 3 : closure.type == ClosureType::kHinge ? 5 : 6;
  }
  return count;
}

LoopMechanism make_four_bars(int n, ClosureType type) {
  constexpr int kY = 1;
  constexpr double kCrank = -1.2;  // rad, upwards
  LoopMechanism mechanism;
  mechanism.name = "four-bars " + std::to_string(n) + suffix(type);
  mechanism.spread = 0.4;
  int base = -1;
  for (int i = 0; i < n; ++i) {
    const int second = static_cast<int>(mechanism.tree.links.size());
    add_link(mechanism.tree, make_rod(base, Joint::kRevolute, kY, {1, 0, 0}));
    add_link(mechanism.tree, make_rod(base, Joint::kRevolute, kY, {0, 0, 0}));
    add_link(mechanism.tree, make_rod(second + 1, Joint::kRevolute, kY, {1, 0, 0}));
    base = second + 2;  // the coupler
    mechanism.closures.push_back({type, {second, {1, 0, 0}, kZToY}, {base, {1, 0, 0}, kZToY}});
    mechanism.nominal_q.insert(mechanism.nominal_q.end(), {kCrank, kCrank, -kCrank});
  }
  return mechanism;
}

LoopMechanism make_ring(int n, ClosureType type) {
  LoopMechanism mechanism;
  mechanism.name = "ring " + std::to_string(n) + suffix(type);
  mechanism.tree = make_chain(n, Joint::kRevolute);
  for (int i = 0; i < n; ++i) mechanism.nominal_q.push_back(i % 2 == 0 ? 4.0 * kPi / n : 0.0);
  mechanism.closures.push_back({type, {-1, {0, 0, 0}, kZToY}, {n - 1, {1, 0, 0}, kZToY}});
  mechanism.spread = 0.2;
  return mechanism;
}

LoopMechanism make_stewart_platform() {
  constexpr int kX = 0, kY = 1, kZ = 2;
  LoopMechanism mechanism;
  mechanism.name = "Stewart platform";
  mechanism.spread = 0.1;
  const Vector3 middle{0, 0, 1.2};
  int platform = -1;
  Vector3 carried{};
  for (int i = 0; i < 6; ++i) {
    const double pair = 2.0 * kPi / 3 * (i / 2), side = i % 2 == 0 ? -1.0 : 1.0;
    const Vector3 foot = on_circle(1.0, pair + 0.8 * side, 0.0);
    const Vector3 head = sum(middle, on_circle(0.6, pair + 0.25 * side, 0.0));
    const Vector3 along = difference(head, foot);
    const double half = 0.5 * std::sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    const int cross = static_cast<int>(mechanism.tree.links.size());
    Link first = make_part(-1, Joint::kRevolute, kY, foot, 0.2, {0, 0, 0}, 1e-3);
    first.orientation = turn_x_to(along);
    add_link(mechanism.tree, first);
    add_link(mechanism.tree, make_part(cross, Joint::kRevolute, kZ, {0, 0, 0}, 1.5, {0.3, 0, 0}, 0.05));
    add_link(mechanism.tree,
             make_part(cross + 1, Joint::kPrismatic, kX, {half, 0, 0}, 1.0, {0.3, 0, 0}, 0.03));
    mechanism.nominal_q.insert(mechanism.nominal_q.end(), {0.0, 0.0, 0.0});
    if (platform < 0) {
      platform = cross + 3;
      carried = head;
      const EulerParameters& e = first.orientation;
      Link link =
          make_part(cross + 2, Joint::kSpherical, kX, {half, 0, 0}, 5.0, difference(middle, head), 0.5);
      link.orientation = {e[0], -e[1], -e[2], -e[3]};
      add_link(mechanism.tree, link);
      mechanism.nominal_q.insert(mechanism.nominal_q.end(), kUnturned.begin(), kUnturned.end());
    } else {
      mechanism.closures.push_back({ClosureType::kPoint,
                                    {platform, difference(head, carried), kUnturned},
                                    {cross + 2, {half, 0, 0}, kUnturned}});
    }
  }
  return mechanism;
}

LoopMechanism make_humanoid_on_feet() {
  LoopMechanism mechanism;
  mechanism.name = "humanoid on its feet";
  mechanism.tree = make_humanoid();
  mechanism.nominal_q = make_states(mechanism.tree, 1).front().q;
  mechanism.spread = 0.2;
  for (const int foot : {6, 12}) {
    const Place place = calc_place(mechanism.tree, mechanism.nominal_q, foot);
    mechanism.closures.push_back(
        {ClosureType::kFrame, {-1, place.position, place.orientation}, {foot, {}, kUnturned}});
  }
  return mechanism;
}

}  // namespace peers
