#include "sestina/state_time/interface_solver.h"

#include <algorithm>
#include <vector>

#include "sestina/parallel/communicator.h"

namespace sestina {
namespace {

// Packs g and, where it exists, P.
std::vector<double> pack(const AffineMap& map) {
  std::vector<double> numbers(map.g.data(), map.g.data() + map.g.size());
  numbers.insert(numbers.end(), map.P.data(), map.P.data() + map.P.size());
  return numbers;
}

AffineMap unpack(const std::vector<double>& numbers, Eigen::Index m) {
  AffineMap map{{}, Eigen::Map<const Eigen::VectorXd>(numbers.data(), m)};
  if (static_cast<Eigen::Index>(numbers.size()) > m) {
    map.P = Eigen::Map<const Eigen::MatrixXd>(numbers.data() + m, m, m);
  }
  return map;
}

}  // namespace

// After the round with distance d, a rank's map covers the 2 d stretches up to its own, or all stretches up
// to its own; the latter has no P.
std::string ScanInterface::solve(Communicator& ranks, const AffineMap& own, std::span<double> before) {
  const int rank = ranks.rank(), last = ranks.size() - 1;
  const Eigen::Index m = static_cast<Eigen::Index>(before.size());
  AffineMap map = own;
  for (int distance = 1; distance < last; distance *= 2) {
    const int to = rank + distance < last ? rank + distance : kNoRank;
    const int from = rank < last && rank >= distance ? rank - distance : kNoRank;
    const std::vector<double> out = to == kNoRank ? std::vector<double>() : pack(map);
    // The rank at `from` sends no P if its map covers all stretches before it.
    std::vector<double> in(from == kNoRank ? 0 : static_cast<std::size_t>(from < distance ? m : m + m * m));
    ranks.exchange(out, to, in, from);
    if (from != kNoRank) map = compose(map, unpack(in, m));
  }
  const std::vector<double> out(map.g.data(), map.g.data() + map.g.size());
  ranks.exchange(out, rank < last ? rank + 1 : kNoRank, rank > 0 ? before : std::span<double>(),
                 rank > 0 ? rank - 1 : kNoRank);
  return {};
}

}  // namespace sestina
