// All numbers of a model's properties in one vector, each with a name, so that tests can compare them all.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "sestina/joints/joint_list.h"
#include "sestina/model/properties.h"

namespace sestina::testing_support {

template <class T>
class Flattener {
 public:
  using Named = std::vector<std::pair<std::string, T>>;

  static Named flatten(const Properties<T>& properties) {
    Flattener f;
    f.add("gravity", properties.gravity);
    for (int b = 1; b < properties.bodies.size(); ++b) {
      f.add_body(fmt::format("body {} ", b), properties.bodies[BodyIndex(b)]);
    }
    for (int p = 0; p < properties.points.size(); ++p) {
      f.add(fmt::format("point {}", p), properties.points[PointIndex(p)].X_BK);
    }
    for (const auto& e : properties.forces.joint_springs) {
      f.add("joint spring's stiffness", e.stiffness), f.add("joint spring's reference", e.reference);
    }
    for (const auto& e : properties.forces.joint_dampers) f.add("joint damper's damping", e.damping);
    for (const auto& e : properties.forces.spring_dampers) {
      f.add("spring's stiffness", e.stiffness), f.add("spring's damping", e.damping);
      f.add("spring's free length", e.free_length);
      f.add("spring's from", e.from.X_BK), f.add("spring's to", e.to.X_BK);
    }
    for (const auto& e : properties.forces.point_forces) {
      f.add("point force's at", e.at.X_BK), f.add("point force's axes", e.value.R_BA);
    }
    for (const auto& e : properties.forces.point_torques) f.add("point torque's axes", e.value.R_BA);
    return std::move(f.all_);
  }

 private:
  void add(const std::string& name, const T& x) { all_.emplace_back(name, x); }
  void add(const std::string& name, const Vec3<T>& v) {
    add(name + ".x", v.x), add(name + ".y", v.y), add(name + ".z", v.z);
  }
  void add(const std::string& name, const Mat3<T>& R) {
    for (int i = 0; i < 3; ++i) add(fmt::format("{} column {}", name, i), R.column(i));
  }
  void add(const std::string& name, const Pose<T>& X) { add(name + ".p", X.p), add(name + ".R", X.R); }
  void add(const std::string& name, const SymMat3<T>& J) {
    add(name + " diagonal", Vec3<T>{J.xx, J.yy, J.zz}), add(name + " products", Vec3<T>{J.xy, J.xz, J.yz});
  }
  void add_body(const std::string& name, const BodyProperties<T>& body) {
    add(name + "X_PF", body.X_PF), add(name + "X_MB", body.X_MB);
    add(name + "mass", body.M.mass), add(name + "c", body.M.c);
    add(name + "J", body.M.J), add(name + "J_com", body.J_com);
    add(name + "armature", body.armature);
    visit_joint<T>(body.joint, [&](const auto& joint) {
      if constexpr (requires { joint.axis; }) add(name + "axis", joint.axis);
      if constexpr (requires { joint.second_axis; }) add(name + "second axis", joint.second_axis);
      if constexpr (requires { joint.pitch; }) add(name + "pitch", joint.pitch);
    });
  }

  Named all_;
};

template <class T>
typename Flattener<T>::Named flatten(const Properties<T>& properties) {
  return Flattener<T>::flatten(properties);
}

}  // namespace sestina::testing_support
