#include "studio/row_forces.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "sestina/base/error.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/output_columns.h"
#include "sestina/model/properties.h"
#include "sestina/workspace/system_equations.h"

namespace sestina::studio {
namespace {

constexpr auto kNoItem = static_cast<std::uint32_t>(-1);
constexpr std::string_view kTypes[] = {"spring_damper",    "point_force", "bushing",
                                       "cartesian_spring", "rope",        "gravity_between",
                                       "belt_contact",     "line_force",  "hydraulic_actuator"};

void add_arrow(Motion& motion, std::uint32_t item, const Vec3<double>& p, const Vec3<double>& force) {
  const auto floats = [](const Vec3<double>& v) {
    return std::array{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  };
  if (item != kNoItem && dot(force, force) > 0.0) motion.forces.push_back({item, floats(p), floats(force)});
}

// The last two forces of the row become one if they are of one item and begin at one place.
void join_last(Motion& motion) {
  if (motion.forces.size() < motion.force_starts.back() + 2u) return;
  const MotionForce last = motion.forces.back();
  MotionForce& before = motion.forces[motion.forces.size() - 2];
  if (before.item != last.item || before.p != last.p) return;
  for (std::size_t k = 0; k < 3; ++k) before.force[k] += last.force[k];
  motion.forces.pop_back();
}

template <class E, class... Ts>
constexpr bool kIsOneOf = (std::is_same_v<E, Ts> || ...);

// A frame on which an element acts, and the place where the arrow of its force begins, m, ground axes.
struct ArrowStart {
  FrameIndex frame;
  Vec3<double> p;
};

// Empty for elements without arrows: those on joints; beams and cables, whose forces are inside; contacts,
// which are drawn at their points; and a rope, which may have several on one frame.
template <class E>
std::vector<ArrowStart> starts_of(const E& element, const FrameMotion<double>* frames) {
  const auto at = [&](const Marker<double>& marker) { return marker_motion(frames, marker).position; };
  if constexpr (kIsOneOf<E, SpringDamper<double>, GravityBetween<double>>) {
    return {{element.from.frame, at(element.from)}, {element.to.frame, at(element.to)}};
  } else if constexpr (kIsOneOf<E, Bushing<double>, CartesianSpring<double>>) {
    return {{element.from.frame, at(element.to)}, {element.to.frame, at(element.to)}};  // both act there
  } else if constexpr (kIsOneOf<E, PointForce<double>, BeltContact<double>>) {
    return {{element.at.frame, at(element.at)}};
  } else if constexpr (std::is_same_v<E, LineForce<double>>) {
    const auto origin = [&](FrameIndex frame) { return frames[frame.value()].X_WB.p; };
    return {{element.a.frame, origin(element.a.frame)}, {element.b.frame, origin(element.b.frame)}};
  } else {
    return {};
  }
}

// Several points of a rope may be on one body: each gets a frame of its own here.
std::vector<Vec3<double>> forces_at_points(Rope<double> rope, ForceInput<double> in) {
  std::vector<FrameMotion<double>> frames;
  for (Marker<double>& point : rope.points) {
    frames.push_back(in.frame(point));
    point.frame = FrameIndex(static_cast<int>(frames.size()) - 1);
  }
  in.frames = frames.data();
  std::vector<SpatialForce<double>> forces(frames.size());
  ForceOutput<double> out{nullptr, forces.data()};
  rope.add_force(in, out);
  std::vector<Vec3<double>> result;
  for (const SpatialForce<double>& force : forces) result.push_back(force.force);
  return result;
}

}  // namespace

bool has_row_forces(const Workspace& workspace) {
  return !workspace.model().contacts().empty() ||
         std::ranges::any_of(workspace.system().forces, [](const ForceSpec& force) {
           return std::ranges::find(kTypes, std::string_view(force.type.text)) != std::end(kTypes);
         });
}

struct RowForces::Contacts {
  ForwardDynamics dynamics;
  SystemEquations equations;
  std::vector<double> udot, columns;

  explicit Contacts(const Workspace& workspace)
      : dynamics(workspace.shared_model(), workspace.properties(), "recursive"), equations(dynamics) {
    const RowLayout layout = row_layout(workspace.model());
    udot.resize(static_cast<std::size_t>(workspace.model().nu()));
    columns.resize(static_cast<std::size_t>(layout.flexible_bodies - layout.contacts));
  }
};

RowForces::RowForces(const Workspace& workspace, const Scene& scene)
    : workspace_(workspace),
      kinematics_(workspace.model()),
      applied_(workspace.model()),
      state_(workspace.calc_initial_state()) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> items;
  for (std::size_t i = 0; i < scene.items.size(); ++i) {
    items.emplace(std::pair(scene.items[i].list, scene.items[i].name), static_cast<std::uint32_t>(i));
  }
  const auto item_of = [&](const char* list, const std::string& name) {
    const auto found = items.find({list, name});
    return found == items.end() ? kNoItem : found->second;
  };
  const Model& model = workspace.model();
  for (const ContactInfo& contact : model.contacts())
    contact_items_.push_back(item_of("contacts", contact.name));
  for (const ForceInfo& force : model.forces()) {
    const bool is_actuator = force.type == "hydraulic_actuator";  // its damper is a part of its force
    force_items_.push_back(is_actuator ? kNoItem : item_of("forces", force.name));
  }
  for (const ForceSpec& force : workspace.system().forces) {
    if (force.type != "hydraulic_actuator") continue;
    actuators_.push_back({force.name.text, model.point(force.from.text), model.point(force.to.text),
                          item_of("forces", force.name.text)});
  }
  if (!model.contacts().empty()) contacts_ = std::make_unique<Contacts>(workspace);
}

RowForces::~RowForces() = default;

bool RowForces::find_columns(const Motion& motion) {
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
  const bool is_over_load = motion.x == "load";  // statics: the part of the given forces that acts
  load_ = is_over_load ? std::optional(place("load")) : std::nullopt;
  for (Actuator& actuator : actuators_) actuator.column = place(actuator.name + ".force");
  return is_complete;
}

void RowForces::read_state(const double* row) {
  const auto read = [&](const std::vector<std::size_t>& places, auto& values) {
    for (std::size_t i = 0; i < places.size(); ++i) values[i] = row[places[i]];
  };
  state_.t = row[t_];
  applied_.load = load_ ? row[*load_] : 1.0;
  read(q_, state_.q);
  read(u_, state_.u);
  read(d_, state_.d);
  read(x_, state_.x);
}

void RowForces::add_contacts(Motion& motion) {
  if (!contacts_) return;
  Contacts& own = *contacts_;
  try {
    own.dynamics.calc_udot(state_, own.udot);
    own.equations.add_contact_forces(state_, own.udot, own.columns);
  } catch (const ComputationError&) {
    return;  // the last row of a failed run
  }
  for (const ContactForce& one : own.equations.contact_forces()) {
    // On the body, if the other is the ground.
    const double sign = one.b.value() == 0 ? -1.0 : 1.0;
    add_arrow(motion, contact_items_[static_cast<std::size_t>(one.contact)], one.p, sign * one.force);
  }
}

void RowForces::add_elements(Motion& motion) {
  const ForceInput<double> in = force_input(state_, kinematics_, applied_);
  ForceOutput<double> out{applied_.cut.tau.empty() ? applied_.tau.data() : applied_.cut.tau.data(),
                          applied_.body.data(), applied_.rates.data()};
  workspace_.properties().forces.for_each([&](const auto& element) {
    const auto add = [&](FrameIndex frame, const Vec3<double>& p, const Vec3<double>& force) {
      if (frame.value() > 0)
        add_arrow(motion, force_items_[static_cast<std::size_t>(element.index.value())], p, force);
    };
    if constexpr (std::is_same_v<std::decay_t<decltype(element)>, Rope<double>>) {
      const std::vector<Vec3<double>> forces = forces_at_points(element, in);
      for (std::size_t k = 0; k < forces.size(); ++k) {
        const Marker<double>& point = element.points[k];
        add(point.frame, marker_motion(in.frames, point).position, forces[k]);
      }
    } else {
      const std::vector<ArrowStart> starts = starts_of(element, in.frames);
      if (starts.empty()) return;
      for (const ArrowStart& start : starts) out.frame_forces[start.frame.value()] = {};
      element.add_force(in, out);
      for (const ArrowStart& start : starts) {
        add(start.frame, start.p, out.frame_forces[start.frame.value()].force);
        // The elements of a beam that meet at a node
        if constexpr (std::is_same_v<std::decay_t<decltype(element)>, LineForce<double>>) join_last(motion);
      }
    }
  });
}

void RowForces::add_actuators(Motion& motion, const double* row) {
  const Properties<double>& properties = workspace_.properties();
  for (const Actuator& actuator : actuators_) {
    const Vec3<double> from = calc_point_position(properties, kinematics_, actuator.from),
                       to = calc_point_position(properties, kinematics_, actuator.to);
    const Vec3<double> along = (row[actuator.column] / norm(to - from)) * (to - from);
    if (properties.points[actuator.from].frame.value() > 0) add_arrow(motion, actuator.item, from, -along);
    if (properties.points[actuator.to].frame.value() > 0) add_arrow(motion, actuator.item, to, along);
  }
}

void RowForces::add_to(Motion& motion) {
  if (motion.frames_per_mode > 0 || !find_columns(motion)) return;
  const Model& model = workspace_.model();
  motion.forces.clear();
  motion.force_starts.assign(1, 0);
  for (std::size_t i = 0; i < motion.rows; ++i) {
    const double* row = motion.values.data() + i * motion.columns.size();
    read_state(row);
    add_contacts(motion);
    update_kinematics(model, workspace_.properties(), state_, kinematics_);
    update_applied_forces(model, workspace_.properties(), state_, kinematics_, applied_);
    add_elements(motion);
    add_actuators(motion, row);
    motion.force_starts.push_back(static_cast<std::uint32_t>(motion.forces.size()));
  }
}

}  // namespace sestina::studio
