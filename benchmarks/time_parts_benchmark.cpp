// The measured parts of the model of the time of divide and conquer (figures/time_model.py), as CSV:
//
//   bench_time_parts
//
// solver,n,grain,threads,pieces,levels,kinematics,solution   for chains of n revolute joints, times in s:
//   recursive     grain 0
//   plain         every body a piece: grain 1
//   hybrid        with the grain that the program takes
//   pieces        other grains, so that the cost of a body and that of an assembly can be separated
// (on several threads both at once, as in a run, and counted as solution)
// and, without times, the grain of the hybrid for lengths that are not run.
// The parts are timed in turn, and the shortest of the rounds counts, since other work can only add.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

#include "mechanisms.h"
#include "sestina/dynamics/divide_and_conquer_solver.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"

namespace {

using namespace sestina;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 25;
constexpr double kRoundSeconds = 0.002;
constexpr int kLargest = 16384;
constexpr int kSweep = 2048;  // bodies of the chain whose grain is swept
constexpr int kLargestPlain = 4096;

class Mechanism {
 public:
  explicit Mechanism(int n)
      : model(freeze(benchmarks::make_chain(n))),
        properties(calc_properties(*model)),
        state(calc_initial_state(*model)),
        kinematics(*model),
        forces(*model),
        udot(static_cast<std::size_t>(model->nu())) {}

  std::shared_ptr<const Model> model;
  Properties<double> properties;
  State<double> state;
  Kinematics<double> kinematics;
  AppliedForces<double> forces;
  std::vector<double> udot;
};

class Part {
 public:
  virtual ~Part() = default;
  virtual void update_kinematics(Mechanism& mechanism) = 0;
  virtual void solve(Mechanism& mechanism) = 0;
  virtual void print(int n) const = 0;

  void time_round(Mechanism& mechanism) {
    int count = 0;
    double in_kinematics = 0.0, in_solution = 0.0;
    do {
      const auto start = Clock::now();
      update_kinematics(mechanism);
      const auto middle = Clock::now();
      solve(mechanism);
      in_solution += std::chrono::duration<double>(Clock::now() - middle).count();
      in_kinematics += std::chrono::duration<double>(middle - start).count();
      ++count;
    } while (in_kinematics + in_solution < kRoundSeconds);
    kinematics = std::min(kinematics, in_kinematics / count);
    solution = std::min(solution, in_solution / count);
  }

 protected:
  double kinematics = std::numeric_limits<double>::infinity();  // s
  double solution = std::numeric_limits<double>::infinity();
};

class Recursion final : public Part {
 public:
  explicit Recursion(const Mechanism& mechanism) : solver_(*mechanism.model) {}
  void update_kinematics(Mechanism& m) override {
    sestina::update_kinematics(*m.model, m.properties, m.state, m.kinematics);
  }
  void solve(Mechanism& m) override { solver_.solve(m.properties, m.kinematics, m.forces, m.udot); }
  void print(int n) const override {
    std::printf("recursive,%d,0,1,1,0,%.4g,%.4g\n", n, kinematics, solution);
  }

 private:
  RecursiveSolver<double> solver_;
};

class Division final : public Part {
 public:
  Division(const char* name, const Mechanism& mechanism, int grain, int threads)
      : name_(name),
        grain_(grain),
        threads_(threads),
        executor_(threads > 1 ? std::make_unique<Executor>(threads) : nullptr),
        solver_(*mechanism.model, grain, executor_.get()) {}
  void update_kinematics(Mechanism& m) override {
    if (executor_ == nullptr) solver_.update_kinematics(m.properties, m.state, m.kinematics);
  }
  void solve(Mechanism& m) override {
    if (executor_ == nullptr) {
      solver_.solve(m.properties, m.kinematics, m.forces, m.udot);
    } else {
      solver_.move_and_solve(m.properties, m.state, m.kinematics, m.forces, m.udot);
    }
  }
  void print(int n) const override {
    const AssemblyTree& tree = solver_.assembly_tree();
    std::printf("%s,%d,%d,%d,%zu,%d,%.4g,%.4g\n", name_, n, grain_, threads_, tree.pieces.size(),
                tree.num_levels(), kinematics, solution);
  }

 private:
  const char* name_;
  int grain_, threads_;
  std::unique_ptr<Executor> executor_;
  DivideAndConquerSolver<double> solver_;
};

int hybrid_grain(int n) { return DivideAndConquerSolver<double>::hybrid_grain(n); }

void measure(int n) {
  Mechanism mechanism(n);
  std::vector<std::unique_ptr<Part>> parts;
  parts.push_back(std::make_unique<Recursion>(mechanism));
  for (int threads = 1; threads <= std::min(4, available_processors()); threads *= 2) {
    parts.push_back(std::make_unique<Division>("hybrid", mechanism, hybrid_grain(n), threads));
    if (n <= kLargestPlain) parts.push_back(std::make_unique<Division>("plain", mechanism, 1, threads));
  }
  if (n == kSweep) {
    for (int grain = 8; grain <= n / 4; grain *= 2) {
      parts.push_back(std::make_unique<Division>("pieces", mechanism, grain, 1));
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& part : parts) part->time_round(mechanism);
  }
  for (const auto& part : parts) part->print(n);
}

}  // namespace

int main() {
  std::printf("solver,n,grain,threads,pieces,levels,kinematics,solution\n");
  for (int n = 64; n <= kLargest; n *= 2) measure(n);
  for (const int n : {1 << 16, 1 << 18, 1000000}) std::printf("grain,%d,%d,0,0,0,0,0\n", n, hybrid_grain(n));
}
