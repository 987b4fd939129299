// Ratio tables on the terminal, and a CSV that says where its numbers come from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure.h"

namespace peers {

// The conditions of a measurement (versions, machine): name and value.
using Provenance = std::vector<std::pair<std::string, std::string>>;

std::string processor_name();

// A table of one kernel, a line for each mechanism: ratio first, then the times of each routine.
void print_table(Kernel kernel, const std::vector<Comparison>& comparisons);
void print_disagreements(const std::vector<Comparison>& comparisons);
// Throws std::runtime_error when the file cannot be written.
void write_csv(const std::string& path, const Provenance& provenance,
               const std::vector<Comparison>& comparisons);

}  // namespace peers
