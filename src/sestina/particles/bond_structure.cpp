#include "sestina/particles/bond_structure.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sestina {
namespace {

using Neighbours = std::vector<std::set<int>>;  // of each bond

std::vector<std::vector<int>> list_bonds_of_beads(int beads, const std::vector<std::array<int, 2>>& bonds) {
  std::vector<std::vector<int>> of_bead(static_cast<std::size_t>(beads));
  for (std::size_t k = 0; k < bonds.size(); ++k) {
    for (const int bead : bonds[k]) of_bead[static_cast<std::size_t>(bead)].push_back(static_cast<int>(k));
  }
  return of_bead;
}

Neighbours find_neighbours(int beads, const std::vector<std::array<int, 2>>& bonds) {
  Neighbours neighbours(bonds.size());
  for (const std::vector<int>& meeting : list_bonds_of_beads(beads, bonds)) {
    for (const int k : meeting)
      neighbours[static_cast<std::size_t>(k)].insert(meeting.begin(), meeting.end());
  }
  for (std::size_t k = 0; k < bonds.size(); ++k) neighbours[k].erase(static_cast<int>(k));
  return neighbours;
}

// Which bond is eliminated first, second, ...: always one with the fewest neighbours, so that trees have no
// fill. `below` becomes the neighbours of each bond when it is eliminated.
std::vector<int> choose_order(Neighbours neighbours, Neighbours& below) {
  std::set<std::pair<std::size_t, int>> waiting;  // number of neighbours, bond
  for (std::size_t k = 0; k < neighbours.size(); ++k) {
    waiting.emplace(neighbours[k].size(), static_cast<int>(k));
  }
  std::vector<int> order;
  below.resize(neighbours.size());
  while (!waiting.empty()) {
    const int k = waiting.begin()->second;
    waiting.erase(waiting.begin());
    order.push_back(k);
    below[static_cast<std::size_t>(k)] = neighbours[static_cast<std::size_t>(k)];
    for (const int l : below[static_cast<std::size_t>(k)]) {
      std::set<int>& others = neighbours[static_cast<std::size_t>(l)];
      waiting.erase({others.size(), l});
      others.insert(below[static_cast<std::size_t>(k)].begin(), below[static_cast<std::size_t>(k)].end());
      others.erase(l), others.erase(k);
      waiting.emplace(others.size(), l);
    }
  }
  return order;
}

// The place of entry (row, column) in the matrix.
int find_place(const BondStructure& structure, int row, int column) {
  if (row == column) return row;
  const int k = std::min(row, column), l = std::max(row, column);
  const auto begin = structure.below.begin() + structure.below_begin[static_cast<std::size_t>(k)];
  const auto end = structure.below.begin() + structure.below_begin[static_cast<std::size_t>(k) + 1];
  const auto pair = static_cast<int>(std::lower_bound(begin, end, l) - structure.below.begin());
  return structure.bonds() + 2 * pair + (row > column ? 0 : 1);
}

void list_targets(BondStructure& made) {
  for (int k = 0; k < made.bonds(); ++k) {
    const int begin = made.below_begin[k], end = made.below_begin[k + 1];
    for (int q = begin; q < end; ++q) {
      for (int t = begin; t < end; ++t) {
        made.targets.push_back(find_place(made, made.below[q], made.below[t]));
      }
    }
  }
}

}  // namespace

BondPattern BondStructure::pattern() const {
  return {beads,
          bonds(),
          pairs(),
          static_cast<int>(targets.size()),
          ends.empty() ? nullptr : ends.front().data(),
          below_begin.data(),
          below.data(),
          targets.data(),
          bonds_of_bead_begin.data(),
          bonds_of_bead.data(),
          signs_of_bead.data()};
}

BondStructure make_bond_structure(int beads, const std::vector<std::array<int, 2>>& bonds) {
  BondStructure made;
  made.beads = beads;
  Neighbours below;
  const std::vector<int> order = choose_order(find_neighbours(beads, bonds), below);
  std::vector<int> turn(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    turn[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  made.below_begin.push_back(0);
  for (const int k : order) {
    made.ends.push_back(bonds[static_cast<std::size_t>(k)]);
    const auto first = made.below.insert(made.below.end(), below[static_cast<std::size_t>(k)].begin(),
                                         below[static_cast<std::size_t>(k)].end());
    std::transform(first, made.below.end(), first, [&](int l) { return turn[static_cast<std::size_t>(l)]; });
    std::sort(first, made.below.end());
    made.below_begin.push_back(made.pairs());
  }
  list_targets(made);
  made.bonds_of_bead_begin.push_back(0);
  for (const std::vector<int>& meeting : list_bonds_of_beads(beads, made.ends)) {
    const int bead = static_cast<int>(made.bonds_of_bead_begin.size()) - 1;
    for (const int k : meeting) {
      made.bonds_of_bead.push_back(k);
      made.signs_of_bead.push_back(made.ends[static_cast<std::size_t>(k)][0] == bead ? 1.0 : -1.0);
    }
    made.bonds_of_bead_begin.push_back(static_cast<int>(made.bonds_of_bead.size()));
  }
  return made;
}

}  // namespace sestina
