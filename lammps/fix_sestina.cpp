#include "fix_sestina.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "library.h"
#include "sestina/base/error.h"
#include "update.h"

namespace LAMMPS_NS {

using sestina::lammps::AtomExchange;
using sestina::lammps::AtomId;

FixSestina::FixSestina(LAMMPS* lammps, int narg, char** arg) : Fix(lammps, narg, arg), exchange_(world) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &ranks_);
  time_integrate = rigid_flag = 1;
  dof_flag = 1;
  restart_global = 1;
  virial_global_flag = virial_peratom_flag = 1;
  thermo_virial = 1;
  no_change_box = 1;
  centroidstressflag = CENTROID_NOTAVAIL;
  scalar_flag = vector_flag = 1;
  size_vector = 3;
  extscalar = 1, extvector = 0;
  global_freq = 1;
  read_arguments(narg, arg);
}

FixSestina::~FixSestina() = default;

// LAMMPS' other functions of this name take its own {fmt}.
void FixSestina::refuse(const std::string& message) const { error->all(FLERR, "fix sestina: " + message); }

// The words of a command, from one of them on.
class FixSestina::Words {
 public:
  Words(const FixSestina& fix, int narg, char** arg, int next)
      : fix_(fix), narg_(narg), arg_(arg), next_(next) {}

  bool more() const { return next_ < narg_; }
  int read() const { return next_; }
  std::string take(const char* what) {
    if (!more()) fix_.refuse(std::string(what) + " is missing");
    return arg_[next_++];
  }
  double take_number(const char* what) {
    const std::string word = take(what);
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != '\0' || !(value >= 0.0) || !std::isfinite(value)) {
      fix_.refuse("'" + word + "' is not " + what + ": expected a number, not negative");
    }
    return value;
  }

 private:
  const FixSestina& fix_;
  int narg_;
  char** arg_;
  int next_;
};

void FixSestina::read_arguments(int narg, char** arg) {
  Words words(*this, narg, arg, 3);
  const std::string source = words.take("one of bonds, file FILE");
  if (source == "file") {
    file_ = words.take("the name of the file");
  } else if (source != "bonds") {
    refuse("'" + source + "' is not one of bonds, file");
  }
  while (words.more()) {
    const std::string word = words.take("a keyword");
    if (word == "torsion" && file_.empty()) {
      torsion_ = true;
    } else if (word == "inertia" && file_.empty()) {
      inertia_ = words.take_number("the inertia of an atom");
    } else if (word == "langevin") {
      read_langevin(words);
    } else {
      refuse("'" + word + "' is not one of langevin" + (file_.empty() ? ", torsion, inertia" : ""));
    }
  }
}

void FixSestina::read_langevin(Words& words) {
  auto made = std::make_unique<Langevin>();
  made->temperature = words.take_number("the temperature of langevin");
  made->damping = words.take_number("the damping time of langevin");
  const double seed = words.take_number("the seed of langevin");
  if (!(made->damping > 0.0)) refuse("the damping time of langevin is zero");
  if (seed != std::floor(seed) || seed > 4294967295.0) {
    refuse("the seed of langevin is not a whole number below 2^32");
  }
  made->seed = static_cast<std::uint32_t>(seed);
  langevin_ = std::move(made);
}

int FixSestina::setmask() {
  using namespace FixConst;
  return INITIAL_INTEGRATE | POST_FORCE | FINAL_INTEGRATE | PRE_NEIGHBOR | INITIAL_INTEGRATE_RESPA |
         FINAL_INTEGRATE_RESPA;
}

// An error of one rank is one of all; error->one ends the run from there.
template <class Work>
void FixSestina::on_this_rank(Work&& work) {
  std::string message;
  try {
    work();
  } catch (const sestina::InputError& refused) {
    message = refused.what();
  } catch (const sestina::ComputationError& failed) {
    message = failed.reason();
  }
  if (!message.empty()) {
    error->one(FLERR, "fix sestina: " + sestina::lammps::with_atom_ids(
                                            message, owned_ ? owned_->atoms() : std::vector<AtomId>()));
  }
}

void FixSestina::init() {
  if (domain->triclinic != 0) refuse("needs a box with edges at right angles");
  if (domain->box_change != 0) refuse("the box must not change");
  if (atom->tag_enable == 0) refuse("needs atoms with IDs");
  if (!table_) make_table();
  if (!restarted_.empty() && restarted_.size() != 6 * table_->bodies.size()) {
    refuse("the restart file has " + std::to_string(restarted_.size() / 6) + " bodies, not " +
           std::to_string(table_->bodies.size()));
  }
  connect();
  build();
}

void FixSestina::make_table() {
  table_ = std::make_unique<sestina::lammps::JointTable>();
  on_this_rank([&] {
    if (file_.empty()) {
      read_bonds();
    } else {
      *table_ = sestina::lammps::parse_joint_table(read_file(), file_);
    }
  });
  if (table_->atoms.empty()) refuse("the group has no atoms");
  std::vector<char> is_here(table_->atoms.size(), 0);
  for (int i = 0; i < atom->nlocal; ++i) {
    const int place = table_->place_of(atom->tag[i]);
    if (place >= 0) is_here[static_cast<std::size_t>(place)] = 1;
  }
  std::vector<int> own;
  for (const int first : sestina::lammps::first_atoms(*table_)) {
    own.push_back(is_here[static_cast<std::size_t>(first)] != 0 ? rank_ : -1);
  }
  std::vector<int> holders(own.size());
  MPI_Allreduce(own.data(), holders.data(), static_cast<int>(own.size()), MPI_INT, MPI_MAX, world);
  ownership_ = std::make_unique<sestina::lammps::Ownership>(*table_, ranks_, holders);
  owned_ = std::make_unique<sestina::lammps::OwnedMolecules>(*table_, *ownership_, rank_);
}

// Rank 0 reads the file for all.
std::string FixSestina::read_file() const {
  std::string text;
  long size = -1;
  if (rank_ == 0) {
    std::ifstream file(file_, std::ios::binary);
    if (file) {
      text.assign(std::istreambuf_iterator<char>(file), {});
      size = static_cast<long>(text.size());
    }
  }
  MPI_Bcast(&size, 1, MPI_LONG, 0, world);
  if (size < 0) refuse("cannot read '" + file_ + "'");
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, world);
  return text;
}

// The atoms of the group and the bonds between them, of all ranks.
void FixSestina::read_bonds() {
  if (atom->molecular != Atom::MOLECULAR) {
    throw sestina::InputError("bonds need an atom style with bonds, such as bond or molecular");
  }
  const auto gather = [&](const std::vector<AtomId>& own) {
    int count = static_cast<int>(own.size());
    std::vector<int> counts(static_cast<std::size_t>(ranks_)), begins(counts.size(), 0);
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, world);
    for (std::size_t r = 1; r < counts.size(); ++r) begins[r] = begins[r - 1] + counts[r - 1];
    std::vector<AtomId> all(static_cast<std::size_t>(begins.back() + counts.back()));
    MPI_Allgatherv(own.data(), count, MPI_INT64_T, all.data(), counts.data(), begins.data(), MPI_INT64_T,
                   world);
    return all;
  };
  std::vector<AtomId> own, own_bonds;
  for (int i = 0; i < atom->nlocal; ++i) {
    if ((atom->mask[i] & groupbit) == 0) continue;
    own.push_back(atom->tag[i]);
    for (int k = 0; k < atom->num_bond[i]; ++k) {
      if (atom->bond_type[i][k] == 0) continue;
      own_bonds.push_back(atom->tag[i]), own_bonds.push_back(atom->bond_atom[i][k]);
    }
  }
  std::vector<AtomId> atoms = gather(own);
  const std::vector<AtomId> ends = gather(own_bonds);
  std::ranges::sort(atoms);
  std::vector<std::array<AtomId, 2>> bonds;
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    if (!std::ranges::binary_search(atoms, ends[i + 1])) continue;
    bonds.push_back({std::min(ends[i], ends[i + 1]), std::max(ends[i], ends[i + 1])});
  }
  std::ranges::sort(bonds);
  bonds.erase(std::unique(bonds.begin(), bonds.end()),
              bonds.end());  // without newton_bond, both atoms have it
  *table_ = sestina::lammps::joint_table_of_bonds(std::move(atoms), bonds, torsion_, inertia_);
}

void FixSestina::connect() {
  std::vector<AtomExchange::Held> held;
  for (int i = 0; i < atom->nlocal; ++i) {
    const int place = table_->place_of(atom->tag[i]);
    if (place < 0) continue;
    held.push_back({i, ownership_->rank[static_cast<std::size_t>(place)],
                    ownership_->slot[static_cast<std::size_t>(place)]});
  }
  const int is_good = exchange_.connect(std::move(held), owned_->slots()) ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&is_good, &all, 1, MPI_INT, MPI_MIN, world);
  if (all == 0) refuse("atoms of the bodies are missing: lost, deleted, or never there");
}

void FixSestina::gather_atoms(int width, void (FixSestina::*take)(int, double*) const,
                              std::vector<double>& of_slots) {
  const std::vector<AtomExchange::Held>& held = exchange_.held();
  held_.resize(held.size() * static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < held.size(); ++i) {
    (this->*take)(held[i].local, held_.data() + i * static_cast<std::size_t>(width));
  }
  of_slots.resize(static_cast<std::size_t>(owned_->slots()) * static_cast<std::size_t>(width));
  exchange_.to_owners(width, held_, of_slots);
}

void FixSestina::take_mass(int i, double* to) const {
  *to = atom->rmass != nullptr ? atom->rmass[i] : atom->mass[atom->type[i]];
}
void FixSestina::take_position(int i, double* to) const { domain->unmap(atom->x[i], atom->image[i], to); }
void FixSestina::take_velocity(int i, double* to) const { std::copy_n(atom->v[i], 3, to); }
void FixSestina::take_force(int i, double* to) const { std::copy_n(atom->f[i], 3, to); }

void FixSestina::gather_forces(std::vector<double>& forces) {
  gather_atoms(3, &FixSestina::take_force, forces);
}

// Makes bodies of the atoms, unless these are where the bodies of the last run put them.
void FixSestina::build() {
  std::vector<double> x, v, mass;
  gather_atoms(3, &FixSestina::take_position, x);
  gather_atoms(3, &FixSestina::take_velocity, v);
  gather_atoms(1, &FixSestina::take_mass, mass);
  sestina::Box box;
  for (int a = 0; a < 3; ++a) {
    box.lower[a] = domain->boxlo[a], box.length[a] = domain->prd[a],
    box.periodic[a] = domain->periodicity[a] != 0;
  }
  int is_new = owned_->is_built() ? 0 : 1;
  for (std::size_t i = 0; i < x.size() && is_new == 0; ++i) {
    const double moved = box.nearest(static_cast<int>(i % 3), x[i] - x_[i]);
    if (std::abs(moved) > 1e-9 * box.length[i % 3] || v[i] != v_[i]) is_new = 1;
  }
  int any = 0;
  MPI_Allreduce(&is_new, &any, 1, MPI_INT, MPI_MAX, world);
  if (any == 0) return;
  on_this_rank([&] {
    owned_->build(box, mass, x, v);
    if (!restarted_.empty()) owned_->take_momenta(restarted_);
    restarted_.clear();
  });
  x_ = x, v_ = v;
  double own = owned_->degrees_of_freedom();
  MPI_Allreduce(&own, &freedoms_, 1, MPI_DOUBLE, MPI_SUM, world);
}

void FixSestina::setup(int vflag) {
  connect();
  v_init(vflag);
  if (utils::strmatch(update->integrate_style, "^respa")) {
    const int levels = *static_cast<int*>(lammps_extract_global(lmp, "respa_levels"));
    forces_of_level_.assign(static_cast<std::size_t>(levels), {});
  }
  gather_forces(f_);
  put_velocities();
  if (evflag != 0) add_virial(f_);
}

void FixSestina::kick(double h, const std::vector<double>& forces) { owned_->kick(h * force->ftm2v, forces); }

// Positions, and the mean velocities of the step, which forces may depend on.
void FixSestina::drift(double h) {
  on_this_rank([&] { owned_->advance(static_cast<double>(update->ntimestep) * update->dt, h, x_); });
  const std::vector<AtomExchange::Held>& held = exchange_.held();
  held_.resize(3 * held.size());
  exchange_.to_holders(3, x_, held_);
  for (std::size_t k = 0; k < held.size(); ++k) {
    const int i = held[k].local;
    const double zero[3] = {0.0, 0.0, 0.0};
    double images[3];
    domain->unmap(zero, atom->image[i], images);
    for (int a = 0; a < 3; ++a) {
      const double x = held_[3 * k + static_cast<std::size_t>(a)] - images[a];
      atom->v[i][a] = (x - atom->x[i][a]) / h;
      atom->x[i][a] = x;
    }
  }
}

void FixSestina::randomise(double h) {
  const double kT = force->boltz * langevin_->temperature / force->mvv2e;
  const std::int64_t draw = 2 * update->ntimestep + (kinetic_step_ == update->ntimestep ? 1 : 0);
  owned_->randomise(h / langevin_->damping, kT, langevin_->seed, draw);
}

void FixSestina::put_velocities() {
  double own = owned_->calc_kinetic() * force->mvv2e;
  MPI_Allreduce(&own, &kinetic_, 1, MPI_DOUBLE, MPI_SUM, world);
  v_.resize(3 * static_cast<std::size_t>(owned_->slots()));
  owned_->copy_velocities(v_);
  const std::vector<AtomExchange::Held>& held = exchange_.held();
  held_.resize(3 * held.size());
  exchange_.to_holders(3, v_, held_);
  for (std::size_t k = 0; k < held.size(); ++k) {
    std::copy_n(held_.begin() + 3 * static_cast<std::ptrdiff_t>(k), 3, atom->v[held[k].local]);
  }
}

void FixSestina::add_virial(const std::vector<double>& forces) {
  std::vector<double> virials(6 * static_cast<std::size_t>(owned_->slots()));
  owned_->calc_virials(force->mvv2e, x_, v_, forces, virials);
  const std::vector<AtomExchange::Held>& held = exchange_.held();
  held_.resize(6 * held.size());
  exchange_.to_holders(6, virials, held_);
  for (std::size_t k = 0; k < held.size(); ++k) v_tally(held[k].local, held_.data() + 6 * k);
}

void FixSestina::initial_integrate(int vflag) {
  v_init(vflag);
  if (langevin_) randomise(0.5 * update->dt);
  kick(0.5 * update->dt, f_);
  drift(update->dt);
}

void FixSestina::post_force(int) {
  if (is_early_ && forces_of_level_.empty()) gather_forces(f_);
}

void FixSestina::final_integrate() {
  if (!is_early_) gather_forces(f_);
  kick(0.5 * update->dt, f_);
  kinetic_step_ = update->ntimestep;
  if (langevin_) randomise(0.5 * update->dt);
  put_velocities();
  if (evflag != 0) add_virial(f_);
}

double FixSestina::respa_step(int level) const {
  return static_cast<double*>(lammps_extract_global(lmp, "respa_dt"))[level];
}

// The atoms hold the forces of the level.
void FixSestina::initial_integrate_respa(int vflag, int level, int) {
  std::vector<double>& forces = forces_of_level_[static_cast<std::size_t>(level)];
  const bool is_outer = level + 1 == static_cast<int>(forces_of_level_.size());
  if (is_outer) {
    v_init(vflag);
    if (langevin_) randomise(0.5 * update->dt);
  }
  gather_forces(forces);
  kick(0.5 * respa_step(level), forces);
  if (level == 0) drift(respa_step(0));
}

void FixSestina::final_integrate_respa(int level, int) {
  std::vector<double>& forces = forces_of_level_[static_cast<std::size_t>(level)];
  gather_forces(forces);
  kick(0.5 * respa_step(level), forces);
  if (level + 1 < static_cast<int>(forces_of_level_.size())) return;
  kinetic_step_ = update->ntimestep;
  if (langevin_) randomise(0.5 * update->dt);
  put_velocities();
  if (evflag == 0) return;
  f_.assign(x_.size(), 0.0);
  for (const std::vector<double>& one : forces_of_level_) {
    for (std::size_t i = 0; i < f_.size(); ++i) f_[i] += one[i];
  }
  add_virial(f_);
}

// The degrees of freedom that joints take from the atoms of a group. Inertia in addition to that of
// the atoms has energy that temperatures of atoms do not include.
decltype(std::declval<Fix&>().dof(0)) FixSestina::dof(int number) {
  const int bit = number >= 0 ? 1 << number : 1;
  int own = 0, all = 0;
  for (const AtomExchange::Held& held : exchange_.held()) own += (atom->mask[held.local] & bit) != 0 ? 1 : 0;
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, world);
  if (all != static_cast<int>(table_->atoms.size())) return 0;
  return static_cast<int>(std::lround(3.0 * all - freedoms_));
}

int FixSestina::modify_param(int narg, char** arg) {
  Words words(*this, narg, arg, 1);
  const std::string word = arg[0];
  if (word == "bodyforces") {
    const std::string when = words.take("one of early, late");
    if (when != "early" && when != "late") refuse("'" + when + "' is not one of early, late");
    is_early_ = when == "early";
  } else if (word == "langevin") {
    if (narg > 1 && std::strcmp(arg[1], "off") == 0) {
      words.take("off");
      langevin_.reset();
    } else {
      read_langevin(words);
    }
  } else {
    return 0;
  }
  return words.read();
}

double FixSestina::compute_scalar() { return kinetic_; }

double FixSestina::compute_vector(int number) {
  if (number == 0) return kinetic_;
  if (number == 1) return freedoms_;
  return freedoms_ > 0.0 ? 2.0 * kinetic_ / (freedoms_ * force->boltz) : 0.0;
}

double FixSestina::memory_usage() {
  const std::size_t numbers = x_.size() + v_.size() + f_.size() + held_.size();
  return static_cast<double>(numbers * sizeof(double) + (table_ ? table_->atoms.size() * sizeof(AtomId) : 0));
}

// The momenta of all bodies behind their number: what atoms do not tell of bodies with inertia of their own.
void FixSestina::write_restart(FILE* file) {
  std::vector<double> own(table_ ? 6 * table_->bodies.size() : 0, 0.0);
  if (owned_ && owned_->is_built()) owned_->put_momenta(own);
  std::vector<double> all(1 + own.size(), 0.0);
  MPI_Reduce(own.data(), all.data() + 1, static_cast<int>(own.size()), MPI_DOUBLE, MPI_SUM, 0, world);
  all[0] = static_cast<double>(own.size());
  const int bytes = static_cast<int>(all.size() * sizeof(double));
  if (rank_ != 0) return;
  fwrite(&bytes, sizeof(int), 1, file);
  fwrite(all.data(), sizeof(double), all.size(), file);
}

void FixSestina::restart(char* buffer) {
  double count = 0.0;
  std::memcpy(&count, buffer, sizeof(double));
  restarted_.resize(static_cast<std::size_t>(count));
  std::memcpy(restarted_.data(), buffer + sizeof(double), restarted_.size() * sizeof(double));
}

}  // namespace LAMMPS_NS
