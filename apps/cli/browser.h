// Programs that are run: a browser without a window, and ffmpeg.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sestina::cli {

// The first of these names that is a program in PATH.
std::optional<std::filesystem::path> find_program(const std::vector<std::string>& names);

// Runs it without a shell, its output into a file, its complaints into nothing, and waits. Returns its exit
// status, 128 + the number of the signal that ended it. Throws std::system_error where it cannot be started.
int run_quietly(const std::vector<std::string>& words, const std::filesystem::path& output);

}  // namespace sestina::cli
