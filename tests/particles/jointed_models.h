// Molecules of jointed bodies for tests.
#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "test_models.h"

namespace sestina::testing_support {

using Vector = Eigen::Vector3d;

constexpr int kBeads = 6;

// Molecules of six beads at unit distances, across the face of the box: chains, or trees with three arms.
inline ParticleModel make_beads(TermLaw law, int count, bool is_tree, double inertia = 0.0) {
  ParticleModel model;
  model.box.length = {20.0, 20.0, 20.0};
  model.species = {{"light", 1.0}, {"heavy", 2.5}};
  model.term_types = {{law, 0.0, 1.0, 0.0, 1.0, 1, inertia}};
  for (int m = 0; m < count; ++m) {
    for (int b = 0; b < kBeads; ++b) {
      const int bead = kBeads * m + b, before = is_tree && (b == 3 || b == 5) ? kBeads * m + 1 : bead - 1;
      const double turn = 1.9 * b, z = 0.4 * std::cos(2.3 * b), flat = std::sqrt(1.0 - z * z);
      const double way[] = {flat * std::cos(turn), flat * std::sin(turn), z};
      const double corner[] = {3.2 * (m % 6), 3.2 * std::floor(m / 6.0), 19.9};
      for (int a = 0; a < 3; ++a) {
        model.position.push_back(b == 0 ? corner[a] : model.position[3 * before + a] + way[a]);
      }
      model.species_of.push_back((b + m) % 2);
      if (b > 0) model.terms.push_back({0, {before, bead, -1, -1}});
    }
  }
  model.velocity = make_noise(3 * model.size(), 11);
  return model;
}

// Adds a body of five particles without symmetry; a joint may be at the first particle.
inline ParticleBody& add_body(ParticleModel& model, const Vector& at) {
  // The third particle is to the side of the first, at right angles to the second.
  const double places[5][3] = {
      {0, 0, 0}, {0.8, 0.2, 0.1}, {-0.15, 0.6, 0}, {0.3, -0.2, 0.7}, {-0.3, 0.2, 0.5}};
  ParticleBody body;
  for (const auto& place : places) {
    body.particles.push_back(model.size());
    for (int a = 0; a < 3; ++a) model.position.push_back(at[a] + place[a]);
    model.species_of.push_back(model.size() % 2);
  }
  return model.bodies.emplace_back(body);
}

// The joint's axis goes through its first particle and the second, the other axis through the third one.
template <class JointOfBodies>
void set_joint(JointOfBodies& to, ParticleJoint joint, int first) {
  to.joint = joint, to.at = first, to.along = {first, first + 1}, to.across = {first, first + 2};
}

// A body for every member of a chain, whose joints follow each other.
inline ParticleModel make_bodies(const std::vector<ParticleJoint>& joints, int count = 1) {
  ParticleModel model;
  model.box.length = {40.0, 40.0, 40.0};
  model.species = {{"light", 0.7}, {"heavy", 1.6}};
  const int bodies = static_cast<int>(joints.size()) + 1;
  for (int m = 0; m < count; ++m) {
    for (int b = 0; b < bodies; ++b) {
      const int first = model.size(), number = static_cast<int>(model.bodies.size());
      ParticleBody& body =
          add_body(model, {1.1 * b + 7.0 * (m % 5), 0.3 * b + 7.0 * std::floor(m / 5.0), 39.8 + 0.2 * b});
      if (b == 0) continue;
      body.parent = number - 1;
      set_joint(body, joints[static_cast<std::size_t>(b - 1)], first);
    }
  }
  model.velocity = make_noise(3 * model.size(), 5);
  return model;
}

// A ring of bodies: joints[i] is between the body before and body i, the last body being before the first
// one. The tree begins at the body `cut`, whose joint closes the loop: the same mechanism wherever that is.
// Particles, 5 for each body from body 0, stand in the order of the list from `cut`.
inline ParticleModel make_ring(const std::vector<ParticleJoint>& joints, int count = 1, int cut = 0) {
  ParticleModel model;
  model.box.length = {40.0, 40.0, 40.0};
  model.species = {{"light", 0.7}, {"heavy", 1.6}};
  const int bodies = static_cast<int>(joints.size());
  for (int m = 0; m < count; ++m) {
    const int first_body = bodies * m;
    for (int i = 0; i < bodies; ++i) {
      const int b = (cut + i) % bodies, first = model.size();
      const double angle = 2.0 * M_PI * b / bodies, radius = 0.2 * bodies;
      ParticleBody& body = add_body(
          model, {radius * std::cos(angle) + 7.0 * (m % 5),
                  radius * std::sin(angle) + 7.0 * std::floor(m / 5.0), 39.9 + 0.3 * std::cos(2.0 * b)});
      for (int k = 0; k < 5; ++k) model.species_of[first + k] = (m + 5 * b + k) % 2;
      if (i == 0) continue;
      body.parent = first_body + i - 1;
      set_joint(body, joints[static_cast<std::size_t>(b)], first);
    }
    ParticleClosure& closure = model.closures.emplace_back();
    closure.bodies = {first_body + bodies - 1, first_body};
    set_joint(closure, joints[static_cast<std::size_t>(cut)], 5 * first_body);
  }
  const std::vector<double> noise = make_noise(3 * model.size(), 5);
  for (int m = 0; m < count; ++m) {
    for (int k = 0; k < 15 * bodies; ++k) {
      model.velocity.push_back(noise[15 * bodies * m + (15 * cut + k) % (15 * bodies)]);
    }
  }
  return model;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

inline Vector vector_at(const std::vector<double>& values, int particle) {
  return {values[3 * particle], values[3 * particle + 1], values[3 * particle + 2]};
}

struct Momenta {
  Vector linear = Vector::Zero(), angular = Vector::Zero();
};

inline Momenta momenta_of(const ParticleSystem& system) {
  const std::vector<double> x = positions_of(system), v = velocities_of(system);
  Momenta sum;
  for (int i = 0; i < system.size(); ++i) {
    const Vector p = system.model().species[system.model().species_of[i]].mass * vector_at(v, i);
    sum.linear += p, sum.angular += vector_at(x, i).cross(p);
  }
  return sum;
}

inline const std::vector<ParticleJoint> kAllJoints{ParticleJoint::kSpherical,   ParticleJoint::kRevolute,
                                                   ParticleJoint::kUniversal,   ParticleJoint::kPrismatic,
                                                   ParticleJoint::kCylindrical, ParticleJoint::kPlanar};

}  // namespace sestina::testing_support
