#include "sestina/particles/granular_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/particles/particle_model.h"

namespace sestina {
namespace {

constexpr std::size_t kMostContacts = 255;

class GrainChecker {
 public:
  GrainChecker(const ParticleModel& model, FaultList& faults) : model_(model), faults_(faults) {}

  void check() {
    if (!model_.has_grains()) {
      if (!model_.walls.empty()) fault("walls", "touch grains: give pairs of type hooke or hertz");
      if (!model_.grain_spin.empty())
        fault("spins", "are those of grains: give pairs of type hooke or hertz");
      return;
    }
    check_others();
    check_species();
    for (std::size_t i = 0; i < model_.grain_contacts.size(); ++i) check_contact(i);
    check_all_contacts();
    for (std::size_t i = 0; i < model_.walls.size(); ++i) check_wall(i);
    check_spins();
  }

 private:
  void fault(std::string path, std::string message) {
    faults_.add({{}, std::move(path)}, std::move(message));
  }
  void want(bool holds, const std::string& path, double value, const char* expected) {
    if (!(holds && std::isfinite(value))) fault(path, fmt::format("{} is not {}", value, expected));
  }
  void want_positive(const std::string& path, double value) {
    want(value > 0.0, path, value, "a positive number");
  }
  void want_no_less_than_zero(const std::string& path, double value) {
    want(value >= 0.0, path, value, "zero or a positive number");
  }

  // Refuses grains together with forces that would not act on their spins, or methods that require forces
  // without memory.
  void check_others() {
    const auto refuse = [this](bool is_there, const char* path) {
      if (is_there) fault(path, "cannot be together with contacts of type hooke or hertz");
    };
    refuse(!model_.pairs.empty(), "pairs");
    refuse(!model_.terms.empty(), "bonds");
    refuse(!model_.bodies.empty(), "bodies");
    refuse(model_.langevin || model_.nose_hoover, "thermostat");
    refuse(model_.barostat.has_value(), "barostat");
    if (model_.central && model_.central->every > 1) {
      fault("pairs", "a force between all grains has to act at every step");
    }
    if (!(model_.skin > 0.0)) fault("skin", "has to be positive: contacts are listed before grains touch");
  }

  void check_species() {
    std::vector<char> has_particles(model_.species.size(), 0);
    for (const int s : model_.species_of) {
      if (s >= 0 && static_cast<std::size_t>(s) < has_particles.size())
        has_particles[static_cast<std::size_t>(s)] = 1;
    }
    for (std::size_t i = 0; i < model_.species.size(); ++i) {
      if (has_particles[i] == 0) continue;
      want_positive(fmt::format("species[{}].radius", i), model_.species[i].radius);
      want_no_less_than_zero(fmt::format("species[{}].inertia", i), model_.species[i].inertia);
    }
  }

  void check_contact(std::size_t number) {
    const GrainContact& contact = model_.grain_contacts[number];
    const std::string path = fmt::format("pairs[{}]", number);
    const int most = static_cast<int>(model_.species.size());
    if (contact.first < 0 || contact.second < 0 || contact.first >= most || contact.second >= most) {
      fault(path + ".species", fmt::format("names a species that there is not; there are {}", most));
    }
    want_positive(path + ".stiffness", contact.stiffness);
    want_positive(path + ".tangential_stiffness", contact.tangential_stiffness);
    want_no_less_than_zero(path + ".damping", contact.damping);
    want_no_less_than_zero(path + ".tangential_damping", contact.tangential_damping);
    want_no_less_than_zero(path + ".damping_ratio", contact.damping_ratio);
    want_no_less_than_zero(path + ".friction", contact.friction);
    want_no_less_than_zero(path + ".rolling_friction", contact.rolling_friction);
    want(contact.restitution > 0.0 && contact.restitution <= 1.0, path + ".restitution", contact.restitution,
         "a number from 0 (not included) to 1");
    if (contact.restitution < 1.0 && (contact.damping > 0.0 || contact.tangential_damping > 0.0)) {
      fault(path + ".restitution", "gives the damping, which is given as well");
    }
  }

  bool has_contact(int a, int b) const {
    return std::ranges::any_of(model_.grain_contacts, [&](const GrainContact& contact) {
      return std::minmax(contact.first, contact.second) == std::minmax(a, b);
    });
  }

  // Every pair of species of grains, and every species and wall, needs a contact law.
  void check_all_contacts() {
    if (model_.grain_contacts.size() > kMostContacts) {
      fault("pairs", fmt::format("has {} contacts of grains; at most {} are allowed",
                                 model_.grain_contacts.size(), kMostContacts));
    }
    const auto count = static_cast<int>(model_.species.size());
    for (int a = 0; a < count; ++a) {
      if (std::ranges::find(model_.species_of, a) == model_.species_of.end()) continue;
      for (int b = 0; b < count; ++b) {
        const bool is_wall =
            std::ranges::any_of(model_.walls, [b](const GrainWall& wall) { return wall.species == b; });
        const bool is_grain = b >= a && std::ranges::find(model_.species_of, b) != model_.species_of.end();
        if ((!is_wall && !is_grain) || has_contact(a, b)) continue;
        fault("pairs", fmt::format("there is no contact of '{}' with '{}', which may touch",
                                   model_.species[static_cast<std::size_t>(a)].name,
                                   model_.species[static_cast<std::size_t>(b)].name));
      }
    }
  }

  void check_wall(std::size_t number) {
    const GrainWall& wall = model_.walls[number];
    const std::string path = fmt::format("walls[{}]", number);
    if (wall.shape == GrainWall::Shape::kMesh) return check_mesh(wall, path);
    const bool is_plane = wall.shape == GrainWall::Shape::kPlane;
    const char* const direction = is_plane ? ".normal" : ".axis";
    const double size = std::hypot(wall.axis[0], wall.axis[1], wall.axis[2]);
    if (!(size > 0.0 && std::isfinite(size))) fault(path + direction, "has no direction");
    if (!std::isfinite(wall.at[0] + wall.at[1] + wall.at[2])) fault(path + ".at", "is not finite");
    check_species(wall, path);
    if (wall.carrier >= static_cast<int>(model_.carriers.size()) || wall.carrier < -1) {
      fault(path + ".body", fmt::format("carriers[{}] does not exist", wall.carrier));
    }
    const bool is_carried = wall.carrier >= 0;  // then a plane is checked at its present place in every step
    for (std::size_t a = 0; a < 3 && is_plane && !is_carried; ++a) {
      if (!model_.box.periodic[a] || wall.axis[a] == 0.0) continue;
      fault(path + direction,
            fmt::format("the box is periodic along {}: a plane there needs an open direction", "xyz"[a]));
    }
    if (is_plane) return;
    want_no_less_than_zero(path + ".length", wall.length);
    want_no_less_than_zero(path + ".radii[0]", wall.begin_radius);
    want_no_less_than_zero(path + ".radii[1]", wall.end_radius);
    const bool is_line = wall.begin_radius == 0.0 && wall.end_radius == 0.0;
    if (is_line || (wall.length == 0.0 && wall.begin_radius == wall.end_radius)) fault(path, "has no area");
    if (is_carried) {
      check_open_box(path);
    } else {
      check_cone_in_box(path, wall, size);
    }
  }

  void check_species(const GrainWall& wall, const std::string& path) {
    if (wall.species >= static_cast<int>(model_.species.size()) || wall.species < -1) {
      fault(path + ".species", fmt::format("species[{}] does not exist", wall.species));
    }
  }

  void check_mesh(const GrainWall& wall, const std::string& path) {
    check_species(wall, path);
    if (wall.triangles.empty()) fault(path, "has no triangle");
    if (wall.carrier >= 0) fault(path + ".body", "a mesh is fixed: bodies carry planes, cylinders and cones");
    for (std::size_t a = 0; a < 3; ++a) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const Triangle& triangle : wall.triangles) {
        for (const Vector3d& corner : triangle) {
          if (!std::isfinite(corner[a])) return fault(path, "has a corner that is not finite");
          low = std::min(low, corner[a]), high = std::max(high, corner[a]);
        }
      }
      check_within_box(path, a, low, high);
    }
  }

  void check_open_box(const std::string& path) {
    for (std::size_t a = 0; a < 3; ++a) {
      if (!model_.box.periodic[a]) continue;
      fault(path + ".body",
            fmt::format("a body may carry the wall anywhere: the box, which is periodic along {}, "
                        "has to be open",
                        "xyz"[a]));
    }
  }

  // Along periodic directions a sphere may be at any image, but the wall is at one only.
  void check_within_box(const std::string& path, std::size_t a, double low, double high) {
    if (!model_.box.periodic[a]) return;
    const double least = model_.box.lower[a] + model_.largest_cutoff();
    const double most = model_.box.lower[a] + model_.box.length[a] - model_.largest_cutoff();
    if (low >= least && high <= most) return;
    fault(path,
          fmt::format("reaches from {:.6g} to {:.6g} along {}, and has to be inside the periodic box by the "
                      "largest diameter: from {:.6g} to {:.6g}",
                      low, high, "xyz"[a], least, most));
  }

  void check_cone_in_box(const std::string& path, const GrainWall& wall, double size) {
    for (std::size_t a = 0; a < 3; ++a) {
      if (!model_.box.periodic[a]) continue;
      const double slope = wall.axis[a] / size;
      const double across = std::sqrt(std::max(0.0, 1.0 - slope * slope));
      const double begin = wall.at[a], end = begin + slope * wall.length;
      const double low = std::min(begin - across * wall.begin_radius, end - across * wall.end_radius);
      const double high = std::max(begin + across * wall.begin_radius, end + across * wall.end_radius);
      check_within_box(path, a, low, high);
    }
  }

  void check_spins() {
    const std::size_t expected = 3 * static_cast<std::size_t>(model_.size());
    if (!model_.grain_spin.empty() && model_.grain_spin.size() != expected) {
      fault("spins", fmt::format("has {} numbers for {} particles; expected {}", model_.grain_spin.size(),
                                 model_.size(), expected));
    }
    const auto is_bad = [](double w) { return !std::isfinite(w); };
    if (std::ranges::any_of(model_.grain_spin, is_bad)) fault("spins", "a number is not finite");
  }

  const ParticleModel& model_;
  FaultList& faults_;
};

}  // namespace

void GrainContact::set_material(double young, double poisson) {
  stiffness = 4.0 / 3.0 * young / (2.0 * (1.0 - poisson * poisson));
  const double shear = young / (2.0 * (1.0 + poisson));
  tangential_stiffness = 8.0 * shear / (2.0 * (2.0 - poisson));
}

void check_grains(const ParticleModel& model, FaultList& faults) { GrainChecker(model, faults).check(); }

}  // namespace sestina
