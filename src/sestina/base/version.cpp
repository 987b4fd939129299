#include "sestina/base/version.h"

namespace sestina {

std::string version() { return SESTINA_VERSION; }

std::string build_description() {
#ifdef __clang__
  std::string text = "clang " __clang_version__;
#else
  std::string text = "gcc " __VERSION__;
#endif
  text = text.substr(0, text.find(' ', text.find(' ') + 1));
#ifdef NDEBUG
  return text + ", optimised";
#else
  return text + ", with checks";
#endif
}

}  // namespace sestina
