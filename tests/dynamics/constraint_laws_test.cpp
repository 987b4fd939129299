// Laws for the conditions of every cut joint and constraint: their rates are the derivatives of their
// errors, the power of their forces follows from their rates, and both methods of solution agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "dynamics/random_systems.h"
#include "flexible/reduced_models.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/constrained_kane.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using namespace testing_support;

// A random chain of joints that move every way, so that any condition can be met.
System open_system(std::uint64_t seed) {
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
void add_table(System& system, const std::string& on) {
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

void add_conditions(const Add& add) {
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

void add_conditions_on_cut_joints(const Add& add) {
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

void add_guides_and_programs(const Add& add) {
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
void add_reduced_bodies(const Add& add) {
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
void add_cables(const Add& add) {
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
void add_sliding_points(const Add& add) {
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
    add("eye of the ground for a" + of, [&](System& s) {
      line(s, formulation);
      s.add_point_on_beam("c1", "ground.origin", "line");
    });
  }
}

// Every kind of condition, each in a system of its own.
std::vector<std::pair<std::string, System>> systems() {
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

State<double> random_state(const Model& model, const Properties<double>& properties, std::uint64_t seed) {
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

struct AtState {
  AtState(std::shared_ptr<const Model> frozen, const State<double>& at)
      : model(std::move(frozen)),
        properties(calc_properties(*model)),
        kinematics(*model),
        rows(*model),
        state(at) {
    update(state);
  }
  void update(const State<double>& at) {
    update_kinematics(*model, properties, at, kinematics);
    update_constraint_rows(*model, properties, at, kinematics, rows);
  }
  // The state after a time dt at constant speeds.
  State<double> moved(double dt) const {
    State<double> at = state;
    at.t += dt;
    std::vector<double> displacement = state.u;
    for (double& x : displacement) x *= dt;
    plus_q<double>(*model, state.q, displacement, at.q);
    return at;
  }

  std::shared_ptr<const Model> model;
  Properties<double> properties;
  Kinematics<double> kinematics;
  ConstraintRows<double> rows;
  State<double> state;
};

// Calls f(q, u) with the places of the slope at each node of each cable.
template <class F>
void for_each_slope(const Model& model, F&& f) {
  for (const BeamInfo& beam : model.beams()) {
    for (std::size_t k = 0; k < beam.slope_q.size(); ++k) {
      f(static_cast<std::size_t>(beam.slope_q[k]), static_cast<std::size_t>(beam.slope_u[k]));
    }
  }
}
Vec3<double> three(const std::vector<double>& x, std::size_t first) {
  return {x[first], x[first + 1], x[first + 2]};
}

class EachConstraint : public testing::Test {
 protected:
  template <class F>
  void for_each(F&& test) {
    for (const auto& [name, system] : systems()) {
      SCOPED_TRACE(name);
      const auto model = freeze(system);
      const Properties<double> properties = calc_properties(*model);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        test(AtState(model, random_state(*model, properties, seed)));
      }
    }
  }
};

TEST_F(EachConstraint, AssemblesToRoundOff) {
  for_each([](const AtState& at) {
    for (const ConstraintRow<double>& row : at.rows.rows) {
      EXPECT_NEAR(row.error, 0.0, 1e-10);
      EXPECT_NEAR(row.velocity, 0.0, 1e-10);
    }
  });
}

// Central differences of step 1e-5: their error is 1e-10 of the third derivatives, round-off 1e-11.
TEST_F(EachConstraint, ErrorsGrowAsTheRatesTell) {
  for_each([](AtState at) {
    // Any speeds: the rates are those of a motion that leaves the conditions.
    SplitMix random(5);
    for (double& u : at.state.u) u += random.uniform(-1.0, 1.0);
    at.update(at.state);
    const std::vector<ConstraintRow<double>> here = at.rows.rows;
    constexpr double kStep = 1e-5;
    // Where N of a cut joint turns with its coordinates, the errors are compared in the axes of this place.
    at.update(at.moved(kStep));
    const std::vector<ConstraintRow<double>> after = at.rows.rows;
    at.update(at.moved(-kStep));
    const std::vector<ConstraintRow<double>> before = at.rows.rows;
    double moved = 0.0;
    for (std::size_t r = 0; r < here.size(); ++r) {
      if (!here[r].is_on_position) continue;
      const double rate = (after[r].error - before[r].error) / (2.0 * kStep);
      EXPECT_NEAR(rate, here[r].velocity, 1e-7);
      moved = std::max(moved, std::abs(rate));
    }
    if (!here.empty() && here[0].is_on_position) {
      EXPECT_GT(moved, 1e-3);
    }
  });
}

TEST_F(EachConstraint, RatesGrowAsTheBiasTells) {
  for_each([](AtState at) {
    const std::vector<ConstraintRow<double>> here = at.rows.rows;
    // Accelerations of the bodies while no speed changes.
    std::vector<SpatialMotion<double>> A0(at.kinematics.bias.size());
    for (std::size_t b = 1; b < A0.size(); ++b) {
      const BodyInfo& info = at.model->bodies()[BodyIndex(static_cast<int>(b))];
      A0[b] = shift(A0[static_cast<std::size_t>(info.parent.value())], at.kinematics.s[b]) +
              at.kinematics.bias[b];
    }
    const std::vector<double> no_udot(at.state.u.size());
    std::vector<double> bias;
    for (const ConstraintRow<double>& row : here)
      bias.push_back(row.bias + calc_rate<double>(at.rows, row, A0, no_udot));
    constexpr double kStep = 1e-5;
    at.update(at.moved(kStep));
    const std::vector<ConstraintRow<double>> after = at.rows.rows;
    at.update(at.moved(-kStep));
    for (std::size_t r = 0; r < here.size(); ++r) {
      if (here[r].is_inertia) continue;
      EXPECT_NEAR((after[r].velocity - at.rows.rows[r].velocity) / (2.0 * kStep), bias[r], 1e-6);
    }
  });
}

TEST_F(EachConstraint, ForcesDoTheWorkThatTheRatesTell) {
  for_each([](const AtState& at) {
    std::vector<SpatialMotion<double>> V(at.kinematics.motion.size());
    for (std::size_t b = 0; b < V.size(); ++b) V[b] = at.kinematics.motion[b].V_WB;
    for (std::size_t r = 0; r < at.rows.rows.size(); ++r) {
      std::vector<double> lambda(at.rows.rows.size()), tau(at.state.u.size());
      std::vector<SpatialForce<double>> body(V.size());
      lambda[r] = 1.0;
      add_constraint_forces<double>(at.rows, lambda, tau, body);
      double power = 0.0;
      SpatialForce<double> sum;
      for (std::size_t b = 0; b < V.size(); ++b) {
        power += dot(V[b], body[b]);
        sum += shift_back(body[b], at.kinematics.motion[b].X_WB.p);
      }
      Vec3<double> on_slopes;
      bool acts_on_slopes = false;
      for_each_slope(*at.model, [&](std::size_t q, std::size_t u) {
        if (norm(three(tau, u)) == 0.0) return;
        acts_on_slopes = true;
        on_slopes += cross(three(at.state.q, q), three(tau, u));
      });
      if (acts_on_slopes) sum.torque += on_slopes - body[0].torque;  // slopes instead of the ground
      // Action is reaction, but for the inertial forces of a cable.
      const ConstraintRow<double>& row = at.rows.rows[r];
      if (!row.is_inertia || row.a != row.b) {
        // A point is on a beam to 1e-10 (AssemblesToRoundOff).
        const bool slides = !at.model->plan().points_on_beams.empty();
        EXPECT_NEAR(norm(sum.force) + norm(sum.torque), 0.0, slides ? 1e-9 : 1e-13);
        if (slides && !acts_on_slopes && row.b.value() != 0) {
          EXPECT_NEAR(norm(body[0].force) + norm(body[0].torque), 0.0, 1e-9);
        }
      }
      for (std::size_t k = 0; k < tau.size(); ++k) power += tau[k] * at.state.u[k];
      EXPECT_NEAR(power, calc_rate<double>(at.rows, at.rows.rows[r], V, at.state.u), 1e-13);
    }
  });
}

// Seen from anywhere, and from anything that moves as a rigid body, errors and rates are the same.
TEST_F(EachConstraint, DoesNotChangeWithTheObserver) {
  for_each([](AtState at) {
    if (!at.model->conditions().empty() || !at.model->user_constraints().empty()) return;  // of coordinates
    const std::vector<ConstraintRow<double>> here = at.rows.rows;
    const Pose<double> X{axis_rotation(Vec3<double>{0.48, 0.6, 0.64}, 0.7), {0.3, -0.2, 0.5}};
    const SpatialMotion<double> V{{0.4, -0.3, 0.9}, {0.2, 0.7, -0.1}};  // of what is at the ground's origin
    for (FrameMotion<double>& frame : at.kinematics.motion) {
      frame.V_WB = rotate(X.R, frame.V_WB);
      frame.X_WB = X * frame.X_WB;
      frame.V_WB.w += V.w;
      frame.V_WB.v += V.v + cross(V.w, frame.X_WB.p);
    }
    for_each_slope(*at.model, [&](std::size_t q, std::size_t u) {
      const Vec3<double> slope = X.R * three(at.state.q, q),
                         rate = X.R * three(at.state.u, u) + cross(V.w, slope);
      for (int i = 0; i < 3; ++i) {
        at.state.q[q + static_cast<std::size_t>(i)] = slope[i];
        at.state.u[u + static_cast<std::size_t>(i)] = rate[i];
      }
    });
    update_constraint_rows(*at.model, at.properties, at.state, at.kinematics, at.rows);
    for (std::size_t r = 0; r < here.size(); ++r) {
      EXPECT_NEAR(at.rows.rows[r].error, here[r].error, 1e-12);
      EXPECT_NEAR(at.rows.rows[r].velocity, here[r].velocity, 1e-11);
      if (std::ranges::any_of(at.model->beams(), &BeamInfo::is_cable)) continue;  // see below
      EXPECT_NEAR(norm(at.rows.rows[r].force.force - X.R * here[r].force.force), 0.0, 1e-9);
      EXPECT_NEAR(norm(at.rows.rows[r].force.torque - X.R * here[r].force.torque), 0.0, 1e-9);
    }
  });
}

TEST_F(EachConstraint, RecursionAndEmbeddingAgreeAndKeepTheConditions) {
  for_each([](const AtState& at) {
    std::vector<double> udot[2], lambda[2];
    const char* names[] = {"recursive", "kane"};
    for (std::size_t i = 0; i < 2; ++i) {
      ForwardDynamics dynamics(at.model, at.properties, names[i]);
      udot[i].resize(at.state.u.size());
      dynamics.calc_udot(at.state, udot[i]);
      const auto multipliers = dynamics.constrained()->lambda();
      lambda[i].assign(multipliers.begin(), multipliers.end());
      // With the constraint forces the equations of motion are satisfied.
      InverseDynamics<double> inverse(*at.model);
      update_inverse_dynamics<double>(*at.model, at.properties, dynamics.kinematics(), dynamics.forces(),
                                      udot[i], inverse);
      for (const double residual : inverse.residual) EXPECT_NEAR(residual, 0.0, 1e-11);
      // The accelerations satisfy the conditions.
      const std::vector<ConstraintRow<double>>& rows = dynamics.constrained()->rows().rows;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double rate = rows[r].bias + calc_rate<double>(dynamics.constrained()->rows(), rows[r],
                                                             inverse.acceleration, udot[i]);
        // A rotor's force is its inertia times its acceleration, both divided by the root of its inertia.
        EXPECT_NEAR(rate, rows[r].is_inertia ? -lambda[i][r] : 0.0, 1e-10);
      }
    }
    for (std::size_t k = 0; k < udot[0].size(); ++k) EXPECT_NEAR(udot[0][k], udot[1][k], 1e-10);
    for (std::size_t r = 0; r < lambda[0].size(); ++r) EXPECT_NEAR(lambda[0][r], lambda[1][r], 1e-9);
  });
}

TEST_F(EachConstraint, CartesianCoordinatesGiveTheSameAccelerationsAndReactions) {
  for (auto [name, system] : systems()) {
    SCOPED_TRACE(name);
    const auto model = freeze(system);
    if (!model->user_constraints().empty()) continue;  // refused
    system.analysis.coordinates = "cartesian";
    const auto cartesian = freeze(system);
    const Properties<double> properties = calc_properties(*model);
    std::vector<State<double>> states;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) states.push_back(random_state(*model, properties, seed));
    const Comparison comparison = compare_formulations(model, properties, states, cartesian);
    const FormulationComparison& f = comparison.formulations.back();
    EXPECT_EQ(f.failure, "");
    EXPECT_LE(f.relative_residual, kResidualLimit);
    EXPECT_LE(f.udot_difference, kUdotLimit);
    EXPECT_LE(f.reaction_difference, 1e-9);  // relative to the largest
  }
}

// Trees of every joint and force, with cut joints and distances between any two bodies. Nothing is assembled:
// the linear problem is the same wherever the loops stand open.
TEST(ConstrainedDynamics, WaysAgreeOnRandomTreesWithLoops) {
  int loops = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    System system = random_system(seed);
    if (system.bodies.size() > 25) continue;
    SplitMix random(seed + 1000);
    const auto model_of_tree = freeze(system);
    const int room = model_of_tree->nu() / 3;
    const auto body = [&] {
      return system.bodies[static_cast<std::size_t>(random.below(static_cast<int>(system.bodies.size())))]
          .name.text;
    };
    int rows = 0;
    for (int i = 0; i < 4 && system.bodies.size() > 2; ++i) {
      const std::string from = body(), to = random.chance(0.3) ? "ground" : body();
      if (from == to) continue;
      if (random.chance(0.5)) {
        if (rows + 1 > room) break;
        system.add_distance(fmt::format("rod{}", i), from + ".origin", to + ".origin", 1.0);
        rows += 1;
      } else {
        if (rows + 3 > room) break;
        system.add_joint(fmt::format("ball{}", i), "spherical", to + ".origin", from + ".origin").cut = true;
        rows += 3;
      }
    }
    if (rows == 0) continue;
    const auto model = freeze(system);
    loops += static_cast<int>(model->cut_joints().size() + model->constraints().size());
    State<double> state = calc_initial_state(*model);
    std::vector<double> udot[2];
    const char* names[] = {"recursive", "kane"};
    int rank = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      ForwardDynamics dynamics(model, calc_properties(*model), names[i]);
      udot[i].resize(static_cast<std::size_t>(model->nu()));
      dynamics.calc_udot(state, udot[i]);
      if (i == 1) {
        ConstrainedKane kane(*model);
        kane.factor(dynamics.properties(), dynamics.kinematics(), dynamics.constrained()->rows());
        rank = kane.rank();
      }
    }
    if (rank < model->constraint_rows()) continue;  // open loops that contradict each other have no solution
    double size = 0.0, difference = 0.0;
    for (std::size_t k = 0; k < udot[0].size(); ++k) {
      size = std::max(size, std::abs(udot[0][k]));
      difference = std::max(difference, std::abs(udot[0][k] - udot[1][k]));
    }
    EXPECT_LT(difference, 1e-8 * size) << "seed " << seed;
    ++compared;
  }
  EXPECT_GT(loops, 60);
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace sestina
