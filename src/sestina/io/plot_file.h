// Files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace sestina {

// Writes a new file beside `path` and then gives it that name; what stood there remains when this fails.
// Throws InputError that names the path and the reason.
void write_whole_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace sestina
