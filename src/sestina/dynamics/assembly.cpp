#include "sestina/dynamics/assembly.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <cmath>
#include <numbers>
#include <optional>

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
        conditions_(model, SaddlePoint::kRecursion),
        matrix_(static_cast<std::size_t>(model.constraint_rows()) * static_cast<std::size_t>(model.nu())),
        length_(properties.constraints.length),
        n_(model.nu()),
        m_(model.constraint_rows()) {}

  // Whether the loops are closed with these speeds' coordinates free to move.
  bool close(State<double>& state, const std::vector<bool>& is_free, bool by_mass) {
    const State<double> start = state;
    update(state);
    if (errors_.position <= kClosed * length_) {  // as given: what is left is rounding of the numbers
      conditions_.project_positions(properties_, state, kinematics_);
      return true;
    }
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
    for (int step = 0; step < 20; ++step) {
      update(state);
      if (errors_.velocity <= kClosed * speed_scale()) return true;
      const Moving moving = linearise(is_free, by_mass);
      if (moving.speeds.empty()) break;
      const Eigen::VectorXd change =
          moving.from_norm(moving.C.completeOrthogonalDecomposition().solve(-velocities()));
      for (std::size_t i = 0; i < moving.speeds.size(); ++i) {
        state.u[moving.speeds[i]] += change[static_cast<Eigen::Index>(i)];
      }
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

  // Displacements y of the speeds that may move, in coordinates in which the norm of (1) is that of y.
  struct Moving {
    std::vector<std::size_t> speeds;
    Eigen::MatrixXd C;                                // (rows x speeds), by y
    std::optional<Eigen::LLT<Eigen::MatrixXd>> mass;  // M = L L^T of these speeds, y = L^T d; otherwise y = d

    Eigen::VectorXd from_norm(const Eigen::VectorXd& y) const { return mass ? mass->matrixU().solve(y) : y; }
    Eigen::VectorXd to_norm(const Eigen::VectorXd& d) const { return mass ? mass->matrixU() * d : d; }
  };

  Moving linearise(const std::vector<bool>& is_free, bool by_mass) {
    Moving moving;
    for (std::size_t k = 0; k < is_free.size(); ++k) {
      if (is_free[k]) moving.speeds.push_back(k);
    }
    const auto n = static_cast<Eigen::Index>(n_), f = static_cast<Eigen::Index>(moving.speeds.size());
    calc_constraint_matrix(model_, kinematics_, conditions_.rows(), matrix_);
    const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> C(matrix_.data(), m_, n);
    moving.C.resize(m_, f);
    const auto speed = [&](Eigen::Index i) {
      return static_cast<int>(moving.speeds[static_cast<std::size_t>(i)]);
    };
    for (Eigen::Index i = 0; i < f; ++i) moving.C.col(i) = C.col(speed(i));
    if (!by_mass) return moving;
    MassMatrix<double> mass(model_);
    mass.update(properties_, kinematics_);
    Eigen::MatrixXd M(f, f);
    for (Eigen::Index i = 0; i < f; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {
        M(i, j) = M(j, i) = mass.matrix()(std::max(speed(i), speed(j)), std::min(speed(i), speed(j)));
      }
    }
    moving.mass.emplace(M);
    if (moving.mass->info() != Eigen::Success || moving.mass->rcond() < 1e-12) {
      moving.mass.reset();
    } else {
      moving.C = moving.mass->matrixL().solve(moving.C.transpose()).transpose().eval();
    }
    return moving;
  }

  // The error at the end (m).
  double iterate(const State<double>& start, State<double>& state, const std::vector<bool>& is_free,
                 bool by_mass) {
    constexpr int kMostSteps = 60;
    std::vector<double> displacement(static_cast<std::size_t>(n_)), away(displacement.size());
    update(state);
    double error = positions().norm();
    for (int step = 0; step < kMostSteps && std::isfinite(error); ++step) {
      if (errors_.position <= ConstrainedDynamics::tolerance(properties_)) break;
      const Moving moving = linearise(is_free, by_mass);
      if (moving.speeds.empty()) break;
      const auto decomposition = moving.C.completeOrthogonalDecomposition();
      Eigen::VectorXd d;
      if (errors_.position <= kClosed * length_) {
        d = moving.from_norm(decomposition.solve(-positions()));
      } else {
        minus_q<double>(model_, state.q, start.q, away);
        Eigen::VectorXd moved(static_cast<Eigen::Index>(moving.speeds.size()));
        for (std::size_t i = 0; i < moving.speeds.size(); ++i) {
          moved[static_cast<Eigen::Index>(i)] = away[moving.speeds[i]];
        }
        const Eigen::VectorXd D = moving.to_norm(moved);
        d = moving.from_norm(decomposition.solve(moving.C * D - positions()) - D);  // (1)
      }
      double longest = 0.0;
      for (std::size_t i = 0; i < moving.speeds.size(); ++i) {
        const bool turns = model_.u_units()[moving.speeds[i]] == "rad/s";
        longest = std::max(longest, std::abs(d[static_cast<Eigen::Index>(i)]) / (turns ? 1.0 : length_));
      }
      if (!std::isfinite(longest)) break;
      constexpr double kLongest = 0.5;  // rad; or of the mechanism's size
      double part = std::min(1.0, kLongest / std::max(longest, 1e-300));
      const State<double> before = state;
      const double error_before = error;
      for (int halving = 0; halving < 12; ++halving, part *= 0.5) {
        std::fill(displacement.begin(), displacement.end(), 0.0);
        for (std::size_t i = 0; i < moving.speeds.size(); ++i) {
          displacement[moving.speeds[i]] = part * d[static_cast<Eigen::Index>(i)];
        }
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
      const double unit = model_.u_units()[k] == "rad/s" ? 1.0 : length_;
      if (is_free[k]) displacement[k] = unit * size * (2.0 * (x - std::floor(x)) - 1.0);
    }
    plus_q<double>(model_, state.q, displacement, state.q);
  }

  const Model& model_;
  const Properties<double>& properties_;
  Kinematics<double> kinematics_;
  ConstrainedDynamics conditions_;
  ConstraintErrors errors_;
  std::vector<double> matrix_;  // (rows x nu)
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
