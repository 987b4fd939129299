#include "sestina/ensemble/lane_integrator.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace sestina {
namespace {

std::unique_ptr<BatchKernel> make_kernel(InstructionSet set, const Model& model,
                                         const Properties<double>& properties) {
  const std::vector<const Properties<double>*> sets(static_cast<std::size_t>(lanes_of(set)), &properties);
  return make_batch_kernel(set, model, sets);
}

}  // namespace

LaneIntegrator::LaneIntegrator(std::shared_ptr<const Model> model, const Properties<double>& properties,
                               ButcherTableau tableau, InstructionSet instruction_set)
    : model_(std::move(model)),
      tableau_(std::move(tableau)),
      error_weights_(tableau_.b_embedded),
      kernel_(make_kernel(instruction_set, *model_, properties)),
      lanes_(kernel_->lanes()),
      nq_(model_->nq()),
      size_(model_->nq() + model_->nu() + 2),
      has_rotations_(model_->nq() != model_->nu()),
      runs_(static_cast<std::size_t>(lanes_)),
      d_(model_->nd(), lanes_),
      k_(tableau_.stages() * size_, lanes_) {
  for (std::size_t i = 0; i < error_weights_.size(); ++i) {
    error_weights_[i] = tableau_.b[i] - tableau_.b_embedded[i];
  }
  for (LaneArray* array : {&t_, &t_next_, &h_, &t_stage_, &ones_, &rtol_, &atol_, &ratio_}) {
    *array = LaneArray(1, lanes_);
  }
  for (LaneArray* array : {&x_, &before_, &candidate_, &stage_x_, &error_, &bump_, &between_}) {
    *array = LaneArray(size_, lanes_);
  }
}

void LaneIntegrator::start(int lane, const LaneStart& start) {
  assert(start.t_end > start.initial.t);
  kernel_->set_properties(lane, start.properties);
  int i = lane;
  for (const std::vector<double>* part : {&start.initial.q, &start.initial.u, &start.initial.z}) {
    for (const double number : *part) {
      x_[i] = before_[i] = candidate_[i] = between_[i] = number;
      i += lanes_;
    }
  }
  for (int k = 0; k < model_->nd(); ++k) {
    d_[k * lanes_ + lane] = start.initial.d[static_cast<std::size_t>(k)];
  }
  Run& run = runs_[static_cast<std::size_t>(lane)];
  run.length = start.length;
  run.control = start.control;
  run.t = run.t_before = start.initial.t;
  run.t_end = start.t_end;
  run.is_retry = false;
  run.stops.start(start.switches, run.control.t_start, run.t, run.t_end, start.initial.d);
  t_[lane] = start.initial.t;
  rtol_[lane] = start.tolerances.rtol;
  atol_[lane] = start.tolerances.atol;
  under_way_ |= 1U << lane;
  starting_ |= 1U << lane;
  accepted_ &= ~(1U << lane);
}

void LaneIntegrator::set_idle(int lane) {
  under_way_ &= ~(1U << lane);
  starting_ &= ~(1U << lane);
}

LaneStates LaneIntegrator::states_at(const double* t, const double* x) const {
  return {t, x, x + static_cast<std::ptrdiff_t>(nq_) * lanes_, d_.data()};
}

// Idle lanes take steps of length zero.
void LaneIntegrator::choose_ends() {
  for (int l = 0; l < lanes_; ++l) {
    t_next_[l] = t_[l];
    h_[l] = 0.0;
    if (is_idle(l)) continue;
    Run& run = runs_[static_cast<std::size_t>(l)];
    if (const auto* fixed = std::get_if<FixedStepLength>(&run.length)) {
      t_next_[l] = fixed->calc_step_end(run.control.t_start, run.t, run.t_end);
    } else {
      if (!run.is_retry) {
        if (run.stops.pass(run.t)) {
          starting_ |= 1U << l;
          run.control.error_before = 0.0;
        }
        run.attempt = std::get<VariableStepLength>(run.length).begin_step(run.t, run.control, run.stops);
      }
      t_next_[l] = run.attempt.t_next;
    }
    h_[l] = t_next_[l] - run.t;
  }
}

void LaneIntegrator::update_first_stage() {
  unsigned lanes = starting_;
  if (tableau_.first_same_as_last) {
    const unsigned going_on = accepted_ & ~starting_;
    if (going_on != 0) kernel_->copy_lanes(going_on, size_, stage(tableau_.stages() - 1), stage(0));
  } else {
    lanes |= accepted_;
  }
  if (lanes == 0) return;
  set_stage_times(0.0, t_.data());
  bad_ |= kernel_->calc_rates(states_at(t_stage_.data(), x_.data()), stage_x_.data()) & lanes;
  kernel_->copy_lanes(lanes, size_, stage_x_.data(), stage(0));
  count_evaluations(lanes, 1);
}

void LaneIntegrator::calc_end(const double* t, const double* x, double* end) {
  const int count = tableau_.stages() - (tableau_.first_same_as_last ? 1 : 0);
  for (int i = 1; i < count; ++i) {
    const auto row = static_cast<std::size_t>(i);
    kernel_->add_weighted(size_, x, h_.data(), tableau_.a[row], k_.data(), stage_x_.data());
    set_stage_times(tableau_.c[row], t);
    bad_ |= kernel_->calc_rates(states_at(t_stage_.data(), stage_x_.data()), stage(i));
  }
  kernel_->add_weighted(size_, x, h_.data(), std::span(tableau_.b).first(static_cast<std::size_t>(count)),
                        k_.data(), end);
  if (has_rotations_) kernel_->normalize_q(end);
}

// Keeps the times on the step's side of a jump.
void LaneIntegrator::set_stage_times(double c, const double* t) {
  for (int l = 0; l < lanes_; ++l) {
    const double at = c == 1.0 ? t_next_[l] : t[l] + c * h_[l];
    t_stage_[l] = runs_[static_cast<std::size_t>(l)].stops.keep_within(at);
  }
}

unsigned LaneIntegrator::step() {
  failed_ = bad_ = 0;
  has_bump_ = false;
  choose_ends();
  update_first_stage();
  starting_ = accepted_ = 0;
  calc_end(t_.data(), x_.data(), candidate_.data());
  const int last = tableau_.stages() - 1;
  if (tableau_.first_same_as_last) {
    set_stage_times(1.0, t_.data());
    bad_ |= kernel_->calc_rates(states_at(t_stage_.data(), candidate_.data()), stage(last));
  }
  count_evaluations(under_way_, last);
  calc_errors();
  accepted_ = judge();
  kernel_->copy_lanes(accepted_, size_, x_.data(), before_.data());
  kernel_->copy_lanes(accepted_, size_, candidate_.data(), x_.data());
  return accepted_;
}

void LaneIntegrator::calc_errors() {
  bad_ |= kernel_->find_not_finite(size_, candidate_.data());
  if (error_weights_.empty()) return;
  kernel_->add_weighted(size_, nullptr, h_.data(), error_weights_, k_.data(), error_.data());
  kernel_->calc_largest_ratio(size_ - 2, error_.data(), x_.data(), candidate_.data(), rtol_.data(),
                              atol_.data(), ratio_.data());
}

unsigned LaneIntegrator::judge() {
  unsigned accepted = 0;
  for (int l = 0; l < lanes_; ++l) {
    if (is_idle(l) || !accepts(l)) continue;
    accepted |= 1U << l;
    Run& run = runs_[static_cast<std::size_t>(l)];
    run.control.statistics.count_step(t_next_[l] - run.t);
    run.t_before = run.t;
    run.t = t_[l] = t_next_[l];
    run.is_retry = false;
    if (is_done(l)) set_idle(l);
  }
  return accepted;
}

bool LaneIntegrator::accepts(int lane) {
  Run& run = runs_[static_cast<std::size_t>(lane)];
  const bool is_bad = is_set(bad_, lane);
  const auto* variable = std::get_if<VariableStepLength>(&run.length);
  if (variable != nullptr) {
    const double ratio = ratio_[lane];
    const double error = is_bad || std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    if (error <= 1.0) {
      variable->accept(run.attempt, error, run.control);
      return true;
    }
    run.is_retry = true;
    if (variable->shorten(run.attempt, error, run.control)) return false;
  } else if (!is_bad) {
    return true;
  }
  failed_ |= 1U << lane;
  set_idle(lane);
  return false;
}

void LaneIntegrator::count_evaluations(unsigned lanes, int evaluations) {
  for (int l = 0; l < lanes_; ++l) {
    if (is_set(lanes, l)) runs_[static_cast<std::size_t>(l)].control.statistics.evaluations += evaluations;
  }
}

const double* LaneIntegrator::interpolate(unsigned lanes, const double* t) {
  assert((lanes & ~accepted_) == 0);
  unsigned at_end = 0;
  for (int l = 0; l < lanes_; ++l) {
    if (is_set(lanes, l) && t[l] == this->t(l)) at_end |= 1U << l;
  }
  const unsigned within = lanes & ~at_end;
  if (within != 0 && tableau_.dense.empty()) {
    interpolate_by_step(within, t);
  } else if (within != 0) {
    interpolate_dense(within, t);
    if (has_rotations_) kernel_->normalize_q(between_.data());
  }
  kernel_->copy_lanes(at_end, size_, x_.data(), between_.data());
  return between_.data();
}

// Interpolates as ExplicitRungeKutta::calc_dense does.
void LaneIntegrator::interpolate_dense(unsigned lanes, const double* t) {
  if (!has_bump_) {
    for (int l = 0; l < lanes_; ++l) ones_[l] = 1.0;
    kernel_->add_weighted(size_, nullptr, ones_.data(), tableau_.dense, k_.data(), bump_.data());
    has_bump_ = true;
  }
  const double* const first = stage(0);
  const double* const last = stage(tableau_.stages() - 1);
  for (int l = 0; l < lanes_; ++l) {
    if (!is_set(lanes, l)) continue;
    const Run& run = runs_[static_cast<std::size_t>(l)];
    const double h = run.t - run.t_before;
    const double theta = (t[l] - run.t_before) / h;
    const double rest = 1.0 - theta;
    for (int i = l; i < size_ * lanes_; i += lanes_) {
      const double difference = x_[i] - before_[i];
      const double at_begin = h * first[i] - difference;
      const double at_end = difference - h * last[i] - at_begin;
      between_[i] =
          before_[i] + theta * (difference + rest * (at_begin + theta * (at_end + rest * h * bump_[i])));
    }
  }
}

void LaneIntegrator::interpolate_by_step(unsigned lanes, const double* t) {
  // The first stage still belongs to the previous state.
  bad_ = 0;
  for (int l = 0; l < lanes_; ++l) {
    const double before = runs_[static_cast<std::size_t>(l)].t_before;
    ones_[l] = is_set(lanes, l) ? before : t_[l];
    t_next_[l] = is_set(lanes, l) ? t[l] : t_[l];
    h_[l] = t_next_[l] - ones_[l];
  }
  calc_end(ones_.data(), before_.data(), candidate_.data());
  kernel_->copy_lanes(lanes, size_, candidate_.data(), between_.data());
  bad_ |= kernel_->find_not_finite(size_, between_.data());
  count_evaluations(lanes, tableau_.stages() - 1);
  failed_ |= bad_ & lanes;
  for (int l = 0; l < lanes_; ++l) {
    if (is_set(bad_ & lanes, l)) set_idle(l);
  }
}

}  // namespace sestina
