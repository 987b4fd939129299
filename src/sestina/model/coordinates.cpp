// Operations on q that need only the type of each joint.
#include "sestina/joints/joint_list.h"
#include "sestina/model/model.h"
#include "sestina/spatial/scalars.h"

namespace sestina {
namespace {

// Calls f(Joint<T>{}, info) for every joint; the functions on q are static, so its parameters do not matter.
template <class T, class F>
void for_each_joint(const Model& model, F&& f) {
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    switch (info.joint_type) {
#define SESTINA_CASE(Type) \
  case JointType::k##Type: \
    f(Type<T>{}, info);    \
    break;
      SESTINA_FOR_EACH_JOINT(SESTINA_CASE)
#undef SESTINA_CASE
    }
  }
}

}  // namespace

template <class T>
void normalize_q(const Model& model, std::span<T> q) {
  for_each_joint<T>(
      model, [&](const auto& joint, const BodyInfo& info) { joint.normalize(q.data() + info.q_start); });
}

template <class T>
void calc_q_dot(const Model& model, std::span<const T> q, std::span<const T> u, std::span<T> qdot) {
  for_each_joint<T>(model, [&](const auto& joint, const BodyInfo& info) {
    joint.q_dot(q.data() + info.q_start, u.data() + info.u_start, qdot.data() + info.q_start);
  });
}

template <class T>
void plus_q(const Model& model, std::span<const T> q, std::span<const T> displacement, std::span<T> q_out) {
  for_each_joint<T>(model, [&](const auto& joint, const BodyInfo& info) {
    joint.plus(q.data() + info.q_start, displacement.data() + info.u_start, q_out.data() + info.q_start);
  });
}

template <class T>
void minus_q(const Model& model, std::span<const T> q_b, std::span<const T> q_a, std::span<T> displacement) {
  for_each_joint<T>(model, [&](const auto& joint, const BodyInfo& info) {
    joint.minus(q_b.data() + info.q_start, q_a.data() + info.q_start, displacement.data() + info.u_start);
  });
}

#define SESTINA_INSTANTIATE(T)                                                                  \
  template void normalize_q(const Model&, std::span<T>);                                        \
  template void calc_q_dot(const Model&, std::span<const T>, std::span<const T>, std::span<T>); \
  template void plus_q(const Model&, std::span<const T>, std::span<const T>, std::span<T>);     \
  template void minus_q(const Model&, std::span<const T>, std::span<const T>, std::span<T>);
SESTINA_FOR_EACH_SCALAR(SESTINA_INSTANTIATE)
#undef SESTINA_INSTANTIATE

}  // namespace sestina
