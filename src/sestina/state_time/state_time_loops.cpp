// The parts of the state-time solver that models with loops and constraints need.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/state_time_solver.h"

namespace sestina {

// Chooses independent conditions for the window that begins with this state.
void StateTimeSolver::choose_conditions(const State<double>& state) {
  if (!closing_.choose(state)) return;
  const std::string pair = std::move(pair_);
  pair_.clear();
  use_pair(pair);
  make_marched_form();
}

// Conditions that were left out follow from the others, unless the choice was made in a singular position.
void StateTimeSolver::check_closed(int first) {
  constexpr double kOpen = 1e-7;      // relative to the size of the mechanism
  constexpr double kOpenRows = 1e-5;  // of conditions that are not polynomials, which elements approximate
  std::vector<BodyInstant> bodies(index(layout().bodies));
  const auto check = [&](double t, const ClosingConditions::Opening& opening, double allowed) {
    if (opening.size <= allowed) return;
    throw ComputationError(
        t, fmt::format("{} opens by {:.3g}: it was closed by other conditions in a singular position, at "
                       "{:.12g} s, but is not by them here; windows that begin elsewhere may help",
                       opening.name, opening.size, trajectory_.element(first).t));
  };
  for (int e = first; e < trajectory_.size(); ++e) {
    const double t = trajectory_.element(e).end();
    trajectory_.calc_bodies(t, bodies);
    const double length = properties_.constraints.length;
    check(t, closing_.largest_opening(initial_bodies_, bodies), kOpen * length);
    if (!closing_.leaves_rows_out()) continue;
    calc_state(t, march_);
    dynamics_.find_cut_coordinates(march_);
    check(t, closing_.largest_error(dynamics_.constrained()->rows()), kOpenRows * std::max(1.0, length));
  }
}

// Continues the coordinates of cut joints and the parameters of points on curves from element to element.
void StateTimeSolver::put_histories() {
  if (model_->nh() == 0) return;
  for (auto e = histories_.size() / index(model_->nh()); e <= index(trajectory_.size()); ++e) {
    calc_state(trajectory_.element(static_cast<int>(e) - 1).end(), march_);
    dynamics_.update_history(march_);
    histories_.insert(histories_.end(), march_.h.begin(), march_.h.end());
  }
}

// Sets the history to that of the start of an element or, if this is not known yet, to the last one.
void StateTimeSolver::set_history(int element, State<double>& state) const {
  const std::size_t nh = index(model_->nh());
  if (nh == 0) return;
  const std::size_t known = histories_.size() / nh;
  const auto begin =
      histories_.begin() + static_cast<std::ptrdiff_t>(nh * std::min(index(element), known - 1));
  state.h.assign(begin, begin + static_cast<std::ptrdiff_t>(nh));
}

}  // namespace sestina
