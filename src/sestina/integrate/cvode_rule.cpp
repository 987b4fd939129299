#include "sestina/integrate/cvode_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sestina/base/error.h"

namespace sestina {
namespace {

// The number of pieces for which memory is reserved at the start.
constexpr std::size_t kPieces = 64;
// More pieces than this within one step are an error: a force that chatters would need any number of them.
constexpr std::size_t kMostPieces = 100000;

}  // namespace

CvodeRule::~CvodeRule() = default;

const std::string& CvodeRule::name() const {
  static const std::string kBdf = "cvode_bdf", kAdams = "cvode_adams";
  return method_ == CvodeMethod::kBdf ? kBdf : kAdams;
}

int CvodeRule::order() const {
  return method_ == CvodeMethod::kBdf ? CvodeSolver::kMaxOrderOfBdf : CvodeSolver::kMaxOrderOfAdams;
}

void CvodeRule::do_start(std::span<const double> memory) {
  const State<double>& s = state();
  refuse_history();
  const auto n = static_cast<std::size_t>(sizes_of(s).integrated());
  const bool is_of_same_sizes = solver_ && sizes_of(at_) == sizes_of(s);
  at_ = s;
  y_.resize(n);
  current_.assign(stops() + kStepsFromAStart, 0.0);
  pieces_.clear();
  pieces_.reserve(kPieces);
  derivatives_.clear();
  derivatives_.reserve(kPieces * (static_cast<std::size_t>(order()) + 1) * n);
  if (!is_of_same_sizes) solver_ = std::make_unique<CvodeSolver>(method_, equations());
  if (memory.empty() || !continue_from(memory)) {
    flatten(s);
    start_at(s.t, y_, s.h);
  }
  previous_memory_ = memory_ = current_;
  is_pending_ = false;
  rejected_ = 0;
}

bool CvodeRule::do_can_remember(std::span<const double> memory) const {
  if (!is_count(memory[kSteps], kStepsFromAStart) || memory[kTime] > state().t) return false;
  const auto steps = static_cast<std::size_t>(memory[kSteps]);
  const auto stop_times = memory.subspan(stops(), steps);
  return std::ranges::all_of(stop_times, [&](double t) { return t > memory[kTime]; });
}

// Returns whether the stored steps lead to state().
bool CvodeRule::continue_from(std::span<const double> memory) {
  assert(memory.size() == current_.size());
  std::ranges::copy(memory.subspan(kState, y_.size()), y_.begin());
  start_at(memory[kTime], y_, memory.subspan(kState + y_.size(), at_.h.size()));
  const auto steps = static_cast<std::size_t>(memory[kSteps]);
  for (std::size_t k = 0; k < steps; ++k) take_step(memory[stops() + k]);
  copy_normalized(solver_->values(), at_);
  return steps == 0 || (solver_->time() == state().t && at_.q == state().q && at_.u == state().u &&
                        at_.x == state().x && at_.z == state().z);
}

StepReport CvodeRule::do_step(double t_end, State<double>& candidate) {
  begin_attempt();
  while (true) {
    take_step(t_end);
    if (solver_->time() == t_end) break;
    if (pieces_.size() == kMostPieces) fail_with_many_pieces(t_end);
    keep_piece();
  }
  copy_normalized(solver_->values(), candidate);
  return {};
}

void CvodeRule::fail_with_many_pieces(double t_end) const {
  throw ComputationError(
      solver_->time(),
      fmt::format(
          "{} needs more than {} steps of its own from {} s to {} s: does a force jump back and forth there?",
          name(), kMostPieces, state().t, t_end));
}

StepReport CvodeRule::do_own_step(double t_limit, State<double>& candidate) {
  begin_attempt();
  take_step(t_limit);
  candidate.t = solver_->time();
  copy_normalized(solver_->values(), candidate);
  return {};
}

void CvodeRule::do_accept() {
  std::swap(previous_memory_, memory_);
  std::ranges::copy(current_, memory_.begin());
  is_pending_ = false;
}

// The solver keeps its state, which describes the step that was cut, until the next attempt.
void CvodeRule::do_cut_step() {
  flatten(state());
  write_start(state().t, y_, state().h, memory_);
  is_pending_ = true;
}

void CvodeRule::begin_attempt() {
  pieces_.clear();
  derivatives_.clear();
  rejected_ = 0;
  if (is_pending_) {
    flatten(state());
    start_at(state().t, y_, state().h);
  }
  is_pending_ = true;
}

void CvodeRule::take_step(double t_stop) {
  const auto steps = static_cast<std::size_t>(current_[kSteps]);
  const double t = solver_->time();
  const bool turns_back = steps > 0 && (t_stop > t) != (current_[stops()] > current_[kTime]);
  if (steps == kStepsFromAStart || turns_back) {
    copy_normalized(solver_->values(), at_);
    flatten(at_);
    std::ranges::copy(solver_->history(), at_.h.begin());
    start_at(t, y_, at_.h);
  }
  current_[stops() + static_cast<std::size_t>(current_[kSteps])] = t_stop;
  current_[kSteps] += 1.0;
  solver_->step(t_stop);
  const long rejected = solver_->rejected();
  rejected_ += rejected - rejected_before_;
  rejected_before_ = rejected;
}

void CvodeRule::write_start(double t, std::span<const double> y, std::span<const double> h,
                            std::vector<double>& memory) const {
  memory[kSteps] = 0.0;
  memory[kTime] = t;
  const auto end = std::ranges::copy(h, std::ranges::copy(y, memory.begin() + kState).out).out;
  std::ranges::fill(end, memory.end(), 0.0);
}

void CvodeRule::start_at(double t, std::span<const double> y, std::span<const double> h) {
  write_start(t, y, h, current_);
  solver_->start(equations(), tolerances_, t, y, state().d, h);
  rejected_before_ = 0;
}

StepReport CvodeRule::do_interpolate(double t, State<double>& out) {
  const bool is_forward = state().t > previous().t;
  const auto is_within = [&](const Piece& piece) { return is_forward ? t <= piece.end : t >= piece.end; };
  if (const auto piece = std::ranges::find_if(pieces_, is_within); piece != pieces_.end()) {
    evaluate_piece(*piece, t, y_);
  } else {
    solver_->interpolate(t, y_);
  }
  copy_normalized(y_, out);
  if (equations().is_constrained()) equations().project(out);
  return {};
}

void CvodeRule::keep_piece() {
  const std::size_t n = y_.size(), offset = derivatives_.size();
  derivatives_.resize(offset + (static_cast<std::size_t>(order()) + 1) * n);
  const int last_order = solver_->calc_derivatives(std::span(derivatives_).subspan(offset));
  derivatives_.resize(offset + (static_cast<std::size_t>(last_order) + 1) * n);
  pieces_.push_back({solver_->time(), last_order, offset});
}

// Evaluates Taylor's polynomial about the end of the piece by Horner's rule.
void CvodeRule::evaluate_piece(const Piece& piece, double t, std::span<double> y) const {
  const std::size_t n = y.size();
  const double s = t - piece.end;
  const auto column = [&](int k) {
    return derivatives_.data() + piece.offset + static_cast<std::size_t>(k) * n;
  };
  std::copy_n(column(piece.order), n, y.begin());
  for (int k = piece.order - 1; k >= 0; --k) {
    const double factor = s / (k + 1);
    const double* derivative = column(k);
    for (std::size_t i = 0; i < n; ++i) y[i] = derivative[i] + factor * y[i];
  }
}

void CvodeRule::copy_normalized(std::span<const double> y, State<double>& to) const {
  auto from = y.begin();
  for (std::vector<double>* values : {&to.q, &to.u, &to.x, &to.z}) {
    std::copy_n(from, values->size(), values->begin());
    from += static_cast<long>(values->size());
  }
  equations().normalize(to.q);
}

void CvodeRule::flatten(const State<double>& from) {
  auto to = y_.begin();
  for (const std::vector<double>* values : {&from.q, &from.u, &from.x, &from.z}) {
    to = std::ranges::copy(*values, to).out;
  }
}

}  // namespace sestina
