#include "sestina/parallel/instruction_set.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "sestina/base/error.h"

namespace sestina {
namespace {

constexpr std::array kAll{InstructionSet::kPortable, InstructionSet::kAvx2, InstructionSet::kAvx512};

}  // namespace

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable:
      return "portable";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
  }
  __builtin_unreachable();
}

int lanes_of(InstructionSet set) { return 2 << static_cast<int>(set); }

bool is_available(InstructionSet set) {
  if (set == InstructionSet::kPortable) return true;
#ifdef SESTINA_X86_KERNELS
  // The compiler's builtin also checks that the system saves the registers.
  __builtin_cpu_init();
  const bool has_fma = __builtin_cpu_supports("fma");
  if (set == InstructionSet::kAvx2) return has_fma && __builtin_cpu_supports("avx2");
  return has_fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

std::span<const InstructionSet> available_instruction_sets() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> found;
    for (const InstructionSet set : kAll) {
      if (is_available(set)) found.push_back(set);
    }
    return found;
  }();
  return sets;
}

InstructionSet default_instruction_set() {
  const char* const name = std::getenv("SESTINA_INSTRUCTION_SET");
  if (name == nullptr || *name == '\0') return available_instruction_sets().back();
  for (const InstructionSet set : kAll) {
    if (to_string(set) != name) continue;
    if (is_available(set)) return set;
    throw InputError(fmt::format("SESTINA_INSTRUCTION_SET: this processor or this build has no {}", name));
  }
  throw InputError(fmt::format("SESTINA_INSTRUCTION_SET: '{}' is not one of portable, avx2, avx512", name));
}

InstructionSet chosen_instruction_set() {
  static const InstructionSet chosen = default_instruction_set();
  return chosen;
}

}  // namespace sestina
