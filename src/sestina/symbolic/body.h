// Particles, rigid bodies and the loads that act on them.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/point.h"
#include "sestina/symbolic/vector.h"

namespace sestina::symbolic {

// By moments and products of inertia; these are elements of the matrix, ixy = -integral of x y dm.
Dyadic inertia(const ReferenceFrame& frame, const Expression& ixx, const Expression& iyy,
               const Expression& izz, const Expression& ixy = 0, const Expression& iyz = 0,
               const Expression& izx = 0);
// Of a mass at a place, about the origin of the position: m (r.r 1 - r r).
Dyadic inertia_of_point_mass(const Expression& mass, const Vector& position, const ReferenceFrame& frame);

struct Particle {
  std::string name;
  Point point;
  Expression mass;
  Expression potential_energy = 0;

  Expression kinetic_energy(const ReferenceFrame& frame) const;
  Vector linear_momentum(const ReferenceFrame& frame) const;
  Vector angular_momentum(const Point& about, const ReferenceFrame& frame) const;
};

struct RigidBody {
  std::string name;
  Point masscenter;
  ReferenceFrame frame;
  Expression mass;
  Dyadic inertia;
  Point inertia_point;  // about which the inertia is given
  Expression potential_energy = 0;

  Dyadic central_inertia() const;
  Dyadic parallel_axis(const Point& about) const;
  Expression kinetic_energy(const ReferenceFrame& in) const;
  Vector linear_momentum(const ReferenceFrame& in) const;
  Vector angular_momentum(const Point& about, const ReferenceFrame& in) const;
};

using Body = std::variant<Particle, RigidBody>;

const std::string& name_of(const Body& body);
const Point& masscenter_of(const Body& body);
const Expression& mass_of(const Body& body);

struct Force {
  Point point;
  Vector force;
};

struct Torque {
  ReferenceFrame frame;
  Vector torque;
};

using Load = std::variant<Force, Torque>;

std::string describe(const Load& load);  // the force at point P
const Vector& vector_of(const Load& load);
std::vector<Expression> elements_of(const Vector& vector);  // of all its parts
// Of its point, or of its frame the angular velocity.
Vector velocity_of(const Load& load, const ReferenceFrame& frame);

// The weight of every body: mass times `acceleration` at its mass centre.
std::vector<Load> gravity(const Vector& acceleration, std::span<const Body> bodies);

// Of the whole system, as seen from the frame.
Expression kinetic_energy(const ReferenceFrame& frame, std::span<const Body> bodies);
Expression potential_energy(std::span<const Body> bodies);
Expression Lagrangian(const ReferenceFrame& frame, std::span<const Body> bodies);
Vector linear_momentum(const ReferenceFrame& frame, std::span<const Body> bodies);
Vector angular_momentum(const Point& about, const ReferenceFrame& frame, std::span<const Body> bodies);
// From the point to the mass centre of all.
Vector center_of_mass(const Point& from, std::span<const Body> bodies);

}  // namespace sestina::symbolic
