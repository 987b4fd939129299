#include "sestina/symbolic/body.h"

namespace sestina::symbolic {

Dyadic inertia(const ReferenceFrame& frame, const Expression& ixx, const Expression& iyy,
               const Expression& izz, const Expression& ixy, const Expression& iyz, const Expression& izx) {
  return {frame, {{{ixx, ixy, izx}, {ixy, iyy, iyz}, {izx, iyz, izz}}}};
}

Dyadic inertia_of_point_mass(const Expression& mass, const Vector& position, const ReferenceFrame& frame) {
  const Triple r = position.to_matrix(frame);
  Matrix3 I;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    I[i][i] = mass * (r[j] * r[j] + r[k] * r[k]);
    I[i][j] = I[j][i] = -(mass * r[i] * r[j]);
  }
  return {frame, I};
}

Expression Particle::kinetic_energy(const ReferenceFrame& in) const {
  const Vector v = point.vel(in);
  return mass * v.dot(v) / 2;
}

Vector Particle::linear_momentum(const ReferenceFrame& in) const { return mass * point.vel(in); }

Vector Particle::angular_momentum(const Point& about, const ReferenceFrame& in) const {
  return point.pos_from(about).cross(linear_momentum(in));
}

namespace {

// Returns the axes in which the inertia is given: those of a wheel may not turn with it, and then the
// orientation of its own frame is not needed.
ReferenceFrame inertia_axes(const RigidBody& body) {
  if (body.inertia.is_zero()) return body.frame;
  return {*body.inertia.mechanics(), body.inertia.parts()[0].left};
}

}  // namespace

Dyadic RigidBody::central_inertia() const {
  if (inertia_point == masscenter) return inertia;
  return inertia - inertia_of_point_mass(mass, masscenter.pos_from(inertia_point), inertia_axes(*this));
}

Dyadic RigidBody::parallel_axis(const Point& about) const {
  return central_inertia() + inertia_of_point_mass(mass, masscenter.pos_from(about), inertia_axes(*this));
}

Expression RigidBody::kinetic_energy(const ReferenceFrame& in) const {
  const Vector v = masscenter.vel(in);
  const Dyadic I = central_inertia();
  if (I.is_zero()) return mass * v.dot(v) / 2;
  const Vector w = frame.ang_vel_in(in).express(inertia_axes(*this));
  return mass * v.dot(v) / 2 + w.dot(I.dot(w)) / 2;
}

Vector RigidBody::linear_momentum(const ReferenceFrame& in) const { return mass * masscenter.vel(in); }

Vector RigidBody::angular_momentum(const Point& about, const ReferenceFrame& in) const {
  return central_inertia().dot(frame.ang_vel_in(in)) + masscenter.pos_from(about).cross(linear_momentum(in));
}

const std::string& name_of(const Body& body) {
  return std::visit([](const auto& b) -> const std::string& { return b.name; }, body);
}

const Point& masscenter_of(const Body& body) {
  if (const auto* particle = std::get_if<Particle>(&body)) return particle->point;
  return std::get<RigidBody>(body).masscenter;
}

const Expression& mass_of(const Body& body) {
  return std::visit([](const auto& b) -> const Expression& { return b.mass; }, body);
}

std::string describe(const Load& load) {
  if (const auto* force = std::get_if<Force>(&load)) return "the force at point " + force->point.name();
  return "the torque on frame " + std::get<Torque>(load).frame.name();
}

const Vector& vector_of(const Load& load) {
  if (const auto* force = std::get_if<Force>(&load)) return force->force;
  return std::get<Torque>(load).torque;
}

std::vector<Expression> elements_of(const Vector& vector) {
  std::vector<Expression> all;
  for (const Vector::Part& part : vector.parts()) all.insert(all.end(), part.xyz.begin(), part.xyz.end());
  return all;
}

Vector velocity_of(const Load& load, const ReferenceFrame& frame) {
  if (const auto* force = std::get_if<Force>(&load)) return force->point.vel(frame);
  return std::get<Torque>(load).frame.ang_vel_in(frame);
}

std::vector<Load> gravity(const Vector& acceleration, std::span<const Body> bodies) {
  std::vector<Load> loads;
  for (const Body& body : bodies)
    loads.emplace_back(Force{masscenter_of(body), mass_of(body) * acceleration});
  return loads;
}

Expression kinetic_energy(const ReferenceFrame& frame, std::span<const Body> bodies) {
  Expression total = 0;
  for (const Body& body : bodies) {
    total += std::visit([&](const auto& b) { return b.kinetic_energy(frame); }, body);
  }
  return total;
}

Expression potential_energy(std::span<const Body> bodies) {
  Expression total = 0;
  for (const Body& body : bodies) {
    total += std::visit([](const auto& b) { return b.potential_energy; }, body);
  }
  return total;
}

Expression Lagrangian(const ReferenceFrame& frame, std::span<const Body> bodies) {
  return kinetic_energy(frame, bodies) - potential_energy(bodies);
}

Vector linear_momentum(const ReferenceFrame& frame, std::span<const Body> bodies) {
  Vector total;
  for (const Body& body : bodies) {
    total += std::visit([&](const auto& b) { return b.linear_momentum(frame); }, body);
  }
  return total;
}

Vector angular_momentum(const Point& about, const ReferenceFrame& frame, std::span<const Body> bodies) {
  Vector total;
  for (const Body& body : bodies) {
    total += std::visit([&](const auto& b) { return b.angular_momentum(about, frame); }, body);
  }
  return total;
}

Vector center_of_mass(const Point& from, std::span<const Body> bodies) {
  Expression mass = 0;
  Vector moment;
  for (const Body& body : bodies) {
    mass += mass_of(body);
    moment += mass_of(body) * masscenter_of(body).pos_from(from);
  }
  return moment / mass;
}

}  // namespace sestina::symbolic
