// The same operations, compiled once for the registers of two numbers that every processor has, and once for
// those of four (AVX2) where this processor has them. Nothing is fused: the bits are the same.
#pragma once

#include <type_traits>

#include "sestina/parallel/instruction_set.h"

// By clang only: g++ lets code for wider registers call functions that pass lanes in another way. The
// sanitizers look at the code that every processor has.
#if defined(SESTINA_X86_KERNELS) && defined(__clang__)
#if !__has_feature(address_sanitizer)
#define SESTINA_WIDE_REGISTERS
#endif
#endif

namespace sestina {

template <class F>
void run_portable(const F& f) {
  f();
}
#ifdef SESTINA_WIDE_REGISTERS
template <class F>
[[gnu::target("avx2")]] void run_avx2(const F& f) {
  f();
}
#endif

// Calls f(), a lambda that is always inlined, for numbers of type T. Only what is always inlined into it
// takes part, and only for double: other scalars have no lanes of this kind. A function that has lanes as an
// argument or a result must be always inlined too: compilers pass them otherwise where registers are wider.
template <class T, class F>
[[gnu::always_inline]] inline void with_wide_registers(const F& f) {
#ifdef SESTINA_WIDE_REGISTERS
  if constexpr (std::is_same_v<T, double>) {
    if (chosen_instruction_set() != InstructionSet::kPortable) return run_avx2(f);
  }
#endif
  run_portable(f);
}

}  // namespace sestina
