#include "sestina/integrate/moreau.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "sestina/integrate/displacement.h"

namespace sestina {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kMostCorrections = 4;   // of positions
constexpr double kClosed = 1e-14;     // m or rad: gaps below are round-off
constexpr double kRedundant = 1e-12;  // of the largest pivot

ButcherTableau classical_tableau() {
  const auto tableaus = explicit_tableaus();
  return *std::ranges::find(tableaus, std::string("rk4"), &ButcherTableau::name);
}

Eigen::Map<const VectorXd> as_vector(const std::vector<double>& values) {
  return {values.data(), static_cast<Index>(values.size())};
}

}  // namespace

Moreau::Moreau() : tableau_(classical_tableau()) {}

void Moreau::do_start(std::span<const double>) {
  const std::size_t n = 2 * state().u.size() + state().x.size() + state().z.size();
  k_.assign(n * static_cast<std::size_t>(tableau_.stages()), 0.0);
  sum_.assign(n, 0.0);
  displacement_.assign(state().u.size(), 0.0);
  stage_ = half_ = whole_ = state();
}

StepReport Moreau::do_step(double t_end, State<double>& candidate) {
  StepReport report = step_once(state(), t_end, whole_);
  if (report.complete()) report = step_twice(state(), t_end, candidate);
  if (!report.complete()) return report;
  const std::span<double> error = mutable_error();
  std::size_t next = 0;
  for (const auto part : {&State<double>::q, &State<double>::u, &State<double>::x}) {
    for (std::size_t i = 0; i < (candidate.*part).size(); ++i) {
      error[next++] = (whole_.*part)[i] - (candidate.*part)[i];
    }
  }
  return report;
}

StepReport Moreau::do_interpolate(double t, State<double>& out) { return step_twice(previous(), t, out); }

StepReport Moreau::step_twice(const State<double>& from, double t_end, State<double>& to) {
  const StepReport report = step_once(from, from.t + 0.5 * (t_end - from.t), half_);
  return report.complete() ? step_once(half_, t_end, to) : report;
}

StepReport Moreau::step_once(const State<double>& from, double t_end, State<double>& to) {
  const StepReport report = step_freely(from, t_end, to);
  if (!report.complete() || equations().contact_face() == nullptr) return report;
  return touch(from, to);
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
  find_active(from, to);
  if (active_.empty()) return {};
  update_matrix(to);
  set_laws(to.t - from.t);
  p_.setZero(b_.size());
  const FrictionSolver::Report report = solver_.solve(G_, b_, friction_, compliance_, p_);
  if (!report.is_solved || !restore()) {
    // The speed that the contact acts on most: where friction and inertia couple too strongly there may be no
    // solution (Painleve), and a shorter step shows whether that is so.
    Index speed = 0;
    C_.row(3 * std::max(report.worst, 0)).cwiseAbs().maxCoeff(&speed);
    return {StepStatus::kNotConverged, static_cast<int>(from.q.size()) + static_cast<int>(speed)};
  }
  apply(from, to);
  close_gaps(to);
  return {};
}

// Contacts that close, or overlap and are compliant, at the end of the free step.
void Moreau::find_active(const State<double>& from, const State<double>& to) {
  ContactFace& face = *equations().contact_face();
  const double h = to.t - from.t;
  active_.clear();
  face.update_contacts(to);
  const std::span<const ContactFace::Contact> contacts = face.contacts();
  count_ = contacts.size();
  const auto nu = static_cast<Index>(from.u.size());
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    const ContactFace::Contact& contact = contacts[static_cast<std::size_t>(i)];
    if (contact.gap > kClosed) continue;
    const Eigen::Map<const Eigen::Matrix<double, 3, -1, Eigen::RowMajor>> C(face.contact_rows(i).data(), 3,
                                                                            nu);
    Active active;
    active.contact = i;
    active.gap = contact.gap;
    active.v_before = C * as_vector(from.u);
    active.v_free = C * as_vector(to.u);
    active.gap_before = contact.gap - 0.5 * h * (active.v_before[0] + active.v_free[0]);
    // A rebound shorter than half a step is rest.
    const double change = std::abs(active.v_free[0] - active.v_before[0]);
    active.hits = contact.stiffness == 0.0 && contact.restitution > 0.0 &&
                  -contact.restitution * active.v_before[0] > 0.5 * change;
    active_.push_back(active);
  }
}

// C, M^-1 C^T and G of the contacts that are active.
void Moreau::update_matrix(const State<double>& at) {
  ContactFace& face = *equations().contact_face();
  const auto nu = static_cast<Index>(at.u.size()), m = static_cast<Index>(3 * active_.size());
  C_.resize(m, nu);
  du_.setZero(nu, m);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Eigen::Map<const Eigen::Matrix<double, 3, -1, Eigen::RowMajor>> C(
        face.contact_rows(active_[i].contact).data(), 3, nu);
    C_.middleRows<3>(static_cast<Index>(3 * i)) = C;
  }
  ImpulseFace& impulses = *equations().impulse_face();
  std::vector<double>& row = displacement_;
  for (Index k = 0; k < m; ++k) {
    Eigen::Map<VectorXd>(row.data(), nu) = C_.row(k).transpose();
    if (C_.row(k).isZero(0.0)) continue;
    impulses.calc_velocity_jump(at, row, std::span(du_.col(k).data(), row.size()));
  }
  G_ = C_ * du_;
  G_ = (0.5 * (G_ + G_.transpose())).eval();
}

// b and R of friction_solver.h: of a contact with stiffness k and damping d, with g' = g_f + h/2 (v' - v_f),
//   v' + p/(h c) + (k (g + g_f) - k h/2 v_f + d v)/(2 c) = 0,   c = k h/4 + d/2
void Moreau::set_laws(double h) {
  const std::span<const ContactFace::Contact> contacts = equations().contact_face()->contacts();
  b_.resize(static_cast<Index>(3 * active_.size()));
  friction_.assign(active_.size(), 0.0);
  compliance_.assign(active_.size(), 0.0);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& active = active_[i];
    const ContactFace::Contact& contact = contacts[static_cast<std::size_t>(active.contact)];
    Vector3d bias = active.v_free;
    friction_[i] = contact.friction;
    if (contact.stiffness > 0.0) {
      const double c = 0.25 * contact.stiffness * h + 0.5 * contact.damping;
      // Before it closed there was no force.
      const double before = std::min(active.gap_before, 0.0);
      bias[0] += (contact.stiffness * (before + active.gap - 0.5 * h * active.v_free[0]) +
                  contact.damping * (active.gap_before < 0.0 ? active.v_before[0] : 0.0)) /
                 (2.0 * c);
      compliance_[i] = 1.0 / (h * c);
    } else if (active.hits && contact.impact == ContactFace::Impact::kNewton) {
      bias[0] += contact.restitution * active.v_free[0];
    }
    b_.segment<3>(static_cast<Index>(3 * i)) = bias;
  }
}

// The second phase of impacts: the normal velocities that the impulses of restitution lead to are those with
// which contacts open; friction is that of both phases together.
bool Moreau::restore() {
  const std::span<const ContactFace::Contact> contacts = equations().contact_face()->contacts();
  const auto restores = [&](const Active& active) {
    return active.hits &&
           contacts[static_cast<std::size_t>(active.contact)].impact != ContactFace::Impact::kNewton;
  };
  if (std::ranges::none_of(active_, restores)) return true;
  VectorXd p = p_;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (restores(active_[i])) p[static_cast<Index>(3 * i)] += restitution_impulse(i, p_);
  }
  const VectorXd v = b_ + G_ * p;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto k = static_cast<Index>(3 * i);
    if (restores(active_[i])) b_[k] -= std::max(v[k], 0.0);
  }
  return solver_.solve(G_, b_, friction_, compliance_, p_).is_solved;
}

// Poisson: e times that of compression. Stronge: v_n grows from v_0 to v_1 in compression, linearly in the
// impulse, whose work is p (v_0 + v_1)/2; with the growth a of v_n by a unit of the contact's own impulse, an
// impulse r returns r (v_1 + a r/2) = e^2 of it.
double Moreau::restitution_impulse(std::size_t i, const VectorXd& compression) const {
  const auto k = static_cast<Index>(3 * i);
  const ContactFace::Contact& contact =
      equations().contact_face()->contacts()[static_cast<std::size_t>(active_[i].contact)];
  const double p = compression[k], e = contact.restitution;
  if (contact.impact == ContactFace::Impact::kPoisson) return e * p;
  const double v_0 = active_[i].v_free[0], v_1 = (b_ + G_ * compression)[k], a = G_(k, k);
  const double work = -0.5 * p * (v_0 + v_1);
  if (!(work > 0.0) || !(a > 0.0)) return 0.0;
  return (std::sqrt(v_1 * v_1 + 2.0 * a * e * e * work) - v_1) / a;
}

// u' and the positions that go with it, and the work that contacts take.
void Moreau::apply(const State<double>& from, State<double>& to) {
  const double h = to.t - from.t;
  const VectorXd after = C_ * as_vector(to.u) + G_ * p_;
  VectorXd du = VectorXd::Zero(du_.rows()), dq = du;
  double work = 0.0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto k = static_cast<Index>(3 * i);
    const Active& active = active_[i];
    const VectorXd own = du_.middleCols<3>(k) * p_.segment<3>(k);
    double part = 0.5;  // of the step
    if (active.gap_before > kClosed) {
      part = std::clamp(-active.gap / (active.gap_before - active.gap), 0.0, 1.0);
      const bool is_rigid =
          equations().contact_face()->contacts()[static_cast<std::size_t>(active.contact)].stiffness == 0.0;
      if (!is_rigid) part *= 0.5;
    }
    du += own;
    dq += part * h * own;
    work += 0.5 * p_.segment<3>(k).dot(active.v_free + after.segment<3>(k));
  }
  for (std::size_t j = 0; j < to.u.size(); ++j) {
    to.u[j] += du[static_cast<Index>(j)];
    displacement_[j] = dq[static_cast<Index>(j)];
  }
  equations().plus(to.q, displacement_, to.q);
  to.z[static_cast<std::size_t>(equations().contact_face()->quadrature_of_contacts())] -= work;
  equations().project(to);
}

// Rigid contacts that have carried and lasted are closed; no other may overlap. As little as possible in the
// norm of M, with the factors of the step.
void Moreau::close_gaps(State<double>& to) {
  ContactFace& face = *equations().contact_face();
  for (int correction = 0; correction < kMostCorrections; ++correction) {
    face.update_contacts(to);
    const std::span<const ContactFace::Contact> contacts = face.contacts();
    if (contacts.size() != count_) return;  // points of two boxes have come or gone
    std::vector<Index> rows;
    double largest = 0.0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const auto place = static_cast<std::size_t>(active_[i].contact);
      if (contacts[place].stiffness > 0.0) continue;
      const bool carries = p_[static_cast<Index>(3 * i)] > 0.0 && !active_[i].hits;
      if (!carries && contacts[place].gap >= -kClosed) continue;
      rows.push_back(static_cast<Index>(3 * i));
      largest = std::max(largest, std::abs(contacts[place].gap));
    }
    if (largest <= kClosed) return;
    MatrixXd G(static_cast<Index>(rows.size()), static_cast<Index>(rows.size()));
    VectorXd gap(static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Active& active = active_[static_cast<std::size_t>(rows[i] / 3)];
      gap[static_cast<Index>(i)] = contacts[static_cast<std::size_t>(active.contact)].gap;
      for (std::size_t j = 0; j < rows.size(); ++j) {
        G(static_cast<Index>(i), static_cast<Index>(j)) = G_(rows[i], rows[j]);
      }
    }
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
    solver.setThreshold(kRedundant);
    const VectorXd lambda = solver.compute(G).solve(-gap);
    VectorXd dq = VectorXd::Zero(du_.rows());
    for (std::size_t i = 0; i < rows.size(); ++i) dq += lambda[static_cast<Index>(i)] * du_.col(rows[i]);
    Eigen::Map<VectorXd>(displacement_.data(), dq.size()) = dq;
    equations().plus(to.q, displacement_, to.q);
  }
  equations().project(to);
}

}  // namespace sestina
