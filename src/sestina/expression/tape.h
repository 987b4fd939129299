// Expressions compiled to straight-line code.
//
// Parts that several outputs share are computed once, whole powers become multiplications, sine and cosine of
// the same argument one sincos(), and constant parts are computed when the tape is made. The rounding is that
// of evaluate.h, so that both give the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sestina/expression/graph.h"

namespace sestina {

// Immutable and independent of its graph; any number of threads may evaluate it, each with its own scratch.
class Tape {
 public:
  Tape() = default;  // no outputs
  // `inputs` are different symbols, in the order of their values in evaluate(). Throws ExpressionError (at
  // offset 0) if an output depends on another symbol.
  Tape(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs);

  std::size_t input_count() const { return input_count_; }
  std::size_t output_count() const { return output_count_; }
  std::size_t scratch_size() const { return scratch_size_; }  // values of T
  std::size_t instruction_count() const { return instructions_.size(); }
  // Returns a tape for that output only, with the same scratch and the same bits.
  Tape for_output(std::size_t output) const;
  // Returns bytes that are equal for two tapes only if these perform the same operations.
  std::string signature() const;

  // Allocates nothing and never throws: a division by zero gives inf or nan. `inputs` and `outputs` may
  // overlap, `scratch` overlaps neither. Instantiated for the scalars at the end of tape_evaluate.cpp.
  template <class T>
  void evaluate(std::span<const T> inputs, std::span<T> outputs, std::span<T> scratch) const;

  enum class Code : std::uint8_t {
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
    kPower,
    kUnary,
    kSinCos,
    kAtan2,
    kIfLess,
    kIfLessEqual,
    kTable,
    kStore,  // from register a to output `to`
  };

  // Places are indices into the scratch.
  struct Instruction {
    Code code;
    Op op = Op::kNumber;     // for kUnary
    std::uint8_t order = 0;  // for kTable
    std::uint32_t to = 0;
    std::uint32_t a = 0;  // operands
    std::uint32_t b = 0;  // kTable: the table; kSinCos: the place of the cosine
    std::uint32_t c = 0, d = 0;
  };

  static std::size_t operand_count(Code code);  // number of operands a to d that are read

 private:
  friend class ProgramCompiler;
  friend class TapeCompiler;

  struct Constant {
    std::uint32_t to;
    double value;
  };
  struct Load {
    std::uint32_t to;
    std::uint32_t input;
  };

  std::size_t input_count_ = 0, output_count_ = 0, scratch_size_ = 0;
  std::vector<Constant> constants_;
  std::vector<Load> loads_;  // of the inputs that are used
  std::vector<Instruction> instructions_;
  std::vector<std::shared_ptr<const Table>> tables_;
};

}  // namespace sestina
