// Runs compiled programs instruction by instruction, on every machine. Machine code of the same program gives
// the same results to the last bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sestina/expression/compiled_program.h"

namespace sestina {

class Interpreter {
 public:
  static constexpr int kBlock = 32;  // states per instruction

  explicit Interpreter(const CompiledProgram& program);

  // Evaluates `lanes` states (at most kLanes) from `in`; variables and outputs are `stride` apart. kLanes is
  // 1 or kBlock; `registers` holds kLanes register_count() values.
  template <int kLanes>
  void run(const double* bound, const double* in, double* out, std::size_t stride, int lanes,
           double* registers) const;
  std::size_t register_count() const { return register_count_; }

 private:
  std::vector<CompiledProgram::Instruction> code_;  // with registers instead of values
  std::vector<std::shared_ptr<const Table>> tables_;
  std::size_t register_count_ = 0;
};

// Executes the less frequent instructions. A row is kLanes values; instantiated for 1, 2, 4, 8 and kBlock.
template <int kLanes>
void run_call(const CompiledProgram::Instruction& instruction, double* rows,
              std::span<const std::shared_ptr<const Table>> tables);

// Uses the widest SIMD registers that the processor has.
void calc_many_sincos(const double* angles, std::size_t count, double* sines, double* cosines);

}  // namespace sestina
