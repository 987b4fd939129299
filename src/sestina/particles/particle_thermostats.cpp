// Thermostats and the barostat of particles.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/particle_bodies.h"
#include "sestina/particles/particle_system.h"
#include "sestina/particles/random_numbers.h"

namespace sestina {

// Advances the Ornstein-Uhlenbeck process exactly.
void ParticleSystem::randomise(double h) {
  const Langevin& thermostat = *model_.langevin;
  const double c = std::exp(-thermostat.friction * h);
  const double spread = std::sqrt((1.0 - c * c) * model_.boltzmann * thermostat.temperature);
  executor_.parallel_for(particles_.size, kParticleGrain / 8, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const auto xi = calc_normal(thermostat.seed, RandomUse::kLangevin, static_cast<std::uint64_t>(steps_),
                                  static_cast<std::uint32_t>(particles_.number[i]));
      const double s = spread * std::sqrt(particles_.inverse_mass[i]);
      particles_.vx[i] = c * particles_.vx[i] + s * xi[0];
      particles_.vy[i] = c * particles_.vy[i] + s * xi[1];
      particles_.vz[i] = c * particles_.vz[i] + s * xi[2];
    }
  });
  bodies_->randomise(thermostat.friction * h, thermostat, model_.boltzmann * thermostat.temperature, steps_,
                     executor_);
}

// Times are sums of steps, with rounding errors.
bool ParticleSystem::has_thermostat() const {
  return (model_.langevin || model_.nose_hoover) && t_ < (1.0 - 1e-9) * model_.thermostat_until;
}

void ParticleSystem::end_thermostat() {
  if (!model_.langevin || particles_.size == 1) return;
  double mass = 0.0;
  Vector3d momentum{};
  bodies_->add_total_momentum(mass, momentum);
  for (int i = 0; i < particles_.size; ++i) {
    if (!(particles_.inverse_mass[i] > 0.0)) continue;
    const double m = 1.0 / particles_.inverse_mass[i];
    mass += m;
    momentum[0] += m * particles_.vx[i], momentum[1] += m * particles_.vy[i];
    momentum[2] += m * particles_.vz[i];
  }
  const std::array<bool, 3> is_free = find_free_axes(model_);
  for (int a = 0; a < 3; ++a) momentum[a] *= is_free[a] ? -1.0 / mass : 0.0;
  for (int i = 0; i < particles_.size; ++i) {
    if (!(particles_.inverse_mass[i] > 0.0)) continue;
    particles_.vx[i] += momentum[0], particles_.vy[i] += momentum[1], particles_.vz[i] += momentum[2];
  }
  bodies_->add_velocity(momentum);
}

// Advances the chain by half a step: Q_1 = N_f k T tau^2, Q_2 = Q_3 = k T tau^2 with tau = period / (2 pi).
void ParticleSystem::scale_by_chain(double h) {
  const NoseHoover& thermostat = *model_.nose_hoover;
  const double kT = model_.boltzmann * thermostat.temperature, dof = degrees_of_freedom();
  const double tau = thermostat.period / 6.28318530717958647692;
  const std::array<double, 3> Q{dof * kT * tau * tau, kT * tau * tau, kT * tau * tau};
  auto& v = chain_velocity_;
  double kinetic2 = 2.0 * calc_kinetic();
  const double h2 = 0.5 * h, h4 = 0.25 * h, h8 = 0.125 * h;
  const auto pull = [&](int k) {
    return (k == 0 ? kinetic2 - dof * kT : Q[k - 1] * v[k - 1] * v[k - 1] - kT) / Q[k];
  };
  v[2] += h4 * pull(2);
  for (int k = 1; k >= 0; --k) {
    const double damping = std::exp(-h8 * v[k + 1]);
    v[k] = (v[k] * damping + h4 * pull(k)) * damping;
  }
  const double scale = std::exp(-h2 * v[0]);
  scale_velocities(scale);
  kinetic2 *= scale * scale;
  for (int k = 0; k < 3; ++k) chain_position_[k] += h2 * v[k];
  for (int k = 0; k < 2; ++k) {
    const double damping = std::exp(-h8 * v[k + 1]);
    v[k] = (v[k] * damping + h4 * pull(k)) * damping;
  }
  v[2] += h4 * pull(2);
}

double ParticleSystem::calc_thermostat_energy() const {
  if (!model_.nose_hoover) return 0.0;
  const double kT = model_.boltzmann * model_.nose_hoover->temperature, dof = degrees_of_freedom();
  const double tau = model_.nose_hoover->period / 6.28318530717958647692;
  double energy = dof * kT * chain_position_[0] + kT * (chain_position_[1] + chain_position_[2]);
  for (int k = 0; k < 3; ++k) {
    energy += 0.5 * (k == 0 ? dof : 1.0) * kT * tau * tau * chain_velocity_[k] * chain_velocity_[k];
  }
  return energy;
}

// See Barostat. Velocities are scaled by the inverse factor, which preserves phase-space volume. The barostat
// takes the change of the energy.
void ParticleSystem::rescale_box(double h) {
  const Barostat& barostat = *model_.barostat;
  const double temperature = model_.langevin ? model_.langevin->temperature : model_.nose_hoover->temperature;
  const ParticleMeasures before = measure();
  const double kT = model_.boltzmann * temperature, c = barostat.compressibility / barostat.period;
  const double xi =
      calc_normal(barostat.seed, RandomUse::kBarostat, static_cast<std::uint64_t>(steps_), 0)[0];
  const double growth = 0.5 * c * h * (before.pressure - barostat.pressure + 0.5 * kT / before.volume) +
                        std::sqrt(0.5 * c * kT * h / before.volume) * xi;  // of sqrt(V), relative
  if (!(std::abs(growth) < 0.25)) {
    throw ComputationError(t_,
                           fmt::format("the barostat would change the volume by {:.3g} % at once (pressure "
                                       "{:.6g}): a longer period changes it more slowly",
                                       100.0 * ((1.0 + growth) * (1.0 + growth) - 1.0), before.pressure));
  }
  scale_positions(std::pow(1.0 + growth, 2.0 / 3.0));
  make_lists();
  calc_forces(false);
  calc_slow_forces(0);
  const ParticleMeasures after = measure();
  barostat_energy_ += before.kinetic + before.potential() - after.kinetic - after.potential();
}

void ParticleSystem::scale_positions(double factor) {
  Box& box = model_.box;
  const double shortest = factor * *std::ranges::min_element(box.length);
  if (shortest < 2.0 * model_.largest_cutoff()) {
    throw ComputationError(
        t_, fmt::format("the box would shrink to a length of {:.6g}, less than twice the cutoff", shortest));
  }
  for (double& length : box.length) length *= factor;
  const auto scale = [&](int a, Numbers64& x, Numbers64& v) {
    const double lower = box.lower[a];
    for (int i = 0; i < particles_.size; ++i) x[i] = lower + factor * (x[i] - lower), v[i] /= factor;
  };
  scale(0, particles_.x, particles_.vx), scale(1, particles_.y, particles_.vy);
  scale(2, particles_.z, particles_.vz);
  terms_.set_box(box);
}

}  // namespace sestina
