// Results read from comma-separated values.
#pragma once

#include <filesystem>

#include "sestina/io/result.h"

namespace sestina {

// Reads what CsvRecorder wrote, and plain CSV with a line of names. A last line that a killed run left
// unfinished is dropped. Throws InputError with the line of each fault.
ResultTable read_csv_result(const std::filesystem::path& path);

}  // namespace sestina
