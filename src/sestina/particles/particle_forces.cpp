// The forces on particles, at every step and every few steps, and their sums.
#include <algorithm>

#include "sestina/parallel/executor.h"
#include "sestina/particles/copied_cube.h"
#include "sestina/particles/ewald_sum.h"
#include "sestina/particles/fast_multipole.h"
#include "sestina/particles/particle_bodies.h"
#include "sestina/particles/particle_system.h"

namespace sestina {

// The kernel of pair forces sets the forces on particles that are not silent.
void ParticleSystem::calc_pair_forces(bool with_sums, Numbers64& fx, Numbers64& fy, Numbers64& fz) {
  for (Numbers64* f : {&fx, &fy, &fz}) std::fill(f->begin() + order_.acting(), f->end(), 0.0);
  LennardJonesTask task{{particles_.x.data(), particles_.y.data(), particles_.z.data()},
                        {},
                        model_.species.size() > 1 ? particles_.species.data() : nullptr,
                        static_cast<int>(model_.species.size()),
                        coefficients_.data(),
                        fx.data(),
                        fy.data(),
                        fz.data()};
  const PairSums sums = executor_.parallel_reduce(
      lists_.chunk_count(), 1, PairSums{},
      [&](int begin, int end) {
        PairSums part;
        for (int i = begin; i < end; ++i) {
          LennardJonesTask own = task;
          own.chunk = lists_.chunk(i);
          const PairSums one = kernels_.lennard_jones(own, with_sums);
          part.energy += one.energy, part.virial += one.virial;
        }
        return part;
      },
      [](const PairSums& a, const PairSums& b) {
        return PairSums{a.energy + b.energy, a.virial + b.virial};
      });
  if (with_sums) sums_.pair = sums;
}

// Updates contacts for a step h (s); the positions are those at its end.
void ParticleSystem::update_contacts(double h) {
  if (grains_) grains_->update(t_, h, particles_, executor_);
}

// Computes all forces with their sums, or without sums those that act at every step.
void ParticleSystem::calc_forces(bool with_sums) {
  sums_ = {};
  if (grains_) {
    grains_->set_forces(particles_);
  } else if (reach_ > 0.0 && (with_sums || !slow_pairs_.is_slow())) {
    calc_pair_forces(with_sums, particles_.fx, particles_.fy, particles_.fz);
  } else {
    for (Numbers64* f : {&particles_.fx, &particles_.fy, &particles_.fz})
      std::fill(f->begin(), f->end(), 0.0);
  }
  if (model_.central && (with_sums || !slow_central_.is_slow())) {
    add_central_forces(with_sums, particles_.fx, particles_.fy, particles_.fz);
  }
  if (!terms_.empty()) sums_.bonded = terms_.add_forces(t_, particles_, executor_);
  // Fixman's potential depends on angles alone, or on coordinates of joints: its virial is zero.
  if (const double kT = model_.boltzmann * model_.fixman_temperature; kT > 0.0) {
    if (!rigid_.empty()) sums_.bonded.energy += rigid_.add_fixman(kT, particles_, executor_);
    if (!bodies_->empty()) sums_.bonded.energy += bodies_->calc_fixman(kT, executor_);
  }
  if (with_sums && !bodies_->empty()) sums_.bodies = bodies_->calc_pressure_part(particles_, executor_);
  if (!fields_.empty()) sums_.field = fields_.add_forces(t_, particles_, executor_);
}

// Kernels with and without sums may round differently. The motion always uses those without, so that it does
// not depend on when sums are evaluated.
void ParticleSystem::calc_sums() {
  const auto exchange = [&] {
    particles_.fx.swap(kept_fx_), particles_.fy.swap(kept_fy_), particles_.fz.swap(kept_fz_);
  };
  kept_fx_.resize(particles_.fx.size()), kept_fy_.resize(particles_.fx.size());
  kept_fz_.resize(particles_.fx.size());
  exchange();
  calc_forces(true);
  if (!rigid_.empty()) sums_.bonded.virial += rigid_.calc_virial(particles_, executor_);
  exchange();
}

void ParticleSystem::choose_central_sum(InstructionSet set) {
  const double tolerance = model_.central->tolerance;
  const bool is_periodic = model_.box.is_periodic();
  if (is_periodic && tolerance > 0.0 && !model_.box.is_cube()) {
    if (const auto copies = CopiedCube::find_copies(model_.box)) {
      copied_cube_ = std::make_unique<CopiedCube>(*copies);
    }
  }
  if (is_periodic && (tolerance == 0.0 || !(model_.box.is_cube() || copied_cube_))) {
    ewald_ = std::make_unique<EwaldSum>(tolerance == 0.0 ? 1e-12 : tolerance, executor_);
  } else if (tolerance > 0.0) {
    multipole_ = std::make_unique<FastMultipole>(
        MultipoleOptions{.tolerance = tolerance, .is_periodic = is_periodic}, executor_, set);
  }
}

void ParticleSystem::calc_central_fields() {
  const int n = particles_.size;
  const auto first_n = [n](Numbers64& values) {
    return std::span(values).first(static_cast<std::size_t>(n));
  };
  const auto x = first_n(particles_.x), y = first_n(particles_.y), z = first_n(particles_.z);
  const auto charge = first_n(particles_.charge);
  if (ewald_) {
    ewald_->calc(model_.box, x, y, z, charge, first_n(potential_), first_n(gx_), first_n(gy_), first_n(gz_));
  } else if (copied_cube_) {
    copied_cube_->calc(*multipole_, model_.box, {x, y, z}, charge, first_n(potential_),
                       {first_n(gx_), first_n(gy_), first_n(gz_)});
  } else if (multipole_) {
    if (model_.box.is_periodic()) multipole_->set_cube(model_.box);
    multipole_->calc(x, y, z, charge, first_n(potential_), first_n(gx_), first_n(gy_), first_n(gz_));
  } else {
    for (Numbers64* values : {&potential_, &gx_, &gy_, &gz_}) std::fill(values->begin(), values->end(), 0.0);
    const Positions at{particles_.x.data(), particles_.y.data(), particles_.z.data()};
    add_direct_sum(kernels_, at, particles_.charge.data(), n,
                   {potential_.data(), gx_.data(), gy_.data(), gz_.data()}, executor_);
  }
}

// The virial of a 1/r^2 force equals its energy, also with all images, since the energy is divided by a if
// all lengths are multiplied by a.
void ParticleSystem::add_central_forces(bool with_sums, Numbers64& fx, Numbers64& fy, Numbers64& fz) {
  calc_central_fields();
  const double k = model_.central->is_gravity ? -model_.central->strength : model_.central->strength;
  double energy = 0.0;
  for (int i = 0; i < particles_.size; ++i) {
    const double kq = k * particles_.charge[i];
    fx[i] -= kq * gx_[i];
    fy[i] -= kq * gy_[i];
    fz[i] -= kq * gz_[i];
    energy += 0.5 * kq * potential_[i];
  }
  if (!with_sums) return;
  sums_.pair.energy += energy;
  sums_.pair.virial += energy;
}

void ParticleSystem::calc_slow_forces(std::int64_t steps) {
  if (slow_pairs_.act_at(steps)) calc_pair_forces(false, slow_pairs_.fx, slow_pairs_.fy, slow_pairs_.fz);
  if (!slow_central_.act_at(steps)) return;
  for (Numbers64* f : {&slow_central_.fx, &slow_central_.fy, &slow_central_.fz})
    std::fill(f->begin(), f->end(), 0.0);
  add_central_forces(false, slow_central_.fx, slow_central_.fy, slow_central_.fz);
}

void ParticleSystem::kick_by_slow_forces(std::int64_t steps, double h) {
  for (const SlowForces* slow : {&slow_pairs_, &slow_central_}) {
    if (slow->act_at(steps)) kick(0.5 * h * slow->every, slow->fx, slow->fy, slow->fz);
  }
}

void ParticleSystem::add_slow_forces() {
  for (const SlowForces* slow : {&slow_pairs_, &slow_central_}) {
    if (!slow->is_slow()) continue;
    for (int i = 0; i < particles_.size; ++i) {
      particles_.fx[i] += slow->fx[i], particles_.fy[i] += slow->fy[i], particles_.fz[i] += slow->fz[i];
    }
  }
}

}  // namespace sestina
