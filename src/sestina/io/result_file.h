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

// For programs, before anything else: what the HDF5 library could not write to a full disk it lets go at the
// end of the process. Otherwise it complains on stderr.
void skip_hdf5_cleanup_at_exit();

}  // namespace sestina
