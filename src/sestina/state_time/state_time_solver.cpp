#include "sestina/state_time/state_time_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/base/memory.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/parallel/communicator.h"
#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/memory_estimate.h"
#include "sestina/state_time/switching_forces.h"

namespace sestina {
namespace {

// kMostSpreads: limit on choices of new elements for a window. After kSmoothSpreads of them a smooth motion
// is near its tolerance; then only the elements above the tolerance are cut.
constexpr int kMostSpreads = 40, kSmoothSpreads = 3;
constexpr int kMostAttempts = 24;         // limit on reductions until Newton's method converges
constexpr int kMostInWindow = 1'000'000;  // limit on the elements for a tolerance

std::span<BodyError> of_bodies(std::vector<BodyError>& errors, int element, int bodies) {
  return std::span<BodyError>(errors).subspan(index(element) * index(bodies), index(bodies));
}

// Returns the largest error relative to these sizes; NaN if one of them is.
double largest_of(std::span<const BodyError> errors, const BodyError& size) {
  double largest = 0.0;
  for (const BodyError& of : errors) {
    for (const double part : {of.v / size.v, of.w / size.w, of.C / size.C, of.x / size.x}) {
      largest = part <= largest ? largest : part;
    }
  }
  return largest;
}

// Returns the longest lever arm or radius of gyration (m).
double length_of(const Properties<double>& properties, std::span<const JointConditions> joints) {
  double length = 0.0;
  for (const JointConditions& joint : joints) {
    const RigidInertia<double>& M = properties.bodies[BodyIndex(joint.child + 1)].M;
    const double trace = M.J.xx + M.J.yy + M.J.zz;
    const double gyration = M.mass > 0.0 ? std::sqrt(trace / (2.0 * M.mass)) : 0.0;
    length = std::max({length, norm(joint.r), norm(joint.s), gyration});
  }
  return length;
}

}  // namespace

StateTimeSolver::StateTimeSolver(std::shared_ptr<const Model> model, Properties<double> properties,
                                 StateTimeOptions options, Executor* executor, StateTimeRanks ranks)
    : model_(std::move(model)),
      properties_(std::move(properties)),
      options_(std::move(options)),
      dynamics_(model_, properties_, "recursive"),
      closing_(*model_, properties_),
      guess_(dynamics_),
      executor_(executor),
      ranks_(ranks),
      inverse_(*model_),
      udot_(index(model_->nu())) {
  model_->refuse_states("state_time");
  if (!model_->events().empty()) {
    throw InputError(fmt::format("{}: state-time equations have no events", model_->events().front().name));
  }
  assert(options_.elements >= 1 && options_.windows >= 1 && options_.windows <= options_.elements);
  assert(options_.pair != kAutomaticPair || options_.tolerance > 0.0);
  check_stretches(ranks);
  if (!closing_.empty()) {
    if (options_.scheme != StateTimeScheme::kNewton) {
      throw InputError({Fault{{{}, "scheme"},
                              "linear_quadratic takes no closed loops or constraints, which the model has: "
                              "expected newton"}});
    }
    guess_.use(&closing_);
    closing_.choose(calc_assembled_state(*model_, properties_));
  }
  use_pair(first_pair(options_.pair));
  make_marched_form();
  length_ = length_of(properties_, equations_->joints());
  const int most = (options_.elements + options_.windows - 1) / options_.windows;
  if (options_.tolerance == 0.0) {
    equations_->prepare(most);
    statistics_.unknowns = equations_->unknowns(most);
  }
  rates_at_start_.resize(index(layout().bodies));
  rates_at_end_ = rates_at_start_;
}
StateTimeSolver::~StateTimeSolver() = default;

// Reports a fault at the option responsible: `stretches` if it is given, otherwise the option that leaves
// fewer elements than processes.
void StateTimeSolver::check_stretches(StateTimeRanks ranks) {
  const auto fail = [](const char* option, std::string message) {
    throw InputError({Fault{{{}, option}, std::move(message)}});
  };
  const int processes = ranks.communicator ? ranks.communicator->size() : 1;
  const bool is_given = options_.stretches != 0;
  const int stretches = is_given ? options_.stretches : processes;
  const int fewest = options_.elements / options_.windows;
  if (is_given && (stretches < processes || stretches > fewest)) {
    fail("stretches",
         fmt::format("{} {} of time on {} {}: a window can have at least one for each, and at most its {} {}",
                     stretches, stretches == 1 ? "stretch" : "stretches", processes,
                     processes == 1 ? "process" : "processes", fewest, fewest == 1 ? "element" : "elements"));
  }
  if (options_.elements < stretches) {
    fail("elements", fmt::format("{} {} on {} processes: expected at least one for each", options_.elements,
                                 options_.elements == 1 ? "element" : "elements", processes));
  }
  if (stretches > fewest) {
    fail("windows",
         fmt::format("{} windows of {} elements on {} processes: expected at most {}, so that each "
                     "window has an element for each process",
                     options_.windows, options_.elements, processes, options_.elements / processes));
  }
  if (stretches == 1) return;
  if (options_.scheme != StateTimeScheme::kNewton) {
    fail(is_given ? "stretches" : "scheme",
         fmt::format("linear_quadratic has one stretch of time, not {}: expected newton", stretches));
  }
  if (options_.matrix == TimeMatrixKind::kSparse) {
    fail("matrix",
         fmt::format("the sparse matrix of all elements has one stretch of time, not {}", stretches));
  }
  stretches_ = stretches;
}

// Only the equations of one pair exist at a time, to save memory.
void StateTimeSolver::use_pair(std::string_view pair) {
  if (pair == pair_) return;
  equations_.reset();
  equations_ =
      std::make_unique<WindowEquations>(*model_, properties_, std::string(pair), options_.tests,
                                        options_.scheme, options_.matrix, executor_, closing_.chosen());
  if (stretches_ > 1) equations_->cut_into_stretches({stretches_, options_.order}, ranks_);
  estimate_ = std::make_unique<ErrorEstimate>(*equations_->form());
  pair_ = pair;
}

void StateTimeSolver::make_marched_form() {
  if (options_.tolerance == 0.0 || options_.guess != FirstGuess::kMarch) return;
  ElementForm form{make_element_pair(kFirstPair, options_.tests), layout()};
  form.layout.degree = form.pair.degree;
  marched_form_ = std::make_shared<ElementForm>(std::move(form));
  marched_estimate_ = std::make_unique<ErrorEstimate>(*marched_form_);
}

void StateTimeSolver::start(const State<double>& initial, double duration) {
  assert(duration > 0.0);
  initial_ = march_ = initial;
  duration_ = duration;
  next_window_ = 0;
  reach_ = INFINITY;
  const long unknowns = statistics_.unknowns;
  statistics_ = {};
  statistics_.unknowns = unknowns;
  choice_ = {};
  choose_conditions(initial_);
  use_pair(first_pair(options_.pair));
  std::vector<double> numbers(index(layout().start_size()));
  dynamics_.update(initial_);
  put_instants(dynamics_.kinematics(), properties_, numbers, 0, ElementLayout::kEndNumbers, true);
  trajectory_.begin(initial.t, numbers, initial.q);
  histories_ = initial.h;
  initial_bodies_.clear();
  for (int b = 0; b < layout().bodies; ++b) {
    initial_bodies_.push_back(read_instant(numbers, ElementLayout::kEndNumbers * b));
  }
  trajectory_.reserve(*equations_->form(), options_.elements);
}

// Returns the lengths of the elements with which the next window begins.
std::vector<double> StateTimeSolver::first_lengths() const {
  if (options_.tolerance == 0.0) {
    const double h = duration_ / options_.elements;
    const double within_reach = std::max(1.0, std::floor(reach_ / h + 1e-9));
    const double left = last_element() - trajectory_.size();
    return std::vector<double>(static_cast<std::size_t>(std::min(left, within_reach)), h);
  }
  const double window = std::min(window_end() - trajectory_.end(), reach_);
  // The length that the estimates of the last window require at its end.
  const double length = choice_.wanted.empty() ? duration_ / options_.elements : choice_.wanted.back();
  const auto count =
      static_cast<std::size_t>(std::clamp(std::ceil(window / length), 1.0, double(kMostInWindow)));
  return std::vector<double>(count, window / static_cast<double>(count));
}

bool StateTimeSolver::solve_window() {
  constexpr double kLonger = 1.25;
  assert(!is_complete());
  const int first = trajectory_.size();
  const double t = trajectory_.end();
  if (first > 0 && !closing_.empty()) {
    calc_state(t, march_);
    choose_conditions(march_);
  }
  if (choice_.degree > 0) use_pair(name_of_degree(choice_.degree));
  trajectory_.append(equations_->form(), first_lengths());
  if (marched_form_) look_ahead(first);
  Failure failure;
  attempts_ = 0;
  const long shorter_before = statistics_.shorter_windows;
  const bool is_solved = has_room(index(trajectory_.size() - first), failure) &&
                         solve_with_ease(first, failure) &&
                         (options_.tolerance == 0.0 || reach_tolerance(first, failure));
  const double end = trajectory_.end();
  const int count = trajectory_.size() - first;
  if (is_solved) {
    if (!closing_.empty()) check_closed(first), put_histories();
    watch_progress(t, end);
    statistics_.unknowns = std::max(statistics_.unknowns, equations_->unknowns(count));
    reach_ = statistics_.shorter_windows > shorter_before ? end - t : kLonger * reach_;
    const bool is_at_end = options_.tolerance == 0.0
                               ? trajectory_.size() == last_element()
                               : end >= window_end() - 1e-9 * trajectory_.elements().back().h;
    if (is_at_end) ++next_window_;
    return true;
  }
  trajectory_.cut(first);
  if (is_interrupted()) return false;
  const std::string switching = describe_switching_forces(*model_);
  throw ComputationError(
      t, fmt::format("the equations of the {} from here to {:.12g} s have not been solved: {}; {} may help{}",
                     count == 1 ? "element" : fmt::format("{} elements", count), end, failure.reason,
                     failure.advice, switching.empty() ? "" : ": " + switching));
}

// Stops a run that makes no progress. A force that holds the motion at its jump leads to windows of minimal
// length, one after the other. After a jump that the motion passes, windows grow by a factor of 1.25, so that
// fewer than kWindows of them are short.
void StateTimeSolver::watch_progress(double t, double end) {
  constexpr int kWindows = 100;
  constexpr double kLeastOfLongest = 1e-2, kLeastOfDuration = 1e-4;
  longest_window_ = std::max(longest_window_, end - t);
  if (windows_watched_++ == 0) watched_from_ = t;
  if (windows_watched_ < kWindows) return;
  windows_watched_ = 0;
  const double advance = end - watched_from_;
  if (advance >= std::max(kLeastOfLongest * longest_window_, kLeastOfDuration * duration_)) return;
  const std::string switching = describe_switching_forces(*model_);
  if (switching.empty()) return;
  throw ComputationError(
      end,
      fmt::format("elements in time come to a standstill: the last {} windows that could be solved "
                  "advanced the time by {:.2g} s; {}, and where it holds the motion at its jump there is "
                  "no solution: let it change smoothly, such as tanh(x/0.01) for sign(x), or take "
                  "coordinates: relative with events",
                  kWindows, advance, switching));
}

// Checks the memory for elements that a tolerance requires; those of the caller are checked before a run.
bool StateTimeSolver::has_room(std::size_t elements, Failure& failure) {
  if (options_.tolerance == 0.0) return true;
  StateTimeOptions options = options_;
  options.pair = pair_;
  const StateTimeMemory memory = estimate_memory(*model_, properties_, options);
  const auto count = static_cast<double>(elements);
  const double solved = memory.of_run * trajectory_.size();
  const double wanted = solved + memory.total(count, 1.0);
  double room = options_.most_memory;
  if (room == 0.0) {
    const std::optional<double> available = available_memory();
    if (!available) return true;
    // The previous mesh and the estimates need memory too: measured, 1.4 times the amount counted here.
    constexpr double kShare = 0.5;
    room = kShare * *available + solved + memory.of_window * equations_->room();
  }
  double has_too_many = wanted > room ? 1.0 : 0.0;
  if (ranks_.communicator) ranks_.communicator->take_largest({&has_too_many, 1});
  if (has_too_many == 0.0) return true;
  failure = {fmt::format("the tolerance {:.1e} requires {} elements, which take {} of memory, and {} are "
                         "available",
                         options_.tolerance, elements, bytes_in_words(wanted), bytes_in_words(room)),
             "more windows, a larger tolerance, or forces that do not jump,"};
  return false;
}

bool StateTimeSolver::solve_with_ease(int first, Failure& failure) {
  bool is_solved = solve_elements(first, failure);
  while (!is_solved && !is_interrupted() && ++attempts_ <= kMostAttempts) {
    if (!ease(first, failure)) return false;
    is_solved = solve_elements(first, failure);
  }
  return is_solved;
}

// Reduces the problem after Newton's method has failed: first halves the elements, if a tolerance chooses
// them, then the window, which may be too long for its guess; the rest becomes the next window.
bool StateTimeSolver::ease(int first, Failure& failure) {
  constexpr int kHalvings = 2;
  const int count = trajectory_.size() - first;
  const bool is_shorter = count > 1 && (options_.tolerance == 0.0 || attempts_ > kHalvings);
  if (!is_shorter && (options_.tolerance == 0.0 || !has_room(2 * index(count), failure))) return false;
  const TimeTrajectory old = trajectory_.cut(first);
  std::vector<double> lengths;
  for (const TimeElement& element : old.elements().first(index(is_shorter ? count / 2 : count))) {
    if (is_shorter) {
      lengths.push_back(element.h);
    } else {
      lengths.insert(lengths.end(), 2, element.h / 2.0);
    }
  }
  trajectory_.append(equations_->form(), lengths);
  ++(is_shorter ? statistics_.shorter_windows : statistics_.spreads);
  return true;
}

// Number of elements up to the next window's end, where the caller has chosen the elements.
int StateTimeSolver::last_element() const {
  return static_cast<int>(static_cast<long>(options_.elements) * (next_window_ + 1) / options_.windows);
}

double StateTimeSolver::window_end() const {
  return initial_.t + duration_ * (next_window_ + 1) / options_.windows;
}

bool StateTimeSolver::solve_elements(int first, Failure& failure) {
  const auto clear = [&] {
    const std::span<double> y = trajectory_.unknowns_from(first);
    std::fill(y.begin(), y.end(), 0.0);
  };
  const double start = trajectory_.element(first).t;
  std::string of_march, reason_of_march;
  if (options_.guess == FirstGuess::kMarch) {
    try {
      calc_state(start, march_);
      guess_.march(march_, trajectory_, first, interrupt_);
      if (iterate(first, failure)) return true;
      of_march = reason_of_march = failure.reason;
    } catch (const ComputationError& error) {
      of_march = error.what(), reason_of_march = error.reason();
    }
    if (is_interrupted()) return false;
    clear();
  }
  calc_state(start, march_);
  guess_.hold(march_, trajectory_, first);
  ++statistics_.held_windows;
  if (!iterate(first, failure)) {
    // The failure of the march is the more likely cause.
    if (reason_of_march == failure.reason) failure.reason = of_march;
    if (!of_march.empty() && of_march != failure.reason) {
      failure.reason = fmt::format("{} (and from a state held: {})", of_march, failure.reason);
    }
    return false;
  }
  continue_coordinates(first);
  return true;
}

bool StateTimeSolver::iterate(int first, Failure& failure) {
  const WindowEquations::Outcome outcome = equations_->solve(trajectory_, first, interrupt_);
  statistics_.iterations += outcome.iterations;
  statistics_.factors += outcome.factors;
  statistics_.most_iterations = std::max(statistics_.most_iterations, outcome.iterations);
  if (outcome.is_solved) statistics_.correction = std::max(statistics_.correction, outcome.correction);
  failure = {outcome.failure,
             options_.tolerance == 0.0 ? "more elements, or forces without jumps," : "forces without jumps"};
  if (!closing_.empty()) failure.advice += " or a motion that keeps away from singular positions";
  return outcome.is_solved;
}

// Computes the coordinates at the ends of elements, each from those of the element before.
void StateTimeSolver::continue_coordinates(int first) {
  for (int e = first; e < trajectory_.size(); ++e) {
    if (wants_end()) return;
    const std::span<const double> q = trajectory_.coordinates_at_start(e);
    const std::span<double> next = trajectory_.coordinates_at_start(e + 1);
    std::copy(q.begin(), q.end(), next.begin());
    calc_state(trajectory_.element(e).end(), march_);
    std::copy(march_.q.begin(), march_.q.end(), next.begin());
  }
}

bool StateTimeSolver::reach_tolerance(int first, Failure& failure) {
  for (int spread = 0;; ++spread) {
    const double error = update_errors(first, *estimate_);
    // The degree stays the same after the first spread, so that the spreads converge.
    const int degree = layout().degree;
    const DegreeRange range = spread == 0 ? degrees() : DegreeRange{degree, degree};
    choice_ = choose_elements(element_errors_, options_.tolerance, degree, range);
    statistics_.error = std::max(statistics_.error, error <= options_.tolerance ? error : 0.0);
    if (error <= options_.tolerance) return true;
    std::vector<double> lengths;
    const TimeTrajectory old = trajectory_.cut(first);
    for (const TimeElement& element : old.elements()) lengths.push_back(element.h);
    lengths = spread < kSmoothSpreads ? spread_elements(lengths, choice_.wanted)
                                      : cut_elements(lengths, choice_.wanted, shortest_length(old.end()));
    if (spread == kMostSpreads || !std::isfinite(error) || lengths.size() > kMostInWindow) {
      failure = {
          fmt::format("the errors of elements, estimated as {:.1e}, do not come below the tolerance {:.1e}",
                      error, options_.tolerance),
          "a larger tolerance, or forces that do not jump,"};
      trajectory_.append(equations_->form(), lengths);
      return false;
    }
    if (name_of_degree(choice_.degree) != pair_) ++statistics_.changes;
    use_pair(name_of_degree(choice_.degree));
    const bool has_memory = has_room(lengths.size(), failure);
    trajectory_.append(equations_->form(), lengths);
    if (!has_memory) return false;
    ++statistics_.spreads;
    guess_.take_mesh(old, trajectory_, first);
    if (!iterate(first, failure) && (is_interrupted() || !solve_with_ease(first, failure))) return false;
    continue_coordinates(first);
  }
}

// Returns the shortest length (s) at t for which the ends of an element are different instants.
double StateTimeSolver::shortest_length(double t) const {
  constexpr double kRoundOff = 64.0 * std::numeric_limits<double>::epsilon();
  return kRoundOff * std::max(std::abs(t), duration_);
}

// Computes accelerations from the equations of motion at an end of an element.
void StateTimeSolver::update_rates(double t, std::vector<BodyRates>& rates) {
  calc_state(t, march_);
  dynamics_.calc_udot(march_, udot_);
  const Kinematics<double>& kinematics = dynamics_.kinematics();
  update_inverse_dynamics<double>(*model_, properties_, kinematics, dynamics_.forces(), udot_, inverse_);
  for (std::size_t b = 0; b < rates.size(); ++b) {
    const BodyMotion<double>& motion = kinematics.motion[b + 1];
    const SpatialMotion<double>& A = inverse_.acceleration[b + 1];
    const Vec3<double> c = motion.X_WB.R * properties_.bodies[BodyIndex(static_cast<int>(b) + 1)].M.c;
    rates[b] = {A.v + cross(A.w, c) + cross(motion.V_WB.w, cross(motion.V_WB.w, c)),
                transpose_times(motion.X_WB.R, A.w)};
  }
}

void StateTimeSolver::estimate_errors(int element, std::span<BodyError> errors) {
  const TimeElement& at = trajectory_.element(element);
  update_rates(at.t, rates_at_start_);
  update_rates(at.end(), rates_at_end_);
  ErrorEstimate(*at.form).calc(at.h, trajectory_.start_of(element), trajectory_.unknowns_of(element),
                               rates_at_start_, rates_at_end_, errors);
}

DegreeRange StateTimeSolver::degrees() const {
  if (options_.pair == kAutomaticPair) return {kLeastDegree, kMostDegree};
  return {layout().degree, layout().degree};
}

// Chooses pair and lengths of the window's elements from a march on elements just short enough for their
// polynomials to resolve the motion, so that the errors of other elements can be predicted. Changes nothing
// if the march fails.
void StateTimeSolver::look_ahead(int first) {
  constexpr int kMostRounds = 5;
  constexpr double kResolved = 1e-4, kMuch = 0.01;
  const double tolerance = std::max(kResolved, options_.tolerance);
  std::vector<double> lengths;
  const TimeTrajectory old = trajectory_.cut(first);
  for (const TimeElement& element : old.elements()) lengths.push_back(element.h);
  const std::vector<double> begun_with = lengths;
  for (int round = 0; round < kMostRounds && lengths.size() <= kMostInWindow && !is_interrupted(); ++round) {
    trajectory_.append(marched_form_, lengths);
    double error = NAN;
    try {
      calc_state(trajectory_.element(first).t, march_);
      guess_.march(march_, trajectory_, first, interrupt_);
      error = update_errors(first, *marched_estimate_);
    } catch (const ComputationError&) {
      // The failure is reported when the elements are solved.
    }
    trajectory_.cut(first);
    if (!std::isfinite(error)) break;
    if (error <= tolerance && (error >= kMuch * tolerance || lengths.size() == 1)) {
      choice_ = choose_elements(element_errors_, options_.tolerance, marched_form_->pair.degree, degrees());
      use_pair(name_of_degree(choice_.degree));
      trajectory_.append(equations_->form(), spread_elements(lengths, choice_.wanted));
      return;
    }
    const int degree = marched_form_->pair.degree;
    const ElementChoice next = choose_elements(element_errors_, tolerance, degree, {degree, degree});
    lengths = spread_elements(lengths, next.wanted);
  }
  trajectory_.append(equations_->form(), begun_with);
}

void StateTimeSolver::estimate_lower_errors(int element, std::span<BodyError> errors) const {
  const TimeElement& at = trajectory_.element(element);
  ErrorEstimate(*at.form).calc_lower(at.h, trajectory_.start_of(element), trajectory_.unknowns_of(element),
                                     errors);
}

// Returns reference sizes of the window's motion for relative errors. If it is nearly at rest, the size of a
// velocity is the distance covered in the window, and that of a position the size of bodies.
BodyError StateTimeSolver::find_sizes(int first) const {
  constexpr double kSlow = 1e-3;
  BodyError size{0.0, 0.0, 1.0, kSlow * length_};
  const auto look = [&](std::span<const double> numbers, int at, bool has_place) {
    size.v = std::max(size.v, norm(read_vector(numbers, at)));
    size.w = std::max(size.w, norm(read_vector(numbers, at + 3)));
    if (has_place) size.x = std::max(size.x, norm(read_vector(numbers, at + 15)));
  };
  for (int e = first; e < trajectory_.size(); ++e) {
    const ElementLayout& layout = trajectory_.element(e).form->layout;
    const std::span<const double> start = trajectory_.start_of(e), y = trajectory_.unknowns_of(e);
    for (int b = 0; b < layout.bodies; ++b) {
      look(start, ElementLayout::kEndNumbers * b, true), look(y, layout.end(b), true);
      for (int g = 0; g < layout.degree; ++g) look(y, layout.point(g, b), false);
    }
  }
  const double window = trajectory_.end() - trajectory_.element(first).t;
  size.v = std::max(size.v, kSlow * std::max(size.x, length_) / window);
  size.w = std::max(size.w, kSlow / window);
  return size;
}

// Updates the estimates of all elements, relative to the tolerance's sizes; returns the largest.
double StateTimeSolver::update_errors(int first, const ErrorEstimate& estimate) {
  const ElementLayout layout = trajectory_.element(first).form->layout;
  const int count = trajectory_.size() - first, bodies = layout.bodies;
  errors_.resize(index(count) * index(bodies)), lower_errors_.resize(errors_.size());
  update_rates(trajectory_.element(first).t, rates_at_end_);
  for (int e = 0; e < count; ++e) {
    if (wants_end()) return NAN;
    const TimeElement& at = trajectory_.element(first + e);
    const std::span<const double> start = trajectory_.start_of(first + e),
                                  y = trajectory_.unknowns_of(first + e);
    std::swap(rates_at_start_, rates_at_end_);
    update_rates(at.end(), rates_at_end_);
    estimate.calc(at.h, start, y, rates_at_start_, rates_at_end_, of_bodies(errors_, e, bodies));
    estimate.calc_lower(at.h, start, y, of_bodies(lower_errors_, e, bodies));
  }
  const BodyError size = find_sizes(first);
  const double shortest = shortest_length(trajectory_.end());
  element_errors_.resize(index(count));
  double largest = 0.0;
  for (int e = 0; e < count; ++e) {
    double error = largest_of(of_bodies(errors_, e, bodies), size);
    if (trajectory_.element(first + e).h <= shortest && std::isfinite(error)) error = 0.0;
    element_errors_[index(e)] = {trajectory_.element(first + e).h, error,
                                 largest_of(of_bodies(lower_errors_, e, bodies), size)};
    largest = error <= largest ? largest : error;  // keeps a NaN
  }
  return largest;
}

void StateTimeSolver::calc_state(double t, State<double>& state) {
  if (t == initial_.t) {
    state = initial_;
    return;
  }
  const TimeTrajectory::Place place = trajectory_.find(t);
  std::vector<BodyInstant> bodies(index(layout().bodies));
  trajectory_.calc_bodies(t, bodies);
  const std::span<const double> guess =
      trajectory_.coordinates_at_start(place.element + (place.s > 0.5 ? 1 : 0));
  state.t = t;
  state.q.assign(guess.begin(), guess.end());
  state.u.resize(index(model_->nu()));
  set_history(place.element + (place.s > 0.5 ? 1 : 0), state);
  equations_->loads().find_state(bodies, state);
  normalize_q<double>(*model_, state.q);
}

void StateTimeSolver::calc_multiplier_reactions(double t, std::span<SpatialForce<double>> reactions) const {
  std::vector<BodyInstant> bodies(index(layout().bodies));
  calc_bodies(t, bodies);
  std::vector<double> f(index(count_multipliers(equations_->carrying_joints())));
  trajectory_.calc_multipliers(t, f);
  for (const JointConditions& joint : equations_->carrying_joints()) {
    reactions[index(joint.child + 1)] = joint.calc_reaction(bodies, f);
  }
}

}  // namespace sestina
