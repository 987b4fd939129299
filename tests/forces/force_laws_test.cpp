// Every force element under the laws of force_laws.h.
#include "forces/force_laws.h"

#include "sestina/contact/compliant_contact.h"
#include "sestina/forces/bushing.h"
#include "sestina/forces/cable_force.h"
#include "sestina/forces/coordinate_friction.h"
#include "sestina/forces/gravity_between.h"
#include "sestina/forces/joint_forces.h"
#include "sestina/forces/point_forces.h"
#include "sestina/forces/rope.h"
#include "sestina/forces/spring_damper.h"
#include "sestina/forces/torsional_spring_damper.h"

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
struct RandomElement<CableForce> {
  template <class T>
  static CableForce<T> make(Random& random) {
    CableForce<T> cable;
    cable.a = {FrameIndex(1), 0, 0}, cable.b = {FrameIndex(2), 3, 3};
    CableSegment<T>& segment = cable.segment;
    segment.length = T(random.uniform(3, 5));
    segment.EA = T(random.uniform(0.1, 0.2)), segment.EI = T(random.uniform(1e-3, 2e-3));
    segment.damping = T(random.uniform(0.1, 1));
    for (std::size_t p = 0; p < 3; ++p) segment.eps0[p] = T(1), segment.k0[p] = draw_vector<T>(random);
    return cable;
  }
};

// Each pair of shapes in turn, which overlap deeply: a plane of the ground or a sphere of the first body with
// a shape of the second.
template <>
struct RandomElement<CompliantContact> {
  template <class T>
  static CompliantContact<T> make(Random& random) {
    constexpr std::array kOnPlane{ShapeType::kSphere, ShapeType::kEllipsoid, ShapeType::kCapsule,
                                  ShapeType::kBox};
    constexpr std::array kOnSphere{ShapeType::kSphere, ShapeType::kCapsule, ShapeType::kBox,
                                   ShapeType::kCylinder};
    CompliantContact<T> contact;
    const bool on_plane = random.uniform(0, 1) < 0.5;
    const auto which = static_cast<std::size_t>(random.uniform(0, 3.99));
    contact.first = draw_point<T>(random, FrameIndex(on_plane ? 0 : 1));
    contact.second = draw_point<T>(random, FrameIndex(2));
    contact.first_type = on_plane ? ShapeType::kPlane : ShapeType::kSphere;
    contact.second_type = on_plane ? kOnPlane[which] : kOnSphere[which];
    contact.first_size = {T(random.uniform(3, 4)), T(0), T(0)};
    for (int k = 0; k < 3; ++k) contact.second_size[k] = T(random.uniform(1, 2));
    if (on_plane) contact.first.X_BK.p.z = T(random.uniform(0, 1));
    contact.stiffness = T(random.uniform(0.1, 0.3)), contact.exponent = T(random.uniform(1, 2));
    contact.dissipation = T(random.uniform(0, 0.5)), contact.damping = T(random.uniform(0, 0.5));
    contact.friction = T(random.uniform(0.2, 1)), contact.creep_speed = T(random.uniform(0.5, 1));
    return contact;
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

// A frame on a body, turned.
template <class T>
Marker<T> draw_frame(Random& random, int frame) {
  Marker<T> marker = draw_point<T>(random, FrameIndex(frame));
  const T angle(random.uniform(-1, 1));
  marker.X_BK.R = axis_rotation(Vec3<T>{T(0.6), T(0), T(0.8)}, angle);
  return marker;
}

// A symmetric positive definite matrix A A^T + 1.
template <class T>
BushingMatrix<T> draw_matrix(Random& random) {
  std::array<double, 36> A{};
  for (double& x : A) x = random.uniform(-0.3, 0.3);
  BushingMatrix<T> matrix{};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      double sum = i == j ? 0.3 : 0.0;
      for (std::size_t k = 0; k < 6; ++k) sum += A[6 * i + k] * A[6 * j + k];
      matrix[6 * i + j] = T(sum);
    }
  }
  return matrix;
}

template <>
struct RandomElement<Bushing> {
  template <class T>
  static Bushing<T> make(Random& random) {
    Bushing<T> bushing;
    bushing.from = draw_frame<T>(random, random.uniform(0, 1) < 0.5 ? 0 : 1),
    bushing.to = draw_frame<T>(random, 2);
    bushing.stiffness = draw_matrix<T>(random), bushing.damping = draw_matrix<T>(random);
    return bushing;
  }
};

template <>
struct RandomElement<CartesianSpring> {
  template <class T>
  static CartesianSpring<T> make(Random& random) {
    CartesianSpring<T> spring;
    spring.from = draw_frame<T>(random, 1), spring.to = draw_frame<T>(random, 2);
    spring.stiffness = {T(random.uniform(0.2, 1)), T(random.uniform(0.2, 1)), T(random.uniform(0.2, 1))};
    spring.damping = {T(random.uniform(0.2, 1)), T(random.uniform(0.2, 1)), T(random.uniform(0.2, 1))};
    spring.reference = draw_vector<T>(random);
    return spring;
  }
};

template <>
struct RandomElement<TorsionalSpringDamper> {
  template <class T>
  static TorsionalSpringDamper<T> make(Random& random) {
    TorsionalSpringDamper<T> spring;
    spring.from = draw_frame<T>(random, 1), spring.to = draw_frame<T>(random, 2);
    spring.axis = {T(0.48), T(0.6), T(0.64)};
    spring.stiffness = T(random.uniform(0.2, 1)), spring.damping = T(random.uniform(0.2, 1));
    spring.reference = T(random.uniform(-1, 1));
    return spring;
  }
};

template <>
struct RandomElement<CoordinateFriction> {
  template <class T>
  static CoordinateFriction<T> make(Random& random) {
    CoordinateFriction<T> friction;
    friction.q = 1, friction.u = 1, friction.has_stops = true;
    friction.friction = T(random.uniform(0.5, 2)), friction.creep_speed = T(random.uniform(0.5, 1));
    friction.lower = T(-0.7), friction.upper = T(0.6);
    friction.stop_stiffness = T(random.uniform(1, 3)), friction.stop_damping = T(random.uniform(0.2, 2));
    return friction;
  }
};

template <>
struct RandomElement<Rope> {
  template <class T>
  static Rope<T> make(Random& random) {
    Rope<T> rope;
    for (const int frame : {1, 0, 2}) rope.points.push_back(draw_point<T>(random, FrameIndex(frame)));
    rope.stiffness = T(random.uniform(0.2, 0.6)), rope.damping = T(random.uniform(0.2, 1));
    rope.free_length = T(random.uniform(5, 12));
    return rope;
  }
};

template <>
struct RandomElement<GravityBetween> {
  template <class T>
  static GravityBetween<T> make(Random& random) {
    GravityBetween<T> gravity;
    gravity.from = draw_point<T>(random, FrameIndex(1)), gravity.to = draw_point<T>(random, FrameIndex(2));
    gravity.strength = T(random.uniform(2, 5));
    return gravity;
  }
};

namespace {

struct ByName {
  template <class Family>
  static std::string GetName(int i) {
    const char* names[] = {"JointSpring",     "JointDamper",        "JointForce", "SpringDamper",
                           "PointForce",      "PointTorque",        "Bushing",    "CartesianSpring",
                           "TorsionalSpring", "CoordinateFriction", "Rope",       "GravityBetween",
                           "Cable",           "CompliantContact"};
    return names[i];
  }
};
using EveryElement =
    testing::Types<ElementFamily<JointSpring>, ElementFamily<JointDamper>, ElementFamily<JointForce>,
                   ElementFamily<SpringDamper>, ElementFamily<PointForce>, ElementFamily<PointTorque>,
                   ElementFamily<Bushing>, ElementFamily<CartesianSpring>,
                   ElementFamily<TorsionalSpringDamper>, ElementFamily<CoordinateFriction>,
                   ElementFamily<Rope>, ElementFamily<GravityBetween>, ElementFamily<CableForce>,
                   ElementFamily<CompliantContact>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Every, ForceLaws, EveryElement, ByName);

}  // namespace
}  // namespace sestina::force_laws
