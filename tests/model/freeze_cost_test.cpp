// The work of freeze() grows as the description does: twice of everything takes twice the memory on the way,
// and not four times.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "allocation_counter.h"
#include "sestina/base/error.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using Describe = std::function<void(System&, int)>;

System hinged_body() {
  System system;
  system.add_body("body", 1).inertia = {.xx = 1, .yy = 1, .zz = 1};
  system.add_joint("hinge", "revolute", "ground.origin", "body.origin").axis = {0, 0, 1};
  return system;
}

std::string name_of(const char* kind, int i) { return kind + std::to_string(i); }

// Bytes allocated by freeze(), whether or not it finds faults.
double work(const Describe& describe, int n) {
  System system = hinged_body();
  describe(system, n);
  const long before = testing_support::allocated_bytes;
  try {
    freeze(system);
  } catch (const InputError&) {
    // counts as well
  }
  return static_cast<double>(testing_support::allocated_bytes - before);
}

void expect_linear(const Describe& describe, int n = 2000) {
  work(describe, 10);  // what is made once
  EXPECT_LT(work(describe, 2 * n), 3.0 * work(describe, n));
}

void add_parameters(System& system, int n) {
  for (int i = 0; i < n; ++i) system.parameters.push_back({name_of("p", i), 0.5});
}

TEST(FreezeCost, IsLinearInParameters) { expect_linear(add_parameters); }

TEST(FreezeCost, IsLinearInParametersThatUseEachOther) {
  expect_linear([](System& system, int n) {
    system.parameters.push_back({"p0", 0.5});
    for (int i = 1; i < n; ++i) {
      system.parameters.push_back({name_of("p", i), "sin(" + name_of("p", i - 1) + ")"});
    }
  });
}

TEST(FreezeCost, IsLinearInForcesThatUseParameters) {
  expect_linear([](System& system, int n) {
    add_parameters(system, n);
    for (int i = 0; i < n; ++i) {
      system.add_joint_force(name_of("f", i), "hinge", name_of("p", i) + "*t + hinge.q");
    }
  });
}

TEST(FreezeCost, IsLinearInEventsAndVariables) {
  expect_linear([](System& system, int n) {
    add_parameters(system, n);
    for (int i = 0; i < n; ++i) system.variables.push_back({name_of("v", i), 0});
    for (int i = 0; i < n; ++i) {
      const std::string variable = name_of("v", i);
      EventSpec& event = system.add_event(name_of("e", i), "t - " + name_of("p", i) + " - " + variable);
      event.set.push_back({variable, variable + " + 1"});
    }
  });
}

// At most kMostCandidates (1000) names are compared for a suggestion.
TEST(FreezeCost, IsLinearInNamesThatAreWrong) {
  const auto describe = [](System& system, int n) {
    for (int i = 0; i < n; ++i) {
      const std::string body = name_of("b", i);
      system.add_body(body, 1);
      system.add_joint(name_of("j", i), "weld", "ground.origin", body + ".origin");
      if (i % 2 == 0) {
        system.add_joint_force(name_of("f", i), name_of("x", i), 1);
      } else {
        system.add_point_force(name_of("f", i), name_of("y", i) + ".origin", {1, 0, 0});
      }
    }
  };
  expect_linear(describe, 1000);
}

TEST(FreezeCost, IsLinearInNumbersThatAreNotFinite) {
  expect_linear([](System& system, int n) {
    add_parameters(system, n);
    for (int i = 0; i < n; ++i) system.add_body(name_of("b", i), "1/(" + name_of("p", i) + " - 0.5)");
  });
}

}  // namespace
}  // namespace sestina
