// How much memory there is left to take.
#pragma once

#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace sestina {

// Bytes, of a text as /proc/meminfo is.
std::optional<double> parse_available_memory(std::istream& meminfo);
// Bytes up to the tightest limit of a control group (version 2), given by its path below `root`, and of the
// groups that hold it. What files fill until somebody wants it counts as left.
std::optional<double> left_in_control_groups(const std::filesystem::path& root, std::filesystem::path group);
// Bytes that this process can take without others having to give theirs back; nothing where the system does
// not tell. The limits of control groups count.
std::optional<double> available_memory();

// "1.5 GB", with powers of ten.
std::string bytes_in_words(double bytes);

}  // namespace sestina
