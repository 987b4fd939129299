// Every kind of condition, each in a system of its own, and random states that satisfy it.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/random_systems.h"
#include "flexible/reduced_models.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/model/freeze.h"

namespace sestina::testing_support {

// A random chain of joints that move every way, so that any condition can be met.
inline System open_system(std::uint64_t seed) {
  SplitMix random(seed);
  System system;
  system.gravity = {0.3, -9.81, 0.2};
  const auto triple = [&](double size) {
    const auto v = random.vector(size);
    return Triple{v[0], v[1], v[2]};
  };
  const char* parents[] = {"ground.origin", "a.p", "ground.origin", "c.p"};
  const char* names[] = {"a", "b", "c", "d"};
  const char* types[] = {"free", "spherical", "free", "universal"};
  for (std::size_t i = 0; i < 4; ++i) {
    BodySpec& body = system.add_body(names[i], random.uniform(0.5, 2.0));
    body.center_of_mass = triple(0.3);
    body.inertia = {
        .xx = random.uniform(0.2, 0.3), .yy = random.uniform(0.2, 0.3), .zz = random.uniform(0.2, 0.3)};
    PointSpec& point = body.add_point("p", triple(0.5));
    const auto e = random.euler_parameters();
    point.axes = RotationSpec::euler_parameters(e[0], e[1], e[2], e[3]);
    JointSpec& joint = system.add_joint(fmt::format("j{}", names[i]), types[i], parents[i],
                                        fmt::format("{}.origin", names[i]));
    if (joint.type == "universal") joint.axis = {1, 0, 0}, joint.second_axis = {0, 1, 0};
  }
  return system;
}

// A closed curve through random points, on the point that is named.
inline void add_table(System& system, const std::string& on) {
  ConstraintSpec& spec = system.add_constraint("c1", "point_on_curve");
  spec.point = "b.p", spec.curve = on;
  TableSpec& table = spec.table.emplace();
  table.time = {0, 1, 2.5, 3, 4, 5};
  table.columns = {"x", "y", "z"};
  table.values = {{1, 0.2, -0.9, -0.8, 0.1, 1}, {0, 0.9, 0.3, -0.2, -1, 0}, {0, 0.3, -0.1, 0.2, -0.1, 0}};
  spec.periodic = true;
}

// Body b's origin stays on x^2 + 2 y^2 + 3 z^2 = 1 + t/10, by a force on the body.
class Ellipsoid : public UserConstraint {
 public:
  explicit Ellipsoid(bool has_bias) : has_bias_(has_bias) {}
  int count() const override { return 1; }
  void prepare(const UserForceLayout& layout) override {
    body_ = static_cast<std::size_t>(std::find(layout.bodies.begin(), layout.bodies.end(), "b") -
                                     layout.bodies.begin());
  }
  bool calc(const UserConstraintInput& in, const UserConstraintOutput& out) const override {
    const Vec3<double>&p = in.bodies[body_].X_WB.p, &v = in.bodies[body_].V_WB.v;
    out.error[0] = p.x * p.x + 2.0 * p.y * p.y + 3.0 * p.z * p.z - 1.0 - 0.1 * in.t;
    out.time_rate[0] = -0.1;
    const Vec3<double> gradient{2.0 * p.x, 4.0 * p.y, 6.0 * p.z};
    out.bodies[body_] = {{}, gradient};
    out.bodies[0] = {-cross(p, gradient), -gradient};
    if (!has_bias_) return false;
    // The second derivative: that of the gradient, and what the body's origin accelerates with udot = 0. This
    // body hangs on a free joint and a spherical one: its acceleration is that of a point of the first. In
    // cartesian coordinates it floats and has none.
    const std::size_t a = 1;
    const bool floats = in.layout.joints[body_ - 1].nu == 6;
    const Vec3<double> arm = floats ? Vec3<double>{} : p - in.bodies[a].X_WB.p, w = in.bodies[a].V_WB.w;
    out.bias[0] =
        2.0 * v.x * v.x + 4.0 * v.y * v.y + 6.0 * v.z * v.z + dot(gradient, cross(w, cross(w, arm)));
    return true;
  }

 private:
  bool has_bias_;
  std::size_t body_ = 0;
};

// Adds a separate system, which the function fills.
using Add = std::function<void(const std::string& name, const std::function<void(System&)>& constrain)>;

inline void add_conditions(const Add& add) {
  add("distance", [](System& s) { s.add_distance("c1", "b.p", "d.p", 0.7); });
  add("distance over time",
      [](System& s) { s.add_distance("c1", "b.p", "ground.origin", "0.7 + 0.1*sin(2*t)"); });
  add("coupling", [](System& s) { s.add_coupling("c1", {{"jd.q[0]", 2}, {"jd.q[1]", -1}}, "0.1*t^2"); });
  add("coupling of speeds", [](System& s) {
    s.add_coupling("c1", {{"jd.u[0]", 2}, {"jb.u[1]", -1}}, 0.3).level = "velocity";
  });
  add("motion", [](System& s) { s.add_motion("c1", "jd", std::vector<Number>{"sin(t)", "t^2/2"}); });
  add("expression", [](System& s) { s.add_condition("c1", "jd.q[0]^2 + ja.q[1]*cos(jd.q[1]) - 0.2 + t"); });
  add("expression of an orientation",
      [](System& s) { s.add_condition("c1", "jb.q[0]*jb.q[1] - jc.q[4] - 0.1*t"); });
  add("expression of speeds", [](System& s) {
    s.add_condition("c1", "ja.u[3]*sin(jd.q[0]) - ja.u[4]*cos(jd.q[0]) + jb.u[0]*jb.q[2]").level = "velocity";
  });
}

inline void add_conditions_on_cut_joints(const Add& add) {
  const auto cut = [](System& s, const char* type) -> JointSpec& {
    JointSpec& joint = s.add_joint("cut", type, "b.p", "d.p");
    if (std::string(type) != "spherical") joint.axis = {0.3, -0.5, 0.8};
    if (std::string(type) == "universal") joint.second_axis = {-0.6, 0.1, 0.4};
    return joint;
  };
  add("motion of a cut joint", [&](System& s) {
    cut(s, "universal");
    s.add_motion("c1", "cut", std::vector<Number>{"0.2*sin(t)", "0.3 + t^2/2"});
  });
  add("coupling with a cut joint", [&](System& s) {
    cut(s, "cylindrical");
    s.add_coupling("c1", {{"cut.q[0]", 2}, {"cut.q[1]", 1}, {"jd.q[1]", -1}}, "0.1*t^2");
  });
  add("expression of a cut joint's orientation", [&](System& s) {
    cut(s, "spherical");
    s.add_condition("c1", "cut.q[1] - 0.5*cut.q[2]*cut.q[0] - 0.2*jd.q[0]");
  });
  add("expression of a cut joint's speeds", [&](System& s) {
    cut(s, "universal");
    s.add_condition("c1", "cut.u[0]*cos(jd.q[0]) - cut.u[1] + jb.u[0]*cut.q[1]").level = "velocity";
  });
  add("coupling of two cut joints", [&](System& s) {
    cut(s, "cylindrical");
    JointSpec& other = s.add_joint("other", "cylindrical", "a.p", "c.p");
    other.axis = {-0.2, 0.5, 0.6};
    s.add_coupling("c1", {{"cut.q[0]", 2}, {"other.q[1]", 1}, {"jd.q[1]", -1}, {"other.q[0]", 0.4}},
                   "0.1*t^2");
  });
  add("cut joint with a rotor", [&](System& s) { cut(s, "revolute").armature = 0.3; });
}

inline void add_guides_and_programs(const Add& add) {
  add("point on a line", [](System& s) { s.add_point_on_line("c1", "b.p", "d.p", {1, 2, -1}); });
  add("point on a plane", [](System& s) { s.add_point_on_plane("c1", "b.p", "ground.origin", {1, 2, 5}); });
  add("point on a curve", [](System& s) {
    s.add_point_on_curve("c1", "b.p", "ground.origin", {"0.6*cos(s)", "0.5*sin(s)", "0.2*s"});
  });
  add("point on a moving curve", [](System& s) {
    s.add_point_on_curve("c1", "b.p", "d.p", {"s", "0.3*s^2", "0.2*sin(s)"}).range = {-4, 4};
  });
  add("point on a moving table", [](System& s) { add_table(s, "d.p"); });
  add("disc on the ground", [](System& s) {
    s.add_rolling("c1", "b.p", {0.1, 1, 0.2}, 0.3, "ground.origin", {0.1, 0.2, 1});
  });
  add("disc on a moving plane", [](System& s) {
    s.add_rolling("c1", "b.p", {0, 1, 0}, 0.4, "d.p", {-0.3, 0.2, 1});
  });
  add("condition of a program",
      [](System& s) { s.add_user_constraint("c1", std::make_shared<Ellipsoid>(true)); });
  add("condition of a program without a bias",
      [](System& s) { s.add_user_constraint("c1", std::make_shared<Ellipsoid>(false)); });
}

// Interfaces of reduced bodies, which deform, on one side or on both.
inline void add_reduced_bodies(const Add& add) {
  const auto flex = [](System& s, const char* name, unsigned seed) {
    s.add_reduced_body(name, make_particle_body(seed, 8, 5).reduced);
  };
  add("nothing on a reduced body", [&](System& s) { flex(s, "flex", 1); });
  add("cut joint on an interface", [&](System& s) {
    flex(s, "flex", 2);
    s.add_joint("cut", "revolute", "flex.left", "d.p").axis = {0.3, -0.5, 0.8};
  });
  add("joints on two interfaces of a body", [&](System& s) {
    flex(s, "flex", 3);
    s.add_joint("cut", "universal", "b.p", "flex.left").axis = {0.3, -0.5, 0.8};
    s.joints.back().second_axis = {-0.6, 0.1, 0.4};
    s.add_joint("other", "spherical", "flex.right", "d.p");
  });
  add("distance between two reduced bodies", [&](System& s) {
    flex(s, "flex", 4), flex(s, "limp", 5);
    s.add_distance("c1", "flex.left", "limp.right", "0.7 + 0.1*sin(2*t)");
  });
  add("coupling of joints on interfaces", [&](System& s) {
    flex(s, "flex", 6);
    s.add_joint("cut", "cylindrical", "flex.left", "d.p").axis = {0.3, -0.5, 0.8};
    s.add_joint("other", "cylindrical", "a.p", "flex.right").axis = {-0.2, 0.5, 0.6};
    s.add_coupling("c1", {{"cut.q[0]", 2}, {"other.q[1]", 1}, {"jd.q[1]", -1}, {"other.q[0]", 0.4}},
                   "0.1*t^2");
  });
  add("mode that follows a joint", [&](System& s) {
    flex(s, "flex", 7);
    s.add_coupling("c1", {{"jd.q[0]", 0.2}, {"flex_mode_2.q", -1}}, 0);
  });
  add("disc on an interface", [&](System& s) {
    flex(s, "flex", 8);
    s.add_rolling("c1", "b.p", {0, 1, 0}, 0.4, "flex.left", {-0.3, 0.2, 1});
  });
  add("point on a curve of an interface", [&](System& s) {
    flex(s, "flex", 9);
    s.add_point_on_curve("c1", "b.p", "flex.left", {"0.6*cos(s)", "0.5*sin(s)", "0.2*s"});
  });
}

// Points of cables, whose positions and slopes are coordinates of their own.
inline void add_cables(const Add& add) {
  const auto rope = [](System& s) {
    BeamSpec spec;
    spec.formulation = "ancf_cable";
    spec.centerline.from = Triple{0.2, 0, 0}, spec.centerline.to = Triple{1.1, 0.3, 0.2};
    spec.elements = 2;
    spec.section.EA = 0.5, spec.section.EI = 0.02, spec.section.mass = 15;
    s.add_beam("rope", spec).points.push_back({"mid", {}, {}, Number(0.5)});
  };
  add("nothing on a cable", rope);
  add("weld of a cable's end", [&](System& s) {
    rope(s);
    s.add_joint("cut", "weld", "b.p", "rope.start");
  });
  add("cable between two bodies", [&](System& s) {
    rope(s);
    s.add_joint("cut", "spherical", "rope.start", "b.p");
    s.add_joint("cut2", "weld", "rope.end", "d.p");
  });
  add("tangent and distance of a cable", [&](System& s) {
    rope(s);
    ConstraintSpec& tangent = s.add_constraint("c1", "tangent");
    tangent.point = "rope.mid", tangent.line = "d.p", tangent.axis = Triple{0.3, -0.5, 0.8};
    s.add_distance("c2", "rope.end", "b.p", "0.7 + 0.1*sin(t)");
  });
}

// Points that slide along beams and cables, which are long for their random displacements.
inline void add_sliding_points(const Add& add) {
  const auto line = [](System& s, const char* formulation) {
    BeamSpec spec;
    spec.formulation = formulation;
    spec.centerline.from = Triple{-4, 0, 0}, spec.centerline.to = Triple{5, 0.3, 1};
    spec.elements = 3;
    spec.section.EA = 20, spec.section.mass = 5;
    if (spec.formulation == "ancf_cable") {
      spec.section.EI = 0.5;
    } else {
      spec.section.GAy = 9, spec.section.GAz = 8, spec.section.GJ = 2;
      spec.section.EIy = 3, spec.section.EIz = 4;
    }
    s.add_beam("line", spec);
  };
  for (const char* formulation : {"ancf_cable", "geometrically_exact"}) {
    const std::string of = fmt::format(" {}", formulation);
    add("point on a" + of, [&](System& s) {
      line(s, formulation);
      s.add_point_on_beam("c1", "b.p", "line");
    });
    add("two points on a" + of, [&](System& s) {
      line(s, formulation);
      s.add_point_on_beam("c1", "b.p", "line"), s.add_point_on_beam("c2", "d.origin", "line");
    });
    add("point on a" + of + " with a force along it", [&](System& s) {
      line(s, formulation);
      s.add_point_on_beam("c1", "b.p", "line");
      ForceSpec& along = s.add_force("along", "sliding_force");
      along.constraint = "c1", along.value = {"2*sin(t) - 1"}, along.damping = {0.7};
      along.friction = 0.9, along.creep_speed = 0.4;
      along.lower = 0.3, along.upper = 0.4, along.stop_stiffness = 30, along.stop_damping = 2;
    });
    add("eye of the ground for a" + of, [&](System& s) {
      line(s, formulation);
      s.add_point_on_beam("c1", "ground.origin", "line");
    });
  }
}

// Every kind of condition, each in a system of its own.
inline std::vector<std::pair<std::string, System>> constrained_systems() {
  std::vector<std::pair<std::string, System>> all;
  std::uint64_t seed = 100;
  const Add add = [&](const std::string& name, const std::function<void(System&)>& constrain) {
    System system = open_system(++seed);
    constrain(system);
    all.emplace_back(name, std::move(system));
  };
  for (const std::string& type : joint_keywords()) {
    add("cut " + type, [&](System& system) {
      JointSpec& cut = system.add_joint("cut", type, "b.p", "d.p");
      const JointInfo& info = joint_info(*joint_type_from_keyword(type));
      if (info.has_axis) cut.axis = {0.3, -0.5, 0.8};
      if (info.has_second_axis) cut.second_axis = {-0.6, 0.1, 0.4};
      if (type == "screw") cut.pitch = 0.2;
    });
  }
  add_conditions(add);
  add_conditions_on_cut_joints(add);
  add_guides_and_programs(add);
  add_reduced_bodies(add);
  add_cables(add);
  add_sliding_points(add);
  return all;
}

inline State<double> random_state(const Model& model, const Properties<double>& properties,
                                  std::uint64_t seed) {
  SplitMix random(seed);
  State<double> state = calc_initial_state(model);
  state.t = 0.4;
  std::vector<double> displacement(static_cast<std::size_t>(model.nu()));
  for (double& x : displacement) x = random.uniform(-0.6, 0.6);
  for (const BodyInfo& body : model.bodies()) {
    if (body.is_mode) displacement[static_cast<std::size_t>(body.u_start)] *= 0.2;
  }
  // No strains connect sections of a beam that turn and move far.
  for (const BeamInfo& beam : model.beams()) {
    if (beam.is_cable) continue;
    for (const BodyIndex node : beam.nodes) {
      for (int k = 0; k < 6; ++k)
        displacement[static_cast<std::size_t>(model.bodies()[node].u_start + k)] *= 0.3;
    }
  }
  plus_q<double>(model, state.q, displacement, state.q);
  for (double& u : state.u) u = random.uniform(-1.0, 1.0);
  assemble(model, properties, {}, {}, state);
  return state;
}

}  // namespace sestina::testing_support
