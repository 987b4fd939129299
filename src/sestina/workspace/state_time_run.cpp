#include "sestina/workspace/state_time_run.h"

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/parallel/communicator.h"
#include "sestina/state_time/element_layout.h"
#include "sestina/workspace/constraint_jumps.h"
#include "sestina/workspace/run_origin.h"
#include "sestina/workspace/state_time_options.h"

namespace sestina {
namespace {

constexpr double kReportPeriod = 0.1;  // s of wall time

}  // namespace

StateTimeRun::StateTimeRun(Workspace& workspace)
    : workspace_(workspace),
      settings_(workspace.settings()),
      analysis_(workspace.analysis()),
      dynamics_(workspace.shared_model(), workspace.properties(), analysis_.solver),
      solver_(make_solver(workspace)),
      limits_(workspace.limits()),
      rows_(0.0, analysis_.duration, analysis_.output_every),
      row_(workspace.model(), workspace.properties().parameters, settings_.reactions),
      log_(settings_.recorders),
      header_(make_header(workspace, row_.columns())),
      start_(Clock::now()),
      quadratures_(dynamics_),
      before_(index(quadratures_.size()), 0.0) {
  FaultList faults;
  const Place place{workspace.described().analysis.coordinates.mark, "analysis.coordinates"};
  if (settings_.checkpoint) {
    faults.add(place, "a state_time run writes no checkpoints: leave them out, or take relative");
  }
  if (settings_.real_time) {
    faults.add(place,
               "a state_time run cannot keep pace with the wall clock: leave that out, or take relative");
  }
  faults.throw_if_any();
  solver_.set_interrupt(settings_.interrupt);
  integrals_.resize(kMostDegree);
}

StateTimeSolver StateTimeRun::make_solver(Workspace& workspace) {
  try {
    return {workspace.shared_model(), workspace.properties(), state_time_options(workspace.analysis()),
            workspace.executor(), workspace.settings().ranks};
  } catch (const InputError& error) {
    throw at_keys_of_elements(error, workspace.described());
  }
}

RunReport StateTimeRun::start() {
  check_constraint_jumps(workspace_, workspace_.calc_initial_state(), false);
  log_.begin(header_);
  trace_.start();
  try {
    state_ = workspace_.calc_initial_state();
    record(0.0);
    advance();
  } catch (const ComputationError& error) {
    report_.status = RunStatus::kFailed;
    report_.failure = error.what();
  }
  if (const std::string failure = log_.end(); !failure.empty()) {
    if (report_.status != RunStatus::kFailed) report_.failure = failure;
    report_.status = RunStatus::kFailed;
  }
  report_.rows = log_.rows();
  report_.energy_drift = energy_.drift;
  report_.kinetic_energy = energy_.kinetic;
  report_.t = state_.t;
  report_.final_state = state_;
  report_.steps.evaluations = solver_.statistics().iterations;
  if (settings_.trace) report_.trace = trace_.times();
  report_.wall_seconds = wall_seconds();
  return report_;
}

// Solves window by window and records the rows of each.
void StateTimeRun::advance() {
  if (analysis_.duration == 0.0) return;
  solver_.start(state_, analysis_.duration);
  between_ = state_;
  long next_row = 1;
  bool is_complete = false;
  while (!solver_.is_complete()) {
    check_limits();
    if (!solve_window()) {
      report_.status = RunStatus::kInterrupted;
      return;
    }
    add_rates();
    while (!is_complete) {
      const RowSchedule::Stop stop = rows_.stop(next_row);
      if (stop.t > solver_.solved_to() + kSameRow * solver_.elements().back().h) break;
      solver_.calc_state(stop.t, state_);
      record(stop.t);
      ++next_row;
      is_complete = stop.is_last;
    }
    show_progress();
  }
}

// Checks limits between windows: the elements count as steps. All processes decide alike.
void StateTimeRun::check_limits() {
  double wall_time = wall_seconds();
  if (Communicator* ranks = settings_.ranks.communicator) ranks->take_largest({&wall_time, 1});
  if (!limits_.meets(report_.steps.steps, wall_time)) return;
  throw ComputationError(solver_.solved_to(), limits_.explain(report_.steps.steps, wall_time));
}

bool StateTimeRun::solve_window() {
  const Trace::Scope scope(trace(), Phase::kSolve);
  return solver_.solve_window();  // checks for interrupts, on all ranks at once
}

void StateTimeRun::record(double t) {
  const Trace::Scope scope(trace(), Phase::kRecord);
  calc_quadratures(t, state_.z);
  const std::span<const double> row = row_.calc(state_, dynamics_);
  energy_.add(row_);
  log_.see_row(row, RowKind::kRegular);
}

// The power of constraints needs their multipliers.
void StateTimeRun::update_rates_between() {
  if (dynamics_.model().is_constrained()) {
    udot_.resize(between_.u.size());
    dynamics_.calc_udot(between_, udot_);
  } else {
    dynamics_.update(between_);
  }
}

void StateTimeRun::add_rates() {
  const std::span<const TimeElement> elements = solver_.elements();
  const std::size_t size = index(quadratures_.size());
  std::vector<double> rates(size);
  for (; elements_with_rates_ < elements.size(); ++elements_with_rates_) {
    const TimeElement& element = elements[elements_with_rates_];
    const ElementPair& pair = element.form->pair;
    StepStatistics& steps = report_.steps;
    steps.smallest_step = elements_with_rates_ == 0 ? element.h : std::min(steps.smallest_step, element.h);
    steps.largest_step = std::max(steps.largest_step, element.h);
    std::vector<double> sum(size);
    for (std::size_t g = 0; g < pair.points.size(); ++g) {
      if (!quadratures_.vanish()) {
        solver_.calc_state(element.t + pair.points[g] * element.h, between_);
        update_rates_between();
        quadratures_.calc(between_, rates);
      }
      rates_.insert(rates_.end(), rates.begin(), rates.end());
      for (std::size_t i = 0; i < size; ++i) sum[i] += element.h * pair.weights[g] * rates[i];
    }
    rates_at_.push_back(rates_.size());
    const std::size_t last = before_.size() - size;
    for (std::size_t i = 0; i < size; ++i) before_.push_back(before_[last + i] + sum[i]);
  }
  report_.steps.steps = static_cast<long>(elements_with_rates_);
}

void StateTimeRun::calc_quadratures(double t, std::vector<double>& z) {
  const std::size_t size = index(quadratures_.size());
  z.assign(size, 0.0);
  if (elements_with_rates_ == 0) return;
  const TimeTrajectory::Place place = solver_.find(t);
  const TimeElement& element = solver_.elements()[index(place.element)];
  const std::size_t degree = index(element.form->pair.degree);
  element.form->pair.calc_integrals_of_point_values(place.s, integrals_.data());
  for (std::size_t i = 0; i < size; ++i) {
    z[i] = before_[index(place.element) * size + i];
    for (std::size_t g = 0; g < degree; ++g) {
      z[i] += element.h * integrals_[g] * rates_[rates_at_[index(place.element)] + g * size + i];
    }
  }
}

void StateTimeRun::show_progress() {
  const double now = wall_seconds();
  if (!settings_.on_progress || now < next_progress_) return;
  next_progress_ = now + kReportPeriod;
  settings_.on_progress({solver_.solved_to(), analysis_.duration, now, report_.steps.steps});
}

}  // namespace sestina
