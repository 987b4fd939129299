// Compiles a graph of expressions to a compiled program.
//
// A Tape keeps the rounding of evaluate.h; here operations are ordered for the lowest cost:
// - computations that depend only on parameters go to the part that runs once, together with numbers;
// - signs are carried along, not computed: a - b and b - a share a value, and -a needs no operation;
// - in a product of several factors, a pair that other products share comes first;
// - a divisor of several products is inverted once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sestina/expression/compiled_program.h"
#include "sestina/expression/graph.h"
#include "sestina/expression/scratch_memory.h"

namespace sestina {

// The instructions written so far, for a search by their operation and operands.
template <class Code>
class KnownInstructions {
 public:
  using Instruction = typename Code::value_type;
  KnownInstructions(Code& code, ScratchMemory& memory) : code_(code), slots_(256, 0, &memory) {}

  using Operation = decltype(Instruction::code);
  // Returns an instruction equal to `instruction`, or null.
  const Instruction* find(const Instruction& instruction);
  // The same for an instruction with these two operands and no other fields, as most are.
  const Instruction* find(Operation operation, std::uint32_t a, std::uint32_t b);
  void add(const Instruction& instruction);  // after find() did not find it
  void reserve(std::size_t count);           // before the first

 private:
  static bool are_alike(const Instruction& a, const Instruction& b);
  static std::uint64_t hash_of(const Instruction& instruction);
  static std::uint64_t hash_of(std::uint64_t what, std::uint32_t a, std::uint32_t b);
  Code& code_;
  ScratchVector<std::uint32_t> slots_;  // index + 1, or 0; open addressing
  std::size_t slot_ = 0;
};

class ProgramCompiler {
 public:
  ProgramCompiler(const Graph& graph, CompiledProgram& program);
  // Arguments of the constructor of CompiledProgram. Instructions are unordered; some may not be needed.
  void compile(std::span<const Expr> outputs, std::span<const Expr> inputs, std::size_t parameter_count);
  std::span<CompiledProgram::Instruction> code() { return code_; }

 private:
  using Code = CompiledProgram::Code;
  using Instruction = CompiledProgram::Instruction;

  // A uniform or a value of the code for each state, possibly negated.
  struct Value {
    std::uint32_t index = 0;
    bool is_uniform = false, is_negative = false;

    friend bool operator==(const Value&, const Value&) = default;
  };
  // A product of more than two factors, whose order is chosen when all products are known.
  struct LongProduct {
    std::uint32_t instruction;  // index in code_ of the incomplete instruction
    std::uint32_t first, count;
  };

  std::size_t find_live(std::span<const Expr> outputs);  // returns their number
  Value lower(Expr expr);
  Value lower_symbol(Expr symbol);
  Value lower_sum(std::span<const Expr> terms);
  Value lower_product(std::span<const Expr> factors);
  Value lower_power(Expr expr);
  Value lower_unary(Op op, Value argument);
  Value lower_table(Expr expr);
  Value value_of(Expr expr) const { return values_[expr.id]; }

  Value constant(double value);
  Value new_uniform() { return {uniform_count_++, true, false}; }
  Value add(Value a, Value b);
  Value multiply(Value a, Value b);
  Value divide(Value a, Value b);
  Value multiply_all(std::span<const Value> factors);
  Value plain(Value value);            // without sign
  std::uint32_t varying(Value value);  // without sign, not uniform
  template <Tape::Code code>
  Value arithmetic(Value a, Value b);
  Value call(Tape::Instruction instruction, std::span<const Value> operands);
  Value emit(Instruction instruction);
  Value emit(Code code, std::uint32_t a, std::uint32_t b);
  Value emit_hoisted(Tape::Instruction instruction);
  Value emit_hoisted(Tape::Code code, std::uint32_t a, std::uint32_t b);
  void store(Expr output, std::uint32_t index);

  void order_long_products();
  void multiply_pair_first(const LongProduct& product, std::size_t i, std::size_t j);

  const Graph& graph_;
  CompiledProgram& program_;
  Tape& hoisted_;
  ScratchMemory memory_;
  ScratchVector<Instruction> code_{&memory_};
  KnownInstructions<ScratchVector<Instruction>> known_;
  KnownInstructions<std::vector<Tape::Instruction>> known_hoisted_;
  ScratchVector<std::uint8_t> is_live_{&memory_};  // by expression
  ScratchVector<Value> values_{&memory_};          // by expression; for an input, first its index
  ScratchVector<std::uint32_t> makers_{&memory_};  // by value: its instruction
  ScratchVector<LongProduct> long_products_{&memory_};
  ScratchVector<Value> long_factors_{&memory_};
  ScratchVector<Value> factors_{&memory_}, divisors_{&memory_};  // of the current product
  std::map<std::uint64_t, std::uint32_t> constants_;             // uniforms, by the bits of the number
  std::map<const Table*, std::uint32_t> tables_;
  std::uint32_t uniform_count_ = 0;
  Value one_;
};

}  // namespace sestina
