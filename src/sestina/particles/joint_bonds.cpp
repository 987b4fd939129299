#include "sestina/particles/joint_bonds.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "sestina/base/error.h"
#include "sestina/particles/molecules.h"
#include "sestina/particles/rigid_bonds.h"

namespace sestina {
namespace {

// A bead, and the bond that connects it to the bead before.
struct JointedBead {
  int particle = 0, before = -1;   // particles
  const TermType* type = nullptr;  // of the first bead: that of its first bond
};

struct BeadMolecule {
  std::vector<JointedBead> beads;    // each after the one it is connected to
  std::vector<JointedBead> closing;  // the bonds that close rings, each at a bead on the way to the first one
};

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

  std::vector<BeadMolecule> list() const {
    std::vector<BeadMolecule> molecules;
    std::vector<char> is_found(bonds_.size(), 0);
    for (std::size_t first = 0; first < bonds_.size(); ++first) {
      if (bonds_[first].empty() || is_found[first] != 0) continue;
      const JointedBead bead{static_cast<int>(first), -1, bonds_[first].front().type};
      BeadMolecule& made = molecules.emplace_back();
      if (!walk_tree(bead, is_found, made.beads)) made = walk_around(bead);
    }
    return molecules;
  }

  const std::vector<JointedBead>& bonds_of(int particle) const { return bonds_[particle]; }

 private:
  // Walks breadth first. Returns false if there is a ring.
  bool walk_tree(const JointedBead& first, std::vector<char>& is_found,
                 std::vector<JointedBead>& beads) const {
    bool is_tree = true;
    beads.push_back(first);
    is_found[first.particle] = 1;
    for (std::size_t next = 0; next < beads.size(); ++next) {
      const JointedBead bead = beads[next];
      for (const JointedBead& bond : bonds_[bead.particle]) {
        if (bond.particle == bead.before) continue;
        if (is_found[bond.particle] != 0) {
          is_tree = false;
          continue;
        }
        is_found[bond.particle] = 1;
        beads.push_back(bond);
      }
    }
    return is_tree;
  }

  // Walks along each ring in one direction.
  BeadMolecule walk_around(const JointedBead& first) const {
    BeadMolecule made{{first}, {}};
    std::unordered_map<int, std::size_t> place{{first.particle, 0}};  // in made.beads
    struct Stop {
      std::size_t bead, next;  // in made.beads; of the bead's bonds
    };
    std::vector<Stop> way{{0, 0}};
    while (!way.empty()) {
      Stop& stop = way.back();
      const JointedBead bead = made.beads[stop.bead];
      if (stop.next == bonds_[bead.particle].size()) {
        way.pop_back();
        continue;
      }
      const JointedBead& bond = bonds_[bead.particle][stop.next++];
      if (bond.particle == bead.before) continue;
      const auto [found, is_new] = place.try_emplace(bond.particle, made.beads.size());
      if (is_new) {
        way.push_back({made.beads.size(), 0});
        made.beads.push_back(bond);
      } else if (found->second < stop.bead) {
        made.closing.push_back({bead.particle, bond.particle, bond.type});
      }
    }
    return made;
  }

  std::vector<std::vector<JointedBead>> bonds_;  // that each particle can hold
};

// Makes bodies of beads. A ball joint makes one of each bead. Torsion bonds keep all angles: the beads beyond
// a bond turn about it together, and the first beads, which have no bond to turn about, form one body.
template <class Claim>
class BodiesOfBeads {
 public:
  BodiesOfBeads(JointedBodies& made, const BeadWalk& walk, Claim claim)
      : bodies_(made.bodies), closures_(made.closures), walk_(walk), claim_(claim) {}

  void add(const std::vector<BeadMolecule>& molecules, int particles) {
    body_of_.assign(static_cast<std::size_t>(particles), -1);
    before_ = beyond_ = body_of_;
    for (const BeadMolecule& molecule : molecules) {
      for (const JointedBead& bead : molecule.beads) {
        before_[bead.particle] = bead.before;
        const int body = find_body(bead);
        claim_(bead.particle, static_cast<std::size_t>(body));
        body_of_[bead.particle] = body;
        bodies_[body].particles.push_back(bead.particle), bodies_[body].inertia += bead.type->inertia;
      }
      bool holds_bond = !(molecule.beads.front().type->inertia > 0.0);
      for (const JointedBead& bond : molecule.closing) close_ring(bond, holds_bond);
    }
  }

 private:
  // `holds_bond`: whether the first bead of the molecule cannot take this bond because it has one, or can
  // have none.
  void close_ring(const JointedBead& bond, bool& holds_bond) {
    const int last = bond.particle, first = bond.before;
    if (bond.type->law == TermLaw::kTorsionBond) return close_torsions(last, first);
    if (before_[first] >= 0 || holds_bond) return keep_distance(last, first);
    holds_bond = true;
    closures_.push_back({{body_of_[first], body_of_[last]}, ParticleJoint::kSpherical, last, {}, {}, {}});
  }

  void close_torsions(int last, int first) {
    keep_distance(last, first);
    for (const auto& [end, other] : {std::pair(last, first), std::pair(first, last)}) {
      const std::vector<JointedBead>& bonds = walk_.bonds_of(end);
      if (bonds.size() != 2) {
        throw InputError(
            fmt::format("the torsion bond of particles[{}] and particles[{}] closes a ring where "
                        "particles[{}] has {} bonds: rings of torsion bonds need 2 there",
                        last, first, end, bonds.size()));
      }
      keep_distance(bonds[bonds[0].particle == other ? 1 : 0].particle, other);
    }
  }

  void keep_distance(int first, int second) {
    closures_.push_back(
        {{body_of_[first], body_of_[second]}, ParticleJoint::kDistance, -1, {}, {}, {first, second}});
  }

  int find_body(const JointedBead& bead) {
    if (bead.before < 0) return add_body({});
    const int parent = body_of_[bead.before];
    if (bead.type->law == TermLaw::kSphericalBond) {
      return add_body({{}, parent, ParticleJoint::kSpherical, bead.before});
    }
    const int last = before_[bead.before];  // where the bond to turn about begins
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
  std::vector<ParticleClosure>& closures_;
  const BeadWalk& walk_;
  Claim claim_;
  // By particle: its body, the bead before it, the body of the torsion bonds that begin there.
  std::vector<int> body_of_, before_, beyond_;
};

}  // namespace

JointedBodies list_bodies(const ParticleModel& model) {
  JointedBodies made{model.bodies, model.closures};
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
  for (std::size_t b = 0; b < made.bodies.size(); ++b) {
    for (const int particle : made.bodies[b].particles) claim(particle, b);
  }
  const BeadWalk walk(model);
  BodiesOfBeads(made, walk, claim).add(walk.list(), model.size());
  return made;
}

namespace {

class BeadPlacement {
 public:
  explicit BeadPlacement(ParticleModel& model) : model_(model), given_(model.position) {}

  // Satisfies the bonds bead by bead.
  void satisfy(const std::vector<JointedBead>& beads) {
    for (const JointedBead& bead : beads) {
      if (bead.before < 0) continue;
      const Vector3d d = check(bead);
      const double found = std::hypot(d[0], d[1], d[2]);
      for (int a = 0; a < 3; ++a) {
        double& x = model_.position[3 * bead.particle + a];
        // The bead stays in the image in which it was given.
        const double next = model_.position[3 * bead.before + a] + (bead.type->rest / found) * d[a];
        x = next + (x - next - model_.box.nearest(a, x - next));
      }
    }
  }

  // Treats the bonds as rigid bonds, which put the beads at the same places.
  void satisfy_rings(const std::vector<BeadMolecule>& molecules) {
    ParticleModel rigid = model_;
    rigid.terms.clear();
    for (const BeadMolecule& molecule : molecules) {
      if (molecule.closing.empty()) continue;
      for (const std::vector<JointedBead>* bonds : {&molecule.beads, &molecule.closing}) {
        for (const JointedBead& bond : *bonds) {
          if (bond.before < 0) continue;
          check(bond);
          rigid.terms.push_back(
              {static_cast<int>(bond.type - model_.term_types.data()), {bond.before, bond.particle, -1, -1}});
        }
      }
    }
    if (rigid.terms.empty()) return;
    for (TermType& type : rigid.term_types) {
      if (is_joint(type.law)) type.law = TermLaw::kRigidBond;
    }
    satisfy_rigid_bonds(rigid);
    model_.position = rigid.position;
  }

 private:
  // Returns the vector between the beads.
  Vector3d check(const JointedBead& bead) const {
    Vector3d d{};
    for (int a = 0; a < 3; ++a) {
      d[a] = model_.box.nearest(a, given_[3 * bead.particle + a] - given_[3 * bead.before + a]);
    }
    const double found = std::hypot(d[0], d[1], d[2]), length = bead.type->rest;
    if (std::abs(found - length) <= kLargestMisfit * length) return d;
    throw InputError(
        fmt::format("particles[{}] and particles[{}] are {:.6g} apart: too far from the length "
                    "{:.6g} of their bond; up to {:.0f} % are corrected",
                    bead.before, bead.particle, found, length, 100.0 * kLargestMisfit));
  }

  ParticleModel& model_;
  const std::vector<double> given_;
};

}  // namespace

void satisfy_joint_bonds(ParticleModel& model) {
  const std::vector<BeadMolecule> molecules = BeadWalk(model).list();
  BeadPlacement placement(model);
  placement.satisfy_rings(molecules);
  for (const BeadMolecule& molecule : molecules) {
    if (molecule.closing.empty()) placement.satisfy(molecule.beads);
  }
}

}  // namespace sestina
