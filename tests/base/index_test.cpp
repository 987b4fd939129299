#include "sestina/base/index.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace sestina {
namespace {

// An index of one kind is not taken for another, nor for a number.
static_assert(!std::is_convertible_v<BodyIndex, JointIndex>);
static_assert(!std::is_constructible_v<BodyIndex, JointIndex>);
static_assert(!std::is_convertible_v<int, BodyIndex>);
static_assert(!std::is_convertible_v<BodyIndex, int>);
static_assert(sizeof(BodyIndex) == sizeof(int), "an array of indices is as small as one of int");

TEST(Index, IsInvalidUntilItIsGivenANumber) {
  EXPECT_FALSE(BodyIndex{}.is_valid());
  EXPECT_TRUE(BodyIndex{0}.is_valid());
  EXPECT_TRUE(kGround.is_valid());
  EXPECT_NE(BodyIndex{}, kGround);
}

TEST(Index, CountsAndIsOrderedLikeItsNumber) {
  BodyIndex b{2};
  EXPECT_EQ((++b).value(), 3);
  EXPECT_EQ(b, BodyIndex{3});
  EXPECT_LT(kGround, b);
  EXPECT_LT(BodyIndex{}, kGround);
}

TEST(IndexedVector, FindsWhatWasPushedByTheIndexItReturned) {
  IndexedVector<BodyIndex, std::string> names;
  EXPECT_TRUE(names.empty());
  EXPECT_EQ(names.push_back("ground"), kGround);
  const BodyIndex crank = names.push_back("crank");
  EXPECT_EQ(crank, BodyIndex{1});
  EXPECT_EQ(names[crank], "crank");
  names[crank] = "rod";
  EXPECT_EQ(names[crank], "rod");
  EXPECT_EQ(names.size(), 2);
}

TEST(IndexedVector, IsWalkedInTheOrderOfItsIndices) {
  IndexedVector<PointIndex, int> numbers(3, 7);
  numbers.resize(4);
  int sum = 0;
  for (int n : numbers) sum = 10 * sum + n;
  EXPECT_EQ(sum, 7770);
}

}  // namespace
}  // namespace sestina
