#include "sestina/integrate/lasting_contact_step.h"

#include <algorithm>
#include <cmath>

#include "sestina/integrate/displacement.h"
#include "sestina/numerics/eigen_vectors.h"

namespace sestina {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRedundant = 1e-11;  // of the largest pivot
constexpr double kAtRest = 1e-10;     // of the largest speed: a contact that is faster slides
constexpr double kTurned = 1e-6;      // of the first slip: a smaller slip has no direction of its own
constexpr double kImplied = 1e-6;     // sine of the angle between a row and the motions that are possible
constexpr double kOnCone = 1e-9;      // of the normal force: friction may exceed its limit by this

// Returns HEM4 of the source.
ButcherTableau half_explicit_rule() {
  const double r = std::sqrt(6.0);
  return {.order = 4,
          .c = {0.0, 0.3, (4 - r) / 10, (4 + r) / 10, 1.0},
          .a = {{},
                {0.3},
                {(1 + r) / 30, (11 - 4 * r) / 30},
                {(-79 - 31 * r) / 150, (-1 - 4 * r) / 30, (24 + 11 * r) / 25},
                {(14 + 5 * r) / 6, (-8 + 7 * r) / 6, (-9 - 7 * r) / 4, (9 - r) / 4}},
          .b = {0.0, 0.0, (16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
}

Index at(std::size_t i) { return static_cast<Index>(i); }

std::span<double> column(MatrixXd& matrix, std::size_t i) {
  return {matrix.col(at(i)).data(), static_cast<std::size_t>(matrix.rows())};
}

}  // namespace

LastingContactStep::LastingContactStep() : tableau_(half_explicit_rule()), solver_(kRedundant) {}

bool LastingContactStep::take(EquationsOfMotion& equations, const State<double>& from, double t_end,
                              std::span<const Contact> contacts, State<double>& to) {
  equations_ = &equations;
  contacts_ = contacts;
  has_slipped_ = false;
  const double h = t_end - from.t;
  start(from);
  const std::size_t stages = tableau_.b.size();
  for (std::size_t stage = 0; stage <= stages; ++stage) {
    stage_.t = stage + 1 < stages ? from.t + tableau_.c[stage] * h : t_end;
    if (stage > 0 && !move(from, h, stage)) return false;
    if (stage == 0 && (!read_rows() || (rows_ * as_vector(from.u)).lpNorm<Eigen::Infinity>() >
                                           kAtRest * as_vector(from.u).lpNorm<Eigen::Infinity>()))
      return false;
    if (!read_slip(stage) || (stage < stages && !evaluate(stage))) return false;
  }
  to = stage_;
  return true;
}

void LastingContactStep::start(const State<double>& from) {
  stage_ = from;
  const Index stages = tableau_.stages();
  rate_.resize(at(from.u.size()), stages);
  udot_.resize(at(from.u.size()), stages);
  xdot_.resize(at(from.x.size()), stages);
  zdot_.resize(at(from.z.size()), stages);
  displacement_.assign(from.u.size(), 0.0);
  equations_->contact_face()->update_contacts(from);
  count_ = equations_->contact_face()->contacts().size();
}

// Moves to a stage, with forces at the stage before such that (2) holds.
bool LastingContactStep::move(const State<double>& from, double h, std::size_t stage) {
  const std::vector<double>& row = stage < tableau_.a.size() ? tableau_.a[stage] : tableau_.b;
  const Eigen::Map<const VectorXd> weights(row.data(), at(stage));
  as_vector(displacement_) = h * rate_.leftCols(at(stage)) * weights;
  equations_->plus(from.q, displacement_, stage_.q);
  as_vector(stage_.u) = as_vector(from.u) + h * udot_.leftCols(at(stage)) * weights;
  ContactFace& face = *equations_->contact_face();
  face.update_contacts(stage_);
  if (face.contacts().size() != count_ || !read_rows() || !find_forces(h * weights[at(stage) - 1], stage - 1))
    return false;
  as_vector(stage_.x) = as_vector(from.x) + h * xdot_.leftCols(at(stage)) * weights;
  as_vector(stage_.z) = as_vector(from.z) + h * zdot_.leftCols(at(stage)) * weights;
  return true;
}

// Reads the rows of the contacts at the last update. False if they are not finite.
bool LastingContactStep::read_rows() {
  const auto n = at(contacts_.size()), nu = at(stage_.u.size());
  C_.resize(3 * n, nu);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    C_.middleRows<3>(at(3 * i)) = Eigen::Map<const Eigen::Matrix<double, 3, -1, Eigen::RowMajor>>(
        equations_->contact_face()->contact_rows(contacts_[i].number).data(), 3, nu);
  }
  Index forces = 0;
  for (const Contact& contact : contacts_) forces += contact.sticks ? 3 : 1;
  rows_.resize(forces, nu);
  Index row = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Index own = contacts_[i].sticks ? 3 : 1;
    rows_.middleRows(row, own) = C_.middleRows(at(3 * i), own);
    row += own;
  }
  return rows_.allFinite();
}

// Computes the slip of the contacts at a stage, and its directions. Returns false if one that slides has come
// to rest or turned back.
bool LastingContactStep::read_slip(std::size_t stage) {
  const VectorXd v = C_ * as_vector(stage_.u);
  slip_.resize(2, at(contacts_.size()));
  directions_.setZero(2, slip_.cols());
  for (Index i = 0; i < slip_.cols(); ++i) slip_.col(i) = v.segment<2>(3 * i + 1);
  const double least = kAtRest * as_vector(stage_.u).lpNorm<Eigen::Infinity>();
  if (stage == 0) {
    first_slip_ = slip_;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (slip_.col(at(i)).norm() <= least) first_slip_.col(at(i)) = contacts_[i].direction;
    }
  }
  bool last = true;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (contacts_[i].sticks || contacts_[i].friction == 0.0) continue;
    last = (stage == 0 ? read_direction(i, first_slip_.col(at(i)), 0.0)
                       : read_direction(i, slip_.col(at(i)), least)) &&
           last;
  }
  return last;
}

// Computes the direction of a slip. Returns false if the slip is not larger than `least`, or has turned.
bool LastingContactStep::read_direction(std::size_t contact, Eigen::Vector2d slip, double least) {
  const Eigen::Vector2d first = first_slip_.col(at(contact));
  const bool lasts = slip.norm() > least && slip.dot(first) > 0.0;
  if (contacts_[contact].turns) {
    const Eigen::Vector2d forwards = first.normalized();
    slip -= std::min(slip.dot(forwards), 0.0) * forwards;
    if (slip.norm() <= kTurned * first.norm()) slip = forwards;
  }
  directions_.col(at(contact)) = slip.normalized();
  return lasts || contacts_[contact].turns;
}

// Computes the rates of a stage without contacts, and their changes per unit of contact force. Returns false
// if a number is not finite.
bool LastingContactStep::evaluate(std::size_t stage) {
  calc_displacement_rate(equations_->rotations(), displacement_, stage_.u, column(rate_, stage));
  equations_->calc_derivatives(stage_, {column(udot_, stage), column(xdot_, stage), column(zdot_, stage)});
  if (equations_->contact_face()->quadrature_of_motions() >= 0) {
    State<double> driven = stage_;
    std::ranges::fill(driven.u, 0.0);
    equations_->project(driven);
    driven_ = C_ * as_vector(driven.u);
  }
  find_responses();
  return udot_.col(at(stage)).allFinite() && xdot_.col(at(stage)).allFinite() &&
         zdot_.col(at(stage)).allFinite() && responses_.allFinite();
}

void LastingContactStep::find_responses() {
  responses_.setZero(C_.cols(), rows_.rows());
  Index force = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    const auto C = C_.middleRows<3>(at(3 * i));
    for (Index k = 0; k < (contact.sticks ? 3 : 1); ++k, ++force) {
      as_vector(displacement_) = C.row(k).transpose();
      if (!contact.sticks && contact.friction > 0.0) {
        as_vector(displacement_) -= contact.friction * C.bottomRows<2>().transpose() * directions_.col(at(i));
      }
      if (as_vector(displacement_).isZero(0.0)) continue;
      equations_->impulse_face()->calc_velocity_jump(stage_, displacement_,
                                                     column(responses_, static_cast<std::size_t>(force)));
    }
  }
}

// Finds the forces of a stage, which change the speeds of the next stage by h times their responses, and adds
// them to the rates. False if the contacts do not last.
bool LastingContactStep::find_forces(double h, std::size_t stage) {
  const VectorXd forces = solve(rows_ * as_vector(stage_.u), h);
  if (!can_last(forces)) return false;
  const VectorXd change = responses_ * forces;
  udot_.col(at(stage)) += change;
  as_vector(stage_.u) += h * change;
  count_work(stage, forces);
  return true;
}

// Returns the forces that remove these speeds along rows_ within h, in addition to the given ones. If
// friction and inertia are coupled too strongly, they are not finite.
VectorXd LastingContactStep::solve(VectorXd speeds, double h) {
  MatrixXd A = rows_ * responses_;
  if ((A.diagonal().array() < 0.0).any()) return VectorXd::Constant(A.rows(), std::nan(""));
  VectorXd given = VectorXd::Zero(A.rows());
  Index force = 0;
  for (const Contact& contact : contacts_) {
    if (contact.load) {
      given[force] = *contact.load;
      speeds += h * given[force] * A.col(force);
      A.col(force).setZero();
    }
    force += contact.sticks ? 3 : 1;
  }
  return solver_.compute(A).solve(speeds / -h) + given;
}

bool LastingContactStep::can_last(const VectorXd& forces) {
  Index force = 0;
  bool slips = false;
  for (const Contact& contact : contacts_) {
    const double normal = forces[force];
    if (!(normal >= 0.0)) return false;
    slips = slips ||
            (contact.sticks && forces.segment<2>(force + 1).norm() > (contact.friction + kOnCone) * normal);
    force += contact.sticks ? 3 : 1;
  }
  has_slipped_ = slips;
  return !slips;
}

// Adds the work that sliding absorbs, and the work that prescribed motions supply against contacts (see
// moreau.h).
void LastingContactStep::count_work(std::size_t stage, const VectorXd& forces) {
  const ContactFace& face = *equations_->contact_face();
  double absorbed = 0.0, supplied = 0.0;
  Index force = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    Eigen::Vector3d f(forces[force], 0.0, 0.0);
    if (contact.sticks) {
      f.tail<2>() = forces.segment<2>(force + 1);
    } else if (contact.friction > 0.0) {
      f.tail<2>() = -contact.friction * f[0] * directions_.col(at(i));
      absorbed -= f.tail<2>().dot(slip_.col(at(i)));
    }
    if (face.quadrature_of_motions() >= 0) supplied -= f.dot(driven_.segment<3>(at(3 * i)));
    force += contact.sticks ? 3 : 1;
  }
  zdot_(face.quadrature_of_contacts(), at(stage)) += absorbed;
  if (face.quadrature_of_motions() >= 0) zdot_(face.quadrature_of_motions(), at(stage)) += supplied;
}

void LastingContactStep::remove_speeds(EquationsOfMotion& equations, std::span<const Contact> contacts,
                                       State<double>& state) {
  equations_ = &equations;
  contacts_ = contacts;
  stage_ = state;
  displacement_.assign(state.u.size(), 0.0);
  equations_->contact_face()->update_contacts(state);
  read_rows();
  read_slip(0);
  find_responses();
  // The speeds are removed by impulses, compared with which given forces vanish.
  Index force = 0;
  for (const Contact& contact : contacts_) {
    if (contact.load) responses_.col(force).setZero();
    force += contact.sticks ? 3 : 1;
  }
  // A speed that the constraints exclude, as that of a slider at its dead centre, is not removed: all others
  // would be lost with it.
  for (Index i = 0; i < rows_.rows(); ++i) {
    const double mobility = rows_.row(i).dot(responses_.col(i));
    if (!(mobility > kImplied * rows_.row(i).norm() * responses_.col(i).norm())) {
      rows_.row(i).setZero(), responses_.col(i).setZero();
    }
  }
  as_vector(state.u) -= responses_ * solver_.compute(rows_ * responses_).solve(rows_ * as_vector(state.u));
}

}  // namespace sestina
