// Sets of properties side by side, one in each lane.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <type_traits>

#include "sestina/dynamics/joint_axes.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/batch.h"

namespace sestina {

// Packs structures of numbers only: number k of the result has number k of get(l) in its lane l.
template <template <class> class Numbers, int n, class Get>
Numbers<Batch<n>> pack(Get&& get) {
  constexpr std::size_t kCount = sizeof(Numbers<double>) / sizeof(double);
  static_assert(sizeof(Numbers<Batch<n>>) == kCount * sizeof(Batch<n>));
  static_assert(std::is_trivially_copyable_v<Numbers<double>>);
  std::array<double, kCount * n> numbers{};
  for (std::size_t l = 0; l < n; ++l) {
    const Numbers<double>& given = get(l);
    std::array<double, kCount> lane{};
    std::memcpy(lane.data(), &given, sizeof lane);
    for (std::size_t k = 0; k < kCount; ++k) numbers[k * n + l] = lane[k];
  }
  Numbers<Batch<n>> result;
  std::memcpy(static_cast<void*>(&result), numbers.data(), sizeof numbers);
  return result;
}
template <class T>
using Number1 = T;

template <int n>
class PropertyPacker {
 public:
  using T = Batch<n>;
  // One set for all lanes, or one for each lane.
  explicit PropertyPacker(std::span<const Properties<double>* const> sets) : sets_(sets) {}

  Properties<T> pack_all() const {
    Properties<T> all;
    const Properties<double>& first = set(0);
    for (std::size_t i = 0; i < first.parameters.size(); ++i) {
      all.parameters.push_back(number([&](const auto& p) { return p.parameters[i]; }));
    }
    all.gravity = numbers<Vec3>([](const auto& p) -> auto& { return p.gravity; });
    for (BodyIndex b{0}; b.value() < first.bodies.size(); ++b) all.bodies.push_back(pack_body(b));
    pack_joint_forces(all.forces);
    pack_point_forces(all.forces);
    return all;
  }

 private:
  const Properties<double>& set(std::size_t lane) const { return *sets_[sets_.size() == 1 ? 0 : lane]; }

  template <class Get>
  T number(Get&& get) const {
    typename T::Vector lanes{};
    for (int l = 0; l < n; ++l) lanes[l] = get(set(static_cast<std::size_t>(l)));
    return lanes;
  }
  template <template <class> class Numbers, class Get>
  Numbers<T> numbers(Get&& get) const {
    return pack<Numbers, n>([&](std::size_t l) -> const Numbers<double>& { return get(set(l)); });
  }

  AnyJoint<T> pack_joint(BodyIndex b) const {
    const auto joint = [b](const auto& p) -> auto& { return p.bodies[b].joint; };
    AnyJoint<T> packed;
    packed.type = joint(set(0)).type;
    packed.axis = numbers<Vec3>([&](const auto& p) -> auto& { return joint(p).axis; });
    packed.second_axis = numbers<Vec3>([&](const auto& p) -> auto& { return joint(p).second_axis; });
#define SESTINA_PACK(name, ...) \
  packed.numbers.name = number([&](const auto& p) { return joint(p).numbers.name; });
    SESTINA_JOINT_NUMBERS(SESTINA_PACK)
#undef SESTINA_PACK
    return packed;
  }

  BodyStructure common_structure(BodyIndex b) const {
    BodyStructure common = set(0).bodies[b].structure;
    for (const Properties<double>* one : sets_) {
      const BodyStructure& other = one->bodies[b].structure;
      if (other.turns_about != common.turns_about) common.turns_about = -1;
      common.has_parallel_frames = common.has_parallel_frames && other.has_parallel_frames;
      common.has_diagonal_inertia = common.has_diagonal_inertia && other.has_diagonal_inertia;
    }
    return common;
  }

  BodyProperties<T> pack_body(BodyIndex b) const {
    BodyProperties<T> body;
    body.structure = common_structure(b);
    body.X_PF = numbers<Pose>([b](const auto& p) -> auto& { return p.bodies[b].X_PF; });
    body.armature = number([b](const auto& p) { return p.bodies[b].armature; });
    body.M = numbers<RigidInertia>([b](const auto& p) -> auto& { return p.bodies[b].M; });
    body.joint = pack_joint(b);
    body.J_com = numbers<SymMat3>([b](const auto& p) -> auto& { return p.bodies[b].J_com; });
    body.X_MB = numbers<Pose>([b](const auto& p) -> auto& { return p.bodies[b].X_MB; });
    return body;
  }

  // Packs the point of an element that `get` finds in a set.
  template <class Get>
  Marker<T> point(Get&& get) const {
    return {get(set(0)).frame, numbers<Pose>([&](const auto& p) -> auto& { return get(p).X_BK; })};
  }
  template <class Get>
  GivenVector<T> given_vector(Get&& get) const {
    const GivenVector<double>& first = get(set(0));
    return {first.expression, first.in_body_axes,
            numbers<Mat3>([&](const auto& p) -> auto& { return get(p).R_BA; })};
  }

  // Packs the numbers of the table, for the element that `get` finds in a set.
  template <class Get, class Element>
  void pack_numbers(Get&& get, Element& element) const {
#define SESTINA_PACK(name, ...) \
  if constexpr (requires { element.name; }) element.name = number([&](const auto& p) { return get(p).name; });
    SESTINA_FORCE_NUMBERS(SESTINA_PACK)
#undef SESTINA_PACK
  }

  void pack_joint_forces(ForceSet<T>& forces) const {
    const ForceSet<double>& first = set(0).forces;
    for (std::size_t i = 0; i < first.joint_springs.size(); ++i) {
      const JointSpring<double>& e = first.joint_springs[i];
      forces.joint_springs.push_back(
          {{e.index},
           e.q,
           e.u,
           number([i](const auto& p) { return p.forces.joint_springs[i].stiffness; }),
           number([i](const auto& p) { return p.forces.joint_springs[i].reference; })});
      pack_numbers(
          [i](const auto& p) -> auto& { return p.forces.joint_springs[i]; }, forces.joint_springs.back());
    }
    for (std::size_t i = 0; i < first.joint_dampers.size(); ++i) {
      const JointDamper<double>& e = first.joint_dampers[i];
      forces.joint_dampers.push_back(
          {{e.index}, e.u, number([i](const auto& p) { return p.forces.joint_dampers[i].damping; })});
      pack_numbers(
          [i](const auto& p) -> auto& { return p.forces.joint_dampers[i]; }, forces.joint_dampers.back());
    }
    for (const JointForce<double>& e : first.joint_forces) {
      forces.joint_forces.push_back({{e.index}, e.u, e.expression});
    }
  }

  void pack_point_forces(ForceSet<T>& forces) const {
    const ForceSet<double>& first = set(0).forces;
    for (std::size_t i = 0; i < first.spring_dampers.size(); ++i) {
      const auto element = [i](const auto& p) -> auto& { return p.forces.spring_dampers[i]; };
      forces.spring_dampers.push_back({{element(set(0)).index},
                                       point([&](const auto& p) -> auto& { return element(p).from; }),
                                       point([&](const auto& p) -> auto& { return element(p).to; }),
                                       number([&](const auto& p) { return element(p).stiffness; }),
                                       number([&](const auto& p) { return element(p).damping; })});
      pack_numbers(element, forces.spring_dampers.back());
    }
    for (std::size_t i = 0; i < first.point_forces.size(); ++i) {
      const auto element = [i](const auto& p) -> auto& { return p.forces.point_forces[i]; };
      forces.point_forces.push_back({{element(set(0)).index},
                                     point([&](const auto& p) -> auto& { return element(p).at; }),
                                     given_vector([&](const auto& p) -> auto& { return element(p).value; })});
    }
    for (std::size_t i = 0; i < first.point_torques.size(); ++i) {
      const auto element = [i](const auto& p) -> auto& { return p.forces.point_torques[i]; };
      forces.point_torques.push_back(
          {{element(set(0)).index},
           point([&](const auto& p) -> auto& { return element(p).at; }),
           given_vector([&](const auto& p) -> auto& { return element(p).value; })});
    }
  }

  std::span<const Properties<double>* const> sets_;
};

}  // namespace sestina
