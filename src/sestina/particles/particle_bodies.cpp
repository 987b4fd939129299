#include "sestina/particles/particle_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/articulated_geometry.h"
#include "sestina/particles/fixman_potential.h"
#include "sestina/particles/joint_bonds.h"
#include "sestina/particles/particle_fields.h"
#include "sestina/particles/random_numbers.h"

namespace sestina {
namespace {

constexpr int kMostHalvings = 10;     // of displacements that joints cannot follow
constexpr int kMoleculeGrain = 1;     // groups of molecules, some microseconds
constexpr double kLargestGap = 1e-9;  // of the ends of a loop, relative to the box

using Vec = Vec3<double>;

Vec position_of(const ParticleModel& model, int particle) {
  return {model.position[3 * particle], model.position[3 * particle + 1], model.position[3 * particle + 2]};
}

Vec to_vec(const Vector3d& a) { return {a[0], a[1], a[2]}; }

}  // namespace

// The bodies of a model, molecule by molecule, in one image each.
struct ParticleBodies::Built {
  std::vector<JointedMolecule> molecules;
  std::vector<std::vector<int>> atoms;  // particles of each body
  std::vector<int> part_of;             // the body of each of list_bodies
  std::vector<double> inertia;          // kg m^2, of each body, beside its particles
  std::vector<Vec> unwrapped;           // (n) m, of the particles in bodies

  explicit Built(const ParticleModel& model)
      : unwrapped(static_cast<std::size_t>(model.size())), model_(model) {
    const auto [bodies, closures] = list_bodies(model);
    if (!closures.empty() && model.fixman_temperature > 0.0) {
      throw InputError(
          {Fault{{{}, "fixman_temperature"}, "molecules with loops of joints have no such potential"}});
    }
    part_of.assign(bodies.size(), -1);
    std::vector<std::vector<int>> members;
    std::vector<std::vector<ParticleClosure>> of_molecule;
    std::vector<int> molecule_of;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (bodies[b].parent < 0) {
        molecule_of.push_back(static_cast<int>(members.size()));
        members.emplace_back();
      } else {
        molecule_of.push_back(molecule_of[static_cast<std::size_t>(bodies[b].parent)]);
      }
      members[static_cast<std::size_t>(molecule_of.back())].push_back(static_cast<int>(b));
    }
    of_molecule.resize(members.size());
    for (const ParticleClosure& closure : closures) {
      of_molecule[static_cast<std::size_t>(molecule_of[static_cast<std::size_t>(closure.bodies[0])])]
          .push_back(closure);
    }
    for (std::size_t m = 0; m < members.size(); ++m) add_molecule(bodies, members[m], of_molecule[m]);
  }

 private:
  Vec nearest(const Vec& to, int particle) const {
    const Vec x = position_of(model_, particle);
    Vec made;
    for (int a = 0; a < 3; ++a) made[a] = to[a] + model_.box.nearest(a, x[a] - to[a]);
    return made;
  }

  Vec between(const std::array<int, 2>& particles) const {
    if (particles[0] < 0) return {};
    return nearest(position_of(model_, particles[0]), particles[1]) - position_of(model_, particles[0]);
  }

  // Returns the place in the image where `body` is.
  Vec place_of(int particle, const ParticleBody& body) const {
    const bool is_own = std::ranges::find(body.particles, particle) != body.particles.end();
    return is_own ? unwrapped[static_cast<std::size_t>(particle)]
                  : nearest(unwrapped[static_cast<std::size_t>(body.particles.front())], particle);
  }

  ClosureDescription describe(const ParticleClosure& closure, const std::vector<ParticleBody>& bodies,
                              const std::vector<int>& members) const {
    ClosureDescription made;
    const bool is_distance = closure.joint == ParticleJoint::kDistance;
    std::array<int, 2> particles{closure.at, closure.at};
    if (is_distance) particles = closure.between;
    for (std::size_t i = 0; i < 2; ++i) {
      made.bodies[i] =
          static_cast<int>(std::ranges::lower_bound(members, closure.bodies[i]) - members.begin());
      made.points[i] = place_of(particles[i], bodies[static_cast<std::size_t>(closure.bodies[i])]);
    }
    made.joint = closure.joint, made.particle = particles[0];
    made.axis = between(closure.along), made.second_axis = between(closure.across);
    const Vec apart = made.points[1] - made.points[0];
    made.distance = is_distance ? norm(between(particles)) : 0.0;
    const double gap = std::abs(norm(apart) - made.distance), size = norm(to_vec(model_.box.length));
    if (gap <= kLargestGap * size) return made;
    throw InputError(fmt::format(
        "the loop of bodies that closes at particles[{}] does not meet there: its ends are {:.6g} "
        "apart, as it winds round the periodic box",
        particles[0], gap));
  }

  void add_molecule(const std::vector<ParticleBody>& bodies, const std::vector<int>& members,
                    const std::vector<ParticleClosure>& closures) {
    std::vector<BodyDescription> descriptions;
    for (const int number : members) {
      const ParticleBody& body = bodies[static_cast<std::size_t>(number)];
      BodyDescription& made = descriptions.emplace_back();
      made.inertia = body.inertia, made.joint = body.joint;
      Vec origin = position_of(model_, body.particles.front());
      if (body.parent >= 0) {
        made.parent = static_cast<int>(std::ranges::lower_bound(members, body.parent) - members.begin());
        made.at = origin = place_of(body.at, bodies[static_cast<std::size_t>(body.parent)]);
        made.axis = between(body.along), made.second_axis = between(body.across);
      }
      for (const int particle : body.particles) {
        const Vec x = nearest(origin, particle);
        unwrapped[static_cast<std::size_t>(particle)] = x;
        made.points.push_back(
            {x, model_.species[static_cast<std::size_t>(model_.species_of[particle])].mass});
      }
    }
    std::vector<ClosureDescription> loops;
    for (const ParticleClosure& closure : closures) loops.push_back(describe(closure, bodies, members));
    const BuiltMolecule built = build_molecule(descriptions, loops);
    const int first = static_cast<int>(atoms.size());
    atoms.resize(atoms.size() + built.molecule.bodies.size()), inertia.resize(atoms.size(), 0.0);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const int body = first + built.part_of[i];
      const ParticleBody& given = bodies[static_cast<std::size_t>(members[i])];
      part_of[static_cast<std::size_t>(members[i])] = body;
      atoms[static_cast<std::size_t>(body)] = given.particles;
      inertia[static_cast<std::size_t>(body)] = given.inertia;
    }
    molecules.push_back(built.molecule);
  }

  const ParticleModel& model_;
};

ParticleBodies::ParticleBodies(const ParticleModel& model, InstructionSet set)
    : ParticleBodies(model, Built(model), set) {}

ParticleBodies::ParticleBodies(const ParticleModel& model, Built built, InstructionSet set)
    : box_(model.box),
      bodies_(built.molecules, set),
      atoms_(std::move(built.atoms)),
      part_of_(std::move(built.part_of)),
      extra_inertia_(std::move(built.inertia)) {
  molecule_begin_.push_back(0);
  for (const JointedMolecule& molecule : built.molecules) {
    molecule_begin_.push_back(molecule_begin_.back() + static_cast<int>(molecule.bodies.size()));
  }
  for (const int species : model.species_of) {
    mass_of_.push_back(model.species[static_cast<std::size_t>(species)].mass);
  }
  is_in_body_.assign(mass_of_.size(), 0);
  for (int body = 0; body < bodies_.size(); ++body) {
    for (const int particle : atoms_[static_cast<std::size_t>(body)]) {
      is_in_body_[static_cast<std::size_t>(particle)] = 1;
      atom_.push_back(particle);
    }
  }
  draw_of_.assign(static_cast<std::size_t>(bodies_.size()), 0);
  std::vector<std::uint32_t> numbers(part_of_.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  set_draws(numbers);
  make_atom_groups(model, built);
  set_initial_momenta(model);
}

void ParticleBodies::make_atom_groups(const ParticleModel& model, const Built& built) {
  for (const ArticulatedBodies::Group& group : bodies_.groups()) {
    AtomGroup& made = groups_.emplace_back();
    made.used = static_cast<int>(group.molecules.size());
    made.begin.push_back(0);
    for (int b = 0; b < group.tree.bodies; ++b) {
      const std::size_t count = atoms_[static_cast<std::size_t>(group.bodies.front() + b)].size();
      for (std::size_t i = 0; i < count; ++i) {
        for (int l = 0; l < kLanes; ++l) {
          const int body = group.bodies[static_cast<std::size_t>(l < made.used ? l : 0)] + b;
          made.number.push_back(atoms_[static_cast<std::size_t>(body)][i]);
        }
        const std::size_t at = made.offset.size();
        made.offset.resize(at + 24), made.image.resize(at + 24);
        for (int l = 0; l < kLanes; ++l) {
          const int body = group.bodies[static_cast<std::size_t>(l < made.used ? l : 0)] + b;
          const int particle = made.number[made.number.size() - kLanes + static_cast<std::size_t>(l)];
          const Vec x = built.unwrapped[static_cast<std::size_t>(particle)];
          const Vec offset = transpose_times(bodies_.rotation(body), x - bodies_.centre(body));
          const Vec images = position_of(model, particle) - x;
          for (int a = 0; a < 3; ++a) {
            made.offset[at + static_cast<std::size_t>(8 * a + l)] = offset[a];
            made.image[at + static_cast<std::size_t>(8 * a + l)] =
                box_.periodic[a] ? static_cast<std::int32_t>(std::lround(images[a] / box_.length[a])) : 0;
          }
        }
      }
      made.begin.push_back(static_cast<std::int32_t>(made.offset.size() / 24));
    }
    made.place = made.number;
    made.shift.assign(made.offset.size(), 0.0);
    made.wrench.assign(static_cast<std::size_t>(8 * body_numbers::kSpatial * group.tree.bodies), 0.0);
  }
}

// Computes the momenta from the particles' velocities, and from the spins if they are given.
void ParticleBodies::set_initial_momenta(const ParticleModel& model) {
  if (model.velocity.empty()) return;
  std::vector<Vec> spin(static_cast<std::size_t>(bodies_.size()));
  for (std::size_t i = 0; i < part_of_.size() && !model.spin.empty(); ++i) {
    spin[static_cast<std::size_t>(part_of_[i])] = {model.spin[3 * i], model.spin[3 * i + 1],
                                                   model.spin[3 * i + 2]};
  }
  for (int body = 0; body < bodies_.size(); ++body) {
    Vec linear{}, angular{};
    for (const int particle : atoms_[static_cast<std::size_t>(body)]) {
      const Vec v{model.velocity[3 * particle], model.velocity[3 * particle + 1],
                  model.velocity[3 * particle + 2]};
      const Vec x = position_of(model, particle);
      const double mass = mass_of_[static_cast<std::size_t>(particle)];
      Vec r = x - bodies_.centre(body);
      for (int a = 0; a < 3; ++a) r[a] = box_.nearest(a, r[a]);
      linear += mass * v, angular += mass * cross(r, v);
    }
    angular += extra_inertia_[static_cast<std::size_t>(body)] * spin[static_cast<std::size_t>(body)];
    bodies_.set_momentum(body, linear, angular);
  }
}

template <class Work>
void ParticleBodies::for_groups(Executor& executor, Work&& work) {
  executor.parallel_for(static_cast<int>(groups_.size()), kMoleculeGrain, [&](int begin, int end) {
    for (int g = begin; g < end; ++g) work(g, groups_[static_cast<std::size_t>(g)]);
  });
}

void ParticleBodies::set_places(ParticleArrays& particles) {
  for (AtomGroup& group : groups_) {
    for (std::size_t i = 0; i < group.number.size(); ++i) {
      const int place = particles.place[static_cast<std::size_t>(group.number[i])];
      group.place[i] = place;
      particles.inverse_mass[static_cast<std::size_t>(place)] = 0.0;
      const std::size_t first = 24 * (i / kLanes) + i % kLanes;
      const std::int32_t images[3] = {particles.image_x[place], particles.image_y[place],
                                      particles.image_z[place]};
      for (std::size_t a = 0; a < 3; ++a) {
        group.shift[first + 8 * a] = (group.image[first + 8 * a] - images[a]) * box_.length[a];
      }
    }
  }
}

void ParticleBodies::kick(double h, const AtomForces& forces, Executor& executor) {
  for_groups(executor, [&](int g, AtomGroup& group) {
    const ArticulatedBodies::Group& molecules = bodies_.groups()[static_cast<std::size_t>(g)];
    const int row = molecules.first_row;
    bodies_.kernels().set_wrenches(group.atoms(), bodies_.poses(row), forces, group.wrench.data());
    bodies_.kernels().add_impulses(molecules.tree.bodies, group.wrench.data(), h, bodies_.momenta(row));
  });
}

double ParticleBodies::calc_fixman(double kT, Executor& executor) {
  for_groups(executor, [&](int g, AtomGroup& group) {
    const ArticulatedBodies::Group& molecules = bodies_.groups()[static_cast<std::size_t>(g)];
    group.fixman.assign(group.wrench.size(), 0.0);
    group.fixman_energy = 0.0;
    for (int l = 0; l < group.used; ++l) {
      group.fixman_energy += add_fixman_wrenches(
          bodies_, molecules.tree, molecules.bodies[static_cast<std::size_t>(l)], kT, l, group.fixman.data());
    }
  });
  double energy = 0.0;
  for (const AtomGroup& group : groups_) energy += group.fixman_energy;
  return energy;
}

void ParticleBodies::kick_by_fixman(double h, Executor& executor) {
  for_groups(executor, [&](int g, const AtomGroup& group) {
    if (group.fixman.empty()) return;
    const ArticulatedBodies::Group& molecules = bodies_.groups()[static_cast<std::size_t>(g)];
    bodies_.kernels().add_impulses(molecules.tree.bodies, group.fixman.data(), h,
                                   bodies_.momenta(molecules.first_row));
  });
}

void ParticleBodies::advance(double t, double h, ParticleArrays& particles, Executor& executor) {
  move(t, particles, executor, [&](int g) { return bodies_.advance(g, h); });
}

template <class Move>
void ParticleBodies::move(double t, ParticleArrays& particles, Executor& executor, Move&& move) {
  const AtomArrays positions{particles.x.data(), particles.y.data(), particles.z.data()};
  std::atomic<int> failed{-1};
  for_groups(executor, [&](int g, const AtomGroup& group) {
    if (!move(g)) failed = g;
    const int row = bodies_.groups()[static_cast<std::size_t>(g)].first_row;
    bodies_.kernels().put_positions(group.atoms(), bodies_.poses(row), group.shift.data(), positions);
  });
  if (failed >= 0) fail(t, failed);
}

// Names the body that turns fastest.
void ParticleBodies::fail(double t, int group) const {
  int fastest = -1;
  double most = -1.0;
  for (const int first : bodies_.groups()[static_cast<std::size_t>(group)].bodies) {
    for (int b = 0; b < bodies_.groups()[static_cast<std::size_t>(group)].tree.bodies; ++b) {
      const std::vector<int>& atoms = atoms_[static_cast<std::size_t>(first + b)];
      const double momentum = norm(bodies_.momentum(first + b));
      if (atoms.empty() || (std::isfinite(momentum) && momentum <= most)) continue;
      fastest = atoms.front();
      most = std::isfinite(momentum) ? momentum : HUGE_VAL;
    }
  }
  throw ComputationError(
      t, fmt::format("the joints of the molecule of particles[{}] cannot follow it: particles "
                     "overlap, or the step is too long",
                     fastest));
}

void ParticleBodies::displace(double t, ParticleArrays& particles, Executor& executor) {
  const std::vector<double> before = save();
  for (std::size_t i = 0; i < atom_.size(); ++i) {
    const auto place = static_cast<std::size_t>(particles.place[static_cast<std::size_t>(atom_[i])]);
    const double mass = mass_of_[static_cast<std::size_t>(atom_[i])];
    particles.fx[place] *= mass, particles.fy[place] *= mass, particles.fz[place] *= mass;
  }
  bodies_.scale_momenta(0.0);
  kick(1.0, {particles.fx.data(), particles.fy.data(), particles.fz.data()}, executor);
  move(t, particles, executor, [&](int g) {
    for (int attempt = 0; attempt < kMostHalvings; ++attempt) {
      if (bodies_.advance(g, 1.0)) return true;
      bodies_.scale_momenta(g, 0.5);
    }
    return false;
  });
  for (int body = 0; body < bodies_.size(); ++body) {
    const double* const saved =
        before.data() + static_cast<std::size_t>(ArticulatedBodies::kSaved * body) + body_numbers::kState;
    bodies_.set_momentum(body, {saved[3], saved[4], saved[5]}, {saved[0], saved[1], saved[2]});
  }
}

void ParticleBodies::randomise(double friction_time, const Langevin& thermostat, double kT, std::int64_t step,
                               Executor& executor) {
  const double c = std::exp(-friction_time), spread = std::sqrt((1.0 - c * c) * kT);
  for_groups(executor, [&](int g, const AtomGroup& group) {
    const ArticulatedBodies::Group& molecules = bodies_.groups()[static_cast<std::size_t>(g)];
    for (int l = 0; l < group.used; ++l) {
      for (int b = 0; b < molecules.tree.bodies; ++b) {
        const int body = molecules.bodies[static_cast<std::size_t>(l)] + b;
        const auto draw = [&](RandomUse use) {
          return to_vec(calc_normal(thermostat.seed, use, static_cast<std::uint64_t>(step),
                                    draw_of_[static_cast<std::size_t>(body)]));
        };
        bodies_.randomise(body, c, spread, draw(RandomUse::kTurn), draw(RandomUse::kMotion));
      }
    }
  });
}

void ParticleBodies::draw_momenta(double kT, std::uint32_t seed) {
  for (int body = 0; body < bodies_.size(); ++body) {
    const auto draw = [&](RandomUse use) {
      return to_vec(calc_normal(seed, use, 0, draw_of_[static_cast<std::size_t>(body)]));
    };
    bodies_.randomise(body, 0.0, std::sqrt(kT), draw(RandomUse::kDrawnTurn), draw(RandomUse::kDrawnMotion));
  }
}

void ParticleBodies::add_total_momentum(double& mass, Vector3d& momentum) const {
  for (int body = 0; body < bodies_.size(); ++body) {
    mass += bodies_.mass(body);
    for (int a = 0; a < 3; ++a) momentum[a] += bodies_.momentum(body)[a];
  }
}

void ParticleBodies::add_velocity(const Vector3d& v) {
  for (int body = 0; body < bodies_.size(); ++body) {
    bodies_.set_momentum(body, bodies_.momentum(body) + bodies_.mass(body) * to_vec(v),
                         bodies_.angular_momentum(body));
  }
}

void ParticleBodies::set_all_twists(Executor& executor) {
  for_groups(executor, [&](int g, const AtomGroup&) { bodies_.set_twists(g); });
}

double ParticleBodies::calc_kinetic(Executor& executor) {
  set_all_twists(executor);
  double sum = 0.0;
  for (int body = 0; body < bodies_.size(); ++body) sum += bodies_.kinetic_energy(body);
  return sum;
}

void ParticleBodies::copy_velocities(std::span<double> out, Executor& executor) {
  set_all_twists(executor);
  for (const AtomGroup& group : groups_) {
    const auto g = static_cast<std::size_t>(&group - groups_.data());
    for (int l = 0; l < group.used; ++l) {
      for (int b = 0; b + 1 < static_cast<int>(group.begin.size()); ++b) {
        const int body = bodies_.groups()[g].bodies[static_cast<std::size_t>(l)] + b;
        const Rotation<double> R = bodies_.rotation(body);
        for (int i = group.begin[b]; i < group.begin[b + 1]; ++i) {
          const auto offset = [&](int a) {
            return group.offset[static_cast<std::size_t>(24 * i + 8 * a + l)];
          };
          const Vec v = bodies_.velocity(body) +
                        cross(bodies_.angular_velocity(body), R * Vec{offset(0), offset(1), offset(2)});
          double* const to = out.data() + 3 * group.number[static_cast<std::size_t>(8 * i + l)];
          to[0] = v.x, to[1] = v.y, to[2] = v.z;
        }
      }
    }
  }
}

void ParticleBodies::copy_spin(std::vector<double>& spin) const {
  spin.clear();
  for (const int body : part_of_) {
    const Vec w = bodies_.angular_velocity(body);
    spin.insert(spin.end(), {w.x, w.y, w.z});
  }
}

void ParticleBodies::copy_momenta(std::vector<double>& momenta) const {
  momenta.clear();
  for (const int body : part_of_) {
    const Vec L = bodies_.angular_momentum(body), p = bodies_.momentum(body);
    momenta.insert(momenta.end(), {L.x, L.y, L.z, p.x, p.y, p.z});
  }
}

void ParticleBodies::set_momenta(std::span<const double> momenta) {
  for (std::size_t i = 0; i < part_of_.size(); ++i) {
    const double* const m = momenta.data() + 6 * i;
    bodies_.set_momentum(part_of_[i], {m[3], m[4], m[5]}, {m[0], m[1], m[2]});
  }
}

void ParticleBodies::set_draws(std::span<const std::uint32_t> numbers) {
  for (std::size_t i = 0; i < part_of_.size(); ++i)
    draw_of_[static_cast<std::size_t>(part_of_[i])] = numbers[i];
}

double ParticleBodies::calc_pressure_part(const ParticleArrays& particles, Executor& executor) {
  set_all_twists(executor);
  double sum = 0.0;
  for (std::size_t m = 0; m + 1 < molecule_begin_.size(); ++m) {
    double mass = 0.0, kinetic = 0.0, virial = 0.0;
    Vec moment{}, momentum{};
    for (int body = molecule_begin_[m]; body < molecule_begin_[m + 1]; ++body) {
      mass += bodies_.mass(body), kinetic += bodies_.kinetic_energy(body);
      moment += bodies_.mass(body) * bodies_.centre(body),
          momentum += bodies_.mass(body) * bodies_.velocity(body);
    }
    const Vec centre = (1.0 / mass) * moment;
    for (int body = molecule_begin_[m]; body < molecule_begin_[m + 1]; ++body) {
      for (const int particle : atoms_[static_cast<std::size_t>(body)]) {
        const auto place = static_cast<std::size_t>(particles.place[static_cast<std::size_t>(particle)]);
        const Vec x{particles.x[place], particles.y[place], particles.z[place]};
        const Vec f{particles.fx[place], particles.fy[place], particles.fz[place]};
        Vec r = x - bodies_.centre(body);
        for (int a = 0; a < 3; ++a) r[a] = box_.nearest(a, r[a]);
        virial += dot(r + bodies_.centre(body) - centre, f);
      }
    }
    sum += dot(momentum, momentum) / mass - 2.0 * kinetic - virial;
  }
  return sum;
}

void ParticleBodies::restore(std::span<const double> saved) { bodies_.restore(saved); }

double count_degrees_of_freedom(const ParticleModel& model, int rigid_bonds, const ParticleBodies& bodies,
                                bool keeps_momentum) {
  const auto kept = keeps_momentum && model.size() > 1 ? std::ranges::count(find_free_axes(model), true) : 0;
  const int per_particle = model.has_grains() ? 6 : 3;
  return static_cast<double>(per_particle) * (model.size() - bodies.particles()) +
         bodies.degrees_of_freedom() - rigid_bonds - static_cast<double>(kept);
}

}  // namespace sestina
