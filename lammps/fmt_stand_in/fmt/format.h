// The headers of LAMMPS name these of its own copy of {fmt}, which Debian's package leaves out. The functions
// of LAMMPS that take them are not called here.
#pragma once

#include <string>

namespace fmt {
using string_view = const char*;
struct format_args {};
template <class... Args>
format_args make_args_checked(const std::string&, Args&&...) {
  return {};
}
}  // namespace fmt
