#include "sestina/particles/particle_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sestina/base/error.h"

namespace sestina {
namespace {

bool is_positive(double x) { return x > 0.0 && std::isfinite(x); }

class Checker {
 public:
  explicit Checker(const ParticleModel& model) : model_(model) {}

  void check() {
    check_box();
    check_species();
    check_arrays();
    check_pairs();
    check_terms();
    check_bodies();
    check_fields();
    check_thermostats();
    check_barostat();
    check_grains(model_, faults_);
    faults_.throw_if_any();
  }

 private:
  void fault(std::string path, std::string message) {
    faults_.add({{}, std::move(path)}, std::move(message));
  }
  void want_positive(const std::string& path, double value) {
    if (!is_positive(value)) fault(path, fmt::format("{} is not a positive number", value));
  }

  void check_box() {
    for (int a = 0; a < 3; ++a) {
      want_positive(fmt::format("box.lengths[{}]", a), model_.box.length[a]);
      if (!std::isfinite(model_.box.lower[a])) fault(fmt::format("box.lower[{}]", a), "is not finite");
    }
    if (!(model_.skin >= 0.0 && std::isfinite(model_.skin)))
      fault("skin", fmt::format("{} is negative", model_.skin));
    const double cutoff = model_.largest_cutoff();
    if (!model_.has_grains() && cutoff > 0.0 && model_.skin > 10.0 * cutoff)
      fault("skin",
            fmt::format("{:.6g} m is more than ten times the largest cutoff, {:.6g} m", model_.skin, cutoff));
    want_positive("boltzmann", model_.boltzmann);
  }

  void check_species() {
    if (model_.species.empty()) fault("species", "is empty: particles need at least one");
    for (std::size_t i = 0; i < model_.species.size(); ++i) {
      want_positive(fmt::format("species[{}].mass", i), model_.species[i].mass);
    }
  }

  void check_size(const char* name, std::size_t size, std::size_t per_particle, bool may_be_empty) {
    const std::size_t expected = per_particle * static_cast<std::size_t>(model_.size());
    if (size == expected || (may_be_empty && size == 0)) return;
    fault(name, fmt::format("has {} numbers for {} particles; expected {}", size, model_.size(), expected));
  }

  void check_finite(const char* name, const std::vector<double>& values, std::size_t per_particle) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      fault(fmt::format("particles[{}].{}", i / per_particle, name),
            fmt::format("{} is not finite", values[i]));
      return;
    }
  }

  void check_arrays() {
    if (model_.size() == 0) fault("positions", "there is no particle");
    check_size("positions", model_.position.size(), 3, false);
    check_size("velocities", model_.velocity.size(), 3, true);
    check_size("charges", model_.charge.size(), 1, true);
    check_size("molecules", model_.molecule.size(), 1, true);
    check_finite("position", model_.position, 3);
    check_images_of_positions();
    check_finite("velocity", model_.velocity, 3);
    check_finite("charge", model_.charge, 1);
    for (int i = 0; i < model_.size(); ++i) {
      const int s = model_.species_of[i];
      if (s >= 0 && s < static_cast<int>(model_.species.size())) continue;
      fault(fmt::format("particles[{}].species", i),
            fmt::format("{} is not one of the {} species", s, model_.species.size()));
      return;
    }
  }

  // Positions too far away are refused: images are counted as integers, and coordinates would lose digits.
  void check_images_of_positions() {
    constexpr double kMost = 1e6;
    for (std::size_t k = 0; k < model_.position.size(); ++k) {
      const auto a = static_cast<int>(k % 3);
      if (!(std::abs(model_.box.calc_image(a, model_.position[k])) > kMost)) continue;
      fault(fmt::format("particles[{}].position", k / 3),
            fmt::format("{} is more than a million lengths of the box away from it along {}",
                        model_.position[k], "xyz"[a]));
      return;
    }
  }

  void check_pairs() {
    double cutoff = 0.0;
    for (std::size_t i = 0; i < model_.pairs.size(); ++i) {
      const LennardJones& pair = model_.pairs[i];
      const std::string path = fmt::format("pairs[{}]", i);
      want_positive(path + ".sigma", pair.sigma);
      want_positive(path + ".cutoff", pair.cutoff);
      if (!(pair.epsilon >= 0.0 && std::isfinite(pair.epsilon))) {
        fault(path + ".epsilon", fmt::format("{} is negative", pair.epsilon));
      }
      const int most = static_cast<int>(model_.species.size());
      if (pair.first < 0 || pair.second < 0 || pair.first >= most || pair.second >= most) {
        fault(path + ".species", fmt::format("names a species that there is not; there are {}", most));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (!pair.has_species_of(model_.pairs[j])) continue;
        fault(path + ".species", fmt::format("has a force already: pairs[{}]", j));
      }
      cutoff = std::max(cutoff, pair.cutoff);
    }
    for (int a = 0; a < 3 && cutoff > 0.0; ++a) {
      if (!model_.box.periodic[a] || model_.box.length[a] >= 2.0 * cutoff) continue;
      fault(fmt::format("box.lengths[{}]", a),
            fmt::format(
                "{} is smaller than twice the cutoff {}: a particle would meet another one and its image",
                model_.box.length[a], cutoff));
    }
    if (model_.pairs_every < 1) {
      fault("pairs", fmt::format("a force cannot act every {} steps", model_.pairs_every));
    }
    if (model_.central) check_central();
  }

  void check_central() {
    check_places();
    if (model_.box.periodic[0] || model_.box.periodic[1] || model_.box.periodic[2]) check_images();
    if (!model_.central->is_gravity && model_.charge.empty()) {
      fault("pairs", "a Coulomb force needs the charges of the particles, and there are none");
    }
    const double tolerance = model_.central->tolerance;
    if (tolerance != 0.0 && !(tolerance >= 1e-12 && tolerance <= 1e-1)) {
      fault("pairs", fmt::format("the tolerance {} is not from 1e-12 to 0.1", tolerance));
    }
    if (model_.central->every < 1) {
      fault("pairs", fmt::format("a force cannot act every {} steps", model_.central->every));
    } else if (const int inner = model_.pairs.empty() ? 1 : model_.pairs_every;
               inner > 0 && model_.central->every % inner != 0) {
      fault("pairs", fmt::format("the force between all pairs acts every {} steps, and those with a cutoff "
                                 "every {}: the first has to be a multiple of the second",
                                 model_.central->every, inner));
    }
    if (!std::isfinite(model_.central->strength)) fault("pairs", "the strength is not finite");
  }

  // Refuses pairs at one place, or at images of it, which the sums would omit.
  void check_places() {
    if (model_.position.size() != 3 * static_cast<std::size_t>(model_.size())) return;
    const auto charge_of = [&](int i) {
      return model_.central->is_gravity || model_.charge.size() <= static_cast<std::size_t>(i)
                 ? 1.0
                 : model_.charge[static_cast<std::size_t>(i)];
    };
    std::vector<std::pair<Vector3d, int>> places;
    for (int i = 0; i < model_.size(); ++i) {
      if (charge_of(i) == 0.0) continue;
      Vector3d place{};
      for (int a = 0; a < 3; ++a) {
        const double x = model_.position[3 * i + a];
        place[a] = x - model_.box.length[a] * model_.box.calc_image(a, x);
      }
      places.emplace_back(place, i);
    }
    std::ranges::sort(places);
    for (std::size_t k = 1; k < places.size(); ++k) {
      if (places[k - 1].first != places[k].first) continue;
      return fault(
          fmt::format("particles[{}].position", places[k].second),
          fmt::format("is that of particles[{}]: the energy of the force between all pairs is infinite",
                      places[k - 1].second));
    }
  }

  // Sums over images require charges that add up to zero, and a box that is periodic along all axes.
  void check_images() {
    if (model_.central->is_gravity) {
      fault("box.periodic",
            "gravity acts between all pairs of an open box; the sum over images of masses has no value");
      return;
    }
    if (!model_.box.is_periodic()) {
      fault("box.periodic", "a Coulomb force needs a box that is open or periodic along all axes");
    }
    double sum = 0.0, size = 0.0;
    for (const double q : model_.charge) sum += q, size += std::abs(q);
    if (std::abs(sum) > 1e-9 * size) {
      fault("charges",
            fmt::format("the charges of a periodic box add up to {:.6g} and not to zero: the energy of its "
                        "images is infinite",
                        sum));
    }
  }

  void check_terms() {
    for (std::size_t i = 0; i < model_.term_types.size(); ++i) check_term_type(static_cast<int>(i));
    for (std::size_t i = 0; i < model_.terms.size(); ++i) {
      if (!check_term(static_cast<int>(i))) return;
    }
  }

  void check_term_type(int i) {
    const TermType& type = model_.term_types[i];
    const std::string path = path_of_type(i);
    if (!std::isfinite(type.stiffness)) fault(path, "the stiffness is not finite");
    if (is_joint(type.law)) {
      check_rigid_length(path + ".length", type.rest);
      check_inertia(path + ".inertia", type.inertia);
    }
    if (type.law == TermLaw::kRigidBond) check_rigid_length(path + ".length", type.rest);
    if (type.law == TermLaw::kHarmonicBond) check_fits_box(path + ".length", type.rest);
    const bool is_minimum_at_rest =
        type.law != TermLaw::kCosineAngle && type.law != TermLaw::kPeriodicDihedral;
    if (is_minimum_at_rest && type.stiffness < 0.0) {
      fault(path + ".stiffness", fmt::format("{} is negative", type.stiffness));
    }
    if (type.law != TermLaw::kFene) return;
    want_positive(path + ".max_length", type.rest);
    check_fits_box(path + ".max_length", type.rest);
    want_positive(path + ".sigma", type.sigma);
  }

  // Returns the type as numbered in the model file: each kind from 0.
  std::string path_of_type(int type) const {
    const auto size = [&](int i) { return size_of(model_.term_types[static_cast<std::size_t>(i)].law); };
    int number = 0;
    for (int i = 0; i < type; ++i) number += size(i) == size(type) ? 1 : 0;
    const char* const kind = size(type) == 2 ? "bonds" : size(type) == 3 ? "angles" : "dihedrals";
    return fmt::format("{}[{}]", kind, number);
  }

  void check_rigid_length(const std::string& path, double length) {
    want_positive(path, length);
    check_fits_box(path, length);
  }

  // Checks the length of a bond, whose particles are taken at their nearest images.
  void check_fits_box(const std::string& path, double length) {
    for (int a = 0; a < 3; ++a) {
      if (!model_.box.periodic[a] || length < 0.499 * model_.box.length[a]) continue;
      fault(path, fmt::format("{} is not less than half of the box's length {} along {}", length,
                              model_.box.length[a], "xyz"[a]));
      return;
    }
  }

  // Returns false after the first fault, since a wrong file could cause thousands.
  bool check_term(int i) {
    const Term& term = model_.terms[i];
    const std::string path = fmt::format("terms[{}]", i);
    if (term.type < 0 || term.type >= static_cast<int>(model_.term_types.size())) {
      return fault(path, fmt::format("type {} is not one of the {}", term.type, model_.term_types.size())),
             false;
    }
    const int count = size_of(model_.term_types[term.type].law);
    for (int k = 0; k < count; ++k) {
      const int p = term.particles[k];
      if (p < 0 || p >= model_.size()) {
        return fault(path, fmt::format("particles[{}] does not exist; there are {}", p, model_.size())),
               false;
      }
      for (int l = 0; l < k; ++l) {
        if (term.particles[l] == p) return fault(path, fmt::format("names particles[{}] twice", p)), false;
      }
      if (k > 0 && !check_reach(path, term.particles[k - 1], p)) return false;
    }
    return true;
  }

  void check_inertia(const std::string& path, double inertia) {
    if (!(inertia >= 0.0 && std::isfinite(inertia))) fault(path, fmt::format("{} is negative", inertia));
  }

  void check_bodies() {
    std::vector<int> body_of(static_cast<std::size_t>(model_.size()), -1);
    for (int b = 0; b < static_cast<int>(model_.bodies.size()); ++b) {
      if (!check_body(b, body_of)) return;
    }
    for (std::size_t i = 0; i < model_.closures.size(); ++i) {
      if (!check_closure(fmt::format("closures[{}]", i), model_.closures[i], body_of)) return;
    }
    for (const Term& term : model_.terms) {
      if (term.type < 0 || term.type >= static_cast<int>(model_.term_types.size())) return;
      if (model_.term_types[term.type].law != TermLaw::kRigidBond) continue;
      for (const int p : {term.particles[0], term.particles[1]}) {
        if (p < 0 || p >= model_.size() || body_of[p] < 0) continue;
        return fault(fmt::format("bodies[{}]", body_of[p]),
                     fmt::format("has particles[{}], which a rigid bond holds: a joint can do that", p));
      }
    }
    const std::size_t spins = model_.spin.size();
    if (spins % 3 != 0) fault("spin", fmt::format("has {} numbers, which is not a multiple of 3", spins));
  }

  bool check_body(int number, std::vector<int>& body_of) {
    const ParticleBody& body = model_.bodies[static_cast<std::size_t>(number)];
    const std::string path = fmt::format("bodies[{}]", number);
    check_inertia(path + ".inertia", body.inertia);
    if (body.particles.empty()) return fault(path + ".particles", "is empty"), false;
    for (const int p : body.particles) {
      if (p < 0 || p >= model_.size()) {
        return fault(path, fmt::format("particles[{}] does not exist; there are {}", p, model_.size())),
               false;
      }
      if (body_of[p] >= 0) {
        return fault(path, fmt::format("particles[{}] belongs to bodies[{}] already", p, body_of[p])), false;
      }
      body_of[p] = number;
    }
    for (const int p : body.particles) {
      if (!check_reach(path, body.particles.front(), p)) return false;
    }
    return body.parent == -1 || check_joint(path, number, body_of);
  }

  bool check_closure(const std::string& path, const ParticleClosure& closure,
                     const std::vector<int>& body_of) {
    const int count = static_cast<int>(model_.bodies.size());
    int first_body[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      int body = closure.bodies[i];
      if (body < 0 || body >= count) {
        return fault(path + ".bodies", fmt::format("{} is not one of the {} bodies", body, count)), false;
      }
      while (model_.bodies[static_cast<std::size_t>(body)].parent >= 0) {
        body = model_.bodies[static_cast<std::size_t>(body)].parent;
      }
      first_body[i] = body;
    }
    const auto [a, b] = closure.bodies;
    if (a == b) return fault(path + ".bodies", fmt::format("names bodies[{}] twice", a)), false;
    if (first_body[0] != first_body[1]) {
      return fault(path + ".bodies",
                   fmt::format(
                       "no joints connect bodies[{}] and bodies[{}], so there is no loop to close: give "
                       "bodies[{}] a parent",
                       a, b, first_body[1])),
             false;
    }
    const auto is_of = [&](int particle, int body) {
      return particle >= 0 && particle < model_.size() && body_of[particle] == body;
    };
    if (closure.joint == ParticleJoint::kDistance) {
      if (is_of(closure.between[0], a) && is_of(closure.between[1], b)) return true;
      return fault(path + ".between",
                   fmt::format("has to name a particle of bodies[{}] and one of bodies[{}]", a, b)),
             false;
    }
    if (!is_of(closure.at, a) && !is_of(closure.at, b)) {
      return fault(path + ".at",
                   fmt::format("the joint has to be at a particle of bodies[{}] or bodies[{}], not at {}", a,
                               b, closure.at)),
             false;
    }
    return check_axes(path, closure.joint, closure.along, closure.across);
  }

  bool check_joint(const std::string& path, int number, const std::vector<int>& body_of) {
    const ParticleBody& body = model_.bodies[static_cast<std::size_t>(number)];
    if (number == 0) return fault(path + ".parent", "the first body has no other before it"), false;
    if (body.parent < 0 || body.parent >= number) {
      return fault(path + ".parent", fmt::format("{} is not one of the bodies before, which are 0 to {}",
                                                 body.parent, number - 1)),
             false;
    }
    if (body.at == -1) {
      return fault(path + ".at",
                   "is missing: the particle, of the body or of its parent, where the joint is"),
             false;
    }
    if (body.at < 0 || body.at >= model_.size() ||
        (body_of[body.at] != number && body_of[body.at] != body.parent)) {
      return fault(
                 path + ".at",
                 fmt::format(
                     "the joint has to be at a particle of the body or of its parent, bodies[{}], not at {}",
                     body.parent, body.at)),
             false;
    }
    if (body.joint == ParticleJoint::kFree) return fault(path + ".joint", "is missing"), false;
    if (body.joint == ParticleJoint::kDistance) {
      return fault(path + ".joint", "keeps a distance, which only joints that close loops can do"), false;
    }
    return check_axes(path, body.joint, body.along, body.across);
  }

  bool check_axes(const std::string& path, ParticleJoint joint, const std::array<int, 2>& along,
                  const std::array<int, 2>& across) {
    if (joint == ParticleJoint::kSpherical) return true;
    if (!check_axis(path + ".along", along)) return false;
    if (joint != ParticleJoint::kUniversal) return true;
    if (!check_axis(path + ".across", across)) return false;
    const Vector3d a = axis_of(along), b = axis_of(across);
    const double cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (length_of(a) * length_of(b));
    if (std::abs(cosine) > 1e-3) {
      return fault(path + ".across",
                   fmt::format("the axes of a universal joint have to be at right angles, and "
                               "the cosine of the angle is {:.6g}",
                               cosine)),
             false;
    }
    return true;
  }

  Vector3d axis_of(const std::array<int, 2>& particles) const {
    Vector3d d{};
    for (int a = 0; a < 3; ++a) {
      d[a] = model_.box.nearest(
          a, model_.position[3 * particles[1] + a] - model_.position[3 * particles[0] + a]);
    }
    return d;
  }
  static double length_of(const Vector3d& a) { return std::hypot(a[0], a[1], a[2]); }

  bool check_axis(const std::string& path, const std::array<int, 2>& particles) {
    for (const int p : particles) {
      if (p >= 0 && p < model_.size()) continue;
      return fault(path, "has to name the two particles through which the joint's axis goes"), false;
    }
    if (model_.position.size() < 3 * static_cast<std::size_t>(model_.size())) return false;
    if (!(length_of(axis_of(particles)) > 0.0)) {
      return fault(path,
                   fmt::format("particles[{}] and particles[{}] are at one place: there is no axis through "
                               "them",
                               particles[0], particles[1])),
             false;
    }
    return true;
  }

  // Bonded particles are taken at their nearest images.
  bool check_reach(const std::string& path, int i, int j) {
    if (model_.position.size() < 3 * static_cast<std::size_t>(model_.size())) return false;
    for (int a = 0; a < 3; ++a) {
      if (!model_.box.periodic[a]) continue;
      const double d = model_.box.nearest(a, model_.position[3 * i + a] - model_.position[3 * j + a]);
      if (std::fabs(d) < 0.499 * model_.box.length[a]) continue;
      fault(path,
            fmt::format("particles[{}] and particles[{}] are {:.6g} apart, half of the box's length {:.6g} "
                        "along {}: which image is bonded cannot be told",
                        i, j, std::fabs(d), model_.box.length[a], "xyz"[a]));
      return false;
    }
    return true;
  }

  void check_fields() {
    for (std::size_t i = 0; i < model_.fields.size(); ++i) {
      const ParticleField& field = model_.fields[i];
      const std::string path = fmt::format("fields[{}]", i);
      check_indices(path + ".species", "species", field.species, static_cast<int>(model_.species.size()));
      check_indices(path + ".particles", "particles", field.particles, model_.size());
      if (!is_finite(field.vector)) fault(path, "the field is not finite");
      if (field.law == FieldLaw::kElectric && model_.charge.empty()) {
        fault(path, "an electric field needs the charges of the particles, and there are none");
      }
      if (!(field.stiffness >= 0.0 && std::isfinite(field.stiffness))) {
        fault(path + ".stiffness", fmt::format("{} is negative", field.stiffness));
      }
      if (field.at && !is_finite(*field.at)) fault(path + ".at", "is not finite");
      if (field.law == FieldLaw::kLennardJonesWall || field.law == FieldLaw::kHarmonicWall) {
        check_wall(path, field);
      }
    }
  }

  static bool is_finite(const Vector3d& v) {
    return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
  }

  void check_indices(const std::string& path, const char* what, const std::vector<int>& indices, int count) {
    for (const int i : indices) {
      if (i >= 0 && i < count) continue;
      return fault(path, fmt::format("{}[{}] does not exist; there are {}", what, i, count));
    }
  }

  void check_wall(const std::string& path, const ParticleField& wall) {
    if (wall.axis < 0 || wall.axis > 2) return fault(path + ".face", "is not a face along x, y or z");
    if (model_.box.periodic[wall.axis]) {
      fault(path + ".face",
            fmt::format("the box is periodic along {}, where it has no face: a wall needs an open direction",
                        "xyz"[wall.axis]));
    }
    if (wall.law == FieldLaw::kHarmonicWall) {
      if (!(wall.cutoff >= 0.0 && std::isfinite(wall.cutoff)))
        fault(path + ".reach", fmt::format("{} is negative", wall.cutoff));
      return;
    }
    want_positive(path + ".sigma", wall.sigma);
    want_positive(path + ".cutoff", wall.cutoff);
    if (!(wall.epsilon >= 0.0 && std::isfinite(wall.epsilon)))
      fault(path + ".epsilon", fmt::format("{} is negative", wall.epsilon));
  }

  void check_thermostats() {
    if (!(model_.fixman_temperature >= 0.0 && std::isfinite(model_.fixman_temperature))) {
      fault("fixman_temperature", fmt::format("{} is negative", model_.fixman_temperature));
    }
    const auto is_rigid = [](const TermType& type) {
      return type.law == TermLaw::kRigidBond || is_joint(type.law);
    };
    if (model_.fixman_temperature > 0.0 && model_.bodies.empty() &&
        std::ranges::none_of(model_.term_types, is_rigid)) {
      fault("fixman_temperature", "is that of a potential of rigid bonds and joints, and there are none");
    }
    if (model_.langevin && model_.nose_hoover) fault("thermostat", "there can be one thermostat, not two");
    if (model_.langevin) {
      want_positive("thermostat.friction", model_.langevin->friction);
      if (!(model_.langevin->temperature >= 0.0)) {
        fault("thermostat.temperature", fmt::format("{} is negative", model_.langevin->temperature));
      }
    }
    if (model_.nose_hoover) {
      want_positive("thermostat.temperature", model_.nose_hoover->temperature);
      want_positive("thermostat.period", model_.nose_hoover->period);
    }
  }

  void check_barostat() {
    if (!(model_.thermostat_until >= 0.0)) {
      fault("thermostat.until", fmt::format("{} is negative", model_.thermostat_until));
    }
    if (!model_.barostat) return;
    if (std::isfinite(model_.thermostat_until)) {
      fault("barostat", "needs a thermostat without an end");
    }
    const Barostat& barostat = *model_.barostat;
    const auto is_rigid = [](const TermType& type) {
      return type.law == TermLaw::kRigidBond || is_joint(type.law);
    };
    if (std::ranges::any_of(model_.term_types, is_rigid) || !model_.bodies.empty()) {
      fault("barostat", "scales all distances, which rigid bonds and bodies do not allow");
    }
    if (!model_.fields.empty()) {
      fault("barostat", "scales all distances, also those from walls and tethers: there can be no fields");
    }
    if (!std::isfinite(barostat.pressure)) fault("barostat.pressure", "is not finite");
    want_positive("barostat.period", barostat.period);
    want_positive("barostat.compressibility", barostat.compressibility);
    if (barostat.every < 1) {
      fault("barostat.every", fmt::format("{} is not a number of steps", barostat.every));
    } else if (barostat.every % model_.outer_steps() != 0) {
      fault("barostat.every", fmt::format("{} is not a multiple of the {} steps after which all forces have "
                                          "acted",
                                          barostat.every, model_.outer_steps()));
    }
    if (!model_.langevin && !model_.nose_hoover) {
      fault("barostat", "needs a thermostat, whose temperature it takes");
    }
    if (!(model_.box.periodic[0] && model_.box.periodic[1] && model_.box.periodic[2])) {
      fault("barostat", "changes the volume of a box that is periodic in all directions; this one is open");
    }
  }

  const ParticleModel& model_;
  FaultList faults_;
};

}  // namespace

double ParticleModel::largest_cutoff() const {
  double cutoff = 0.0;
  for (const LennardJones& pair : pairs) cutoff = std::max(cutoff, pair.cutoff);
  if (!has_grains()) return cutoff;
  for (const Species& of : species) cutoff = std::max(cutoff, 2.0 * of.radius);
  return cutoff;
}

int ParticleModel::outer_steps() const {
  return std::max({1, pairs.empty() ? 1 : pairs_every, central ? central->every : 1});
}

void check(const ParticleModel& model) { Checker(model).check(); }

}  // namespace sestina
