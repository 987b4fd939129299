// Functions of one state or of many: their arguments, and how states are distributed to threads.
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <mutex>
#include <string>

#include "arrays.h"
#include "frozen_model.h"
#include "sestina/base/error.h"

namespace sestina::python {

// The states given to a function, and one more array of nu numbers for each: tau, or udot.
class States {
 public:
  States(FrozenModel& model, nb::handle q);  // at rest, t = 0
  States(FrozenModel& model, nb::handle q, nb::handle u, nb::handle t, nb::handle d,
         nb::handle x = nb::none());
  void add(const char* name, nb::handle given, bool may_be_none);
  // Call after the constructor and add().
  void broadcast();

  FrozenModel& model() const { return *model_; }
  const Shape& batch() const { return arguments_.batch(); }
  const StateArguments& arguments() const { return arguments_; }  // for Results
  int count() const { return arguments_.count(); }
  bool is_single() const { return arguments_.is_single(); }
  void load(int k, State<double>& state) const;
  double time(int k) const { return t_ < 0 ? 0.0 : arguments_[t_][static_cast<std::size_t>(k)]; }
  std::span<const double> extra(int k) const {
    return extra_ < 0 ? std::span<const double>() : arguments_.row(extra_, k);
  }
  // All states in one structure, without udot or tau.
  StateArrays arrays() const;
  std::span<const double> extras() const {
    return extra_ < 0 ? std::span<const double>() : arguments_[extra_];
  }
  // "state [2, 0]", by its leading axes.
  std::string name_of(int k) const;

 private:
  FrozenModel* model_;
  StateArguments arguments_;
  int q_ = -1, u_ = -1, t_ = -1, d_ = -1, x_ = -1, extra_ = -1;
  std::vector<double> repeated_d_;  // the initial ones for each state, where none are given
};

// The reasons why states have no results. The first one is reported.
class Failures {
 public:
  void add(int state, const std::string& reason);
  // Throws ComputationError if there was a failure and `check` is set.
  void tell(const States& states, bool check) const;
  bool empty() const { return count_ == 0; }

 private:
  std::mutex mutex_;
  int count_ = 0, first_ = 0;
  std::string reason_;
};

// For functions whose states cannot fail, and for those whose rows of failed states are NaN.
inline void no_failure(int) {}
void fill_with_nan(std::span<double> row);

// The arrays that `out` gives for several results: all None, or one for each.
template <std::size_t n>
std::array<nb::object, n> outs(nb::handle out) {
  std::array<nb::object, n> parts;
  parts.fill(nb::none());
  if (out.is_none()) return parts;
  nb::tuple given;
  if (!nb::try_cast(out, given) || given.size() != n) {
    throw InputError(fmt::format("out: allowed is a tuple of {} arrays", n));
  }
  for (std::size_t i = 0; i < n; ++i) parts[i] = given[i];
  return parts;
}

// Calls evaluate(scratch, k) for all states: on the shared threads, without the interpreter's lock, unless
// there is too little work. If it throws ComputationError for a state, the state is passed to fail(k), and
// the error is thrown at the end if `check` is set.
void for_each_state(const States& states, bool check, const std::function<void(Scratch&, int)>& evaluate,
                    const std::function<void(int)>& fail);

}  // namespace sestina::python
