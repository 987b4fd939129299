#include "sestina/expression/compiled_function.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "sestina/expression/compiled_program.h"
#include "sestina/expression/interpreter.h"
#include "sestina/expression/machine_code.h"

namespace sestina {
namespace {

CompiledProgram make_program(const Graph& graph, std::span<const Expr> outputs,
                             std::span<const Expr> variables, std::span<const Expr> parameters,
                             bool is_fused) {
  std::vector<Expr> inputs(variables.begin(), variables.end());
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  return {graph, outputs, inputs, parameters.size(), is_fused};
}

#if defined(__x86_64__)
// True if the processor has AVX2 and fused multiply-adds.
bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#endif

}  // namespace

// Holds the machine code or the interpreter.
struct CompiledFunction::Parts {
  Parts(CompiledProgram made, Backend wanted) : program(std::move(made)), backend(wanted) {
    if (wanted != Backend::kInterpreter) {
      machine_code.emplace(program, wanted);
      if (!machine_code->empty()) return;
      machine_code.reset();
      backend = Backend::kInterpreter;
    }
    interpreter.emplace(program);
  }

  CompiledProgram program;
  Backend backend;
  std::optional<MachineCode> machine_code;
  std::optional<Interpreter> interpreter;
};

std::vector<CompiledFunction::Backend> CompiledFunction::backends() {
  std::vector<Backend> found = {Backend::kInterpreter};
#if defined(__x86_64__) && __has_include(<sys/mman.h>)
  found.push_back(Backend::kSse2);
  if (!has_avx2()) return found;
  found.push_back(Backend::kAvx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    found.push_back(Backend::kAvx512);
  }
#elif defined(__aarch64__)
  found.push_back(Backend::kNeon);
#endif
  return found;
}

std::string_view CompiledFunction::name(Backend backend) {
  switch (backend) {
    case Backend::kInterpreter:
      return "interpreter";
    case Backend::kSse2:
      return "SSE2";
    case Backend::kAvx2:
      return "AVX2";
    case Backend::kAvx512:
      return "AVX-512";
    default:
      return "NEON";
  }
}

bool CompiledFunction::is_fused(Backend backend) {
  if (backend != Backend::kInterpreter) return backend != Backend::kSse2;
#if defined(__x86_64__)
  return has_avx2();
#elif defined(__aarch64__) || defined(__FP_FAST_FMA)
  return true;
#else
  return false;
#endif
}

CompiledFunction::CompiledFunction(const Graph& graph, std::span<const Expr> outputs,
                                   std::span<const Expr> variables, std::span<const Expr> parameters)
    : CompiledFunction(graph, outputs, variables, parameters, backends().back()) {}

CompiledFunction::CompiledFunction(const Graph& graph, std::span<const Expr> outputs,
                                   std::span<const Expr> variables, std::span<const Expr> parameters,
                                   Backend backend)
    : parts_(std::make_shared<Parts>(make_program(graph, outputs, variables, parameters, is_fused(backend)),
                                     backend)) {}

CompiledFunction::Backend CompiledFunction::backend() const { return parts_->backend; }
std::size_t CompiledFunction::variable_count() const { return parts_->program.variable_count(); }
std::size_t CompiledFunction::parameter_count() const { return parts_->program.parameter_count(); }
std::size_t CompiledFunction::output_count() const { return parts_->program.output_count(); }
std::size_t CompiledFunction::instruction_count() const { return parts_->program.code().size(); }
std::size_t CompiledFunction::hoisted_count() const { return parts_->program.hoisted_count(); }
std::size_t CompiledFunction::scratch_size() const {
  if (parts_->machine_code) return parts_->machine_code->scratch_size();
  return kBlock * parts_->interpreter->register_count();
}

std::vector<double> CompiledFunction::bind(std::span<const double> parameters) const {
  assert(parameters.size() == parameter_count());
  return parts_->program.bind(parameters);
}

void CompiledFunction::evaluate(std::span<const double> bound, std::span<const double> variables,
                                std::span<double> outputs, std::span<double> scratch) const {
  assert(variables.size() == variable_count() && outputs.size() == output_count());
  assert(scratch.size() >= scratch_size());
  if (parts_->machine_code) {
    parts_->machine_code->run_one(bound.data(), variables.data(), outputs.data(), scratch.data());
  } else {
    parts_->interpreter->run<1>(bound.data(), variables.data(), outputs.data(), 1, 1, scratch.data());
  }
}

void CompiledFunction::evaluate_many(std::span<const double> bound, std::size_t count,
                                     std::span<const double> variables, std::span<double> outputs,
                                     std::span<double> scratch) const {
  assert(variables.size() == count * variable_count() && outputs.size() == count * output_count());
  assert(scratch.size() >= scratch_size());
  if (parts_->machine_code) {
    return parts_->machine_code->run_many(bound.data(), variables.data(), outputs.data(), count,
                                          scratch.data());
  }
  for (std::size_t k = 0; k < count; k += kBlock) {
    parts_->interpreter->run<Interpreter::kBlock>(bound.data(), variables.data() + k, outputs.data() + k,
                                                  count, static_cast<int>(std::min(kBlock, count - k)),
                                                  scratch.data());
  }
}

}  // namespace sestina
