// Results read from comma-separated values.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

#include "sestina/io/result.h"

namespace sestina {

// Reads what CsvRecorder wrote, and plain CSV with a line of names. A last line that a killed run left
// unfinished is dropped. Throws InputError with the line of each fault.
ResultTable read_csv_result(const std::filesystem::path& path);

// Adds the numbers of a line to `numbers`. Returns where in the line a text begins that is none, or npos.
std::size_t read_csv_row(std::string_view line, std::vector<double>& numbers);

}  // namespace sestina
