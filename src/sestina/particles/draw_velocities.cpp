#include <cmath>

#include "sestina/parallel/executor.h"
#include "sestina/particles/joint_bonds.h"
#include "sestina/particles/particle_bodies.h"
#include "sestina/particles/particle_system.h"
#include "sestina/particles/random_numbers.h"
#include "sestina/particles/rigid_bonds.h"

namespace sestina {

void draw_velocities(double temperature, std::uint32_t seed, ParticleModel& model) {
  const int n = model.size();
  std::vector<double>& v = model.velocity;
  v.assign(3 * static_cast<std::size_t>(n), 0.0);
  for (int i = 0; i < n; ++i) {
    const auto xi = calc_normal(seed, RandomUse::kVelocity, 0, static_cast<std::uint32_t>(i));
    for (int a = 0; a < 3; ++a) v[3 * i + a] = xi[a] / std::sqrt(model.species[model.species_of[i]].mass);
  }
  satisfy_rigid_bonds(model);
  satisfy_joint_bonds(model);
  ParticleBodies bodies(model, default_instruction_set());
  Executor executor(1);
  const auto mass_of = [&](int i) { return model.species[model.species_of[i]].mass; };
  const auto is_free = [&](int i) { return !bodies.has(i); };
  bodies.draw_momenta(1.0, seed);
  Vector3d momentum{};
  double mass_sum = 0.0;
  bodies.add_total_momentum(mass_sum, momentum);
  for (int i = 0; i < n; ++i) {
    if (!is_free(i)) continue;
    mass_sum += mass_of(i);
    for (int a = 0; a < 3; ++a) momentum[a] += mass_of(i) * v[3 * i + a];
  }
  if (n == 1) momentum = {};
  for (double& p : momentum) p /= -mass_sum;
  bodies.add_velocity(momentum);
  double kinetic = bodies.calc_kinetic(executor);
  for (int i = 0; i < n; ++i) {
    if (!is_free(i)) continue;
    for (int a = 0; a < 3; ++a) {
      v[3 * i + a] += momentum[a];
      kinetic += 0.5 * mass_of(i) * v[3 * i + a] * v[3 * i + a];
    }
  }
  bodies.copy_velocities(v, executor);
  bodies.copy_spin(model.spin);
  const double dof = count_degrees_of_freedom(model, count_rigid_bonds(model), bodies, !model.langevin);
  const double scale = std::sqrt(0.5 * dof * model.boltzmann * temperature / kinetic);
  for (double& speed : v) speed *= scale;
  for (double& speed : model.spin) speed *= scale;
}

}  // namespace sestina
