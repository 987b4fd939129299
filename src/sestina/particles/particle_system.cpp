#include "sestina/particles/particle_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/copied_cube.h"
#include "sestina/particles/ewald_sum.h"
#include "sestina/particles/fast_multipole.h"
#include "sestina/particles/joint_bonds.h"
#include "sestina/particles/particle_bodies.h"
#include "sestina/particles/random_numbers.h"

namespace sestina {
namespace {

std::vector<LennardJonesCoefficients> tabulate(const ParticleModel& model) {
  const std::size_t count = model.species.size();
  std::vector<LennardJonesCoefficients> table(count * count);
  for (const LennardJones& pair : model.pairs) {
    const double s2 = pair.sigma * pair.sigma, s6 = s2 * s2 * s2;
    LennardJonesCoefficients c{48.0 * pair.epsilon * s6 * s6, 24.0 * pair.epsilon * s6,
                               pair.cutoff * pair.cutoff, 0.0};
    const double ratio = s6 / std::pow(pair.cutoff, 6);
    if (pair.is_shifted) c.offset = 4.0 * pair.epsilon * ratio * (ratio - 1.0);
    table[pair.first * count + pair.second] = table[pair.second * count + pair.first] = c;
  }
  return table;
}

// Finds the species that no pair force names.
std::vector<char> find_silent_species(const ParticleModel& model) {
  if (model.has_grains()) return {};
  std::vector<char> is_silent(model.species.size(), 1);
  for (const LennardJones& pair : model.pairs) {
    if (pair.epsilon > 0.0) is_silent[pair.first] = is_silent[pair.second] = 0;
  }
  return is_silent;
}

ParticleModel checked(const ParticleModel& model) {
  check(model);
  ParticleModel satisfied = model;
  satisfy_rigid_bonds(satisfied);
  satisfy_joint_bonds(satisfied);
  return satisfied;
}

// The largest square of a displacement (m^2); `poison` is 0 unless one is not finite.
struct Displacement {
  double largest = 0.0, poison = 0.0;
};

}  // namespace

ParticleSystem::ParticleSystem(const ParticleModel& model, Executor& executor, InstructionSet set,
                               Carriers* carriers)
    : model_(checked(model)),
      executor_(executor),
      kernels_(particle_kernels(set)),
      coefficients_(tabulate(model)),
      reach_(model.pairs.empty() && !model.has_grains() ? 0.0 : model.largest_cutoff() + model.skin),
      exclusions_(find_exclusions(model, model.exclude_up_to)),
      order_(find_silent_species(model)),
      terms_(model_),
      fields_(model_),
      rigid_(model_, set),
      bodies_(std::make_unique<ParticleBodies>(model_, set)),
      carriers_(carriers) {
  if ((carriers == nullptr ? 0 : carriers->motions().size()) != model_.carriers.size()) {
    throw InputError("walls and tethers have bodies that carry them, which are missing here");
  }
  if (model_.central) choose_central_sum(set);
  if (reach_ > 0.0) slow_pairs_.every = model_.pairs_every;
  if (model_.central) slow_central_.every = model_.central->every;
  if (model_.has_grains()) grains_ = std::make_unique<GranularContacts>(model_, set);
  take_carriers();
  set_particles();
  make_lists();
  if (!rigid_.empty()) rigid_.set_bonds(particles_, executor_);
  update_contacts(0.0);
  if (grains_) grains_->begin_ledger(executor_);
  calc_forces(false);
  calc_slow_forces(0);
  calc_wrenches();
  calc_sums();
  if (!std::isfinite(sums_.pair.energy + sums_.bonded.energy + sums_.field)) check_finite();
}

ParticleSystem::~ParticleSystem() = default;

void ParticleSystem::set_particles() {
  const int n = model_.size();
  particles_.size = n;
  // The arrays have one more cluster, which the search may read.
  const auto padded = static_cast<std::size_t>((n + kClusterSize - 1) / kClusterSize + 1) * kClusterSize;
  for (Numbers64* values : {&particles_.x, &particles_.y, &particles_.z, &particles_.vx, &particles_.vy,
                            &particles_.vz, &particles_.fx, &particles_.fy, &particles_.fz,
                            &particles_.inverse_mass, &listed_x_, &listed_y_, &listed_z_}) {
    values->assign(padded, 0.0);
  }
  for (auto* values : {&particles_.image_x, &particles_.image_y, &particles_.image_z, &particles_.species,
                       &particles_.number, &particles_.place}) {
    values->assign(padded, 0);
  }
  const bool moves = !model_.velocity.empty();
  for (int i = 0; i < n; ++i) {
    particles_.x[i] = model_.position[3 * i];
    particles_.y[i] = model_.position[3 * i + 1];
    particles_.z[i] = model_.position[3 * i + 2];
    if (moves) {
      particles_.vx[i] = model_.velocity[3 * i];
      particles_.vy[i] = model_.velocity[3 * i + 1];
      particles_.vz[i] = model_.velocity[3 * i + 2];
    }
    particles_.species[i] = model_.species_of[i];
    particles_.inverse_mass[i] = 1.0 / model_.species[model_.species_of[i]].mass;
    particles_.number[i] = particles_.place[i] = i;
  }
  for (SlowForces* slow : {&slow_pairs_, &slow_central_}) {
    if (!slow->is_slow()) continue;
    for (Numbers64* f : {&slow->fx, &slow->fy, &slow->fz}) f->assign(padded, 0.0);
  }
  if (!model_.central) return;
  particles_.charge.assign(padded, 0.0);
  for (int i = 0; i < n; ++i) {
    particles_.charge[i] =
        model_.central->is_gravity ? model_.species[model_.species_of[i]].mass : model_.charge[i];
  }
  for (Numbers64* values : {&potential_, &gx_, &gy_, &gz_}) values->assign(padded, 0.0);
}

void ParticleSystem::make_lists() {
  if (grains_) grains_->keep(particles_);
  order_.sort(model_.box, particles_);
  if (reach_ > 0.0) {
    lists_.build(model_.box, order_, particles_, exclusions_, reach_, kernels_, executor_);
  }
  rigid_.set_places(particles_);
  bodies_->set_places(particles_);
  if (grains_) grains_->set_places(particles_, lists_, executor_);
  listed_x_ = particles_.x, listed_y_ = particles_.y, listed_z_ = particles_.z;
  ++list_builds_;
}

void ParticleSystem::kick(double h, const Numbers64& force_x, const Numbers64& force_y,
                          const Numbers64& force_z) {
  executor_.parallel_for(particles_.size, kParticleGrain, [&](int begin, int end) {
    double *const vx = particles_.vx.data(), *const vy = particles_.vy.data(),
                  *const vz = particles_.vz.data();
    const double *const fx = force_x.data(), *const fy = force_y.data(), *const fz = force_z.data(),
                        *const w = particles_.inverse_mass.data();
    for (int i = begin; i < end; ++i) {
      const double s = h * w[i];
      vx[i] += s * fx[i];
      vy[i] += s * fy[i];
      vz[i] += s * fz[i];
    }
  });
  if (bodies_->empty()) return;
  bodies_->kick(h, {force_x.data(), force_y.data(), force_z.data()}, executor_);
}

void ParticleSystem::advance_positions(double h) {
  executor_.parallel_for(particles_.size, kParticleGrain, [&](int begin, int end) {
    double *const x = particles_.x.data(), *const y = particles_.y.data(), *const z = particles_.z.data();
    const double *const vx = particles_.vx.data(), *const vy = particles_.vy.data(),
                        *const vz = particles_.vz.data();
    for (int i = begin; i < end; ++i) {
      x[i] += h * vx[i];
      y[i] += h * vy[i];
      z[i] += h * vz[i];
    }
  });
}

// Makes new lists once a particle has moved by half the skin, or a particle and a wall together by the skin.
void ParticleSystem::drift(double h, double t_end) {
  advance_positions(h);
  advance_carriers(t_end);
  if (!rigid_.empty()) rigid_.constrain(t_, 1.0 / h, particles_, executor_);
  if (!bodies_->empty()) bodies_->advance(t_, h, particles_, executor_);
  check_lists();
}

// Checks the displacements since the lists were made.
void ParticleSystem::check_lists() {
  const Displacement moved = executor_.parallel_reduce(
      particles_.size, kParticleGrain, Displacement{},
      [&](int begin, int end) {
        const double *const x = particles_.x.data(), *const y = particles_.y.data(),
                            *const z = particles_.z.data();
        Displacement part;
        for (int i = begin; i < end; ++i) {
          const double dx = x[i] - listed_x_[i], dy = y[i] - listed_y_[i], dz = z[i] - listed_z_[i];
          const double square = dx * dx + dy * dy + dz * dz;
          part.largest = std::max(part.largest, square);
          part.poison += 0.0 * square;
        }
        return part;
      },
      [](const Displacement& a, const Displacement& b) {
        return Displacement{std::max(a.largest, b.largest), a.poison + b.poison};
      });
  double shortest = HUGE_VAL;
  for (int a = 0; a < 3; ++a) {
    if (model_.box.periodic[a]) shortest = std::min(shortest, model_.box.length[a]);
  }
  if (moved.poison != 0.0 || moved.largest > 0.25 * shortest * shortest) check_finite();
  const double of_walls = grains_ ? grains_->calc_wall_motion() : 0.0;
  if (4.0 * moved.largest > model_.skin * model_.skin ||
      (of_walls > 0.0 && std::sqrt(moved.largest) + of_walls > model_.skin)) {
    make_lists();
  }
}

// Forces of overlapping particles differ by many powers of ten: their geometric mean separates small from
// large.
void ParticleSystem::relax(int steps, double largest) {
  const double energy = calc_kinetic();
  constexpr double kLongestBond = 0.7;  // of the limit of FENE bonds: too short for a bead to be trapped in
  for (int k = 0; k < steps; ++k) {
    const double most = largest * (steps - k) / steps;
    double sum = 0.0;
    add_slow_forces();
    const auto force_on = [&](int i) {
      return std::hypot(particles_.fx[i], particles_.fy[i], particles_.fz[i]);
    };
    for (int i = 0; i < particles_.size; ++i) sum += std::log(force_on(i) + 1e-300);
    const double mean = std::exp(sum / particles_.size);
    for (int i = 0; i < particles_.size; ++i) {
      const double factor = most / (force_on(i) + mean);
      particles_.fx[i] *= factor, particles_.fy[i] *= factor, particles_.fz[i] *= factor;
      particles_.x[i] += particles_.fx[i];
      particles_.y[i] += particles_.fy[i];
      particles_.z[i] += particles_.fz[i];
    }
    if (!bodies_->empty()) bodies_->displace(t_, particles_, executor_);
    terms_.shorten_bonds(kLongestBond, particles_);
    if (!rigid_.empty()) {
      rigid_.constrain(t_, 0.0, particles_, executor_);
      rigid_.set_bonds(particles_, executor_);
    }
    check_lists();
    update_contacts(0.0);
    calc_forces(false);
    calc_slow_forces(0);
  }
  if (grains_) grains_->begin_ledger(executor_);
  calc_wrenches();
  turn_velocities(energy);
}

// Velocities projected onto links and joints in their new places have a different energy: they are scaled to
// restore it.
void ParticleSystem::turn_velocities(double energy) {
  if (rigid_.empty() && bodies_->empty()) return;
  project();
  const double after = calc_kinetic();
  if (after > 0.0) scale_velocities(std::sqrt(energy / after));
}

void ParticleSystem::scale_velocities(double factor) {
  executor_.parallel_for(particles_.size, kParticleGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      particles_.vx[i] *= factor;
      particles_.vy[i] *= factor;
      particles_.vz[i] *= factor;
    }
  });
  bodies_->scale_momenta(factor);
}

void ParticleSystem::check_finite() const {
  const auto speed = [&](int i) { return std::hypot(particles_.vx[i], particles_.vy[i], particles_.vz[i]); };
  int worst = 0;
  for (int i = 0; i < particles_.size; ++i) {
    const double force = particles_.fx[i] + particles_.fy[i] + particles_.fz[i];
    if (!std::isfinite(force) || !std::isfinite(speed(i))) {
      throw ComputationError(
          t_, fmt::format("the {} particles[{}] is not finite: particles overlap, or the step "
                          "is too long{}",
                          std::isfinite(force) ? "motion of" : "force on", particles_.number[i],
                          describe_neighbour(i)));
    }
    if (speed(i) > speed(worst)) worst = i;
  }
  throw ComputationError(t_, fmt::format("particles[{}] flies half across the box in a step (speed {:.6g}): "
                                         "particles overlap, or the step is too long{}",
                                         particles_.number[worst], speed(worst), describe_neighbour(worst)));
}

// Describes the nearest neighbour when the lists were made, since particles that have overlapped are far
// apart afterwards.
std::string ParticleSystem::describe_neighbour(int place) const {
  int nearest = -1;
  double least = HUGE_VAL;
  for (int i = 0; i < particles_.size; ++i) {
    if (i == place) continue;
    const double distance = std::hypot(model_.box.nearest(0, listed_x_[i] - listed_x_[place]),
                                       model_.box.nearest(1, listed_y_[i] - listed_y_[place]),
                                       model_.box.nearest(2, listed_z_[i] - listed_z_[place]));
    if (distance < least) least = distance, nearest = i;
  }
  if (nearest < 0) return "";
  return fmt::format("; its neighbour particles[{}] was {:.6g} away", particles_.number[nearest], least);
}

double ParticleSystem::degrees_of_freedom() const {
  return count_degrees_of_freedom(model_, rigid_.count(), *bodies_, !(model_.langevin && has_thermostat()));
}

void ParticleSystem::project() {
  if (!rigid_.empty()) rigid_.project(particles_, executor_);
}

void ParticleSystem::step(double h) {
  const bool is_thermal = has_thermostat();
  if (model_.nose_hoover && is_thermal) scale_by_chain(h);
  kick_by_slow_forces(steps_, h);
  kick(0.5 * h, particles_.fx, particles_.fy, particles_.fz);  // (1)
  if (grains_) grains_->kick(0.5 * h, executor_);
  kick_carriers(0.5 * h);
  bodies_->kick_by_fixman(0.5 * h, executor_);
  if (model_.langevin && is_thermal) {
    drift(0.5 * h, t_ + 0.5 * h);
    project();
    randomise(h);
    project();
    drift(0.5 * h, t_ + h);
  } else {
    drift(h, t_ + h);  // (2)
  }
  update_contacts(h);
  calc_forces(false);                                          // (3)
  kick(0.5 * h, particles_.fx, particles_.fy, particles_.fz);  // (4)
  if (grains_) grains_->kick(0.5 * h, executor_);
  calc_wrenches();
  kick_carriers(0.5 * h);
  bodies_->kick_by_fixman(0.5 * h, executor_);
  calc_slow_forces(steps_ + 1);
  kick_by_slow_forces(steps_ + 1, h);
  project();
  if (model_.nose_hoover && is_thermal) scale_by_chain(h);
  ++steps_;
  t_ += h;
  if (is_thermal && !has_thermostat()) end_thermostat();
  if (model_.barostat && steps_ % model_.barostat->every == 0) rescale_box(h * model_.barostat->every);
}

// Takes the motions of the bodies as they are.
void ParticleSystem::take_carriers() {
  if (carriers_ == nullptr) return;
  const std::span<const CarrierMotion> motions = carriers_->motions();
  motions_.assign(motions.begin(), motions.end());
  wrenches_.resize(motions_.size());
  if (grains_) grains_->move_walls(motions_);
  fields_.move_tethers(motions_);
}

// Walls get the mean of the velocities before and after the step, since contacts use the velocities in its
// middle.
void ParticleSystem::advance_carriers(double t_end) {
  if (carriers_ == nullptr) return;
  const std::span<const CarrierMotion> motions = carriers_->motions();
  motions_.assign(motions.begin(), motions.end());
  carriers_->advance_to(t_end);
  for (std::size_t c = 0; c < motions_.size(); ++c) {
    CarrierMotion& body = motions_[c];
    const Vector3d velocity = body.velocity, spin = body.spin;
    body = motions[c];
    for (std::size_t a = 0; a < 3; ++a) {
      body.velocity[a] = 0.5 * (velocity[a] + body.velocity[a]),
      body.spin[a] = 0.5 * (spin[a] + body.spin[a]);
    }
  }
  if (grains_) grains_->move_walls(motions_);
  fields_.move_tethers(motions_);
}

void ParticleSystem::calc_wrenches() {
  if (carriers_ == nullptr) return;
  std::ranges::fill(wrenches_, CarrierWrench{});
  if (grains_) grains_->add_wrenches(motions_, wrenches_);
  fields_.add_wrenches(wrenches_);
}

void ParticleSystem::kick_carriers(double h) {
  if (carriers_ != nullptr) carriers_energy_ += carriers_->kick(h, wrenches_);
}

double ParticleSystem::calc_kinetic() const {
  const double of_bodies = bodies_->empty() ? 0.0 : bodies_->calc_kinetic(executor_);
  return of_bodies + executor_.parallel_reduce(
                         particles_.size, kParticleGrain, 0.0,
                         [&](int begin, int end) {
                           double sum = 0.0;
                           for (int i = begin; i < end; ++i) {
                             const double square = particles_.vx[i] * particles_.vx[i] +
                                                   particles_.vy[i] * particles_.vy[i] +
                                                   particles_.vz[i] * particles_.vz[i];
                             if (particles_.inverse_mass[i] > 0.0)
                               sum += 0.5 * square / particles_.inverse_mass[i];
                           }
                           return sum;
                         },
                         std::plus<>());
}

ParticleMeasures ParticleSystem::measure() {
  calc_sums();
  ParticleMeasures m;
  m.t = t_;
  m.kinetic = calc_kinetic();
  const double moving = m.kinetic;  // without spins
  if (grains_) {
    const GrainSums grains = grains_->calc_sums(executor_);
    m.rotational = grains.rotational, m.kinetic += grains.rotational;
    m.dissipated = grains.taken - grains.elastic;
    sums_.pair.energy += grains.elastic, sums_.pair.virial += grains.virial;
  }
  m.pair = sums_.pair.energy;
  m.bonded = sums_.bonded.energy;
  m.field = sums_.field;
  m.thermostat = calc_thermostat_energy();
  m.barostat = barostat_energy_;
  m.carriers = carriers_energy_;
  m.volume = model_.box.volume();
  m.virial = sums_.pair.virial + sums_.bonded.virial;
  m.temperature = 2.0 * m.kinetic / (degrees_of_freedom() * model_.boltzmann);
  m.pressure = (2.0 * moving + m.virial + sums_.bodies) / (3.0 * m.volume);
  if (!std::isfinite(m.total())) check_finite();
  return m;
}

void ParticleSystem::copy_positions(std::span<double> out) const {
  const Vector3d& length = model_.box.length;
  for (int i = 0; i < particles_.size; ++i) {
    const std::size_t k = 3 * static_cast<std::size_t>(particles_.number[i]);
    out[k] = particles_.x[i] + particles_.image_x[i] * length[0];
    out[k + 1] = particles_.y[i] + particles_.image_y[i] * length[1];
    out[k + 2] = particles_.z[i] + particles_.image_z[i] * length[2];
  }
}

void ParticleSystem::copy_velocities(std::span<double> out) const {
  for (int i = 0; i < particles_.size; ++i) {
    const std::size_t k = 3 * static_cast<std::size_t>(particles_.number[i]);
    out[k] = particles_.vx[i], out[k + 1] = particles_.vy[i], out[k + 2] = particles_.vz[i];
  }
  if (!bodies_->empty()) bodies_->copy_velocities(out, executor_);
}

void ParticleSystem::copy_forces(std::span<double> out) {
  calc_slow_forces(0);  // between the steps at which they act, those known are of earlier places
  for (int i = 0; i < particles_.size; ++i) {
    const std::size_t k = 3 * static_cast<std::size_t>(particles_.number[i]);
    out[k] = particles_.fx[i], out[k + 1] = particles_.fy[i], out[k + 2] = particles_.fz[i];
    for (const SlowForces* slow : {&slow_pairs_, &slow_central_}) {
      if (!slow->is_slow()) continue;
      out[k] += slow->fx[i], out[k + 1] += slow->fy[i], out[k + 2] += slow->fz[i];
    }
  }
}

void ParticleSystem::copy_spins(std::span<double> out) const {
  if (grains_) return grains_->copy_spins(particles_, out);
  std::ranges::fill(out, 0.0);
}

std::vector<Vector3d> ParticleSystem::calc_wall_forces() const {
  return grains_ ? grains_->calc_wall_forces() : std::vector<Vector3d>{};
}

ParticleCheckpoint ParticleSystem::save() const {
  const auto n = static_cast<std::size_t>(particles_.size);
  ParticleCheckpoint saved;
  saved.steps = steps_, saved.t = t_;
  saved.number.assign(particles_.number.begin(), particles_.number.begin() + n);
  const auto append = [n](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.begin() + n);
  };
  for (const auto* image : {&particles_.image_x, &particles_.image_y, &particles_.image_z}) {
    append(saved.image, *image);
  }
  for (const auto* x : {&particles_.x, &particles_.y, &particles_.z}) append(saved.position, *x);
  for (const auto* v : {&particles_.vx, &particles_.vy, &particles_.vz}) append(saved.velocity, *v);
  for (const auto* x : {&listed_x_, &listed_y_, &listed_z_}) append(saved.listed_position, *x);
  std::copy(chain_position_.begin(), chain_position_.end(), saved.thermostat.begin());
  std::copy(chain_velocity_.begin(), chain_velocity_.end(), saved.thermostat.begin() + 3);
  std::ranges::copy(model_.box.lower, saved.box.begin());
  std::ranges::copy(model_.box.length, saved.box.begin() + 3);
  saved.barostat = barostat_energy_;
  saved.carriers = carriers_energy_;
  if (carriers_ != nullptr) saved.mechanism = carriers_->save();
  for (const CarrierWrench& wrench : wrenches_) {
    saved.wrenches.insert(saved.wrenches.end(), wrench.force.begin(), wrench.force.end());
    saved.wrenches.insert(saved.wrenches.end(), wrench.torque.begin(), wrench.torque.end());
  }
  saved.bodies = bodies_->save();
  if (grains_) saved.grains = grains_->save(particles_);
  return saved;
}

void ParticleSystem::check(const ParticleCheckpoint& saved) const {
  const auto n = static_cast<std::size_t>(particles_.size);
  if (saved.number.size() != n || saved.image.size() != 3 * n || saved.position.size() != 3 * n ||
      saved.velocity.size() != 3 * n || saved.listed_position.size() != 3 * n) {
    throw InputError(
        fmt::format("the checkpoint has {} particles, the model has {}", saved.number.size(), n));
  }
  if (saved.wrenches.size() != 6 * model_.carriers.size()) {
    throw InputError(fmt::format("the checkpoint has {} bodies that carry walls or tethers, the model {}",
                                 saved.wrenches.size() / 6, model_.carriers.size()));
  }
  if (saved.bodies.size() != bodies_->saved_size()) {
    throw InputError(fmt::format("the checkpoint has {} numbers of rigid bodies, the model {}",
                                 saved.bodies.size(), bodies_->saved_size()));
  }
  std::vector<char> seen(n, 0);
  for (const std::int32_t number : saved.number) {
    if (number < 0 || static_cast<std::size_t>(number) >= n || seen[number]++ != 0) {
      throw InputError("the checkpoint does not name each particle once");
    }
  }
}

void ParticleSystem::restore(const ParticleCheckpoint& saved) {
  check(saved);
  const auto n = static_cast<std::size_t>(particles_.size);
  for (std::size_t a = 0; a < 3; ++a) {
    model_.box.lower[a] = saved.box[a], model_.box.length[a] = saved.box[3 + a];
  }
  terms_.set_box(model_.box);
  barostat_energy_ = saved.barostat;
  carriers_energy_ = saved.carriers;
  if (carriers_ != nullptr) carriers_->restore(saved.mechanism);
  set_particles();
  const auto take = [n](const auto& from, std::size_t part, auto& to) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(part * n), n, to.begin());
  };
  take(saved.number, 0, particles_.number);
  for (std::size_t i = 0; i < n; ++i) {
    const int number = saved.number[i];
    particles_.place[number] = static_cast<std::int32_t>(i);
    particles_.species[i] = model_.species_of[number];
    particles_.inverse_mass[i] = 1.0 / model_.species[particles_.species[i]].mass;
    if (model_.central) {
      particles_.charge[i] =
          model_.central->is_gravity ? model_.species[particles_.species[i]].mass : model_.charge[number];
    }
  }
  take(saved.image, 0, particles_.image_x), take(saved.image, 1, particles_.image_y);
  take(saved.image, 2, particles_.image_z);
  take(saved.velocity, 0, particles_.vx), take(saved.velocity, 1, particles_.vy);
  take(saved.velocity, 2, particles_.vz);
  // They are in spatial order already, so that the same lists result.
  take(saved.listed_position, 0, particles_.x), take(saved.listed_position, 1, particles_.y);
  take(saved.listed_position, 2, particles_.z);
  if (grains_) grains_->restore_listed_walls(saved.grains);
  make_lists();
  take_carriers();
  take(saved.position, 0, particles_.x), take(saved.position, 1, particles_.y);
  take(saved.position, 2, particles_.z);
  std::copy_n(saved.thermostat.begin(), 3, chain_position_.begin());
  std::copy_n(saved.thermostat.begin() + 3, 3, chain_velocity_.begin());
  steps_ = saved.steps, t_ = saved.t;
  bodies_->restore(saved.bodies);
  if (grains_) grains_->restore(t_, saved.grains, particles_, executor_);
  if (!rigid_.empty()) rigid_.set_bonds(particles_, executor_);
  calc_forces(false);
  calc_slow_forces(0);
  for (std::size_t k = 0; k < saved.wrenches.size(); ++k) {
    CarrierWrench& wrench = wrenches_[k / 6];
    (k % 6 < 3 ? wrench.force : wrench.torque)[k % 3] = saved.wrenches[k];
  }
}

}  // namespace sestina
