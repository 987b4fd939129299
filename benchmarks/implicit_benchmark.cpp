// Work and error of implicit rules on the spatial slider-crank of the IFToMM library, 5 s, against an
// explicit rule: bench_implicit MODEL [REPEATS], with examples/17_slider_crank.yaml for the model. The error
// is that of the positions of slider and rod at the end (m), against a run with tolerances of 1e-13. For each
// run the least processor time of the repeats (s), accepted and rejected steps, evaluations of residual or
// accelerations, tangents and factorisations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>

#include "sestina/dynamics/assembly.h"
#include "sestina/integrate/generalized_alpha.h"
#include "sestina/integrate/radau_iia.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {
namespace {

constexpr double kEnd = 5.0;  // s

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Outcome {
  std::vector<double> positions;  // m, of all bodies' origins
  double seconds = 0.0;
  StepStatistics statistics;
  long tangents = 0, factorizations = 0;
};

void count_work(const IntegrationRule& rule, Outcome& outcome) {
  const StageEquations* equations = nullptr;
  if (const auto* radau = dynamic_cast<const RadauIIA*>(&rule)) equations = &radau->stage_equations();
  if (const auto* alpha = dynamic_cast<const GeneralizedAlpha*>(&rule)) equations = &alpha->stage_equations();
  if (equations == nullptr) return;
  outcome.tangents = equations->tangents();
  outcome.factorizations = equations->factorizations();
}

Outcome run(const std::shared_ptr<const Model>& model, const RuleOptions& options, double rtol, int repeats) {
  Outcome outcome;
  outcome.seconds = INFINITY;
  const Properties<double> properties = calc_properties(*model);
  State<double> start = calc_assembled_state(*model, properties);
  for (int i = 0; i < repeats; ++i) {
    ForwardDynamics dynamics(model, properties, "recursive");
    SystemEquations equations(dynamics);
    start.z.assign(static_cast<std::size_t>(equations.sizes().nz), 0.0);
    const auto rule = make_integration_rule(options);
    const auto driver = make_step_driver({.driver = "variable", .rtol = rtol, .atol = 1e-2 * rtol});
    const double begin = processor_time();
    driver->start(*rule, equations, start, kEnd);
    while (!driver->done()) driver->step();
    outcome.seconds = std::min(outcome.seconds, processor_time() - begin);
    outcome.statistics = driver->statistics();
    count_work(*rule, outcome);
    dynamics.update(driver->state());
    outcome.positions.clear();
    for (const BodyMotion<double>& motion : dynamics.kinematics().motion) {
      for (const double x : {motion.X_WB.p.x, motion.X_WB.p.y, motion.X_WB.p.z})
        outcome.positions.push_back(x);
    }
  }
  return outcome;
}

double distance(const Outcome& a, const Outcome& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    largest = std::max(largest, std::abs(a.positions[i] - b.positions[i]));
  }
  return largest;
}

int main_of(const char* path, int repeats) {
  const auto model = freeze(read_model_file(path));
  const Outcome exact = run(model, {.name = "dormand_prince_54"}, 1e-13, 1);
  fmt::print("{:<20} {:>8} {:>10} {:>10} {:>7} {:>7} {:>9} {:>9} {:>9}\n", "rule", "rtol", "error", "seconds",
             "steps", "reject", "evaluat.", "tangents", "factors");
  for (const RuleOptions& rule :
       {RuleOptions{.name = "radau_iia", .stages = 3}, RuleOptions{.name = "radau_iia", .stages = 2},
        RuleOptions{.name = "generalized_alpha"}, RuleOptions{.name = "dormand_prince_54"}}) {
    const bool is_of_low_order = make_integration_rule(rule)->order() <= 3;
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
      if (is_of_low_order && rtol < 1e-7) continue;
      const Outcome outcome = run(model, rule, rtol, repeats);
      fmt::print("{:<20} {:>8.0e} {:>10.2e} {:>10.4f} {:>7} {:>7} {:>9} {:>9} {:>9}\n",
                 rule.name == "radau_iia" ? fmt::format("radau_iia {}", rule.stages) : rule.name, rtol,
                 distance(outcome, exact), outcome.seconds, outcome.statistics.steps,
                 outcome.statistics.rejected, outcome.statistics.evaluations, outcome.tangents,
                 outcome.factorizations);
    }
  }
  return 0;
}

}  // namespace
}  // namespace sestina

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "bench_implicit MODEL [REPEATS]\n");
    return 2;
  }
  return sestina::main_of(argv[1], argc > 2 ? std::atoi(argv[2]) : 5);
}
