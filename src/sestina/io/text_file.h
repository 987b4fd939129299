// Reading of whole text files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace sestina {

// Returns the contents of the file. Throws InputError at the place of the file if it cannot be read, is no
// regular file or pipe, or has more than `max_bytes`.
std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

// Throws InputError at the first wrong character unless the text is UTF-8 without control characters other
// than tab and line breaks.
void check_utf8_text(std::string_view text, const std::string& file_name);

}  // namespace sestina
