// Many simulations of one model, stepped together by the caller, in SIMD lanes and on several threads.
//
//   BatchSimulator simulator(model, 1000, {.substeps = 2}, &executor);
//   for (;;) {
//     simulator.set_tau(policy(simulator.state()));
//     simulator.step(1e-3);
//   }
//
// Each member does what a Simulator does, up to rounding; all members share one time. Models that lanes do
// not support are refused: see explain_no_batch_steps() of batch_stepper.h.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sestina/workspace/batch_stepper.h"
#include "sestina/workspace/sampled_controller.h"
#include "sestina/workspace/step_clock.h"

namespace sestina {

class BatchSimulator {
 public:
  // The complete state at one time, as a value.
  struct Snapshot {
    State<double> state;
    std::vector<double> tau;   // (count x nu) set_tau
    std::vector<char> failed;  // (count)
    std::optional<SampledController::Memory> controller;
    StepClock clock;
  };

  // Starts with all members at the model's initial state. The executor must outlive this; without one, all
  // work is done by the caller's thread. Throws InputError for invalid options.
  BatchSimulator(const std::shared_ptr<const Model>& model, const Properties<double>& properties, int count,
                 const SimulatorOptions& options = {}, Executor* executor = nullptr);
  BatchSimulator(const std::shared_ptr<const Model>& model, int count, const SimulatorOptions& options = {},
                 Executor* executor = nullptr);

  int count() const { return count_; }
  double t() const { return state_.t; }  // s
  // q (count x nq), u (count x nu) and d (count x nd), the numbers of each member one after another.
  const State<double>& state() const { return state_; }

  // Restarts from the model's initial state and t = 0, or from the given state: q (count x nq) and u (count x
  // nu), or (nq) and (nu) for all. tau is zero, the controller restarts, and no member has failed. Euler
  // parameters are normalised. Throws InputError, with no change, if a size differs or a number is not
  // finite.
  void reset();
  void reset(double t, std::span<const double> q, std::span<const double> u);
  // Sets q and u at the present time, in the same way; all else continues, including failed members.
  void set_state(std::span<const double> q, std::span<const double> u);

  // Sets generalised forces (count x nu, or nu for all; N m, N) that are added until others are set.
  void set_tau(std::span<const double> tau);
  // (count x nu) since the last step or reset: set_tau and the controller's output.
  std::span<const double> tau() const { return tau_; }
  // One controller for all members: its law has state(), and tau (count x nu). Starts at the present time.
  void set_controller(ControlLaw law, SamplingOptions options);
  void remove_controller() { controller_.reset(); }
  const SampledController* controller() const { return controller_ ? &*controller_ : nullptr; }

  // Whether a member whose step cannot be completed keeps its last state and is left out from then on, while
  // the others continue. Otherwise step() throws.
  void set_keeps_failed(bool keeps) { keeps_failed_ = keeps; }
  std::span<const char> failed() const { return failed_; }  // (count)

  // Advances all from t to t + dt (s, positive). Throws InputError for an invalid dt; ComputationError, which
  // names the member: the state is then the last one that all have reached.
  void step(double dt);

  Snapshot save() const;
  // The snapshot must be of this model, count and controller; otherwise throws InputError.
  void restore(const Snapshot& snapshot);

  const Model& model() const { return *model_; }

 private:
  std::vector<double> checked(const char* name, std::span<const double> given, std::size_t width) const;
  std::vector<double> checked_q(std::span<const double> given) const;
  void run_to(double t_stop, double longest);

  std::shared_ptr<const Model> model_;
  SimulatorOptions options_;
  int count_;
  BatchStepper stepper_;
  State<double> initial_;  // of the model
  State<double> state_;
  std::vector<double> given_, tau_;          // (count x nu)
  std::vector<double> t_, q_next_, u_next_;  // scratch: (count), (count x nq), (count x nu)
  std::vector<char> failed_;
  bool keeps_failed_ = false;
  std::optional<SampledController> controller_;
  StepClock clock_;
};

}  // namespace sestina
