// Runs compiled programs instruction by instruction, on every machine. What machine code makes of the same
// program is the same to the last bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sestina/expression/compiled_program.h"

namespace sestina {

class Interpreter {
 public:
  static constexpr int kBlock = 32;  // states that one instruction treats

  explicit Interpreter(const CompiledProgram& program);

  // `lanes` states (at most kLanes) from `in`, each variable `stride` after the one before, as outputs are.
  // kLanes is 1 or kBlock; `registers` are kLanes times as many as register_count() says.
  template <int kLanes>
  void run(const double* bound, const double* in, double* out, std::size_t stride, int lanes,
           double* registers) const;
  std::size_t register_count() const { return register_count_; }

 private:
  std::vector<CompiledProgram::Instruction> code_;  // with registers in the place of values
  std::vector<std::shared_ptr<const Table>> tables_;
  std::size_t register_count_ = 0;
};

// Instructions that are rarely the many: a row is kLanes values, of which 1, 2, 4 and 8 are there besides
// kBlock.
template <int kLanes>
void run_call(const CompiledProgram::Instruction& instruction, double* rows,
              std::span<const std::shared_ptr<const Table>> tables);

// In the widest SIMD registers that the processor has.
void calc_many_sincos(const double* angles, std::size_t count, double* sines, double* cosines);

}  // namespace sestina
