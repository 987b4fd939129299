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

// Inertia from its moments and products, elements of the matrix: ixy = -integral of x y dm.
Dyadic inertia(const ReferenceFrame& frame, const Expression& ixx, const Expression& iyy,
               const Expression& izz, const Expression& ixy = 0, const Expression& iyz = 0,
               const Expression& izx = 0);
// Inertia of a point mass about the origin of `position`: m (r.r 1 - r r).
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
  Point inertia_point;  // the inertia is given about it
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

std::string describe(const Load& load);  // "the force at point P"
const Vector& vector_of(const Load& load);
std::vector<Expression> elements_of(const Vector& vector);  // of all its parts
// Velocity of the load's point, or angular velocity of its frame.
Vector velocity_of(const Load& load, const ReferenceFrame& frame);

// The weight of every body: mass times `acceleration` at its mass centre.
std::vector<Load> gravity(const Vector& acceleration, std::span<const Body> bodies);

// Energies and momentum of the whole system, as seen from the frame.
Expression kinetic_energy(const ReferenceFrame& frame, std::span<const Body> bodies);
Expression potential_energy(std::span<const Body> bodies);
Expression Lagrangian(const ReferenceFrame& frame, std::span<const Body> bodies);
Vector linear_momentum(const ReferenceFrame& frame, std::span<const Body> bodies);
Vector angular_momentum(const Point& about, const ReferenceFrame& frame, std::span<const Body> bodies);
// Vector from the point to the common mass centre.
Vector center_of_mass(const Point& from, std::span<const Body> bodies);

}  // namespace sestina::symbolic
