#include "sestina/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace sestina {
namespace {

Place place_at(int line, int column, std::string path = "") {
  return {{std::make_shared<const std::string>("model.yaml"), line, column}, std::move(path)};
}

TEST(Fault, ReadsFileLineColumnPathMessage) {
  EXPECT_EQ(to_string(Fault{place_at(4, 11, "bodies[1].mass"), "-0.5 is negative"}),
            "model.yaml:4:11: bodies[1].mass: -0.5 is negative");
}

TEST(Fault, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(to_string(Fault{{{}, "bodies[1].mass"}, "is negative"}), "bodies[1].mass: is negative");
  EXPECT_EQ(to_string(Fault{{}, "is negative"}), "is negative");
  EXPECT_EQ(to_string(Fault{place_at(4, 11), "is negative"}), "model.yaml:4:11: is negative");
  EXPECT_EQ(to_string(Fault{place_at(0, 0, "bodies"), "is empty"}), "model.yaml: bodies: is empty");
  EXPECT_EQ(to_string(Fault{{{nullptr, 4, 11}, "bodies"}, "is empty"}), "4:11: bodies: is empty");
}

TEST(InputError, ShowsEveryFaultOnALineOfItsOwn) {
  const InputError error({{place_at(1, 2, "a"), "first"}, {place_at(3, 4, "b"), "second"}});
  EXPECT_STREQ(error.what(), "model.yaml:1:2: a: first\nmodel.yaml:3:4: b: second");
  EXPECT_EQ(error.faults().size(), 2u);
}

TEST(InputError, MadeFromATextHasOneFaultWithoutAPlace) {
  const InputError error("unknown option");
  EXPECT_STREQ(error.what(), "unknown option");
  ASSERT_EQ(error.faults().size(), 1u);
  EXPECT_EQ(to_string(error.faults()[0].place), "");
}

TEST(ComputationError, SaysTheTimeAndTheReason) {
  const ComputationError error(0.25, "mass matrix is singular at joint 'hip'");
  EXPECT_STREQ(error.what(), "t = 0.25 s: mass matrix is singular at joint 'hip'");
  EXPECT_EQ(error.time(), 0.25);
  EXPECT_EQ(error.reason(), "mass matrix is singular at joint 'hip'");
}

TEST(FaultList, DoesNotThrowWhileEmpty) {
  FaultList faults;
  EXPECT_TRUE(faults.empty());
  EXPECT_NO_THROW(faults.throw_if_any());
}

TEST(FaultList, ThrowsEveryFaultInTheOrderOfTheFile) {
  FaultList later;
  later.add(place_at(10, 1), "third");
  FaultList faults;
  faults.add(later.faults());
  faults.add(place_at(9, 30), "second");  // 9 < 10 as numbers, not as texts
  faults.add(place_at(9, 4), "first");
  ASSERT_EQ(faults.size(), 3u);
  try {
    faults.throw_if_any();
    FAIL() << "three faults and no error";
  } catch (const InputError& error) {
    ASSERT_EQ(error.faults().size(), 3u);
    EXPECT_EQ(error.faults()[0].message, "first");
    EXPECT_EQ(error.faults()[1].message, "second");
    EXPECT_EQ(error.faults()[2].message, "third");
  }
}

TEST(FaultList, KeepsTheOrderOfFaultsAtOnePlace) {
  FaultList faults;
  for (const char* message : {"b", "a", "c"}) faults.add(place_at(2, 2), message);
  EXPECT_THAT([&] { faults.throw_if_any(); },
              testing::ThrowsMessage<InputError>("model.yaml:2:2: b\nmodel.yaml:2:2: a\nmodel.yaml:2:2: c"));
}

}  // namespace
}  // namespace sestina
