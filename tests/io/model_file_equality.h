// Whether two Systems describe the same thing; marks do not count.
#pragma once

#include <gtest/gtest.h>

#include "sestina/model/system.h"

namespace sestina {

inline bool same(const Number& a, const Number& b) {
  return a.is_expression() == b.is_expression() && a.expression() == b.expression() && a.value() == b.value();
}
inline bool same(const Name& a, const Name& b) { return a.text == b.text; }
inline bool same(const std::string& a, const std::string& b) { return a == b; }
inline bool same(double a, double b) { return a == b; }

template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b);
template <class T, std::size_t n>
bool same(const std::array<T, n>& a, const std::array<T, n>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const T& x, const T& y) { return same(x, y); });
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

inline bool same(const RotationSpec& a, const RotationSpec& b) {
  return a.kind == b.kind && same(a.numbers, b.numbers);
}
inline bool same(const PointSpec& a, const PointSpec& b) {
  return same(a.name, b.name) && same(a.position, b.position) && same(a.axes, b.axes);
}
inline bool same(const ShapeSpec& a, const ShapeSpec& b) {
  return same(a.type, b.type) && same(a.radius, b.radius) && same(a.length, b.length) &&
         same(a.size, b.size) && same(a.file, b.file) && same(a.scale, b.scale) &&
         same(a.position, b.position) && same(a.axes, b.axes);
}
inline bool same(const LimitsSpec& a, const LimitsSpec& b) {
  return same(a.lower, b.lower) && same(a.upper, b.upper) && same(a.velocity, b.velocity) &&
         same(a.effort, b.effort);
}
inline bool same(const TimeElementsSpec& a, const TimeElementsSpec& b) {
  return same(a.elements, b.elements) && same(a.pair, b.pair) && same(a.tests, b.tests) &&
         same(a.scheme, b.scheme) && same(a.windows, b.windows) && same(a.tolerance, b.tolerance) &&
         same(a.stretches, b.stretches);
}
inline bool same(const TableSpec& a, const TableSpec& b) {
  return same(a.file, b.file) && same(a.columns, b.columns) && same(a.interpolation, b.interpolation) &&
         same(a.time, b.time) && same(a.values, b.values);
}
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

inline void expect_same(const BodySpec& a, const BodySpec& b) {
  SCOPED_TRACE(a.name.text);
  EXPECT_TRUE(same(a.name, b.name));
  EXPECT_TRUE(same(a.type, b.type));
  EXPECT_TRUE(same(a.mass, b.mass));
  EXPECT_TRUE(same(a.center_of_mass, b.center_of_mass));
  EXPECT_TRUE(same(a.inertia.xx, b.inertia.xx));
  EXPECT_TRUE(same(a.inertia.yy, b.inertia.yy));
  EXPECT_TRUE(same(a.inertia.zz, b.inertia.zz));
  EXPECT_TRUE(same(a.inertia.xy, b.inertia.xy));
  EXPECT_TRUE(same(a.inertia.xz, b.inertia.xz));
  EXPECT_TRUE(same(a.inertia.yz, b.inertia.yz));
  EXPECT_EQ(a.inertia_check, b.inertia_check);
  EXPECT_TRUE(same(a.points, b.points));
  EXPECT_TRUE(same(a.shapes, b.shapes));
  EXPECT_EQ(a.original_name, b.original_name);
}

inline void expect_same(const JointSpec& a, const JointSpec& b) {
  SCOPED_TRACE(a.name.text);
  EXPECT_TRUE(same(a.name, b.name));
  EXPECT_TRUE(same(a.type, b.type));
  EXPECT_TRUE(same(a.parent, b.parent));
  EXPECT_TRUE(same(a.child, b.child));
  EXPECT_TRUE(same(a.axis, b.axis));
  EXPECT_TRUE(same(a.second_axis, b.second_axis));
  EXPECT_TRUE(same(a.pitch, b.pitch));
  EXPECT_TRUE(same(a.armature, b.armature));
  EXPECT_TRUE(same(a.q, b.q));
  EXPECT_TRUE(same(a.u, b.u));
  EXPECT_TRUE(same(a.limits, b.limits));
  EXPECT_EQ(a.original_name, b.original_name);
}

inline void expect_same(const ForceSpec& a, const ForceSpec& b) {
  SCOPED_TRACE(a.name.text);
  EXPECT_TRUE(same(a.name, b.name));
  EXPECT_TRUE(same(a.type, b.type));
  EXPECT_TRUE(same(a.joint, b.joint));
  EXPECT_TRUE(same(a.from, b.from));
  EXPECT_TRUE(same(a.to, b.to));
  EXPECT_TRUE(same(a.at, b.at));
  EXPECT_TRUE(same(a.axes, b.axes));
  EXPECT_TRUE(same(a.stiffness, b.stiffness));
  EXPECT_TRUE(same(a.damping, b.damping));
  EXPECT_TRUE(same(a.reference, b.reference));
  EXPECT_TRUE(same(a.rotational_stiffness, b.rotational_stiffness));
  EXPECT_TRUE(same(a.rotational_damping, b.rotational_damping));
  EXPECT_TRUE(same(a.stiffness_matrix, b.stiffness_matrix));
  EXPECT_TRUE(same(a.damping_matrix, b.damping_matrix));
  EXPECT_TRUE(same(a.axis, b.axis));
  EXPECT_TRUE(same(a.points, b.points));
  EXPECT_TRUE(same(a.coupled_to, b.coupled_to));
  EXPECT_TRUE(same(a.coordinates, b.coordinates));
  EXPECT_TRUE(same(a.mass_matrix, b.mass_matrix));
  EXPECT_TRUE(same(a.initial, b.initial));
  EXPECT_TRUE(same(a.initial_rates, b.initial_rates));
  EXPECT_TRUE(same(a.unit, b.unit));
  for_each_force_number([&](const NumberInfo&, auto of) { EXPECT_TRUE(same(of(a), of(b))); });
  EXPECT_TRUE(same(a.value, b.value));
  EXPECT_TRUE(same(a.table, b.table));
}

inline void expect_same(const EventSpec& a, const EventSpec& b) {
  EXPECT_TRUE(same(a.name, b.name));
  EXPECT_TRUE(same(a.when, b.when));
  EXPECT_TRUE(same(a.direction, b.direction));
  EXPECT_EQ(a.terminal, b.terminal);
  EXPECT_TRUE(same(a.tolerance, b.tolerance));
  ASSERT_EQ(a.set.size(), b.set.size());
  for (std::size_t i = 0; i < a.set.size(); ++i) {
    EXPECT_TRUE(same(a.set[i].target, b.set[i].target));
    EXPECT_TRUE(same(a.set[i].value, b.set[i].value)) << a.set[i].target.text;
  }
}

inline void expect_same(const System& a, const System& b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_TRUE(same(a.parameters[i].name, b.parameters[i].name));
    EXPECT_TRUE(same(a.parameters[i].value, b.parameters[i].value)) << a.parameters[i].name.text;
  }
  EXPECT_TRUE(same(a.gravity, b.gravity));
  EXPECT_TRUE(same(a.ground_points, b.ground_points));
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) expect_same(a.bodies[i], b.bodies[i]);
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) expect_same(a.joints[i], b.joints[i]);
  ASSERT_EQ(a.forces.size(), b.forces.size());
  for (std::size_t i = 0; i < a.forces.size(); ++i) expect_same(a.forces[i], b.forces[i]);
  ASSERT_EQ(a.variables.size(), b.variables.size());
  for (std::size_t i = 0; i < a.variables.size(); ++i) {
    EXPECT_TRUE(same(a.variables[i].name, b.variables[i].name));
    EXPECT_TRUE(same(a.variables[i].value, b.variables[i].value)) << a.variables[i].name.text;
  }
  ASSERT_EQ(a.states.size(), b.states.size());
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    EXPECT_EQ(a.states[i].name.text, b.states[i].name.text);
    EXPECT_EQ(a.states[i].unit.text, b.states[i].unit.text);
    EXPECT_TRUE(same(a.states[i].rate, b.states[i].rate));
    EXPECT_TRUE(same(a.states[i].start, b.states[i].start));
  }
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) expect_same(a.events[i], b.events[i]);
  EXPECT_TRUE(same(a.analysis.coordinates, b.analysis.coordinates));
  EXPECT_TRUE(same(a.analysis.solver, b.analysis.solver));
  EXPECT_TRUE(same(a.analysis.integrator.name, b.analysis.integrator.name));
  EXPECT_TRUE(same(a.analysis.integrator.stages, b.analysis.integrator.stages));
  EXPECT_TRUE(same(a.analysis.integrator.spectral_radius, b.analysis.integrator.spectral_radius));
  EXPECT_TRUE(same(a.analysis.integrator.form, b.analysis.integrator.form));
  EXPECT_TRUE(same(a.analysis.time_elements, b.analysis.time_elements));
  EXPECT_TRUE(same(a.analysis.step.driver, b.analysis.step.driver));
  EXPECT_TRUE(same(a.analysis.step.dt, b.analysis.step.dt));
  EXPECT_TRUE(same(a.analysis.step.rtol, b.analysis.step.rtol));
  EXPECT_TRUE(same(a.analysis.step.atol, b.analysis.step.atol));
  EXPECT_TRUE(same(a.analysis.step.control, b.analysis.step.control));
  EXPECT_TRUE(same(a.analysis.step.max_step, b.analysis.step.max_step));
  EXPECT_EQ(a.analysis.step.land_on_output, b.analysis.step.land_on_output);
  EXPECT_TRUE(same(a.analysis.duration, b.analysis.duration));
  EXPECT_TRUE(same(a.output.every, b.output.every));
  EXPECT_TRUE(same(a.output.max_rows, b.output.max_rows));
  ASSERT_EQ(a.output.columns.size(), b.output.columns.size());
  for (std::size_t i = 0; i < a.output.columns.size(); ++i) {
    const ColumnSpec &x = a.output.columns[i], &y = b.output.columns[i];
    EXPECT_TRUE(same(x.name, y.name));
    EXPECT_TRUE(same(x.value, y.value)) << x.name.text;
    EXPECT_TRUE(same(x.unit, y.unit)) << x.name.text;
    EXPECT_EQ(x.integrate, y.integrate) << x.name.text;
  }
}

}  // namespace sestina
