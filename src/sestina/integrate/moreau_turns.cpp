// Splits steps of moreau.h at the instants at which a slip vanishes or begins.
//
// The impulse of friction has the direction of the slip at the end of the step. Where a slip turns within it,
// the speed is then wrong by up to twice the impulse: to the first order of the step, and in the same way for
// one step and for two. So the step ends first where the slip vanishes, to order 4, with friction against the
// slip until then; the rest of the step tells whether the contact sticks or slides back.
//
// Where friction no longer suffices from an instant within the step on, the impulse of the whole step does
// not tell it: the mean of the force is what matters there. The contact would stick for the whole step, or
// slide from its beginning, with an error of the speed of the second order. So the step ends first at this
// instant.
#include <algorithm>
#include <cmath>

#include "sestina/integrate/moreau.h"
#include "sestina/numerics/eigen_vectors.h"

namespace sestina {
namespace {

constexpr int kMostTrials = 10;     // to find the instant at which a slip vanishes
constexpr double kStopped = 1e-9;   // of the slip at the start: what is less is zero
constexpr double kResolved = 1e-6;  // likewise, if kStopped is not reached
constexpr double kSlides = 1e-9;    // of the largest speed
constexpr int kMostBisections = 24;
constexpr double kFirstPart =
    1.0 / 64;  // of a step: where a contact slides from then on, it does from the start

}  // namespace

// The slip is that of the last solution of 4, without the corrections that followed.
Eigen::Vector2d Moreau::slip_at_end(std::size_t active) const {
  const auto k = static_cast<Eigen::Index>(3 * active + 1);
  return active_[active].v_free.tail<2>() + G_.middleRows<2>(k) * p_;
}

bool Moreau::slides_at_start(const Active& active, const State<double>& from) {
  const double largest = as_vector(from.u).lpNorm<Eigen::Infinity>();
  return active.slip.norm() > std::max(kMoves, kSlides * largest);
}

// Whether the slip of a contact that lasts vanishes within the last step. refined_ is then the state at that
// instant. Where it is not found, or the step may not be split, slips that turn count as errors.
bool Moreau::find_turn(const State<double>& from, const State<double>& to, int splits) {
  if (is_refined_ || !(to.t > from.t)) return false;
  bool any = false;
  for (std::size_t i = 0; i < active_.size() && !any; ++i) {
    any =
        p_[static_cast<Eigen::Index>(3 * i)] > 0.0 && friction_[i] > 0.0 &&
        slides_at_start(active_[i], from) &&
        (solver_.states()[i] == FrictionSolver::State::kStick || slip_at_end(i).dot(active_[i].slip) <= 0.0);
  }
  if (!any) return false;
  if (splits > 0 && find_lasting(from, to)) {
    for (LastingContactStep::Contact& contact : lasting_) {
      const auto active = std::ranges::find(active_, contact.number, &Active::contact);
      if (contact.friction == 0.0 || !slides_at_start(*active, from)) continue;
      contact.turns = true;
      contact.sticks = false;
    }
    if (land_on_turn(from, to.t)) return true;
  }
  add_neglected_turns(from);
  return false;
}

// Finds the first instant at which a slip along its first direction vanishes: by the secant method, within
// the bounds that are known.
bool Moreau::land_on_turn(const State<double>& from, double t_end) {
  double before = from.t, after = t_end, t = t_end;
  double t_last = from.t, last = 1.0;
  bool is_found = false;
  for (int trial = 0; trial < kMostTrials; ++trial) {
    if (!lasting_step_.take(equations(), from, t, lasting_, refined_)) {
      is_found = false;
      after = t;
      t = 0.5 * (before + t);
      continue;
    }
    const double remaining = remaining_slip();
    is_found = std::abs(remaining) <= kResolved || (remaining > 0.0 && t == t_end);
    if (std::abs(remaining) <= kStopped || (is_found && t == t_end)) break;
    (remaining > 0.0 ? before : after) = t;
    const double next = t - remaining * (t - t_last) / (remaining - last);
    t_last = t;
    last = remaining;
    t = before < next && next < after ? next : 0.5 * (before + after);
  }
  if (!is_found) return false;
  for (std::size_t i = 0; i < lasting_.size(); ++i) {
    if (!lasting_[i].turns) continue;
    lasting_[i].turns = false;
    lasting_[i].sticks = lasting_step_.slip(i).norm() <= kResolved * lasting_step_.first_slip(i).norm();
  }
  return settle(refined_);
}

// Whether a contact that sticks begins to slide within the last step. refined_ is then the state at the last
// instant at which it sticks.
bool Moreau::find_slip(const State<double>& from, const State<double>& to, int splits) {
  if (is_refined_ || splits == 0 || !(to.t > from.t) || !find_sticking(from)) return false;
  const auto lasts_until = [&](double t) {
    return lasting_step_.take(equations(), from, t, lasting_, refined_);
  };
  const double h = to.t - from.t;
  if (lasts_until(to.t) || !lasting_step_.has_slipped() || !lasts_until(from.t + kFirstPart * h))
    return false;
  double sticks = from.t + kFirstPart * h, slides = to.t;
  for (int i = 0; i < kMostBisections; ++i) {
    const double t = 0.5 * (sticks + slides);
    (lasts_until(t) ? sticks : slides) = t;
  }
  return lasts_until(sticks) && settle(refined_);
}

// The contacts that carry and last, with those sticking that do not slide at the start. False if there is
// none of these.
bool Moreau::find_sticking(const State<double>& from) {
  if (!take_lasting()) return false;
  bool any = false;
  for (LastingContactStep::Contact& contact : lasting_) {
    const Active& active = *std::ranges::find(active_, contact.number, &Active::contact);
    contact.sticks = contact.friction > 0.0 && !slides_at_start(active, from);
    any = any || contact.sticks;
  }
  return any;
}

// The least slip at the end of the last trial, along the first direction and relative to the first slip.
double Moreau::remaining_slip() const {
  double least = 1.0;
  for (std::size_t i = 0; i < lasting_.size(); ++i) {
    if (!lasting_[i].turns) continue;
    const Eigen::Vector2d first = lasting_step_.first_slip(i);
    least = std::min(least, lasting_step_.slip(i).dot(first) / first.squaredNorm());
  }
  return least;
}

// The impulse of friction acts in the wrong direction until the slip vanishes: for the part v/(v + v') of the
// step, as if the slip changed at a constant rate from v to v'.
void Moreau::add_neglected_turns(const State<double>& from) {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(3 * i);
    const Eigen::Vector2d before = active_[i].slip, after = slip_at_end(i);
    if (!(p_[k] > 0.0) || !slides_at_start(active_[i], from) || !(after.dot(before) < 0.0)) continue;
    const double part = before.norm() / (before.norm() + after.norm());
    neglected_ += 2.0 * part * friction_[i] * p_[k] * du_.middleCols<2>(k + 1).cwiseAbs().rowwise().sum();
  }
}

}  // namespace sestina
