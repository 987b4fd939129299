// Compiled programs as machine code, for one state and for several in the lanes of SIMD registers.
//
// The code consists of leaf functions without calls, one for each segment of the program; between them the
// groups of calls are made from C++ (call_schedule.h). Operations and their order are those of the
// interpreter, so that both give the same results to the last bit. The code for several states is written
// when it is first needed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sestina/expression/call_schedule.h"
#include "sestina/expression/compiled_function.h"
#include "sestina/expression/register_allocation.h"
#include "sestina/expression/segment_writer.h"

namespace sestina {

class MachineCode {
 public:
  // Empty if the system refuses the memory. The processor must support `backend`; SSE2 requires a program
  // that is not fused.
  MachineCode(const CompiledProgram& program, CompiledFunction::Backend backend);

  bool empty() const { return one_.written.memory.empty(); }
  std::size_t scratch_size() const;  // values
  void run_one(const double* bound, const double* in, double* out, double* scratch) const;
  // Variable i of state k is at in[i*count + k], its output j at out[j*count + k]. The first call writes the
  // code, for which it allocates; concurrent calls wait for it.
  void run_many(const double* bound, const double* in, double* out, std::size_t count, double* scratch) const;

 private:
  struct Code {
    CodeShape shape;              // a stream has as many states as lanes
    SegmentCode written;          // without memory if the system refused it
    std::uint32_t row_count = 0;  // of each stream
  };
  // An output whose value equals that of another output, from which it is copied.
  struct Mirror {
    std::uint32_t output, original;
  };
  struct Many {
    std::once_flag written;
    AllocatedCode allocated;  // until the code is written
    Code code;
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

  Code one_;
  std::unique_ptr<Many> many_ = std::make_unique<Many>();
  std::vector<CallGroup> groups_;
  std::vector<Mirror> mirrors_;
  std::vector<std::shared_ptr<const Table>> tables_;
  std::size_t variable_count_ = 0, output_count_ = 0;
};

}  // namespace sestina
