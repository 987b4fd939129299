#include "sestina/particle_run/random_walks.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sestina/particles/random_numbers.h"

namespace sestina {
namespace {

constexpr double kNearest = 1.1;   // least square of the distance between second neighbours, in bond lengths
constexpr int kTurnsPerBead = 20;  // of a ring
constexpr int kLongestSegment = 64;  // beads that are turned at once

double square_of_distance(const Vector3d& a, const Vector3d& b) {
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

class Walks {
 public:
  Walks(const WalkSpec& spec, const WalkTerms& terms, ParticleModel& model)
      : spec_(spec), terms_(terms), model_(model) {}

  void add_molecule(int number) {
    number_ = number;
    first_ = model_.size();
    if (spec_.shape == WalkShape::kRing) {
      add_ring();
    } else if (spec_.shape == WalkShape::kChain) {
      std::vector<int> walk;
      for (int b = 0; b < spec_.beads; ++b) extend(walk);
    } else {
      std::vector<int> centre;
      extend(centre);
      for (int arm = 0; arm < spec_.arms; ++arm) {
        std::vector<int> walk = centre;
        for (int b = 0; b < spec_.beads; ++b) extend(walk);
      }
    }
  }

 private:
  std::array<double, 4> draw() { return calc_uniform(spec_.seed, RandomUse::kWalk, 0, draws_++); }

  Vector3d position_of(int bead) const {
    return {model_.position[3 * bead], model_.position[3 * bead + 1], model_.position[3 * bead + 2]};
  }

  int add_bead(const Vector3d& at) {
    model_.position.insert(model_.position.end(), at.begin(), at.end());
    model_.species_of.push_back(spec_.species);
    model_.molecule.push_back(number_);
    return model_.size() - 1;
  }

  // Adds a bead to a walk; the first is at a random place in the box.
  void extend(std::vector<int>& walk) {
    const std::size_t b = walk.size();
    const double length = spec_.bond_length;
    const Vector3d at = b > 0 ? position_of(walk[b - 1]) : Vector3d{};
    const Vector3d before = b > 1 ? position_of(walk[b - 2]) : Vector3d{};
    Vector3d next{};
    do {
      const auto u = draw();
      const double z = 2.0 * u[0] - 1.0, turn = 2.0 * M_PI * u[1], s = std::sqrt(1.0 - z * z);
      Vector3d way{s * std::cos(turn), s * std::sin(turn), z};
      if (b > 1 && spec_.bond_angle) way = turn_from(before, at, way);
      for (int k = 0; k < 3; ++k) {
        next[k] = b == 0 ? model_.box.lower[k] + u[k] * model_.box.length[k] : at[k] + length * way[k];
      }
    } while (b > 1 && !spec_.bond_angle && square_of_distance(next, before) < kNearest * length * length);
    walk.push_back(add_bead(next));
    if (b > 0) add_term(terms_.bond, {walk[b - 1], walk[b], -1, -1});
    if (b > 1) add_term(terms_.angle, {walk[b - 2], walk[b - 1], walk[b], -1});
    if (b > 2) add_term(terms_.dihedral, {walk[b - 3], walk[b - 2], walk[b - 1], walk[b]});
  }

  // Returns a direction at the bond angle to that of a bond, towards a random direction.
  Vector3d turn_from(const Vector3d& from, const Vector3d& to, const Vector3d& random) const {
    const double cosine = -std::cos(*spec_.bond_angle), sine = std::sin(*spec_.bond_angle);
    Vector3d way{}, side{};
    double along = 0.0, square = 0.0;
    for (int k = 0; k < 3; ++k) along += random[k] * (to[k] - from[k]) / spec_.bond_length;
    for (int k = 0; k < 3; ++k) {
      side[k] = random[k] - along * (to[k] - from[k]) / spec_.bond_length;
      square += side[k] * side[k];
    }
    for (int k = 0; k < 3; ++k) {
      way[k] = cosine * (to[k] - from[k]) / spec_.bond_length + sine * side[k] / std::sqrt(square);
    }
    return way;
  }

  void add_term(int type, const std::array<int, 4>& beads) {
    if (type >= 0) model_.terms.push_back({type, beads});
  }

  // Makes a regular polygon, then turns parts between two beads about the line through these.
  void add_ring() {
    const int n = spec_.beads;
    const auto u = draw();
    const double radius = 0.5 * spec_.bond_length / std::sin(M_PI / n);
    for (int b = 0; b < n; ++b) {
      const double angle = 2.0 * M_PI * b / n;
      add_bead({model_.box.lower[0] + u[0] * model_.box.length[0] + radius * std::cos(angle),
                model_.box.lower[1] + u[1] * model_.box.length[1] + radius * std::sin(angle),
                model_.box.lower[2] + u[2] * model_.box.length[2]});
    }
    for (int i = 0; n > 3 && i < kTurnsPerBead * n; ++i) turn_segment();
    const auto bead = [&](int b) { return first_ + b % n; };
    for (int b = 0; b < n; ++b) add_term(terms_.bond, {bead(b), bead(b + 1), -1, -1});
    for (int b = 0; b < n; ++b) add_term(terms_.angle, {bead(b), bead(b + 1), bead(b + 2), -1});
    for (int b = 0; b < n && n > 3; ++b) {
      add_term(terms_.dihedral, {bead(b), bead(b + 1), bead(b + 2), bead(b + 3)});
    }
  }

  void turn_segment() {
    const int n = spec_.beads;
    const auto u = draw();
    const int begin = std::min(static_cast<int>(u[0] * n), n - 1);
    const int longest = std::min(kLongestSegment, n - 2);
    const int length = 1 + std::min(static_cast<int>(u[1] * longest), longest - 1);  // between the ends
    const auto bead = [&](int b) { return first_ + (begin + b + n) % n; };
    const Vector3d a = position_of(bead(0)), b = position_of(bead(length + 1));
    const double distance = std::sqrt(square_of_distance(a, b));
    if (distance < 1e-3 * spec_.bond_length) return;
    Vector3d axis{};
    for (int k = 0; k < 3; ++k) axis[k] = (b[k] - a[k]) / distance;
    const double angle = 2.0 * M_PI * u[2];
    std::vector<Vector3d> turned;
    for (int i = 1; i <= length; ++i) turned.push_back(turn_about(a, axis, angle, position_of(bead(i))));
    const double least = kNearest * spec_.bond_length * spec_.bond_length;
    // In the smallest rings the polygon itself is narrower than that.
    if (square_of_distance(position_of(bead(-1)), turned.front()) < least && n > 6) return;
    if (square_of_distance(position_of(bead(length + 2)), turned.back()) < least && n > 6) return;
    for (int i = 1; i <= length; ++i) {
      std::copy_n(turned[i - 1].begin(), 3, model_.position.begin() + 3 * bead(i));
    }
  }

  // Rotates by Rodrigues' formula.
  static Vector3d turn_about(const Vector3d& a, const Vector3d& axis, double angle, const Vector3d& x) {
    const Vector3d r{x[0] - a[0], x[1] - a[1], x[2] - a[2]};
    const double along = axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2];
    const double c = std::cos(angle), s = std::sin(angle);
    const Vector3d side{axis[1] * r[2] - axis[2] * r[1], axis[2] * r[0] - axis[0] * r[2],
                        axis[0] * r[1] - axis[1] * r[0]};
    Vector3d turned{};
    for (int k = 0; k < 3; ++k) {
      turned[k] = a[k] + c * r[k] + s * side[k] + (1.0 - c) * along * axis[k];
    }
    return turned;
  }

  const WalkSpec& spec_;
  const WalkTerms& terms_;
  ParticleModel& model_;
  std::uint32_t draws_ = 0;
  int number_ = 0, first_ = 0;  // of the molecule, and its first bead
};

}  // namespace

void add_random_walks(const WalkSpec& spec, const WalkTerms& terms, ParticleModel& model) {
  Walks walks(spec, terms, model);
  for (int m = 0; m < spec.molecules; ++m) walks.add_molecule(m + 1);
}

}  // namespace sestina
