// How well the accelerations of each formulation satisfy the equations of motion.
//
//   bench_residuals
//
// Chains of revolute and of spherical joints, equal links and mass ratios up to 10^6. A residual is the
// largest component of what inverse dynamics leaves (N m), the worst of five states. `recursive` is absolute,
// the others are multiples of it:
//   rounded      the recursive solver's own udot, each component changed at random by a relative 1.1e-16, as
//                by one more rounding to double: the least residual of any method whose error in one joint
//                is not compensated by the joints beyond it, as in a sequential outward sweep
//   grain g      divide and conquer with g bodies to a piece
// The last columns are relative to the sum of the magnitudes of the terms of the residual: for the recursive
// solver, and for grain 1 and 64.
// docs/divide_and_conquer.md shows the table and discusses it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "mechanisms.h"
#include "sestina/dynamics/divide_and_conquer_solver.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"

namespace {

using namespace sestina;
using sestina::benchmarks::Random;

constexpr int kStates = 5;
constexpr int kGrains[] = {1, 16, 64};
constexpr double kRounding = 0x1p-53;  // relative, of one rounding to double

struct Masses {
  const char* name;
  std::function<double(int i, int n)> mass;  // kg
};

const Masses kMasses[] = {
    {"equal", [](int, int) { return 1.0; }},
    {"every other 1e6", [](int i, int) { return i % 2 == 1 ? 1e6 : 1.0; }},
    {"rising outward to 1e6", [](int i, int n) { return std::pow(10.0, 6.0 * i / n); }},
    {"falling outward to 1e-6", [](int i, int n) { return std::pow(10.0, -6.0 * i / n); }},
    {"random 1e-3 to 1e3",
     [](int i, int) { return std::pow(10.0, 3.0 * Random(static_cast<std::uint64_t>(i)).next()); }},
    {"last one 1e6", [](int i, int n) { return i == n - 1 ? 1e6 : 1.0; }},
};

std::shared_ptr<const Model> make_model(int n, bool is_spherical, const Masses& masses) {
  System system = benchmarks::make_chain(n, is_spherical);
  for (int i = 0; i < n; ++i) {
    BodySpec& link = system.bodies[static_cast<std::size_t>(i)];
    const double m = masses.mass(i, n);
    link.mass = m;
    link.inertia = {.xx = 0.01 * m, .yy = 0.0833 * m, .zz = 0.0833 * m};
  }
  return freeze(system);
}

struct Residual {
  double absolute = 0.0;  // N m
  double of_terms = 0.0;
  void add(const Residual& other) {
    absolute = std::max(absolute, other.absolute);
    of_terms = std::max(of_terms, other.of_terms);
  }
};

// A state, driving forces, and the accelerations of any solver put into inverse dynamics.
class Case {
 public:
  explicit Case(std::shared_ptr<const Model> model)
      : model_(std::move(model)),
        properties_(calc_properties(*model_)),
        state_(calc_initial_state(*model_)),
        kinematics_(*model_),
        forces_(*model_),
        inverse_(*model_),
        udot_(static_cast<std::size_t>(model_->nu())) {}

  // Moves to another state, and drives every joint by up to 1 N m.
  void scatter(Random& random) {
    std::vector<double> displacement(udot_.size());
    for (double& x : displacement) x = random.next();
    plus_q<double>(*model_, state_.q, displacement, state_.q);
    for (double& u : state_.u) u = random.next();
    update_kinematics(*model_, properties_, state_, kinematics_);
    update_applied_forces(*model_, properties_, state_, kinematics_, forces_);
    for (double& tau : forces_.tau) tau = random.next();
  }
  template <class Solver>
  Residual residual_of(Solver& solver) {
    if (solver.solve(properties_, kinematics_, forces_, udot_).is_singular) return {INFINITY, INFINITY};
    return residual();
  }
  Residual residual_rounded(Random& random) {
    for (double& x : udot_) x *= 1.0 + kRounding * random.next();
    return residual();
  }
  // To be called after the recursive solver's residual: other accelerations have the same terms.
  void update_scale() {
    scale_ = calc_residual_scale(*model_, properties_, kinematics_, forces_, udot_, inverse_);
  }
  const Model& model() const { return *model_; }

 private:
  Residual residual() {
    update_inverse_dynamics<double>(*model_, properties_, kinematics_, forces_, udot_, inverse_);
    Residual worst;
    for (std::size_t k = 0; k < udot_.size(); ++k) {
      const double r = std::abs(inverse_.residual[k]);
      worst.add({r, scale_.empty() ? 0.0 : r / scale_[k]});
    }
    return worst;
  }

  std::shared_ptr<const Model> model_;
  Properties<double> properties_;
  State<double> state_;
  Kinematics<double> kinematics_;
  AppliedForces<double> forces_;
  InverseDynamics<double> inverse_;
  std::vector<double> udot_, scale_;
};

void print_row(int n, bool is_spherical, const Masses& masses) {
  Case at(make_model(n, is_spherical, masses));
  RecursiveSolver<double> recursive(at.model());
  std::vector<std::unique_ptr<DivideAndConquerSolver<double>>> solvers;
  for (const int grain : kGrains) {
    solvers.push_back(std::make_unique<DivideAndConquerSolver<double>>(at.model(), grain));
  }
  Residual reference, rounded;
  std::vector<Residual> residuals(solvers.size());
  Random random(1);
  for (int k = 0; k < kStates; ++k) {
    at.scatter(random);
    at.residual_of(recursive);
    at.update_scale();
    reference.add(at.residual_of(recursive));
    rounded.add(at.residual_rounded(random));
    for (std::size_t s = 0; s < solvers.size(); ++s) residuals[s].add(at.residual_of(*solvers[s]));
  }
  std::printf("%-9s  %-23s %5d  %9.0e  %8.2g", is_spherical ? "spherical" : "revolute", masses.name, n,
              reference.absolute, rounded.absolute / reference.absolute);
  for (const Residual& r : residuals) std::printf("  %8.2g", r.absolute / reference.absolute);
  std::printf("  %8.0e %7.0e %8.0e\n", reference.of_terms, residuals.front().of_terms,
              residuals.back().of_terms);
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::printf("%-9s  %-23s %5s  %9s  %8s", "joints", "masses (kg)", "n", "recursive", "rounded");
  for (const int grain : kGrains) std::printf("  %5s %2d", "grain", grain);
  std::printf("   r/terms 1/terms 64/terms\n");
  for (const bool is_spherical : {false, true}) {
    for (const Masses& masses : kMasses) {
      for (const int n : {64, 512, 1024, 4096}) print_row(n, is_spherical, masses);
    }
  }
}
