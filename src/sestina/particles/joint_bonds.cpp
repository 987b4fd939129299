#include "sestina/particles/joint_bonds.h"

#include <fmt/format.h>

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/particles/molecules.h"

namespace sestina {
namespace {

// A bead, and the bond that holds it at the bead before.
struct JointedBead {
  int particle = 0, before = -1;   // particles
  const TermType* type = nullptr;  // of the first bead: that of its first bond
};

// The beads of a molecule, each after the one that holds it.
class BeadWalk {
 public:
  explicit BeadWalk(const ParticleModel& model) : bonds_(static_cast<std::size_t>(model.size())) {
    for (const Term& term : model.terms) {
      const TermType& type = model.term_types[static_cast<std::size_t>(term.type)];
      if (!is_joint(type.law)) continue;
      const auto [first, second] = std::pair(term.particles[0], term.particles[1]);
      bonds_[first].push_back({second, first, &type}), bonds_[second].push_back({first, second, &type});
    }
  }

  std::vector<JointedBead> list() const {
    std::vector<JointedBead> beads;
    std::vector<char> is_found(bonds_.size(), 0);
    for (std::size_t first = 0; first < bonds_.size(); ++first) {
      if (bonds_[first].empty() || is_found[first] != 0) continue;
      std::size_t next = beads.size();
      beads.push_back({static_cast<int>(first), -1, bonds_[first].front().type});
      is_found[first] = 1;
      for (; next < beads.size(); ++next) {
        const JointedBead bead = beads[next];
        for (const JointedBead& bond : bonds_[bead.particle]) {
          if (bond.particle == bead.before) continue;
          if (is_found[bond.particle]++ != 0) {
            throw InputError(
                fmt::format("spherical and torsion bonds make trees, and the one of particles[{}] "
                            "and particles[{}] closes a ring: a rigid bond can do that",
                            bead.particle, bond.particle));
          }
          beads.push_back(bond);
        }
      }
    }
    return beads;
  }

 private:
  std::vector<std::vector<JointedBead>> bonds_;  // that each particle can hold
};

// Makes bodies of beads. A ball joint makes one of each bead. Torsion bonds keep all angles: the beads beyond
// a bond turn about it together, and the first beads, which have no bond to turn about, are one body.
template <class Claim>
class BodiesOfBeads {
 public:
  BodiesOfBeads(std::vector<ParticleBody>& bodies, Claim claim) : bodies_(bodies), claim_(claim) {}

  void add(const std::vector<JointedBead>& beads, int particles) {
    body_of_.assign(static_cast<std::size_t>(particles), -1);
    before_ = beyond_ = body_of_;
    for (const JointedBead& bead : beads) {
      before_[bead.particle] = bead.before;
      const int body = find_body(bead);
      claim_(bead.particle, static_cast<std::size_t>(body));
      body_of_[bead.particle] = body;
      bodies_[body].particles.push_back(bead.particle), bodies_[body].inertia += bead.type->inertia;
    }
  }

 private:
  int find_body(const JointedBead& bead) {
    if (bead.before < 0) return add_body({});
    const int parent = body_of_[bead.before];
    if (bead.type->law == TermLaw::kSphericalBond) {
      return add_body({{}, parent, ParticleJoint::kSpherical, bead.before});
    }
    const int last = before_[bead.before];  // the bond to turn about comes from there
    const bool is_first = last < 0 || (body_of_[last] == parent && bodies_[parent].parent < 0 &&
                                       bodies_[parent].particles.size() == 2);
    if (is_first && last >= 0) beyond_[bead.before] = parent;
    if (last < 0) return parent;
    if (beyond_[bead.before] < 0) {
      beyond_[bead.before] =
          add_body({{}, parent, ParticleJoint::kRevolute, bead.before, {last, bead.before}});
    }
    return beyond_[bead.before];
  }

  int add_body(ParticleBody body) {
    bodies_.push_back(std::move(body));
    return static_cast<int>(bodies_.size()) - 1;
  }

  std::vector<ParticleBody>& bodies_;
  Claim claim_;
  // By particle: its body, the bead before it, the body of the torsion bonds that begin there.
  std::vector<int> body_of_, before_, beyond_;
};

}  // namespace

std::vector<ParticleBody> list_bodies(const ParticleModel& model) {
  std::vector<ParticleBody> bodies = model.bodies;
  std::vector<int> body_of(static_cast<std::size_t>(model.size()), -1);
  const auto claim = [&](int particle, std::size_t body) {
    int& owner = body_of[static_cast<std::size_t>(particle)];
    if (owner >= 0) {
      throw InputError(
          fmt::format("particles[{}] would belong to two bodies; joint bonds make bodies of their "
                      "beads, too",
                      particle));
    }
    owner = static_cast<int>(body);
  };
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (const int particle : bodies[b].particles) claim(particle, b);
  }
  BodiesOfBeads(bodies, claim).add(BeadWalk(model).list(), model.size());
  return bodies;
}

void satisfy_joint_bonds(ParticleModel& model) {
  const std::vector<double> given = model.position;
  for (const JointedBead& bead : BeadWalk(model).list()) {
    if (bead.before < 0) continue;
    Vector3d d{};
    for (int a = 0; a < 3; ++a) {
      d[a] = model.box.nearest(a, given[3 * bead.particle + a] - given[3 * bead.before + a]);
    }
    const double found = std::hypot(d[0], d[1], d[2]), length = bead.type->rest;
    if (!(std::abs(found - length) <= kLargestMisfit * length)) {
      throw InputError(
          fmt::format("particles[{}] and particles[{}] are {:.6g} apart: too far from the length "
                      "{:.6g} of their bond; up to {:.0f} % are corrected",
                      bead.before, bead.particle, found, length, 100.0 * kLargestMisfit));
    }
    for (int a = 0; a < 3; ++a) {
      double& x = model.position[3 * bead.particle + a];
      // The image of the bead stays the one that was given.
      const double next = model.position[3 * bead.before + a] + (length / found) * d[a];
      x = next + (x - next - model.box.nearest(a, x - next));
    }
  }
}

}  // namespace sestina
