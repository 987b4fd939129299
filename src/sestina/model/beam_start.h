// Where the nodes of beams and cables start, and how they move there.
#pragma once

#include <algorithm>
#include <span>

#include "sestina/base/index.h"
#include "sestina/model/for_each_mesh.h"
#include "sestina/numerics/state.h"

namespace sestina {

// Nodes of beams start on the axis.
template <class T>
void place_nodes(const Model& model, std::span<const T> numbers, std::span<const T> parameters,
                 std::span<T> q) {
  const auto put = [&](const Vec3<double>& x, int place) {
    T* const own = q.data() + place;
    own[0] = T(x.x), own[1] = T(x.y), own[2] = T(x.z);
  };
  for_each_mesh<T>(
      model, numbers, parameters,
      [&](const BeamPlan& plan, const BeamMesh& mesh) {
        const BeamInfo& info = model.beams()[static_cast<std::size_t>(plan.beam)];
        for (std::size_t k = 0; k < info.nodes.size(); ++k) {
          const int place = model.bodies()[info.nodes[k]].q_start;
          put(mesh.nodes[k].p, place);
          std::copy_n(mesh.nodes[k].e.begin(), 4, q.begin() + place + 3);
        }
      },
      [&](const BeamPlan& plan, const CableMesh& mesh) {
        const BeamInfo& info = model.beams()[static_cast<std::size_t>(plan.beam)];
        for (std::size_t k = 0; k < info.nodes.size(); ++k) {
          put(mesh.positions[k], model.bodies()[info.nodes[k]].q_start);
          put(mesh.slopes[k], info.slope_q[k]);
        }
      });
}

// Beams with a velocity move as rigid bodies at the start.
template <class T>
void set_speeds_of_beams(const Model& model, std::span<const T> numbers, State<T>& state) {
  const auto vector = [](const T* x) { return Vec3<T>{x[0], x[1], x[2]}; };
  const auto given = [&](Slot slot) {
    return slot.is_given() ? vector(numbers.data() + slot.first) : Vec3<T>{};
  };
  const auto put = [&](const Vec3<T>& x, int place) {
    for (int i = 0; i < 3; ++i) state.u[at(place + i)] = x[i];
  };
  for (const BeamPlan& plan : model.plan().connectors.beams) {
    if (!plan.velocity.is_given() && !plan.angular_velocity.is_given()) continue;
    const Vec3<T> v = given(plan.velocity), w = given(plan.angular_velocity);
    const BeamInfo& info = model.beams()[at(plan.beam)];
    const auto position = [&](std::size_t k) {
      return vector(state.q.data() + model.bodies()[info.nodes[k]].q_start);
    };
    for (std::size_t k = 0; k < info.nodes.size(); ++k) {
      const BodyInfo& node = model.bodies()[info.nodes[k]];
      if (!info.is_cable) put(w, node.u_start);
      put(v + cross(w, position(k) - position(0)), node.u_start + node.nu - 3);
      if (info.is_cable) put(cross(w, vector(state.q.data() + info.slope_q[k])), info.slope_u[k]);
    }
  }
}

}  // namespace sestina
