#include "sestina/dynamics/compiled_dynamics.h"

#include "sestina/dynamics/compiled_recursion.h"

namespace sestina {
namespace {

std::vector<Expr> joined(std::initializer_list<const std::vector<Expr>*> parts) {
  std::vector<Expr> all;
  for (const std::vector<Expr>* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

CompiledDynamics compile(const CompiledRecursion& recursion, const std::vector<Expr>& outputs,
                         const std::vector<Expr>& inputs) {
  return {CompiledFunction(recursion.graph(), outputs, inputs, recursion.constants()), recursion.values()};
}

}  // namespace

CompiledDynamics::CompiledDynamics(CompiledFunction function, const std::vector<double>& values)
    : function_(std::move(function)), bound_(function_.bind(values)), scratch_(function_.scratch_size()) {}

CompiledDynamics compile_forward_dynamics(const Model& model, const Properties<double>& properties) {
  CompiledRecursion recursion(model, make_compiled_links(model, properties));
  const std::vector<Expr> tau = recursion.new_symbols("tau", model.nu());
  const auto [udot, pivots] = recursion.calc_udot(tau);
  return compile(recursion, joined({&udot, &pivots}), joined({&recursion.q(), &recursion.u(), &tau}));
}

CompiledDynamics compile_inverse_dynamics(const Model& model, const Properties<double>& properties) {
  CompiledRecursion recursion(model, make_compiled_links(model, properties));
  const std::vector<Expr> udot = recursion.new_symbols("udot", model.nu());
  const std::vector<Expr> tau = recursion.calc_tau(udot);
  return compile(recursion, tau, joined({&recursion.q(), &recursion.u(), &udot}));
}

CompiledDynamics compile_mass_matrix(const Model& model, const Properties<double>& properties) {
  CompiledRecursion recursion(model, make_compiled_links(model, properties));
  const std::vector<Expr> M = recursion.calc_mass_matrix();
  return compile(recursion, M, recursion.q());
}

}  // namespace sestina
