#include "sestina/expression/time_switch_finder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <tuple>

#include "sestina/expression/evaluate.h"

namespace sestina {
namespace {

// Limits on the halvings of an interval; the second applies after kLongSearch intervals.
constexpr int kHalvings = 30, kHalvingsOfLongSearch = 10;
constexpr int kLongSearch = 1000;
constexpr std::size_t kDeepest = 2100;  // from the largest number to the smallest
// A search extends beyond the requested time by this factor, so that not every step needs one.
constexpr double kAhead = 8.0;
// If an argument touches its threshold, rounding decides on which side it is: two switches of one condition
// are at least this fraction of the time apart.
constexpr double kBlur = 1e-9;
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

TimeSwitchFinder::TimeSwitchFinder(std::shared_ptr<const TimeConditions> conditions,
                                   std::span<const double> parameters)
    : conditions_(std::move(conditions)),
      parameters_(parameters.size()),
      known_(conditions_->conditions.size()),
      values_(conditions_->graph.size()),
      ranges_(conditions_->graph.size()) {
  pending_.reserve(kDeepest);
  set_constants(0, parameters);
  std::vector<char> is_variable(values_.size(), 0);  // by id
  for (const Expr symbol : std::span(conditions_->constants).subspan(parameters_)) is_variable[symbol.id] = 1;
  for (const TimeCondition& condition : conditions_->conditions) {
    const auto is = [&](Expr part) { return is_variable[part.id] != 0; };
    has_variables_.push_back(std::ranges::any_of(condition.parts, is) ? 1 : 0);
  }
}

// Whether one of them has another value than before.
bool TimeSwitchFinder::set_constants(std::size_t first, std::span<const double> values) {
  bool is_changed = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Expr symbol = conditions_->constants[first + i];
    is_changed |= values_[symbol.id] != values[i];
    values_[symbol.id] = values[i];
    ranges_[symbol.id] = {{values[i], values[i]}, {}};
  }
  return is_changed;
}

void TimeSwitchFinder::start(double t, double t_end, std::span<const double> d) {
  assert(parameters_ + d.size() == conditions_->constants.size());
  const bool is_changed = set_constants(parameters_, d);
  t_end_ = t_end;
  const double from = t - 2.0 * shortest_time(t, t_end - t);
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Known& known = known_[i];
    const bool is_same = !is_changed || has_variables_[i] == 0;
    if (is_same && known.clear <= from && known.next.value_or(known.searched) > t) continue;
    known_[i] = {from, from, {}};
  }
}

TimeSwitch TimeSwitchFinder::find_next(double after, double horizon) {
  TimeSwitch first;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    Known& known = known_[i];
    if (known.next && *known.next <= after) {
      const double blur = kBlur * std::max(std::abs(*known.next), std::abs(t_end_));
      const double beyond = std::max(after, *known.next + blur);
      known = {beyond, beyond, {}};
    }
    const bool is_time = conditions_->conditions[i].argument == conditions_->time;
    if (!known.next && (is_time || known.searched < horizon)) {
      const double from = is_time ? after : std::max(known.searched, after);
      search(i, from, std::min(t_end_, horizon + kAhead * (horizon - from)));
    }
    if (known.next && *known.next <= horizon) first.t = std::min(first.t, *known.next);
  }
  // Another switch at the same instant counts too.
  const double last = first.t + shortest_time(first.t, 0.0);
  first.is_knot = first.t <= horizon;
  for (std::size_t i = 0; i < known_.size() && first.t <= horizon; ++i) {
    if (!known_[i].next || *known_[i].next > last) continue;
    const TimeCondition& condition = conditions_->conditions[i];
    first.is_jump |= condition.is_jump;
    first.is_knot &= condition.thresholds.size() > 1;  // tables alone have several
  }
  return first;
}

void TimeSwitchFinder::search(std::size_t i, double from, double to) {
  const TimeCondition& condition = conditions_->conditions[i];
  Known& known = known_[i];
  if (from > known.searched) known.clear = from;
  if (condition.argument == conditions_->time) {
    const std::vector<double>& instants = condition.thresholds;
    const auto found = std::upper_bound(instants.begin(), instants.end(), from);
    known.next = found == instants.end() ? kNever : *found;
    return;
  }
  const double width = std::exp2(std::ceil(std::log2(to - from)));
  double a = std::floor(from / width) * width;
  std::optional<double> next;
  for (; a < to && !next; a += width) next = find_first(condition, from, a, a + width);
  known.searched = a;
  known.next = next;
}

std::optional<double> TimeSwitchFinder::find_first(const TimeCondition& condition, double from, double a,
                                                   double b) {
  const double width = b - a;
  pending_.clear();
  pending_.emplace_back(a, b);
  for (int looked_at = 0; !pending_.empty(); ++looked_at) {
    std::tie(a, b) = pending_.back();
    pending_.pop_back();
    if (b <= from) continue;
    const auto [value, rate] = calc_range_of(condition, a, b);
    if (side_of(condition, value.lo) == side_of(condition, value.hi)) continue;
    const int halvings = looked_at < kLongSearch ? kHalvings : kHalvingsOfLongSearch;
    if (!rate.contains(0.0) || b - a <= std::ldexp(width, -halvings)) {
      // The ends decide, unless another switch comes before `from`.
      const auto side_at = [&](double t) { return side_of(condition, calc_value(condition, t)); };
      const Side side = side_at(std::max(a, from));
      if (side_at(b) == side) continue;
      if (a >= from || side_at(a) == side) return find_change(condition, a, b);
    }
    const double middle = a + 0.5 * (b - a);
    if (!(middle > a && middle < b)) continue;
    pending_.emplace_back(middle, b);
    pending_.emplace_back(a, middle);
  }
  return std::nullopt;
}

// Returns the first instant that is known not to be on the side of a any more; b is not on it.
double TimeSwitchFinder::find_change(const TimeCondition& condition, double a, double b) {
  const Side side = side_of(condition, calc_value(condition, a));
  for (;;) {
    const double middle = a + 0.5 * (b - a);
    if (!(middle > a && middle < b)) return b;
    (side_of(condition, calc_value(condition, middle)) == side ? a : b) = middle;
  }
}

TimeSwitchFinder::Side TimeSwitchFinder::side_of(const TimeCondition& condition, double value) const {
  if (std::isnan(value)) return -1;
  const auto [at, beyond] = std::equal_range(condition.thresholds.begin(), condition.thresholds.end(), value);
  return 2 * (at - condition.thresholds.begin()) + (beyond - at);
}

double TimeSwitchFinder::calc_value(const TimeCondition& condition, double t) {
  const Graph& graph = conditions_->graph;
  values_[conditions_->time.id] = t;
  for (const Expr part : condition.parts) {
    if (graph.op(part) == Op::kSymbol) continue;
    values_[part.id] = calc_node(graph, part, [this](Expr e) { return values_[e.id]; });
  }
  return values_[condition.argument.id];
}

TimeRange TimeSwitchFinder::calc_range_of(const TimeCondition& condition, double from, double to) {
  const Graph& graph = conditions_->graph;
  ranges_[conditions_->time.id] = {{from, to}, {1.0, 1.0}};
  for (const Expr part : condition.parts) {
    if (graph.op(part) != Op::kSymbol) ranges_[part.id] = calc_range(graph, part, ranges_);
  }
  return ranges_[condition.argument.id];
}

}  // namespace sestina
