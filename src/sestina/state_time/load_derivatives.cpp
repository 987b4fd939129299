#include "sestina/state_time/load_derivatives.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "sestina/model/tape_inputs.h"
#include "sestina/state_time/element_layout.h"
#include "sestina/state_time/joint_loads.h"

namespace sestina {
namespace {

constexpr BodyVector kVectors[] = {BodyVector::kV,  BodyVector::kW,  BodyVector::kC0,
                                   BodyVector::kC1, BodyVector::kC2, BodyVector::kX};

// The tangent as a column of the derivatives of -loads.
Vec3<double> column_of(const Vec3<Dual>& a) { return {-a.x.d, -a.y.d, -a.z.d}; }

int number_of(BodyIndex b) { return b.value() - 1; }  // the ground is kNoBody
int number_of(FrameIndex carrier) { return carrier.value() - 1; }

}  // namespace

LoadDerivatives::LoadDerivatives(const Model& model, const Properties<double>& properties)
    : model_(model), dual_(model, properties), joint_of_body_(index(model.bodies().size()), -1) {
  const ForceSet<double>& forces = properties.forces;
  for (std::size_t i = 0; i < forces.joint_springs.size(); ++i) {
    joints_[joint_use(model.body_of_speed(forces.joint_springs[i].u))].springs.push_back(i);
  }
  for (std::size_t i = 0; i < forces.joint_dampers.size(); ++i) {
    joints_[joint_use(model.body_of_speed(forces.joint_dampers[i].u))].dampers.push_back(i);
  }
  for (std::size_t i = 0; i < forces.joint_forces.size(); ++i) {
    joints_[joint_use(model.body_of_speed(forces.joint_forces[i].u))].forces.push_back(i);
  }
  collect_dependences();
  for (Joint& joint : joints_) {
    const BodyInfo& info = model.bodies()[joint.body];
    if (joint.is_read) joint.by_motion.resize(2 * index(kBodyNumbers) * index(info.nq + info.nu));
  }
}

std::size_t LoadDerivatives::joint_use(BodyIndex body) {
  int& use = joint_of_body_[index(body)];
  if (use < 0) {
    use = static_cast<int>(joints_.size());
    joints_.push_back({body, model_.bodies()[body].parent, {}, {}, {}, false, {}});
  }
  return index(use);
}

// Finds the coordinates and speeds of each expression. Each gets the first colour that no other coordinate or
// speed of the same expressions has.
void LoadDerivatives::collect_dependences() {
  std::unordered_map<std::string, int> places;  // of q, then of u
  for (std::size_t i = 0; i < model_.q_names().size(); ++i) {
    places.emplace(model_.q_names()[i], static_cast<int>(i));
  }
  for (std::size_t i = 0; i < model_.u_names().size(); ++i) {
    places.emplace(model_.u_names()[i], model_.nq() + static_cast<int>(i));
  }
  std::vector<std::vector<int>> users(index(model_.nq() + model_.nu()));
  const std::vector<Expr>& expressions = model_.force_expressions();
  for (std::size_t e = 0; e < expressions.size(); ++e) {
    for (const Expr symbol : model_.graph().free_symbols(expressions[e])) {
      const auto found = places.find(model_.graph().name_of(symbol));
      if (found != places.end()) users[index(found->second)].push_back(static_cast<int>(e));
    }
  }
  std::vector<std::vector<bool>> taken(expressions.size());
  for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
    const BodyInfo& info = model_.bodies()[b];
    for (int local = 0; local < info.nq + info.nu; ++local) {
      const int place = local < info.nq ? info.q_start + local : model_.nq() + info.u_start + local - info.nq;
      const std::vector<int>& by = users[index(place)];
      if (by.empty()) continue;
      int colour = 0;
      const auto is_taken = [&](int e) {
        const std::vector<bool>& colours = taken[index(e)];
        return index(colour) < colours.size() && colours[index(colour)];
      };
      while (std::any_of(by.begin(), by.end(), is_taken)) ++colour;
      const std::size_t joint = joint_use(b);
      joints_[joint].is_read = true;
      for (const int e : by) {
        taken[index(e)].resize(std::max(taken[index(e)].size(), index(colour) + 1));
        taken[index(e)][index(colour)] = true;
        dependences_.push_back({e, joint, local, colour, 0.0});
      }
      colours_ = std::max(colours_, colour + 1);
    }
  }
}

void LoadDerivatives::rest(int body, const BodyInstant& at) {
  const BodyIndex b(body + 1);
  dual_.kinematics.motion[index(b)] = frame_motion(BodyNumbers<Dual>(at), dual_.properties.bodies[b].M.c);
}

void LoadDerivatives::set_values(std::span<const BodyInstant> bodies, const State<double>& state,
                                 std::span<const double> expressions) {
  for (std::size_t i = 0; i < bodies.size(); ++i) rest(static_cast<int>(i), bodies[i]);
  dual_.state.t = Dual(state.t);
  std::copy(state.q.begin(), state.q.end(), dual_.state.q.begin());
  std::copy(state.u.begin(), state.u.end(), dual_.state.u.begin());
  std::copy(state.d.begin(), state.d.end(), dual_.state.d.begin());
  update_dependences();
  std::copy(expressions.begin(), expressions.end(), dual_.forces.expressions.begin());
}

void LoadDerivatives::clear(const Bodies& rows) {
  dual_.forces.body[0] = {};
  for (const int row : rows) {
    if (row != kNoBody) dual_.forces.body[index(row + 1)] = {};
  }
}

CenterLoad<Dual> LoadDerivatives::load_on(int body) const {
  const BodyIndex b(body + 1);
  return load_of(dual_.forces.body[index(b)], dual_.kinematics.motion[index(b)].X_WB.R,
                 dual_.properties.bodies[b].M.c);
}

// Moves one body along each of its numbers; evaluate(number) adds to the forces on the rows. Without a sink
// evaluate() stores its own results.
template <class Evaluate>
void LoadDerivatives::add_moves(std::span<const BodyInstant> bodies, int moved, const Bodies& rows,
                                DerivativeSink* sink, Evaluate&& evaluate) {
  if (moved == kNoBody) return;
  const BodyIndex b(moved + 1);
  BodyNumbers<Dual> numbers(bodies[index(moved)]);
  std::array<std::array<Vec3<double>, 3>, 2> force, torque;
  for (int vector = 0; vector < 6; ++vector) {
    for (int i = 0; i < 3; ++i) {
      Dual& number = numbers.vector(vector)[i];
      number.d = 1.0;
      dual_.kinematics.motion[index(b)] = frame_motion(numbers, dual_.properties.bodies[b].M.c);
      number.d = 0.0;
      clear(rows);
      evaluate(3 * vector + i);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!sink || rows[r] == kNoBody) continue;
        const CenterLoad<Dual> load = load_on(rows[r]);
        force[r][index(i)] = column_of(load.force), torque[r][index(i)] = column_of(load.torque);
      }
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!sink || rows[r] == kNoBody) continue;
      sink->add(rows[r], BodyVector::kV, moved, kVectors[vector],
                Mat3<double>::from_columns(force[r][0], force[r][1], force[r][2]));
      sink->add(rows[r], BodyVector::kW, moved, kVectors[vector],
                Mat3<double>::from_columns(torque[r][0], torque[r][1], torque[r][2]));
    }
  }
  rest(moved, bodies[index(moved)]);
}

void LoadDerivatives::add_joint(std::span<const BodyInstant> bodies, const State<double>& state, Joint& joint,
                                DerivativeSink& sink) {
  const BodyInfo& info = model_.bodies()[joint.body];
  const ForceSet<Dual>& elements = dual_.properties.forces;
  const Bodies both{number_of(joint.body), number_of(joint.parent)};
  Dual* const q = dual_.state.q.data() + info.q_start;
  Dual* const u = dual_.state.u.data() + info.u_start;
  Dual* const tau = dual_.forces.tau.data() + info.u_start;
  const auto numbers = index(info.nq + info.nu);
  const auto begin = state.q.begin() + info.q_start;
  for (std::size_t side = 0; side < both.size(); ++side) {
    const auto evaluate = [&](int number) {
      const RelativeMotion<Dual> relative =
          relative_motion(dual_.properties, dual_.kinematics, joint.parent, joint.body);
      std::copy(begin, begin + info.nq, q);
      visit_joint(dual_.properties.bodies[joint.body].joint, [&](const auto& j) {
        improve_coordinates<Dual>(j, relative.X_FM, q);
        find_speeds<Dual>(j, relative.V_FM, q, u);
      });
      if (joint.is_read) {
        double* const by = joint.by_motion.data() + (side * index(kBodyNumbers) + index(number)) * numbers;
        for (int i = 0; i < info.nq; ++i) by[i] = q[i].d;
        for (int i = 0; i < info.nu; ++i) by[info.nq + i] = u[i].d;
      }
      if (!joint.is_driven()) return;
      std::fill(tau, tau + info.nu, Dual(0.0));
      const ForceInput<Dual> in = force_input(dual_.state, dual_.kinematics, dual_.forces);
      ForceOutput<Dual> out{dual_.forces.tau.data(), dual_.forces.body.data()};
      for (const std::size_t i : joint.springs) elements.joint_springs[i].add_force(in, out);
      for (const std::size_t i : joint.dampers) elements.joint_dampers[i].add_force(in, out);
      for (const std::size_t i : joint.forces) elements.joint_forces[i].add_force(in, out);
      add_joint_force(info, dual_.properties, dual_.state, dual_.kinematics, joint.body, tau,
                      dual_.forces.body.data());
    };
    add_moves(bodies, both[side], both, joint.is_driven() ? &sink : nullptr, evaluate);
  }
  std::copy(begin, begin + info.nq, q);
  std::copy(state.u.begin() + info.u_start, state.u.begin() + info.u_start + info.nu, u);
}

template <class Element>
void LoadDerivatives::add_element(std::span<const BodyInstant> bodies, const Bodies& rows,
                                  const Element& element, DerivativeSink& sink) {
  const auto evaluate = [&](int) {
    const ForceInput<Dual> in = force_input(dual_.state, dual_.kinematics, dual_.forces);
    ForceOutput<Dual> out{dual_.forces.tau.data(), dual_.forces.body.data()};
    element.add_force(in, out);
  };
  for (const int moved : rows) add_moves(bodies, moved, rows, &sink, evaluate);
}

// Computes d e / d z.
void LoadDerivatives::update_dependences() {
  std::vector<Dual>&q = dual_.state.q, &u = dual_.state.u;
  for (int colour = 0; colour < colours_; ++colour) {
    const auto mark = [&](double d) {
      for (const Dependence& at : dependences_) {
        if (at.colour != colour) continue;
        const BodyInfo& info = model_.bodies()[joints_[at.joint].body];
        Dual& z = at.local < info.nq ? q[index(info.q_start + at.local)]
                                     : u[index(info.u_start + at.local - info.nq)];
        z.d = d;
      }
    };
    mark(1.0);
    AppliedForces<Dual>& forces = dual_.forces;
    model_.calc_force_expressions<Dual>(dual_.properties, dual_.state, {}, forces.tape_inputs,
                                        forces.tape_scratch, forces.expressions);
    mark(0.0);
    for (Dependence& at : dependences_) {
      if (at.colour == colour) at.value = forces.expressions[index(at.expression)].d;
    }
  }
}

// Adds (1) for an element whose load by one expression is in the tangents of the forces.
void LoadDerivatives::add_dependences(const Bodies& rows, int expression, DerivativeSink& sink) {
  for (const Dependence& at : dependences_) {
    if (at.expression != expression || at.value == 0.0) continue;
    const Joint& joint = joints_[at.joint];
    const BodyInfo& info = model_.bodies()[joint.body];
    const Bodies moved{number_of(joint.body), number_of(joint.parent)};
    for (const int row : rows) {
      if (row == kNoBody) continue;
      const CenterLoad<Dual> load = load_on(row);
      const Vec3<double> force = column_of(load.force), torque = column_of(load.torque);
      for (std::size_t side = 0; side < moved.size(); ++side) {
        if (moved[side] == kNoBody) continue;
        for (int vector = 0; vector < 6; ++vector) {
          double d[3];
          for (int i = 0; i < 3; ++i) {
            const std::size_t direction = side * index(kBodyNumbers) + index(3 * vector + i);
            d[i] = at.value * joint.by_motion[direction * index(info.nq + info.nu) + index(at.local)];
          }
          sink.add(row, BodyVector::kV, moved[side], kVectors[vector],
                   Mat3<double>::from_columns(d[0] * force, d[1] * force, d[2] * force));
          sink.add(row, BodyVector::kW, moved[side], kVectors[vector],
                   Mat3<double>::from_columns(d[0] * torque, d[1] * torque, d[2] * torque));
        }
      }
    }
  }
}

void LoadDerivatives::add_expressions(DerivativeSink& sink) {
  const ForceSet<Dual>& elements = dual_.properties.forces;
  for (const JointForce<Dual>& element : elements.joint_forces) {
    const BodyIndex b = model_.body_of_speed(element.u);
    const BodyInfo& info = model_.bodies()[b];
    const Bodies both{number_of(b), number_of(info.parent)};
    std::array<Dual, 6> tau{};
    tau[index(element.u - info.u_start)].d = 1.0;
    clear(both);
    add_joint_force(info, dual_.properties, dual_.state, dual_.kinematics, b, tau.data(),
                    dual_.forces.body.data());
    add_dependences(both, element.expression, sink);
  }
  const auto add_given = [&](const auto& element) {
    const int body = number_of(element.at.frame);
    if (body == kNoBody) return;
    const Bodies rows{body, kNoBody};
    for (int i = 0; i < 3; ++i) {
      const int expression = element.value.expression + i;
      Dual& e = dual_.forces.expressions[index(expression)];
      e.d = 1.0;
      clear(rows);
      const ForceInput<Dual> in = force_input(dual_.state, dual_.kinematics, dual_.forces);
      ForceOutput<Dual> out{dual_.forces.tau.data(), dual_.forces.body.data()};
      element.add_force(in, out);
      e.d = 0.0;
      add_dependences(rows, expression, sink);
    }
  };
  for (const auto& element : elements.point_forces) add_given(element);
  for (const auto& element : elements.point_torques) add_given(element);
}

void LoadDerivatives::add(std::span<const BodyInstant> bodies, const State<double>& state,
                          std::span<const double> expressions, DerivativeSink& sink) {
  set_values(bodies, state, expressions);
  for (Joint& joint : joints_) add_joint(bodies, state, joint, sink);
  const ForceSet<Dual>& elements = dual_.properties.forces;
  for (const auto& element : elements.spring_dampers) {
    const int from = number_of(element.from.frame), to = number_of(element.to.frame);
    add_element(bodies, {from, to == from ? kNoBody : to}, element, sink);
  }
  for (const auto& element : elements.point_forces) {
    add_element(bodies, {number_of(element.at.frame), kNoBody}, element, sink);
  }
  for (const auto& element : elements.point_torques) {
    add_element(bodies, {number_of(element.at.frame), kNoBody}, element, sink);
  }
  if (!dependences_.empty()) add_expressions(sink);
}

}  // namespace sestina
