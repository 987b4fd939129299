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

}  // namespace sestina
