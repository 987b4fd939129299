// The mechanisms of mechanism.h as models of Pinocchio, and their states in its conventions.
#pragma once

#include <algorithm>
#include <pinocchio/multibody.hpp>

#include "engine.h"

namespace peers {

namespace pin = pinocchio;
using Eigen::VectorXd;

// Speeds of a ball are in the axes of M; those of a free base too, the linear ones first.
constexpr SpeedConvention kConvention{false, true};

inline pin::JointModel make_joint(const Link& link) {
  switch (link.joint) {
    case Joint::kSpherical:
      return pin::JointModelSpherical();
    case Joint::kFree:
      return pin::JointModelFreeFlyer();
    case Joint::kPrismatic:
      if (link.axis == 0) return pin::JointModelPX();
      if (link.axis == 1) return pin::JointModelPY();
      return pin::JointModelPZ();
    case Joint::kRevolute:
      break;
  }
  if (link.axis == 0) return pin::JointModelRX();
  if (link.axis == 1) return pin::JointModelRY();
  return pin::JointModelRZ();
}

inline pin::SE3 to_se3(const EulerParameters& e, const Vector3& p) {
  return {Eigen::Quaterniond(e[0], e[1], e[2], e[3]).toRotationMatrix(), Eigen::Vector3d(p[0], p[1], p[2])};
}

// Joint i + 1 carries link i.
inline pin::Model make_pinocchio_model(const Mechanism& mechanism) {
  pin::Model model;
  model.gravity.linear() << mechanism.gravity[0], mechanism.gravity[1], mechanism.gravity[2];
  int i = 0;
  for (const Link& link : mechanism.links) {
    const Eigen::Vector3d com(link.center_of_mass[0], link.center_of_mass[1], link.center_of_mass[2]);
    const auto& J = link.inertia;
    Eigen::Matrix3d inertia;
    inertia << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
    const auto joint = model.addJoint(static_cast<pin::JointIndex>(link.parent + 1), make_joint(link),
                                      to_se3(link.orientation, link.position), "joint" + std::to_string(i++));
    model.appendBodyToJoint(joint, pin::Inertia(link.mass, com, inertia), pin::SE3::Identity());
  }
  return model;
}

inline VectorXd to_eigen(const std::vector<double>& x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

inline std::vector<double> to_std(const VectorXd& x) { return {x.data(), x.data() + x.size()}; }

struct PinocchioState {
  VectorXd q, v, tau, a;
};

inline std::vector<PinocchioState> make_pinocchio_states(const Mechanism& mechanism, const States& states) {
  std::vector<PinocchioState> native;
  for (const DrivenState& state : states) {
    std::vector<double> q = state.q;  // scalar of the quaternion last
    for (const Link& link : mechanism.links) {
      if (link.nu == 1) continue;
      const auto e = q.begin() + link.q_start + (link.joint == Joint::kFree ? 3 : 0);
      std::rotate(e, e + 1, e + 4);
    }
    native.push_back({to_eigen(q), to_eigen(to_engine(mechanism, state, state.u, kConvention)),
                      to_eigen(to_engine(mechanism, state, state.tau, kConvention)),
                      to_eigen(udot_to_engine(mechanism, state, state.udot, kConvention))});
  }
  return native;
}

}  // namespace peers
