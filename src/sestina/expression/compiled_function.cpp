#include "sestina/expression/compiled_function.h"

#include <algorithm>
#include <cassert>

#include "sestina/expression/compiled_program.h"

namespace sestina {

CompiledFunction::CompiledFunction(const Graph& graph, std::span<const Expr> outputs,
                                   std::span<const Expr> variables, std::span<const Expr> parameters) {
  std::vector<Expr> inputs(variables.begin(), variables.end());
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  const Tape tape(graph, outputs, inputs, parameters.size());
  program_ = std::make_shared<CompiledProgram>(tape, variables.size());
}

std::size_t CompiledFunction::variable_count() const { return program_->variable_count(); }
std::size_t CompiledFunction::parameter_count() const { return program_->parameter_count(); }
std::size_t CompiledFunction::output_count() const { return program_->output_count(); }
std::size_t CompiledFunction::instruction_count() const { return program_->code().size(); }
std::size_t CompiledFunction::hoisted_count() const { return program_->hoisted_count(); }
std::size_t CompiledFunction::scratch_size() const { return kBlock * program_->register_count(); }

std::vector<double> CompiledFunction::bind(std::span<const double> parameters) const {
  assert(parameters.size() == parameter_count());
  return program_->bind(parameters);
}

void CompiledFunction::evaluate(std::span<const double> bound, std::span<const double> variables,
                                std::span<double> outputs, std::span<double> scratch) const {
  assert(variables.size() == variable_count() && outputs.size() == output_count());
  assert(scratch.size() >= program_->register_count());
  program_->run<1>(bound.data(), variables.data(), outputs.data(), 1, 1, scratch.data());
}

void CompiledFunction::evaluate_many(std::span<const double> bound, std::size_t count,
                                     std::span<const double> variables, std::span<double> outputs,
                                     std::span<double> scratch) const {
  assert(variables.size() == count * variable_count() && outputs.size() == count * output_count());
  assert(scratch.size() >= scratch_size());
  for (std::size_t k = 0; k < count; k += kBlock) {
    program_->run<static_cast<int>(kBlock)>(bound.data(), variables.data() + k, outputs.data() + k, count,
                                            static_cast<int>(std::min(kBlock, count - k)), scratch.data());
  }
}

}  // namespace sestina
