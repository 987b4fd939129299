// Work that may crash, hang or ask for all memory, done first in a child process with bounds on all three.
//
// A child process begins with the same memory, so that what goes well there goes well here.
#pragma once

#include <filesystem>
#include <functional>

namespace sestina {

// Runs `work` (that reads `file`) in a child process. Throws Hdf5Error: what `work` threw there, or that it
// broke. Memory and time of the child are bounded by the size of the file.
void rehearse(const std::filesystem::path& file, const std::function<void()>& work);

}  // namespace sestina
