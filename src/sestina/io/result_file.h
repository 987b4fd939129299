// Result files, their format chosen by the suffix: `.csv`, `.h5` or `.hdf5`.
#pragma once

#include <filesystem>
#include <memory>

#include "sestina/io/result_recorder.h"

namespace sestina {

// Both throw InputError that names the path and the reason. An existing file is replaced when the recorder
// begins, not before.
std::unique_ptr<Recorder> make_recorder(const std::filesystem::path& path);
ResultTable read_result(const std::filesystem::path& path);

// Call this first in a program: the HDF5 library discards data that it could not write to a full disk only at
// the end of the process, and otherwise complains on stderr.
void skip_hdf5_cleanup_at_exit();

}  // namespace sestina
