// The contacts of one step of moreau.h, and their impulses.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/integrate/moreau.h"
#include "sestina/numerics/eigen_vectors.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kMostCorrections = 4;   // of positions
constexpr double kRedundant = 1e-12;  // of the largest pivot
constexpr double kRounding = 1e-12;   // m or rad

// Returns the fraction of a step that remains after a gap has closed, for a motion with constant acceleration
// that has this gap before and these rates at both ends.
double part_left(double h, double gap_before, double v_before, double v_after) {
  const double a = 0.5 * h * (v_after - v_before), b = h * v_before;
  const double root = std::sqrt(std::max(b * b - 4.0 * a * gap_before, 0.0));
  // The two forms of the root, each without cancellation.
  const double numerator = b > 0.0 ? b + root : 2.0 * gap_before;
  const double denominator = b > 0.0 ? -2.0 * a : root - b;
  return denominator > 0.0 ? 1.0 - std::clamp(numerator / denominator, 0.0, 1.0) : 0.0;
}

// Whether a gap at the end of a step is explained by its rates at both ends. Where points of contact change
// within it, a number may mean other points at the end than at the start.
bool follows(double h, double gap_before, double v_before, double gap, double v_after) {
  const double expected = gap_before + 0.5 * h * (v_before + v_after);
  return std::abs(gap - expected) <= 0.5 * h * std::abs(v_after - v_before) + kRounding;
}

}  // namespace

// Names the speed that a contact acts on most.
StepReport Moreau::not_converged(int contact) {
  const std::size_t nu = displacement_.size();
  const std::span<const double> rows = equations().contact_face()->contact_rows(contact);
  Eigen::Index speed = 0;
  Eigen::Map<const VectorXd>(rows.data(), static_cast<Eigen::Index>(nu)).cwiseAbs().maxCoeff(&speed);
  return {StepStatus::kNotConverged, static_cast<int>(state().q.size()) + static_cast<int>(speed)};
}

// Throws for a contact that prescribed motions close: those whose velocities v go on, by more than `allowed`
// of what they are without impulses; with 0, those that no impulse moves.
void Moreau::refuse_driven_contacts(const State<double>& to, const VectorXd& v, double allowed) {
  const ContactFace& face = *equations().contact_face();
  if (face.quadrature_of_motions() < 0) return;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(3 * i);
    const bool can_be_driven = allowed > 0.0 || G_(k, k) == 0.0;
    if (!active_[i].load && compliance_[i] == 0.0 && can_be_driven && v[k] < allowed * b_[k] - kMoves) {
      throw_driven_contact(face, active_[i].contact, to.t);
    }
  }
}

// Gaps of all contacts at the start of the step, unless all are above `closed` at its end; normal velocities
// of those that are closed at either. They are known unless points of contact have come or gone. The contacts
// are then those at the end.
void Moreau::find_starts(const State<double>& from, const State<double>& to, double closed) {
  ContactFace& face = *equations().contact_face();
  face.update_contacts(to);
  count_ = face.contacts().size();
  starts_.assign(count_, {});
  for (std::size_t i = 0; i < count_; ++i) starts_[i].closes = face.contacts()[i].gap <= closed;
  if (std::ranges::none_of(starts_, &Start::closes)) return;
  face.update_contacts(from);
  for (std::size_t i = 0; i < count_ && face.contacts().size() == count_; ++i) {
    Start& start = starts_[i];
    start.is_known = true;
    start.gap = face.contacts()[i].gap;
    if (!start.closes && start.gap > kClosed) continue;
    const Vector3d v =
        Eigen::Map<const Eigen::Matrix<double, 3, -1, Eigen::RowMajor>>(
            face.contact_rows(static_cast<int>(i)).data(), 3, static_cast<Eigen::Index>(from.u.size())) *
        as_vector(from.u);
    start.speed = v[0];
    start.slip = v.tail<2>();
  }
  face.update_contacts(to);
}

// Finds contacts whose gap at the end of the free step is not above `closed`: rigid ones that close,
// compliant ones that overlap. Where one of them is closed, so are rigid ones that are closed at the start:
// the impulses of others may hold these closed.
void Moreau::find_active(const State<double>& from, const State<double>& to, Look look, double closed) {
  ContactFace& face = *equations().contact_face();
  active_.clear();
  find_starts(from, to, closed);
  const std::span<const ContactFace::Contact> contacts = face.contacts();
  const auto nu = static_cast<Eigen::Index>(from.u.size());
  // Impacts are sought at an instant, at the end of a step that other contacts have changed.
  const State<double>& free = look == Look::kImpacts ? landing_ : to;
  const double h = free.t - from.t;
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    const ContactFace::Contact& contact = contacts[static_cast<std::size_t>(i)];
    const bool is_rigid = contact.is_rigid();
    const Start& start = starts_[static_cast<std::size_t>(i)];
    const bool may_be_held = start.is_known && is_rigid && start.gap <= kClosed;
    if (!start.closes && (look == Look::kImpacts || !may_be_held)) continue;
    if (look == Look::kImpacts && !is_rigid) continue;
    const Eigen::Map<const VectorXd> normal(face.contact_rows(i).data(), nu);
    const double after = normal.dot(as_vector(free.u));
    const double before = start.is_known ? start.speed : normal.dot(as_vector(from.u));
    // A flight that begins or ends with this speed is higher than round-off, also within this step.
    const auto matters = [&](double v) {
      return v * h > kClosed && v * v * h > 2.0 * kClosed * std::abs(after - before);
    };
    Active active;
    active.contact = i;
    active.load = contact.load;
    active.gap = contact.gap;
    active.slip = start.slip;
    active.gap_before = start.is_known ? start.gap : contact.gap - 0.5 * h * (before + after);
    const bool was_closed = active.gap_before <= kClosed && (!is_rigid || !matters(before));
    if (!start.closes && !(was_closed && follows(h, start.gap, before, contact.gap, after))) continue;
    active.left = was_closed ? 1.0 : part_left(h, std::max(active.gap_before, 0.0), before, after);
    const double closing = look == Look::kImpacts ? -normal.dot(as_vector(to.u))
                                                  : (1.0 - active.left) * (before - after) - before;
    active.is_impact = is_rigid && matters(closing);
    if (look == Look::kSupport && active.is_impact) continue;
    const double rebound = contact.restitution * closing;
    active.hits = active.is_impact && look != Look::kRest && matters(rebound);
    active.neglected = is_rigid && !active.hits && matters(rebound) ? rebound : 0.0;
    active_.push_back(active);
  }
}

// The velocities of all active contacts, with their rows of C.
void Moreau::update_velocities(const State<double>& from) {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    Active& active = active_[i];
    const auto C = C_.middleRows<3>(static_cast<Eigen::Index>(3 * i));
    active.v_before = C * as_vector(from.u);
    active.v_free = C * as_vector(free_.u);
    active.v_touch = active.v_free - active.left * (active.v_free - active.v_before);
  }
}

// C, M^-1 C^T and G of the contacts that are active.
void Moreau::update_matrix(const State<double>& at) {
  ContactFace& face = *equations().contact_face();
  const auto nu = static_cast<Eigen::Index>(at.u.size()), m = static_cast<Eigen::Index>(3 * active_.size());
  C_.resize(m, nu);
  du_.setZero(nu, m);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Eigen::Map<const Eigen::Matrix<double, 3, -1, Eigen::RowMajor>> C(
        face.contact_rows(active_[i].contact).data(), 3, nu);
    C_.middleRows<3>(static_cast<Eigen::Index>(3 * i)) = C;
  }
  ImpulseFace& impulses = *equations().impulse_face();
  std::vector<double>& row = displacement_;
  for (Eigen::Index k = 0; k < m; ++k) {
    Eigen::Map<VectorXd>(row.data(), nu) = C_.row(k).transpose();
    if (C_.row(k).isZero(0.0)) continue;
    impulses.calc_velocity_jump(at, row, std::span(du_.col(k).data(), row.size()));
  }
  G_ = C_ * du_;
  G_ = (0.5 * (G_ + G_.transpose())).eval();
}

// Adds the rebounds that were treated as rest to the error of the step.
void Moreau::add_neglected_rebounds() {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(3 * i);
    if (active_[i].neglected == 0.0 || !(G_(k, k) > 0.0)) continue;
    neglected_ += active_[i].neglected / G_(k, k) * du_.col(k).cwiseAbs();
  }
}

// b and R of friction_solver.h. A normal force that is given is that of any compliance R with b = -R h load.
// A contact with stiffness k and damping d has, with g' = g_f + h/2 (v' - v_f),
//   v' + p/(h c) + (k (g + g_f) - k h/2 v_f + d v)/(2 c) = 0,   c = k h/4 + d/2
void Moreau::set_laws(double h) {
  const std::span<const ContactFace::Contact> contacts = equations().contact_face()->contacts();
  b_.resize(static_cast<Eigen::Index>(3 * active_.size()));
  friction_.assign(active_.size(), 0.0);
  compliance_.assign(active_.size(), 0.0);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& active = active_[i];
    const ContactFace::Contact& contact = contacts[static_cast<std::size_t>(active.contact)];
    Vector3d bias = active.hits ? active.v_touch : active.v_free;
    friction_[i] = contact.friction;
    const auto k = static_cast<Eigen::Index>(3 * i);
    if (contact.load) {
      compliance_[i] = contact.compliance_of_load(G_(k + 1, k + 1), active.v_free[1], h);
      bias[0] = -compliance_[i] * h * *contact.load;
    } else if (contact.stiffness > 0.0) {
      const double c = 0.25 * contact.stiffness * h + 0.5 * contact.damping;
      // Before it closed there was no force.
      const double before = std::min(active.gap_before, 0.0);
      bias[0] += (contact.stiffness * (before + active.gap - 0.5 * h * active.v_free[0]) +
                  contact.damping * (active.gap_before < 0.0 ? active.v_before[0] : 0.0)) /
                 (2.0 * c);
      compliance_[i] = 1.0 / (h * c);
    } else if (active.hits && contact.impact == ContactFace::Impact::kNewton) {
      bias[0] += contact.restitution * active.v_touch[0];
    }
    b_.segment<3>(k) = bias;
  }
}

// The second phase of impacts: the normal velocities that the impulses of restitution lead to are those with
// which contacts open; friction is that of both phases together. All contacts that carry take part, also
// those that were closed before: these pass the impact on.
bool Moreau::restore() {
  if (std::ranges::none_of(active_, &Active::hits)) return true;
  const VectorXd r = restitution_impulses();
  if (r.isZero(0.0)) return true;
  const VectorXd v = b_ + G_ * (p_ + r);
  for (Eigen::Index k = 0; k < r.size(); k += 3) {
    if (r[k] > 0.0) b_[k] -= std::max(v[k], 0.0);
  }
  return solver_.solve(G_, b_, friction_, compliance_, p_).is_solved;
}

// Normal impulses after those of compression. Poisson: e times the latter. Stronge: these times a factor s,
// one for all, by which the normal forces return e^2 of the work that they took. In compression v_n goes from
// v_0 to v_1, linearly in the impulse, so that it took -p (v_0 + v_1)/2; they return
//   sum of r (v_1 + (G r)_n/2),   r = s e p
// Without friction s = 1, also where several contacts hit together.
VectorXd Moreau::restitution_impulses() const {
  const std::span<const ContactFace::Contact> contacts = equations().contact_face()->contacts();
  VectorXd poisson = VectorXd::Zero(p_.size()), stronge = poisson;
  double wanted = 0.0;
  const VectorXd v = b_ + G_ * p_;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(3 * i);
    const ContactFace::Contact& contact = contacts[static_cast<std::size_t>(active_[i].contact)];
    const double e = contact.restitution;
    if (!contact.is_rigid() || contact.impact == ContactFace::Impact::kNewton) continue;
    if (contact.impact == ContactFace::Impact::kPoisson) {
      poisson[k] = e * p_[k];
    } else {
      stronge[k] = e * p_[k];
      wanted -= 0.5 * e * e * p_[k] * (active_[i].v_touch[0] + v[k]);
    }
  }
  const double a = stronge.dot(G_ * stronge), half = stronge.dot(v + G_ * poisson);
  if (!(a > 0.0) || !(wanted > 0.0)) return poisson;
  return poisson + (std::sqrt(half * half + 2.0 * a * wanted) - half) / a * stronge;
}

// Returns the time before the end of the step, as a fraction of the step, at which the impulse of a contact
// acts as a whole. For a rebound this is the instant of contact. For a contact that stays closed it makes the
// gap zero at the end, if the impulse removes v_n of the free step; it lies between the instant of contact
// (pure impact) and half of the remaining time (constant force).
double Moreau::centre_of_impulse(const Active& active) const {
  const ContactFace::Contact& contact =
      equations().contact_face()->contacts()[static_cast<std::size_t>(active.contact)];
  if (active.hits) return active.left;
  const double half = 0.5 * active.left;
  if (!contact.is_rigid() || !active.is_impact || !(active.v_free[0] < 0.0)) return half;
  return std::clamp(half * (1.0 + active.v_touch[0] / active.v_free[0]), half, active.left);
}

// The velocities of the active contacts that prescribed motions alone cause, from rest.
VectorXd Moreau::speeds_of_motions(const State<double>& at) {
  stage_ = at;
  std::ranges::fill(stage_.u, 0.0);
  equations().project(stage_);
  return C_ * as_vector(stage_.u);
}

// Computes u', the corresponding positions, the work absorbed by contacts, and the work that motions supply
// against them: for each impulse, impulse times the mean of the velocities before and after it, at its time
// in the step.
void Moreau::apply(const State<double>& from, State<double>& to) {
  const double h = to.t - from.t;
  const int supplied = equations().contact_face()->quadrature_of_motions();
  const VectorXd driven = supplied >= 0 ? speeds_of_motions(free_) : VectorXd::Zero(p_.size());
  const VectorXd driven_before = supplied >= 0 && h > 0.0 ? speeds_of_motions(from) : driven;
  const VectorXd change = G_ * p_;
  VectorXd du = VectorXd::Zero(du_.rows()), dq = du;
  double work = 0.0, work_of_motions = 0.0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(3 * i);
    const Active& active = active_[i];
    const VectorXd own = du_.middleCols<3>(k) * p_.segment<3>(k);
    const double part = centre_of_impulse(active);
    du += own;
    dq += part * h * own;
    const Vector3d v = active.v_free - part * (active.v_free - active.v_before);
    work += p_.segment<3>(k).dot(v + 0.5 * change.segment<3>(k));
    work_of_motions -=
        p_.segment<3>(k).dot((1.0 - part) * driven.segment<3>(k) + part * driven_before.segment<3>(k));
  }
  for (std::size_t j = 0; j < to.u.size(); ++j) {
    to.u[j] += du[static_cast<Eigen::Index>(j)];
    displacement_[j] = dq[static_cast<Eigen::Index>(j)];
  }
  equations().plus(to.q, displacement_, to.q);
  hold_still(from, to);
  to.z[static_cast<std::size_t>(equations().contact_face()->quadrature_of_contacts())] -= work;
  if (supplied >= 0) to.z[static_cast<std::size_t>(supplied)] += work_of_motions;
  const VectorXd u = as_vector(to.u);
  equations().project(to);
  is_projected_ = as_vector(to.u) != u;
}

// Coordinates whose speeds vanish at both ends of a step stay where the contacts that carry last: 5 of
// moreau.h is exact for constant forces only, and what friction holds against a spring would creep.
void Moreau::hold_still(const State<double>& from, State<double>& to) {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const bool carries = p_[static_cast<Eigen::Index>(3 * i)] > 0.0;
    if (carries && (active_[i].is_impact || active_[i].left < 1.0)) return;
  }
  const auto is_still = [&](std::size_t j) {
    return std::max(std::abs(from.u[j]), std::abs(to.u[j])) <= kMoves;
  };
  bool any = false;
  for (std::size_t j = 0; j < to.u.size() && !any; ++j) any = is_still(j);
  if (!any) return;
  equations().minus(to.q, from.q, displacement_);
  for (std::size_t j = 0; j < to.u.size(); ++j) {
    if (is_still(j)) displacement_[j] = 0.5 * (to.t - from.t) * (from.u[j] + to.u[j]);
  }
  equations().plus(from.q, displacement_, to.q);
}

// Rigid contacts that have carried and lasted are closed; no other may overlap, except the one on which the
// step lands. As little as possible in the norm of M.
void Moreau::close_gaps(State<double>& to) {
  ContactFace& face = *equations().contact_face();
  missed_.clear();
  for (int correction = 0; correction < kMostCorrections; ++correction) {
    face.update_contacts(to);
    const std::span<const ContactFace::Contact> contacts = face.contacts();
    std::vector<int> wrong;
    double largest = 0.0;
    for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
      const ContactFace::Contact& contact = contacts[static_cast<std::size_t>(i)];
      if (!contact.is_rigid() || (!carries(i) && (contact.gap >= -kClosed || i == landing_on_))) continue;
      wrong.push_back(i);
      if (correction == 0 && !is_active(i)) missed_.push_back(i);
      largest = std::max(largest, std::abs(contact.gap));
    }
    if (largest <= kClosed) return;
    find_normals(to, wrong);
    VectorXd gap(static_cast<Eigen::Index>(wrong.size()));
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      gap[static_cast<Eigen::Index>(i)] = contacts[static_cast<std::size_t>(wrong[i])].gap;
    }
    const VectorXd dq = normal_du_ * LeastNormSolver(kRedundant).compute(normals_ * normal_du_).solve(-gap);
    Eigen::Map<VectorXd>(displacement_.data(), dq.size()) = dq;
    equations().plus(to.q, displacement_, to.q);
  }
  equations().project(to);
}

// Whether a contact has carried and lasts. Where points of two boxes have come or gone, their numbers mean
// other points.
bool Moreau::carries(int contact) const {
  if (equations().contact_face()->contacts().size() != count_) return false;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (active_[i].contact == contact) return p_[static_cast<Eigen::Index>(3 * i)] > 0.0 && !active_[i].hits;
  }
  return false;
}

bool Moreau::is_active(int contact) const {
  return std::ranges::find(active_, contact, &Active::contact) != active_.end();
}

// The instant at which the first contact has closed that does not close in the free motion, but by the
// impulses of others: `to` has these, and no overlap.
std::optional<Moreau::Landing> Moreau::find_missed(const State<double>& from, const State<double>& to) {
  ContactFace& face = *equations().contact_face();
  const auto normal_speed = [&](int contact, const State<double>& at) {
    const std::span<const double> normal = face.contact_rows(contact).first(at.u.size());
    return std::inner_product(normal.begin(), normal.end(), at.u.begin(), 0.0);
  };
  std::vector<double> after;
  face.update_contacts(to);
  if (missed_.empty() || face.contacts().size() != count_) return {};
  for (const int contact : missed_) after.push_back(normal_speed(contact, to));
  face.update_contacts(from);
  if (face.contacts().size() != count_) return {};
  std::optional<Landing> first;
  const double h = to.t - from.t;
  for (std::size_t i = 0; i < missed_.size(); ++i) {
    const double gap = face.contacts()[static_cast<std::size_t>(missed_[i])].gap;
    const double left = part_left(h, std::max(gap, 0.0), normal_speed(missed_[i], from), after[i]);
    if (!first || to.t - left * h < first->t) first = {.contact = missed_[i], .t = to.t - left * h};
  }
  return first;
}

// The normal rows of contacts, and M^-1 times these.
void Moreau::find_normals(const State<double>& at, const std::vector<int>& contacts) {
  const auto n = static_cast<Eigen::Index>(contacts.size()), nu = static_cast<Eigen::Index>(at.u.size());
  normals_.resize(n, nu);
  normal_du_.setZero(nu, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto contact = contacts[static_cast<std::size_t>(i)];
    const std::span<const double> rows = equations().contact_face()->contact_rows(contact);
    std::ranges::copy(rows.first(at.u.size()), displacement_.begin());
    normals_.row(i) = as_vector(displacement_);
    equations().impulse_face()->calc_velocity_jump(at, displacement_,
                                                   std::span(normal_du_.col(i).data(), at.u.size()));
  }
}

}  // namespace sestina
