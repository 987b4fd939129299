// The accepted steps of a run, from the last to the first, in bounded memory.
//
//   StepTrail trail(rule, 64);
//   loop.add_observer(trail);
//   loop.advance();
//   trail.visit_back(driver, equations, t_end, [](const StepTrail::Step& step) { ... });
//
// It stores checkpoints at the beginning of every k-th step, with k = 1 until there are too many; then every
// second one is dropped and k doubles. If k > 1, the way back repeats the steps from one checkpoint to the
// next, bit for bit, so that each step is computed once more and the states of k steps are stored at a time.
//
// Source: the equidistant checkpoints of Griewank and Walther, Evaluating Derivatives, 2nd edition (2008),
// chapter 12, doubled where the number of steps is not known beforehand.
#pragma once

#include <functional>
#include <vector>

#include "sestina/integrate/explicit_runge_kutta.h"
#include "sestina/run/run_loop.h"
#include "sestina/workspace/adjoint_steps.h"

namespace sestina {

class StepTrail final : public RunObserver {
 public:
  using Step = AdjointSteps::Step;

  // Stores up to `most` checkpoints, at least two, of steps of the rule, which must outlive this object.
  StepTrail(ExplicitRungeKutta& rule, std::size_t most);

  void see_step(const StepDriver& driver) override;
  long steps() const { return steps_; }

  // Visits all steps, the last one first. The driver must have the options of the one that took the steps;
  // the equations and t_end (s) must be the same. Throws whatever a step or `visit` throws. Empties the
  // trail.
  void visit_back(StepDriver& driver, EquationsOfMotion& equations, double t_end,
                  const std::function<void(const Step&)>& visit);

 private:
  struct Kept {
    Step step;
    std::vector<double> rule_memory;
    StepControl control;
  };

  Step step_from(State<double> begin, const StepDriver& driver) const;

  ExplicitRungeKutta& rule_;
  std::size_t most_;
  long stride_ = 1, steps_ = 0;
  std::vector<Kept> kept_;  // checkpoint of step i at index i / stride_
};

}  // namespace sestina
