// Machine code for the instructions that register allocation has chosen, written by the assembler asmjit.
//
// Each segment is a leaf function
//   void segment(double* rows, const double* uniforms, double* out, std::size_t stride,
//                const double* variables)
// with the calling convention of the system: System V on x86-64, AAPCS64 on AArch64. stride: bytes between
// outputs and between variables; a function for one lane has them side by side. `rows` and `uniforms` point
// to the element number `CodeShape::middle`, so that short offsets reach more elements in both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sestina/expression/compiled_function.h"
#include "sestina/expression/executable_memory.h"
#include "sestina/expression/register_allocation.h"

namespace sestina {

struct CodeShape {
  CompiledFunction::Backend backend = CompiledFunction::Backend::kSse2;
  int lanes = 1;            // states in a register
  int streams = 1;          // blocks of states that are computed side by side
  std::int32_t middle = 0;  // rows and uniforms before the addresses passed to a segment
};

// Returns the shape of code for one state, or for several in one stream.
CodeShape shape_of_code(CompiledFunction::Backend backend, bool is_single);
// Returns the registers that the code may use in one stream.
RegisterSet registers_for(CompiledFunction::Backend backend, bool is_single);

struct SegmentCode {
  ExecutableMemory memory;            // empty if the system refused it
  std::vector<std::size_t> segments;  // offsets in memory
};

// Outputs in `left_out` are not stored; all are stored if it is empty. The rows of the second stream follow
// those of the first; its registers are those from 16 on.
SegmentCode write_segments(const AllocatedCode& allocated, const CodeShape& shape,
                           const std::vector<bool>& left_out);

}  // namespace sestina
