#include "sestina/integrate/time_stepping.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/numerics/eigen_vectors.h"

namespace sestina {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kMostHalvings = 12;       // of a step in which shapes move far
constexpr int kMostSweeps = 24;         // before the contacts are solved otherwise
constexpr int kManySweeps = 100;        // with many contacts, whose impulses the next step improves
constexpr int kMostPushes = 50;         // sweeps that push shapes apart
constexpr std::size_t kFew = 48;        // contacts: of more, the sweeps alone find the impulses
constexpr double kConverged = 1e-12;    // of the largest velocity of a contact
constexpr double kPushedApart = 1e-13;  // m or rad: deeper shapes are pushed apart
constexpr double kDriven = 0.1;         // of the speed at which a contact closes: what remains is driven
constexpr double kLeastDriven = 1e-9;   // m/s or rad/s
constexpr double kRebound = 2.0;        // of the change of speed in a step: slower rebounds are rest

// C M^-1 C^T of the first tangential direction: (3 x n) row by row.
double mobility_along_first(std::span<const double> C, std::span<const double> jumps) {
  const std::size_t n = C.size() / 3;
  return std::inner_product(C.begin() + n, C.begin() + 2 * n, jumps.begin() + n, 0.0);
}

}  // namespace

const std::string& TimeStepping::name() const {
  static const std::string kName = "time_stepping";
  return kName;
}

void TimeStepping::do_start(std::span<const double> memory) {
  const std::size_t nu = state().u.size();
  for (Rates* const rates : {&from_, &to_, &of_state_}) {
    rates->udot.assign(nu, 0.0);
    rates->xdot.assign(state().x.size(), 0.0);
    rates->zdot.assign(state().z.size(), 0.0);
    rates->is_known = false;
  }
  displacement_.assign(nu, 0.0);
  packed_ = before_ = push_ = displacement_;
  order_.resize(nu);
  std::iota(order_.begin(), order_.end(), 0);
  // Steps may leave shapes overlapped, by the order of their length.
  if (!has_started_) refuse_overlap();
  has_started_ = true;
  ContactFace* const face = equations().contact_face();
  if (face != nullptr && !equations().is_constrained())
    std::ranges::copy(face->order_of_speeds(), order_.begin());
  stage_ = state();
  current_.assign(memory.begin(), memory.end());
  previous_ = next_ = between_ = current_;
}

StepReport TimeStepping::do_step(double t_end, State<double>& candidate) {
  next_ = current_;
  from_ = of_state_;
  return step(state(), t_end, candidate, next_, 0);
}

void TimeStepping::do_accept() {
  std::swap(previous_, current_);
  std::swap(current_, next_);
  std::swap(of_state_, to_);
}

StepReport TimeStepping::do_interpolate(double t, State<double>& out) {
  between_ = previous_;
  from_.is_known = false;
  return step(previous(), t, out, between_, 0);
}

// Computes the rates at a state, unless they are known.
StepReport TimeStepping::evaluate(const State<double>& at, Rates& rates) {
  if (rates.is_known) return {};
  equations().calc_derivatives(at, {rates.udot, rates.xdot, rates.zdot});
  std::size_t first = at.q.size();
  for (const std::vector<double>* const part : {&rates.udot, &rates.xdot}) {
    if (const int bad = first_not_finite(*part); bad >= 0) {
      return {StepStatus::kNotFinite, static_cast<int>(first) + bad};
    }
    first += part->size();
  }
  rates.is_known = true;
  return {};
}

StepReport TimeStepping::step(const State<double>& from, double t_end, State<double>& to,
                              std::vector<double>& forces, int depth) {
  const double h = t_end - from.t;
  StepReport report = evaluate(from, from_);
  if (!report.complete()) return report;
  to.t = t_end;
  to.d = from.d;
  to.h = from.h;
  as_vector(to.u) = as_vector(from.u) + h * as_vector(from_.udot);
  as_vector(displacement_) = h * as_vector(to.u);
  equations().plus(from.q, displacement_, to.q);
  ContactFace* const face = equations().contact_face();
  if (face != nullptr && depth < kMostHalvings && face->may_pass(from, to)) {
    return step_in_halves(from, t_end, to, forces, depth);
  }
  as_vector(to.x) = as_vector(from.x) + h * as_vector(from_.xdot);
  to.z = from.z;
  if (face != nullptr) report = touch(from, to, forces);
  if (!report.complete()) return report;
  equations().project(to);
  refuse_driven_contacts(to);
  to_.is_known = false;
  report = evaluate(to, to_);
  as_vector(to.z) += 0.5 * h * (as_vector(from_.zdot) + as_vector(to_.zdot));
  return report;
}

StepReport TimeStepping::step_in_halves(const State<double>& from, double t_end, State<double>& to,
                                        std::vector<double>& forces, int depth) {
  while (middles_.size() <= static_cast<std::size_t>(depth)) middles_.push_back(from);
  State<double>& middle = middles_[static_cast<std::size_t>(depth)];
  const StepReport report = step(from, from.t + 0.5 * (t_end - from.t), middle, forces, depth + 1);
  std::swap(from_, to_);
  return report.complete() ? step(middle, t_end, to, forces, depth + 1) : report;
}

// Applies the contacts to the free step `to`: changes its speeds and coordinates.
StepReport TimeStepping::touch(const State<double>& from, State<double>& to, std::vector<double>& forces) {
  const double h = to.t - from.t;
  find_contacts(from, to, forces);
  if (active_.empty()) {
    forces.clear();
    return {};
  }
  const StepReport report = solve();
  if (!report.complete()) return report;
  keep_forces(h, forces);
  count_work(from, to);
  gaps_.resize(active_.size());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    gaps_[i] = active_[i].gap + h * sweeps_.velocity(static_cast<int>(i), packed_)[0];
  }
  for (std::size_t k = 0; k < order_.size(); ++k) to.u[static_cast<std::size_t>(order_[k])] = packed_[k];
  as_vector(displacement_) = h * as_vector(to.u);
  const double deepest = *std::ranges::min_element(gaps_);
  if (deepest < -kPushedApart) {
    std::ranges::fill(push_, 0.0);
    sweeps_.close(gaps_, push_, -1e-3 * deepest, kMostPushes);
    for (std::size_t k = 0; k < order_.size(); ++k)
      displacement_[static_cast<std::size_t>(order_[k])] += push_[k];
  }
  equations().plus(from.q, displacement_, to.q);
  return {};
}

// Returns a bound on the closing speed of a contact in the free step if other contacts stop some of the
// motions.
double TimeStepping::fastest_closing(const std::array<ContactSweeps::Range, 2>& ranges,
                                     std::span<const double> C) const {
  double sum = 0.0;
  const double* normal = C.data();
  for (const ContactSweeps::Range& range : ranges) {
    for (int k = 0; k < range.count; ++k)
      sum += std::abs(*normal++ * packed_[static_cast<std::size_t>(range.first + k)]);
  }
  return sum;
}

// Finds the contacts that are closed or may close within the step, with their impulses in the previous step.
void TimeStepping::find_contacts(const State<double>& from, const State<double>& to,
                                 std::span<const double> forces) {
  ContactFace& face = *equations().contact_face();
  face.update_contacts(from);
  for (std::size_t k = 0; k < order_.size(); ++k) {
    before_[k] = from.u[static_cast<std::size_t>(order_[k])];
    packed_[k] = to.u[static_cast<std::size_t>(order_[k])];
  }
  active_.clear();
  sweeps_.clear();
  const double h = to.t - from.t;
  std::size_t before = 0;  // in forces: keys ascend
  for (int i = 0; i < static_cast<int>(face.contacts().size()); ++i) {
    const ContactFace::Contact contact = face.contacts()[static_cast<std::size_t>(i)];
    const ContactFace::Rows rows = find_rows(from, i);
    const std::array<ContactSweeps::Range, 2> ranges = {
        {{rows.ranges[0].first, rows.ranges[0].count}, {rows.ranges[1].first, rows.ranges[1].count}}};
    const Vector3d v_before = ContactSweeps::velocity(ranges, rows.C, before_);
    const Vector3d v_free = ContactSweeps::velocity(ranges, rows.C, packed_);
    const double rebound = -contact.restitution * v_before[0];
    const bool bounces = rebound > kRebound * std::abs(v_free[0] - v_before[0]);
    // Impulses of other contacts can stop one of the two bodies, or reverse its contribution to the speed.
    const double reach = bounces ? 0.0 : h * fastest_closing(ranges, rows.C);
    if (contact.gap > std::max(reach, kPushedApart)) continue;
    Active active{.contact = i,
                  .gap = contact.gap,
                  .law = {.friction = contact.friction},
                  .v_before = v_before,
                  .v_free = v_free};
    const std::span<const double> jumps = find_jumps(from);
    if (contact.load) {
      const double mobility = mobility_along_first(rows.C, jumps);
      active.law.compliance = contact.compliance_of_load(mobility, v_free[1], h);
      active.law.bias = -active.law.compliance * h * *contact.load;
    } else if (contact.stiffness > 0.0) {
      const double impedance = h * contact.stiffness + contact.damping;
      active.law.compliance = 1.0 / (h * impedance);
      active.law.bias = contact.stiffness * contact.gap / impedance;
    } else {
      active.law.bias = bounces ? -rebound : std::max(contact.gap, 0.0) / h;
    }
    const auto key = static_cast<double>(face.key_of_contact(i));
    while (before < forces.size() && forces[before] < key) before += kNumbersOfContact;
    Vector3d start = Vector3d::Zero();
    if (before < forces.size() && forces[before] == key) start = h * Vector3d(forces.data() + before + 1);
    sweeps_.add(ranges, rows.C, jumps, active.law, start);
    active_.push_back(active);
  }
}

ContactFace::Rows TimeStepping::find_rows(const State<double>& at, int contact) {
  ContactFace& face = *equations().contact_face();
  if (!equations().is_constrained()) return face.short_rows(contact);
  const std::span<const double> rows = face.contact_rows(contact);
  rows_.assign(rows.begin(), rows.end());
  return {{{{0, static_cast<int>(at.u.size())}, {0, 0}}}, rows_};
}

// Returns C M^-1 for the rows of the last call.
std::span<const double> TimeStepping::find_jumps(const State<double>& at) {
  if (!equations().is_constrained()) return equations().contact_face()->short_jumps();
  jumps_.assign(rows_.size(), 0.0);
  const std::size_t nu = at.u.size();
  for (std::size_t row = 0; row < 3; ++row) {
    const std::span<double> own = std::span(rows_).subspan(row * nu, nu);
    if (std::ranges::all_of(own, [](double entry) { return entry == 0.0; })) continue;
    equations().impulse_face()->calc_velocity_jump(at, own, std::span(jumps_).subspan(row * nu, nu));
  }
  return jumps_;
}

// Finds the impulses, and adds what they change to packed_.
StepReport TimeStepping::solve() {
  double size = 0.0;
  for (const Active& active : active_) {
    size = std::max({size, active.v_free.lpNorm<Eigen::Infinity>(), std::abs(active.law.bias)});
  }
  const bool are_few = active_.size() <= kFew;
  const bool is_solved = sweeps_.solve(packed_, kConverged * size, are_few ? kMostSweeps : kManySweeps);
  if (!is_solved && are_few) sweeps_.solve_by_cones(packed_, kConverged * size);
  if (first_not_finite(packed_) < 0) return {};
  return {StepStatus::kNotConverged, static_cast<int>(state().q.size()) + order_.front()};
}

// Throws for a contact that prescribed motions close, whatever its impulse.
void TimeStepping::refuse_driven_contacts(const State<double>& to) const {
  ContactFace* const face = equations().contact_face();
  if (face == nullptr || face->quadrature_of_motions() < 0) return;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& active = active_[i];
    if (active.law.compliance > 0.0) continue;
    const double closing = active.v_free[0] + active.law.bias;
    const double left = sweeps_.velocity(static_cast<int>(i), to.u)[0] + active.law.bias;
    if (left < kDriven * closing - kLeastDriven) throw_driven_contact(*face, active.contact, to.t);
  }
}

void TimeStepping::keep_forces(double h, std::vector<double>& forces) const {
  forces.clear();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Vector3d p = sweeps_.impulse(static_cast<int>(i)) / h;
    if (p.isZero(0.0)) continue;
    const auto key = static_cast<double>(equations().contact_face()->key_of_contact(active_[i].contact));
    forces.insert(forces.end(), {key, p[0], p[1], p[2]});
  }
}

// Adds the work that contacts absorb, and the work that prescribed motions supply against them (moreau.h).
void TimeStepping::count_work(const State<double>& from, State<double>& to) {
  const ContactFace& face = *equations().contact_face();
  const int supplied = face.quadrature_of_motions();
  if (supplied >= 0) {
    stage_ = from;
    std::ranges::fill(stage_.u, 0.0);
    equations().project(stage_);
  }
  double absorbed = 0.0, work_of_motions = 0.0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const int at = static_cast<int>(i);
    const Vector3d p = sweeps_.impulse(at);
    absorbed -= 0.5 * p.dot(active_[i].v_before + sweeps_.velocity(at, packed_));
    if (supplied >= 0) work_of_motions -= p.dot(sweeps_.velocity(at, stage_.u));
  }
  to.z[static_cast<std::size_t>(face.quadrature_of_contacts())] += absorbed;
  if (supplied >= 0) to.z[static_cast<std::size_t>(supplied)] += work_of_motions;
}

}  // namespace sestina
