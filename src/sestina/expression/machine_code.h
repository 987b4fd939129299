// Compiled programs as x86-64 machine code, for one state and for several in the lanes of SIMD registers.
//
// The code is made of leaf functions, one for each segment of the program, that call nothing; between them
// the groups of calls are made from C++ (call_schedule.h). Operations and their order are those of the
// interpreter, so that what both make of a program is the same to the last bit. What treats several states is
// written when it is first wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sestina/expression/call_schedule.h"
#include "sestina/expression/compiled_function.h"
#include "sestina/expression/executable_memory.h"
#include "sestina/expression/instruction_encoder.h"
#include "sestina/expression/register_allocation.h"

namespace sestina {

class MachineCode {
 public:
  // Empty where the system refuses memory for it. The processor must have what `backend` names, and SSE2
  // wants a program that is not fused.
  MachineCode(const CompiledProgram& program, CompiledFunction::Backend backend);

  bool empty() const { return one_.memory.empty(); }
  std::size_t scratch_size() const;  // values
  void run_one(const double* bound, const double* in, double* out, double* scratch) const;
  // Variable i of state k stands at in[i*count + k], output j of it at out[j*count + k]. The first call
  // writes the code and allocates for that, others that come meanwhile wait.
  void run_many(const double* bound, const double* in, double* out, std::size_t count, double* scratch) const;

 private:
  struct Code {
    ExecutableMemory memory;
    std::vector<std::size_t> segments;  // offsets in memory
    std::uint32_t row_count = 0;        // of each stream
    int lanes = 1, streams = 1;         // a stream: as many states as there are lanes
  };
  // An output that is the same value as another one, and copied from it.
  struct Mirror {
    std::uint32_t output, original;
  };
  struct Many {
    std::once_flag written;
    AllocatedCode allocated;  // until it is written
    Code code;                // its memory is empty where the system has refused it
  };

  template <int kLanes>
  void run(const Code& code, const double* bound, const double* in, double* out, std::size_t stride,
           double* rows) const;
  void find_mirrors(const CompiledProgram& program);
  void write_many() const;
  void copy_mirrors(double* out, std::size_t stride, std::size_t count) const;
  void run_one_by_one(const double* bound, const double* in, double* out, std::size_t count,
                      double* scratch) const;
  template <int kLanes>
  void run_blocks(const double* bound, const double* in, double* out, std::size_t count,
                  double* scratch) const;

  InstructionEncoder::Encoding encoding_;
  Code one_;
  std::unique_ptr<Many> many_ = std::make_unique<Many>();
  std::vector<CallGroup> groups_;
  std::vector<Mirror> mirrors_;
  std::vector<std::shared_ptr<const Table>> tables_;
  std::size_t variable_count_ = 0, output_count_ = 0;
};

}  // namespace sestina
