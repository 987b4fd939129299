// The laws of joint.h, for any joint type. A new joint of joint_list.h obeys them or fails; a joint defined
// elsewhere is checked by
//
//   #include "joints/joint_laws.h"
//   INSTANTIATE_TYPED_TEST_SUITE_P(Mine, JointLaws, testing::Types<JointFamily<MyJoint>>);
//
// in namespace sestina::joint_laws, with a specialisation of RandomParameters where it has parameters other
// than `axis`, `second_axis` and `pitch`.
//
// States are random: angles and displacements in [-3, 3], speeds in [-2, 2]. The derivatives are those of
// dual numbers, exact to round-off.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "sestina/joints/joint.h"
#include "sestina/numerics/dual.h"
#include "spatial/difference.h"
#include "spatial/dual_parts.h"
#include "spatial/random.h"

namespace sestina::joint_laws {

using namespace testing_support;

// A joint type for every scalar.
template <template <class> class Joint>
struct JointFamily {
  template <class T>
  using Of = Joint<T>;
};

// Fills the parameters of a Joint<T> from the random numbers: the same ones for every T.
template <class J>
struct RandomParameters {
  static void fill(J& joint, Random& random) {
    if constexpr (requires { joint.axis; }) set(joint.axis, random.unit_vector());
    if constexpr (requires { joint.second_axis; }) set(joint.second_axis, random.unit_vector());
    if constexpr (requires { joint.pitch; }) joint.pitch = random.uniform(-0.5, 0.5);
  }

 private:
  template <class T>
  static void set(Vec3<T>& to, const Vec3<double>& from) {
    to = {T(from.x), T(from.y), T(from.z)};
  }
};

// Round-off of the some fifty operations, on numbers up to five, that lead to a pose and its derivative.
constexpr double kRoundOff = 5e-14;

template <class Family>
class JointLaws : public testing::Test {
 protected:
  using J = typename Family::template Of<double>;
  using JDual = typename Family::template Of<Dual>;
  static constexpr int kNq = J::kNq, kNu = J::kNu;
  using Doubles = std::vector<double>;
  using Duals = std::vector<Dual>;
  static constexpr int kTries = 50;

  struct Case {
    J joint;
    JDual dual_joint;
    Doubles q, u;
  };

  Case random_case(int seed) {
    Case c;
    Random random(static_cast<unsigned>(seed)), again(static_cast<unsigned>(seed));
    RandomParameters<J>::fill(c.joint, random);
    RandomParameters<JDual>::fill(c.dual_joint, again);
    c.q = random_q(random);
    c.u = random_speeds(random, 2.0);
    return c;
  }
  static Doubles random_speeds(Random& random, double size) {
    Doubles u(room(kNu));
    for (int i = 0; i < kNu; ++i) u[at(i)] = random.uniform(-size, size);
    return u;
  }
  static Doubles random_q(Random& random) {
    Doubles q(room(kNq));
    J::set_identity(q.data());
    J::plus(q.data(), random_speeds(random, 3.0).data(), q.data());
    return q;
  }
  static Doubles q_dot(const Case& c) { return q_dot(c.q, c.u); }
  static Doubles q_dot(const Doubles& q, const Doubles& u) {
    Doubles rate(room(kNq));
    J::q_dot(q.data(), u.data(), rate.data());
    return rate;
  }
  static Duals dual(const Doubles& values, const Doubles& derivatives) {
    Duals result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) result[i] = {values[i], derivatives[i]};
    return result;
  }
  static Duals constant(const Doubles& values) { return Duals(values.begin(), values.end()); }
  template <class Joint, class T>
  static SpatialMotion<T> H_times(const Joint& joint, const std::vector<T>& q, const std::vector<T>& u) {
    SpatialMotion<T> V;
    const auto columns = joint.H(q.data());
    for (int i = 0; i < kNu; ++i) V += u[at(i)] * columns[at(i)];
    return V;
  }
  static double squared_norm_of_euler_parameters(const Doubles& q) {
    double sum = 0.0;
    for (int i = kNq - 4; i < kNq; ++i) sum += q[at(i)] * q[at(i)];
    return sum;
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  // One more than needed, so that data() of a weld's is a pointer too.
  static std::size_t room(int n) { return static_cast<std::size_t>(n) + 1; }
};

TYPED_TEST_SUITE_P(JointLaws);

TYPED_TEST_P(JointLaws, MeetsTheConceptForEveryScalar) {
  using Joint = typename TestFixture::J;
  using DualJoint = typename TestFixture::JDual;
  EXPECT_TRUE((JointFor<Joint, double>));
  EXPECT_TRUE((JointFor<DualJoint, Dual>));
  EXPECT_FALSE(std::string(Joint::kKeyword).empty());
  EXPECT_EQ(Joint::kQUnits.size(), this->at(Joint::kNq));
  EXPECT_EQ(Joint::kUUnits.size(), this->at(Joint::kNu));
  for (std::string_view unit : Joint::kQUnits) EXPECT_FALSE(unit.empty());
  for (std::string_view unit : Joint::kUUnits) EXPECT_FALSE(unit.empty());
}

TYPED_TEST_P(JointLaws, FramesCoincideAtTheIdentity) {
  for (int i = 0; i < this->kTries; ++i) {
    const auto c = this->random_case(i);
    auto q = c.q;
    TestFixture::J::set_identity(q.data());
    EXPECT_EQ(difference(c.joint.pose(q.data()), Pose<double>{}), 0.0);
  }
}

TYPED_TEST_P(JointLaws, PoseIsARotationAndAPosition) {
  for (int i = 0; i < this->kTries; ++i) {
    const auto c = this->random_case(i);
    const Rotation<double> R = c.joint.pose(c.q.data()).R;
    EXPECT_LE(difference(R * R.transpose(), Rotation<double>::identity()), kRoundOff);
    EXPECT_NEAR(dot(R.column(0), cross(R.column(1), R.column(2))), 1.0, kRoundOff);
  }
}

TYPED_TEST_P(JointLaws, HTimesSpeedsIsTheVelocityOfThePose) {
  for (int i = 0; i < this->kTries; ++i) {
    const auto c = this->random_case(i);
    const Pose<Dual> X = c.dual_joint.pose(this->dual(c.q, this->q_dot(c)).data());
    const SpatialMotion<double> V{angular_velocity(X.R), derivative(X.p)};
    EXPECT_LE(difference(this->H_times(c.joint, c.q, c.u), V), kRoundOff);
  }
}

TYPED_TEST_P(JointLaws, BiasIsTheRateOfHTimesConstantSpeeds) {
  for (int i = 0; i < this->kTries; ++i) {
    const auto c = this->random_case(i);
    const auto q = this->dual(c.q, this->q_dot(c));
    const SpatialMotion<double> rate = derivative(this->H_times(c.dual_joint, q, this->constant(c.u)));
    EXPECT_LE(difference(c.joint.bias_acceleration(c.q.data(), c.u.data()), rate), kRoundOff);
  }
}

TYPED_TEST_P(JointLaws, PlusFollowsConstantSpeeds) {
  // q(s) = q + s u obeys dq/ds = q_dot(q(s), u): at the start, and further on.
  for (double s : {0.0, 1e-6, 0.7}) {
    for (int i = 0; i < this->kTries; ++i) {
      const auto c = this->random_case(i);
      const auto q = this->constant(c.q);
      auto displacement = this->constant(c.u), moving = q;
      for (Dual& d : displacement) d = d * Dual(s, 1.0);
      TestFixture::JDual::plus(q.data(), displacement.data(), moving.data());
      auto reached = c.q;
      for (int k = 0; k < this->kNq; ++k) reached[this->at(k)] = moving[this->at(k)].v;
      const auto rate = this->q_dot(reached, c.u);
      for (int k = 0; k < this->kNq; ++k) {
        EXPECT_NEAR(moving[this->at(k)].d, rate[this->at(k)], kRoundOff) << "q[" << k << "], s = " << s;
      }
    }
  }
}

TYPED_TEST_P(JointLaws, PlusMayWriteOverItsInput) {
  for (int i = 0; i < this->kTries; ++i) {
    const auto c = this->random_case(i);
    auto apart = c.q, in_place = c.q;
    TestFixture::J::plus(c.q.data(), c.u.data(), apart.data());
    TestFixture::J::plus(in_place.data(), c.u.data(), in_place.data());
    EXPECT_EQ(apart, in_place);
  }
}

TYPED_TEST_P(JointLaws, MinusFindsTheDisplacementOfPlus) {
  // 1.7 in each of three components is a turn by 2.9 rad, just short of the half turn beyond which the
  // displacement is not unique.
  for (double size : {0.0, 1e-200, 1e-12, 1e-6, 1e-4, 1e-2, 1.0, 1.7}) {
    for (int i = 0; i < this->kTries; ++i) {
      const auto c = this->random_case(i);
      Random random(static_cast<unsigned>(1000 + i));
      const auto displacement = this->random_speeds(random, size);
      auto moved = c.q, found = displacement;
      TestFixture::J::plus(c.q.data(), displacement.data(), moved.data());
      TestFixture::J::minus(moved.data(), c.q.data(), found.data());
      for (int k = 0; k < this->kNu; ++k) {
        EXPECT_NEAR(found[this->at(k)], displacement[this->at(k)], kRoundOff) << "size " << size;
      }
    }
  }
}

TYPED_TEST_P(JointLaws, PlusReachesWhatMinusWasTakenOf) {
  for (int i = 0; i < this->kTries; ++i) {
    const auto a = this->random_case(i), b = this->random_case(1000 + i);
    auto displacement = a.u;
    TestFixture::J::minus(b.q.data(), a.q.data(), displacement.data());
    auto reached = a.q;
    TestFixture::J::plus(a.q.data(), displacement.data(), reached.data());
    EXPECT_LE(difference(a.joint.pose(reached.data()), a.joint.pose(b.q.data())), kRoundOff);
  }
}

TYPED_TEST_P(JointLaws, NormalizeKeepsThePose) {
  using Joint = typename TestFixture::J;
  for (int i = 0; i < this->kTries; ++i) {
    const auto c = this->random_case(i);
    auto q = c.q;
    Joint::normalize(q.data());
    EXPECT_LE(difference(c.joint.pose(q.data()), c.joint.pose(c.q.data())), kRoundOff);
    auto twice = q;
    Joint::normalize(twice.data());
    for (int k = 0; k < this->kNq; ++k) EXPECT_NEAR(twice[this->at(k)], q[this->at(k)], kRoundOff);
  }
}

TYPED_TEST_P(JointLaws, EulerParametersHaveUnitNormAfterPlusAndNormalize) {
  using Joint = typename TestFixture::J;
  if constexpr (Joint::kNq != Joint::kNu) {
    for (int i = 0; i < this->kTries; ++i) {
      const auto c = this->random_case(i);
      EXPECT_NEAR(this->squared_norm_of_euler_parameters(c.q), 1.0, kRoundOff);
      auto q = c.q;
      for (int k = 0; k < 1000; ++k) Joint::plus(q.data(), c.u.data(), q.data());
      // A thousand products of unit length, each off by a few units of the last place.
      EXPECT_NEAR(this->squared_norm_of_euler_parameters(q), 1.0, 1000 * 1e-15);
      for (int k = Joint::kNq - 4; k < Joint::kNq; ++k) q[this->at(k)] *= 1.1;
      Joint::normalize(q.data());
      EXPECT_NEAR(this->squared_norm_of_euler_parameters(q), 1.0, kRoundOff);
    }
  } else {
    auto q = this->random_case(1).q;
    const auto before = q;
    Joint::normalize(q.data());
    EXPECT_EQ(q, before) << "plain coordinates have no norm to keep";
  }
}

TYPED_TEST_P(JointLaws, DualHasTheValuesOfDoubleAndTheirDifferenceQuotients) {
  constexpr double h = 1e-5;
  // Truncation h^2/6 f''' with f''' up to 3^3 and round-off/h are both below 1e-9.
  constexpr double kTolerance = 1e-9;
  for (int i = 0; i < this->kTries; ++i) {
    const auto c = this->random_case(i);
    Random random(static_cast<unsigned>(2000 + i));
    const auto way = this->random_speeds(random, 1.0);
    // q moves along its speeds, u along a random way.
    const auto q = this->dual(c.q, this->q_dot(c)), u = this->dual(c.u, way);
    const auto moved = [&](double step) {
      auto result = c;
      for (int k = 0; k < this->kNq; ++k) result.q[this->at(k)] += step * q[this->at(k)].d;
      for (int k = 0; k < this->kNu; ++k) result.u[this->at(k)] += step * way[this->at(k)];
      return result;
    };
    const auto ahead = moved(h), behind = moved(-h);
    const auto compare = [&](const SpatialMotion<Dual>& result, const auto& f) {
      EXPECT_LE(difference(value(result), f(c)), kRoundOff);
      const auto a = f(ahead), b = f(behind);
      const SpatialMotion<double> quotient{(0.5 / h) * (a.w - b.w), (0.5 / h) * (a.v - b.v)};
      EXPECT_LE(difference(derivative(result), quotient), kTolerance);
    };
    compare(this->H_times(c.dual_joint, q, u),
            [&](const auto& x) { return this->H_times(x.joint, x.q, x.u); });
    compare(c.dual_joint.bias_acceleration(q.data(), u.data()),
            [](const auto& x) { return x.joint.bias_acceleration(x.q.data(), x.u.data()); });
    const Pose<Dual> X = c.dual_joint.pose(q.data());
    EXPECT_LE(difference(Pose<double>{value(X.R), value(X.p)}, c.joint.pose(c.q.data())), kRoundOff);
  }
}

REGISTER_TYPED_TEST_SUITE_P(JointLaws, MeetsTheConceptForEveryScalar, FramesCoincideAtTheIdentity,
                            PoseIsARotationAndAPosition, HTimesSpeedsIsTheVelocityOfThePose,
                            BiasIsTheRateOfHTimesConstantSpeeds, PlusFollowsConstantSpeeds,
                            PlusMayWriteOverItsInput, MinusFindsTheDisplacementOfPlus,
                            PlusReachesWhatMinusWasTakenOf, NormalizeKeepsThePose,
                            EulerParametersHaveUnitNormAfterPlusAndNormalize,
                            DualHasTheValuesOfDoubleAndTheirDifferenceQuotients);

}  // namespace sestina::joint_laws
