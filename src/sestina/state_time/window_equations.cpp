#include "sestina/state_time/window_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/parallel/communicator.h"
#include "sestina/parallel/executor.h"
#include "sestina/state_time/element_layout.h"

namespace sestina {
namespace {

constexpr int kMostIterations = 40;
// Newton's method has converged when the largest correction, relative to the largest number of its kind, is
// below kConverged; below kStalled if round-off keeps corrections from becoming smaller.
constexpr double kConverged = 1e-12, kStalled = 1e-8;
// A tangent is reused after a correction below kSmall, if Newton's method contracts; then while corrections
// shrink by kContraction, fast enough to converge within kCostOfTangent iterations, which cost less than a
// new tangent (measured: 15 to 25 of them cost as much).
constexpr double kSmall = 1e-3, kContraction = 0.3;
constexpr int kCostOfTangent = 12;
// Limit on the chunks of loops over elements, so that their memory does not grow with the elements.
constexpr int kMostChunks = 64;

int grain_of(int elements) { return (elements + kMostChunks - 1) / kMostChunks; }

}  // namespace

WindowEquations::WindowEquations(const Model& model, const Properties<double>& properties,
                                 const std::string& pair, TestFunctions tests, StateTimeScheme scheme,
                                 TimeMatrixKind matrix, Executor* executor, ClosingChoice closing)
    : model_(model),
      properties_(properties),
      scheme_(scheme),
      kind_(matrix),
      executor_(executor),
      closing_(std::move(closing)) {
  equations_.push_back(
      std::make_unique<ElementEquations>(model, properties, make_element_pair(pair, tests), closing_));
  form_ =
      std::make_shared<ElementForm>(ElementForm{equations_.front()->pair(), equations_.front()->layout()});
}
WindowEquations::~WindowEquations() = default;

void WindowEquations::cut_into_stretches(ReductionOptions options, StateTimeRanks ranks) {
  stretches_ = options.stretches, ranks_ = ranks;
  reduction_ = std::make_unique<TimeReduction>(model_, properties_, form_->layout, options, executor_,
                                               ranks.communicator, ranks.interface_solver);
}

bool WindowEquations::is_interrupted(const std::atomic<bool>* interrupt) const {
  double interrupted = interrupt && interrupt->load(std::memory_order_relaxed) ? 1.0 : 0.0;
  if (ranks_.communicator) ranks_.communicator->take_largest({&interrupted, 1});
  return interrupted > 0.0;
}

void WindowEquations::prepare(int elements) {
  if (has_stretches(elements)) elements = reduction_->most_elements(elements);
  if (elements <= room_) return;
  room_ = elements;
  while (static_cast<int>(equations_.size()) < std::min(elements, kMostChunks)) {
    equations_.push_back(std::make_unique<ElementEquations>(model_, properties_, form_->pair, closing_));
  }
  const std::size_t size = index(elements) * index(form_->layout.size());
  tangents_.resize(index(elements)), lengths_.resize(index(elements));
  residuals_.resize(size), corrections_.resize(size);
  const auto make = [&](TangentPart part) {
    return std::make_unique<TimeMatrix>(*equations_.front(), elements, kind_, part, executor_);
  };
  matrix_ = make(TangentPart::kWhole);
  if (scheme_ == StateTimeScheme::kLinearQuadratic) linear_part_ = make(TangentPart::kLinear);
}

long WindowEquations::unknowns(int elements) const {
  int unknowns = form_->layout.size();
  // v, the multipliers of conditions on positions, and x at the end.
  if (linear_part_) unknowns -= linear_part_->unknowns_of_element() + 3 * form_->layout.bodies;
  return static_cast<long>(elements) * unknowns;
}

std::span<double> WindowEquations::of_window(std::vector<double>& numbers) const {
  return {numbers.data(), index(count_) * index(form_->layout.size())};
}
std::span<const std::vector<TangentEntry>> WindowEquations::tangents() const {
  return {tangents_.data(), index(count_)};
}

WindowEquations::Outcome WindowEquations::solve(TimeTrajectory& trajectory, int first,
                                                const std::atomic<bool>* interrupt) {
  trajectory_ = &trajectory, interrupt_ = interrupt;
  const int count = trajectory.size() - first;
  prepare(count);
  is_cut_ = has_stretches(count);
  TimeMatrix::Stretch own{0, count};
  if (is_cut_) {
    reduction_->begin_window(count);
    own = reduction_->own_elements(count);
  }
  first_ = first + own.first, count_ = own.count;
  for (int e = 0; e < count_; ++e) lengths_[index(e)] = trajectory.element(first_ + e).h;
  Outcome outcome;
  outcome.is_solved = iterate(interrupt, outcome);
  if (outcome.is_solved && ranks_.communicator) gather(first, count);
  return outcome;
}

// Gathers the elements of all ranks, or for a window that each rank solved alone, those of the first.
void WindowEquations::gather(int first, int count) {
  std::vector<int> ends;
  for (int rank = 0; rank < ranks_.communicator->size(); ++rank) {
    const TimeMatrix::Stretch owned =
        is_cut_ ? reduction_->elements_of(rank, count) : TimeMatrix::Stretch{0, count};
    ends.push_back((owned.first + owned.count) * form_->layout.size());
  }
  ranks_.communicator->gather(trajectory_->unknowns_from(first), ends);
}

// Updates residuals and, if wanted, the factored tangent. Returns the failure on all ranks, or an empty text.
std::string WindowEquations::linearise(bool with_tangent) {
  std::string failure;
  try {
    if (is_cut_) {
      failure = reduction_->update_starts(trajectory_->unknowns_from(first_),
                                          trajectory_->coordinates_from(first_ + 1),
                                          trajectory_->element(first_).t);
    }
    if (failure.empty()) {
      assemble(with_tangent);
      if (with_tangent && !wants_end()) failure = factor();
      if (wants_end()) failure = "interrupted";  // so that no rank continues with an incomplete tangent
    }
  } catch (const ComputationError& error) {
    failure = error.reason();
  }
  return ranks_.communicator ? agree_on_failure(*ranks_.communicator, std::move(failure)) : failure;
}

std::string WindowEquations::factor() {
  const int singular = matrix_->factor({lengths_.data(), index(count_)}, tangents(), interrupt_);
  if (singular >= 0) return tell_singular(singular);
  if (is_cut_ && !wants_end()) reduction_->update_maps(*matrix_);
  return {};
}

std::string WindowEquations::solve_linear() {
  if (is_cut_) return reduction_->solve(*matrix_, of_window(residuals_), of_window(corrections_));
  matrix_->solve(of_window(residuals_), of_window(corrections_));
  return {};
}

std::string WindowEquations::tell_singular(int element) const {
  return fmt::format("the equations are singular in the element from {} s",
                     trajectory_->element(first_ + element).t);
}

// True if it pays to keep a tangent that was computed before the last correction.
bool WindowEquations::pays_again(const Correction& last, const Correction& before) {
  const double ratio = last.motion / before.motion;
  return ratio <= kContraction && last.motion * std::pow(ratio, kCostOfTangent) <= kConverged;
}

// True if it pays to keep the tangent of the last correction. The next correction is expected to shrink by
// the square of the last ratio, or by the relative error of the tangent's multipliers: those of a held guess
// are entirely wrong.
bool WindowEquations::pays(const Correction& last, const Correction& before) {
  const double ratio = last.motion / before.motion;
  return last.motion <= kSmall && ratio * ratio <= kContraction && last.multipliers <= kContraction;
}

// The residual is round-off if a correction with its own tangent is no smaller than the one before. The
// second tangent may be the first one with multipliers, so that only the third correction must be
// smaller.
bool WindowEquations::is_round_off(const Correction& last, const Correction& before, int iterations) {
  return last.motion <= kStalled && last.motion > 0.5 * before.motion && iterations > 2;
}

bool WindowEquations::iterate(const std::atomic<bool>* interrupt, Outcome& outcome) {
  const auto has_failed = [&](std::string failure) {
    outcome.failure = std::move(failure);
    return !outcome.failure.empty();
  };
  if (linear_part_ && has_failed(solve_linear_part())) return false;
  Correction before;
  bool is_kept = false;
  while (outcome.iterations < kMostIterations && !is_interrupted(interrupt)) {
    if (has_failed(linearise(!is_kept)) || has_failed(solve_linear())) return false;
    if (!is_kept) ++outcome.factors;
    ++outcome.iterations;
    const Correction correction = correct();
    outcome.correction = correction.motion;
    if (!std::isfinite(correction.motion)) break;
    if (correction.motion <= kConverged || (!is_kept && is_round_off(correction, before, outcome.iterations)))
      return true;
    // The exactly solved part needs its tangent at every step.
    is_kept = !linear_part_ && (is_kept ? pays_again(correction, before) : pays(correction, before));
    before = correction;
    if (linear_part_ && has_failed(solve_linear_part())) return false;
  }
  outcome.failure = fmt::format("Newton's method does not converge (last correction {:.1e})", before.motion);
  return false;
}

// Solves for v, x and the multipliers of conditions on positions, for the current w and C. Returns the
// failure, or an empty text.
std::string WindowEquations::solve_linear_part() {
  assemble(true);
  if (wants_end()) return "interrupted";
  const int singular = linear_part_->factor({lengths_.data(), index(count_)}, tangents(), interrupt_);
  if (wants_end()) return "interrupted";
  if (singular >= 0) return tell_singular(singular);
  linear_part_->solve(of_window(residuals_), of_window(corrections_));
  const std::span<double> y = trajectory_->unknowns_from(first_);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += corrections_[i];
  return {};
}

void WindowEquations::assemble(bool with_tangent) {
  const int grain = grain_of(count_);
  const auto assemble_some = [&](int begin, int end) {
    ElementEquations& equations = *equations_[index(begin / grain)];
    for (int i = begin; i < end; ++i) {
      if (interrupt_ && interrupt_->load(std::memory_order_relaxed))
        return;  // reported before the next iteration
      std::vector<TangentEntry>& tangent = tangents_[index(i)];
      if (with_tangent) tangent.clear();
      const std::size_t size = index(form_->layout.size());
      const std::span<double> residual = std::span<double>(residuals_).subspan(index(i) * size, size);
      const int e = first_ + i;
      const TimeElement& element = trajectory_->element(e);
      const std::span<const double> start = is_cut_ ? reduction_->start_of(i) : std::span<const double>();
      equations.calc_residual(element.t, element.h, start.empty() ? trajectory_->start_of(e) : start,
                              trajectory_->unknowns_of(e), trajectory_->coordinates_of(e), residual,
                              with_tangent ? &tangent : nullptr);
    }
  };
  if (executor_) {
    executor_->parallel_for(count_, grain, assemble_some);
  } else {
    for (int begin = 0; begin < count_; begin += grain) assemble_some(begin, std::min(begin + grain, count_));
  }
}

// Adds the correction and returns its size: for the motion, the largest of velocities, angular velocities,
// direction cosines and positions, each relative to the largest of its kind.
WindowEquations::Correction WindowEquations::correct() {
  const ElementLayout& layout = form_->layout;
  constexpr int kMultipliers = 4, kKinds = 5;
  double largest_of[2 * kKinds + 1] = {0.0, 0.0, 0.0, 0.0, 0.0, 1e-300, 1e-300, 1.0, 1e-300, 1e-300, 0.0};
  double *change = largest_of, *size = largest_of + kKinds;
  double& h = largest_of[2 * kKinds];
  h = *std::max_element(lengths_.begin(), lengths_.begin() + count_);
  const auto look_at = [&](std::span<const double> y, std::span<const double> dy, int i, int kind) {
    const double step = std::abs(dy[index(i)]);
    change[kind] = step <= change[kind] ? change[kind] : step;  // keeps a NaN
    size[kind] = std::max(size[kind], std::abs(y[index(i)]));
  };
  const auto look = [&](std::span<const double> y, std::span<const double> dy, int at, int numbers) {
    for (int i = 0; i < numbers; ++i) look_at(y, dy, at + i, i < 3 ? 0 : i < 6 ? 1 : i < 15 ? 2 : 3);
  };
  for (int e = 0; e < count_; ++e) {
    const std::span<double> y = trajectory_->unknowns_of(first_ + e);
    const std::span<const double> dy =
        std::span<const double>(corrections_).subspan(index(e) * y.size(), y.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += dy[i];
    for (int b = 0; b < layout.bodies; ++b) {
      for (int g = 0; g < layout.degree; ++g) look(y, dy, layout.point(g, b), ElementLayout::kPointNumbers);
      look(y, dy, layout.end(b), ElementLayout::kEndNumbers);
    }
    for (int g = 0; g < layout.degree; ++g) {
      for (int m = 0; m < layout.multipliers; ++m) {
        look_at(y, dy, layout.point_multiplier(g) + m, kMultipliers);
      }
    }
  }
  if (ranks_.communicator) ranks_.communicator->take_largest(largest_of);
  // At rest or nearly at rest, the size of a velocity is the distance it covers in an element.
  size[0] = std::max(size[0], size[3] / h * 1e-3);
  size[1] = std::max(size[1], 1e-3 / h);
  size[3] = std::max(size[3], size[0] * h);
  Correction correction{0.0, change[kMultipliers] / size[kMultipliers]};
  for (int kind = 0; kind < kMultipliers; ++kind) {
    const double relative = change[kind] / size[kind];
    correction.motion = relative <= correction.motion ? correction.motion : relative;
  }
  return correction;
}

}  // namespace sestina
