#include "joint_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/particles/joint_bonds.h"

namespace sestina::lammps {
namespace {

using AtomPair = std::array<AtomId, 2>;

const std::map<std::string, ParticleJoint>& kinds() {
  static const std::map<std::string, ParticleJoint> all{
      {"spherical", ParticleJoint::kSpherical},     {"revolute", ParticleJoint::kRevolute},
      {"prismatic", ParticleJoint::kPrismatic},     {"universal", ParticleJoint::kUniversal},
      {"cylindrical", ParticleJoint::kCylindrical}, {"planar", ParticleJoint::kPlanar}};
  return all;
}

struct Line {
  int number = 0;
  std::vector<std::string> words;
};

struct Joint {
  int child = 0, parent = 0;  // bodies in the order of the file
  ParticleJoint kind = ParticleJoint::kSpherical;
  AtomId at = -1;
  AtomPair along{-1, -1}, across{-1, -1};
};

class TableReader {
 public:
  TableReader(const std::string& text, const std::string& file) : file_(file) {
    std::istringstream stream(text);
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
      std::istringstream words(line.substr(0, line.find('#')));
      Line& made = lines_.emplace_back();
      made.number = number;
      for (std::string word; words >> word;) made.words.push_back(word);
      if (made.words.empty()) lines_.pop_back();
    }
  }

  JointTable read() {
    for (const Line& line : lines_) {
      if (!is_word(line)) read_body(line);
    }
    if (numbers_.empty()) throw InputError(file_ + ": has no body: a line is NUMBER WORD ATOM ...");
    for (const Line& line : lines_) {
      if (line.words[0] == "joint") read_joint(line);
      if (line.words[0] == "inertia") read_inertia(line);
    }
    add_shared_joints();
    return order();
  }

 private:
  [[noreturn]] void fail(const Line& line, const std::string& message) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line.number, message));
  }

  bool is_word(const Line& line) const {
    const std::string& first = line.words[0];
    if (first == "joint" || first == "inertia") return true;
    if (first.find_first_not_of("0123456789") != std::string::npos) {
      fail(line, fmt::format("'{}' is neither the number of a body nor one of joint, inertia", first));
    }
    return false;
  }

  AtomId read_number(const Line& line, std::size_t place, const char* what) const {
    if (place >= line.words.size()) fail(line, fmt::format("{} is missing", what));
    const std::string& word = line.words[place];
    AtomId value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 1) {
      fail(line, fmt::format("'{}' is not {}", word, what));
    }
    return value;
  }

  void read_body(const Line& line) {
    const AtomId number = read_number(line, 0, "the number of a body");
    if (!numbers_.emplace(number, static_cast<int>(atoms_of_.size())).second) {
      fail(line, fmt::format("body {} is there already", number));
    }
    std::vector<AtomId>& atoms = atoms_of_.emplace_back();
    for (std::size_t i = 2; i < line.words.size(); ++i) {
      const AtomId atom = read_number(line, i, "an atom's ID");
      if (std::ranges::find(atoms, atom) != atoms.end())
        fail(line, fmt::format("atom {} is named twice", atom));
      atoms.push_back(atom);
    }
    if (atoms.empty()) fail(line, fmt::format("body {} has no atoms: NUMBER WORD ATOM ...", number));
    inertia_.push_back(0.0);
  }

  int read_body_number(const Line& line, std::size_t place) const {
    const AtomId number = read_number(line, place, "the number of a body");
    const auto found = numbers_.find(number);
    if (found == numbers_.end()) fail(line, fmt::format("there is no body {}", number));
    return found->second;
  }

  void read_joint(const Line& line) {
    Joint& joint = joints_.emplace_back();
    joint.child = read_body_number(line, 1), joint.parent = read_body_number(line, 2);
    const std::string kind = line.words.size() > 3 ? line.words[3] : "";
    const auto found = kinds().find(kind);
    if (found == kinds().end()) {
      fail(line,
           fmt::format("'{}' is not one of spherical, revolute, prismatic, universal, cylindrical, planar",
                       kind));
    }
    joint.kind = found->second;
    std::size_t next = 4;
    while (next < line.words.size()) {
      const std::string& word = line.words[next++];
      if (word == "at") {
        joint.at = read_number(line, next++, "an atom's ID");
      } else if (word == "along" || word == "across") {
        AtomPair& pair = word == "along" ? joint.along : joint.across;
        pair[0] = read_number(line, next, "an atom's ID"),
        pair[1] = read_number(line, next + 1, "an atom's ID");
        next += 2;
      } else {
        fail(line, fmt::format("'{}' is not one of at, along, across", word));
      }
    }
    const auto has = [&](int body, AtomId atom) {
      return std::ranges::find(atoms_of_[body], atom) != atoms_of_[body].end();
    };
    if (!has(joint.child, joint.at) && !has(joint.parent, joint.at)) {
      fail(line, "the joint has to be `at` an atom of one of the two bodies");
    }
    const bool has_axis = joint.kind != ParticleJoint::kSpherical;
    if (has_axis && joint.along[0] < 0) fail(line, kind + " joints need `along ATOM ATOM`, their axis");
    if (joint.kind == ParticleJoint::kUniversal && joint.across[0] < 0) {
      fail(line, "universal joints need `across ATOM ATOM`, their second axis");
    }
    if (joint.child == joint.parent) fail(line, "a body has no joint with itself");
  }

  void read_inertia(const Line& line) {
    const int body = read_body_number(line, 1);
    const std::string word = line.words.size() > 2 ? line.words[2] : "";
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= 0.0)) {
      fail(line, fmt::format("'{}' is not a moment of inertia", word));
    }
    inertia_[body] = value;
  }

  void add_shared_joints() {
    std::map<AtomId, int> first_body;
    std::set<std::pair<int, int>> named;
    for (const Joint& joint : joints_) named.insert(std::minmax(joint.child, joint.parent));
    for (int body = 0; body < static_cast<int>(atoms_of_.size()); ++body) {
      std::vector<AtomId> kept;
      for (const AtomId atom : atoms_of_[body]) {
        const auto [owner, is_new] = first_body.emplace(atom, body);
        if (is_new) {
          kept.push_back(atom);
        } else if (!named.contains({owner->second, body})) {
          joints_.push_back({body, owner->second, ParticleJoint::kSpherical, atom});
        }
      }
      if (kept.empty()) {
        throw InputError(
            fmt::format("{}: all atoms of body {} belong to other bodies", file_, number_of(body)));
      }
      atoms_of_[body] = std::move(kept);
    }
  }

  AtomId number_of(int body) const {
    for (const auto& [number, at] : numbers_) {
      if (at == body) return number;
    }
    return -1;
  }

  // Trees from the bodies that come first.
  JointTable order() const {
    JointTable table;
    for (const std::vector<AtomId>& atoms : atoms_of_)
      table.atoms.insert(table.atoms.end(), atoms.begin(), atoms.end());
    std::ranges::sort(table.atoms);
    const int count = static_cast<int>(atoms_of_.size());
    std::vector<std::vector<const Joint*>> joints_of(atoms_of_.size());
    for (const Joint& joint : joints_)
      joints_of[joint.child].push_back(&joint), joints_of[joint.parent].push_back(&joint);
    std::vector<int> made_as(atoms_of_.size(), -1);
    std::vector<int> walk;
    for (int first = 0; first < count; ++first) {
      if (made_as[first] >= 0) continue;
      walk.assign(1, first);
      add_body(table, first, nullptr, -1, made_as);
      for (std::size_t next = 0; next < walk.size(); ++next) {
        const int body = walk[next];
        for (const Joint* joint : joints_of[body]) {
          const int other = joint->child == body ? joint->parent : joint->child;
          if (parent_joint_[body] == joint) continue;
          if (made_as[other] >= 0) {
            throw InputError(
                fmt::format("{}: the joint of bodies {} and {} closes a ring; the joints have to make trees",
                            file_, number_of(body), number_of(other)));
          }
          add_body(table, other, joint, body, made_as);
          walk.push_back(other);
        }
      }
    }
    return table;
  }

  void add_body(JointTable& table, int body, const Joint* joint, int parent,
                std::vector<int>& made_as) const {
    ParticleBody made;
    for (const AtomId atom : atoms_of_[body]) made.particles.push_back(table.place_of(atom));
    made.inertia = inertia_[body];
    parent_joint_[body] = joint;
    if (joint != nullptr) {
      made.parent = made_as[parent], made.joint = joint->kind, made.at = table.place_of(joint->at);
      const bool is_reversed = joint->parent != parent;
      const auto places = [&](const AtomPair& pair) {
        return std::array<int, 2>{table.place_of(pair[0]), table.place_of(pair[1])};
      };
      made.along = places(joint->along), made.across = places(joint->across);
      if (is_reversed && joint->kind == ParticleJoint::kUniversal) std::swap(made.along, made.across);
      for (const std::array<int, 2>* pair : {&made.along, &made.across}) {
        const bool is_named = pair == &made.along ? joint->along[0] >= 0 : joint->across[0] >= 0;
        if (is_named && std::ranges::min(*pair) < 0) {
          throw InputError(
              fmt::format("{}: the axis of the joint of bodies {} and {} goes through an atom of no body",
                          file_, number_of(joint->child), number_of(joint->parent)));
        }
      }
    }
    made_as[body] = static_cast<int>(table.bodies.size());
    table.bodies.push_back(std::move(made));
  }

  std::string file_;
  std::vector<Line> lines_;
  std::map<AtomId, int> numbers_;  // bodies in the order of the file
  std::vector<std::vector<AtomId>> atoms_of_;
  std::vector<double> inertia_;
  std::vector<Joint> joints_;
  mutable std::map<int, const Joint*> parent_joint_;
};

}  // namespace

int JointTable::place_of(AtomId atom) const {
  const auto found = std::ranges::lower_bound(atoms, atom);
  return found != atoms.end() && *found == atom ? static_cast<int>(found - atoms.begin()) : -1;
}

JointTable parse_joint_table(const std::string& text, const std::string& file) {
  return TableReader(text, file).read();
}

JointTable joint_table_of_bonds(std::vector<AtomId> atoms, const std::vector<AtomPair>& bonds, bool torsion,
                                double inertia) {
  std::ranges::sort(atoms);
  JointTable table{std::move(atoms), {}};
  ParticleModel model;
  model.species_of.assign(table.atoms.size(), 0);
  TermType type;
  type.law = torsion ? TermLaw::kTorsionBond : TermLaw::kSphericalBond, type.inertia = inertia;
  model.term_types = {type};
  for (const AtomPair& bond : bonds) {
    model.terms.push_back({0, {table.place_of(bond[0]), table.place_of(bond[1]), -1, -1}});
  }
  std::ranges::sort(model.terms, {}, [](const Term& term) { return term.particles; });
  try {
    auto [bodies, closures] = list_bodies(model);
    if (!closures.empty()) {
      const ParticleClosure& closure = closures.front();
      const auto [last, first] =
          closure.at >= 0
              ? std::array{closure.at, bodies[static_cast<std::size_t>(closure.bodies[0])].particles.front()}
              : closure.between;
      throw InputError(
          fmt::format("the bond of particles[{}] and particles[{}] closes a ring, and the bonds of "
                      "fix sestina have to make trees",
                      last, first));
    }
    table.bodies = std::move(bodies);
  } catch (const InputError& error) {
    throw InputError(with_atom_ids(error.what(), table.atoms));
  }
  std::vector<char> is_bonded(table.atoms.size(), 0);
  for (const ParticleBody& body : table.bodies) {
    for (const int atom : body.particles) is_bonded[static_cast<std::size_t>(atom)] = 1;
  }
  for (std::size_t i = 0; i < is_bonded.size(); ++i) {
    if (is_bonded[i] != 0) continue;
    ParticleBody& free = table.bodies.emplace_back();
    free.particles = {static_cast<int>(i)}, free.inertia = inertia;
  }
  return table;
}

std::string with_atom_ids(const std::string& message, const std::vector<AtomId>& atoms) {
  constexpr std::string_view kBefore = "particles[";
  std::string made;
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = message.find(kBefore, from);
    if (at == std::string::npos) return made + message.substr(from);
    std::size_t place = 0;
    const char* const digits = message.data() + at + kBefore.size();
    const auto [end, error] = std::from_chars(digits, message.data() + message.size(), place);
    const bool is_known = error == std::errc() && place < atoms.size();
    made += message.substr(from, at - from);
    made += is_known ? fmt::format("atom {}", atoms[place]) : std::string(kBefore);
    from = is_known ? static_cast<std::size_t>(end - message.data()) + 1 : at + kBefore.size();
  }
}

}  // namespace sestina::lammps
