#include "sestina/particles/molecules.h"

namespace sestina {

Bonds list_bonds(const ParticleModel& model) {
  Bonds bonds;
  for (const Term& term : model.terms) {
    if (size_of(model.term_types[static_cast<std::size_t>(term.type)].law) != 2) continue;
    bonds.push_back({term.particles[0], term.particles[1]});
  }
  return bonds;
}

std::vector<std::vector<int>> find_bonded(int particles, const Bonds& bonds) {
  std::vector<std::vector<int>> bonded(static_cast<std::size_t>(particles));
  for (const auto& [i, j] : bonds) {
    bonded[static_cast<std::size_t>(i)].push_back(j);
    bonded[static_cast<std::size_t>(j)].push_back(i);
  }
  return bonded;
}

std::vector<std::vector<int>> find_molecules(const std::vector<std::vector<int>>& bonded) {
  std::vector<std::vector<int>> molecules;
  std::vector<char> is_found(bonded.size(), 0);
  for (const bool from_ends : {true, false}) {
    for (std::size_t first = 0; first < bonded.size(); ++first) {
      if (is_found[first] != 0 || bonded[first].empty() || (bonded[first].size() == 1) != from_ends) continue;
      std::vector<int>& molecule = molecules.emplace_back(1, static_cast<int>(first));
      is_found[first] = 1;
      for (std::size_t k = 0; k < molecule.size(); ++k) {
        for (const int next : bonded[static_cast<std::size_t>(molecule[k])]) {
          if (is_found[static_cast<std::size_t>(next)] != 0) continue;
          is_found[static_cast<std::size_t>(next)] = 1;
          molecule.push_back(next);
        }
      }
    }
  }
  return molecules;
}

}  // namespace sestina
