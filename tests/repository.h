// Where the tests find the repository's files. Only one small source knows it, so that all others compile
// alike in any checkout and the compiler cache serves them all.
#pragma once

#include <string>

namespace sestina {

std::string repository();  // the folder of this checkout, without a slash at its end

}  // namespace sestina
