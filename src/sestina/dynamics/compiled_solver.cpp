#include "sestina/dynamics/compiled_solver.h"

#include <algorithm>
#include <cmath>

#include "sestina/dynamics/compiled_links.h"

namespace sestina {
namespace {

// Far above kSingularPivot: an unnecessary call of the recursion costs only time.
constexpr double kDoubtfulPivot = 1e-9;

std::vector<double> find_least_pivots(const Model& model, const Properties<double>& properties) {
  std::vector<double> least = make_compiled_links(model, properties).scales;
  for (double& pivot : least) pivot *= kDoubtfulPivot;
  return least;
}

}  // namespace

CompiledSolver::CompiledSolver(const Model& model, const Properties<double>& properties)
    : dynamics_(compile_forward_dynamics(model, properties)),
      least_pivots_(find_least_pivots(model, properties)),
      inputs_(dynamics_.function().variable_count()),
      outputs_(dynamics_.function().output_count()),
      tau_(static_cast<std::size_t>(model.nu())),
      sums_(static_cast<std::size_t>(model.bodies().size())),
      nq_(static_cast<std::size_t>(model.nq())),
      nu_(static_cast<std::size_t>(model.nu())),
      recursion_(model) {}

void CompiledSolver::take(const State<double>& state) {
  const auto next = std::copy(state.q.begin(), state.q.end(), inputs_.begin());
  std::copy(state.u.begin(), state.u.end(), next);
}

bool CompiledSolver::try_solve(std::span<const double> tau, std::span<double> udot) {
  std::copy(tau.begin(), tau.end(), inputs_.begin() + static_cast<std::ptrdiff_t>(nq_ + nu_));
  dynamics_.evaluate(inputs_, outputs_);
  double sum = 0.0;
  bool is_doubtful = false;
  for (std::size_t k = 0; k < nu_; ++k) {
    udot[k] = outputs_[k];
    sum += outputs_[k];
    is_doubtful |= !(outputs_[nu_ + k] > least_pivots_[k]);
  }
  return !is_doubtful && std::isfinite(sum);
}

void CompiledSolver::add_body_forces(const Kinematics<double>& kinematics,
                                     const AppliedForces<double>& forces) {
  std::copy(forces.body.begin(), forces.body.end(), sums_.begin());
  for (std::size_t i = sums_.size(); i-- > 1;) {
    const BodyLink& link = kinematics.tree.links[i];
    for (int k = link.u_start; k < link.u_start + link.nu; ++k) {
      tau_[static_cast<std::size_t>(k)] += dot(kinematics.H[static_cast<std::size_t>(k)], sums_[i]);
    }
    sums_[static_cast<std::size_t>(link.parent)] += shift_back(sums_[i], kinematics.s[i]);
  }
}

SolveReport<double> CompiledSolver::solve(const Properties<double>& properties,
                                          const Kinematics<double>& kinematics,
                                          const AppliedForces<double>& forces, std::span<double> udot) {
  std::copy(forces.tau.begin(), forces.tau.end(), tau_.begin());
  if (forces.has_body_forces) add_body_forces(kinematics, forces);
  if (try_solve(tau_, udot)) return {};
  return solve_by_recursion(properties, kinematics, forces, udot);
}

}  // namespace sestina
