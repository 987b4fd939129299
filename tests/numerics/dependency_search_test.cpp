#include "sestina/numerics/dependency_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <vector>

namespace sestina {
namespace {

using Dependencies = std::vector<std::vector<int>>;

struct Search {
  Dependencies found;
  int probes = 0;
};

// Finds again what is given, and counts probes.
Search search(const Dependencies& given, int results) {
  Search result;
  result.found = find_dependencies(static_cast<int>(given.size()), results,
                                   [&](std::span<const int> inputs, std::span<char> depends) {
                                     ++result.probes;
                                     ASSERT_EQ(std::ranges::count(depends, 0), results);
                                     for (const int k : inputs) {
                                       for (const int i : given[static_cast<std::size_t>(k)]) {
                                         depends[static_cast<std::size_t>(i)] = 1;
                                       }
                                     }
                                   });
  return result;
}

Dependencies band(int n, int width) {
  Dependencies given(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    for (int i = std::max(k - width, 0); i <= std::min(k + width, n - 1); ++i) {
      given[static_cast<std::size_t>(k)].push_back(i);
    }
  }
  return given;
}

TEST(DependencySearch, FindsWhatIsGiven) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const int inputs = static_cast<int>(random() % 70), results = 1 + static_cast<int>(random() % 50);
    const int most = static_cast<int>(random() % 8);
    Dependencies given;
    for (int k = 0; k < inputs; ++k) {
      std::set<int> rows;
      for (int i = 0; i < most; ++i) rows.insert(static_cast<int>(random() % static_cast<unsigned>(results)));
      given.emplace_back(rows.begin(), rows.end());
    }
    EXPECT_EQ(search(given, results).found, given) << trial;
  }
}

TEST(DependencySearch, TakesAFewProbesForEachLevelOfAChain) {
  for (const int n : {1, 2, 7, 64, 1000, 10000}) {
    const Dependencies given = band(n, 1);
    const Search result = search(given, n);
    EXPECT_EQ(result.found, given) << n;
    EXPECT_LE(result.probes, 6 * (std::bit_width(static_cast<unsigned>(n)) + 1)) << n;
  }
}

TEST(DependencySearch, TakesHardlyMoreProbesThanInputsWhereAllResultsDependOnAll) {
  for (const int n : {1, 7, 100, 1000}) {
    const Dependencies given = band(n, n);
    const Search result = search(given, n);
    EXPECT_EQ(result.found, given) << n;
    EXPECT_LE(result.probes, n + 16) << n;
  }
}

TEST(DependencySearch, LooksOnceWhereNothingDepends) {
  const Dependencies given(1000);
  const Search result = search(given, 5);
  EXPECT_EQ(result.found, given);
  EXPECT_EQ(result.probes, 1);
}

}  // namespace
}  // namespace sestina
