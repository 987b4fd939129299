#include "sestina/dynamics/assembly.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <cmath>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/base/memory.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

constexpr double kClosed = 1e-10;  // of the mechanism's size

class Assembler {
 public:
  Assembler(const Model& model, const Properties<double>& properties)
      : model_(model),
        properties_(properties),
        kinematics_(model),
        conditions_(model, SaddlePoint::kEmbedding),
        length_(properties.constraints.length),
        n_(model.nu()),
        m_(model.constraint_rows()) {}

  // Whether the loops are closed with these speeds' coordinates free to move.
  bool close(State<double>& state, const std::vector<bool>& is_free, bool by_mass) {
    const State<double> start = state;
    double best = INFINITY;
    State<double> best_state = state;
    constexpr int kAttempts = 24;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      state = start;
      if (attempt > 0) shake(state, is_free, attempt);
      const double error = iterate(start, state, is_free, by_mass);
      if (error <= kClosed * length_) return true;
      if (error < best) best = error, best_state = state;
    }
    state = best_state;
    update(state);
    return false;
  }

  // The same for speeds, which are linear but for conditions that are not.
  bool match_speeds(State<double>& state, const std::vector<bool>& is_free, bool by_mass) {
    Eigen::MatrixXd basis;
    for (int step = 0; step < 20; ++step) {
      update(state);
      if (errors_.velocity <= kClosed * speed_scale()) return true;
      linearise(is_free, by_mass, basis);
      const Eigen::VectorXd change =
          basis * (C_ * basis).completeOrthogonalDecomposition().solve(-velocities());
      for (int k = 0; k < n_; ++k) state.u[static_cast<std::size_t>(k)] += change[k];
    }
    update(state);
    return errors_.velocity <= kClosed * speed_scale();
  }

  const ConstraintErrors& errors() const { return errors_; }
  void take_cut_coordinates(State<double>& state) {
    update(state);
    std::copy(conditions_.rows().cut_q.begin(), conditions_.rows().cut_q.end(), state.h.begin());
  }

 private:
  void update(const State<double>& state) {
    update_kinematics(model_, properties_, state, kinematics_);
    conditions_.update(properties_, state, kinematics_);
    errors_ = conditions_.errors();
  }
  double speed_scale() const {
    double size = length_;
    for (const BodyMotion<double>& motion : kinematics_.motion) {
      size = std::max(size, length_ * norm(motion.V_WB.w) + norm(motion.V_WB.v));
    }
    return size;
  }

  Eigen::VectorXd positions() const {
    Eigen::VectorXd g(m_);
    for (int r = 0; r < m_; ++r) {
      const auto& row = conditions_.rows().rows[static_cast<std::size_t>(r)];
      g[r] = row.is_on_position ? row.error : 0.0;
    }
    return g;
  }
  Eigen::VectorXd velocities() const {
    Eigen::VectorXd v(m_);
    for (int r = 0; r < m_; ++r) v[r] = conditions_.rows().rows[static_cast<std::size_t>(r)].velocity;
    return v;
  }

  // C_, and a basis of the displacements that are free, in which the norm is that of (1).
  void linearise(const std::vector<bool>& is_free, bool by_mass, Eigen::MatrixXd& basis) {
    ConstrainedKane matrix(model_);
    matrix.factor(properties_, kinematics_, conditions_.rows());
    C_ = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(matrix.matrix().data(), m_, n_);
    std::vector<int> free;
    for (int k = 0; k < n_; ++k) {
      if (is_free[static_cast<std::size_t>(k)]) free.push_back(k);
    }
    const auto f = static_cast<Eigen::Index>(free.size());
    basis = Eigen::MatrixXd::Zero(n_, f);
    for (Eigen::Index i = 0; i < f; ++i) basis(free[static_cast<std::size_t>(i)], i) = 1.0;
    if (!by_mass) return;
    MassMatrix<double> mass(model_);
    mass.update(properties_, kinematics_);
    Eigen::MatrixXd M(f, f);
    for (Eigen::Index i = 0; i < f; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        const int a = free[static_cast<std::size_t>(i)], b = free[static_cast<std::size_t>(j)];
        M(i, j) = M(j, i) = mass.matrix()(std::max(a, b), std::min(a, b));
      }
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(M);
    if (factor.info() != Eigen::Success || factor.rcond() < 1e-12) return;
    basis = basis * factor.matrixU().solve(Eigen::MatrixXd::Identity(f, f));
  }

  // The error at the end (m).
  double iterate(const State<double>& start, State<double>& state, const std::vector<bool>& is_free,
                 bool by_mass) {
    constexpr int kMostSteps = 60;
    const auto size = static_cast<std::size_t>(n_);
    std::vector<double> displacement(size), away(size);
    Eigen::MatrixXd basis;
    update(state);
    double error = positions().norm();
    for (int step = 0; step < kMostSteps && std::isfinite(error); ++step) {
      const double largest = errors_.position;
      linearise(is_free, by_mass, basis);
      if (basis.cols() == 0) break;
      const auto decomposition = (C_ * basis).completeOrthogonalDecomposition();
      Eigen::VectorXd d;
      if (largest <= kClosed * length_) {
        if (largest <= ConstrainedDynamics::tolerance(properties_)) break;
        d = basis * decomposition.solve(-positions());
      } else {
        minus_q<double>(model_, state.q, start.q, away);
        // D in the basis, whose columns are independent: what of it can be taken back is taken back.
        const Eigen::VectorXd D =
            basis.colPivHouseholderQr().solve(Eigen::Map<const Eigen::VectorXd>(away.data(), n_));
        d = basis * (decomposition.solve(C_ * basis * D - positions()) - D);  // (1)
      }
      const double length = d.cwiseAbs().maxCoeff();
      if (!std::isfinite(length)) break;
      constexpr double kLongest = 0.5;  // rad; or of the mechanism's size
      double part = std::min(1.0, kLongest / std::max(length, 1e-300));
      const State<double> before = state;
      const double error_before = error;
      for (int halving = 0; halving < 12; ++halving, part *= 0.5) {
        for (int k = 0; k < n_; ++k) displacement[static_cast<std::size_t>(k)] = part * d[k];
        plus_q<double>(model_, before.q, displacement, state.q);
        normalize_q<double>(model_, state.q);
        update(state);
        error = positions().norm();
        if (error < error_before) break;
      }
      if (!(error < error_before)) {
        state = before;
        update(state);
        break;
      }
    }
    return errors_.position;
  }

  // The same displacements on every machine, larger with every attempt.
  void shake(State<double>& state, const std::vector<bool>& is_free, int attempt) const {
    std::vector<double> displacement(static_cast<std::size_t>(n_));
    constexpr double kGolden = std::numbers::phi;
    const double size = 0.15 * attempt;
    for (std::size_t k = 0; k < displacement.size(); ++k) {
      const double x = kGolden * (static_cast<double>(k) + 1.0) + 0.37 * attempt * (attempt + 1.0);
      if (is_free[k]) displacement[k] = size * (2.0 * (x - std::floor(x)) - 1.0);
    }
    plus_q<double>(model_, state.q, displacement, state.q);
  }

  const Model& model_;
  const Properties<double>& properties_;
  Kinematics<double> kinematics_;
  ConstrainedDynamics conditions_;
  ConstraintErrors errors_;
  Eigen::MatrixXd C_;
  double length_;
  int n_, m_;
};

// Of joints whose given numbers changed: which, and by how much.
void find_moved(const Model& model, std::span<const double> changes, const std::vector<bool>& is_given,
                bool is_speed, std::vector<AssemblyReport::Moved>& moved) {
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    AssemblyReport::Moved of_joint{info.joint_name, 0.0, "", is_speed};
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (!is_given[i] || std::abs(changes[i]) <= of_joint.by) continue;
      of_joint.by = std::abs(changes[i]);
      of_joint.unit = model.u_units()[i];
      if (!is_speed) of_joint.unit = of_joint.unit == "rad/s" ? "rad" : "m";
    }
    if (of_joint.by > 1e-9) moved.push_back(of_joint);
  }
}

// "; hip is held": joints that may not move.
std::string holds(const Model& model) {
  std::string names;
  for (const BodyInfo& body : model.bodies()) {
    if (body.nu == 0 || !model.is_held()[static_cast<std::size_t>(body.u_start)]) continue;
    names += (names.empty() ? "; held: " : ", ") + body.joint_name;
  }
  return names;
}

[[noreturn]] void fail(const Model& model, int row, const std::string& what) {
  for (const CutJointInfo& joint : model.cut_joints()) {
    if (row < joint.first_row || row >= joint.first_row + joint.rows) continue;
    throw InputError({Fault{{joint.mark, fmt::format("joints[{}]", joint.position)}, what}});
  }
  for (const ConstraintInfo& constraint : model.constraints()) {
    if (row < constraint.first_row || row >= constraint.first_row + constraint.rows) continue;
    throw InputError({Fault{{constraint.mark, fmt::format("constraints[{}]", constraint.position)}, what}});
  }
  throw InputError(what);
}

}  // namespace

std::string describe(const AssemblyReport::Moved& moved) {
  return fmt::format("{} of {} changed by {:.3g} {}", moved.is_speed ? "the speed" : "the position",
                     moved.joint, moved.by, moved.unit);
}

void assemble(const Model& model, const Properties<double>& properties, const std::vector<bool>& is_q_given,
              const std::vector<bool>& is_u_given, State<double>& state, AssemblyReport* report) {
  if (!model.is_constrained()) return;
  const auto n = static_cast<std::size_t>(model.nu());
  check_memory(8.0 * 6.0 * static_cast<double>(n) *
                   static_cast<double>(n + static_cast<std::size_t>(model.constraint_rows())),
               "the assembly of the mechanism");
  const auto free_of = [&](const std::vector<bool>& is_given, bool all) {
    std::vector<bool> is_free(n);
    for (std::size_t k = 0; k < n; ++k) {
      const bool is_kept = !all && !is_given.empty() && is_given[k];
      is_free[k] = !model.is_held()[k] && !is_kept;
    }
    return is_free;
  };
  Assembler assembler(model, properties);
  const State<double> given = state;
  if (!assembler.close(state, free_of(is_q_given, false), false)) {
    State<double> second = given;
    if (!assembler.close(second, free_of(is_q_given, true), true)) {
      const int row = assembler.errors().position_row;
      fail(model, row,
           fmt::format("{} cannot be closed: {:.3g} m are left{}", model.name_of_row(row),
                       assembler.errors().position, holds(model)));
    }
    state = second;
  }
  if (!assembler.match_speeds(state, free_of(is_u_given, false), false)) {
    state.u = given.u;
    if (!assembler.match_speeds(state, free_of(is_u_given, true), true)) {
      const int row = assembler.errors().velocity_row;
      fail(model, row,
           fmt::format("no initial speeds agree with {}: {:.3g} m/s are left{}", model.name_of_row(row),
                       assembler.errors().velocity, holds(model)));
    }
  }
  if (report != nullptr) {
    std::vector<double> moved(n), changed(n);
    minus_q<double>(model, state.q, given.q, moved);
    for (std::size_t k = 0; k < n; ++k) changed[k] = state.u[k] - given.u[k];
    report->moved.clear();
    if (!is_q_given.empty()) find_moved(model, moved, is_q_given, false, report->moved);
    if (!is_u_given.empty()) find_moved(model, changed, is_u_given, true, report->moved);
    report->position_error = assembler.errors().position;
  }
  assembler.take_cut_coordinates(state);
}

State<double> calc_assembled_state(const Model& model, const Properties<double>& properties,
                                   AssemblyReport* report) {
  State<double> state = calc_initial_state<double>(model, properties.parameters);
  assemble(model, properties, model.is_q_given(), model.is_u_given(), state, report);
  return state;
}

}  // namespace sestina
