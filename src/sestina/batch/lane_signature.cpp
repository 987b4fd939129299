#include "sestina/batch/lane_signature.h"

#include <type_traits>

#include "sestina/dynamics/joint_axes.h"

namespace sestina {
namespace {

class Signature {
 public:
  template <class... Numbers>
  void add(Numbers... numbers) {
    (add_one(static_cast<int>(numbers)), ...);
  }
  void add(const std::string& text) {
    add(text.size());
    text_ += text;
  }
  std::string text() && { return std::move(text_); }

 private:
  void add_one(int number) { text_.append(reinterpret_cast<const char*>(&number), sizeof number); }

  std::string text_;
};

void add_bodies(const Model& model, const Properties<double>& properties, Signature& signature) {
  const JointAxes axes(model, properties);
  signature.add(model.bodies().size());
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    signature.add(info.parent.value(), info.joint_type, info.q_start, info.nq, info.u_start, info.nu);
    const BodyStructure& body = properties.bodies[b].structure;
    signature.add(body.turns_about, body.has_parallel_frames, body.has_diagonal_inertia);
    const JointAxesStructure& joint = axes.structure[static_cast<std::size_t>(b.value())];
    signature.add(joint.has_axis, joint.is_turn, joint.twist, joint.has_yaw, joint.has_armature,
                  joint.is_shift_along_normal, joint.has_simple_inertia);
  }
}

void add_forces(const ForceSet<double>& forces, Signature& signature) {
  signature.add(forces.joint_springs.size(), forces.joint_dampers.size(), forces.joint_forces.size(),
                forces.spring_dampers.size(), forces.point_forces.size(), forces.point_torques.size());
  for (const auto& e : forces.joint_springs) signature.add(e.index.value(), e.q, e.u);
  for (const auto& e : forces.joint_dampers) signature.add(e.index.value(), e.u);
  for (const auto& e : forces.joint_forces) signature.add(e.index.value(), e.u, e.expression);
  for (const auto& e : forces.spring_dampers) {
    signature.add(e.index.value(), e.from.frame.value(), e.to.frame.value());
  }
  const auto add_given = [&](const auto& list) {
    for (const auto& e : list) {
      signature.add(e.index.value(), e.at.frame.value(), e.value.expression, e.value.in_body_axes);
    }
  };
  add_given(forces.point_forces);
  add_given(forces.point_torques);
}

}  // namespace

std::string calc_lane_signature(const Model& model, const Properties<double>& properties) {
  Signature signature;
  add_bodies(model, properties, signature);
  add_forces(properties.forces, signature);
  signature.add(model.nd(), properties.parameters.size());
  signature.add(model.force_tape().signature());
  return std::move(signature).text();
}

}  // namespace sestina
