// Starts other programs: a browser without a window, and ffmpeg.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sestina::cli {

// Returns the first of these names that is a program in PATH.
std::optional<std::filesystem::path> find_program(const std::vector<std::string>& names);

// Runs a program without a shell and waits for it; its output goes into a file, its error output is
// discarded. Returns its exit status, or 128 + the number of the signal that ended it. Throws
// std::system_error if it cannot be started.
int run_quietly(const std::vector<std::string>& words, const std::filesystem::path& output);

}  // namespace sestina::cli
