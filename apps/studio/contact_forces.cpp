#include "studio/contact_forces.h"

#include <array>
#include <unordered_map>

#include "sestina/base/error.h"
#include "sestina/model/output_columns.h"
#include "sestina/workspace/system_equations.h"

namespace sestina::studio {

ContactForces::ContactForces(const Workspace& workspace)
    : workspace_(workspace),
      dynamics_(workspace.shared_model(), workspace.properties(), "recursive"),
      state_(workspace.calc_initial_state()) {}

bool ContactForces::find_columns(const Motion& motion) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < motion.columns.size(); ++i) places.emplace(motion.columns[i].name, i);
  bool is_complete = true;
  const auto place = [&](std::string_view name) {
    const auto found = places.find(name);
    if (found == places.end()) is_complete = false;
    return found == places.end() ? 0 : found->second;
  };
  const Model& model = workspace_.model();
  for (auto* list : {&q_, &u_, &d_, &x_}) list->clear();
  t_ = place("t");
  for (const std::string& name : model.q_names()) q_.push_back(place(name));
  for (const std::string& name : model.u_names()) u_.push_back(place(name));
  for (const VariableInfo& variable : model.variables()) d_.push_back(place(variable.name));
  for (const StateInfo& state : model.states()) x_.push_back(place(state.name));
  return is_complete;
}

void ContactForces::read_state(const double* row) {
  const auto read = [&](const std::vector<std::size_t>& places, auto& values) {
    for (std::size_t i = 0; i < places.size(); ++i) values[i] = row[places[i]];
  };
  state_.t = row[t_];
  read(q_, state_.q);
  read(u_, state_.u);
  read(d_, state_.d);
  read(x_, state_.x);
}

void ContactForces::add_to(Motion& motion) {
  const Model& model = workspace_.model();
  if (model.contacts().empty() || motion.frames_per_mode > 0 || !find_columns(motion)) return;
  SystemEquations equations(dynamics_);
  std::vector<double> udot(static_cast<std::size_t>(model.nu()));
  const RowLayout layout = row_layout(model);
  std::vector<double> columns(static_cast<std::size_t>(layout.flexible_bodies - layout.contacts));
  motion.contact_points.clear();
  motion.contact_starts.assign(1, 0);
  const auto floats = [](const Vec3<double>& v) {
    return std::array{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  };
  for (std::size_t i = 0; i < motion.rows; ++i) {
    read_state(motion.values.data() + i * motion.columns.size());
    try {
      dynamics_.calc_udot(state_, udot);
      equations.add_contact_forces(state_, udot, columns);
    } catch (const ComputationError&) {
      motion.contact_starts.push_back(motion.contact_starts.back());  // the last row of a failed run
      continue;
    }
    for (const ContactForce& one : equations.contact_forces()) {
      // On the body, if the other is the ground.
      const double sign = one.b.value() == 0 ? -1.0 : 1.0;
      motion.contact_points.push_back(
          {static_cast<std::uint32_t>(one.contact), floats(one.p), floats(sign * one.force)});
    }
    motion.contact_starts.push_back(static_cast<std::uint32_t>(motion.contact_points.size()));
  }
}

}  // namespace sestina::studio
