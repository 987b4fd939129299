// The joint of docs/tutorials/adding_a_joint.md, whose code stands here and in gondola.h word for word.
#include "joints/gondola.h"

#include <gtest/gtest.h>

#include <cmath>

#include "joints/joint_laws.h"

namespace sestina::joint_laws {

template <class T>
struct RandomParameters<Gondola<T>> {
  static void fill(Gondola<T>& joint, Random& random) { joint.radius = random.uniform(0.1, 1.0); }
};

namespace {
INSTANTIATE_TYPED_TEST_SUITE_P(Gondola, JointLaws, testing::Types<JointFamily<Gondola>>);
}  // namespace

}  // namespace sestina::joint_laws

namespace sestina {
namespace {

TEST(Gondola, HangsAtTheLowestPointAndRisesTowardsX) {
  const Gondola<double> joint{{}, 2.0};
  const double quarter = std::acos(0.0);
  const Vec3<double> p = joint.pose(&quarter).p;
  EXPECT_NEAR(p.x, 2.0, 1e-15);
  EXPECT_EQ(p.y, 0.0);
  EXPECT_NEAR(p.z, 2.0, 1e-15);
}

// A point mass on it feels gravity g along -z and the circle's force across H: H . (H udot + bias) = H . g.
TEST(Gondola, SwingsLikeAPointPendulum) {
  const Gondola<double> joint{{}, 0.7};
  const Vec3<double> g{0.0, 0.0, -9.81};
  for (double q : {-2.0, -0.3, 0.0, 1.1, 3.0}) {
    const double u = 1.7;
    const Vec3<double> H = joint.H(&q)[0].v;
    const double udot = dot(H, g - joint.bias_acceleration(&q, &u).v) / dot(H, H);
    EXPECT_NEAR(udot, -9.81 / 0.7 * std::sin(q), 1e-13);
  }
}

}  // namespace
}  // namespace sestina
