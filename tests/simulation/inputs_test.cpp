// Inputs that code computes or a table holds, and rows at given times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/simulation/symbolic_system.h"

namespace sestina::symbolic {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

// m x'' = F - k x
struct Cart {
  Mechanics mechanics;
  Expression x = mechanics.dynamicsymbol("x"), v = mechanics.dynamicsymbol("v"),
             F = mechanics.dynamicsymbol("F");
  Expression m = mechanics.symbol("m"), k = mechanics.symbol("k");

  KanesMethod derive(const Expression& kinematics = 0) {
    const ReferenceFrame N = mechanics.frame("N");
    const Point O = mechanics.point("O"), P = O.locatenew("P", x * N.x());
    P.set_vel(N, v * N.x());
    return {N,
            {.q_ind = {x}, .u_ind = {v}, .kd_eqs = {mechanics.rate(x) - v - kinematics}},
            {Particle{"P", P, m}},
            {Force{P, (F - k * x) * N.x()}}};
  }
};

SimulationOptions options_of(double duration, double every) {
  SimulationOptions options;
  options.duration = duration;
  options.output_every = every;
  return options;
}

TEST(Inputs, CodeDrivesAsItsExpressionDoes) {
  Cart cart;
  const KanesMethod kane = cart.derive();
  SymbolicSystem by_code(kane), by_expression(kane);
  for (SymbolicSystem* system : {&by_code, &by_expression}) {
    system->set({{cart.m, 2.0}, {cart.k, 8.0}});
    system->set_initial({{cart.x, 1.0}});
    system->add_output("drive", cart.F, "N");
    system->add_output("power", cart.F * cart.v, "W");
    system->add_event({.name = "middle", .function = cart.x});
  }
  by_expression.set_input(cart.F, sin(3 * cart.mechanics.time()) - cart.v / 2);
  by_code.set_input(cart.F, 5);  // what comes later takes its place
  by_code.set_input(cart.F, {[](double t, std::span<const double> q, std::span<const double> u) {
                      EXPECT_EQ(q.size(), 1);
                      return std::sin(3 * t) - u[0] / 2;
                    }});
  const ResultTable one = by_code.simulate(options_of(4.0, 0.1)),
                    other = by_expression.simulate(options_of(4.0, 0.1));
  ASSERT_EQ(one.rows(), other.rows());
  EXPECT_GT(one.rows(), 42);  // 41, and events
  for (std::size_t i = 0; i < one.rows(); ++i) {
    for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(one.at(i, c), other.at(i, c), 1e-12) << i;
  }
}

// A cart at rest takes ever longer steps; the pulse of 50.1 to 50.7 s has the impulse 0.5 N s.
TEST(Inputs, APulseOfATableIsNotSteppedOver) {
  Cart cart;
  SymbolicSystem system(cart.derive());
  system.set({{cart.m, 2.0}, {cart.k, 0.0}});
  system.set_input(cart.F, make_input_table({50.1, 50.2, 50.6, 50.7}, {0, 1, 1, 0}));
  system.add_event({.name = "there", .function = cart.x - 1});
  for (const char* rule : {"dormand_prince_54", "adams_bashforth_moulton", "cvode_adams"}) {
    SimulationOptions wanted = options_of(100.0, 0.25);
    wanted.rule.name = rule;
    const ResultTable table = system.simulate(wanted);
    const double tolerance = wanted.rule.name == "dormand_prince_54" ? 1e-12 : 1e-5;
    EXPECT_NEAR(table.column("v").back(), 0.25, tolerance) << rule;
    // The middle of the pulse is at 50.4 s.
    EXPECT_NEAR(table.column("x").back(), 0.25 * (100 - 50.4), 50 * tolerance) << rule;
    EXPECT_EQ(table.rows(), 401 + 2) << rule;
    const std::vector<double> t = table.column("t"), event = table.column("event");
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (event[i] != 0.0) {
        EXPECT_NEAR(t[i], 54.4, 1e3 * tolerance) << rule;
      }
    }
  }
}

// A stage at the end of a step uses the value on that side of the jump on which the step lies.
TEST(Inputs, CodeThatJumpsAtItsKnotsIsIntegratedFromSideToSide) {
  Cart cart;
  SymbolicSystem system(cart.derive());
  system.set({{cart.m, 2.0}, {cart.k, 0.0}});
  system.set_input(cart.F,
                   {[](double t, auto, auto) { return t >= 60.0 && t < 60.5 ? 1.0 : 0.0; }, {60.0, 60.5}});
  system.add_output("drive", cart.F, "N");
  for (const char* rule : {"dormand_prince_54", "rkf45", "adams_bashforth_moulton", "cvode_bdf"}) {
    SimulationOptions wanted = options_of(100.0, 0.5);
    wanted.rule.name = rule;
    const ResultTable table = system.simulate(wanted);
    const double tolerance = wanted.rule.name[0] == 'c' ? 1e-5 : 1e-12;
    const std::vector<double> t = table.column("t"), v = table.column("v"), drive = table.column("drive");
    for (std::size_t i = 0; i < t.size(); ++i) {
      EXPECT_NEAR(v[i], t[i] <= 60.0 ? 0.0 : 0.25, tolerance) << rule << " at " << t[i];
      EXPECT_EQ(drive[i], t[i] == 60.0 ? 1.0 : 0.0) << rule << " at " << t[i];
    }
  }
}

TEST(Inputs, ATableIsHeldBeforeAndAfterItsTimes) {
  const InputFunction table = make_input_table({1, 2, 4}, {3, 5, 1});
  const std::vector<double> at = {0, 1, 1.5, 2, 3, 4, 9}, wanted = {3, 3, 4, 5, 3, 1, 1};
  for (std::size_t i = 0; i < at.size(); ++i) EXPECT_EQ(table.value(at[i], {}, {}), wanted[i]) << at[i];
  EXPECT_THAT(message_of([] { make_input_table({1, 1}, {0, 0}); }), HasSubstr("1 s after 1 s"));
  EXPECT_THAT(message_of([] { make_input_table({1, 2}, {0}); }), HasSubstr("2 times and 1 values"));
  EXPECT_THAT(message_of([] { make_input_table({}, {}); }), HasSubstr("at least one"));
  EXPECT_THAT(message_of([] { make_input_table({1, 2}, {0, NAN}); }), HasSubstr("nan at 2 s"));
}

TEST(Inputs, CodeIsRefusedWhereItsRatesAreWanted) {
  const InputFunction still = {[](double, auto, auto) { return 0.0; }};
  Cart cart, carried;
  SymbolicSystem in_kinematics(carried.derive(carried.F));
  in_kinematics.set({{carried.m, 2.0}, {carried.k, 0.0}});
  in_kinematics.set_input(carried.F, still);
  EXPECT_THAT(message_of([&] { in_kinematics.simulate(options_of(1, 0.1)); }),
              HasSubstr("the kinematic equations hold F, whose rates are needed there"));
  SymbolicSystem in_output(cart.derive());
  in_output.set({{cart.m, 2.0}, {cart.k, 0.0}});
  in_output.set_input(cart.F, still);
  in_output.add_output("rate", cart.mechanics.rate(cart.F));
  EXPECT_THAT(message_of([&] { in_output.simulate(options_of(1, 0.1)); }),
              HasSubstr("not a coordinate, speed or given"));
  EXPECT_THAT(message_of([&] { in_output.set_input(cart.x, still); }),
              HasSubstr("x is not a function of time other than"));
  EXPECT_THAT(message_of([&] { in_output.set_input(cart.F, InputFunction{}); }), HasSubstr("is empty"));
  EXPECT_THAT(message_of([&] {
                in_output.set_input(cart.F, {still.value, {1.0, 1.0}});
              }),
              HasSubstr("do not rise"));
}

TEST(Inputs, WhatIsNotFiniteEndsTheRunAtItsTime) {
  Cart cart;
  SymbolicSystem system(cart.derive());
  system.set({{cart.m, 2.0}, {cart.k, 0.0}});
  system.set_input(cart.F, {[](double t, auto, auto) { return t > 0.5 ? NAN : 0.0; }});
  MemoryRecorder rows;
  const SimulationReport report = system.run(options_of(1.0, 0.1), rows);
  EXPECT_FALSE(report.is_complete);
  EXPECT_THAT(report.reason, HasSubstr("the input F becomes nan"));
  EXPECT_GE(rows.table().rows(), 1);
}

TEST(Rows, StandAtTheTimesThatAreAskedFor) {
  Cart cart;
  SymbolicSystem system(cart.derive());
  system.set({{cart.m, 2.0}, {cart.k, 8.0}});
  system.set_initial({{cart.x, 1.0}});
  system.set_input(cart.F, 0);
  SimulationOptions wanted = options_of(2.0, 0.1);
  wanted.start = -1.0;
  for (const std::vector<double>& times :
       {std::vector<double>{-1.0, -0.5, 0.0, 0.01, 1.0}, {0.0, 0.7}, {-1.0}}) {
    wanted.output_at = times;
    const ResultTable table = system.simulate(wanted);
    EXPECT_EQ(table.column("t"), times);
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(table.at(i, 1), std::cos(2 * (times[i] + 1)), 1e-6);
    }
  }
  // In numbers 0.2 + (0.9 - 0.2) is not 0.9.
  wanted.start = 0.2, wanted.duration = 0.9 - 0.2, wanted.output_at = {0.3, 0.9};
  EXPECT_EQ(system.simulate(wanted).column("t"), wanted.output_at);
  wanted.start = -1.0, wanted.duration = 2.0;
  for (const std::vector<double>& wrong :
       {std::vector<double>{0.0, 0.0}, {-1.5, 0.0}, {0.0, 1.1}, {0.0, NAN}}) {
    wanted.output_at = wrong;
    EXPECT_THAT(message_of([&] { system.simulate(wanted); }),
                HasSubstr("allowed are times that rise from -1 s to 1 s"));
  }
}

}  // namespace
}  // namespace sestina::symbolic
