#include "sestina/particles/rigid_bonds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/bond_structure.h"

namespace sestina {
namespace {

constexpr int kGroupGrain = 2;            // groups of molecules, some microseconds
constexpr double kSmallestPivot = 1e-11;  // conditions with a smaller one depend on each other

struct RigidBond {
  int first = 0, second = 0;  // particles
  double length = 0.0;        // m
};

// Particles that rigid bonds connect.
struct Molecule {
  std::vector<int> beads;        // ascending
  std::vector<RigidBond> bonds;  // ascending
};

std::vector<RigidBond> list_rigid_bonds(const ParticleModel& model) {
  std::vector<RigidBond> bonds;
  for (const Term& term : model.terms) {
    const TermType& type = model.term_types[static_cast<std::size_t>(term.type)];
    if (type.law != TermLaw::kRigidBond) continue;
    const auto [first, second] = std::minmax({term.particles[0], term.particles[1]});
    bonds.push_back({first, second, type.rest});
  }
  return bonds;
}

std::vector<Molecule> find_rigid_molecules(const ParticleModel& model) {
  const std::vector<RigidBond> bonds = list_rigid_bonds(model);
  Bonds pairs;
  for (const RigidBond& bond : bonds) pairs.push_back({bond.first, bond.second});
  std::vector<Molecule> molecules;
  std::vector<int> molecule_of(static_cast<std::size_t>(model.size()), -1);
  for (std::vector<int>& beads : find_molecules(find_bonded(model.size(), pairs))) {
    for (const int bead : beads) molecule_of[bead] = static_cast<int>(molecules.size());
    std::ranges::sort(beads);
    molecules.push_back({std::move(beads), {}});
  }
  for (const RigidBond& bond : bonds) molecules[molecule_of[bond.first]].bonds.push_back(bond);
  for (Molecule& molecule : molecules) {
    std::ranges::sort(molecule.bonds, {}, [](const RigidBond& b) { return std::pair(b.first, b.second); });
  }
  return molecules;
}

int find_bead(const Molecule& molecule, int particle) {
  return static_cast<int>(std::ranges::lower_bound(molecule.beads, particle) - molecule.beads.begin());
}

// The bonds of a molecule between its beads.
Bonds local_bonds(const Molecule& molecule) {
  Bonds local;
  for (const RigidBond& bond : molecule.bonds) {
    local.push_back({find_bead(molecule, bond.first), find_bead(molecule, bond.second)});
  }
  return local;
}

// Makes arrays sorted by number, with the model's positions and velocities.
ParticleArrays make_arrays(const ParticleModel& model) {
  ParticleArrays arrays;
  const auto n = static_cast<std::size_t>(model.size());
  arrays.size = model.size();
  const auto take = [n](const std::vector<double>& from, std::size_t axis, Numbers64& to) {
    to.assign(n, 0.0);
    for (std::size_t i = 0; i < n && !from.empty(); ++i) to[i] = from[3 * i + axis];
  };
  take(model.position, 0, arrays.x), take(model.position, 1, arrays.y), take(model.position, 2, arrays.z);
  take(model.velocity, 0, arrays.vx), take(model.velocity, 1, arrays.vy), take(model.velocity, 2, arrays.vz);
  arrays.number.resize(n);
  std::iota(arrays.number.begin(), arrays.number.end(), 0);
  arrays.place = arrays.number;
  return arrays;
}

double length_of(const Box& box, const ParticleArrays& particles, int i, int j) {
  return std::hypot(box.nearest(0, particles.x[i] - particles.x[j]),
                    box.nearest(1, particles.y[i] - particles.y[j]),
                    box.nearest(2, particles.z[i] - particles.z[j]));
}

}  // namespace

// Up to eight molecules of one structure.
struct RigidBonds::Group {
  const BondStructure* structure = nullptr;
  int used = 0;
  std::vector<int> numbers;         // (beads) in lanes, of particles
  std::vector<std::int32_t> place;  // (beads) in lanes
  CacheLineVector<double> inverse_mass, weight, length_square, r, scratch;

  Group(const BondStructure& given, const ParticleModel& model,
        const std::vector<const Molecule*>& molecules);

  RigidMolecules molecules() {
    return {structure->pattern(), used,     place.data(),  inverse_mass.data(), weight.data(),
            length_square.data(), r.data(), scratch.data()};
  }
};

RigidBonds::Group::Group(const BondStructure& given, const ParticleModel& model,
                         const std::vector<const Molecule*>& molecules)
    : structure(&given), used(static_cast<int>(molecules.size())) {
  const int beads = given.beads, bonds = given.bonds(), pairs = given.pairs();
  const auto lanes = [](int n) { return static_cast<std::size_t>(kLanes * n); };
  numbers.resize(lanes(beads)), place.resize(lanes(beads));
  inverse_mass.resize(lanes(beads)), weight.assign(lanes(bonds + pairs), 0.0);
  length_square.resize(lanes(bonds)), r.assign(lanes(3 * bonds), 0.0);
  scratch.assign(static_cast<std::size_t>(scratch_size(beads, bonds, pairs)), 0.0);
  for (int l = 0; l < kLanes; ++l) {
    const Molecule& molecule = *molecules[l < used ? l : 0];
    const auto lane = [l](int i) { return static_cast<std::size_t>(kLanes * i + l); };
    for (int b = 0; b < beads; ++b) {
      numbers[lane(b)] = molecule.beads[b];
      inverse_mass[lane(b)] = 1.0 / model.species[model.species_of[molecule.beads[b]]].mass;
    }
    const Bonds local = local_bonds(molecule);
    for (int k = 0; k < bonds; ++k) {
      const auto [i, j] = given.ends[k];
      const auto at = std::ranges::find(local, given.ends[k]) - local.begin();
      length_square[lane(k)] = molecule.bonds[at].length * molecule.bonds[at].length;
      weight[lane(k)] = inverse_mass[lane(i)] + inverse_mass[lane(j)];
      for (int q = given.below_begin[k]; q < given.below_begin[k + 1]; ++q) {
        for (const int a : {0, 1}) {
          for (const int b : {0, 1}) {
            const int bead = given.ends[k][a];
            if (given.ends[given.below[q]][b] != bead) continue;
            weight[lane(bonds + q)] += (a == b ? 1.0 : -1.0) * inverse_mass[lane(bead)];
          }
        }
      }
    }
  }
}

RigidBonds::~RigidBonds() = default;

RigidBonds::RigidBonds(const ParticleModel& model, InstructionSet set)
    : kernels_(&rigid_bond_kernels(set)), box_(model.box) {
  const std::vector<Molecule> molecules = find_rigid_molecules(model);
  if (molecules.empty()) return;
  std::map<std::pair<std::size_t, Bonds>, std::vector<const Molecule*>> alike;
  for (const Molecule& molecule : molecules) {
    alike[{molecule.beads.size(), local_bonds(molecule)}].push_back(&molecule);
    count_ += static_cast<int>(molecule.bonds.size());
  }
  for (const auto& [key, members] : alike) {
    structures_.push_back(
        std::make_unique<BondStructure>(make_bond_structure(static_cast<int>(key.first), key.second)));
    for (std::size_t first = 0; first < members.size(); first += kLanes) {
      const std::size_t end = std::min(first + kLanes, members.size());
      groups_.emplace_back(*structures_.back(), model,
                           std::vector(members.begin() + static_cast<std::ptrdiff_t>(first),
                                       members.begin() + static_cast<std::ptrdiff_t>(end)));
    }
  }
  ParticleArrays particles = make_arrays(model);
  set_places(particles);
  check_independent(std::move(particles));
}

RigidBondTask RigidBonds::task_on(ParticleArrays& particles) const {
  RigidBondTask task{particles.x.data(),
                     particles.y.data(),
                     particles.z.data(),
                     particles.vx.data(),
                     particles.vy.data(),
                     particles.vz.data(),
                     particles.fx.data(),
                     particles.fy.data(),
                     particles.fz.data(),
                     {},
                     0.0,
                     0.0,
                     nullptr};
  for (int a = 0; a < 3; ++a) task.length[a] = box_.periodic[a] ? box_.length[a] : 0.0;
  return task;
}

void RigidBonds::check_independent(ParticleArrays particles) {
  double pivots[kLanes] = {};
  RigidBondTask task = task_on(particles);
  task.smallest_pivots = pivots;
  for (Group& group : groups_) {
    kernels_->project(group.molecules(), task);
    for (int l = 0; l < group.used; ++l) {
      if (pivots[l] > kSmallestPivot) continue;
      throw InputError(
          fmt::format("the rigid bonds of the molecule of particles[{}] depend on each other: one could "
                      "be left out without changing what is free to move",
                      group.numbers[static_cast<std::size_t>(l)]));
    }
  }
}

void RigidBonds::set_places(const ParticleArrays& particles) {
  for (Group& group : groups_) {
    for (std::size_t i = 0; i < group.numbers.size(); ++i) {
      group.place[i] = particles.place[group.numbers[i]];
    }
  }
}

template <class Kernel>
double RigidBonds::sum_groups(Executor& executor, Kernel&& kernel) {
  return executor.parallel_reduce(
      static_cast<int>(groups_.size()), kGroupGrain, 0.0,
      [&](int begin, int end) {
        double sum = 0.0;
        for (int i = begin; i < end; ++i) sum += kernel(groups_[static_cast<std::size_t>(i)].molecules());
        return sum;
      },
      std::plus<>());
}

void RigidBonds::set_bonds(ParticleArrays& particles, Executor& executor) {
  const RigidBondTask task = task_on(particles);
  sum_groups(executor, [&](const RigidMolecules& molecules) {
    kernels_->set_bonds(molecules, task);
    return 0.0;
  });
}

void RigidBonds::constrain(double t, double rate, ParticleArrays& particles, Executor& executor) {
  RigidBondTask task = task_on(particles);
  task.rate = rate;
  const double failed = sum_groups(executor, [&](const RigidMolecules& molecules) {
    return kernels_->constrain(molecules, task) ? 0.0 : 1.0;
  });
  if (failed > 0.0) fail(t, particles);
}

void RigidBonds::project(ParticleArrays& particles, Executor& executor) {
  const RigidBondTask task = task_on(particles);
  sum_groups(executor, [&](const RigidMolecules& molecules) {
    kernels_->project(molecules, task);
    return 0.0;
  });
}

double RigidBonds::calc_virial(ParticleArrays& particles, Executor& executor) {
  const RigidBondTask task = task_on(particles);
  return sum_groups(executor,
                    [&](const RigidMolecules& molecules) { return kernels_->virial(molecules, task); });
}

double RigidBonds::add_fixman(double kT, ParticleArrays& particles, Executor& executor) {
  RigidBondTask task = task_on(particles);
  task.kT = kT;
  return sum_groups(executor,
                    [&](const RigidMolecules& molecules) { return kernels_->add_fixman(molecules, task); });
}

// Names the bond that is farthest from its length.
void RigidBonds::fail(double t, const ParticleArrays& particles) const {
  int first = 0, second = 0;
  double worst = -1.0, wanted = 0.0, found = 0.0;
  for (const Group& group : groups_) {
    for (int k = 0; k < group.structure->bonds(); ++k) {
      for (int l = 0; l < group.used; ++l) {
        const auto number = [&](int end) {
          return group.numbers[static_cast<std::size_t>(kLanes * group.structure->ends[k][end] + l)];
        };
        const double length = std::sqrt(group.length_square[static_cast<std::size_t>(kLanes * k + l)]);
        const double now = length_of(box_, particles, particles.place[number(0)], particles.place[number(1)]);
        const double misfit = std::isfinite(now) ? std::abs(now / length - 1.0) : HUGE_VAL;
        if (misfit <= worst) continue;
        worst = misfit, wanted = length, found = now;
        first = number(0), second = number(1);
      }
    }
  }
  throw ComputationError(
      t, fmt::format("the rigid bond of particles[{}] and particles[{}] cannot keep its length {:.6g}; "
                     "freely it would be {:.6g}: particles overlap, or the step is too long",
                     first, second, wanted, found));
}

void satisfy_rigid_bonds(ParticleModel& model) {
  const std::vector<RigidBond> all = list_rigid_bonds(model);
  if (all.empty()) return;
  ParticleArrays particles = make_arrays(model);
  for (const RigidBond& bond : all) {
    const double length = length_of(model.box, particles, bond.first, bond.second);
    if (std::abs(length - bond.length) <= kLargestMisfit * bond.length) continue;
    throw InputError(
        fmt::format("particles[{}] and particles[{}] are {:.6g} apart: too far from the length {:.6g} "
                    "of their rigid bond; up to {:.0f} % are corrected",
                    bond.first, bond.second, length, bond.length, 100.0 * kLargestMisfit));
  }
  RigidBonds bonds(model, default_instruction_set());
  Executor executor(1);
  bonds.set_bonds(particles, executor);
  try {
    bonds.constrain(0.0, 0.0, particles, executor);
  } catch (const ComputationError& error) {
    throw InputError(error.reason());
  }
  bonds.project(particles, executor);
  const auto put = [](const Numbers64& from, std::size_t axis, std::vector<double>& to) {
    for (std::size_t i = 0; 3 * i < to.size(); ++i) to[3 * i + axis] = from[i];
  };
  put(particles.x, 0, model.position), put(particles.y, 1, model.position);
  put(particles.z, 2, model.position);
  put(particles.vx, 0, model.velocity), put(particles.vy, 1, model.velocity);
  put(particles.vz, 2, model.velocity);
}

int count_rigid_bonds(const ParticleModel& model) { return static_cast<int>(list_rigid_bonds(model).size()); }

}  // namespace sestina
