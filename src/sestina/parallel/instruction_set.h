// The SIMD registers of the processor, detected at run time, so that one build serves all processors.
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

// Returns "portable", "avx2" or "avx512".
std::string_view to_string(InstructionSet set);
int lanes_of(InstructionSet set);

// True if this program has code for it and this processor and system can run it.
bool is_available(InstructionSet set);
// Returns the available sets in ascending order.
std::span<const InstructionSet> available_instruction_sets();

// Returns the widest available set, or the one that the environment variable SESTINA_INSTRUCTION_SET names.
// Throws InputError if it names none or one that is not available.
InstructionSet default_instruction_set();
// The same as at the first call.
InstructionSet chosen_instruction_set();

}  // namespace sestina
