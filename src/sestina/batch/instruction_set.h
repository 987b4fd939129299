// Which SIMD registers the processor has: chosen while the program runs, so that one build serves all.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace sestina {

enum class InstructionSet {
  kPortable,  // what every processor of the architecture has: 2 lanes
  kAvx2,      // AVX2 and FMA: 4 lanes
  kAvx512,    // AVX-512 F, DQ and FMA: 8 lanes
};

// "portable", "avx2", "avx512"
std::string_view to_string(InstructionSet set);
int lanes_of(InstructionSet set);

// Whether this program has code for it and this processor and system can run it.
bool is_available(InstructionSet set);
// In ascending order.
std::span<const InstructionSet> available_instruction_sets();

// The widest that is available, or the one that the environment variable SESTINA_INSTRUCTION_SET names.
// InputError where it names none, or one that is not available.
InstructionSet default_instruction_set();

}  // namespace sestina
