// A model that is stepped from outside: by a control loop, a game, reinforcement learning, another program.
//
//   Simulator simulator(freeze(system), {.substeps = 2});
//   for (;;) {
//     simulator.set_tau(policy(simulator.state()));
//     simulator.step(1e-3);
//   }
//
// A step depends on the state, on tau, on its length and on the options, and on nothing else: the integration
// rule begins anew in each, so that a state that is saved and restored goes on bit for bit. (Rules that
// remember former steps, such as adams_bashforth_moulton, therefore gain nothing from them here, except
// between the sub-steps of one.)
//
// Events of the model take place within the steps, where they are located as in a run; a terminal event ends
// the step there, and no other follows until the simulator is reset.
//
// Steps allocate no memory, but for the first after a reset, the first in which an event is located, and
// CVODE.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sestina/integrate/equal_step_driver.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"
#include "sestina/run/event_loop.h"
#include "sestina/workspace/sampled_controller.h"
#include "sestina/workspace/system_events.h"

namespace sestina {

struct SimulatorOptions {
  std::string solver = "recursive";  // one of solver_names()
  RuleOptions rule = {.name = "rk4"};
  // A step has this many of the rule's, of equal length. With a controller's samples in between, each
  // interval is divided into the fewest equal ones that are not longer.
  int substeps = 1;
  // Instead: steps as long as these tolerances permit, for rules that estimate their error.
  std::optional<ErrorTolerances> tolerances = {};

  friend bool operator==(const SimulatorOptions&, const SimulatorOptions&) = default;
};

class Simulator {
 public:
  // What a simulator is at an instant: a value.
  struct Snapshot {
    State<double> state;      // z: see quadrature_rates.h, tau's work included, since the reset
    std::vector<double> tau;  // (nu) set_tau
    StepControl control;
    EventMemory events;
    std::optional<int> ended_by;
    std::optional<SampledController::Memory> controller;
    // Steps of one length end at t_first + k length, so that rounding does not gather.
    double t_first = 0.0, length = 0.0;  // s
    long steps = 0;                      // k
  };

  // At the model's initial state. Throws InputError for what is wrong with the options.
  Simulator(std::shared_ptr<const Model> model, Properties<double> properties, SimulatorOptions options = {});
  explicit Simulator(const std::shared_ptr<const Model>& model, const SimulatorOptions& options = {});
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  double t() const { return state().t; }  // s
  const State<double>& state() const { return driver_->state(); }

  // Begins anew, at the model's initial state and t = 0, or at this one; tau is zero, a controller starts
  // there, and so do the counts of events and steps. Euler parameters are normalised. InputError where a size
  // differs or a number is not finite, and nothing has changed.
  void reset();
  void reset(double t, std::span<const double> q, std::span<const double> u);
  void reset(double t, std::span<const double> q, std::span<const double> u, std::span<const double> d);
  // Another q and u at the same instant: a push, a measurement. The rest goes on. Throws as reset() does.
  void set_state(std::span<const double> q, std::span<const double> u);

  // Generalised forces (nu; N m, N) that are added to those of the model, until others are set.
  void set_tau(std::span<const double> tau);
  // What acts since the last step or reset: those, and what the controller says.
  std::span<const double> tau() const { return tau_; }
  // Starts at the present instant; takes the place of the one before, with no law of none.
  void set_controller(ControlLaw law, SamplingOptions options);
  void remove_controller() { controller_.reset(); }
  const SampledController* controller() const { return controller_ ? &*controller_ : nullptr; }

  // From t to t + dt (s, positive). Throws InputError for such a dt as cannot be taken, and after a terminal
  // event; ComputationError where the step cannot be completed: the state is then the last one that could be
  // calculated.
  void step(double dt);

  // The terminal event that took place, by name; empty: none did.
  const std::string& ended_by() const;
  // How often each event took place since the reset.
  const std::vector<double>& event_counts() const { return events_.counts(); }
  const StepStatistics& statistics() const { return driver_->statistics(); }  // since the reset

  Snapshot save();
  // Of this model; InputError where it is of another one, or of another controller.
  void restore(const Snapshot& snapshot);

  const Model& model() const { return dynamics_.model(); }
  const Properties<double>& properties() const { return dynamics_.properties(); }
  const SimulatorOptions& options() const { return options_; }

 private:
  std::unique_ptr<StepDriver> make_driver();
  void check(const char* name, std::span<const double> given, int size) const;
  void start(const State<double>& initial);
  double calc_end(double dt);
  void run_to(double t, double longest);

  SimulatorOptions options_;
  ForwardDynamics dynamics_;
  SystemEquations equations_;
  SystemEvents system_events_;
  EventLoop events_;
  std::unique_ptr<IntegrationRule> rule_;
  EqualStepDriver* equal_ = nullptr;  // the driver, if it is one
  std::unique_ptr<StepDriver> driver_;
  std::optional<SampledController> controller_;
  std::vector<double> given_, tau_;  // (nu)
  std::optional<int> ended_by_;
  State<double> initial_;                               // of the model
  State<double> work_;                                  // scratch
  double t_first_ = 0.0, length_ = 0.0, t_last_ = 0.0;  // s: see Snapshot; where the last step ended
  long steps_ = 0;
};

}  // namespace sestina
