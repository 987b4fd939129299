#include "sestina/particles/granular_contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/granular_walls.h"
#include "sestina/particles/neighbour_lists.h"

namespace sestina {
namespace {

constexpr int kLanesOfBlock = 8;
constexpr int kContactGrain = 2048;  // contacts in a chunk of parallel work; whole blocks
constexpr int kKeptState = 11;       // spin, forces and torques of a sphere
constexpr int kKept = kHistory + 3;  // history and force of a contact

GrainLaw tabulate(const GrainContact& contact) {
  GrainLaw law;
  law.hertz = contact.is_hertz ? 1.0 : 0.0;
  law.stiffness = contact.stiffness, law.tangential_stiffness = contact.tangential_stiffness;
  law.friction = contact.friction, law.rolling_friction = contact.rolling_friction;
  if (contact.restitution < 1.0) {
    const double log = std::log(contact.restitution);
    const double b = -log / std::sqrt(log * log + M_PI * M_PI);
    law.restitution = (contact.is_hertz ? std::sqrt(5.0) : 2.0) * b;
    law.tangential_restitution = contact.damping_ratio * law.restitution;
  } else {
    law.viscous = contact.damping, law.tangential_viscous = contact.tangential_damping;
  }
  return law;
}

}  // namespace

GranularContacts::GranularContacts(const ParticleModel& model, InstructionSet set)
    : kernels_(granular_kernels(set)), box_(model.box), n_(model.size()), skin_(model.skin) {
  for (const Species& species : model.species) {
    radius_.push_back(species.radius), mass_.push_back(species.mass);
    inverse_inertia_.push_back(1.0 / species.moment_of_inertia());
  }
  law_.assign(model.species.size() * model.species.size(), 0);
  for (const GrainContact& contact : model.grain_contacts) {
    const auto number = static_cast<std::uint8_t>(laws_.size());
    const auto count = static_cast<int>(model.species.size());
    law_[static_cast<std::size_t>(contact.first * count + contact.second)] = number;
    law_[static_cast<std::size_t>(contact.second * count + contact.first)] = number;
    laws_.push_back(tabulate(contact));
    if (laws_.back().hertz != 0.0 || laws_.back().restitution != 0.0) is_plain_ = false;
    if (contact.rolling_friction > 0.0) has_rolling_ = true;
  }
  for (const GrainWall& wall : model.walls) given_walls_.push_back(with_unit_axis(wall));
  walls_ = listed_walls_ = given_walls_;
  wall_motion_.resize(walls_.size());
  const double largest = radius_.empty() ? 0.0 : *std::ranges::max_element(radius_);
  std::int32_t parts = 0;
  for (const GrainWall& wall : walls_) {
    first_part_.push_back(parts);
    parts += std::max(1, static_cast<std::int32_t>(wall.triangles.size()));
    grids_.emplace_back(wall.triangles, largest + skin_);
  }
  first_part_.push_back(parts);
  const auto n = static_cast<std::size_t>(n_);
  sums_.assign(8 * n, 0.0);
  inverse_inertia_of_.assign(n, 0.0);
  kept_state_.assign(kKeptState * n, 0.0);
  for (std::size_t k = 0; k < model.grain_spin.size(); ++k) {
    kept_state_[k / 3 * kKeptState + k % 3] = model.grain_spin[k];
  }
  kept_.begins.assign(n + 1, 0);
}

std::uint8_t GranularContacts::law_of(int species, int other) const {
  return law_[static_cast<std::size_t>(species) * radius_.size() + static_cast<std::size_t>(other)];
}

const double* GranularContacts::Kept::find(int first, int second) const {
  for (std::int32_t k = begins[first]; k < begins[first + 1]; ++k) {
    if (other[k] == second) return numbers.data() + static_cast<std::int64_t>(k) * kKept;
  }
  return nullptr;
}

int GranularContacts::other_number(const ParticleArrays& particles, std::int64_t contact) const {
  const std::int32_t second = second_[static_cast<std::size_t>(contact)];
  if (second < n_) return particles.number[static_cast<std::size_t>(second)];
  const WallContact& own = wall_contacts_[static_cast<std::size_t>(second - n_ - kSentinels)];
  return -1 - first_part_[static_cast<std::size_t>(own.wall)] - own.part;
}

void GranularContacts::keep(const ParticleArrays& particles) {
  if (grains_.empty()) return;  // the first places
  for (int i = 0; i < n_; ++i) {
    double* const to = kept_state_.data() + static_cast<std::int64_t>(particles.number[i]) * kKeptState;
    std::copy_n(grain(i) + 8, 3, to);
    std::copy_n(sums_.data() + static_cast<std::int64_t>(i) * 8, 8, to + 3);
  }
  GrainCheckpoint kept;
  save_contacts(particles, kept);
  order_kept(kept.touching, kept.contacts);
}

// Sorts by the first sphere (counting sort).
void GranularContacts::order_kept(const std::vector<std::int32_t>& touching,
                                  const std::vector<double>& numbers) {
  const std::size_t count = touching.size() / 2;
  kept_.begins.assign(static_cast<std::size_t>(n_) + 1, 0);
  for (std::size_t k = 0; k < count; ++k) ++kept_.begins[static_cast<std::size_t>(touching[2 * k]) + 1];
  for (std::size_t i = 1; i < kept_.begins.size(); ++i) kept_.begins[i] += kept_.begins[i - 1];
  kept_.other.resize(count), kept_.numbers.resize(kKept * count);
  std::vector<std::int32_t> next(kept_.begins.begin(), kept_.begins.end() - 1);
  for (std::size_t k = 0; k < count; ++k) {
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(touching[2 * k])]++);
    kept_.other[place] = touching[2 * k + 1];
    std::copy_n(numbers.data() + kKept * k, kKept, kept_.numbers.data() + kKept * place);
  }
}

void GranularContacts::set_places(const ParticleArrays& particles, const NeighbourLists& lists,
                                  Executor& executor) {
  find_pairs(particles, lists, executor);
  find_wall_contacts(particles);
  listed_walls_ = walls_;
  set_wall_reach(particles);
  grains_.assign((static_cast<std::size_t>(n_) + kSentinels + wall_contacts_.size()) * kGrainRecord, 0.0);
  for (int i = 0; i < n_; ++i) {
    const double* const kept =
        kept_state_.data() + static_cast<std::int64_t>(particles.number[i]) * kKeptState;
    const auto species = static_cast<std::size_t>(particles.species[i]);
    double* const to = grain(i);
    to[3] = radius_[species], to[7] = 1.0 / mass_[species], to[11] = 1.0 / radius_[species];
    std::copy_n(kept, 3, to + 8);
    std::copy_n(kept + 3, 8, sums_.data() + static_cast<std::int64_t>(i) * 8);
    inverse_inertia_of_[static_cast<std::size_t>(i)] = inverse_inertia_[species];
  }
  grain(n_ + 1)[0] = 1.0;
  pack(particles, executor);
  make_list(particles);
  make_entries();
  take_histories(particles);
}

// Takes each pair once; the neighbour lists contain it twice.
void GranularContacts::find_pairs(const ParticleArrays& particles, const NeighbourLists& lists,
                                  Executor& executor) {
  std::vector<double> reach(particles.x.size(), 0.0);  // radius and half of the skin
  for (int i = 0; i < n_; ++i) {
    reach[static_cast<std::size_t>(i)] =
        radius_[static_cast<std::size_t>(particles.species[i])] + 0.5 * skin_;
  }
  const double *const x = particles.x.data(), *const y = particles.y.data(), *const z = particles.z.data();
  pairs_.resize(static_cast<std::size_t>(lists.chunk_count()));
  const auto add_run = [&](const NeighbourChunk& chunk, const NeighbourRun& run, int cluster,
                           std::vector<Pair>& pairs) {
    const int first = cluster * kClusterSize;
    for (int k = 0; k < run.count; ++k) {
      const std::int32_t j = chunk.neighbours[run.begin + k];
      if (j <= first) continue;
      double excess[kClusterSize];
      for (int l = 0; l < kClusterSize; ++l) {
        const double dx = x[first + l] + run.shift[0] - x[j], dy = y[first + l] + run.shift[1] - y[j],
                     dz = z[first + l] + run.shift[2] - z[j], sum = reach[first + l] + reach[j];
        excess[l] = dx * dx + dy * dy + dz * dz - sum * sum;
      }
      const unsigned mask = k < run.masked ? chunk.masks[run.masks + k] : 0xFFU;
      for (int l = 0; l < kClusterSize && first + l < j; ++l) {
        if (excess[l] < 0.0 && (mask >> l & 1U) != 0) pairs.push_back({first + l, j});
      }
    }
  };
  executor.parallel_for(lists.chunk_count(), 1, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const NeighbourChunk chunk = lists.chunk(i);
      pairs_[static_cast<std::size_t>(i)].clear();
      int run = 0;
      for (int c = chunk.first_cluster; c < chunk.last_cluster; ++c) {
        for (const int last = chunk.run_ends[c - chunk.first_cluster]; run < last; ++run) {
          add_run(chunk, chunk.runs[run], c, pairs_[static_cast<std::size_t>(i)]);
        }
      }
    }
  });
}

void GranularContacts::make_list(const ParticleArrays& particles) {
  first_.clear(), second_.clear(), contact_law_.clear();
  for (const std::vector<Pair>& pairs : pairs_) {
    for (const Pair& pair : pairs) {
      first_.push_back(pair.first), second_.push_back(pair.second);
      contact_law_.push_back(law_of(particles.species[static_cast<std::size_t>(pair.first)],
                                    particles.species[static_cast<std::size_t>(pair.second)]));
    }
  }
  for (std::size_t c = 0; c < wall_contacts_.size(); ++c) {
    const WallContact& contact = wall_contacts_[c];
    first_.push_back(contact.sphere);
    second_.push_back(n_ + kSentinels + static_cast<std::int32_t>(c));
    const int species = particles.species[static_cast<std::size_t>(contact.sphere)];
    const int of_wall = walls_[static_cast<std::size_t>(contact.wall)].species;
    contact_law_.push_back(law_of(species, of_wall < 0 ? species : of_wall));
  }
  count_ = static_cast<std::int64_t>(first_.size());
  while (first_.size() % kLanesOfBlock != 0) {
    first_.push_back(n_), second_.push_back(n_ + 1);
    contact_law_.push_back(contact_law_.back());
  }
  const std::size_t size = first_.size();
  for (std::vector<double>& numbers : history_) numbers.assign(size, 0.0);
  records_.assign(size * kContactRecord, 0.0);
  if (has_rolling_) rolling_.assign(size * 4, 0.0);
}

// Lists the contacts of each sphere, in the order of the list.
void GranularContacts::make_entries() {
  begins_.assign(static_cast<std::size_t>(n_) + 1, 0);
  const auto count = static_cast<std::size_t>(count_);
  for (std::size_t c = 0; c < count; ++c) {
    ++begins_[static_cast<std::size_t>(first_[c]) + 1];
    if (second_[c] < n_) ++begins_[static_cast<std::size_t>(second_[c]) + 1];
  }
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  entries_.resize(static_cast<std::size_t>(begins_.back()));
  std::vector<std::int32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t c = 0; c < count; ++c) {
    const auto number = static_cast<std::int32_t>(2 * c);
    entries_[static_cast<std::size_t>(next[static_cast<std::size_t>(first_[c])]++)] = number;
    if (second_[c] >= n_) continue;
    entries_[static_cast<std::size_t>(next[static_cast<std::size_t>(second_[c])]++)] = number + 1;
  }
}

// Seen from the other sphere, u and the force have the opposite sign, and the history of rolling is the same.
void GranularContacts::take_histories(const ParticleArrays& particles) {
  for (std::int64_t c = 0; c < count_; ++c) {
    const int i = particles.number[static_cast<std::size_t>(first_[static_cast<std::size_t>(c)])];
    const int j = other_number(particles, c);
    double sign = 1.0;
    const double* kept = kept_.find(i, j);
    if (kept == nullptr && j >= 0) kept = kept_.find(j, i), sign = -1.0;
    if (kept == nullptr) continue;
    for (int a = 0; a < kHistory; ++a)
      history_[a][static_cast<std::size_t>(c)] = (a < 3 ? sign : 1.0) * kept[a];
    for (int a = 0; a < 3; ++a) records_[c * kContactRecord + a] = sign * kept[kHistory + a];
    const std::int32_t second = second_[static_cast<std::size_t>(c)];
    if (second >= n_) wall_contacts_[static_cast<std::size_t>(second - n_ - kSentinels)].is_felt = true;
  }
}

void GranularContacts::pack(const ParticleArrays& particles, Executor& executor) {
  executor.parallel_for(n_, kParticleGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      double* const to = grain(i);
      to[0] = particles.x[i], to[1] = particles.y[i], to[2] = particles.z[i];
      to[4] = particles.vx[i], to[5] = particles.vy[i], to[6] = particles.vz[i];
    }
  });
}

void GranularContacts::update(double t, double h, const ParticleArrays& particles, Executor& executor) {
  pack(particles, executor);
  place_wall_points(t, particles);
  GrainContactTask task;
  task.h = h;
  task.grains = grains_.data();
  task.first = first_.data(), task.second = second_.data();
  task.law = contact_law_.data(), task.laws = laws_.data();
  for (std::size_t a = 0; a < 3; ++a) task.period[a] = box_.periodic[a] ? box_.length[a] : 0.0;
  for (int a = 0; a < kHistory; ++a) task.history[a] = history_[a].data();
  task.records = records_.data(), task.rolling = rolling_.data();
  task.is_plain = is_plain_, task.has_rolling = has_rolling_;
  const int blocks = static_cast<int>(first_.size()) / kLanesOfBlock;
  executor.parallel_for(blocks, kContactGrain / kLanesOfBlock, [&](int begin, int end) {
    GrainContactTask own = task;
    own.begin = begin * kLanesOfBlock, own.end = end * kLanesOfBlock;
    kernels_.contacts(own);
  });
  const GrainSumTask all{0,
                         n_,
                         begins_.data(),
                         entries_.data(),
                         grains_.data(),
                         records_.data(),
                         has_rolling_ ? rolling_.data() : nullptr,
                         sums_.data()};
  taken_ -= h * executor.parallel_reduce(
                    n_, kParticleGrain, 0.0,
                    [&](int begin, int end) {
                      GrainSumTask own = all;
                      own.begin = begin, own.end = end;
                      return kernels_.sums(own);
                    },
                    std::plus<>());
  taken_ -= h * calc_power_on_carriers();
}

// Returns the power (W) of the contact forces on the bodies that carry walls.
double GranularContacts::calc_power_on_carriers() const {
  double power = 0.0;
  const std::int64_t begin = count_ - static_cast<std::int64_t>(wall_contacts_.size());
  for (std::size_t c = 0; c < wall_contacts_.size(); ++c) {
    const GrainWall& wall = walls_[static_cast<std::size_t>(wall_contacts_[c].wall)];
    if (wall.carrier < 0) continue;
    const std::int64_t contact = begin + static_cast<std::int64_t>(c);
    const double* const force = records_.data() + contact * kContactRecord;
    const double* const point = grain(n_ + kSentinels + static_cast<std::int64_t>(c));
    for (std::size_t a = 0; a < 3; ++a) {
      power -= force[a] * point[4 + a];
      if (has_rolling_) power -= rolling_[static_cast<std::size_t>(4 * contact) + a] * point[8 + a];
    }
  }
  return power;
}

void GranularContacts::begin_ledger(Executor& executor) { taken_ = calc_sums(executor).elastic; }

void GranularContacts::set_forces(ParticleArrays& particles) const {
  for (int i = 0; i < n_; ++i) {
    const double* const sum = sums_.data() + static_cast<std::int64_t>(i) * 8;
    particles.fx[i] = sum[0], particles.fy[i] = sum[1], particles.fz[i] = sum[2];
  }
}

void GranularContacts::kick(double h, Executor& executor) {
  executor.parallel_for(n_, kParticleGrain, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const double* const torque = sums_.data() + static_cast<std::int64_t>(i) * 8 + 4;
      double* const spin = grain(i) + 8;
      const double s = h * inverse_inertia_of_[static_cast<std::size_t>(i)];
      spin[0] += s * torque[0], spin[1] += s * torque[1], spin[2] += s * torque[2];
    }
  });
}

// Returns the overlap (m) of a contact, and the difference of positions d.
double GranularContacts::overlap(std::int64_t contact, Vector3d& d) const {
  const double* const i = grain(first_[static_cast<std::size_t>(contact)]);
  const double* const j = grain(second_[static_cast<std::size_t>(contact)]);
  for (int a = 0; a < 3; ++a) d[static_cast<std::size_t>(a)] = box_.nearest(a, i[a] - j[a]);
  return i[3] + j[3] - std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

GrainSums GranularContacts::calc_sums(Executor& executor) const {
  const auto plus = [](const GrainSums& a, const GrainSums& b) {
    return GrainSums{a.elastic + b.elastic, a.rotational + b.rotational, a.virial + b.virial,
                     a.taken + b.taken};
  };
  GrainSums sums = executor.parallel_reduce(
      static_cast<int>(count_), kContactGrain, GrainSums{},
      [&](int begin, int end) {
        GrainSums part;
        for (std::int64_t c = begin; c < end; ++c) {
          Vector3d d{};
          const double gap = overlap(c, d);
          if (gap <= 0.0) continue;
          const auto k = static_cast<std::size_t>(c);
          const GrainLaw& law = laws_[contact_law_[k]];
          const double* const record = records_.data() + c * kContactRecord;
          if (second_[k] < n_) part.virial += d[0] * record[0] + d[1] * record[1] + d[2] * record[2];
          double squares = 0.0;
          for (const std::vector<double>& u : history_) squares += u[k] * u[k];
          const double curvature = grain(first_[k])[11] + grain(second_[k])[11];
          const double s = law.hertz != 0.0 ? std::sqrt(gap / curvature) : 1.0;
          const double share = law.hertz != 0.0 ? 0.4 : 0.5;
          part.elastic += s * (share * law.stiffness * gap * gap + 0.5 * law.tangential_stiffness * squares);
        }
        return part;
      },
      plus);
  for (int i = 0; i < n_; ++i) {
    const double* const w = grain(i) + 8;
    sums.rotational +=
        0.5 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / inverse_inertia_of_[static_cast<std::size_t>(i)];
  }
  sums.taken = taken_;
  return sums;
}

void GranularContacts::copy_spins(const ParticleArrays& particles, std::span<double> out) const {
  for (int i = 0; i < n_; ++i) {
    std::copy_n(grain(i) + 8, 3, out.data() + 3 * static_cast<std::int64_t>(particles.number[i]));
  }
}

void GranularContacts::save_contacts(const ParticleArrays& particles, GrainCheckpoint& saved) const {
  for (std::int64_t c = 0; c < count_; ++c) {
    const double* const force = records_.data() + c * kContactRecord;
    double numbers[kKept] = {};
    for (std::size_t a = 0; a < kHistory; ++a) numbers[a] = history_[a][static_cast<std::size_t>(c)];
    std::copy_n(force, 3, numbers + kHistory);
    if (std::all_of(numbers, numbers + kKept, [](double a) { return a == 0.0; })) continue;
    saved.touching.push_back(particles.number[first_[static_cast<std::size_t>(c)]]);
    saved.touching.push_back(other_number(particles, c));
    saved.contacts.insert(saved.contacts.end(), numbers, numbers + kKept);
  }
}

GrainCheckpoint GranularContacts::save(const ParticleArrays& particles) const {
  GrainCheckpoint saved;
  save_contacts(particles, saved);
  for (int i = 0; i < n_; ++i) {
    const double* const sum = sums_.data() + static_cast<std::int64_t>(i) * 8;
    saved.spin.insert(saved.spin.end(), grain(i) + 8, grain(i) + 11);
    saved.sums.insert(saved.sums.end(), {sum[0], sum[1], sum[2], sum[4], sum[5], sum[6]});
  }
  saved.taken = taken_;
  for (const GrainWall& wall : listed_walls_) {
    saved.listed_walls.insert(saved.listed_walls.end(), wall.at.begin(), wall.at.end());
    saved.listed_walls.insert(saved.listed_walls.end(), wall.axis.begin(), wall.axis.end());
  }
  return saved;
}

void GranularContacts::restore_listed_walls(const GrainCheckpoint& saved) {
  if (saved.listed_walls.size() != 6 * walls_.size()) {
    throw InputError(fmt::format("the checkpoint has {} walls, the model has {}",
                                 saved.listed_walls.size() / 6, walls_.size()));
  }
  for (std::size_t w = 0; w < walls_.size(); ++w) {
    std::copy_n(saved.listed_walls.data() + 6 * w, 3, walls_[w].at.begin());
    std::copy_n(saved.listed_walls.data() + 6 * w + 3, 3, walls_[w].axis.begin());
  }
}

void GranularContacts::restore(double t, const GrainCheckpoint& saved, const ParticleArrays& particles,
                               Executor& executor) {
  const auto n = static_cast<std::size_t>(n_);
  const std::size_t touching = saved.touching.size() / 2;
  if (saved.spin.size() != 3 * n || saved.sums.size() != 6 * n || saved.touching.size() != 2 * touching ||
      saved.contacts.size() != kKept * touching) {
    throw InputError(
        fmt::format("the checkpoint has the spins of {} grains, the model has {}", saved.spin.size() / 3, n));
  }
  for (std::size_t k = 0; k < saved.touching.size(); ++k) {
    const std::int64_t number = saved.touching[k];
    const std::int64_t least = k % 2 == 0 ? 0 : -static_cast<std::int64_t>(first_part_.back());
    if (number >= least && number < static_cast<std::int64_t>(n)) continue;
    throw InputError(
        fmt::format("the checkpoint has a contact of particles[{}], which does not exist", number));
  }
  for (std::vector<double>& u : history_) std::ranges::fill(u, 0.0);
  order_kept(saved.touching, saved.contacts);
  take_histories(particles);
  for (int i = 0; i < n_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::copy_n(saved.spin.data() + 3 * k, 3, grain(i) + 8);
    double* const sum = sums_.data() + 8 * k;
    std::copy_n(saved.sums.data() + 6 * k, 3, sum), std::copy_n(saved.sums.data() + 6 * k + 3, 3, sum + 4);
  }
  taken_ = saved.taken;
  pack(particles, executor);
  place_wall_points(t, particles);
}

}  // namespace sestina
