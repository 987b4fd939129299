// Every force element under the laws of force_laws.h.
#include "forces/force_laws.h"

#include "sestina/forces/joint_forces.h"
#include "sestina/forces/point_forces.h"
#include "sestina/forces/spring_damper.h"

namespace sestina::force_laws {
namespace {

template <class T>
Vec3<T> draw_vector(Random& random) {
  const Vec3<double> v = random.vector();
  return {T(v.x), T(v.y), T(v.z)};
}
template <class T>
Marker<T> draw_point(Random& random, FrameIndex frame) {
  return {frame, {Rotation<T>::identity(), draw_vector<T>(random)}};
}
template <class T>
GivenVector<T> draw_given_vector(Random& random) {
  GivenVector<T> value;
  value.expression = 3;
  value.in_body_axes = random.uniform(0, 1) < 0.5;
  const T angle(random.uniform(-3, 3));
  value.R_BA = axis_rotation(Vec3<T>{T(0), T(0.6), T(0.8)}, angle);
  return value;
}

}  // namespace

template <>
struct RandomElement<JointSpring> {
  template <class T>
  static JointSpring<T> make(Random& random) {
    JointSpring<T> spring;
    spring.q = 2, spring.u = 2;
    spring.stiffness = T(random.uniform(0.5, 2));
    spring.reference = T(random.uniform(-1, 1));
    return spring;
  }
};

template <>
struct RandomElement<JointDamper> {
  template <class T>
  static JointDamper<T> make(Random& random) {
    JointDamper<T> damper;
    damper.u = 1;
    damper.damping = T(random.uniform(0.5, 2));
    return damper;
  }
};

template <>
struct RandomElement<JointForce> {
  template <class T>
  static JointForce<T> make(Random&) {
    JointForce<T> force;
    force.u = 1, force.expression = 4;
    return force;
  }
};

// Between two bodies, and between the ground and a body.
template <>
struct RandomElement<SpringDamper> {
  template <class T>
  static SpringDamper<T> make(Random& random) {
    SpringDamper<T> spring;
    spring.from = draw_point<T>(random, FrameIndex(random.uniform(0, 1) < 0.5 ? 0 : 1));
    spring.to = draw_point<T>(random, FrameIndex(2));
    spring.stiffness = T(random.uniform(0.5, 2));
    spring.damping = T(random.uniform(0.5, 2));
    spring.free_length = T(random.uniform(0, 3));
    return spring;
  }
};

template <>
struct RandomElement<PointForce> {
  template <class T>
  static PointForce<T> make(Random& random) {
    PointForce<T> force;
    force.at = draw_point<T>(random, FrameIndex(1));
    force.value = draw_given_vector<T>(random);
    return force;
  }
};

template <>
struct RandomElement<PointTorque> {
  template <class T>
  static PointTorque<T> make(Random& random) {
    PointTorque<T> torque;
    torque.at = draw_point<T>(random, FrameIndex(2));
    torque.value = draw_given_vector<T>(random);
    return torque;
  }
};

namespace {

struct ByName {
  template <class Family>
  static std::string GetName(int i) {
    const char* names[] = {"JointSpring",  "JointDamper", "JointForce",
                           "SpringDamper", "PointForce",  "PointTorque"};
    return names[i];
  }
};
using EveryElement =
    testing::Types<ElementFamily<JointSpring>, ElementFamily<JointDamper>, ElementFamily<JointForce>,
                   ElementFamily<SpringDamper>, ElementFamily<PointForce>, ElementFamily<PointTorque>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Every, ForceLaws, EveryElement, ByName);

}  // namespace
}  // namespace sestina::force_laws
