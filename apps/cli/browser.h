// Starts other programs: a browser without a window, and ffmpeg.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sestina::cli {

// Returns the first of these names that is a program in PATH.
std::optional<std::filesystem::path> find_program(const std::vector<std::string>& names);

// Runs a program without a shell and waits for it; its output goes into a file, temporary ones into the same
// folder, and its error output is discarded. Returns its exit status, or 128 + the number of the signal that
// ended it; nothing if `stop` became true, after which neither it nor any program that it has started runs.
// Throws std::system_error if it cannot be started.
std::optional<int> run_quietly(const std::vector<std::string>& words, const std::filesystem::path& output,
                               const std::atomic<bool>& stop);

}  // namespace sestina::cli
