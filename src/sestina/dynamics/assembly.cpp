#include "sestina/dynamics/assembly.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/base/memory.h"
#include "sestina/constraints/cut_joint_motion.h"
#include "sestina/dynamics/assembly_report.h"
#include "sestina/dynamics/cartesian_coordinates.h"
#include "sestina/dynamics/constrained_dynamics.h"
#include "sestina/dynamics/displacement_norm.h"
#include "sestina/dynamics/elastic_norm.h"
#include "sestina/dynamics/flexible_placement.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/dynamics/reduced_bodies.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/least_norm_solver.h"
#include "sestina/numerics/time_switches.h"

namespace sestina {
namespace {

constexpr double kClosed = 1e-10;  // of the mechanism's size

// Wanted coordinates and speeds of joints that close loops.
struct WantedCutJoints {
  std::vector<double> q, u;             // (cut_nq), (cut_nu)
  std::vector<std::size_t> of_q, of_u;  // the joints concerned
};

class Assembler {
 public:
  // `relaxes`: flexible bodies may be freed from their deformation at the start.
  Assembler(const Model& model, const Properties<double>& properties, bool relaxes)
      : model_(model),
        properties_(properties),
        kinematics_(model),
        conditions_(model, standard_way(model)),
        rows_(model),
        relaxes_(relaxes),
        length_(properties.constraints.length),
        n_(model.nu()) {
    if (ElasticNorm::applies_to(model)) elastic_.emplace(model, properties);
  }

  // Adds values that must be satisfied in addition to the conditions; they must outlive this object.
  void want(const WantedCutJoints& wanted) { wanted_ = &wanted; }

  // Closes the loops by moving the coordinates of the free speeds; returns whether they are closed.
  bool close(State<double>& state, const std::vector<bool>& is_free, bool by_mass) {
    of_positions_ = true;
    update(state);
    if (errors_.position <= kClosed * length_) {  // as given; the remaining error is round-off
      conditions_.project_positions(properties_, state, kinematics_);
      return true;
    }
    return search(state, is_free, by_mass);
  }

  // The same with the least displacement in the norm of the mass matrix; coordinates that are not free keep
  // every digit.
  bool close_others(State<double>& state, const std::vector<bool>& is_free) {
    of_positions_ = true;
    return search(state, is_free, true);
  }

  // The same for speeds; the equations are linear except for nonlinear conditions on speeds.
  bool match_speeds(State<double>& state, const std::vector<bool>& is_free, bool by_mass) {
    of_positions_ = false;
    for (int step = 0; step < 20; ++step) {
      update(state);
      if (errors_.velocity <= kClosed * speed_scale()) return true;
      const Moving moving = linearise(state, is_free, by_mass);
      if (moving.speeds.empty()) break;
      const Eigen::VectorXd change =
          moving.norm.from_norm(LeastNormSolver().compute(moving.C).solve(-velocities()));
      for (std::size_t i = 0; i < moving.speeds.size(); ++i) {
        state.u[moving.speeds[i]] += change[static_cast<Eigen::Index>(i)];
      }
    }
    update(state);
    return errors_.velocity <= kClosed * speed_scale();
  }

  const ConstraintErrors& errors() const { return errors_; }
  const ConstraintRows<double>& rows() const { return rows_; }
  // Returns the joint or constraint whose condition has the largest remaining error.
  std::string worst_position() const { return name_of(worst_wanted_q_, errors_.position_row); }
  std::string worst_velocity() const { return name_of(worst_wanted_u_, errors_.velocity_row); }
  // The points on curves at which the search begins.
  void find_nearest_places(State<double>& state) {
    update_kinematics(model_, properties_, state, kinematics_);
    sestina::find_nearest_places(model_, properties_, kinematics_, state);
  }
  std::string explain_non_finite(const State<double>& state) {
    update(state);
    return explain_non_finite_constraint(model_, properties_, state, conditions_.rows());
  }
  void take_history(State<double>& state) {
    update(state);
    conditions_.rows().copy_history(state.h);
  }

 private:
  bool search(State<double>& state, const std::vector<bool>& is_free, bool by_mass) {
    const State<double> start = state;
    double best = INFINITY;
    State<double> best_state = state;
    constexpr int kAttempts = 24;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      state = start;
      if (attempt > 0) shake(state, is_free, attempt);
      const bool is_closed = elastic_ && relaxes_ && fit_wholes(state, is_free) <= kClosed * length_;
      const double error = iterate(is_closed ? State<double>(state) : start, state, is_free, by_mass);
      if (error <= kClosed * length_) return true;
      // A different way of assembling must at least halve the error to count as better.
      if (error < 0.5 * best) best = error, best_state = state;
    }
    state = best_state;
    update(state);
    return false;
  }

  void update(const State<double>& state) {
    update_kinematics(model_, properties_, state, kinematics_);
    conditions_.update(properties_, state, kinematics_);
    errors_ = conditions_.errors();
    rows_ = conditions_.rows();
    worst_wanted_q_ = worst_wanted_u_ = -1;
    if (wanted_ == nullptr) return;
    for (const std::size_t i : of_positions_ ? wanted_->of_q : wanted_->of_u) add_wanted(i, of_positions_);
    finish_reduced_rows<double>(model_, state, kinematics_, rows_);
  }
  // Rows for the coordinates or speeds of a joint that closes a loop; rotations are scaled to lengths.
  void add_wanted(std::size_t i, bool is_q) {
    const CutJoint<double>& cut = properties_.constraints.cut_joints[i];
    const CutJointInfo& info = model_.cut_joints()[i];
    std::array<double, 6> away{};
    if (is_q) {
      visit_joint(cut.joint, [&](const auto& joint) {
        joint.minus(rows_.cut_q.data() + cut.q_start, wanted_->q.data() + cut.q_start, away.data());
      });
    }
    for (int k = 0; k < info.nu; ++k) {
      const auto u = static_cast<std::size_t>(cut.u_start + k);
      const double unit = model_.cut_u_units()[u] == "rad/s" ? length_ : 1.0;
      std::array<double, 6> c{};
      c[static_cast<std::size_t>(k)] = unit;
      ConstraintRow<double> row;
      row.is_on_position = is_q;
      add_force_of_speeds<double>(cut, rows_.cut_motions[i], c.data(), row, row.bias);
      if (is_q) {
        row.error = unit * away[static_cast<std::size_t>(k)];
        note(std::abs(row.error), i, errors_.position, worst_wanted_q_);
      } else {
        row.velocity = unit * (rows_.cut_u[u] - wanted_->u[u]);
        note(std::abs(row.velocity), i, errors_.velocity, worst_wanted_u_);
      }
      rows_.rows.push_back(row);
    }
  }
  static void note(double error, std::size_t joint, double& largest, int& worst) {
    if (error > largest) largest = error, worst = static_cast<int>(joint);
  }
  std::string name_of(int wanted, int row) const {
    if (wanted >= 0) return model_.cut_joints()[static_cast<std::size_t>(wanted)].name;
    return row >= 0 ? model_.name_of_row(row) : "the mechanism";
  }
  double speed_scale() const {
    double size = length_;
    for (const BodyMotion<double>& motion : kinematics_.motion) {
      size = std::max(size, length_ * norm(motion.V_WB.w) + norm(motion.V_WB.v));
    }
    return size;
  }

  Eigen::Index num_rows() const { return static_cast<Eigen::Index>(rows_.rows.size()); }
  Eigen::VectorXd positions() const {
    Eigen::VectorXd g(num_rows());
    for (Eigen::Index r = 0; r < g.size(); ++r) {
      const ConstraintRow<double>& row = rows_.rows[static_cast<std::size_t>(r)];
      g[r] = row.is_on_position ? row.error : 0.0;
    }
    return g;
  }
  Eigen::VectorXd velocities() const {
    Eigen::VectorXd v(num_rows());
    for (Eigen::Index r = 0; r < v.size(); ++r) v[r] = rows_.rows[static_cast<std::size_t>(r)].velocity;
    return v;
  }

  // The speeds that may move, with displacements y of the norm minimised in (1).
  struct Moving {
    std::vector<std::size_t> speeds;
    Eigen::MatrixXd C;  // (rows x speeds), C with respect to y
    DisplacementNorm norm;
  };

  // L^T D, of the displacement D (nu) from the start.
  Eigen::VectorXd away_in_norm(const Moving& moving, const std::vector<double>& D) const {
    if (moving.norm.is_sparse()) {
      return moving.norm.solve_lower(elastic_->gradient(moving.speeds, D, relaxes_));
    }
    Eigen::VectorXd moved(static_cast<Eigen::Index>(moving.speeds.size()));
    for (std::size_t i = 0; i < moving.speeds.size(); ++i) {
      moved[static_cast<Eigen::Index>(i)] = D[moving.speeds[i]];
    }
    return moving.norm.to_norm(moved);
  }

  // C of these speeds; of positions alone, if they are sought.
  Eigen::MatrixXd calc_C(const std::vector<std::size_t>& speeds) {
    const auto n = static_cast<Eigen::Index>(n_);
    const Eigen::Index m = num_rows();
    matrix_.resize(static_cast<std::size_t>(m * n));
    calc_constraint_matrix(model_, kinematics_, rows_, matrix_);
    for (Eigen::Index r = 0; r < m; ++r) {  // for positions: conditions on positions; no rows of rotors
      const ConstraintRow<double>& row = rows_.rows[static_cast<std::size_t>(r)];
      if (row.is_inertia || (of_positions_ && !row.is_on_position)) {
        std::fill_n(matrix_.begin() + r * n, n, 0.0);
      }
    }
    const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> C(matrix_.data(), m, n);
    Eigen::MatrixXd result(m, static_cast<Eigen::Index>(speeds.size()));
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      result.col(static_cast<Eigen::Index>(i)) = C.col(static_cast<Eigen::Index>(speeds[i]));
    }
    return result;
  }

  static std::vector<std::size_t> list(const std::vector<bool>& is_free) {
    std::vector<std::size_t> speeds;
    for (std::size_t k = 0; k < is_free.size(); ++k) {
      if (is_free[k]) speeds.push_back(k);
    }
    return speeds;
  }

  // C and what is made of it; without a sparse norm the mass matrix, too.
  void check_size() const {
    const auto n = static_cast<double>(n_), m = static_cast<double>(num_rows());
    check_memory(8.0 * (elastic_ ? 4.0 * n * m : 6.0 * n * (n + m)), "the assembly of the mechanism");
  }

  Moving linearise(const State<double>& state, const std::vector<bool>& is_free, bool by_mass) {
    check_size();
    Moving moving;
    moving.speeds = list(is_free);
    moving.C = calc_C(moving.speeds);
    if (elastic_) {
      elastic_->update(state);
      moving.norm.take(elastic_->matrix(moving.speeds));
    } else if (by_mass) {
      moving.norm.take(calc_mass_matrix(moving.speeds));
    }
    moving.C = moving.norm.solve_lower(moving.C.transpose()).transpose().eval();
    return moving;
  }

  Eigen::MatrixXd calc_mass_matrix(const std::vector<std::size_t>& speeds) const {
    const auto f = static_cast<Eigen::Index>(speeds.size());
    MassMatrix<double> mass(model_);
    mass.update(properties_, kinematics_);
    Eigen::MatrixXd M(f, f);
    for (Eigen::Index i = 0; i < f; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) {  // speeds are in ascending order
        M(i, j) = M(j, i) = mass.matrix()(static_cast<int>(speeds[static_cast<std::size_t>(i)]),
                                          static_cast<int>(speeds[static_cast<std::size_t>(j)]));
      }
    }
    return M;
  }

  // Moves flexible bodies as wholes, and the free joints, to where the loops are as nearly closed as they can
  // be without deformation. Returns the error at the end (m).
  double fit_wholes(State<double>& state, const std::vector<bool>& is_free) {
    const std::vector<std::size_t> speeds = list(is_free);
    constexpr int kMostSteps = 30;
    constexpr double kLeastGain = 1e-3;  // of the error, by a step
    update(state);
    double error = positions().norm();
    for (int step = 0; step < kMostSteps && errors_.position > 0.0; ++step) {
      const ElasticNorm::Wholes wholes = elastic_->wholes(state, speeds);
      if (wholes.leading.empty()) break;
      DisplacementNorm norm;
      norm.take(wholes.norm);
      const Eigen::MatrixXd C = norm.solve_lower((calc_C(speeds) * wholes.motions).transpose()).transpose();
      const Eigen::VectorXd d = norm.from_norm(LeastNormSolver().compute(C).solve(-positions()));
      if (!d.allFinite()) break;
      const State<double> before = state;
      const double error_before = error;
      double part = std::min(1.0, 0.5 / std::max(d.lpNorm<Eigen::Infinity>(), 1e-300));
      for (int halving = 0; halving < 8; ++halving, part *= 0.5) {
        plus_q<double>(model_, before.q, elastic_->displacement(before, wholes, part * d), state.q);
        normalize_q<double>(model_, state.q);
        update(state);
        error = positions().norm();
        if (error < error_before) break;
      }
      if (!(error < error_before)) {
        state = before;
        update(state);
      }
      if (!(error < (1.0 - kLeastGain) * error_before)) break;
    }
    return errors_.position;
  }

  // Returns the error at the end (m).
  double iterate(const State<double>& start, State<double>& state, const std::vector<bool>& is_free,
                 bool by_mass) {
    // (1) converges linearly, and slowly if q0 is far away. Newton's method removes the error that (1)
    // leaves.
    constexpr int kMostSteps = 60, kNearestSteps = 45;
    std::vector<double> displacement(static_cast<std::size_t>(n_)), away(displacement.size());
    // Flexible bodies go on to where they are least deformed while the loops are nearly closed.
    constexpr double kNearlyClosed = 1e-2, kAtRest = 1e-3;  // of the mechanism's size
    bool is_at_rest = !(elastic_ && relaxes_);
    update(state);
    double error = positions().norm();
    for (int step = 0; step < kMostSteps && std::isfinite(error); ++step) {
      is_at_rest = is_at_rest || step >= kNearestSteps;
      if (errors_.position <= ConstrainedDynamics::tolerance(properties_) && is_at_rest) break;
      const Moving moving = linearise(state, is_free, by_mass);
      if (moving.speeds.empty()) break;
      LeastNormSolver decomposition;
      decomposition.compute(moving.C);
      Eigen::VectorXd d;
      if ((errors_.position <= kClosed * length_ && is_at_rest) || step >= kNearestSteps) {
        d = moving.norm.from_norm(decomposition.solve(-positions()));
      } else {
        minus_q<double>(model_, state.q, start.q, away);
        const Eigen::VectorXd D = away_in_norm(moving, away);
        d = moving.norm.from_norm(decomposition.solve(moving.C * D - positions()) - D);  // (1)
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
      const double largest_error = is_at_rest ? error : std::max(error, kNearlyClosed * length_);
      for (int halving = 0; halving < 12; ++halving, part *= 0.5) {
        std::fill(displacement.begin(), displacement.end(), 0.0);
        for (std::size_t i = 0; i < moving.speeds.size(); ++i) {
          displacement[moving.speeds[i]] = part * d[static_cast<Eigen::Index>(i)];
        }
        plus_q<double>(model_, before.q, displacement, state.q);
        normalize_q<double>(model_, state.q);
        update(state);
        error = positions().norm();
        if (error < largest_error) break;
      }
      is_at_rest = is_at_rest || longest < kAtRest;
      if (!(error < largest_error)) {
        state = before;
        update(state);
        break;
      }
    }
    return errors_.position;
  }

  // Displaces the free coordinates by amounts that are the same on every machine and grow with every attempt.
  void shake(State<double>& state, const std::vector<bool>& is_free, int attempt) const {
    std::vector<double> displacement(static_cast<std::size_t>(n_));
    constexpr double kGolden = std::numbers::phi;
    const double size = 0.15 * attempt;
    for (std::size_t k = 0; k < displacement.size(); ++k) {
      const double x = kGolden * (static_cast<double>(k) + 1.0) + 0.37 * attempt * (attempt + 1.0);
      const double unit = model_.u_units()[k] == "rad/s" ? 1.0 : length_;
      if (is_free[k]) displacement[k] = unit * size * (2.0 * (x - std::floor(x)) - 1.0);
    }
    if (elastic_) elastic_->move_as_wholes(state, displacement);
    plus_q<double>(model_, state.q, displacement, state.q);
  }

  const Model& model_;
  const Properties<double>& properties_;
  Kinematics<double> kinematics_;
  ConstrainedDynamics conditions_;
  const WantedCutJoints* wanted_ = nullptr;
  bool of_positions_ = true;     // true: positions are sought; false: speeds
  ConstraintRows<double> rows_;  // rows of the conditions, then the objectives
  std::optional<ElasticNorm> elastic_;
  bool relaxes_;
  ConstraintErrors errors_;  // of all rows of rows_
  int worst_wanted_q_ = -1, worst_wanted_u_ = -1;
  std::vector<double> matrix_;  // (rows x nu)
  double length_;
  int n_;
};

void check_user_constraints(const Model& model, const Properties<double>& properties,
                            const State<double>& state) {
  if (!model.user_constraints().empty()) UserConstraints(model).check(properties, state);
}

// Marks the speeds that may move: those not held and, unless `with_given`, not given.
std::vector<bool> find_free(const Model& model, const std::vector<bool>& is_given, bool with_given) {
  std::vector<bool> is_free(static_cast<std::size_t>(model.nu()));
  for (std::size_t k = 0; k < is_free.size(); ++k) {
    const bool is_kept = !with_given && !is_given.empty() && is_given[k];
    is_free[k] = !model.is_held()[k] && !is_kept;
  }
  return is_free;
}

// The given coordinates and speeds, which are kept if possible.
struct Given {
  const std::vector<bool>& q;  // (nu), or empty: none
  const std::vector<bool>& u;
  const WantedCutJoints* cut = nullptr;  // null: none
};

// The wanted values of joints that close loops: all given ones, or only those held.
WantedCutJoints find_wanted(const Model& model, const WantedCutJoints* given, bool held_alone) {
  WantedCutJoints wanted;
  if (given == nullptr) return wanted;
  wanted.q = given->q, wanted.u = given->u;
  for (std::size_t i = 0; i < model.cut_joints().size(); ++i) {
    const CutJointInfo& cut = model.cut_joints()[i];
    if (cut.is_held || (cut.is_q_given && !held_alone)) wanted.of_q.push_back(i);
    if (cut.is_held || (cut.is_u_given && !held_alone)) wanted.of_u.push_back(i);
  }
  return wanted;
}

void fill_report(const Model& model, const Properties<double>& properties, const Given& given,
                 const State<double>& before, const State<double>& after, const Assembler& assembler,
                 AssemblyReport& report) {
  std::vector<double> moved(after.u.size()), changed(after.u.size());
  minus_q<double>(model, after.q, before.q, moved);
  for (std::size_t k = 0; k < changed.size(); ++k) changed[k] = after.u[k] - before.u[k];
  report.moved.clear();
  if (!given.q.empty()) find_moved(model, moved, given.q, false, report.moved);
  if (!given.u.empty()) find_moved(model, changed, given.u, true, report.moved);
  if (given.cut != nullptr) {
    find_moved_cut_joints(model, properties, given.cut->q, given.cut->u, assembler.rows(), report.moved);
  }
  find_deformed(model, before, after, report.moved);
  report.position_error = assembler.errors().position;
}

void assemble(const Model& model, const Properties<double>& properties, const Given& given, bool relaxes,
              State<double>& state, AssemblyReport* report) {
  if (!model.is_constrained()) return;
  const WantedCutJoints all = find_wanted(model, given.cut, false),
                        held = find_wanted(model, given.cut, true);
  Assembler assembler(model, properties, relaxes);
  check_user_constraints(model, properties, state);
  assembler.find_nearest_places(state);
  const State<double> before = state;
  assembler.want(all);
  if (!assembler.close(state, find_free(model, given.q, false), false)) {
    assembler.want(held);
    const std::vector<bool> is_free = find_free(model, given.q, true);
    bool is_closed = assembler.close(state, is_free, true);
    if (!is_closed) state = before, is_closed = assembler.close(state, is_free, true);
    if (!is_closed) {
      const std::string name = assembler.worst_position();
      if (const std::string reason = assembler.explain_non_finite(state); !reason.empty()) {
        fail(model, name, reason);
      }
      fail(model, name,
           fmt::format("{} cannot be closed: {:.3g} m are left{}", name, assembler.errors().position,
                       holds(model)));
    }
  }
  assembler.want(all);
  if (!assembler.match_speeds(state, find_free(model, given.u, false), false)) {
    state.u = before.u;
    assembler.want(held);
    if (!assembler.match_speeds(state, find_free(model, given.u, true), true)) {
      const std::string name = assembler.worst_velocity();
      if (const std::string reason = assembler.explain_non_finite(state); !reason.empty()) {
        fail(model, name, reason);
      }
      fail(model, name,
           fmt::format("no initial speeds agree with {}: {:.3g} m/s are left{}", name,
                       assembler.errors().velocity, holds(model)));
    }
  }
  assembler.take_history(state);
  if (const std::string end = explain_curve_end(model, properties, assembler.rows()); !end.empty()) {
    fail(model, end.substr(0, end.find(':')), end);
  }
  if (report != nullptr) fill_report(model, properties, given, before, state, assembler, *report);
}

}  // namespace

void assemble(const Model& model, const Properties<double>& properties, const std::vector<bool>& is_q_given,
              const std::vector<bool>& is_u_given, State<double>& state, AssemblyReport* report) {
  assemble(model, properties, Given{is_q_given, is_u_given, nullptr}, false, state, report);
}

std::string close_around(const Model& model, const Properties<double>& properties,
                         const std::vector<bool>& is_q_set, const std::vector<bool>& is_u_set,
                         State<double>& state) {
  const auto others = [](std::vector<bool> is_set) {
    is_set.flip();
    return is_set;
  };
  Assembler assembler(model, properties, false);
  if (std::find(is_q_set.begin(), is_q_set.end(), true) != is_q_set.end()) {
    assembler.find_nearest_places(state);
    if (!assembler.close_others(state, others(is_q_set))) {
      if (std::string reason = assembler.explain_non_finite(state); !reason.empty()) return reason;
      return fmt::format("{} cannot be kept closed: {:.3g} m are left", assembler.worst_position(),
                         assembler.errors().position);
    }
  }
  if (!assembler.match_speeds(state, others(is_u_set), true)) {
    if (std::string reason = assembler.explain_non_finite(state); !reason.empty()) return reason;
    return fmt::format("no speeds agree with {}: {:.3g} m/s are left", assembler.worst_velocity(),
                       assembler.errors().velocity);
  }
  assembler.take_history(state);
  return explain_curve_end(model, properties, assembler.rows());
}

void check_stops(const Model& model, const Properties<double>& properties, const State<double>& state) {
  for (std::size_t i = 0; i < model.plan().stops.size(); ++i) {
    const StopPlan& stop = model.plan().stops[i];
    const auto place = static_cast<std::size_t>(stop.q);
    const double q = state.q[place], bound = properties.contacts.bounds[i];
    constexpr double kOnTheStop = 1e-6;  // a run that ends on a stop may end this far beyond it
    const double beyond = stop.is_upper ? q - bound : bound - q;
    if (beyond <= kOnTheStop * (1.0 + std::abs(bound)) || properties.contacts.stops[i].stiffness > 0.0)
      continue;
    throw InputError(fmt::format("{} = {:.6g} {} at the start is {} the enforced {} limit of {}, {:.6g} {}",
                                 model.q_names()[place], q, model.q_units()[place],
                                 stop.is_upper ? "above" : "below", stop.is_upper ? "upper" : "lower",
                                 model.stop_names()[i], bound, model.q_units()[place]));
  }
}

State<double> calc_placed_state(const Model& model, const Properties<double>& properties) {
  State<double> state = calc_initial_state<double>(model, properties.parameters);
  const std::vector<double> cut_q = state.h, u = state.u;
  place_flexible_bodies(model, properties, cut_q, calc_initial_cut_speeds(model, properties.parameters), u,
                        state);
  return state;
}

State<double> calc_assembled_state(const Model& model, const Properties<double>& properties,
                                   AssemblyReport* report) {
  if (model.is_cartesian()) {
    CartesianCoordinates coordinates(model, properties.parameters);
    State<double> assembled;
    coordinates.to_cartesian(
        calc_assembled_state(coordinates.relative(), coordinates.relative_properties(), report), assembled);
    return assembled;
  }
  State<double> state = calc_initial_state<double>(model, properties.parameters);
  const WantedCutJoints cut{state.h, calc_initial_cut_speeds(model, properties.parameters), {}, {}};
  const std::vector<double> given_u = state.u;
  const std::vector<PlacedBody> placed =
      place_flexible_bodies(model, properties, cut.q, cut.u, given_u, state);
  std::vector<bool> is_q_given = model.is_q_given(), is_u_given = model.is_u_given();
  for (const PlacedBody& body : placed) {
    const BodyInfo& info = model.bodies()[body.carrier];
    std::fill_n(is_q_given.begin() + info.u_start, info.nu, false);
    if (!body.is_velocity_given) std::fill_n(is_u_given.begin() + info.u_start, info.nu, false);
  }
  // Where a prescribed motion has a kink at the start, the motion begins with the rate after it.
  const double t = state.t;
  if (model.time_conditions()) state.t += shortest_time(t, 1.0);
  const Given given{is_q_given, is_u_given, &cut};
  assemble(model, properties, given, true, state, report);
  if (!model.constraint_expressions().empty() && !(model.beams().empty() && model.reduced_bodies().empty())) {
    // The speeds of what prescribed motions drive are known only now.
    place_flexible_bodies(model, properties, cut.q, cut.u, given_u, state);
    assemble(model, properties, given, true, state, nullptr);
  }
  state.t = t;
  check_stops(model, properties, state);
  return state;
}

}  // namespace sestina
