#include "sestina/dynamics/driving_forces.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>

#include "sestina/base/error.h"
#include "sestina/base/index.h"
#include "sestina/base/suggest.h"
#include "sestina/dynamics/required_forces.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/eigen_vectors.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina {
namespace {

using Eigen::VectorXd;

// A motion satisfies conditions and is balanced by drives up to this fraction of the largest terms.
constexpr double kInexactMotion = 1e-6;
// The same at rest, as a fraction of the mechanism's size, per s or s^2: round-off.
constexpr double kRoundOffAtRest = 1e-12;

// Whether `speed` is "NAME.u" or "NAME.u[i]" of the joint `name`, or itself `name`.
bool is_speed_of(const std::string& speed, const std::string& name) {
  return speed == name || speed == name + ".u" || speed.starts_with(name + ".u[");
}

}  // namespace

struct DrivingForces::Matrices {
  VectorXd S;            // (nu)
  Eigen::MatrixXd C, B;  // (rows x nu), (drives x nu)
};

DrivingForces::~DrivingForces() = default;

DrivingForces::DrivingForces(const Model& model, const Properties<double>& properties,
                             const std::vector<std::string>& drives)
    : model_(model),
      properties_(properties),
      kinematics_(model),
      forces_(model),
      rows_(model),
      inverse_(model),
      matrices_(std::make_unique<Matrices>()),
      lambda_(static_cast<std::size_t>(model.constraint_rows())),
      f_(static_cast<std::size_t>(model.nu())),
      matrix_(lambda_.size() * f_.size()) {
  auto& [S, C, B] = *matrices_;
  S.resize(model.nu());
  C.resize(model.constraint_rows(), model.nu());
  for (Eigen::Index k = 0; k < S.size(); ++k) {
    S[k] = model.u_units()[at(k)] == "rad/s" ? 1.0 : properties.constraints.length;
  }
  for (const std::string& name : drives) add_drives(name);
  tau_.resize(drives_.size());
  B.setZero(static_cast<Eigen::Index>(drives_.size()), model.nu());
}

void DrivingForces::add_drives(const std::string& name) {
  const std::size_t before = drives_.size();
  const auto add = [&](const std::string& speed, const std::string& unit, Drive drive) {
    if (std::ranges::find(names_, speed) != names_.end()) {
      throw InputError(fmt::format("drives: {} is given twice", speed));
    }
    drive.scale = unit == "rad/s" ? 1.0 : properties_.constraints.length;
    names_.push_back(speed);
    drives_.push_back(drive);
  };
  for (std::size_t k = 0; k < f_.size(); ++k) {
    if (!is_speed_of(model_.u_names()[k], name)) continue;
    add(model_.u_names()[k], model_.u_units()[k], {.speed = static_cast<int>(k)});
  }
  for (std::size_t i = 0; i < model_.cut_joints().size(); ++i) {
    const CutJointInfo& cut = model_.cut_joints()[i];
    for (int k = 0; k < cut.nu; ++k) {
      const auto speed = static_cast<std::size_t>(cut.u_start + k);
      if (!is_speed_of(model_.cut_u_names()[speed], name)) continue;
      add(model_.cut_u_names()[speed], model_.cut_u_units()[speed],
          {.speed = k, .cut_joint = static_cast<int>(i)});
    }
  }
  if (drives_.size() > before) return;
  const auto itself = [](const std::string& speed) { return speed; };
  const std::vector<std::string> known =
      names_to_suggest(model_.cut_u_names(), itself, names_to_suggest(model_.u_names(), itself));
  throw InputError(
      fmt::format("drives: no joint and no speed is named '{}'{}", name, suggestion(name, known)));
}

void DrivingForces::update_drives() {
  Eigen::MatrixXd& B = matrices_->B;
  B.setZero();
  std::vector<double> row(f_.size());
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    const Drive& drive = drives_[i];
    auto to = B.row(static_cast<Eigen::Index>(i));
    if (drive.cut_joint < 0) {
      to[drive.speed] = 1.0;
      continue;
    }
    const auto joint = static_cast<std::size_t>(drive.cut_joint);
    std::array<double, 6> unit{};
    unit[static_cast<std::size_t>(drive.speed)] = 1.0;
    FramePair<double> pair;
    double bias = 0.0;
    add_force_of_speeds<double>(properties_.constraints.cut_joints[joint], rows_.cut_motions[joint],
                                unit.data(), pair, bias);
    std::ranges::fill(row, 0.0);
    add_generalized_force(model_, kinematics_, pair, row);
    to = Eigen::Map<const Eigen::RowVectorXd>(row.data(), B.cols());
  }
}

void DrivingForces::check_motion(const State<double>& state, std::span<const double> udot) const {
  const Eigen::MatrixXd& C = matrices_->C;
  if (C.size() == 0) return;
  VectorXd left[3] = {VectorXd::Zero(C.rows()), VectorXd::Zero(C.rows()), VectorXd::Zero(C.rows())};
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    const ConstraintRow<double>& row = rows_.rows[at(i)];
    if (row.is_inertia) continue;
    left[0][i] = row.error;
    left[1][i] = row.velocity;
    left[2][i] = row.bias + calc_rate<double>(rows_, row, inverse_.acceleration, udot);
  }
  const Eigen::MatrixXd magnitude = C.cwiseAbs();
  const auto largest_term = [&](const VectorXd& rates, std::span<const double> speeds) {
    const Eigen::Map<const VectorXd> x(speeds.data(), C.cols());
    return ((rates - C * x).cwiseAbs() + magnitude * x.cwiseAbs()).lpNorm<Eigen::Infinity>();
  };
  const double length = properties_.constraints.length;
  const double sizes[] = {length, largest_term(left[1], state.u), largest_term(left[2], udot)};
  constexpr const char* kNames[] = {"position", "velocity", "acceleration"};
  for (std::size_t level = 0; level < 3; ++level) {
    Eigen::Index worst = 0;
    const double most = left[level].cwiseAbs().maxCoeff(&worst);
    const double allowed = kInexactMotion * sizes[level] + kRoundOffAtRest * length;
    if (most <= allowed) continue;
    throw ComputationError(
        state.t, fmt::format("the motion does not satisfy {}: the error of its {} is {:.3g}; allowed "
                             "is {:.3g}",
                             model_.name_of_row(static_cast<int>(worst)), kNames[level], most, allowed));
  }
}

// `left` (nu): what the drives cannot balance of the generalised forces that the motion requires.
void DrivingForces::check_balance(double t, std::span<const double> udot,
                                  std::span<const double> left) const {
  const VectorXd& S = matrices_->S;
  const std::vector<double> scale =
      calc_residual_scale(model_, properties_, kinematics_, forces_, udot, inverse_);
  const double terms = S.cwiseProduct(as_vector(scale)).maxCoeff();
  Eigen::Index worst = 0;
  if (S.cwiseProduct(as_vector(left)).cwiseAbs().maxCoeff(&worst) <= kInexactMotion * terms) return;
  throw ComputationError(
      t, fmt::format("the drives cannot cause the motion: {} lacks {:.3g} {}; the drives are {}",
                     model_.u_names()[at(worst)], left[at(worst)],
                     model_.u_units()[at(worst)] == "rad/s" ? "N m" : "N",
                     names_.empty() ? "none" : join_words(names_)));
}

void DrivingForces::update(const State<double>& state, std::span<const double> udot) {
  auto& [S, C, B] = *matrices_;
  update_kinematics(model_, properties_, state, kinematics_);
  update_constraint_rows(model_, properties_, state, kinematics_, rows_);
  update_applied_forces(model_, properties_, state, kinematics_, forces_);
  update_required_forces(model_, properties_, kinematics_, rows_, udot, forces_, lambda_, inverse_);
  const Eigen::Map<const VectorXd> r(inverse_.residual.data(), S.size());
  if (!r.allFinite()) {
    std::string reason = explain_non_finite_constraint(model_, properties_, state, rows_);
    if (reason.empty()) reason = explain_non_finite_force(model_, properties_, state, kinematics_, forces_);
    throw ComputationError(state.t, reason.empty() ? "the state or udot is not finite" : reason);
  }
  if (f_.empty()) return;
  calc_condition_matrix(model_, kinematics_, rows_, matrix_, C);
  check_motion(state, udot);
  update_drives();
  const Eigen::MatrixXd C_S = C * S.asDiagonal();
  const Eigen::MatrixXd N = calc_null_space(C_S, kImpliedCondition);
  VectorXd rest = r;  // r - B^T tau
  if (!drives_.empty() && N.cols() > 0) {
    VectorXd S_d(B.rows());
    for (Eigen::Index i = 0; i < S_d.size(); ++i) S_d[i] = drives_[at(i)].scale;
    const Eigen::MatrixXd A = S_d.cwiseInverse().asDiagonal() * B * S.asDiagonal() * N;
    const VectorXd sigma =
        LeastNormSolver(kImpliedCondition).compute(A.transpose()).solve(N.transpose() * S.cwiseProduct(r));
    Eigen::Map<VectorXd> tau(tau_.data(), S_d.size()), f(f_.data(), S.size());
    tau = sigma.cwiseQuotient(S_d);  // (2)
    f = B.transpose() * tau;
    rest -= f;
  }
  const VectorXd left = (N * (N.transpose() * S.cwiseProduct(rest))).cwiseQuotient(S);
  check_balance(state.t, udot, {left.data(), f_.size()});
  if (C_S.size() == 0) return;
  const VectorXd lambda =
      LeastNormSolver(kImpliedCondition).compute(C_S.transpose()).solve(S.cwiseProduct(rest));  // (3)
  for (std::size_t i = 0; i < lambda_.size(); ++i) {
    if (!rows_.rows[i].is_inertia) lambda_[i] = lambda[static_cast<Eigen::Index>(i)];
  }
}

}  // namespace sestina
