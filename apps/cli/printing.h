// Text output for a user or another program, on the standard files.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace sestina::cli {

// Call at the start of the program. Opens a closed standard file as /dev/null: otherwise a result would get
// its number, and messages would be written into it. Makes writing to a pipe without a reader an error, which
// does not end a run.
void prepare_standard_files();
// Call when the standard output is a pipe without a reader. Ends the program silently as SIGPIPE does, unless
// the parent process ignores that signal.
void end_without_reader();

// Escapes control characters in texts from files, since a terminal would execute them. Throws
// std::system_error if the text does not reach the standard output.
void write_output(std::string_view text);
// The same on the error output. A failure to write is ignored.
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
