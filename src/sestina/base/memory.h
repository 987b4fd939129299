// The amount of memory that is available.
#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace sestina {

// Parses a text in the format of /proc/meminfo (bytes).
std::optional<double> parse_available_memory(std::istream& meminfo);
// Returns the bytes left up to the tightest limit of a control group (version 2), given by its path below
// `root`, and of the groups that contain it. Reclaimable file cache counts as available.
std::optional<double> left_in_control_groups(const std::filesystem::path& root, std::filesystem::path group);
// Bytes that this process can allocate without taking memory from others, within the limits of control
// groups; nothing if the system does not report them.
std::optional<double> available_memory();

// Throws InputError if so many bytes are not available: "a mass matrix of 60000 x 60000 numbers takes 28.8 GB
// of memory, and 12 GB are available". Requests of a few MB are not checked.
void check_memory(double bytes, const std::string& what);
// The same for a matrix: "WHAT of ROWS x COLUMNS numbers takes ...".
void check_memory_of_matrix(double rows, double columns, const std::string& what);

// "1.5 GB", with powers of ten.
std::string bytes_in_words(double bytes);

}  // namespace sestina
