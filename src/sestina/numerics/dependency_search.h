// Finds which results of a computation depend on which of its inputs, from probes of several inputs at a
// time.
//
// Ranges of inputs are halved until they are single. A probe serves several ranges at once if the results of
// the ranges from which they were cut have none in common: a result that depends on the probed inputs then
// tells to which range they belong. If every input has few results, and neighbours share theirs, as along a
// chain of n bodies, this takes some probes for each of the log2(n) levels. Where ranges cannot share probes,
// each input gets its own: at most n and a few more.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace sestina {

// Marks the results that depend on any of these inputs; all marks are 0 before.
using DependencyProbe = std::function<void(std::span<const int> inputs, std::span<char> depends)>;

// Returns the results that depend on each input, in ascending order.
std::vector<std::vector<int>> find_dependencies(int inputs, int results, const DependencyProbe& probe);

}  // namespace sestina
