// What `--vary` says: a key of the model and the values that it takes.
#pragma once

#include <string>
#include <vector>

#include "sestina/io/sweep_file.h"

namespace sestina {

// PATH=a:b:n      n numbers from a to b, both included, evenly spaced
// PATH=a:b:n:log  n numbers from a to b, each the same multiple of the one before
// PATH=[x, y, z]  any YAML values: numbers, names of solvers, maps
// Throws InputError placed at `--vary PATH=...`.
SweepAxis parse_sweep_axis(const std::string& option);

// The axes of a sweep in their order: none twice. Throws InputError with the faults of all.
std::vector<SweepAxis> parse_sweep_axes(const std::vector<std::string>& options);

inline constexpr std::size_t kMostSweepRuns = 10'000'000;
inline constexpr std::size_t kMostSweepAxes = 30;  // HDF5 has 32 dimensions

}  // namespace sestina
