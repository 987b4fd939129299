#include "sestina/particles/bond_structure.h"

#include <algorithm>

#include "sestina/numerics/block_ldlt.h"

namespace sestina {
namespace {

std::vector<std::vector<int>> list_bonds_of_beads(int beads, const Bonds& bonds) {
  std::vector<std::vector<int>> of_bead(static_cast<std::size_t>(beads));
  for (std::size_t k = 0; k < bonds.size(); ++k) {
    for (const int bead : bonds[k]) of_bead[static_cast<std::size_t>(bead)].push_back(static_cast<int>(k));
  }
  return of_bead;
}

// Bonds that share a bead are coupled.
EliminationOrder choose_order(int beads, const Bonds& bonds) {
  BlockPattern pattern;
  pattern.sizes.assign(bonds.size(), 1);
  pattern.is_dual.assign(bonds.size(), false);
  for (const std::vector<int>& meeting : list_bonds_of_beads(beads, bonds)) {
    for (std::size_t a = 0; a < meeting.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) pattern.couplings.push_back({meeting[b], meeting[a]});
    }
  }
  return EliminationOrder(pattern);
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

BondStructure make_bond_structure(int beads, const Bonds& bonds) {
  const EliminationOrder order = choose_order(beads, bonds);
  BondStructure made;
  made.beads = beads;
  made.below_begin.push_back(0);
  for (std::size_t k = 0; k < order.nodes.size(); ++k) {
    made.ends.push_back(bonds[static_cast<std::size_t>(order.nodes[k])]);
    made.below.insert(made.below.end(), order.neighbours[k].begin(), order.neighbours[k].end());
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
