#include "sestina/integrate/step_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina {

// Forwards all calls, with the time kept on the step's side of a jump, and counts the evaluations of the
// accelerations, or of the rates of momenta.
class StepDriver::CountedEquations final : public EquationsOfMotion,
                                           public MomentumFace,
                                           public ResidualFace {
  // The implicit form.
  class Implicit final : public ImplicitFace {
   public:
    explicit Implicit(CountedEquations& owner) : owner_(owner) {}
    // The cost of this form is spent only on request.
    bool find() { return (face_ = owner_.equations_.implicit_face()) != nullptr; }
    int rows() const override { return face_->rows(); }
    const SparsePattern& pattern() const override { return face_->pattern(); }
    const SparsePattern& row_pattern() const override { return face_->row_pattern(); }
    void calc_start(const State<double>& state, std::span<double> wdot, std::span<double> lambda) override {
      ++owner_.count_;
      face_->calc_start(owner_.on_its_side(state), wdot, lambda);
    }
    void calc_residual(const State<double>& state, std::span<const double> wdot,
                       std::span<const double> lambda, const Residual& to) override {
      ++owner_.count_;
      face_->calc_residual(owner_.on_its_side(state), wdot, lambda, to);
    }
    Tangents calc_tangents(const State<double>& state, std::span<const double> wdot,
                           std::span<const double> lambda) override {
      return face_->calc_tangents(owner_.on_its_side(state), wdot, lambda);
    }
    double tangent_cost() const override { return face_->tangent_cost(); }
    void calc_quadrature_rates(const State<double>& state, std::span<const double> lambda,
                               std::span<double> zdot) override {
      face_->calc_quadrature_rates(owner_.on_its_side(state), lambda, zdot);
    }

   private:
    CountedEquations& owner_;
    ImplicitFace* face_ = nullptr;
  };

 public:
  CountedEquations(EquationsOfMotion& equations, const SwitchStops& stops, long& count)
      : equations_(equations), implicit_(*this), stops_(stops), count_(count) {}

  StateSizes sizes() const override { return equations_.sizes(); }
  void calc_derivatives(const State<double>& state, const StateRates& rates) override {
    ++count_;
    equations_.calc_derivatives(on_its_side(state), rates);
  }
  void calc_q_dot(std::span<const double> q, std::span<const double> u, std::span<double> qdot) override {
    equations_.calc_q_dot(q, u, qdot);
  }
  void plus(std::span<const double> q, std::span<const double> displacement,
            std::span<double> q_out) override {
    equations_.plus(q, displacement, q_out);
  }
  void minus(std::span<const double> q_to, std::span<const double> q_from,
             std::span<double> displacement) override {
    equations_.minus(q_to, q_from, displacement);
  }
  std::span<const int> rotations() const override { return equations_.rotations(); }
  void normalize(std::span<double> q) override { equations_.normalize(q); }
  void project(State<double>& state, Projection how) override {
    const double t = state.t;
    state.t = stops_.keep_within(t);
    equations_.project(state, how);
    state.t = t;
  }
  bool project_errors(const State<double>& state, std::span<double> of_q, std::span<double> of_u) override {
    return equations_.project_errors(on_its_side(state), of_q, of_u);
  }
  void pass_jump(State<double>& state) override {
    const double t = state.t;
    state.t = stops_.keep_within(t);
    equations_.pass_jump(state);
    state.t = t;
  }
  bool is_constrained() const override { return equations_.is_constrained(); }
  bool history_changes_rates() const override { return equations_.history_changes_rates(); }
  void update_history(const State<double>& before, State<double>& after) override {
    equations_.update_history(before, after);
  }

  // Contacts do not depend on the side of a jump.
  ContactFace* contact_face() override { return equations_.contact_face(); }

  // A face is formed when a rule first requests it: most rules need neither.
  MomentumFace* momentum_face() override {
    if (momenta_ == nullptr) momenta_ = equations_.momentum_face();
    return momenta_ == nullptr ? nullptr : this;
  }
  void calc_momentum(const State<double>& state, std::span<double> p) override {
    momenta_->calc_momentum(state, p);
  }
  void calc_speeds(const State<double>& state, std::span<const double> p, std::span<double> u) override {
    momenta_->calc_speeds(on_its_side(state), p, u);
  }
  void calc_momentum_rate(const State<double>& state, std::span<double> pdot,
                          std::span<double> zdot) override {
    ++count_;
    momenta_->calc_momentum_rate(on_its_side(state), pdot, zdot);
  }

  ResidualFace* residual_face() override {
    if (residual_ == nullptr) residual_ = equations_.residual_face();
    return residual_ == nullptr ? nullptr : this;
  }
  void calc_residual(const State<double>& state, std::span<const double> udot,
                     std::span<double> residual) override {
    ++count_;
    residual_->calc_residual(on_its_side(state), udot, residual);
  }
  void update_tangent(const State<double>& state) override { residual_->update_tangent(on_its_side(state)); }
  MatrixBlock residual_by_q() const override { return residual_->residual_by_q(); }
  MatrixBlock residual_by_u() const override { return residual_->residual_by_u(); }
  MatrixBlock residual_by_udot() const override { return residual_->residual_by_udot(); }
  MatrixBlock udot_by_q() const override { return residual_->udot_by_q(); }
  MatrixBlock udot_by_u() const override { return residual_->udot_by_u(); }
  void update_residual_tangent(const State<double>& state, std::span<const double> udot) override {
    residual_->update_residual_tangent(on_its_side(state), udot);
  }
  void calc_residual_by_parameter(int parameter, std::span<double> by_parameter) override {
    residual_->calc_residual_by_parameter(parameter, by_parameter);
  }
  int parameter_number(const std::string& name) const override { return residual_->parameter_number(name); }
  void calc_quadrature_rates(const State<double>& state, std::span<double> zdot) override {
    residual_->calc_quadrature_rates(on_its_side(state), zdot);
  }
  ImplicitFace* implicit_face() override { return implicit_.find() ? &implicit_ : nullptr; }
  ImpulseFace* impulse_face() override { return equations_.impulse_face(); }

  std::string name_of_q(int i) const override { return equations_.name_of_q(i); }
  std::string name_of_u(int i) const override { return equations_.name_of_u(i); }
  std::string name_of_x(int i) const override { return equations_.name_of_x(i); }
  std::string name_of_z(int i) const override { return equations_.name_of_z(i); }
  TimeSwitches* time_switches() override { return equations_.time_switches(); }

 private:
  // Returns the state itself unless its time is at a jump.
  const State<double>& on_its_side(const State<double>& state) {
    const double t = stops_.keep_within(state.t);
    if (t == state.t) return state;
    moved_ = state;
    moved_.t = t;
    return moved_;
  }

  EquationsOfMotion& equations_;
  MomentumFace* momenta_ = nullptr;
  ResidualFace* residual_ = nullptr;
  Implicit implicit_;
  const SwitchStops& stops_;
  long& count_;
  State<double> moved_;
};

StepDriver::StepDriver() = default;
StepDriver::~StepDriver() = default;

EquationsOfMotion& StepDriver::equations() const { return *equations_; }
TimeSwitches* StepDriver::switches() const {
  return ends_steps_at_switches() ? equations_->time_switches() : nullptr;
}

void StepDriver::check(const IntegrationRule& rule, double t_start, double t_end) const {
  if (!std::isfinite(t_start) || !std::isfinite(t_end)) {
    throw InputError(fmt::format("a run from {} s to {} s is not finite", t_start, t_end));
  }
  if (t_end < t_start) throw InputError(fmt::format("a run from {} s cannot end at {} s", t_start, t_end));
  if (rule.chooses_its_steps()) {
    FaultList faults;
    add_faults(tolerances_, faults);
    faults.throw_if_any();
  }
  check_fit(rule, t_start, t_end);
}

void StepDriver::start(IntegrationRule& rule, EquationsOfMotion& equations, const State<double>& initial,
                       double t_end) {
  control_ = {};
  control_.t_start = initial.t;
  begin(rule, equations, initial, {}, t_end);
}

void StepDriver::resume(IntegrationRule& rule, EquationsOfMotion& equations, const StepCheckpoint& checkpoint,
                        double t_end) {
  control_ = checkpoint.control;
  begin(rule, equations, checkpoint.state, checkpoint.rule_memory, t_end);
}

void StepDriver::begin(IntegrationRule& rule, EquationsOfMotion& equations, const State<double>& from,
                       std::span<const double> memory, double t_end) {
  check(rule, from.t, t_end);
  rule_ = &rule;
  t_end_ = t_end;
  equations_ = std::make_unique<CountedEquations>(equations, switch_stops_, control_.statistics.evaluations);
  const bool is_exact = !controls_errors() && !rule.chooses_its_steps();
  rule.set_tolerances(is_exact ? kToRoundOff : tolerances_);
  if (memory.empty()) {
    switch_stops_.start(switches(), control_.t_start, from.t, t_end, from.d);
  } else {
    switch_stops_.resume(switches(), control_.t_start, from.t, t_end, from.d);
  }
  const long evaluations = control_.statistics.evaluations;
  rule.start(*equations_, from, memory);
  control_.statistics.evaluations = evaluations;  // steps that are repeated to resume a run count once
  begin_steps(from);
  begin_ = from;
  begin_memory_.assign(rule.previous_memory().begin(), rule.previous_memory().end());
}

void StepDriver::begin_steps(const State<double>& from) {
  between_ = from;
  if (!done()) do_start();
  control_before_step_ = control_;
  earliest_ = from.t;
  is_taken_back_ = false;
}

void StepDriver::start_again(const State<double>& from, double t_end) {
  check(*rule_, from.t, t_end);
  t_end_ = t_end;
  control_.t_start = from.t;
  switch_stops_.start(switches(), from.t, from.t, t_end, from.d);
  begin_anew(from);
  begin_steps(rule_->state());
}

const State<double>& StepDriver::advance_to(double t) {
  if (!(t >= earliest_ && t <= t_end_)) {
    throw InputError(fmt::format("the state at {} s is requested, but the run is at {} s and ends at {} s", t,
                                 state().t, t_end_));
  }
  while (state().t < t) step();
  if (t == state().t) return state();
  const StepReport report = rule_->interpolate(t, between_);
  if (!report.complete()) throw ComputationError(t, describe(report, *equations_));
  return between_;
}

const State<double>& StepDriver::step() {
  assert(!done());
  if (switch_stops_.pass(state().t)) {
    between_ = state();
    equations_->pass_jump(between_);
    begin_anew(between_);
  }
  const StepControl before = control_;
  earliest_ = state().t;  // if the step fails, its attempt has overwritten the step before
  do_step();
  control_before_step_ = before;
  earliest_ = rule_->previous().t;
  return state();
}

const State<double>& StepDriver::try_end(double t) {
  if (rule_->chooses_its_steps()) return advance_to(t);
  if (!is_taken_back_) {
    const std::span<const double> memory = rule_->previous_memory();
    begin_memory_.assign(memory.begin(), memory.end());
    begin_ = rule_->previous();
    rule_->start(*equations_, begin_, begin_memory_);
    take_back_statistics();
    is_taken_back_ = true;
  }
  if (t == state().t) return state();
  const StepReport report = rule_->try_step(t);
  if (!report.complete()) throw ComputationError(state().t, describe(report, *equations_));
  return rule_->candidate();
}

// The cost of the step stays counted.
void StepDriver::take_back_statistics() {
  const long evaluations = statistics().evaluations, rejected = statistics().rejected;
  control_.statistics = control_before_step_.statistics;
  control_.statistics.evaluations = evaluations;
  control_.statistics.rejected = rejected;
}

const State<double>& StepDriver::end_step_at(double t) {
  if (rule_->chooses_its_steps()) {
    rule_->cut_step(t);
    take_back_statistics();
    count_step();
    return state();
  }
  if (!is_taken_back_ || rule_->candidate().t != t) try_end(t);
  is_taken_back_ = false;
  accept_step();
  earliest_ = rule_->previous().t;
  return state();
}

void StepDriver::restart(const State<double>& from) {
  assert(from.t == state().t);
  switch_stops_.start(switches(), control_.t_start, from.t, t_end_, from.d);
  begin_anew(from);
  control_before_step_ = control_;
  earliest_ = from.t;
  between_ = from;
}

void StepDriver::begin_anew(const State<double>& from) {
  rule_->start(*equations_, from);
  control_.error_before = 0.0;
}

void StepDriver::accept_step() {
  rule_->accept();
  control_.statistics.rejected += rule_->rejected();
  count_step();
}

void StepDriver::count_step() { control_.statistics.count_step(rule_->state().t - rule_->previous().t); }

StepCheckpoint StepDriver::checkpoint() const {
  const std::span<const double> memory = rule_->previous_memory();
  return {rule_->previous(), {memory.begin(), memory.end()}, control_before_step_};
}

}  // namespace sestina
