#include "sestina/contact/contact_sweeps.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/contact/sliding_impulse.h"

namespace sestina {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// This part of the trace is added to a mobility, so that directions in which nothing moves have an inverse.
constexpr double kRegular = 1e-10;
constexpr std::size_t kMostPolished = 48;                  // contacts
constexpr std::size_t kQuicklyPolished = 24;               // likewise
constexpr int kFirstPolish = 3, kOften = 8, kSeldom = 32;  // sweeps
constexpr int kMostRounds = 4;                             // of solve_by_cones()
constexpr int kSweepsOfRound = 12;
constexpr int kNewtonSteps = 5;
constexpr double kAlmost = 1e-6;      // of the change before: then one more step is at round-off
constexpr double kStill = 1e-10;      // likewise: slower slip has no direction
constexpr double kSlowSlip = 1e-3;    // of the largest change of a velocity by a contact
constexpr double kWithinCone = 1e-9;  // a contact this much within its limit of friction has stuck

}  // namespace

void ContactSweeps::clear() {
  contacts_.clear();
  numbers_.clear();
  change_ = 0.0;
}

void ContactSweeps::add(const std::array<Range, 2>& ranges, std::span<const double> C,
                        std::span<const double> B, const Law& law, const Vector3d& start) {
  Contact contact;
  contact.ranges = ranges;
  contact.begin = numbers_.size();
  contact.law = law;
  contact.p = start;
  numbers_.insert(numbers_.end(), C.begin(), C.end());
  numbers_.insert(numbers_.end(), B.begin(), B.end());
  const auto n = static_cast<Eigen::Index>(C.size() / 3);
  using Rows = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;
  contact.A.noalias() = Rows(C.data(), 3, n).lazyProduct(Rows(B.data(), 3, n).transpose());
  contact.A(0, 0) += law.compliance;
  Matrix3d shifted = contact.A;
  shifted.diagonal().array() += kRegular * contact.A.trace();
  contact.inverse = shifted.inverse();
  contacts_.push_back(contact);
}

Vector3d ContactSweeps::velocity(const std::array<Range, 2>& ranges, std::span<const double> C,
                                 std::span<const double> u) {
  const auto m = static_cast<std::size_t>(ranges[0].count + ranges[1].count);
  const double *row0 = C.data(), *row1 = row0 + m, *row2 = row1 + m;
  double v0 = 0.0, v1 = 0.0, v2 = 0.0;
  for (const Range& range : ranges) {
    const double* from = u.data() + range.first;
    for (int k = 0; k < range.count; ++k) {
      v0 += *row0++ * from[k];
      v1 += *row1++ * from[k];
      v2 += *row2++ * from[k];
    }
  }
  return {v0, v1, v2};
}

void ContactSweeps::add_response(const Contact& contact, const Vector3d& p, std::span<double> u) const {
  const auto m = static_cast<std::size_t>(contact.ranges[0].count + contact.ranges[1].count);
  const double *row0 = numbers_.data() + contact.begin + 3 * m, *row1 = row0 + m, *row2 = row1 + m;
  for (const Range& range : contact.ranges) {
    double* to = u.data() + range.first;
    for (int k = 0; k < range.count; ++k) to[k] += *row0++ * p[0] + *row1++ * p[1] + *row2++ * p[2];
  }
}

Vector3d ContactSweeps::velocity(int contact, std::span<const double> u) const {
  return product(contacts_[static_cast<std::size_t>(contact)], u);
}

bool ContactSweeps::solve(std::span<double> u, double tolerance, int most) {
  bool is_warm = false;
  for (Contact& contact : contacts_) {
    if (contact.p.isZero(0.0)) continue;
    add_response(contact, contact.p, u);
    contact.sticks = contact.p.tail<2>().norm() < (1.0 - kWithinCone) * contact.law.friction * contact.p[0];
    is_warm = true;
  }
  // Sweeps shift loads that are not unique from contact to contact; therefore the states of the start are
  // tried first.
  change_ = std::numeric_limits<double>::infinity();
  if (is_warm && contacts_.size() <= kMostPolished && polish(u) && change_ <= tolerance) return true;
  return go_on(u, tolerance, most);
}

bool ContactSweeps::go_on(std::span<double> u, double tolerance, int most) {
  for (int count = 1; count <= most; ++count) {
    change_ = sweep(u);
    if (change_ <= tolerance) return true;
    const int between = contacts_.size() <= kQuicklyPolished ? kOften : kSeldom;
    if (contacts_.size() > kMostPolished || count % between != kFirstPolish) continue;
    if ((hold_slow_contacts(u) && polish(u)) || polish(u)) {
      if (change_ <= tolerance) return true;
    }
  }
  return contacts_.empty();
}

// Returns the largest change of a velocity by a contact's own impulse.
double ContactSweeps::sweep(std::span<double> u) {
  double largest = 0.0;
  for (Contact& contact : contacts_) {
    Vector3d v = product(contact, u);
    v[0] += contact.law.bias + contact.law.compliance * contact.p[0];
    const Vector3d p = find_impulse(contact, v);
    const Vector3d change = p - contact.p;
    if (change.isZero(0.0)) continue;
    largest = std::max(largest, (contact.A * change).cwiseAbs().maxCoeff());
    add_response(contact, change, u);
    contact.p = p;
  }
  return largest;
}

// Returns the impulse that solves (1) and (2) for one contact; v includes the effect of its present impulse.
Vector3d ContactSweeps::find_impulse(Contact& contact, const Vector3d& v) {
  contact.sticks = false;
  const Matrix3d& A = contact.A;
  const double mu = contact.law.friction;
  const Vector3d w = v - A * contact.p;  // without its impulse
  if (w[0] >= 0.0 || !(A(0, 0) > 0.0)) return Vector3d::Zero();
  if (mu == 0.0) return {-w[0] / A(0, 0), 0.0, 0.0};
  Vector3d stuck = contact.p - contact.inverse * v;
  const double tangential = stuck.tail<2>().norm();
  if (stuck[0] >= 0.0 && tangential <= mu * stuck[0]) {
    contact.sticks = true;
    return stuck;
  }
  Vector3d p;
  if (find_sliding_impulse(A, w, mu, -stuck.tail<2>(), p)) return p;
  // Painleve's paradox, no sliding solution: take the point of the cone nearest to the sticking impulse
  p = {std::max(stuck[0], 0.0), stuck[1], stuck[2]};
  if (tangential > mu * p[0]) p.tail<2>() *= mu * p[0] / tangential;
  return p;
}

// Lets contacts stick that slide much slower than the fastest, as many do only because the sweeps still shift
// the loads. Returns whether there are any.
bool ContactSweeps::hold_slow_contacts(std::span<const double> u) {
  double fastest = 0.0;
  for (const Contact& contact : contacts_) fastest = std::max(fastest, contact.A(0, 0) * contact.p[0]);
  bool holds = false;
  for (Contact& contact : contacts_) {
    if (contact.sticks || !(contact.p[0] > 0.0) || contact.law.friction == 0.0) continue;
    contact.sticks = product(contact, u).tail<2>().norm() <= kSlowSlip * fastest;
    holds = holds || contact.sticks;
  }
  return holds;
}

// Solves (4) by Newton's method, and checks the states by a sweep. Returns whether that sweep changes less
// than the one before; otherwise impulses and u are restored, and only the states are those of the new sweep.
bool ContactSweeps::polish(std::span<double> u) {
  find_mobility();
  kept_.assign(u.begin(), u.end());
  kept_impulses_.clear();
  for (const Contact& contact : contacts_) kept_impulses_.push_back(contact.p);
  for (int step = 0; step < kNewtonSteps; ++step) {
    find_equations(u);
    const double size = F_.cwiseAbs().maxCoeff();
    const VectorXd change = Eigen::PartialPivLU<Eigen::MatrixXd>(J_).solve(-F_);
    if (!change.allFinite()) break;
    for (std::size_t k = 0; k < carrying_.size(); ++k) {
      const Vector3d p = change.segment<3>(static_cast<Eigen::Index>(3 * k));
      contacts_[carrying_[k]].p += p;
      add_response(contacts_[carrying_[k]], p, u);
    }
    if (size <= kAlmost * change_) break;
  }
  const double after = sweep(u);
  if (after < change_) {
    change_ = after;
    return true;
  }
  std::ranges::copy(kept_, u.begin());
  for (std::size_t i = 0; i < contacts_.size(); ++i) contacts_[i].p = kept_impulses_[i];
  change_ = sweep(u);
  return false;
}

void ContactSweeps::find_mobility() {
  carrying_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (contacts_[i].p[0] > 0.0) carrying_.push_back(i);
  }
  const auto n = static_cast<Eigen::Index>(3 * carrying_.size());
  G_.resize(n, n);
  for (Eigen::Index i = 0; i < n; i += 3) {
    const Contact& one = contacts_[carrying_[static_cast<std::size_t>(i / 3)]];
    for (Eigen::Index j = 0; j < n; j += 3) {
      G_.block<3, 3>(i, j) =
          i == j ? one.A : mobility(one, contacts_[carrying_[static_cast<std::size_t>(j / 3)]]);
    }
  }
}

// Computes the residuals of (4) and their derivatives with respect to the impulses of the contacts that carry
// load, all in the unit of a velocity.
void ContactSweeps::find_equations(std::span<const double> u) {
  const auto n = static_cast<Eigen::Index>(3 * carrying_.size());
  J_ = G_;
  F_.resize(n);
  for (Eigen::Index k = 0; k < n; k += 3) {
    const Contact& contact = contacts_[carrying_[static_cast<std::size_t>(k / 3)]];
    const double scale = contact.A(0, 0), mu = contact.law.friction;
    const Vector3d v = product(contact, u);
    F_.segment<3>(k) = v;
    F_[k] += contact.law.bias + contact.law.compliance * contact.p[0];
    if (contact.sticks) continue;
    const Eigen::Vector2d slip = v.tail<2>(), p_t = contact.p.tail<2>();
    const double speed = slip.norm(), friction = p_t.norm();
    F_.segment<2>(k + 1) = scale * p_t;
    J_.middleRows<2>(k + 1).setZero();
    if (mu > 0.0 && friction > 0.0) {
      const bool moves = speed > kStill * change_;
      const Eigen::Vector2d d = moves ? Eigen::Vector2d(slip / speed) : Eigen::Vector2d(-p_t / friction);
      F_.segment<2>(k + 1) += scale * mu * contact.p[0] * d;
      if (moves) {
        const Eigen::Matrix2d turn = (Eigen::Matrix2d::Identity() - d * d.transpose()) / speed;
        J_.middleRows<2>(k + 1) = scale * mu * contact.p[0] * turn * G_.middleRows<2>(k + 1);
      }
      J_.block<2, 1>(k + 1, k) += scale * mu * d;
    }
    J_.block<2, 2>(k + 1, k + 1).diagonal().array() += scale;
  }
  // For redundant contacts: directions that change no velocity then get a change of zero, up to round-off.
  J_.diagonal().array() += kRegular * G_.diagonal().mean();
}

Matrix3d ContactSweeps::mobility(const Contact& one, const Contact& other) const {
  using Rows =
      Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
  const auto m = one.ranges[0].count + one.ranges[1].count, n = other.ranges[0].count + other.ranges[1].count;
  Matrix3d sum = Matrix3d::Zero();
  const double* C = numbers_.data() + one.begin;
  for (const Range& a : one.ranges) {
    const double* B = numbers_.data() + other.begin + 3 * n;
    for (const Range& b : other.ranges) {
      if (a.first == b.first && a.count == b.count && a.count > 0) {
        sum += Rows(C, 3, a.count, Eigen::OuterStride<>(m))
                   .lazyProduct(Rows(B, 3, b.count, Eigen::OuterStride<>(n)).transpose());
      }
      B += b.count;
    }
    C += a.count;
  }
  return sum;
}

void ContactSweeps::solve_by_cones(std::span<double> u, double tolerance) {
  double best = change_;
  std::vector<Vector3d> impulses;
  for (const Contact& contact : contacts_) impulses.push_back(contact.p);
  cone_contacts_.clear();
  bool is_exact = true;
  for (int round = 0; round < kMostRounds && is_exact; ++round) {
    start_cones(u);
    is_exact = cones_.solve(M_, scale_.cwiseProduct(b_) + slip_, is_ray_);
    take_cones(u);
    if (go_on(u, tolerance, kSweepsOfRound)) return;
    if (change_ >= best) continue;
    best = change_;
    for (std::size_t i = 0; i < contacts_.size(); ++i) impulses[i] = contacts_[i].p;
  }
  if (is_exact) {
    take_cones(u);
  } else {
    set_impulses(impulses, u);
  }
}

// Sets up the problem of the contacts that carry load, in the coordinates in which the cones are those of
// cone_program.h: x = [mu p_n; p_t], y = [v_n/mu + s; v_t]. A contact without friction is a ray, x = p_n.
void ContactSweeps::start_cones(std::span<const double> u) {
  find_mobility();
  const auto n = static_cast<Eigen::Index>(3 * carrying_.size());
  if (carrying_ != cone_contacts_) slip_.setZero(n);
  cone_contacts_ = carrying_;
  b_.setZero(n);
  scale_.setOnes(n);
  is_ray_.resize(carrying_.size());
  VectorXd p(n);
  for (Eigen::Index i = 0; i < n; i += 3) {
    const Contact& contact = contacts_[carrying_[static_cast<std::size_t>(i / 3)]];
    is_ray_[static_cast<std::size_t>(i / 3)] = contact.law.friction == 0.0;
    if (contact.law.friction > 0.0) scale_[i] = 1.0 / contact.law.friction;
    b_.segment<3>(i) = product(contact, u);
    b_[i] += contact.law.bias + contact.law.compliance * contact.p[0];
    p.segment<3>(i) = contact.p;
  }
  b_ -= G_ * p;
  M_ = 0.5 * (G_ + G_.transpose());
  M_ = (scale_.asDiagonal() * M_ * scale_.asDiagonal()).eval();
}

// Takes the impulses from the cones, with the slip that they lead to.
void ContactSweeps::take_cones(std::span<double> u) {
  const VectorXd p = scale_.cwiseProduct(cones_.x());
  const VectorXd v = (M_ * cones_.x()).cwiseQuotient(scale_) + b_;
  std::vector<Vector3d> impulses(contacts_.size(), Vector3d::Zero());
  for (std::size_t i = 0; i < cone_contacts_.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(3 * i);
    const Contact& contact = contacts_[cone_contacts_[i]];
    if (contact.A(0, 0) * p[k] > v[k]) impulses[cone_contacts_[i]] = p.segment<3>(k);
    slip_[k] = contact.law.friction > 0.0 ? v.segment<2>(k + 1).norm() : 0.0;
  }
  set_impulses(impulses, u);
}

void ContactSweeps::set_impulses(std::span<const Vector3d> p, std::span<double> u) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Vector3d change = p[i] - contacts_[i].p;
    if (!change.isZero(0.0)) add_response(contacts_[i], change, u);
    contacts_[i].p = p[i];
  }
}

void ContactSweeps::close(std::span<const double> gaps, std::span<double> displacement, double tolerance,
                          int most) const {
  std::vector<double> push(contacts_.size(), 0.0);
  for (int sweep = 0; sweep < most; ++sweep) {
    double largest = 0.0;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& contact = contacts_[i];
      const double mobility = contact.A(0, 0) - contact.law.compliance;
      if (contact.law.compliance > 0.0 || !(mobility > 0.0)) continue;
      const double gap = product(contact, displacement)[0] + gaps[i];
      const double next = std::max(0.0, push[i] - gap / mobility);
      if (next == push[i]) continue;
      largest = std::max(largest, mobility * std::abs(next - push[i]));
      add_response(contact, {next - push[i], 0.0, 0.0}, displacement);
      push[i] = next;
    }
    if (largest <= tolerance) return;
  }
}

}  // namespace sestina
