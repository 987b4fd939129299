#include "sestina/numerics/dependency_search.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace sestina {
namespace {

// The inputs from begin to end - 1, and the results that depend on any of them.
struct InputRange {
  int begin = 0, end = 0;
  std::vector<int> results;

  int size() const { return end - begin; }
};

// With fewer ranges than this their number says nothing about those to come.
constexpr std::size_t kFewRanges = 8;

// Sets of ranges that have no results in common.
std::vector<std::vector<const InputRange*>> find_disjoint_sets(const std::vector<InputRange>& ranges,
                                                               int results) {
  std::vector<std::vector<const InputRange*>> sets;
  std::vector<std::vector<char>> taken;  // by set and result
  for (const InputRange& range : ranges) {
    std::size_t k = 0;
    while (k < sets.size() && std::ranges::any_of(range.results, [&](int i) {
             return taken[k][static_cast<std::size_t>(i)] != 0;
           })) {
      ++k;
    }
    if (k == sets.size()) {
      sets.emplace_back();
      taken.emplace_back(static_cast<std::size_t>(results), 0);
    }
    sets[k].push_back(&range);
    for (const int i : range.results) taken[k][static_cast<std::size_t>(i)] = 1;
  }
  return sets;
}

class DependencySearch {
 public:
  DependencySearch(int results, const DependencyProbe& probe)
      : probe_(probe), depends_(static_cast<std::size_t>(results)) {}

  // Cuts each range of the set into parts of `length` and probes the parts of all ranges in turn; appends
  // those on which results depend.
  void cut(const std::vector<const InputRange*>& set, int length, std::vector<InputRange>& parts) {
    int longest = 0;
    for (const InputRange* range : set) longest = std::max(longest, range->size());
    for (int offset = 0; offset < longest; offset += length) {
      inputs_.clear();
      for (const InputRange* range : set) {
        for (int k = range->begin + offset; k < std::min(range->begin + offset + length, range->end); ++k) {
          inputs_.push_back(k);
        }
      }
      std::ranges::fill(depends_, 0);
      probe_(inputs_, depends_);
      for (const InputRange* range : set) {
        InputRange part{range->begin + offset, std::min(range->begin + offset + length, range->end), {}};
        if (part.size() <= 0) continue;
        for (const int i : range->results) {
          if (depends_[static_cast<std::size_t>(i)] != 0) part.results.push_back(i);
        }
        if (!part.results.empty()) parts.push_back(std::move(part));
      }
    }
  }

 private:
  const DependencyProbe& probe_;
  std::vector<char> depends_;
  std::vector<int> inputs_;
};

}  // namespace

std::vector<std::vector<int>> find_dependencies(int inputs, int results, const DependencyProbe& probe) {
  std::vector<std::vector<int>> found(static_cast<std::size_t>(inputs));
  if (inputs == 0) return found;
  InputRange all{0, inputs, std::vector<int>(static_cast<std::size_t>(results))};
  std::iota(all.results.begin(), all.results.end(), 0);
  DependencySearch search(results, probe);
  std::vector<InputRange> ranges;
  search.cut({&all}, inputs, ranges);
  for (int length = inputs; length > 1;) {
    const auto sets = find_disjoint_sets(ranges, results);
    const bool is_dense = ranges.size() >= kFewRanges && 4 * sets.size() > 3 * ranges.size();
    length = is_dense ? 1 : (length + 1) / 2;
    std::vector<InputRange> parts;
    for (const auto& set : sets) search.cut(set, length, parts);
    std::ranges::sort(parts, {}, &InputRange::begin);
    ranges = std::move(parts);
  }
  for (InputRange& range : ranges) found[static_cast<std::size_t>(range.begin)] = std::move(range.results);
  return found;
}

}  // namespace sestina
