#include "sestina/dynamics/condition_seeds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/numerics/copy_state.h"

namespace sestina {
namespace {

constexpr double kSpoiled = std::numeric_limits<double>::quiet_NaN();

// True if a derivative that is not a number has reached a number of the row.
bool is_spoiled(const ConstraintRows<Dual>& rows, const ConstraintRow<Dual>& row) {
  double sum = row.error.d + row.velocity.d + row.bias.d;
  const auto add = [&](const Vec3<Dual>& x) { sum += x.x.d + x.y.d + x.z.d; };
  for_each_pair(rows, row, [&](const FramePair<Dual>& pair) {
    add(pair.force.torque), add(pair.force.force), add(pair.arm_a), add(pair.arm_b);
  });
  for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
    sum += rows.terms[static_cast<std::size_t>(i)].coefficient.d;
  }
  return std::isnan(sum);
}

bool has_cases(const Model& model) {
  const Graph& graph = model.graph();
  return std::ranges::any_of(graph.reachable(model.constraint_expressions()), [&](Expr expr) {
    return graph.op(expr) == Op::kIfLess || graph.op(expr) == Op::kIfLessEqual;
  });
}

Vec3<double> tangent_of(const Vec3<Dual>& x) { return {x.x.d, x.y.d, x.z.d}; }
Vec3<double> number_of(const Vec3<Dual>& x) { return {x.x.v, x.y.v, x.z.v}; }

}  // namespace

bool ConditionSeeds::take(const Model& model) {
  return model.beams().empty() && model.reduced_bodies().empty() && model.user_constraints().empty() &&
         !has_cases(model);
}

ConditionSeeds::ConditionSeeds(const Model& model, const Properties<double>& properties,
                               std::span<const int> parameters)
    : model_(model),
      properties_(calc_properties<Dual>(
          model, std::vector<Dual>(properties.parameters.begin(), properties.parameters.end()))),
      kinematics_(model),
      rows_(model),
      qdot_(static_cast<std::size_t>(model.nq())),
      unit_(static_cast<std::size_t>(model.nu())) {
  const State<double> start = calc_initial_state(model);
  Kinematics<double> kinematics(model);
  update_kinematics(model, properties, start, kinematics);
  set_state(start, kinematics);
  update_rows(properties_);
  find_sources();
  find_parameters(properties, parameters);
}

void ConditionSeeds::set_state(const State<double>& state, const Kinematics<double>& kinematics) {
  copy_state(state, state_);
  at_.q.assign(state.q.begin(), state.q.end());
  motion_.assign(kinematics.motion.begin(), kinematics.motion.end());
  for (std::size_t i = 0; i < motion_.size(); ++i) kinematics_.motion[i] = dual_motion(motion_[i], {});
}

void ConditionSeeds::set_tangent(const Source& source, std::size_t direction, double d) {
  if (source.kind == Kind::kBody) {
    MotionRates rates;
    Vec3<double>* const parts[] = {&rates.theta, &rates.p, &rates.w, &rates.v};
    (*parts[direction / 3])[static_cast<int>(direction % 3)] = d;
    kinematics_.motion[source.index] = dual_motion(motion_[source.index], rates);
  } else if (source.kind == Kind::kSpeed) {
    state_.u[source.index].d = d;
  } else {
    unit_[source.index] = d;
    calc_q_dot<double>(model_, at_.q, unit_, qdot_);
    unit_[source.index] = 0.0;
    for (std::size_t i = 0; i < qdot_.size(); ++i) state_.q[i].d = qdot_[i];
  }
}

void ConditionSeeds::clear_tangent(const Source& source) {
  if (source.kind == Kind::kBody) {
    kinematics_.motion[source.index] = dual_motion(motion_[source.index], {});
  } else if (source.kind == Kind::kSpeed) {
    state_.u[source.index].d = 0.0;
  } else {
    for (Dual& q : state_.q) q.d = 0.0;
  }
}

// By row: 1 if the row reads the source. A derivative that is not a number spoils whatever depends on it.
std::vector<char> ConditionSeeds::find_readers(const Source& source) {
  std::vector<char> readers(rows_.rows.size());
  const std::size_t directions = source.kind == Kind::kBody ? kOfBody : 1;
  for (std::size_t direction = 0; direction < directions; ++direction) {
    set_tangent(source, direction, kSpoiled);
    update_rows(properties_);
    for (std::size_t r = 0; r < readers.size(); ++r) {
      readers[r] = readers[r] != 0 || is_spoiled(rows_, rows_.rows[r]);
    }
  }
  clear_tangent(source);
  return readers;
}

void ConditionSeeds::add_source(Kind kind, std::size_t index) {
  const Source source{kind, index, directions_};
  const std::vector<char> readers = find_readers(source);
  if (std::ranges::find(readers, 1) == readers.end()) return;
  const auto reads = [&](std::size_t r) { return readers[r] != 0; };
  const auto group = std::ranges::find_if(groups_, [&](const Group& one) {
    if (one.kind != kind) return false;
    // A coordinate's tangent sets those of all coordinates.
    for (std::size_t r = 0; r < readers.size(); ++r) {
      if (kind == Kind::kCoordinate || (reads(r) && one.source_of[r] >= 0)) return false;
    }
    return true;
  });
  Group& of = group != groups_.end()
                  ? *group
                  : groups_.emplace_back(Group{kind, {}, std::vector<int>(readers.size(), -1)});
  of.sources.push_back(sources_.size());
  for (std::size_t r = 0; r < readers.size(); ++r) {
    if (reads(r)) of.source_of[r] = static_cast<int>(sources_.size());
  }
  sources_.push_back(source);
  directions_ += kind == Kind::kBody ? kOfBody : 1;
}

void ConditionSeeds::find_sources() {
  const auto bodies = static_cast<std::size_t>(model_.bodies().size());
  for (std::size_t i = 1; i < bodies; ++i) add_source(Kind::kBody, i);
  if (model_.conditions().empty()) return;
  for (std::size_t k = 0; k < unit_.size(); ++k) add_source(Kind::kCoordinate, k);
  for (std::size_t k = 0; k < unit_.size(); ++k) add_source(Kind::kSpeed, k);
}

// Keeps the numbers for the parameters that rows read. A curve may read one at some places only.
void ConditionSeeds::find_parameters(const Properties<double>& properties, std::span<const int> parameters) {
  std::vector<Dual> values(properties.parameters.begin(), properties.parameters.end());
  for (const int parameter : parameters) {
    Dual& moving = values[static_cast<std::size_t>(parameter)];
    moving.d = kSpoiled;
    update_rows(calc_properties<Dual>(model_, values));
    const bool is_read =
        !model_.curves().empty() || std::ranges::any_of(rows_.rows, [&](const ConstraintRow<Dual>& row) {
          return is_spoiled(rows_, row);
        });
    moving.d = 1.0;
    by_parameter_.emplace_back();
    if (is_read) by_parameter_.back() = calc_properties<Dual>(model_, values);
    moving.d = 0.0;
  }
}

const ConstraintRows<Dual>* ConditionSeeds::update_by_parameter(std::size_t k) {
  if (!by_parameter_[k]) return nullptr;
  update_rows(*by_parameter_[k]);
  return &rows_;
}

double calc_rate_change(const ConstraintRows<Dual>& rows, const ConstraintRow<Dual>& row,
                        std::span<const SpatialMotion<double>> motions, std::span<const double> speeds) {
  double change = 0.0;
  for_each_pair(rows, row, [&](const FramePair<Dual>& pair) {
    const Vec3<double> torque = tangent_of(pair.force.torque), force = tangent_of(pair.force.force),
                       pull = number_of(pair.force.force);
    const auto power = [&](FrameIndex frame, const Vec3<Dual>& arm) {
      const SpatialMotion<double>& V = motions[static_cast<std::size_t>(frame.value())];
      return dot(V.w, torque) + dot(V.v + cross(V.w, number_of(arm)), force) +
             dot(cross(V.w, tangent_of(arm)), pull);
    };
    change += power(pair.b, pair.arm_b) - power(pair.a, pair.arm_a);
  });
  for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
    const SpeedTerm<Dual>& term = rows.terms[static_cast<std::size_t>(i)];
    change += term.coefficient.d * speeds[static_cast<std::size_t>(term.speed)];
  }
  return change;
}

}  // namespace sestina
