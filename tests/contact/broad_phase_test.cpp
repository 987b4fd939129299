#include "sestina/contact/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace sestina {
namespace {

struct Scatter {
  std::vector<Shape> shapes;
  std::vector<Pose<double>> poses, later;
  std::vector<std::pair<int, int>> pairs;
};

// A plane and boxes of different sizes that move and turn; every second pair may touch.
Scatter make_scatter(int count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(0.0, 5.0), size(0.05, 0.5), step(-0.2, 0.2);
  Scatter s;
  for (int i = 0; i < count; ++i) {
    s.shapes.push_back(i == 3 ? Shape{ShapeType::kPlane, {}}
                              : Shape{ShapeType::kBox, {size(random), size(random), size(random)}});
    s.poses.push_back({rpy_rotation(place(random), place(random), place(random)),
                       {place(random), place(random), place(random)}});
    const Vec3<double> moved{step(random), step(random), step(random)};
    s.later.push_back({rpy_rotation(step(random), 0.0, 0.0) * s.poses.back().R, s.poses.back().p + moved});
    for (int k = 0; k < i; ++k) {
      if ((i + k) % 2 == 0) s.pairs.emplace_back(i, k);
    }
  }
  return s;
}

TEST(BroadPhase, FindsAllPairsWhoseBoxesOverlapAtAnyTimeOfTheStep) {
  const Scatter s = make_scatter(60);
  BroadPhase broad(s.pairs, 60);
  broad.begin_step(s.shapes, s.poses, s.later);
  const std::vector<int> near = broad.near();
  EXPECT_TRUE(std::ranges::is_sorted(near));
  EXPECT_LT(near.size(), s.pairs.size() / 2);
  EXPECT_GT(near.size(), 30U);
  for (std::size_t i = 0; i < s.pairs.size(); ++i) {
    const auto one = static_cast<std::size_t>(s.pairs[i].first),
               other = static_cast<std::size_t>(s.pairs[i].second);
    for (const auto& poses : {s.poses, s.later}) {
      const bool overlap =
          distance(box_of(s.shapes[one], poses[one]), box_of(s.shapes[other], poses[other])) == 0.0;
      if (overlap) {
        EXPECT_TRUE(std::ranges::binary_search(near, static_cast<int>(i))) << i;
      }
    }
  }
  // Within the boxes of the step the same pairs hold; beyond them, others are found.
  EXPECT_EQ(broad.find_near(s.shapes, s.later), near);
  std::vector<Pose<double>> together = s.poses;
  for (Pose<double>& X : together) X.p = {};
  EXPECT_EQ(broad.find_near(s.shapes, together).size(), s.pairs.size());
}

TEST(BroadPhase, DoesNotDependOnTheOrderOfTheShapes) {
  const Scatter s = make_scatter(40);
  std::vector<int> order(40);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  Scatter other = s;
  std::vector<int> place(40);
  for (int i = 0; i < 40; ++i) {
    const auto from = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]),
               to = static_cast<std::size_t>(i);
    other.shapes[to] = s.shapes[from], other.poses[to] = s.poses[from], place[from] = i;
  }
  for (auto& [one, two] : other.pairs)
    one = place[static_cast<std::size_t>(one)], two = place[static_cast<std::size_t>(two)];
  BroadPhase a(s.pairs, 40), b(other.pairs, 40);
  EXPECT_EQ(a.find_near(s.shapes, s.poses), b.find_near(other.shapes, other.poses));
}

}  // namespace
}  // namespace sestina
