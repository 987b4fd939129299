#include "sestina/particles/particle_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/particle_arrays.h"

namespace sestina {
namespace {

bool is_wall(FieldLaw law) { return law == FieldLaw::kLennardJonesWall || law == FieldLaw::kHarmonicWall; }

// Returns the energy without its constant.
double calc_wall_energy(const ParticleField& field, double distance) {
  const double s = field.sigma / distance, s3 = s * s * s;
  return field.epsilon * s3 * (2.0 / 15.0 * s3 * s3 - 1.0);
}

Vector3d sum(const Vector3d& a, const Vector3d& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

FieldSums plus(const FieldSums& a, const FieldSums& b) {
  return {a.energy + b.energy,
          sum(a.force, b.force),
          {sum(a.wrench.force, b.wrench.force), sum(a.wrench.torque, b.wrench.torque)}};
}

}  // namespace

ParticleFields::ParticleFields(const ParticleModel& model) : box_(model.box), charge_(model.charge) {
  for (const Species& species : model.species) mass_.push_back(species.mass);
  for (const ParticleField& given : model.fields) {
    Field& field = fields_.emplace_back();
    field.given = given;
    if (is_wall(given.law)) {
      const auto axis = static_cast<std::size_t>(given.axis);
      field.face = box_.lower[axis] + (given.is_upper ? box_.length[axis] : 0.0);
    }
    if (given.law == FieldLaw::kLennardJonesWall && given.is_shifted) {
      field.offset = calc_wall_energy(given, given.cutoff);
    }
    const auto has = [](const std::vector<int>& list, int item) {
      return list.empty() || std::ranges::find(list, item) != list.end();
    };
    field.is_chosen.assign(static_cast<std::size_t>(model.size()), given.particles.empty() ? 1 : 0);
    for (const int i : given.particles) field.is_chosen[static_cast<std::size_t>(i)] = 1;
    for (int i = 0; i < model.size(); ++i) {
      if (!has(given.species, model.species_of[i])) field.is_chosen[static_cast<std::size_t>(i)] = 0;
    }
    if (given.law != FieldLaw::kTether) continue;
    field.anchor = model.position;
    if (!given.at) continue;
    for (std::size_t k = 0; k < field.anchor.size(); ++k) field.anchor[k] = (*given.at)[k % 3];
  }
  sums_.resize(fields_.size());
}

void ParticleFields::move_tethers(std::span<const CarrierMotion> motions) {
  for (Field& field : fields_) {
    if (field.given.carrier < 0) continue;
    const CarrierMotion& body = motions[static_cast<std::size_t>(field.given.carrier)];
    if (field.held.empty()) {
      field.held = field.anchor;
      for (std::size_t k = 0; !field.given.at && k < field.held.size(); k += 3) {
        const Vector3d arm{field.anchor[k] - body.position[0], field.anchor[k + 1] - body.position[1],
                           field.anchor[k + 2] - body.position[2]};
        for (std::size_t a = 0; a < 3; ++a) {
          field.held[k + a] =
              body.rotation[a] * arm[0] + body.rotation[3 + a] * arm[1] + body.rotation[6 + a] * arm[2];
        }
      }
    }
    field.origin = body.position;
    for (std::size_t i = 0; i < field.is_chosen.size(); ++i) {
      if (field.is_chosen[i] == 0) continue;
      const Vector3d at = body.place({field.held[3 * i], field.held[3 * i + 1], field.held[3 * i + 2]});
      std::ranges::copy(at, field.anchor.begin() + static_cast<std::ptrdiff_t>(3 * i));
    }
  }
}

void ParticleFields::add_wrenches(std::span<CarrierWrench> wrenches) const {
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    const int carrier = fields_[k].given.carrier;
    if (carrier < 0) continue;
    CarrierWrench& wrench = wrenches[static_cast<std::size_t>(carrier)];
    wrench.force = sum(wrench.force, sums_[k].wrench.force);
    wrench.torque = sum(wrench.torque, sums_[k].wrench.torque);
  }
}

double ParticleFields::add_forces(double t, ParticleArrays& particles, Executor& executor) {
  double energy = 0.0;
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    const Field& field = fields_[k];
    sums_[k] = executor.parallel_reduce(
        particles.size, kParticleGrain, FieldSums{},
        [&](int begin, int end) {
          FieldSums part;
          for (int i = begin; i < end; ++i) {
            if (field.is_chosen[static_cast<std::size_t>(particles.number[i])] == 0) continue;
            const Pull pull = calc(field, particles, i);
            particles.fx[i] += pull.force[0];
            particles.fy[i] += pull.force[1];
            particles.fz[i] += pull.force[2];
            part = plus(part, {pull.energy, pull.force, pull.wrench});
          }
          return part;
        },
        [](const FieldSums& a, const FieldSums& b) { return plus(a, b); });
    if (!std::isfinite(sums_[k].energy)) fail(t, k, particles);
    energy += sums_[k].energy;
  }
  return energy;
}

ParticleFields::Pull ParticleFields::calc(const Field& field, const ParticleArrays& particles,
                                          int place) const {
  if (field.given.law == FieldLaw::kTether) return calc_tether(field, particles, place);
  if (!is_wall(field.given.law)) return calc_uniform(field, particles, place);
  const Numbers64* const coordinates[] = {&particles.x, &particles.y, &particles.z};
  return calc_wall(field, (*coordinates[field.given.axis])[place]);
}

ParticleFields::Pull ParticleFields::calc_uniform(const Field& field, const ParticleArrays& particles,
                                                  int place) const {
  const double factor = field.given.law == FieldLaw::kGravity
                            ? mass_[static_cast<std::size_t>(particles.species[place])]
                            : charge_[static_cast<std::size_t>(particles.number[place])];
  const Vector3d x{particles.x[place] + particles.image_x[place] * box_.length[0],
                   particles.y[place] + particles.image_y[place] * box_.length[1],
                   particles.z[place] + particles.image_z[place] * box_.length[2]};
  Pull pull;
  for (int a = 0; a < 3; ++a) {
    pull.force[a] = factor * field.given.vector[a];
    pull.energy -= pull.force[a] * x[a];
  }
  return pull;
}

ParticleFields::Pull ParticleFields::calc_tether(const Field& field, const ParticleArrays& particles,
                                                 int place) const {
  const Vector3d x{particles.x[place], particles.y[place], particles.z[place]};
  const double* const anchor = field.anchor.data() + 3 * static_cast<std::size_t>(particles.number[place]);
  Pull pull;
  for (int a = 0; a < 3; ++a) {
    const double d = box_.nearest(a, x[a] - anchor[a]);
    pull.force[a] = -field.given.stiffness * d;
    pull.energy += 0.5 * field.given.stiffness * d * d;
  }
  if (field.given.carrier >= 0) {
    pull.wrench.add({anchor[0] - field.origin[0], anchor[1] - field.origin[1], anchor[2] - field.origin[2]},
                    {-pull.force[0], -pull.force[1], -pull.force[2]});
  }
  return pull;
}

// Behind a Lennard-Jones wall the energy is NaN.
ParticleFields::Pull ParticleFields::calc_wall(const Field& field, double x) {
  const ParticleField& given = field.given;
  const double distance = given.is_upper ? field.face - x : x - field.face;
  Pull pull;
  if (distance >= given.cutoff) return pull;
  double push = 0.0;  // away from the face
  if (given.law == FieldLaw::kHarmonicWall) {
    const double d = given.cutoff - distance;
    pull.energy = 0.5 * given.stiffness * d * d, push = given.stiffness * d;
  } else if (distance > 0.0) {
    const double s = given.sigma / distance, s3 = s * s * s;
    pull.energy = calc_wall_energy(given, distance) - field.offset;
    push = given.epsilon * s3 * (1.2 * s3 * s3 - 3.0) / distance;
  } else {
    pull.energy = std::nan("");
  }
  pull.force[static_cast<std::size_t>(given.axis)] = given.is_upper ? -push : push;
  return pull;
}

void ParticleFields::fail(double t, std::size_t number, const ParticleArrays& particles) const {
  const Field& field = fields_[number];
  for (int i = 0; i < particles.size; ++i) {
    const int particle = particles.number[i];
    if (field.is_chosen[static_cast<std::size_t>(particle)] == 0) continue;
    const Pull pull = calc(field, particles, i);
    if (std::isfinite(pull.energy)) continue;
    if (!is_wall(field.given.law)) {
      throw ComputationError(t, fmt::format("the energy of particles[{}] in fields[{}] is not finite: the "
                                            "step is too long",
                                            particle, number));
    }
    const Numbers64* const coordinates[] = {&particles.x, &particles.y, &particles.z};
    throw ComputationError(
        t, fmt::format("particles[{}] is behind the wall of fields[{}] (at {} = {:.6g}, the wall is at "
                       "{:.6g}): it was placed there, or the step is too long",
                       particle, number, "xyz"[field.given.axis], (*coordinates[field.given.axis])[i],
                       field.face));
  }
  throw ComputationError(t, fmt::format("the energy of fields[{}] is not finite", number));
}

std::array<bool, 3> find_free_axes(const ParticleModel& model) {
  std::array<bool, 3> is_free{true, true, true};
  if (!model.walls.empty()) return {};
  for (const ParticleField& field : model.fields) {
    for (int a = 0; a < 3; ++a) {
      if (field.law == FieldLaw::kTether || (is_wall(field.law) && field.axis == a) ||
          (!is_wall(field.law) && field.vector[a] != 0.0)) {
        is_free[a] = false;
      }
    }
  }
  return is_free;
}

}  // namespace sestina
