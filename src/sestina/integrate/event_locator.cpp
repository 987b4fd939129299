#include "sestina/integrate/event_locator.h"

#include <cassert>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {
namespace {

constexpr std::size_t kPartsOfDenseStep = 4, kPartsOfStep = 2;
constexpr int kMostProbes = 4;  // evaluations per dip
// A dip is searched if the parabola comes nearer to zero than this part of the difference of the samples.
constexpr double kNearZero = 0.25;
// Tolerance on the interpolant, relative to the step.
constexpr double kRough = 1e-9;
// Crossings farther apart than this on the interpolant, relative to the step, are not simultaneous.
constexpr double kSimultaneous = 1e-3;

// The vertex of the parabola through three points; y is positive if the vertex points towards zero.
struct Vertex {
  double x = std::numeric_limits<double>::quiet_NaN();
  double y = std::numeric_limits<double>::infinity();
};

Vertex find_minimum(double x0, double y0, double x1, double y1, double x2, double y2) {
  const double slope01 = (y1 - y0) / (x1 - x0);
  const double curvature = ((y2 - y1) / (x2 - x1) - slope01) / (x2 - x0);
  if (!(curvature > 0.0)) return {};
  const double x = 0.5 * (x0 + x1 - slope01 / curvature);
  return {x, y0 + slope01 * (x - x0) + curvature * (x - x0) * (x - x1)};
}

}  // namespace

EventLocator::EventLocator(EventFunctions& functions, std::vector<EventWatch> watches)
    : functions_(functions), watches_(std::move(watches)) {
  const auto n = static_cast<std::size_t>(functions_.size());
  assert(watches_.size() == n);
  sides_.assign(n, 0);
  sides_before_step_.assign(n, 0);
  is_leaving_.assign(n, 0);
  due_towards_.assign(n, 0);
  values_.assign(n, 0.0);
  exact_values_.assign(n, 0.0);
  before_.assign(n, 0.0);
  rates_.assign(n, 0.0);
  times_.assign(kPartsOfDenseStep + 1, 0.0);
  samples_.assign(times_.size() * n, 0.0);
  due_.reserve(n);
  crossings_.reserve(n);
}

// ---- sides ----------------------------------------------------------------------------------------

std::span<const int> EventLocator::start(const StepDriver& driver) {
  due_.clear();
  calc_finite(driver.state());
  functions_.calc_rates(driver.state(), rates_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    due_towards_[i] = 0;
    sides_[i] = values_[i] != 0.0 ? sign_of(values_[i]) : leave_zero(static_cast<int>(i), rates_[i]);
  }
  before_ = values_;
  sides_before_step_ = sides_;
  return due_;
}

void EventLocator::resume(std::span<const int> sides) {
  sides_.assign(sides.begin(), sides.end());
  sides_before_step_ = sides_;
}

std::span<const int> EventLocator::restart(const StepDriver& driver) {
  calc_finite(driver.state());
  functions_.calc_rates(driver.state(), rates_);
  due_.clear();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const int towards = due_towards_[i];
    due_towards_[i] = 0;
    if (watches_[i].is_discrete) {
      jump(static_cast<int>(i));
      continue;
    }
    const bool stays = values_[i] == before_[i];
    if (towards != 0 && (stays || values_[i] == 0.0)) {
      sides_[i] = sign_of(rates_[i]) == -towards ? -towards : towards;
    } else if (values_[i] != 0.0) {
      if (!stays) sides_[i] = sign_of(values_[i]);
    } else if (!stays) {
      sides_[i] = leave_zero(static_cast<int>(i), rates_[i]);
    }
  }
  before_ = values_;
  sides_before_step_ = sides_;
  return due_;
}

// A function that is zero at the start gets its side; returns whether it crosses.
int EventLocator::leave_zero(int event, double rate) {
  const int towards = sign_of(rate);
  const auto i = static_cast<std::size_t>(event);
  if (towards != 0 && is_wanted(watches_[i].direction, towards)) {
    due_.push_back(event);
    due_towards_[i] = towards;
  }
  return towards;
}

// For a function of discrete variables only; zero counts as beyond the side from which it was reached.
void EventLocator::jump(int event) {
  const auto i = static_cast<std::size_t>(event);
  if (values_[i] == before_[i]) return;
  const int side = sides_[i];
  sides_[i] = values_[i] != 0.0 ? sign_of(values_[i]) : -side;
  if (side != 0 && sides_[i] != side && is_wanted(watches_[i].direction, sides_[i])) due_.push_back(event);
}

void EventLocator::calc_finite(const State<double>& state) {
  functions_.calc(state, values_);
  const int bad = first_not_finite(values_);
  if (bad >= 0) throw ComputationError(state.t, functions_.explain(state, bad));
}

// ---- samples of a step --------------------------------------------------------------------------------

double EventLocator::value(StepDriver& driver, int event, double t) {
  return finite_value(driver.advance_to(t), event);
}

int EventLocator::rate_sign(StepDriver& driver, int event, double t) {
  functions_.calc_rates(driver.advance_to(t), rates_);
  return sign_of(rates_[static_cast<std::size_t>(event)]);
}

double EventLocator::exact_value(StepDriver& driver, int event, double t) {
  return finite_value(driver.try_end(t), event);
}

double EventLocator::finite_value(const State<double>& state, int event) {
  const double value = functions_.calc_one(state, event);
  if (!std::isfinite(value)) throw ComputationError(state.t, functions_.explain(state, event));
  return value;
}

double EventLocator::sample(std::size_t k, int event) const {
  return samples_[k * values_.size() + static_cast<std::size_t>(event)];
}

// Uses the ends of the step as it was taken: during try_end the driver is at the beginning of the step.
double EventLocator::shortest_tolerance() const {
  const double largest = std::max(std::abs(times_.front()), std::abs(times_.back()));
  return 16.0 * std::numeric_limits<double>::epsilon() * largest;
}

double EventLocator::tolerance(int event) const {
  return std::max(watches_[static_cast<std::size_t>(event)].tolerance, shortest_tolerance());
}

void EventLocator::take_samples(StepDriver& driver) {
  const std::size_t parts = driver.has_dense_output() ? kPartsOfDenseStep : kPartsOfStep;
  const double begin = driver.step_begin(), end = driver.state().t;
  times_.resize(parts + 1);
  for (std::size_t k = 0; k <= parts; ++k) {
    const double theta = static_cast<double>(k) / static_cast<double>(parts);
    times_[k] = k == parts ? end : begin + theta * (end - begin);
    functions_.calc(driver.advance_to(times_[k]),
                    std::span(samples_).subspan(k * values_.size(), values_.size()));
  }
}

// Ends the step at t, where a function of `state` is not finite.
void EventLocator::end_run_at(StepDriver& driver, double t, const State<double>& state) {
  functions_.calc(state, values_);
  const ComputationError error(t, functions_.explain(state, std::max(0, first_not_finite(values_))));
  driver.end_step_at(t);
  throw error;
}

// Shortens the step until all its samples are finite.
void EventLocator::keep_within_domains(StepDriver& driver) {
  for (;;) {
    take_samples(driver);
    const int bad = first_not_finite(std::span(samples_).first(times_.size() * values_.size()));
    if (bad < 0) return;
    const double begin = times_.front(), shortest = shortest_tolerance();
    double beyond = 0.0;
    double end = find_end_of_domain(driver, static_cast<std::size_t>(bad) / values_.size(), beyond);
    if (end - begin <= shortest) end_run_at(driver, beyond, driver.advance_to(beyond));
    // The interpolant is not the rule's own solution, which may leave the domain earlier.
    for (double width = shortest;; end -= width, width *= 8.0) {
      const State<double>& state = driver.try_end(end);
      functions_.calc(state, values_);
      if (first_not_finite(values_) < 0) break;
      if (end - width - begin <= shortest) end_run_at(driver, end, state);
    }
    driver.end_step_at(end);
  }
}

// Finds, before sample k, the first with a function that is not finite, a time at which all are finite, and
// `beyond`, a time outside the domain that is as close to it as the resolution of time permits.
double EventLocator::find_end_of_domain(StepDriver& driver, std::size_t k, double& beyond) {
  const double shortest = shortest_tolerance();
  assert(k > 0);  // the step began where all are finite
  double within = times_[k - 1];
  beyond = times_[k];
  while (beyond - within > shortest) {
    const double middle = within + 0.5 * (beyond - within);
    functions_.calc(driver.advance_to(middle), values_);
    (first_not_finite(values_) < 0 ? within : beyond) = middle;
  }
  return within;
}

std::span<const int> EventLocator::look(StepDriver& driver) {
  due_.clear();
  sides_before_step_ = sides_;
  exact_time_ = std::numeric_limits<double>::quiet_NaN();
  keep_within_domains(driver);
  crossings_.clear();
  for (int i = 0; i < functions_.size(); ++i) {
    Crossing crossing;
    is_leaving_[static_cast<std::size_t>(i)] = 0;
    if (watches_[static_cast<std::size_t>(i)].is_discrete) continue;
    if (find_crossing(driver, i, crossing)) crossings_.push_back(crossing);
  }
  if (!crossings_.empty()) {
    locate_what_can_be_first(driver);
    drop_what_only_the_interpolant_crosses(driver);
    const double t = crossings_.empty() ? times_.back() : locate_first(driver);
    calc_finite(driver.end_step_at(t));
  } else {
    calc_finite(driver.state());
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (due_towards_[i] != 0) {
      sides_[i] = due_towards_[i];
    } else if (values_[i] != 0.0 && !watches_[i].is_discrete && is_leaving_[i] == 0) {
      sides_[i] = sign_of(values_[i]);
    }
  }
  before_ = values_;
  return due_;
}

// Finds the first crossing in the wanted direction.
bool EventLocator::find_crossing(StepDriver& driver, int event, Crossing& found) {
  const CrossingDirection direction = watches_[static_cast<std::size_t>(event)].direction;
  int side = sides_[static_cast<std::size_t>(event)];
  for (std::size_t k = 1; k < times_.size(); ++k) {
    const double g = sample(k, event);
    found = Crossing();
    found.event = event, found.towards = -side;
    found.a = times_[k - 1], found.b = times_[k];
    found.has_side = sides_[static_cast<std::size_t>(event)] != 0;
    if (side == 0) {
      side = sign_of(g);
    } else if (sign_of(g) == side) {
      double dip = 0.0;
      if (!find_dip(driver, event, side, k, dip)) continue;
      if (is_wanted(direction, -side)) {
        found.b = dip;
        return find_return(driver, found, side);
      }
      if (is_wanted(direction, side) && value(driver, event, dip) != 0.0) {
        found.a = dip, found.towards = side;
        return find_return(driver, found, -side);
      }
    } else {
      if (is_wanted(direction, -side)) {
        if (find_return(driver, found, side)) return true;
        continue;
      }
      if (g != 0.0) side = -side;
    }
  }
  return false;
}

// Whether the function, of the same sign at samples k - 1 and k, reaches or crosses zero in between.
bool EventLocator::find_dip(StepDriver& driver, int event, int side, std::size_t k, double& at) {
  double a = times_[k - 1], ya = side * sample(k - 1, event);
  double b = times_[k], yb = side * sample(k, event);
  if (!(ya > 0.0)) return false;  // it has just left zero
  for (const std::size_t third : {k + 1, k - 2}) {
    if (third >= times_.size()) continue;  // there is none, k - 2 = -1 included
    Vertex vertex = find_minimum(a, ya, b, yb, times_[third], side * sample(third, event));
    for (int probe = 0; probe < kMostProbes; ++probe) {
      if (!(vertex.x > a && vertex.x < b) || vertex.y > kNearZero * std::min(ya, yb)) break;
      const double y = side * value(driver, event, vertex.x);
      if (y <= 0.0) {
        at = vertex.x;
        return true;
      }
      if (y >= std::min(ya, yb)) break;
      const Vertex next = find_minimum(a, ya, vertex.x, y, b, yb);
      (next.x < vertex.x ? b : a) = vertex.x;
      (next.x < vertex.x ? yb : ya) = y;
      vertex = next;
    }
  }
  return false;
}

// The interval of the crossing begins at zero, from which the function left to its side: finds a later
// beginning, at which it is on that side.
bool EventLocator::find_return(StepDriver& driver, Crossing& crossing, int side) {
  crossing.towards = -side;
  const double shortest = tolerance(crossing.event);
  if (sign_of(value(driver, crossing.event, crossing.a)) != side) {
    const double zero = crossing.a, end = crossing.b;
    for (double t = crossing.b;;) {
      t = zero + 0.5 * (t - zero);
      if (t - zero <= shortest) {
        return find_turn(driver, crossing, zero, end);
      }
      if (sign_of(value(driver, crossing.event, t)) == side) {
        crossing.a = t;
        break;
      }
      crossing.b = t;
    }
  }
  return true;
}

// A function may return to zero without ever being seen on the side to which it was sent, because its change
// is less than the rounding of its values. It has returned when its rate has changed sign.
bool EventLocator::find_turn(StepDriver& driver, Crossing& crossing, double zero, double end) {
  const double shortest = tolerance(crossing.event);
  double b = std::min(zero + shortest, end);
  if (!has_turned(driver, crossing, b)) {
    if (!has_turned(driver, crossing, end)) {
      is_leaving_[static_cast<std::size_t>(crossing.event)] = 1;
      return false;
    }
    b = find_turned(driver, crossing, b, end);
  }
  crossing.a = zero;
  crossing.b = crossing.at = b;
  crossing.slope = 0.0;
  return true;
}

bool EventLocator::has_turned(StepDriver& driver, const Crossing& crossing, double t) {
  return rate_sign(driver, crossing.event, t) != -crossing.towards;
}

// Finds where the rate changes sign between a, where it has not, and b, where it has.
double EventLocator::find_turned(StepDriver& driver, const Crossing& crossing, double a, double b) {
  const double shortest = tolerance(crossing.event);
  while (b - a > shortest) {
    const double middle = a + 0.5 * (b - a);
    (has_turned(driver, crossing, middle) ? b : a) = middle;
  }
  return b;
}

void EventLocator::locate_on_interpolant(StepDriver& driver, Crossing& crossing) {
  const auto g = [&](double t) { return value(driver, crossing.event, t); };
  Bracket bracket{crossing.a, crossing.b, g(crossing.a), g(crossing.b)};
  const double h = times_.back() - times_.front();
  narrow(bracket, std::max(kRough * h, tolerance(crossing.event)), g);
  crossing.at = bracket.b;
  crossing.slope = (bracket.gb - bracket.ga) / (bracket.b - bracket.a);
}

// On the interpolant, a crossing is known only to the interpolant's tolerance.
double EventLocator::simultaneous(const Crossing& crossing) const {
  return std::max(kSimultaneous * (times_.back() - times_.front()), tolerance(crossing.event));
}

// Whether the function at t is still on the side from which it crosses.
bool EventLocator::is_later_on_interpolant(StepDriver& driver, const Crossing& crossing, double t) {
  if (t <= crossing.a || t >= crossing.b) return t <= crossing.a;
  return sign_of(value(driver, crossing.event, t)) == -crossing.towards;
}

// Finds the earliest crossing on the interpolant. One value of each function shows whether it can be earlier
// than the earliest so far; the search begins with the one that linear interpolation of the samples predicts.
double EventLocator::locate_earliest_on_interpolant(StepDriver& driver) {
  Crossing* guess = nullptr;
  double earliest = std::numeric_limits<double>::infinity(), guessed = earliest;
  for (Crossing& x : crossings_) {
    if (!x.has_side && !x.is_located()) locate_on_interpolant(driver, x);  // the crossing may be dropped
    if (!x.has_side) continue;
    const double ga = value(driver, x.event, x.a), gb = value(driver, x.event, x.b);
    const double at = std::min(x.at, x.a + (x.b - x.a) * (ga == gb ? 0.5 : ga / (ga - gb)));
    if (guess == nullptr || at < guessed) guess = &x, guessed = at;
  }
  for (std::size_t i = 0; i <= crossings_.size() && guess != nullptr; ++i) {
    Crossing& x = i == 0 ? *guess : crossings_[i - 1];
    if (!x.has_side) continue;
    if (!x.is_located() && !is_later_on_interpolant(driver, x, earliest)) locate_on_interpolant(driver, x);
    earliest = std::min(earliest, x.at);
  }
  return earliest;
}

// Locates the crossings that can be the first one or simultaneous with it.
void EventLocator::locate_what_can_be_first(StepDriver& driver) {
  const double earliest = locate_earliest_on_interpolant(driver);
  for (Crossing& x : crossings_) {
    if (x.is_located()) continue;
    // Twice, because the exact time may be later than that on the interpolant.
    const double until = earliest + 2.0 * simultaneous(x);
    if (!is_later_on_interpolant(driver, x, until)) locate_on_interpolant(driver, x);
  }
}

// ---- the exact time -----------------------------------------------------------------------------------

// The end of a step that is within the tolerance after the crossing.
double EventLocator::locate(StepDriver& driver, const Crossing& crossing) {
  if (crossing.slope == 0.0) return crossing.at;  // a crossing and its return coincide
  const double tol = tolerance(crossing.event);
  const auto g = [&](double t) { return exact_value(driver, crossing.event, t); };
  const auto is_before = [&](double x) { return sign_of(x) == -crossing.towards; };
  double t = crossing.at, gt = g(t);
  // A Newton step with the slope of the interpolant estimates the error; twice that step brackets the
  // crossing.
  double width = std::max(tol, 2.0 * std::abs(gt / crossing.slope));
  Bracket bracket{t, t, gt, gt};
  if (is_before(gt)) {
    while (is_before(bracket.gb)) {
      if (bracket.b >= crossing.b) return crossing.at;  // only the interpolant touches zero
      bracket.a = bracket.b, bracket.ga = bracket.gb;
      bracket.b = std::min(t + width, crossing.b), bracket.gb = g(bracket.b);
      width *= 8.0;
    }
  } else {
    while (!is_before(bracket.ga)) {
      if (bracket.a <= crossing.a) return crossing.at;
      bracket.b = bracket.a, bracket.gb = bracket.ga;
      bracket.a = std::max(t - width, crossing.a), bracket.ga = g(bracket.a);
      width *= 8.0;
    }
  }
  narrow(bracket, tol, g);
  return find_right_rate(driver, crossing, bracket.b);
}

// An interpolated function may cross at a state from which its rate leads back, for instance a flight between
// two impacts that is lower than the tolerance. The event then takes place where the rate has changed sign,
// if it does so within the step.
double EventLocator::find_right_rate(StepDriver& driver, const Crossing& crossing, double t) {
  const double end = times_.back();
  if (!driver.is_solution_interpolated() || has_turned(driver, crossing, t)) return t;
  return has_turned(driver, crossing, end) ? find_turned(driver, crossing, t, end) : t;
}

// All values at t are kept for the crossings that are tested next.
bool EventLocator::is_crossed(StepDriver& driver, const Crossing& crossing, double t) {
  if (t <= crossing.a) return false;
  if (t != exact_time_) functions_.calc(driver.try_end(t), exact_values_);
  exact_time_ = t;
  const double value = exact_values_[static_cast<std::size_t>(crossing.event)];
  if (!std::isfinite(value)) throw ComputationError(t, functions_.explain(driver.try_end(t), crossing.event));
  return sign_of(value) != -crossing.towards;
}

// If a function stays at zero, the interpolant of the step in which it leaves oscillates about zero.
void EventLocator::drop_what_only_the_interpolant_crosses(StepDriver& driver) {
  std::erase_if(crossings_, [&](const Crossing& x) {
    return !x.has_side && sign_of(exact_value(driver, x.event, x.a)) != -x.towards;
  });
}

// The first crossing determines the end of the step; crossings before that end take place with it.
double EventLocator::locate_first(StepDriver& driver) {
  const double end = times_.back();
  const auto is_near = [&](const Crossing& x, double t) { return x.at - t <= simultaneous(x); };
  const auto earlier = [](const Crossing& x, const Crossing& y) { return x.at < y.at; };
  const Crossing* first = &*std::min_element(crossings_.begin(), crossings_.end(), earlier);
  double t = locate(driver, *first);
  for (const Crossing& other : crossings_) {
    if (&other == first || !is_near(other, first->at) || !is_crossed(driver, other, t)) continue;
    const double t_other = locate(driver, other);
    if (t_other < t) t = t_other, first = &other;
  }
  // The event's own tolerance, which may be long, is not used here: events would take place before their
  // crossings and again at them.
  const double together = std::min(t + shortest_tolerance(), end);
  for (const Crossing& crossing : crossings_) {
    // A crossing that was not located is later, unless the exact time is far after that on the interpolant.
    const bool may_be_due =
        crossing.is_located() ? is_near(crossing, t) : t > first->at + simultaneous(*first);
    if (&crossing != first && !(may_be_due && is_crossed(driver, crossing, together))) continue;
    due_.push_back(crossing.event);
    due_towards_[static_cast<std::size_t>(crossing.event)] = crossing.towards;
  }
  return t;
}

}  // namespace sestina
