#include "sestina/expression/compiled_program.h"

#include "sestina/expression/instruction_order.h"
#include "sestina/expression/program_compiler.h"

namespace sestina {

CompiledProgram::CompiledProgram(const Graph& graph, std::span<const Expr> outputs,
                                 std::span<const Expr> inputs, std::size_t parameter_count, bool is_fused) {
  ProgramCompiler compiler(graph, *this);
  compiler.compile(outputs, inputs, parameter_count);
  code_ = order_for_few_values(compiler.code(), value_count_, is_fused);
}

std::vector<double> CompiledProgram::bind(std::span<const double> parameters) const {
  std::vector<double> bound(hoisted_.scratch_size());
  hoisted_.evaluate<double>(parameters, {}, bound);
  return bound;
}

}  // namespace sestina
