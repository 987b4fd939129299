#include "sestina/particles/articulated_geometry.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace sestina {
namespace {

constexpr double kNothing = 1e-12;  // of moments of inertia, relative to the largest
constexpr double kNear = 1e-9;      // of points to an axis, relative to the molecule's size

using Vec = Vec3<double>;

Eigen::Vector3d to_eigen(const Vec& a) { return {a.x, a.y, a.z}; }

Vec any_normal(const Vec& a) {
  const Vec b = std::abs(a.x) < 0.6 * norm(a) ? cross(a, Vec{1, 0, 0}) : cross(a, Vec{0, 1, 0});
  return (1.0 / norm(b)) * b;
}

Vec unit(const Vec& a) { return norm(a) > 0.0 ? (1.0 / norm(a)) * a : Vec{0, 0, 1}; }

std::array<double, 4> quaternion_of(const Eigen::Matrix3d& axes) {
  const Eigen::Quaterniond q(axes);
  return {q.w(), q.x(), q.y(), q.z()};
}

// Mass, centre and principal moments of points.
MoleculeBody body_of(const BodyDescription& given) {
  MoleculeBody body;
  for (const PointMass& point : given.points) {
    body.mass += point.mass;
    body.centre += point.mass * point.at;
  }
  body.centre = body.mass > 0.0 ? (1.0 / body.mass) * body.centre : given.points.front().at;
  SymMat3<double> sum{};
  for (const PointMass& point : given.points) sum += point_inertia(point.mass, point.at - body.centre);
  Eigen::Matrix3d tensor;
  tensor << sum.xx, sum.xy, sum.xz, sum.xy, sum.yy, sum.yz, sum.xz, sum.yz, sum.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(tensor);
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (given.points.size() == 1) axes.setIdentity();
  if (axes.determinant() < 0.0) axes.col(0) *= -1.0;
  body.turn = quaternion_of(axes);
  const double largest = solver.eigenvalues()[2];
  for (int a = 0; a < 3; ++a) {
    const double moment = given.points.size() == 1 ? 0.0 : solver.eigenvalues()[a];
    body.inertia[a] = (moment > kNothing * largest ? moment : 0.0) + given.inertia;
  }
  body.atoms = static_cast<int>(given.points.size());
  return body;
}

// Adds the bodies of a joint of several coordinates, the last of which is the body itself.
void add_with_joint(const BodyDescription& given, const BuiltMolecule& built,
                    std::vector<MoleculeBody>& bodies) {
  MoleculeBody body = body_of(given);
  if (given.parent < 0) {
    body.point = body.centre;
    bodies.push_back(body);
    return;
  }
  int parent = built.part_of[static_cast<std::size_t>(given.parent)];
  body.point = given.at;
  const Vec axis = unit(given.axis);
  const auto add_link = [&](BodyJoint joint, const Vec& along) {
    MoleculeBody link;
    link.parent = parent, link.joint = joint, link.axis = along;
    link.point = link.centre = given.at, link.turn = body.turn;
    bodies.push_back(link);
    parent = static_cast<int>(bodies.size()) - 1;
  };
  body.joint = given.joint == ParticleJoint::kSpherical   ? BodyJoint::kSpherical
               : given.joint == ParticleJoint::kPrismatic ? BodyJoint::kPrismatic
                                                          : BodyJoint::kRevolute;
  body.axis = axis;
  if (given.joint == ParticleJoint::kUniversal) {
    add_link(BodyJoint::kRevolute, axis);
    body.axis = unit(given.second_axis);
  } else if (given.joint == ParticleJoint::kCylindrical) {
    add_link(BodyJoint::kPrismatic, axis);
  } else if (given.joint == ParticleJoint::kPlanar) {
    const Vec side = any_normal(axis);
    add_link(BodyJoint::kPrismatic, side), add_link(BodyJoint::kPrismatic, cross(axis, side));
  }
  body.parent = parent;
  bodies.push_back(body);
}

// Adds the conditions that leave the freedom of the joint.
void add_conditions(const ClosureDescription& given, const BuiltMolecule& built,
                    std::vector<ClosingCondition>& conditions) {
  ClosingCondition condition;
  for (std::size_t i = 0; i < 2; ++i) {
    condition.bodies[i] = built.part_of[static_cast<std::size_t>(given.bodies[i])];
  }
  condition.points = given.points, condition.particle = given.particle;
  const auto add = [&](ClosingLaw law, const Vec& first, const Vec& second, double offset) {
    condition.law = law, condition.along = {first, second}, condition.offset = offset;
    conditions.push_back(condition);
  };
  const auto add_plane = [&](const Vec& normal) { add(ClosingLaw::kPlane, normal, {}, 0.0); };
  const auto add_angle = [&](const Vec& first, const Vec& second) {
    add(ClosingLaw::kPerpendicular, first, second, dot(first, second));
  };
  const Vec axis = unit(given.axis), side = any_normal(axis), other_side = cross(axis, side);
  switch (given.joint) {
    case ParticleJoint::kFree:
      return;
    case ParticleJoint::kDistance:
      return add(ClosingLaw::kDistance, {}, {}, given.distance);
    case ParticleJoint::kPlanar:
      add_plane(axis);
      break;
    case ParticleJoint::kCylindrical:
    case ParticleJoint::kPrismatic:
      add_plane(side), add_plane(other_side);
      break;
    default:
      add_plane({1, 0, 0}), add_plane({0, 1, 0}), add_plane({0, 0, 1});
      break;
  }
  if (given.joint == ParticleJoint::kSpherical) return;
  if (given.joint == ParticleJoint::kUniversal) return add_angle(axis, unit(given.second_axis));
  add_angle(side, axis), add_angle(other_side, axis);
  if (given.joint == ParticleJoint::kPrismatic) add_angle(side, other_side);
}

// The points of a body's joints, from its centre.
struct JointPoints {
  std::vector<Vec> points;
  bool only_forces = true;  // no joint can exert a torque about a line through them
};

JointPoints points_of_forces(const BuiltMolecule& built, const std::vector<ClosureDescription>& closures,
                             int number) {
  JointPoints made;
  const std::vector<MoleculeBody>& bodies = built.molecule.bodies;
  const Vec centre = bodies[static_cast<std::size_t>(number)].centre;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const MoleculeBody& body = bodies[b];
    const bool is_own = static_cast<int>(b) == number;
    if (body.joint == BodyJoint::kFree || (!is_own && body.parent != number)) continue;
    made.only_forces = made.only_forces && body.joint == BodyJoint::kSpherical;
    made.points.push_back(body.point - centre);
  }
  for (const ClosureDescription& closure : closures) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (built.part_of[static_cast<std::size_t>(closure.bodies[i])] != number) continue;
      made.only_forces = made.only_forces && (closure.joint == ParticleJoint::kSpherical ||
                                              closure.joint == ParticleJoint::kDistance);
      made.points.push_back(closure.points[i] - centre);
    }
  }
  return made;
}

double largest_distance(const std::vector<Vec>& points, const Vec* axis) {
  double largest = 0.0;
  for (const Vec& point : points)
    largest = std::max(largest, norm(axis != nullptr ? cross(*axis, point) : point));
  return largest;
}

// Gives axes without inertia, about which nothing turns, arbitrary moments of inertia
// (MoleculeBody::is_idle).
void mark_idle(BuiltMolecule& built, const std::vector<ClosureDescription>& closures, int number) {
  JointedMolecule& molecule = built.molecule;
  MoleculeBody& body = molecule.bodies[static_cast<std::size_t>(number)];
  if (!(body.mass > 0.0)) return;
  const double most = std::max({body.inertia.x, body.inertia.y, body.inertia.z});
  const auto [points, only_forces] = points_of_forces(built, closures, number);
  if (!only_forces) return;
  const double size = size_of(molecule);
  const double reach = largest_distance(points, nullptr);
  if (most == 0.0) {
    const bool is_point = reach <= kNear * size;
    Vec axis{0, 0, 1};
    for (const Vec& point : points) {
      if (norm(point) == reach && !is_point) axis = (1.0 / reach) * point;
    }
    if (largest_distance(points, &axis) > kNear * size) return;
    const Vec side = any_normal(axis);
    Eigen::Matrix3d axes;
    axes << to_eigen(side), to_eigen(cross(axis, side)), to_eigen(axis);
    body.turn = quaternion_of(axes);
    for (int a = is_point ? 0 : 2; a < 3; ++a) {
      body.is_idle[a] = true, body.inertia[a] = body.mass * size * size;
    }
    return;
  }
  for (int a = 0; a < 3; ++a) {
    const Vec axis = euler_parameter_rotation(body.turn.data()).column(a);
    if (body.inertia[a] > 0.0 || largest_distance(points, &axis) > kNear * size) continue;
    body.is_idle[a] = true, body.inertia[a] = most;
  }
}

}  // namespace

BuiltMolecule build_molecule(const std::vector<BodyDescription>& descriptions,
                             const std::vector<ClosureDescription>& closures) {
  BuiltMolecule built;
  std::vector<MoleculeBody>& bodies = built.molecule.bodies;
  for (const BodyDescription& given : descriptions) {
    add_with_joint(given, built, bodies);
    built.part_of.push_back(static_cast<int>(bodies.size()) - 1);
  }
  for (const ClosureDescription& given : closures) add_conditions(given, built, built.molecule.conditions);
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) mark_idle(built, closures, b);
  return built;
}

}  // namespace sestina
