#include "sestina/workspace/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/integrate/variable_step_driver.h"
#include "sestina/model/analysis.h"

namespace sestina {
namespace {

// The duration (s) assumed for the limit on how often an event may repeat.
constexpr double kSpanOfEvents = 1.0;
// A remaining part of a sub-step shorter than this fraction of it is round-off.
constexpr double kNegligibleRest = 1e-6;

// Adds a fault for contacts or enforced limits that the rule does not handle.
void check_rule(const Model& model, const SimulatorOptions& options, FaultList& faults) {
  if (!model.has_contacts() || make_integration_rule(options.rule)->takes_contacts()) return;
  try {
    model.refuse_contacts(options.rule.name);
  } catch (const InputError& error) {
    faults.add({{}, "integrator"}, error.faults().front().message + "; moreau and time_stepping do");
  }
}

const SimulatorOptions& checked(const Model& model, const SimulatorOptions& options) {
  FaultList faults;
  check_rule(model, options, faults);
  const auto& solvers = solver_names();
  if (std::find(solvers.begin(), solvers.end(), options.solver) == solvers.end()) {
    faults.add({{}, "solver"},
               fmt::format("there is no '{}'{}", options.solver, suggestion(options.solver, solvers)));
  }
  if (options.substeps < 1) {
    faults.add({{}, "substeps"},
               fmt::format("{} is not a number of steps: expected 1 or more", options.substeps));
  }
  if (options.tolerances && options.substeps > 1) {
    faults.add({{}, "substeps"},
               fmt::format("{} is given together with tolerances, by which steps are as long as their "
                           "error permits: allowed is one of the two",
                           options.substeps));
  }
  faults.throw_if_any();
  return options;
}

void copy(std::span<const double> from, std::vector<double>& to) { std::ranges::copy(from, to.begin()); }

}  // namespace

SimulatorOptions with_rule(const Model& model, SimulatorOptions options) {
  if (!options.rule.name.empty()) return options;
  options.rule.name = model.has_contacts() ? "moreau" : options.tolerances ? "dormand_prince_54" : "rk4";
  return options;
}

Simulator::Simulator(const std::shared_ptr<const Model>& model, Properties<double> properties,
                     SimulatorOptions options)
    : options_(with_rule(*model, std::move(options))),
      dynamics_(model, std::move(properties), checked(*model, options_).solver),
      equations_(dynamics_),
      system_events_(dynamics_, equations_),
      events_(&system_events_, kSpanOfEvents, [](const State<double>&, int) {}),
      rule_(make_integration_rule(options_.rule)),
      driver_(make_driver()),
      given_(static_cast<std::size_t>(dynamics_.model().nu())),
      tau_(given_),
      jump_(given_),
      initial_(calc_assembled_state(dynamics_.model(), dynamics_.properties())) {
  initial_.z.assign(static_cast<std::size_t>(equations_.sizes().nz), 0.0);
  work_ = initial_;
  equations_.set_tau(tau_);
  driver_->check(*rule_, 0.0, 1.0);
  driver_->start(*rule_, equations_, initial_, initial_.t);
  start(initial_);
}

Simulator::Simulator(const std::shared_ptr<const Model>& model, const SimulatorOptions& options)
    : Simulator(model, calc_properties(*model), options) {}

std::unique_ptr<StepDriver> Simulator::make_driver() {
  if (options_.tolerances) {
    auto driver = std::make_unique<VariableStepDriver>(*options_.tolerances);
    driver->set_tolerances(*options_.tolerances);
    return driver;
  }
  auto driver = std::make_unique<EqualStepDriver>();
  equal_ = driver.get();
  return driver;
}

void Simulator::check(const char* name, std::span<const double> given, int size) const {
  if (given.size() != static_cast<std::size_t>(size)) {
    throw InputError(fmt::format("{} has {} numbers; allowed are {}", name, given.size(), size));
  }
  if (const int bad = first_not_finite(given); bad >= 0) {
    throw InputError(fmt::format("{}[{}] is {}; allowed is a finite number", name, bad,
                                 given[static_cast<std::size_t>(bad)]));
  }
}

// ---- the state ------------------------------------------------------------------------------------------

void Simulator::reset() { start(initial_); }

void Simulator::reset(double t, std::span<const double> q, std::span<const double> u) {
  reset(t, q, u, initial_.d);
}

void Simulator::reset(double t, std::span<const double> q, std::span<const double> u,
                      std::span<const double> d) {
  reset(t, q, u, d, initial_.x);
}

void Simulator::reset(double t, std::span<const double> q, std::span<const double> u,
                      std::span<const double> d, std::span<const double> x) {
  check("t", std::span(&t, 1), 1);
  check("q", q, model().nq());
  check("u", u, model().nu());
  check("d", d, model().nd());
  check("x", x, model().nx());
  work_ = initial_;
  work_.t = t;
  copy(q, work_.q);
  copy(u, work_.u);
  copy(d, work_.d);
  copy(x, work_.x);
  normalize_q<double>(model(), work_.q);
  if (first_not_finite(work_.q) >= 0) throw InputError("Euler parameters of q are all zero");
  assemble(model(), dynamics_.properties(), {}, {}, work_);
  start(work_);
}

void Simulator::start(const State<double>& initial) {
  std::ranges::fill(given_, 0.0);
  std::ranges::fill(tau_, 0.0);
  ended_by_.reset();
  driver_->set_step_control({});
  driver_->start_again(initial, initial.t);
  events_.start(*driver_);
  if (controller_) controller_->start(initial.t);
  clock_.start(initial.t);
}

void Simulator::set_state(std::span<const double> q, std::span<const double> u) {
  set_state(q, u, state().x);
}

void Simulator::set_state(std::span<const double> q, std::span<const double> u, std::span<const double> x) {
  check("q", q, model().nq());
  check("u", u, model().nu());
  check("x", x, model().nx());
  work_ = state();
  copy(x, work_.x);
  copy(q, work_.q);
  copy(u, work_.u);
  normalize_q<double>(model(), work_.q);
  if (first_not_finite(work_.q) >= 0) throw InputError("Euler parameters of q are all zero");
  assemble(model(), dynamics_.properties(), {}, {}, work_);
  driver_->start_again(work_, work_.t);
  events_.restart(*driver_);
}

double Simulator::push(std::span<const double> impulse) {
  check("impulse", impulse, model().nu());
  work_ = state();
  equations_.calc_velocity_jump(work_, impulse, jump_);
  const auto calc_kinetic = [&] {
    dynamics_.update(work_);
    return dynamics_.energy(work_).kinetic;
  };
  // Without conditions the impulse alone does work; the supports of driven coordinates do so, too.
  const bool is_constrained = model().is_constrained();
  const double before = is_constrained ? calc_kinetic() : 0.0;
  double work = 0.0;
  for (std::size_t i = 0; i < jump_.size(); ++i) {
    work += impulse[i] * (work_.u[i] + 0.5 * jump_[i]);
    work_.u[i] += jump_[i];
  }
  work_.z[kSuppliedWork] += is_constrained ? calc_kinetic() - before : work;
  driver_->start_again(work_, work_.t);
  events_.restart(*driver_);
  return work;
}

// ---- inputs ---------------------------------------------------------------------------------------------

void Simulator::set_tau(std::span<const double> tau) {
  check("tau", tau, model().nu());
  copy(tau, given_);
}

void Simulator::set_controller(ControlLaw law, SamplingOptions options) {
  if (!law) throw InputError("a controller without a law: allowed is a function");
  SampledController controller(std::move(law), std::move(options), model().nu());
  controller.start(t());
  controller_ = std::move(controller);
}

// ---- steps ----------------------------------------------------------------------------------------------

void Simulator::step(double dt) {
  advance_to(clock_.calc_end(t(), dt));
  clock_.count(t());
}

void Simulator::advance_to(double end) {
  if (ended_by_) {
    throw InputError(
        fmt::format("event {} has ended the motion at {} s: reset or restore it first", ended_by(), t()));
  }
  if (!(end > t()) || !std::isfinite(end)) {
    throw InputError(fmt::format("{} s is not later than the present time, {} s", end, t()));
  }
  const double longest = (end - t()) / options_.substeps;
  while (t() < end && !ended_by_) {
    double stop = end;
    tau_ = given_;
    if (controller_) {
      controller_->update(state());
      const std::span<const double> tau = controller_->tau();
      for (std::size_t i = 0; i < tau_.size(); ++i) tau_[i] += tau[i];
      // Effects that are due at the end are applied at the beginning of the next step.
      if (const double next = controller_->next_change(); next < end - controller_->same_time()) stop = next;
    }
    run_to(stop, longest);
  }
}

void Simulator::run_to(double t_stop, double longest) {
  if (equal_ != nullptr) {
    equal_->divide(std::max(1, static_cast<int>(std::ceil((t_stop - t()) / longest - kNegligibleRest))));
  }
  driver_->start_again(state(), t_stop);
  for (;;) {
    if (events_.is_due()) {
      events_.take_place(*driver_);
      ended_by_ = events_.ended_by();
      if (ended_by_) return;
    }
    if (driver_->done()) return;
    driver_->step();
    events_.look(*driver_);
  }
}

const std::string& Simulator::ended_by() const {
  static const std::string none;
  return ended_by_ ? system_events_.name(*ended_by_) : none;
}

// ---- values ---------------------------------------------------------------------------------------------

Simulator::Snapshot Simulator::save() {
  Snapshot snapshot;
  snapshot.state = state();
  snapshot.tau = given_;
  snapshot.control = driver_->step_control();
  snapshot.events = events_.memory_after_step();
  snapshot.ended_by = ended_by_;
  if (controller_) snapshot.controller = controller_->memory();
  snapshot.clock = clock_.at(t());
  return snapshot;
}

void Simulator::restore(const Snapshot& snapshot) {
  if (sizes_of(snapshot.state) != equations_.sizes() || snapshot.tau.size() != given_.size() ||
      !events_.can_be_of_a_run(snapshot.events)) {
    throw InputError("the saved state belongs to another model");
  }
  if (snapshot.controller.has_value() != controller_.has_value()) {
    throw InputError(snapshot.controller ? "the saved state has a controller, which is missing here"
                                         : "the saved state has no controller, but there is one here");
  }
  if (controller_) {
    controller_->check(*snapshot.controller);
    controller_->restore(*snapshot.controller);
  }
  given_ = snapshot.tau;
  ended_by_ = snapshot.ended_by;
  driver_->start_again(snapshot.state, snapshot.state.t);
  driver_->set_step_control(snapshot.control);
  events_.resume(snapshot.events);
  clock_ = snapshot.clock;
}

}  // namespace sestina
