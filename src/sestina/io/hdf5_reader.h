// Results read from HDF5.
#pragma once

#include <filesystem>

#include "sestina/io/result.h"

namespace sestina {

// Reads a file that Hdf5Recorder wrote or is still writing. Throws InputError.
ResultTable read_hdf5_result(const std::filesystem::path& path);

}  // namespace sestina
