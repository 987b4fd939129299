// Every joint of joint_list.h, and one that is not, under the laws of joint_laws.h.
#include "joints/joint_laws.h"

#include "sestina/joints/joint_list.h"

namespace sestina::joint_laws {
namespace {

template <class, class... Families>
using AfterTheFirst = testing::Types<Families...>;

#define SESTINA_FAMILY(Type) , JointFamily<Type>
using EveryJoint = AfterTheFirst<void SESTINA_FOR_EACH_JOINT(SESTINA_FAMILY)>;
#undef SESTINA_FAMILY

struct ByKeyword {
  template <class Family>
  static std::string GetName(int) {
    return std::string(Family::template Of<double>::kKeyword);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(List, JointLaws, EveryJoint, ByKeyword);

}  // namespace

// A joint as a user might add it: with a parameter of its own and an H that changes with q in both parts.
// M rides on a turntable and rolls about the radius through it.
//
// q: angle of the table about its axis, parallel to F's z through (-radius, 0, 0) (rad); roll about M's x
// (rad).
template <class T>
struct Turntable : PlainCoordinates<T, 2> {
  T radius{};  // m

  static constexpr std::string_view kKeyword = "turntable";
  static constexpr std::array<std::string_view, 2> kQUnits{"rad", "rad"};
  static constexpr std::array<std::string_view, 2> kUUnits{"rad/s", "rad/s"};

  Pose<T> pose(const T* q) const {
    const auto [s, c] = sincos(q[0]);
    return {axis_rotation(z(), q[0]) * axis_rotation(x(), q[1]), {radius * (c - T(1)), radius * s, T(0)}};
  }
  JointColumns<T, 2> H(const T* q) const {
    const auto [s, c] = sincos(q[0]);
    return {{{z(), {-radius * s, radius * c, T(0)}}, {{c, s, T(0)}, {}}}};
  }
  SpatialMotion<T> bias_acceleration(const T* q, const T* u) const {
    const auto [s, c] = sincos(q[0]);
    const T uu = u[0] * u[0], uv = u[0] * u[1];
    return {{-s * uv, c * uv, T(0)}, {-radius * c * uu, -radius * s * uu, T(0)}};
  }

 private:
  static Vec3<T> x() { return {T(1), T(0), T(0)}; }
  static Vec3<T> z() { return {T(0), T(0), T(1)}; }
};

template <class T>
struct RandomParameters<Turntable<T>> {
  static void fill(Turntable<T>& joint, Random& random) { joint.radius = random.uniform(0.1, 1.0); }
};

namespace {
INSTANTIATE_TYPED_TEST_SUITE_P(User, JointLaws, testing::Types<JointFamily<Turntable>>, ByKeyword);
}  // namespace

}  // namespace sestina::joint_laws
