// Reduced bodies in HDF5 files (docs/reduced_bodies.md has the format).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sestina/flexible/reduced_body.h"
#include "sestina/io/checksum.h"

namespace sestina {

// Throws InputError with the path and the fault: a file of another kind or version, or numbers of the wrong
// count, not finite, or impossible for a body.
std::shared_ptr<const ReducedModes> read_reduced_modes(const std::filesystem::path& path);

// Replaces the whole file. Throws InputError for numbers that read_reduced_modes() would refuse too.
void write_reduced_modes(const ReducedModes& modes, const std::filesystem::path& path);

// Reads modes from the datasets of a file: numbers(name, count) returns so many numbers. Second-order shifts
// and stresses are optional.
using NumbersOfName = std::function<std::vector<double>(const char* name, std::size_t count)>;
ReducedModes make_reduced_modes(std::size_t count, const std::vector<std::string>& names,
                                bool has_second_shifts, std::size_t stress_nodes,
                                const NumbersOfName& numbers);

// Adds the names of the interfaces and all numbers.
void add_to_checksum(const ReducedModes& modes, Checksum& sum);

// Explains why these modes belong to no possible body; empty if they are valid.
std::string find_fault(const ReducedModes& modes);

}  // namespace sestina
