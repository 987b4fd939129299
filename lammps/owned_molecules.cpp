#include "owned_molecules.h"

#include <algorithm>
#include <numeric>

#include "sestina/base/error.h"

namespace sestina::lammps {
namespace {

// The molecule of each body, which are numbered in the order of their first bodies.
std::vector<int> molecules_of(const JointTable& table) {
  std::vector<int> molecule;
  int count = 0;
  for (const ParticleBody& body : table.bodies) {
    molecule.push_back(body.parent < 0 ? count++ : molecule[static_cast<std::size_t>(body.parent)]);
  }
  return molecule;
}

constexpr double kMostLoad = 1.2;  // of a rank, over the mean

}  // namespace

std::vector<int> first_atoms(const JointTable& table) {
  std::vector<int> first;
  for (const ParticleBody& body : table.bodies) {
    if (body.parent < 0) first.push_back(body.particles.front());
  }
  return first;
}

Ownership::Ownership(const JointTable& table, int ranks, std::span<const int> holders)
    : rank(table.atoms.size(), -1), slot(table.atoms.size(), -1) {
  const std::vector<int> molecule = molecules_of(table);
  const int molecules = molecule.empty() ? 0 : 1 + *std::ranges::max_element(molecule);
  std::vector<int> size(static_cast<std::size_t>(molecules), 0), owner(size.size(), 0);
  for (std::size_t b = 0; b < molecule.size(); ++b) {
    size[static_cast<std::size_t>(molecule[b])] += static_cast<int>(table.bodies[b].particles.size());
  }
  std::vector<int> load(static_cast<std::size_t>(ranks), 0), used(load.size(), 0);
  const double most = kMostLoad * static_cast<double>(table.atoms.size()) / ranks;
  for (std::size_t m = 0; m < size.size(); ++m) {
    owner[m] = holders[m];
    if (holders[m] < 0 || load[static_cast<std::size_t>(holders[m])] + size[m] > most) {
      owner[m] = static_cast<int>(std::ranges::min_element(load) - load.begin());
    }
    load[static_cast<std::size_t>(owner[m])] += size[m];
  }
  for (std::size_t b = 0; b < molecule.size(); ++b) {
    const int at = owner[static_cast<std::size_t>(molecule[b])];
    for (const int atom : table.bodies[b].particles) {
      rank[static_cast<std::size_t>(atom)] = at;
      slot[static_cast<std::size_t>(atom)] = used[static_cast<std::size_t>(at)]++;
    }
  }
}

OwnedMolecules::OwnedMolecules(const JointTable& table, const Ownership& ownership, int rank)
    : table_(table) {
  const std::vector<int> molecule = molecules_of(table);
  int last = -1;
  for (std::size_t b = 0; b < table.bodies.size(); ++b) {
    const std::vector<int>& atoms = table.bodies[b].particles;
    if (ownership.rank[static_cast<std::size_t>(atoms.front())] != rank) continue;
    if (molecule[b] != last) ++molecules_, last = molecule[b];
    body_.push_back(static_cast<int>(b));
    for (const int atom : atoms) atom_.push_back(atom), molecule_.push_back(molecules_ - 1);
  }
}

std::vector<AtomId> OwnedMolecules::atoms() const {
  std::vector<AtomId> ids;
  for (const int atom : atom_) ids.push_back(table_.atoms[static_cast<std::size_t>(atom)]);
  return ids;
}

void OwnedMolecules::build(const Box& box, std::span<const double> mass, std::span<const double> x,
                           std::span<const double> v) {
  if (is_built()) {
    bodies_->calc_kinetic(executor_);
    bodies_->copy_spin(spin_);
  }
  next_to_.clear();
  ParticleModel model;
  model.box = box_ = box;
  std::vector<int> slot_of(table_.atoms.size(), -1), body_of(table_.bodies.size(), -1);
  for (int s = 0; s < slots(); ++s) {
    slot_of[static_cast<std::size_t>(atom_[static_cast<std::size_t>(s)])] = s;
    model.species.push_back({"", mass[static_cast<std::size_t>(s)]});
    model.species_of.push_back(s);
  }
  model.position.assign(x.begin(), x.end()), model.velocity.assign(v.begin(), v.end());
  const auto in_slots = [&](const std::array<int, 2>& pair) {
    const auto slot = [&](int atom) { return atom < 0 ? -1 : slot_of[static_cast<std::size_t>(atom)]; };
    return std::array<int, 2>{slot(pair[0]), slot(pair[1])};
  };
  for (const int number : body_) {
    ParticleBody& body = model.bodies.emplace_back(table_.bodies[static_cast<std::size_t>(number)]);
    body_of[static_cast<std::size_t>(number)] = static_cast<int>(model.bodies.size()) - 1;
    for (int& atom : body.particles) atom = slot_of[static_cast<std::size_t>(atom)];
    int reference = body.particles.front();
    if (body.parent >= 0) {
      body.parent = body_of[static_cast<std::size_t>(body.parent)];
      body.at = in_slots({body.at, -1})[0], body.along = in_slots(body.along),
      body.across = in_slots(body.across);
      reference = body.at;
      const std::vector<int>& of_parent = model.bodies[static_cast<std::size_t>(body.parent)].particles;
      if (std::ranges::find(of_parent, body.at) == of_parent.end())
        next_to_.push_back({body.at, of_parent.front()});
    }
    for (const int atom : body.particles) {
      if (atom != reference) next_to_.push_back({atom, reference});
    }
  }
  model.spin = spin_;
  if (slots() > 0) check(model);
  mass_.assign(mass.begin(), mass.end());
  const auto n = static_cast<std::size_t>(slots());
  arrays_ = {};
  arrays_.size = slots();
  for (Numbers64* values :
       {&arrays_.x, &arrays_.y, &arrays_.z, &arrays_.fx, &arrays_.fy, &arrays_.fz, &arrays_.inverse_mass}) {
    values->assign(n, 0.0);
  }
  for (auto* values : {&arrays_.image_x, &arrays_.image_y, &arrays_.image_z, &arrays_.place})
    values->assign(n, 0);
  std::iota(arrays_.place.begin(), arrays_.place.end(), 0);
  bodies_ = std::make_unique<ParticleBodies>(model, default_instruction_set());
  bodies_->set_places(arrays_);
  std::vector<std::uint32_t> draws(body_.begin(), body_.end());
  bodies_->set_draws(draws);
}

void OwnedMolecules::kick(double h, std::span<const double> f) {
  for (int s = 0; s < slots(); ++s) {
    arrays_.fx[s] = f[3 * s], arrays_.fy[s] = f[3 * s + 1], arrays_.fz[s] = f[3 * s + 2];
  }
  bodies_->kick(h, {arrays_.fx.data(), arrays_.fy.data(), arrays_.fz.data()}, executor_);
}

void OwnedMolecules::advance(double t, double h, std::span<double> x) {
  bodies_->advance(t, h, arrays_, executor_);
  for (int s = 0; s < slots(); ++s) {
    x[3 * s] = arrays_.x[s], x[3 * s + 1] = arrays_.y[s], x[3 * s + 2] = arrays_.z[s];
  }
}

void OwnedMolecules::randomise(double friction_time, double kT, std::uint32_t seed, std::int64_t draw) {
  Langevin thermostat;
  thermostat.seed = seed;
  bodies_->randomise(friction_time, thermostat, kT, draw, executor_);
}

void OwnedMolecules::calc_virials(double energy_of_mv2, std::span<const double> x, std::span<const double> v,
                                  std::span<const double> f, std::span<double> virials) const {
  const auto count = static_cast<std::size_t>(molecules_);
  std::vector<double> mass(count, 0.0), centre(3 * count, 0.0), speed(3 * count, 0.0);
  std::vector<double> near(x.begin(), x.end());
  for (const auto& [s, from] : next_to_) {
    for (int a = 0; a < 3; ++a) {
      near[3 * s + a] = near[3 * from + a] + box_.nearest(a, x[3 * s + a] - near[3 * from + a]);
    }
  }
  for (std::size_t s = 0; s < atom_.size(); ++s) {
    const auto m = static_cast<std::size_t>(molecule_[s]);
    mass[m] += mass_[s];
    for (int a = 0; a < 3; ++a) {
      centre[3 * m + a] += mass_[s] * near[3 * s + a], speed[3 * m + a] += mass_[s] * v[3 * s + a];
    }
  }
  for (std::size_t s = 0; s < atom_.size(); ++s) {
    const auto m = static_cast<std::size_t>(molecule_[s]);
    const auto entry = [&](int a, int b) {
      const double V = speed[3 * m + a] / mass[m], W = speed[3 * m + b] / mass[m];
      const double r = near[3 * s + a] - centre[3 * m + a] / mass[m];
      return energy_of_mv2 * mass_[s] * (V * W - v[3 * s + a] * v[3 * s + b]) - r * f[3 * s + b];
    };
    const double all[6] = {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
    std::copy_n(all, 6, virials.begin() + 6 * static_cast<std::ptrdiff_t>(s));
  }
}

void OwnedMolecules::put_momenta(std::span<double> of_all) const {
  std::vector<double> momenta;
  bodies_->copy_momenta(momenta);
  for (std::size_t i = 0; i < body_.size(); ++i) {
    std::copy_n(momenta.begin() + 6 * static_cast<std::ptrdiff_t>(i), 6, of_all.begin() + 6 * body_[i]);
  }
}

void OwnedMolecules::take_momenta(std::span<const double> of_all) {
  std::vector<double> momenta(6 * body_.size());
  for (std::size_t i = 0; i < body_.size(); ++i) {
    std::copy_n(of_all.begin() + 6 * body_[i], 6, momenta.begin() + 6 * static_cast<std::ptrdiff_t>(i));
  }
  bodies_->set_momenta(momenta);
}

}  // namespace sestina::lammps
