// Results read from comma-separated values.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "sestina/io/result.h"

namespace sestina {

// Reads the files of CsvRecorder, and plain CSV with a line of names. An incomplete last line of a killed run
// is dropped. Throws InputError with the line of each fault.
ResultTable read_csv_result(const std::filesystem::path& path);

// Appends the numbers of a line. Returns the place of the first text that is not a number, or npos.
std::size_t read_csv_row(std::string_view line, std::vector<double>& numbers);

}  // namespace sestina
