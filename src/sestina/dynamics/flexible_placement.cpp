#include "sestina/dynamics/flexible_placement.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sestina/constraints/cut_joint_motion.h"
#include "sestina/dynamics/constrained_dynamics.h"
#include "sestina/dynamics/kinematics.h"
#include "sestina/spatial/rotation_vector.h"

namespace sestina {
namespace {

constexpr double kInPlace = 1e-9;         // rad, and of the mechanism's size
constexpr std::array<double, 6> kRest{};  // speeds of a joint

std::size_t index(int i) { return static_cast<std::size_t>(i); }

class Placement {
 public:
  Placement(const Model& model, const Properties<double>& properties, std::span<const double> given_u,
            State<double>& state)
      : model_(model), properties_(properties), given_u_(given_u), state_(state), kinematics_(model) {
    for (const BeamInfo& beam : model.beams()) {
      if (!beam.is_cable) bodies_.push_back({beam.nodes});
    }
    for (const ReducedBodyInfo& info : model.reduced_bodies()) {
      bodies_.push_back({{info.body}, info.first_frame, static_cast<int>(info.modes->interfaces.size())});
    }
  }

  std::vector<PlacedBody> place(std::span<const double> cut_q, std::span<const double> cut_u) {
    const auto& joints = properties_.constraints.cut_joints;
    std::vector<bool> is_used(joints.size());
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (std::size_t i = 0; i < joints.size(); ++i) {
        const CutJoint<double>& joint = joints[i];
        Flexible *const parent = find(joint.F.frame), *const child = find(joint.M.frame);
        const bool has_parent = has_place(joint.F.frame, parent), has_child = has_place(joint.M.frame, child);
        if (is_used[i] || has_parent == has_child) continue;
        Flexible* const body = has_parent ? child : parent;
        is_used[i] = true;
        if (body == nullptr) continue;  // a rigid body that floats
        fit(i, *body, has_parent, cut_q, cut_u);
        is_done = false;
      }
    }
    std::vector<PlacedBody> placed;
    for (const Flexible& body : bodies_) {
      for (const BodyIndex b : body.carriers) {
        if (body.has_place) placed.push_back({b, is_velocity_given(body)});
      }
    }
    return placed;
  }

 private:
  struct Flexible {
    std::vector<BodyIndex> carriers;  // whose coordinates place it
    FrameIndex first_interface{0};
    int interfaces = 0;
    bool has_place = false;
  };

  Flexible* find(FrameIndex frame) {
    for (Flexible& body : bodies_) {
      const int interface = frame.value() - body.first_interface.value();
      if (body.interfaces > 0 && interface >= 0 && interface < body.interfaces) return &body;
      if (frame.value() < model_.bodies().size() &&
          std::ranges::find(body.carriers, BodyIndex(frame.value())) != body.carriers.end())
        return &body;
    }
    return nullptr;
  }

  bool has_place(FrameIndex frame, const Flexible* flexible) const {
    if (flexible != nullptr) return flexible->has_place;
    BodyIndex b(frame.value());
    if (frame.value() >= model_.bodies().size()) return false;
    while (b.value() > 0 && model_.bodies()[b].parent.value() > 0) b = model_.bodies()[b].parent;
    const BodyInfo& root = model_.bodies()[b];
    return b.value() == 0 || root.nu < 6 || model_.is_q_given()[index(root.u_start)];
  }

  // Moves a body such that a joint at it fits, with its given coordinates and speeds.
  void fit(std::size_t i, Flexible& body, bool is_child, std::span<const double> cut_q,
           std::span<const double> cut_u) {
    const CutJoint<double>& joint = properties_.constraints.cut_joints[i];
    const CutJointInfo& info = model_.cut_joints()[i];
    update_kinematics(model_, properties_, state_, kinematics_);
    const Pose<double> X_WF = pose_of(joint.F), X_WM = pose_of(joint.M);
    std::array<double, 7> q{};
    std::ranges::copy(cut_q.subspan(index(joint.q_start), index(info.nq)), q.begin());
    if (!info.is_q_given) find_drawn(joint, inverse(X_WF) * X_WM, q.data());
    const Pose<double> X_FM = visit_joint(joint.joint, [&](const auto& of) { return of.pose(q.data()); });
    const Pose<double> target = is_child ? X_WF * X_FM : X_WM * inverse(X_FM);
    const Pose<double> T = target * inverse(is_child ? X_WM : X_WF);
    const double away = norm(T * (is_child ? X_WM : X_WF).p - (is_child ? X_WM : X_WF).p);
    body.has_place = true;
    if (norm(rotation_vector_of(T.R)) > kInPlace || away > kInPlace * properties_.constraints.length)
      move(body, T);
    if (info.is_u_given || !is_velocity_given(body))
      set_speeds(joint, body, is_child, q.data(),
                 info.is_u_given ? cut_u.data() + joint.u_start : kRest.data());
  }

  bool is_velocity_given(const Flexible& body) const {
    return std::ranges::any_of(body.carriers, [&](BodyIndex b) {
      const BodyInfo& info = model_.bodies()[b];
      return std::ranges::any_of(given_u_.subspan(index(info.u_start), index(info.nu)),
                                 [](double u) { return u != 0.0; });
    });
  }

  Pose<double> pose_of(const Marker<double>& marker) const {
    return kinematics_.motion[index(marker.frame.value())].X_WB * marker.X_BK;
  }

  // The coordinates of the pose in which the joint's frames are drawn.
  void find_drawn(const CutJoint<double>& joint, const Pose<double>& X_FM, double* q) const {
    CutJointMotion<double> motion;
    motion.relative.X_FM = X_FM;
    visit_joint(joint.joint, [&](const auto& of) {
      of.set_identity(q);
      if constexpr (HasDirectCoordinates<std::decay_t<decltype(of)>, double>) {
        find_coordinates(of, X_FM, q);
      } else {
        iterate_coordinates(joint, of, q, motion);
      }
    });
  }

  Pose<double> ground_frame(BodyIndex b) const {
    return kinematics_.motion[index(model_.bodies()[b].parent.value())].X_WB * properties_.bodies[b].X_PF;
  }

  void move(const Flexible& body, const Pose<double>& T) {
    for (const BodyIndex b : body.carriers) {
      const Pose<double> X_FM = inverse(ground_frame(b)) * (T * kinematics_.motion[index(b.value())].X_WB);
      double* const q = state_.q.data() + model_.bodies()[b].q_start;
      q[0] = X_FM.p.x, q[1] = X_FM.p.y, q[2] = X_FM.p.z;
      euler_parameters_of(X_FM.R, q + 3);
    }
    update_kinematics(model_, properties_, state_, kinematics_);
  }

  void set_speeds(const CutJoint<double>& joint, const Flexible& body, bool is_child, const double* q,
                  const double* u) {
    SpatialMotion<double> V_FM;
    visit_joint(joint.joint, [&](const auto& of) {
      const auto H = of.H(q);
      for (std::size_t k = 0; k < H.size(); ++k) V_FM += u[k] * H[k];
    });
    const Rotation<double> R = pose_of(joint.F).R;
    const Vec3<double> p = pose_of(joint.M).p;
    const double sign = is_child ? 1.0 : -1.0;
    const FrameMotion<double>& other =
        kinematics_.motion[index((is_child ? joint.F : joint.M).frame.value())];
    const Vec3<double> w = other.V_WB.w + sign * (R * V_FM.w);
    const Vec3<double> v = other.V_WB.v + cross(other.V_WB.w, p - other.X_WB.p) + sign * (R * V_FM.v);
    for (const BodyIndex b : body.carriers) {
      const Rotation<double> axes = ground_frame(b).R;
      const Vec3<double> own_w = transpose_times(axes, w);
      const Vec3<double> own_v =
          transpose_times(axes, v + cross(w, kinematics_.motion[index(b.value())].X_WB.p - p));
      double* const speeds = state_.u.data() + model_.bodies()[b].u_start;
      speeds[0] = own_w.x, speeds[1] = own_w.y, speeds[2] = own_w.z;
      speeds[3] = own_v.x, speeds[4] = own_v.y, speeds[5] = own_v.z;
    }
    update_kinematics(model_, properties_, state_, kinematics_);
  }

  const Model& model_;
  const Properties<double>& properties_;
  std::span<const double> given_u_;
  State<double>& state_;
  Kinematics<double> kinematics_;
  std::vector<Flexible> bodies_;
};

}  // namespace

std::vector<PlacedBody> place_flexible_bodies(const Model& model, const Properties<double>& properties,
                                              std::span<const double> cut_q, std::span<const double> cut_u,
                                              std::span<const double> given_u, State<double>& state) {
  if (model.beams().empty() && model.reduced_bodies().empty()) return {};
  return Placement(model, properties, given_u, state).place(cut_q, cut_u);
}

}  // namespace sestina
