// Runs work that may crash, hang or exhaust the memory first in a child process with limits on all three.
//
// A child process starts with the same memory, so that work that succeeds there succeeds here.
#pragma once

#include <filesystem>
#include <functional>

namespace sestina {

// Runs `work`, which reads `file`, in a child process. Throws Hdf5Error if `work` threw or crashed there. The
// limits of memory and time depend on the size of the file.
void rehearse(const std::filesystem::path& file, const std::function<void()>& work);

}  // namespace sestina
