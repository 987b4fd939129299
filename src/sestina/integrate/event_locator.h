// Finds the times at which functions of the state cross zero, and makes steps end there.
//
// A step is examined after the driver has accepted it: the functions are sampled at its ends and in between
// (at quarters if dense output is free, otherwise at the middle). A crossing is detected
//   - by a change of sign between two samples, or
//   - by a parabola through three samples whose vertex between two of them points at zero: the function is
//     then evaluated there, and so on. So two crossings within a quarter (half) of a step are found if a
//     parabola approximates the function in it.
// The crossing is located on the interpolant first. Then the step is taken back and repeated with its end as
// the unknown, until the end is within the tolerance after the crossing: the rule's own solution at the end
// decides, not the interpolant of lower order.
//
// If a function is not finite later in the step, the step is first cut to end where all of them are finite: a
// crossing before the end of the domain is found there. A step that begins at the end of a domain fails.
//
// Each function has a side: the sign that it has, or will have as soon as it leaves zero. An event takes
// place when a function reaches zero from a side, or passes it. Hence
//   - a function that has just crossed is on the other side, and rounding errors do not make it cross again;
//   - a function that is zero and is sent back by the event's changes is on its former side. If it returns to
//     zero before its values show that it has left, the event takes place again when its rate has changed
//     sign, or as soon as the resolution of time permits;
//   - a function that is zero at the start crosses at once if its rate points in the direction of the event;
//     if the rate is zero, its side is where the rule's own solution leaves to, and no event takes place;
//   - the changes made by an event make a function jump from side to side, but not cross. A function of
//     discrete variables alone changes in no other way: it crosses by jumping across zero or onto it.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "sestina/integrate/step_driver.h"
#include "sestina/numerics/zero_crossing.h"

namespace sestina {

// The functions whose zeros are events. calc and calc_rates may throw ComputationError.
class EventFunctions {
 public:
  virtual ~EventFunctions() = default;
  virtual int size() const = 0;
  // A value may be not finite: the function is then undefined at that state, and its domain has ended before.
  virtual void calc(const State<double>& state, std::span<double> values) = 0;
  // Evaluates one function, at the cost of that function only if possible: a step in which many functions
  // cross zero needs many values of each.
  virtual double calc_one(const State<double>& state, int event) = 0;
  // The derivatives along the motion, per second.
  virtual void calc_rates(const State<double>& state, std::span<double> rates) = 0;
  // Explains why a value is not finite.
  virtual std::string explain(const State<double>& state, int event) = 0;
};

struct EventWatch {
  CrossingDirection direction = CrossingDirection::kBoth;
  double tolerance = 0.0;    // s; zero: the resolution of time, 16 spacings of it
  bool is_discrete = false;  // a function of discrete variables alone
};

class EventLocator {
 public:
  // The functions must outlive the locator.
  EventLocator(EventFunctions& functions, std::vector<EventWatch> watches);

  // All three return the events that take place at driver.state(), in their order. They throw
  // ComputationError if a function is not finite.
  //
  // Call at the start of a run.
  std::span<const int> start(const StepDriver& driver);
  // Call after each step, which may be cut.
  std::span<const int> look(StepDriver& driver);
  // Call after the returned events have been applied and the driver has been restarted.
  std::span<const int> restart(const StepDriver& driver);

  // (events) -1, 0 or 1, at driver.step_begin(), for resuming a run.
  std::span<const int> sides_before_step() const { return sides_before_step_; }
  // The same at driver.state().
  std::span<const int> sides() const { return sides_; }
  void resume(std::span<const int> sides);

 private:
  struct Crossing {
    int event = -1;
    int towards = 0;                                      // the sign after the crossing
    double a = 0.0;                                       // s, not yet crossed
    double b = 0.0;                                       // s, crossed
    double at = std::numeric_limits<double>::infinity();  // s, on the interpolant; infinite until located
    double slope = 0.0;
    bool has_side = true;  // at the beginning `a`, or only on the interpolant

    bool is_located() const { return at < std::numeric_limits<double>::infinity(); }
  };

  double value(StepDriver& driver, int event, double t);
  double exact_value(StepDriver& driver, int event, double t);
  double finite_value(const State<double>& state, int event);
  double sample(std::size_t k, int event) const;
  double shortest_tolerance() const;
  double tolerance(int event) const;
  int leave_zero(int event, double rate);
  void jump(int event);
  int rate_sign(StepDriver& driver, int event, double t);

  void calc_finite(const State<double>& state);
  void take_samples(StepDriver& driver);
  [[noreturn]] void end_run_at(StepDriver& driver, double t, const State<double>& state);
  void keep_within_domains(StepDriver& driver);
  double find_end_of_domain(StepDriver& driver, std::size_t k, double& beyond);
  bool find_crossing(StepDriver& driver, int event, Crossing& found);
  bool find_dip(StepDriver& driver, int event, int side, std::size_t k, double& at);
  bool find_return(StepDriver& driver, Crossing& crossing, int side);
  bool find_turn(StepDriver& driver, Crossing& crossing, double zero, double end);
  double simultaneous(const Crossing& crossing) const;
  void locate_on_interpolant(StepDriver& driver, Crossing& crossing);
  bool is_later_on_interpolant(StepDriver& driver, const Crossing& crossing, double t);
  double locate_earliest_on_interpolant(StepDriver& driver);
  void locate_what_can_be_first(StepDriver& driver);
  double locate(StepDriver& driver, const Crossing& crossing);
  double find_right_rate(StepDriver& driver, const Crossing& crossing, double t);
  bool has_turned(StepDriver& driver, const Crossing& crossing, double t);
  double find_turned(StepDriver& driver, const Crossing& crossing, double a, double b);
  void drop_what_only_the_interpolant_crosses(StepDriver& driver);
  double locate_first(StepDriver& driver);
  bool is_crossed(StepDriver& driver, const Crossing& crossing, double t);

  EventFunctions& functions_;
  std::vector<EventWatch> watches_;
  std::vector<int> sides_, sides_before_step_;
  std::vector<char> is_leaving_;      // (events) sent back from zero, and not yet seen on its side
  std::vector<int> due_;              // events
  std::vector<int> due_towards_;      // (events) the sign after the crossing; zero for those not due
  std::vector<double> values_;        // (events) scratch
  std::vector<double> exact_values_;  // (events) where the step ends at exact_time_
  double exact_time_ = 0.0;           // s; NaN: nowhere yet
  std::vector<double> before_;        // (events) at the event, before it changed anything
  std::vector<double> rates_;         // (events)
  std::vector<double> times_;         // of the samples
  std::vector<double> samples_;       // (times x events)
  std::vector<Crossing> crossings_;   // in the present step
};

}  // namespace sestina
