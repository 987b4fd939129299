// Texts for a person or another program, on the standard files.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace sestina::cli {

// For the start of the program. A standard file that is closed is opened as /dev/null: otherwise a result
// would get its number, and messages would be written into it. A pipe whose reader has gone is an error, not
// the end of a run.
void prepare_standard_files();
// The standard output is a pipe whose reader has gone, who wants no more. Ends the program as SIGPIPE does,
// without a word, unless whoever started it ignores that signal.
void end_without_reader();

// Texts of files may hold control characters, which a terminal would obey: they are escaped. Throws
// std::system_error where the text does not reach the standard output.
void write_output(std::string_view text);
// The same on the error output. Where it cannot be written there is nobody to tell.
void write_error(std::string_view text);

template <class... T>
void print(fmt::format_string<T...> format, T&&... values) {
  write_output(fmt::format(format, std::forward<T>(values)...));
}
template <class... T>
void print_error(fmt::format_string<T...> format, T&&... values) {
  write_error(fmt::format(format, std::forward<T>(values)...));
}

}  // namespace sestina::cli
