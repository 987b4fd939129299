// The option `--vary`: a key of the model and its values.
#pragma once

#include <string>
#include <vector>

#include "sestina/io/sweep_file.h"

namespace sestina {

// PATH=a:b:n      n numbers from a to b, both included, evenly spaced
// PATH=a:b:n:log  n numbers from a to b with a constant ratio
// PATH=[x, y, z]  any YAML values: numbers, names of solvers, maps
// Throws InputError placed at `--vary PATH=...`.
SweepAxis parse_sweep_axis(const std::string& option);

// Parses the axes of a sweep in order; no key occurs twice. Throws InputError with the faults of all.
std::vector<SweepAxis> parse_sweep_axes(const std::vector<std::string>& options);

inline constexpr std::size_t kMostSweepRuns = 10'000'000;
inline constexpr std::size_t kMostSweepAxes = 30;  // HDF5 has 32 dimensions

}  // namespace sestina
