#include "states.h"

#include <algorithm>
#include <limits>

#include "python_force.h"

namespace sestina::python {

void fill_with_nan(std::span<double> row) {
  std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
}

States::States(FrozenModel& model, nb::handle q) : model_(&model) {
  q_ = arguments_.add("q", q, model.model().nq());
}

States::States(FrozenModel& model, nb::handle q, nb::handle u, nb::handle t, nb::handle d, nb::handle x)
    : model_(&model) {
  q_ = arguments_.add("q", q, model.model().nq());
  u_ = arguments_.add("u", u, model.model().nu());
  if (!t.is_none()) t_ = arguments_.add("t", t, StateArguments::kScalar);
  if (!d.is_none()) d_ = arguments_.add("d", d, model.model().nd());
  if (!x.is_none()) x_ = arguments_.add("x", x, model.model().nx());
}

void States::add(const char* name, nb::handle given, bool may_be_none) {
  if (may_be_none && given.is_none()) return;
  extra_ = arguments_.add(name, given, model_->model().nu());
}

void States::broadcast() {
  arguments_.broadcast();
  const std::span<const double> initial = model_->initial_d();
  if (d_ >= 0 || initial.empty()) return;
  for (int k = 0; k < count(); ++k) repeated_d_.insert(repeated_d_.end(), initial.begin(), initial.end());
}

void States::load(int k, State<double>& state) const {
  state.t = time(k);
  const auto copy = [](std::span<const double> from, std::vector<double>& to) {
    std::copy(from.begin(), from.end(), to.begin());
  };
  copy(arguments_.row(q_, k), state.q);
  if (u_ < 0) {
    std::fill(state.u.begin(), state.u.end(), 0.0);
  } else {
    copy(arguments_.row(u_, k), state.u);
  }
  copy(d_ >= 0 ? arguments_.row(d_, k) : model_->initial_d(), state.d);
  copy(x_ >= 0 ? arguments_.row(x_, k) : model_->initial_x(), state.x);
}

StateArrays States::arrays() const {
  StateArrays arrays;
  arrays.count = count();
  arrays.q = arguments_[q_];
  arrays.u = arguments_[u_];
  if (t_ >= 0) arrays.t = arguments_[t_];
  arrays.d = d_ >= 0 ? arguments_[d_] : std::span<const double>(repeated_d_);
  return arrays;
}

std::string States::name_of(int k) const {
  std::string index;
  std::ptrdiff_t rest = k;
  for (int axis = batch().size() - 1; axis >= 0; --axis) {
    index = fmt::format("{}{}{}", rest % batch()[axis], index.empty() ? "" : ", ", index);
    rest /= batch()[axis];
  }
  return fmt::format("state [{}]", index);
}

void Failures::add(int state, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (count_++ == 0 || state < first_) first_ = state, reason_ = reason;
}

void Failures::tell(const States& states, bool check) const {
  if (count_ == 0 || !check) return;
  if (states.is_single()) throw ComputationError(states.time(first_), reason_);
  throw ComputationError(states.time(first_),
                         fmt::format("{}: {}{}", states.name_of(first_), reason_,
                                     count_ == 1 ? "" : fmt::format("; {} states have no result", count_)));
}

namespace {

// Number of speeds, over all states, below which releasing the interpreter's lock costs more than it
// saves.
constexpr int kSmall = 64;
// Number of speeds per task of a thread: some tens of microseconds of work.
constexpr int kGrain = 256;

}  // namespace

void for_each_state(const States& states, bool check, const std::function<void(Scratch&, int)>& evaluate,
                    const std::function<void(int)>& fail) {
  Failures failures;
  forget_callback_error();  // of a former call on this thread
  const auto work = [&](int begin, int end) {
    auto scratch = states.model().scratch();
    for (int k = begin; k < end; ++k) {
      try {
        evaluate(*scratch, k);
      } catch (const ComputationError& error) {
        failures.add(k, error.reason());
        fail(k);
      }
    }
  };
  const Model& model = states.model().model();
  const int count = states.count(), nu = std::max(1, model.nu());
  if (count <= kSmall / nu) {
    work(0, count);
  } else {
    nb::gil_scoped_release release;
    // A Python force runs in one interpreter for all threads.
    if (count == 1 || !model.user_forces().empty()) {
      work(0, count);
    } else {
      shared_executor()->parallel_for(count, std::max(1, kGrain / nu), work);
    }
  }
  throw_callback_error();  // regardless of `check`, since this is not a failed state
  failures.tell(states, check);
}

}  // namespace sestina::python
