#include "sestina/state_time/row_conditions.h"

#include <algorithm>

#include "sestina/constraints/coordinate_condition_row.h"
#include "sestina/model/tape_inputs.h"
#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/joint_coordinates.h"
#include "sestina/state_time/joint_loads.h"

namespace sestina {
namespace {

constexpr BodyVector kBodyVectors[] = {BodyVector::kV,  BodyVector::kW,  BodyVector::kC0,
                                       BodyVector::kC1, BodyVector::kC2, BodyVector::kX};

Vec3<double> values_of(const Vec3<Dual>& a) { return {a.x.v, a.y.v, a.z.v}; }
Vec3<double> tangents_of(const Vec3<Dual>& a) { return {a.x.d, a.y.d, a.z.d}; }

void add_once(std::vector<BodyIndex>& bodies, BodyIndex b) {
  if (b.value() > 0 && std::ranges::find(bodies, b) == bodies.end()) bodies.push_back(b);
}

}  // namespace

RowConditions::RowConditions(const Model& model, const Properties<double>& properties,
                             std::span<const Row> rows)
    : model_(model), dual_(model, properties), rows_(model) {
  for (const Row& row : rows) items_.push_back(make_item(row));
}

RowConditions::Item RowConditions::make_item(const Row& row) const {
  Item item{.number = row.number, .row = row.row};
  const std::vector<CoordinateCondition>& conditions = model_.conditions();
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i].row != row.row) continue;
    item.condition = static_cast<int>(i);
    for (const int speed : conditions[i].speeds) add_once(item.joints, model_.body_of_speed(speed));
    for (const BodyIndex b : item.joints) {
      for (const BodyIndex body : {b, model_.bodies()[b].parent}) {
        add_once(item.bodies, body), item.coupled.push_back(body.value() - 1);
      }
    }
  }
  const std::vector<Distance<Dual>>& distances = dual_.properties.constraints.distances;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i].first_row != row.row) continue;
    item.distance = static_cast<int>(i);
    for (const FrameIndex frame : {distances[i].from.frame, distances[i].to.frame}) {
      add_once(item.bodies, BodyIndex(frame.value())), item.coupled.push_back(frame.value() - 1);
    }
  }
  return item;
}

void RowConditions::set_motion(std::span<const BodyInstant> bodies, const State<double>& state) {
  state_ = state;
  dual_.state.t = Dual(state.t);
  std::copy(state.q.begin(), state.q.end(), dual_.state.q.begin());
  std::copy(state.u.begin(), state.u.end(), dual_.state.u.begin());
  std::copy(state.d.begin(), state.d.end(), dual_.state.d.begin());
  for (const Item& item : items_) {
    for (const BodyIndex b : item.bodies) rest(item, b, bodies[index(b.value() - 1)]);
  }
}

// Sets a body and the joints of the item to the motion without tangents.
void RowConditions::rest(const Item& item, BodyIndex moved, const BodyInstant& at) {
  dual_.kinematics.motion[index(moved)] =
      frame_motion(BodyNumbers<Dual>(at), dual_.properties.bodies[moved].M.c);
  for (const BodyIndex b : item.joints) {
    const BodyInfo& info = model_.bodies()[b];
    std::copy_n(state_.q.begin() + info.q_start, info.nq, dual_.state.q.begin() + info.q_start);
    std::copy_n(state_.u.begin() + info.u_start, info.nu, dual_.state.u.begin() + info.u_start);
  }
}

// Updates the coordinates and speeds of the item's joints at a body that moves.
void RowConditions::follow(const Item& item, BodyIndex moved) {
  for (const BodyIndex b : item.joints) {
    const BodyInfo& info = model_.bodies()[b];
    if (b != moved && info.parent != moved) continue;
    const RelativeMotion<Dual> relative = relative_motion(dual_.properties, dual_.kinematics, info.parent, b);
    Dual* const q = dual_.state.q.data() + info.q_start;
    std::copy_n(state_.q.begin() + info.q_start, info.nq, q);
    visit_joint(dual_.properties.bodies[b].joint, [&](const auto& joint) {
      improve_coordinates<Dual>(joint, relative.X_FM, q);
      find_speeds<Dual>(joint, relative.V_FM, q, dual_.state.u.data() + info.u_start);
    });
  }
}

Dual RowConditions::evaluate(const Item& item) {
  fill_tape_inputs<Dual>(dual_.state, dual_.properties.parameters, {rows_.cut_q, rows_.cut_u},
                         rows_.tape_inputs);
  model_.constraint_tape().evaluate<Dual>(rows_.tape_inputs, rows_.expressions, rows_.tape_scratch);
  ConstraintRow<Dual>& row = rows_.rows[index(item.row)];
  const std::vector<BodyMotion<Dual>>& motion = dual_.kinematics.motion;
  std::vector<SpatialForce<Dual>>& forces = dual_.forces.body;
  forces[0] = {};
  for (const BodyIndex b : item.bodies) forces[index(b)] = {};
  if (item.distance >= 0) {
    const Distance<Dual>& distance = dual_.properties.constraints.distances[index(item.distance)];
    update_distance(distance, motion.data(), rows_.expressions.data() + distance.expression, row);
    forces[index(row.b.value())] += shift_back(row.force, row.arm_b);
    forces[index(row.a.value())] -= shift_back(row.force, row.arm_a);
    return row.velocity;
  }
  const CoordinateCondition& condition = model_.conditions()[index(item.condition)];
  update_coordinate_condition<Dual>(condition, rows_.expressions.data(), nullptr, nullptr, rows_.terms.data(),
                                    rows_.pairs.data(), row);
  for (const BodyIndex b : item.joints) {
    const BodyInfo& info = model_.bodies()[b];
    std::array<Dual, 6> tau{};
    for (int i = row.first_term; i < row.first_term + row.terms; ++i) {
      const int local = rows_.terms[index(i)].speed - info.u_start;
      if (local >= 0 && local < info.nu) tau[index(local)] += rows_.terms[index(i)].coefficient;
    }
    add_joint_force(info, dual_.properties, dual_.state, dual_.kinematics, b, tau.data(),
                    forces.data());  // (1)
  }
  return row.velocity;
}

CenterLoad<Dual> RowConditions::load_on(BodyIndex b) const {
  return load_of(dual_.forces.body[index(b)], dual_.kinematics.motion[index(b)].X_WB.R,
                 dual_.properties.bodies[b].M.c);
}

void RowConditions::calc_rates(std::span<double> rates) {
  for (const Item& item : items_) rates[index(item.number)] = evaluate(item).v;
}

void RowConditions::add_loads(std::span<const double> multipliers, std::span<BodyLoad> loads) {
  for (const Item& item : items_) {
    const double f = multipliers[index(item.number)];
    evaluate(item);
    for (const BodyIndex b : item.bodies) {
      const CenterLoad<Dual> load = load_on(b);
      BodyLoad& on_body = loads[index(b.value() - 1)];
      on_body.force += f * values_of(load.force), on_body.torque += f * values_of(load.torque);
    }
  }
}

void RowConditions::add_derivatives(std::span<const BodyInstant> bodies, std::span<const double> multipliers,
                                    DerivativeSink& sink) {
  for (const Item& item : items_) {
    const double f = multipliers[index(item.number)];
    evaluate(item);
    for (const BodyIndex b : item.bodies) {
      const CenterLoad<Dual> load = load_on(b);
      sink.add_multiplier(b.value() - 1, BodyVector::kV, item.number, -1.0 * values_of(load.force));
      sink.add_multiplier(b.value() - 1, BodyVector::kW, item.number, -1.0 * values_of(load.torque));
    }
    for (const BodyIndex moved : item.bodies) {
      BodyNumbers<Dual> numbers(bodies[index(moved.value() - 1)]);
      for (int vector = 0; vector < 6; ++vector) {
        Vec3<double> rate;
        of_loads_.resize(item.bodies.size());
        for (int i = 0; i < 3; ++i) {
          Dual& number = numbers.vector(vector)[i];
          number.d = 1.0;
          dual_.kinematics.motion[index(moved)] = frame_motion(numbers, dual_.properties.bodies[moved].M.c);
          number.d = 0.0;
          follow(item, moved);
          rate[i] = evaluate(item).d;
          for (std::size_t b = 0; b < item.bodies.size(); ++b) {
            const CenterLoad<Dual> load = load_on(item.bodies[b]);
            of_loads_[b][index(i)] = -f * tangents_of(load.force);
            of_loads_[b][index(3 + i)] = -f * tangents_of(load.torque);
          }
        }
        sink.add_to_condition(item.number, moved.value() - 1, kBodyVectors[vector], rate);
        for (std::size_t b = 0; b < item.bodies.size(); ++b) {
          const auto& of = of_loads_[b];
          const int on = item.bodies[b].value() - 1;
          sink.add(on, BodyVector::kV, moved.value() - 1, kBodyVectors[vector],
                   Mat3<double>::from_columns(of[0], of[1], of[2]));
          sink.add(on, BodyVector::kW, moved.value() - 1, kBodyVectors[vector],
                   Mat3<double>::from_columns(of[3], of[4], of[5]));
        }
      }
      rest(item, moved, bodies[index(moved.value() - 1)]);
    }
  }
}

}  // namespace sestina
