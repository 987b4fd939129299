#include "sestina/state_time/closing_conditions.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/initial_guess.h"

namespace sestina {
namespace {

using Kind = JointCondition::Kind;

constexpr double kZero = 1e-9;   // relative to the largest pivot
constexpr double kServes = 0.1;  // of the least pivot of the best choice

bool is_constant(const Model& model, int expression) {
  const Expr expr = model.constraint_expressions()[index(expression)];
  const std::vector<Expr> free = model.graph().free_symbols(std::span(&expr, 1));
  return std::ranges::none_of(free, [&](Expr symbol) { return model.graph().name_of(symbol) == "t"; });
}

constexpr std::string_view kAllowed =
    "distance, point_on_line, point_on_plane and, on positions, coupling, motion and expression are allowed";

// The condition on coordinates with this row; null if it is another constraint.
const CoordinateCondition* find_condition(const Model& model, int row) {
  const auto found = std::ranges::find(model.conditions(), row, &CoordinateCondition::row);
  return found == model.conditions().end() ? nullptr : &*found;
}

// Returns the reason why a constraint has no equations; empty if it has.
std::string find_reason(const Model& model, const ConstraintInfo& constraint) {
  const std::string& type = constraint.type;
  if (type == "point_on_line" || type == "point_on_plane" || type == "distance") return {};
  for (int row = constraint.first_row; row < constraint.first_row + constraint.rows; ++row) {
    const CoordinateCondition* condition = find_condition(model, row);
    if (condition == nullptr) {
      return fmt::format("state_time has no equations for {} constraints: {}", type, kAllowed);
    }
    if (!condition->is_on_position) {
      return fmt::format("state_time has no equations for conditions on speeds: {}", kAllowed);
    }
    if (condition->cut_joints.empty()) continue;
    const int joint = condition->cut_joints.front().joint;
    return fmt::format(
        "state_time has no equations for conditions on the coordinates of a joint which closes a "
        "loop, such as {}: cut another joint of the loop (cut: true)",
        model.cut_joints()[index(joint)].name);
  }
  return {};
}

// The frame of a marker on its body, from the mass centre; of the ground, from its origin.
Vec3<double> arm_of(const Properties<double>& properties, const Marker<double>& marker) {
  if (marker.frame.value() == 0) return marker.X_BK.p;
  return marker.X_BK.p - properties.bodies[BodyIndex(marker.frame.value())].M.c;
}
JointConditions between(const Properties<double>& properties, const Marker<double>& F,
                        const Marker<double>& M) {
  JointConditions joint;
  joint.parent = F.frame.value() - 1, joint.child = M.frame.value() - 1;
  joint.s = arm_of(properties, F), joint.r = arm_of(properties, M);
  return joint;
}

// Replaces the condition that two points coincide by three along the axes of F, each of which may be left
// out.
void split_points(const Rotation<double>& R_PF, JointConditions& joint) {
  std::vector<JointCondition> conditions;
  for (const JointCondition& condition : joint.conditions) {
    if (condition.kind != Kind::kPoint) {
      conditions.push_back(condition);
      continue;
    }
    for (int i = 0; i < 3; ++i) {
      conditions.push_back({.kind = Kind::kSlide, .n = R_PF.column(i), .first = condition.first + i});
    }
  }
  joint.conditions = std::move(conditions);
}

void put_bodies(const Kinematics<double>& kinematics, const Properties<double>& properties,
                std::vector<double>& numbers, std::vector<BodyInstant>& bodies) {
  put_instants(kinematics, properties, numbers, 0, ElementLayout::kEndNumbers, true);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    bodies[b] = read_instant(numbers, ElementLayout::kEndNumbers * static_cast<int>(b));
  }
}

}  // namespace

FaultList find_conditions_without_equations(const Model& model, const Properties<double>& properties) {
  FaultList faults;
  const bool has_cables = std::ranges::any_of(model.beams(), &BeamInfo::is_cable);
  if (has_cables || !model.reduced_bodies().empty() || model.is_cartesian()) {
    try {
      model.refuse_constraints("state_time");
    } catch (const InputError& error) {
      faults.add({{}, "analysis.coordinates"}, error.faults().front().message);
    }
    return faults;
  }
  for (std::size_t i = 0; i < model.cut_joints().size(); ++i) {
    const CutJointInfo& info = model.cut_joints()[i];
    const std::string path = fmt::format("joints[{}]", info.position);
    if (info.type == JointType::kScrew) {
      faults.add(
          {info.mark, path + ".type"},
          "state_time has no equations for a screw joint that closes a loop: cut another joint of the loop "
          "(cut: true)");
    }
    const CutJoint<double>& cut = properties.constraints.cut_joints[i];
    if (cut.armature_row >= 0) {
      faults.add({info.mark, path + ".armature"},
                 fmt::format("{} is not 0: state_time has no equations for armatures", cut.armature));
    }
  }
  if (model.forces_use_cut_joints()) {
    const CutJointInfo& info = model.cut_joints().front();
    faults.add({info.mark, fmt::format("joints[{}]", info.position)},
               fmt::format("state_time does not support forces that use a joint which closes a loop, "
                           "such as {}: cut another joint of the loop (cut: true)",
                           info.name));
  }
  for (const ConstraintInfo& constraint : model.constraints()) {
    std::string reason = find_reason(model, constraint);
    if (reason.empty()) continue;
    faults.add({constraint.mark, fmt::format("constraints[{}]", constraint.position)}, std::move(reason));
  }
  return faults;
}

ClosingConditions::ClosingConditions(const Model& model, const Properties<double>& properties)
    : model_(model), properties_(properties) {
  find_conditions_without_equations(model, properties).throw_if_any();
  first_ = count_multipliers(make_joint_conditions(model, properties));
  for (std::size_t i = 0; i < model.cut_joints().size(); ++i) add_cut_joint(i);
  add_constraints();
  is_chosen_.resize(index(count_));
}

void ClosingConditions::add(JointConditions conditions, Source source) {
  for (const JointCondition& condition : conditions.conditions) {
    scales_.push_back(condition.kind == Kind::kTurn ? properties_.constraints.length : 1.0);
  }
  conditions_.push_back(std::move(conditions));
  sources_.push_back(std::move(source));
}

void ClosingConditions::add_cut_joint(std::size_t i) {
  const CutJoint<double>& cut = properties_.constraints.cut_joints[i];
  JointConditions joint = between(properties_, cut.F, cut.M);
  if (!add_joint_conditions(cut.joint, cut.F.X_BK.R, cut.M.X_BK.R, count_, joint)) {
    throw InputError(fmt::format("{}: {} joints have no state-time equations", model_.cut_joints()[i].name,
                                 joint_info(model_.cut_joints()[i].type).keyword));
  }
  split_points(cut.F.X_BK.R, joint);
  add(std::move(joint), {.name = model_.cut_joints()[i].name, .cut_joint = static_cast<int>(i)});
}

void ClosingConditions::add_constraints() {
  const ConstraintSet<double>& set = properties_.constraints;
  ConstraintRows<double> rows(model_);
  std::fill(rows.tape_inputs.begin(), rows.tape_inputs.end(), 0.0);
  std::copy(properties_.parameters.begin(), properties_.parameters.end(), rows.tape_inputs.begin() + 1);
  model_.constraint_tape().evaluate<double>(rows.tape_inputs, rows.expressions, rows.tape_scratch);
  for (const Distance<double>& distance : set.distances) {
    if (!is_constant(model_, distance.expression)) continue;
    JointConditions joint = between(properties_, distance.from, distance.to);
    joint.conditions.push_back(
        {.kind = Kind::kRod, .first = count_++, .length = rows.expressions[index(distance.expression)]});
    // The multiplier of the constraint is a tension.
    add(std::move(joint),
        {.name = model_.name_of_row(distance.first_row), .row = distance.first_row, .sign = -1.0});
  }
  for (const PointOn<double>& point : set.points_on) {
    JointConditions joint = between(properties_, point.surface, point.point);
    Vec3<double> directions[2] = {point.direction, {}};
    if (point.is_line) find_perpendiculars(point.direction, directions[0], directions[1]);
    for (int i = 0; i < (point.is_line ? 2 : 1); ++i) {
      joint.conditions.push_back(
          {.kind = Kind::kSlide, .n = point.surface.X_BK.R * directions[i], .first = count_++});
    }
    add(std::move(joint), {.name = model_.name_of_row(point.first_row), .row = point.first_row});
  }
  for (const Distance<double>& distance : set.distances) {
    if (!is_constant(model_, distance.expression)) rows_.push_back(distance.first_row);
  }
  for (const CoordinateCondition& condition : model_.conditions()) rows_.push_back(condition.row);
  count_ += static_cast<int>(rows_.size());
}

std::vector<double> ClosingConditions::calc_rates_by_speeds(const State<double>& state) const {
  std::vector<double> rows_by_speeds(index(count_) * index(model_.nu()));
  Eigen::Map<Eigen::MatrixXd> by_speeds(rows_by_speeds.data(), model_.nu(), count_);  // C^T
  Kinematics<double> kinematics(model_);
  if (!rows_.empty()) {
    ConstraintRows<double> rows(model_);
    update_kinematics(model_, properties_, state, kinematics);
    update_constraint_rows(model_, properties_, state, kinematics, rows);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> all(model_.constraint_rows(),
                                                                               model_.nu());
    calc_constraint_matrix(model_, kinematics, rows, {all.data(), static_cast<std::size_t>(all.size())});
    const int first = count_ - static_cast<int>(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      by_speeds.col(first + static_cast<int>(i)) = all.row(rows_[i]).transpose();
    }
  }
  State<double> moved = state;
  std::vector<BodyInstant> bodies(index(model_.bodies().size() - 1));
  std::vector<double> numbers(index(ElementLayout::kEndNumbers) * bodies.size()), rates(index(count_));
  for (int j = 0; j < model_.nu(); ++j) {
    std::fill(moved.u.begin(), moved.u.end(), 0.0);
    moved.u[index(j)] = 1.0;
    update_kinematics(model_, properties_, moved, kinematics);
    put_bodies(kinematics, properties_, numbers, bodies);
    for (const JointConditions& joint : conditions_) joint.calc_rates(bodies, rates);
    for (std::size_t r = 0; r < scales_.size(); ++r) {
      by_speeds(j, static_cast<Eigen::Index>(r)) = scales_[r] * rates[r];
    }
  }
  return rows_by_speeds;
}

bool ClosingConditions::choose(const State<double>& state) {
  if (empty()) return false;
  const std::vector<double> rates = calc_rates_by_speeds(state);
  const Eigen::Map<const Eigen::MatrixXd> by_speeds(rates.data(), model_.nu(), count_);  // C^T
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> best{Eigen::MatrixXd(by_speeds)};
  const auto pivots_of = [](const auto& qr) -> Eigen::VectorXd {
    return qr.matrixQR().diagonal().cwiseAbs();
  };
  const Eigen::VectorXd pivots = pivots_of(best);
  Eigen::Index rank = 0;
  while (rank < pivots.size() && pivots[rank] > kZero * pivots[0]) ++rank;
  const auto chosen_before = std::ranges::count(is_chosen_, true);
  if (chosen_before > rank || rank == 0) return false;  // fewer: a singular position
  if (chosen_before == rank) {
    Eigen::MatrixXd present(model_.nu(), rank);
    Eigen::Index next = 0;
    for (int r = 0; r < count_; ++r) {
      if (is_chosen_[index(r)]) present.col(next++) = by_speeds.col(r);
    }
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> now(present);
    if (pivots_of(now)[rank - 1] >= kServes * pivots[rank - 1]) return false;
  }
  std::fill(is_chosen_.begin(), is_chosen_.end(), false);
  for (Eigen::Index i = 0; i < rank; ++i) {
    is_chosen_[index(static_cast<int>(best.colsPermutation().indices()[i]))] = true;
  }
  number_chosen();
  return true;
}

void ClosingConditions::choose_all() {
  std::fill(is_chosen_.begin(), is_chosen_.end(), true);
  number_chosen();
}

void ClosingConditions::number_chosen() {
  chosen_ = {}, originals_.clear();
  const auto number_next = [&](int original) {
    originals_.push_back(original);
    return first_ + static_cast<int>(originals_.size()) - 1;
  };
  for (const JointConditions& joint : conditions_) {
    JointConditions chosen = joint;
    std::erase_if(chosen.conditions, [&](const JointCondition& c) { return !is_chosen_[index(c.first)]; });
    for (JointCondition& condition : chosen.conditions) condition.first = number_next(condition.first);
    chosen_.joints.push_back(std::move(chosen));
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::size_t original = scales_.size() + i;
    if (is_chosen_[original]) chosen_.rows.push_back({rows_[i], number_next(static_cast<int>(original))});
  }
}

void ClosingConditions::find_multipliers(const ForwardDynamics& dynamics,
                                         std::span<double> multipliers) const {
  if (empty()) return;
  const ConstrainedDynamics& constrained = *dynamics.constrained();
  const std::vector<BodyMotion<double>>& motion = dynamics.kinematics().motion;
  for (std::size_t i = 0; i < chosen_.joints.size(); ++i) {
    const JointConditions& chosen = chosen_.joints[i];
    const Source& source = sources_[i];
    if (source.cut_joint >= 0) {
      const CutJointInfo& info = model_.cut_joints()[index(source.cut_joint)];
      chosen.find_multipliers(motion[index(chosen.parent + 1)].X_WB.R, motion[index(chosen.child + 1)].X_WB.R,
                              constrained.reaction(info), multipliers);
      continue;
    }
    for (const JointCondition& condition : chosen.conditions) {
      const int r = originals_[index(condition.first - first_)] - conditions_[i].conditions.front().first;
      multipliers[index(condition.first)] = source.sign * constrained.lambda()[index(source.row + r)];
    }
  }
  for (const RowConditions::Row& row : chosen_.rows) {
    multipliers[index(row.number)] = constrained.lambda()[index(row.row)];
  }
}

ClosingConditions::Opening ClosingConditions::largest_opening(std::span<const BodyInstant> before,
                                                              std::span<const BodyInstant> after) const {
  Opening largest;
  std::vector<double> then(index(count_)), now(index(count_));
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    conditions_[i].calc_errors(before, then), conditions_[i].calc_errors(after, now);
    for (const JointCondition& condition : conditions_[i].conditions) {
      const std::size_t r = index(condition.first);
      const double size = scales_[r] * std::abs(now[r] - then[r]);
      if (size > largest.size || std::isnan(size)) largest = {size, sources_[i].name};
    }
  }
  return largest;
}

ClosingConditions::Opening ClosingConditions::largest_error(const ConstraintRows<double>& rows) const {
  Opening largest;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (is_chosen_[scales_.size() + i]) continue;
    const double size = std::abs(rows.rows[index(rows_[i])].error);
    if (size > largest.size || std::isnan(size)) largest = {size, model_.name_of_row(rows_[i])};
  }
  return largest;
}

}  // namespace sestina
