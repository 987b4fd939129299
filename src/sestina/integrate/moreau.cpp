#include "sestina/integrate/moreau.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/integrate/displacement.h"
#include "sestina/numerics/eigen_vectors.h"

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kPasses = 2;           // of the equations of contact, each at the positions of the one before
constexpr int kMostLandings = 4;     // trials to find the instant of an impact
constexpr double kOverlap = 1e-9;    // m or rad: shapes that overlap more show that a step was too long
constexpr double kTogether = 1e-10;  // m or rad: impacts that are no farther apart are one
constexpr double kDrivenPart = 0.1;  // of the speed at which a contact closes: what remains is driven

}  // namespace

Moreau::Moreau() : tableau_(*find_tableau("rk4")) {}

void Moreau::do_start(std::span<const double>) {
  refuse_overlap();
  const std::size_t n = 2 * state().u.size() + state().x.size() + state().z.size();
  k_.assign(n * static_cast<std::size_t>(tableau_.stages()), 0.0);
  sum_.assign(n, 0.0);
  displacement_.assign(state().u.size(), 0.0);
  stage_ = half_ = whole_ = free_ = landing_ = state();
  refined_ = state();
  touched_.assign(kMostSplits, state());
  path_.assign(2 * (kMostSplits + 1), state());
  neglected_.setZero(static_cast<Eigen::Index>(state().u.size()));
}

StepReport Moreau::do_step(double t_end, State<double>& candidate) {
  is_keeping_ = is_divided_ = false;
  StepReport report = step_divided(state(), t_end, whole_, false);
  neglected_.setZero();
  path_length_ = 0;
  is_keeping_ = true;
  if (report.complete()) {
    report =
        is_divided_ ? step_divided(state(), t_end, candidate, true) : step_twice(state(), t_end, candidate);
  }
  if (!report.complete()) return report;
  const std::span<double> error = mutable_error();
  std::size_t next = 0;
  for (const auto part : {&State<double>::q, &State<double>::u, &State<double>::x}) {
    for (std::size_t i = 0; i < (candidate.*part).size(); ++i) {
      error[next++] = (whole_.*part)[i] - (candidate.*part)[i];
    }
  }
  for (std::size_t i = 0; i < candidate.u.size(); ++i) {
    double& own = error[candidate.q.size() + i];
    own = std::abs(own) + neglected_[static_cast<Eigen::Index>(i)];
  }
  return report;
}

// Steps from the last state on the way to t, so that impacts before t are those of the step.
StepReport Moreau::do_interpolate(double t, State<double>& out) {
  is_keeping_ = false;
  const std::span<const State<double>> path = std::span(path_).first(path_length_);
  const auto next = std::ranges::upper_bound(path, t, {}, &State<double>::t);
  const State<double>& from = next == path.begin() ? previous() : *std::prev(next);
  if (from.t < t) return step_twice(from, t, out);
  out = from;
  return {};
}

void Moreau::keep(const State<double>& at) {
  if (!is_keeping_) return;
  if (path_length_ == path_.size()) path_.emplace_back();
  path_[path_length_++] = at;
}

StepReport Moreau::step_twice(const State<double>& from, double t_end, State<double>& to, int depth) {
  const StepReport report = step_once(from, from.t + 0.5 * (t_end - from.t), half_, kMostSplits, depth);
  if (!report.complete()) return report;
  keep(half_);
  return step_once(half_, t_end, to, kMostSplits, depth);
}

// In parts in which no shapes can pass each other, each as one step or as two. The parts are the same for
// both, so that the difference is an estimate of the error also where a step consists of many parts.
StepReport Moreau::step_divided(const State<double>& from, double t_end, State<double>& to, bool is_twice,
                                int depth) {
  StepReport report = step_freely(from, t_end, to);
  if (!report.complete()) return report;
  ContactFace* const face = equations().contact_face();
  if (face == nullptr || depth == kMostHalvings || !face->may_pass(from, to)) {
    return is_twice ? step_twice(from, t_end, to, depth) : finish_step(from, t_end, to, kMostSplits, depth);
  }
  is_divided_ = true;
  State<double>& middle = middle_of(from, depth);
  report = step_divided(from, from.t + 0.5 * (t_end - from.t), middle, is_twice, depth + 1);
  if (!report.complete()) return report;
  keep(middle);
  return step_divided(middle, t_end, to, is_twice, depth + 1);
}

StepReport Moreau::step_once(const State<double>& from, double t_end, State<double>& to, int splits,
                             int depth) {
  const StepReport report = step_freely(from, t_end, to);
  ContactFace* const face = equations().contact_face();
  if (!report.complete() || face == nullptr) return report;
  if (depth < kMostHalvings && face->may_pass(from, to)) return step_halved(from, t_end, to, splits, depth);
  return finish_step(from, t_end, to, splits, depth);
}

// Adds the contacts of a step to its free motion, which `to` is.
StepReport Moreau::finish_step(const State<double>& from, double t_end, State<double>& to, int splits,
                               int depth) {
  if (equations().contact_face() == nullptr) return {};
  const std::size_t kept = path_length_;
  find_active(from, to, splits > 0 ? Look::kAll : Look::kRest);
  if (active_.empty()) return {};
  StepReport report;
  std::optional<Landing> landing;
  for (const Active& active : active_) {
    const double t = t_end - active.left * (t_end - from.t);
    if (active.is_impact && (!landing || t < landing->t)) landing = {.contact = active.contact, .t = t};
  }
  if (splits == 0 || !landing) {
    report = touch(from, to);
    if (!report.complete()) return report;
    landing = find_missed(from, to);
    if ((splits == 0 || !landing) && (find_turn(from, to, splits) || find_slip(from, to, splits))) {
      State<double>& at = touched_[static_cast<std::size_t>(splits - 1)];
      at = refined_;
      report = step_on(at, t_end, to, splits - 1, depth);
    }
  }
  if (splits > 0 && landing) report = step_across(from, *landing, t_end, to, splits, depth);
  if (report.complete() && depth < kMostHalvings && overlaps(to)) {
    path_length_ = kept;
    return step_halved(from, t_end, to, splits, depth);
  }
  return report;
}

// In two halves: where shapes would pass each other, or overlap at the end.
StepReport Moreau::step_halved(const State<double>& from, double t_end, State<double>& to, int splits,
                               int depth) {
  State<double>& middle = middle_of(from, depth);
  const StepReport report = step_once(from, from.t + 0.5 * (t_end - from.t), middle, splits, depth + 1);
  if (!report.complete()) return report;
  keep(middle);
  return step_once(middle, t_end, to, splits, depth + 1);
}

State<double>& Moreau::middle_of(const State<double>& like, int depth) {
  while (middles_.size() <= static_cast<std::size_t>(depth)) middles_.push_back(like);
  return middles_[static_cast<std::size_t>(depth)];
}

bool Moreau::overlaps(const State<double>& at) {
  ContactFace& face = *equations().contact_face();
  face.update_contacts(at);
  return std::ranges::any_of(face.contacts(), [](const ContactFace::Contact& contact) {
    return contact.stiffness == 0.0 && contact.gap < -kOverlap;
  });
}

// Takes a step in two parts, with the impact of a contact in between; or the instant before it at which a
// slip vanishes.
StepReport Moreau::step_across(const State<double>& from, Landing landing, double t_end, State<double>& to,
                               int splits, int depth) {
  State<double>& at = touched_[static_cast<std::size_t>(splits - 1)];
  double gap = 0.0;
  if (landing.t > from.t) {
    const StepReport report = land(from, landing, t_end, at, gap);
    if (!report.complete()) return report;
    if (find_turn(from, at, splits)) {
      at = refined_;
      return step_on(at, t_end, to, splits - 1, depth);
    }
  } else {
    landing_ = to;
    at = from;
  }
  find_active(from, at, Look::kImpacts, std::max(gap + kTogether, kClosed));
  if (std::ranges::any_of(active_, &Active::is_impact)) {
    const StepReport report = touch(free_ = at, at);
    if (!report.complete()) return report;
  }
  return step_on(at, t_end, to, splits - 1, depth);
}

// The second part of a step that is split.
StepReport Moreau::step_on(const State<double>& from, double t_end, State<double>& to, int splits,
                           int depth) {
  keep(from);
  if (from.t < t_end) return step_once(from, t_end, to, splits, depth);
  to = from;
  return {};
}

// Steps to the instant of an impact, near t, and returns the gap of the contact there.
StepReport Moreau::land(const State<double>& from, Landing landing, double t_end, State<double>& at,
                        double& gap) {
  ContactFace& face = *equations().contact_face();
  const std::size_t count = count_;
  auto [contact, t] = landing;
  for (int trial = 0; trial < kMostLandings; ++trial) {
    const StepReport report = step_to_landing(from, t, contact, at);
    if (!report.complete()) return report;
    gap = 0.0;
    if (face.contacts().size() != count) break;  // points of boxes changed; the next part finds the impact
    gap = face.contacts()[static_cast<std::size_t>(contact)].gap;
    const Eigen::Map<const VectorXd> normal(face.contact_rows(contact).data(),
                                            static_cast<Eigen::Index>(at.u.size()));
    const double next = t - gap / normal.dot(as_vector(at.u));
    if (std::abs(gap) <= kTogether || !(from.t < next && next <= t_end)) break;
    t = next;
  }
  return {};
}

// Steps up to an impact, with the contacts that last until then.
StepReport Moreau::step_to_landing(const State<double>& from, double t, int contact, State<double>& to) {
  StepReport report = step_freely(from, t, to);
  if (!report.complete()) return report;
  landing_ = to;
  find_active(from, to, Look::kSupport);
  landing_on_ = contact;
  if (!active_.empty()) report = touch(from, to);
  landing_on_ = -1;
  equations().contact_face()->update_contacts(to);
  return report;
}

// ---- the smooth part --------------------------------------------------------------------------------------

StepReport Moreau::step_freely(const State<double>& from, double t_end, State<double>& to) {
  const double h = t_end - from.t;
  const std::size_t nu = from.u.size(), nx = from.x.size();
  stage_.h = from.h;
  stage_.d = to.d = from.d;
  for (std::size_t i = 0; i < tableau_.b.size(); ++i) {
    move(from, h, tableau_.a[i], stage_);
    stage_.t = tableau_.c[i] == 1.0 ? t_end : from.t + tableau_.c[i] * h;
    const std::span<double> k = std::span(k_).subspan(i * sum_.size(), sum_.size());
    calc_displacement_rate(equations().rotations(), displacement_, stage_.u, k.first(nu));
    equations().calc_derivatives(stage_, {k.subspan(nu, nu), k.subspan(2 * nu, nx), k.subspan(2 * nu + nx)});
    if (const int bad = first_not_finite(k.subspan(nu)); bad >= 0) {
      return {StepStatus::kNotFinite, static_cast<int>(from.q.size()) + bad};
    }
  }
  to.h = from.h;
  move(from, h, tableau_.b, to);
  to.t = t_end;
  equations().project(to);
  return {};
}

void Moreau::move(const State<double>& from, double h, std::span<const double> weights, State<double>& to) {
  std::ranges::fill(sum_, 0.0);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0.0) continue;
    const double* k = k_.data() + j * sum_.size();
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += weights[j] * k[i];
  }
  const std::size_t nu = from.u.size(), nx = from.x.size();
  for (std::size_t i = 0; i < nu; ++i) displacement_[i] = h * sum_[i];
  equations().plus(from.q, displacement_, to.q);
  for (std::size_t i = 0; i < nu; ++i) to.u[i] = from.u[i] + h * sum_[nu + i];
  for (std::size_t i = 0; i < nx; ++i) to.x[i] = from.x[i] + h * sum_[2 * nu + i];
  for (std::size_t i = 0; i < from.z.size(); ++i) to.z[i] = from.z[i] + h * sum_[2 * nu + nx + i];
}

// ---- contacts ---------------------------------------------------------------------------------------------

StepReport Moreau::touch(const State<double>& from, State<double>& to) {
  free_ = to;
  for (int pass = 0; pass < kPasses; ++pass) {
    if (pass > 0) {
      equations().contact_face()->update_contacts(to);
      if (equations().contact_face()->contacts().size() != count_) break;  // points appeared or vanished
    }
    update_matrix(to);
    update_velocities(from);
    set_laws(to.t - from.t);
    refuse_driven_contacts(to, b_, 0.0);
    p_.setZero(b_.size());
    const FrictionSolver::Report report = solver_.solve(G_, b_, friction_, compliance_, p_);
    // If friction and inertia are coupled too strongly, there may be no solution (Painleve); a shorter step
    // shows whether that is the case.
    if (!report.is_solved || !restore()) {
      return not_converged(active_[static_cast<std::size_t>(std::max(report.worst, 0))].contact);
    }
    to = free_;
    apply(from, to);
    refuse_driven_contacts(to, C_ * as_vector(to.u) + b_ - C_ * as_vector(free_.u), kDrivenPart);
    close_gaps(to);
  }
  is_refined_ = refine(from, to);
  if (is_refined_) return {};
  remove_speeds(to);
  add_neglected_rebounds();
  return integrate_rates(from, to);
}

// Repeats a step with order 4 if the contacts that carry last in their states. False leaves `to` unchanged.
bool Moreau::refine(const State<double>& from, State<double>& to) {
  if (!find_lasting(from, to) || !lasting_step_.take(equations(), from, to.t, lasting_, refined_) ||
      !settle(refined_))
    return false;
  to = refined_;
  return true;
}

// Closes the gaps and loops that a step of order 4 leaves. False if other contacts overlap.
bool Moreau::settle(State<double>& to) {
  equations().project(to);
  ContactFace& face = *equations().contact_face();
  face.update_contacts(to);
  for (int i = 0; i < static_cast<int>(face.contacts().size()); ++i) {
    const ContactFace::Contact& contact = face.contacts()[static_cast<std::size_t>(i)];
    if (contact.stiffness == 0.0 && contact.gap < -kClosed && !carries(i) && i != landing_on_) return false;
  }
  close_gaps(to);
  lasting_step_.remove_speeds(equations(), lasting_, to);
  return true;
}

// Removes the speeds along contacts that carry and last: projection onto constraints brings some back. A
// mechanism that cannot move, held by contacts, would otherwise creep.
void Moreau::remove_speeds(State<double>& to) {
  if (!is_projected_ || equations().contact_face()->contacts().size() != count_) return;
  lasting_.clear();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const bool lasts = p_[static_cast<Eigen::Index>(3 * i)] > 0.0 && !active_[i].hits;
    if (!lasts || (compliance_[i] > 0.0 && !active_[i].load)) continue;
    LastingContactStep::Contact& own = lasting_.emplace_back();
    own.number = active_[i].contact;
    own.sticks = solver_.states()[i] == FrictionSolver::State::kStick;
    own.friction = friction_[i];
    own.load = active_[i].load;
  }
  if (!lasting_.empty()) lasting_step_.remove_speeds(equations(), lasting_, to);
}

// Finds the contacts that carry, with their states. False if one of them did not last, or is compliant, or if
// nothing moves, where the step is exact (hold_still).
bool Moreau::find_lasting(const State<double>& from, const State<double>& to) {
  const auto moves = [](const State<double>& at) {
    return as_vector(at.u).lpNorm<Eigen::Infinity>() > kMoves;
  };
  if (!(to.t > from.t) || !(moves(from) || moves(to))) return false;
  return take_lasting() && !lasting_.empty();
}

// The contacts that carry. False if one of them did not last, or is compliant.
bool Moreau::take_lasting() {
  lasting_.clear();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& active = active_[i];
    if (!(p_[static_cast<Eigen::Index>(3 * i)] > 0.0)) continue;
    if (active.is_impact || active.left < 1.0 || (compliance_[i] > 0.0 && !active.load)) return false;
    LastingContactStep::Contact& own = lasting_.emplace_back();
    own.number = active.contact;
    own.sticks = solver_.states()[i] == FrictionSolver::State::kStick;
    own.friction = friction_[i];
    own.load = active.load;
    own.direction = slip_at_end(i).normalized();
  }
  return true;
}

// States x and integrals z were integrated along the free motion. Here Simpson's rule does so along the
// motion with contacts. Its speeds lie on a line between those at both ends, bent as those of the free motion
// are in proportion to the change of speed: not at all where contacts hold a body at rest.
StepReport Moreau::integrate_rates(const State<double>& from, State<double>& to) {
  const double h = to.t - from.t;
  if (h == 0.0 || p_.isZero(0.0)) return {};
  const std::size_t nu = from.u.size(), nx = from.x.size(), size = sum_.size();
  const auto rate = [&](std::size_t stage, std::size_t i) { return k_[stage * size + nu + i]; };
  stage_ = from;
  for (std::size_t i = 0; i < nu; ++i) {
    const double free = free_.u[i] - from.u[i], change = to.u[i] - from.u[i];
    const double bend =
        h / 24.0 * (5.0 * rate(0, i) + 4.0 * (rate(1, i) + rate(2, i)) - rate(3, i)) - 0.5 * free;
    const double part = free != 0.0 ? std::clamp(change / free, 0.0, 1.0) : change == 0.0 ? 1.0 : 0.0;
    stage_.u[i] += 0.5 * change + part * bend;
    displacement_[i] = h / 24.0 * (5.0 * from.u[i] + 8.0 * stage_.u[i] - to.u[i]);
  }
  equations().plus(from.q, displacement_, stage_.q);
  stage_.t = from.t + 0.5 * h;
  for (std::size_t i = 0; i < nx; ++i) stage_.x[i] = 0.5 * (from.x[i] + free_.x[i]);
  const std::span<double> middle = std::span(k_).subspan(size, size),
                          end = std::span(k_).subspan(2 * size, size);
  for (const auto& [at, k] : {std::pair(&stage_, middle), std::pair(&to, end)}) {
    equations().calc_derivatives(*at, {k.subspan(nu, nu), k.subspan(2 * nu, nx), k.subspan(2 * nu + nx)});
    if (const int bad = first_not_finite(k.subspan(nu)); bad >= 0) {
      return {StepStatus::kNotFinite, static_cast<int>(from.q.size()) + bad};
    }
  }
  const auto integral = [&](std::size_t i) { return h / 6.0 * (k_[i] + 4.0 * middle[i] + end[i]); };
  for (std::size_t i = 0; i < nx; ++i) to.x[i] = from.x[i] + integral(2 * nu + i);
  for (std::size_t i = 0; i < from.z.size(); ++i) {
    to.z[i] += from.z[i] - free_.z[i] + integral(2 * nu + nx + i);
  }
  return {};
}

}  // namespace sestina
