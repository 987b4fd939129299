#include "sestina/state_time/interface_solver.h"

#include <algorithm>
#include <vector>

#include "sestina/parallel/communicator.h"

namespace sestina {
namespace {

// g, and P behind it where there is one.
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

// After the round with distance d a rank's map is that of the 2 d stretches up to its own, or of all up to
// its own, without P.
std::string ScanInterface::solve(Communicator& ranks, const AffineMap& own, std::span<double> before) {
  const int rank = ranks.rank(), last = ranks.size() - 1;
  const Eigen::Index m = static_cast<Eigen::Index>(before.size());
  AffineMap map = own;
  for (int distance = 1; distance < last; distance *= 2) {
    const int to = rank + distance < last ? rank + distance : kNoRank;
    const int from = rank < last && rank >= distance ? rank - distance : kNoRank;
    const std::vector<double> out = to == kNoRank ? std::vector<double>() : pack(map);
    // Of the rank at `from` there is no P where its map is of all stretches.
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
