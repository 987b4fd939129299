// The messages of asmjit, instead of those of its library.
//
// Debian's libasmjit.a is compiled for programs, not for shared objects. Of its object files only the one
// with these three functions does not fit into a shared object whose symbols are local (--exclude-libs): it
// refers to `stderr`. If the functions are defined here, the linker does not take that object file.
#include <asmjit/core.h>

#include <cstdio>
#include <cstdlib>

ASMJIT_BEGIN_NAMESPACE

const char* DebugUtils::errorAsString(Error /*error*/) noexcept { return "error of asmjit"; }

void DebugUtils::debugOutput(const char* text) noexcept { std::fputs(text, stderr); }

void DebugUtils::assertionFailed(const char* file, int line, const char* message) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed in asmjit: %s\n", file, line, message);
  std::abort();
}

ASMJIT_END_NAMESPACE
