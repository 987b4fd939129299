// Simbody, the library of the distribution. Its inline classes differ under NDEBUG, so that this file is
// compiled as the library was: without.
#include <SimTKsimbody.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine.h"

namespace peers {
namespace {

SimTK::Vec3 to_vec3(const Vector3& v) { return {v[0], v[1], v[2]}; }

SimTK::MassProperties make_mass_properties(const Link& link) {
  const auto& J = link.inertia;
  const SimTK::Vec3 com = to_vec3(link.center_of_mass);
  const SimTK::Inertia central(J[0], J[1], J[2], J[3], J[4], J[5]);
  return {link.mass, com, central.shiftFromMassCenter(com, link.mass)};
}

// Simbody's pin turns about z of its frames.
SimTK::Rotation turn_z_to(int axis) {
  if (axis == 0) return SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis);
  if (axis == 1) return SimTK::Rotation(-SimTK::Pi / 2, SimTK::XAxis);
  return SimTK::Rotation();
}

SimTK::MobilizedBody add_body(SimTK::MobilizedBody parent, const Link& link) {
  const SimTK::Body::Rigid body(make_mass_properties(link));
  const auto& e = link.orientation;
  const SimTK::Rotation R(SimTK::Quaternion(e[0], e[1], e[2], e[3]));
  const SimTK::Vec3 p = to_vec3(link.position);
  switch (link.joint) {
    case Joint::kSpherical:
      return SimTK::MobilizedBody::Ball(parent, SimTK::Transform(R, p), body, SimTK::Transform());
    case Joint::kFree:
      return SimTK::MobilizedBody::Free(parent, SimTK::Transform(R, p), body, SimTK::Transform());
    case Joint::kPrismatic:
      throw std::invalid_argument("no tree has slides");
    case Joint::kRevolute:
      break;
  }
  const SimTK::Rotation to_axis = turn_z_to(link.axis);
  return SimTK::MobilizedBody::Pin(parent, SimTK::Transform(R * to_axis, p), body, SimTK::Transform(to_axis));
}

struct SimbodyState {
  SimTK::Vector q, u, tau, udot;
};

class SimbodyEngine final : public Engine {
 public:
  SimbodyEngine(const Mechanism& mechanism, const States& states)
      : mechanism_(mechanism),
        matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, to_vec3(mechanism.gravity)),
        applied_(forces_, matter_) {
    for (const Link& link : mechanism.links) {
      bodies_.push_back(add_body(
          link.parent < 0 ? matter_.Ground() : bodies_[static_cast<std::size_t>(link.parent)], link));
    }
    state_ = system_.realizeTopology();
    system_.realizeModel(state_);
    for (const DrivenState& state : states) {
      native_.push_back({calc_q(state), calc_u(state.u), calc_u(state.tau), calc_u(state.udot)});
    }
  }

  std::vector<Routine> routines() override {
    std::vector<Routine> list;
    add(
        list, Kernel::kForwardDynamics, "realize(Acceleration)",
        [this](const SimbodyState& s) {
          set(s);
          applied_.setAllMobilityForces(state_, s.tau);
          system_.realize(state_, SimTK::Stage::Acceleration);
        },
        [this](int) { return restore_u(state_.getUDot()); });
    add(
        list, Kernel::kInverseDynamics, "calcResidualForce",
        [this](const SimbodyState& s) {
          set(s);
          system_.realize(state_, SimTK::Stage::Dynamics);
          matter_.calcResidualForceIgnoringConstraints(
              state_, no_forces_, system_.getRigidBodyForces(state_, SimTK::Stage::Dynamics), s.udot,
              residual_);
        },
        [this](int) { return restore_u(residual_); });
    add(
        list, Kernel::kKinematics, "realize(Velocity)",
        [this](const SimbodyState& s) {
          set(s);
          system_.realize(state_, SimTK::Stage::Velocity);
        },
        [this](int) { return kinematics(); });
    if (mechanism_.nu > kLargestMatrix) return list;
    add(
        list, Kernel::kMassMatrix, "calcM",
        [this](const SimbodyState& s) {
          state_.updQ() = s.q;
          system_.realize(state_, SimTK::Stage::Position);
          matter_.calcM(state_, M_);
        },
        [this](int) { return mass_matrix(); });
    return list;
  }

 private:
  template <class F, class R>
  void add(std::vector<Routine>& list, Kernel kernel, const char* method, F evaluate, R result) {
    list.push_back(make_routine(
        kernel, "Simbody", method, static_cast<int>(native_.size()),
        [this, evaluate](int k) { evaluate(native_[static_cast<std::size_t>(k)]); }, result));
  }

  void set(const SimbodyState& s) {
    state_.updQ() = s.q;
    state_.updU() = s.u;
  }

  int first_u(std::size_t i) const { return int(bodies_[i].getFirstUIndex(state_)); }

  // Ours but for the free joint, whose position comes last.
  SimTK::Vector calc_q(const DrivenState& state) const {
    SimTK::Vector q(state_.getNQ());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Link& link = mechanism_.links[i];
      const auto from = state.q.begin() + link.q_start;
      std::vector<double> of_joint(from, from + link.nq);
      if (link.joint == Joint::kFree) std::rotate(of_joint.begin(), of_joint.begin() + 3, of_joint.end());
      for (int k = 0; k < link.nq; ++k) {
        q[int(bodies_[i].getFirstQIndex(state_)) + k] = of_joint[static_cast<std::size_t>(k)];
      }
    }
    return q;
  }

  SimTK::Vector calc_u(const std::vector<double>& ours) const {
    SimTK::Vector u(state_.getNU());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Link& link = mechanism_.links[i];
      for (int k = 0; k < link.nu; ++k) {
        u[first_u(i) + k] = ours[static_cast<std::size_t>(link.u_start + k)];
      }
    }
    return u;
  }

  std::vector<int> their_speeds() const {
    std::vector<int> indices;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      for (int k = 0; k < mechanism_.links[i].nu; ++k) indices.push_back(first_u(i) + k);
    }
    return indices;
  }

  std::vector<double> restore_u(const SimTK::Vector& theirs) const {
    std::vector<double> ours;
    for (const int k : their_speeds()) ours.push_back(theirs[k]);
    return ours;
  }

  std::vector<double> mass_matrix() const {
    std::vector<double> ours;
    for (const int i : their_speeds()) {
      for (const int j : their_speeds()) ours.push_back(M_(i, j));
    }
    return ours;
  }

  std::vector<double> kinematics() const {
    std::vector<double> positions, angular_velocities;
    for (const SimTK::MobilizedBody& body : bodies_) {
      for (int k = 0; k < 3; ++k) {
        positions.push_back(body.getBodyOriginLocation(state_)[k]);
        angular_velocities.push_back(body.getBodyAngularVelocity(state_)[k]);
      }
    }
    positions.insert(positions.end(), angular_velocities.begin(), angular_velocities.end());
    return positions;
  }

  const Mechanism& mechanism_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::Gravity gravity_;
  SimTK::Force::DiscreteForces applied_;
  std::vector<SimTK::MobilizedBody> bodies_;  // of each link
  SimTK::State state_;
  SimTK::Vector no_forces_, residual_;
  SimTK::Matrix M_;
  std::vector<SimbodyState> native_;
};

}  // namespace

std::unique_ptr<Engine> make_simbody_engine(const Mechanism& mechanism, const States& states) {
  return std::make_unique<SimbodyEngine>(mechanism, states);
}

std::string simbody_version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

}  // namespace peers
