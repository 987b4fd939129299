#include "sestina/joints/joint_list.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sestina/numerics/dual.h"
#include "spatial/difference.h"

namespace sestina {
namespace {

const std::vector<JointType> kTypes{
#define SESTINA_TYPE(Type) JointType::k##Type,
    SESTINA_FOR_EACH_JOINT(SESTINA_TYPE)
#undef SESTINA_TYPE
};

const Vec3<double> kAxis{0.6, 0.8, 0.0}, kSecondAxis{0.0, 0.6, 0.8};
constexpr double kPitch = 0.25;
constexpr JointNumbers<double> kNumbers{.pitch = kPitch};

TEST(JointList, HasTheJointsOfTheModelFile) {
  EXPECT_EQ(joint_keywords(),
            (std::vector<std::string>{"weld", "revolute", "prismatic", "screw", "cylindrical", "universal",
                                      "planar", "xyz", "spherical", "free"}));
}

TEST(JointList, FindsEveryTypeByItsOwnKeyword) {
  const std::set<std::string> unique(joint_keywords().begin(), joint_keywords().end());
  EXPECT_EQ(unique.size(), kTypes.size());
  for (JointType type : kTypes) EXPECT_EQ(joint_type_from_keyword(joint_info(type).keyword), type);
  EXPECT_EQ(joint_type_from_keyword("hinge"), std::nullopt);
  EXPECT_EQ(joint_type_from_keyword("Revolute"), std::nullopt);
}

TEST(JointList, VisitsTheTypeThatIsNamedInEveryScalar) {
  for (JointType type : kTypes) {
    const auto keyword = [](const auto& joint) { return std::decay_t<decltype(joint)>::kKeyword; };
    EXPECT_EQ(visit_joint(AnyJoint<double>{.type = type}, keyword), joint_info(type).keyword);
    EXPECT_EQ(visit_joint(AnyJoint<Dual>{.type = type}, keyword), joint_info(type).keyword);
  }
}

TEST(JointList, InfoAgreesWithTheTypes) {
  for (JointType type : kTypes) {
    const JointInfo& info = joint_info(type);
    visit_joint(AnyJoint<double>{type, kAxis, kSecondAxis, kNumbers}, [&](const auto& joint) {
      using J = std::decay_t<decltype(joint)>;
      EXPECT_EQ(info.keyword, J::kKeyword);
      EXPECT_EQ(info.nq, J::kNq);
      EXPECT_EQ(info.nu, J::kNu);
      ASSERT_EQ(info.q_units.size(), static_cast<std::size_t>(J::kNq));
      ASSERT_EQ(info.u_units.size(), static_cast<std::size_t>(J::kNu));
      for (std::size_t i = 0; i < info.q_units.size(); ++i) EXPECT_EQ(info.q_units[i], J::kQUnits[i]);
      for (std::size_t i = 0; i < info.u_units.size(); ++i) EXPECT_EQ(info.u_units[i], J::kUUnits[i]);
      EXPECT_EQ(info.euler_parameters_start, J::kNq == J::kNu ? -1 : J::kNq - 4);
    });
  }
}

// Where u is the rate of q, its unit is that of q per second.
TEST(JointList, UnitsOfSpeedsAreThoseOfRates) {
  for (JointType type : kTypes) {
    const JointInfo& info = joint_info(type);
    if (info.nq != info.nu) continue;
    for (std::size_t i = 0; i < info.q_units.size(); ++i) {
      EXPECT_EQ(info.u_units[i], info.q_units[i] + "/s") << info.keyword;
    }
  }
}

TEST(JointList, PassesOnTheParametersThatATypeHas) {
  for (JointType type : kTypes) {
    const JointInfo& info = joint_info(type);
    visit_joint(AnyJoint<double>{type, kAxis, kSecondAxis, kNumbers}, [&](const auto& joint) {
      using testing_support::difference;
      EXPECT_EQ(
          info.has_axis, requires { joint.axis; });
      EXPECT_EQ(
          info.has_second_axis, requires { joint.second_axis; });
      EXPECT_EQ(
          info.numbers.pitch, requires { joint.pitch; });
      if constexpr (requires { joint.axis; }) {
        EXPECT_EQ(difference(joint.axis, kAxis), 0.0);
      }
      if constexpr (requires { joint.second_axis; }) {
        EXPECT_EQ(difference(joint.second_axis, kSecondAxis), 0.0);
      }
      if constexpr (requires { joint.pitch; }) {
        EXPECT_EQ(joint.pitch, kPitch);
      }
    });
  }
  EXPECT_TRUE(joint_info(JointType::kScrew).numbers.pitch);
  EXPECT_TRUE(joint_info(JointType::kUniversal).has_second_axis);
  EXPECT_FALSE(joint_info(JointType::kPlanar).has_axis);
}

}  // namespace
}  // namespace sestina
