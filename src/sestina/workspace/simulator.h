// Steps a model from outside: from a control loop, a game, reinforcement learning, another program.
//
//   Simulator simulator(freeze(system), {.substeps = 2});
//   for (;;) {
//     simulator.set_tau(policy(simulator.state()));
//     simulator.step(1e-3);
//   }
//
// A step depends only on the state, on tau, on its length and on the options: the integration rule restarts
// in each step, so that a state that is saved and restored continues bit for bit. (Rules that store former
// steps, such as adams_bashforth_moulton, therefore have no advantage here, except between the sub-steps of
// one step.)
//
// Events of the model take place within the steps and are located as in a run. A terminal event ends the
// step; no other step follows until the simulator is reset.
//
// Steps allocate no memory, except for the first after a reset, the first in which an event is located, and
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
#include "sestina/workspace/step_clock.h"
#include "sestina/workspace/system_events.h"

namespace sestina {

struct SimulatorOptions {
  std::string solver = "recursive";  // one of solver_names()
  // Without a name: moreau for a model with contacts or enforced limits, otherwise dormand_prince_54 with
  // tolerances and rk4 without.
  RuleOptions rule = {.name = ""};
  // The number of equal steps of the rule in one step. With a controller's samples in between, each interval
  // is divided into the smallest number of equal steps that are not longer.
  int substeps = 1;
  // Alternative: steps as long as these tolerances permit, for rules that estimate their error.
  std::optional<ErrorTolerances> tolerances = {};

  friend bool operator==(const SimulatorOptions&, const SimulatorOptions&) = default;
};

// Returns these options with the name of a rule.
SimulatorOptions with_rule(const Model& model, SimulatorOptions options);

class Simulator {
 public:
  // The state of a simulator at one time, as a value.
  struct Snapshot {
    State<double> state;      // z as in quadrature_rates.h, work of tau included, since the reset
    std::vector<double> tau;  // (nu) set_tau
    StepControl control;
    EventMemory events;
    std::optional<int> ended_by;
    std::optional<SampledController::Memory> controller;
    StepClock clock;
  };

  // Starts at the model's initial state. Throws InputError for invalid options, and for a rule that does not
  // handle the model's contacts, limits or constraints.
  Simulator(const std::shared_ptr<const Model>& model, Properties<double> properties,
            SimulatorOptions options = {});
  explicit Simulator(const std::shared_ptr<const Model>& model, const SimulatorOptions& options = {});
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  double t() const { return state().t; }  // s
  const State<double>& state() const { return driver_->state(); }

  // Restarts from the model's initial state and t = 0, or from the given state; tau is zero, and the
  // controller and the counts of events and steps restart. Euler parameters are normalised. Throws
  // InputError, with no change, if a size differs or a number is not finite.
  void reset();
  void reset(double t, std::span<const double> q, std::span<const double> u);
  void reset(double t, std::span<const double> q, std::span<const double> u, std::span<const double> d);
  void reset(double t, std::span<const double> q, std::span<const double> u, std::span<const double> d,
             std::span<const double> x);
  // Sets q and u, and x if given, at the present time (a push, a measurement); all else continues. Throws
  // like reset().
  void set_state(std::span<const double> q, std::span<const double> u);
  void set_state(std::span<const double> q, std::span<const double> u, std::span<const double> x);

  // Changes the speeds by generalised impulses (nu; N s, N m s); all else continues. Returns their work (J),
  // impulse . (u before + u after)/2. The energy that the motion gains counts as supplied.
  double push(std::span<const double> impulse);

  // Sets generalised forces (nu; N m, N) that are added to those of the model until others are set.
  void set_tau(std::span<const double> tau);
  // The generalised forces since the last step or reset: set_tau and the controller's output.
  std::span<const double> tau() const { return tau_; }
  // Starts at the present time; replaces a former controller, and removes it if the law is empty.
  void set_controller(ControlLaw law, SamplingOptions options);
  void remove_controller() { controller_.reset(); }
  const SampledController* controller() const { return controller_ ? &*controller_ : nullptr; }

  // Advances from t to t + dt (s, positive). Throws InputError for an invalid dt, and after a terminal event;
  // ComputationError if the step cannot be completed: the state is then the last one that could be
  // calculated.
  void step(double dt);
  // The same to the time t (s), which is later.
  void advance_to(double t);

  // The name of the terminal event that took place, or empty.
  const std::string& ended_by() const;
  // How often each event took place since the reset.
  const std::vector<double>& event_counts() const { return events_.counts(); }
  const StepStatistics& statistics() const { return driver_->statistics(); }  // since the reset

  Snapshot save();
  // The snapshot must be of this model and controller; otherwise throws InputError.
  void restore(const Snapshot& snapshot);

  const Model& model() const { return dynamics_.model(); }
  const Properties<double>& properties() const { return dynamics_.properties(); }
  const SimulatorOptions& options() const { return options_; }

 private:
  std::unique_ptr<StepDriver> make_driver();
  void check(const char* name, std::span<const double> given, int size) const;
  void start(const State<double>& initial);
  void run_to(double t, double longest);

  SimulatorOptions options_;
  ForwardDynamics dynamics_;
  SystemEquations equations_;
  SystemEvents system_events_;
  EventLoop events_;
  std::unique_ptr<IntegrationRule> rule_;
  EqualStepDriver* equal_ = nullptr;  // the driver, if it is a variable one
  std::unique_ptr<StepDriver> driver_;
  std::optional<SampledController> controller_;
  std::vector<double> given_, tau_;  // (nu)
  std::vector<double> jump_;         // (nu)
  std::optional<int> ended_by_;
  State<double> initial_;  // of the model
  State<double> work_;     // scratch
  StepClock clock_;
};

}  // namespace sestina
