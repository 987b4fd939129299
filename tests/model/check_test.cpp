// check(): other values of the parameters break the rules that they break for freeze(), at the same places.
#include "sestina/model/check.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "model/example_system.h"
#include "sestina/base/error.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Values = std::vector<std::pair<std::string, double>>;

// Every number with a rule depends on a parameter of its own.
System system_of_parameters() {
  System system = testing_support::example_system();
  const auto parameter = [&](const char* name, double value) {
    system.set_parameter(name, value);
    return Number(name);
  };
  BodySpec& arm = system.body("arm");
  arm.mass = parameter("mass", 1.0);
  arm.inertia.xx = parameter("xx", 0.1), arm.inertia.yy = 0.1, arm.inertia.zz = 0.1;
  arm.center_of_mass[0] = parameter("far", 0.4);
  arm.points[0].axes = RotationSpec::axis_angle({parameter("along", 1.0), 0, 0}, 0.3);
  system.body("box").points[0].axes = RotationSpec::euler_parameters(parameter("e", 1.0), 0, 0, 0);
  system.body("box").points[1].axes =
      RotationSpec::matrix({Triple{0, parameter("r", -1.0), 0}, Triple{1, 0, 0}, Triple{0, 0, 1}});
  BodySpec& point = system.add_particle("point", 1);
  point.center_of_mass[0] = parameter("offset", 0.0);
  point.inertia.xx = parameter("spin", 0.0);
  JointSpec& shoulder = system.joint("shoulder");
  shoulder.axis = {0, 0, parameter("axis", 2.0)};
  shoulder.armature = parameter("armature", 0.1);
  shoulder.q = {"1/turn"}, parameter("turn", 1.0);
  LimitsSpec& limits = shoulder.limits.emplace();
  limits.lower = parameter("lower", 0.0);
  limits.upper = parameter("upper", 1.0);
  limits.velocity = "upper";
  system.joint("elbow").second_axis = {parameter("second", 0.0), 1, 0};
  system.joint("wrist").q = {parameter("e0", 0.6), 0, 0.8, 0};
  system.force("band").free_length = "band_length - 1", parameter("band_length", 1.5);
  system.set_parameter("root", "sqrt(band_length)");
  system.force("band").stiffness = {"1/root"};
  ShapeSpec& shape = arm.shapes.emplace_back();
  shape.type = "box", shape.size = {1, parameter("width", 1.0), 1};
  system.set_variable("count", "1/first"), parameter("first", 1.0);
  return system;
}

std::vector<Fault> faults_of(const std::function<void()>& check) {
  try {
    check();
  } catch (const InputError& error) {
    return error.faults();
  }
  return {};
}

void expect_faults_of_freeze(const Values& values, std::size_t count) {
  System system = system_of_parameters();
  const auto model = freeze(system);
  std::vector<double> parameters = calc_properties(*model).parameters;
  for (const auto& [name, value] : values) {
    system.set_parameter(name, value);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (model->parameters()[i].name == name) parameters[i] = value;
    }
  }
  const std::vector<Fault> expected = faults_of([&] { freeze(system); });
  const std::vector<Fault> found =
      faults_of([&] { check(*model, calc_properties<double>(*model, parameters)); });
  EXPECT_EQ(expected.size(), count) << testing::PrintToString(values);
  ASSERT_EQ(found.size(), expected.size()) << testing::PrintToString(values);
  std::multiset<std::string> expected_texts, texts;
  for (const Fault& fault : expected) expected_texts.insert(to_string(fault));
  for (const Fault& fault : found) texts.insert(to_string(fault));
  EXPECT_EQ(texts, expected_texts);
}

TEST(Check, AcceptsWhatFreezeAccepts) {
  expect_faults_of_freeze({}, 0);
  expect_faults_of_freeze({{"mass", 2.0}, {"xx", 0.15}, {"axis", -1e200}, {"width", 0.0}, {"upper", 0.0}}, 0);
}

TEST(Check, RefusesWhatFreezeRefusesAtTheSamePlaces) {
  for (const auto& [name, value] :
       Values{{"mass", -1.0}, {"xx", -1.0},         {"xx", 0.3},     {"far", 1e300},  {"along", 0.0},
              {"e", 1.1},     {"r", 1.0},           {"r", -0.9},     {"offset", 0.1}, {"spin", 0.1},
              {"axis", 0.0},  {"armature", -0.1},   {"turn", 0.0},   {"lower", 2.0},  {"second", kInfinity},
              {"e0", 0.7},    {"band_length", 0.5}, {"width", -1.0}, {"mass", kNaN},  {"first", 0.0}}) {
    expect_faults_of_freeze({{name, value}}, 1);
  }
}

TEST(Check, TellsOfAllFaultsAndOfNoEchoes) {
  expect_faults_of_freeze({{"mass", -1.0}, {"width", -1.0}, {"turn", 0.0}}, 3);
  expect_faults_of_freeze({{"band_length", -1.0}},
                          2);                     // root is none, and free_length negative; no stiffness
  expect_faults_of_freeze({{"upper", -1.0}}, 2);  // a velocity as well
}

TEST(Check, KnowsTheParametersOfTheRunItself) {
  System system = system_of_parameters();
  system.set_parameter("end", 2.0);
  system.analysis.duration = "end + width";
  const auto model = freeze(system);
  for (std::size_t i = 0; i < model->parameters().size(); ++i) {
    const std::string& name = model->parameters()[i].name;
    EXPECT_EQ(model->is_free_of_settings(i), name != "end" && name != "width") << name;
  }
}

}  // namespace
}  // namespace sestina
