#include "sestina/state_time/affine_chain.h"

#include "sestina/parallel/executor.h"
#include "sestina/state_time/element_layout.h"

namespace sestina {
namespace {

template <class F>
void for_each(Executor* executor, int n, F&& f) {
  const auto some = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) f(i);
  };
  if (executor) {
    executor->parallel_for(n, 1, some);
  } else {
    some(0, n);
  }
}

// Inserts s of the earlier map into g of the later one.
void take(AffineMap& later, const AffineMap& earlier) {
  if (later.P.size() > 0) later.g.noalias() += later.P * earlier.g;
}

}  // namespace

AffineMap compose(const AffineMap& later, const AffineMap& earlier) {
  AffineMap both{{}, later.g};
  if (later.P.size() == 0) return both;
  both.g.noalias() += later.P * earlier.g;
  if (earlier.P.size() > 0) both.P.noalias() = later.P * earlier.P;
  return both;
}

void solve_chain_in_turn(std::vector<AffineMap>& chain) {
  for (std::size_t i = 1; i < chain.size(); ++i) take(chain[i], chain[i - 1]);
}

void solve_chain_as_tree(std::vector<AffineMap>& chain, Executor* executor) {
  const int n = static_cast<int>(chain.size());
  if (n < 2) return;
  std::vector<AffineMap> pairs(index(n / 2));
  for_each(executor, n / 2,
           [&](int i) { pairs[index(i)] = compose(chain[index(2 * i + 1)], chain[index(2 * i)]); });
  solve_chain_as_tree(pairs, executor);
  for_each(executor, n / 2, [&](int i) { chain[index(2 * i + 1)].g = pairs[index(i)].g; });
  for_each(executor, (n - 1) / 2, [&](int i) { take(chain[index(2 * i + 2)], pairs[index(i)]); });
}

}  // namespace sestina
