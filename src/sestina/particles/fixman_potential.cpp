#include "sestina/particles/fixman_potential.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "sestina/particles/particle_arrays.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Motions = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6>;
using JointMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

struct FixmanNode {
  Matrix6 P_plus, A, Y;  // Y without the parent's part at first
};

Eigen::Vector3d eigen_of(const Vec& a) { return {a.x, a.y, a.z}; }

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  return Eigen::Matrix3d{{0.0, -a.z(), a.y()}, {a.z(), 0.0, -a.x()}, {-a.y(), a.x(), 0.0}};
}

// Returns v with tr(B w x) = v . w for all w.
Eigen::Vector3d axial_part(const Eigen::Matrix3d& B) {
  return {B(1, 2) - B(2, 1), B(2, 0) - B(0, 2), B(0, 1) - B(1, 0)};
}

// Returns ln det A for A = L L^T.
template <class Factor>
double log_determinant(const Factor& L) {
  return 2.0 * L.diagonal().array().log().sum();
}

class FixmanRecursion {
 public:
  FixmanRecursion(const ArticulatedBodies& bodies, const BodyTree& tree, int first,
                  std::vector<FixmanNode>& nodes)
      : bodies_(bodies), tree_(tree), first_(first), origin_(eigen_of(bodies.centre(first))), nodes_(nodes) {}

  // Evaluates (2) to (4).
  double calc_log_determinant() {
    double sum = 0.0;
    for (int b = 0; b < tree_.bodies; ++b) {
      node(b).P_plus = calc_inertia(b);
      sum -= log_of_idle_inertia(b);
    }
    for (int b = tree_.bodies - 1; b > 0; --b) {
      const Motions S = calc_motions(b);
      const Matrix6 P = node(b).P_plus;
      const Motions PS = P * S;
      const Eigen::LLT<JointMatrix> D(S.transpose() * PS);
      sum += log_determinant(D.matrixLLT());  // (3)
      node(b).Y = S * D.solve(S.transpose());
      node(b).A = Matrix6::Identity() - node(b).Y * P;
      node(b).P_plus = P - PS * D.solve(PS.transpose());  // (2)
      node(tree_.parent[b]).P_plus += node(b).P_plus;
    }
    const Eigen::LLT<Matrix6> D(node(0).P_plus);
    sum += log_determinant(D.matrixLLT());
    node(0).Y = D.solve(Matrix6::Identity());
    for (int b = 1; b < tree_.bodies; ++b) {
      node(b).Y += node(b).A * node(tree_.parent[b]).Y * node(b).A.transpose();  // (4)
    }
    return sum;
  }

  struct JointForce {
    Eigen::Vector3d point, torque, force;  // m, N m, N: on the body at the joint's point
  };
  // (5), along the motions that the joint allows.
  JointForce calc_force(int b, double kT) const {
    const Matrix6 B = node(tree_.parent[b]).Y * node(b).P_plus;
    const Eigen::Vector3d force = kT * axial_part(B.topRightCorner<3, 3>());
    const Eigen::Vector3d about_origin =
        kT * axial_part(B.topLeftCorner<3, 3>() + B.bottomRightCorner<3, 3>());
    const int parent = first_ + tree_.parent[b];
    const Eigen::Vector3d point = eigen_of(bodies_.joint_point(first_ + b, parent));
    const Eigen::Vector3d torque = about_origin - (point - origin_).cross(force);
    if (tree_.joint[b] == BodyJoint::kSpherical) return {point, torque, Eigen::Vector3d::Zero()};
    const Eigen::Vector3d axis = eigen_of(bodies_.joint_axis(first_ + b, parent));
    if (tree_.joint[b] == BodyJoint::kRevolute) {
      return {point, axis.dot(torque) * axis, Eigen::Vector3d::Zero()};
    }
    return {point, Eigen::Vector3d::Zero(), axis.dot(force) * axis};
  }

 private:
  FixmanNode& node(int b) const { return nodes_[static_cast<std::size_t>(b)]; }

  Matrix6 calc_inertia(int b) const {
    const double mass = bodies_.mass(first_ + b);
    const Eigen::Matrix3d c = cross_matrix(eigen_of(bodies_.centre(first_ + b)) - origin_);
    const Rotation<double> R = bodies_.rotation(first_ + b);
    const Vec moments = bodies_.principal_inertia(first_ + b);
    Eigen::Matrix3d J = -mass * c * c;
    for (int a = 0; a < 3; ++a) {
      const Eigen::Vector3d axis = eigen_of(R.column(a));
      J += moments[a] * axis * axis.transpose();
    }
    Matrix6 inertia;
    inertia << J, mass * c, -mass * c, mass * Eigen::Matrix3d::Identity();
    return inertia;
  }

  // The inertia about idle axes, which is arbitrary, is a factor of det M.
  double log_of_idle_inertia(int b) const {
    const Vec moments = bodies_.principal_inertia(first_ + b);
    double sum = 0.0;
    for (int a = 0; a < 3; ++a) sum += bodies_.is_idle(first_ + b, a) ? std::log(moments[a]) : 0.0;
    return sum;
  }

  Motions calc_motions(int b) const {
    const int parent = first_ + tree_.parent[b];
    const Eigen::Vector3d point = eigen_of(bodies_.joint_point(first_ + b, parent)) - origin_;
    if (tree_.joint[b] == BodyJoint::kSpherical) {
      Motions S(6, 3);
      S << Eigen::Matrix3d::Identity(), cross_matrix(point);
      return S;
    }
    const Eigen::Vector3d axis = eigen_of(bodies_.joint_axis(first_ + b, parent));
    Motions S(6, 1);
    if (tree_.joint[b] == BodyJoint::kRevolute) {
      S << axis, point.cross(axis);
    } else {
      S << Eigen::Vector3d::Zero(), axis;
    }
    return S;
  }

  const ArticulatedBodies& bodies_;
  const BodyTree& tree_;
  int first_ = 0;
  Eigen::Vector3d origin_;  // m, O: where the first body's centre of mass is
  std::vector<FixmanNode>& nodes_;
};

}  // namespace

double add_fixman_wrenches(const ArticulatedBodies& bodies, const BodyTree& tree, int first, double kT,
                           int lane, double* wrenches) {
  static thread_local std::vector<FixmanNode> nodes;
  if (nodes.size() < static_cast<std::size_t>(tree.bodies))
    nodes.resize(static_cast<std::size_t>(tree.bodies));
  FixmanRecursion recursion(bodies, tree, first, nodes);
  const double energy = 0.5 * kT * recursion.calc_log_determinant();  // (1)
  const auto add = [&](int b, const Eigen::Vector3d& point, const Eigen::Vector3d& torque,
                       const Eigen::Vector3d& force) {
    const Eigen::Vector3d about_centre = torque + (point - eigen_of(bodies.centre(first + b))).cross(force);
    double* const to = wrenches + kLanes * body_numbers::kSpatial * b + lane;
    for (int a = 0; a < 3; ++a) {
      to[kLanes * (body_numbers::kAngular + a)] += about_centre[a];
      to[kLanes * (body_numbers::kLinear + a)] += force[a];
    }
  };
  for (int b = 1; b < tree.bodies; ++b) {
    const auto [point, torque, force] = recursion.calc_force(b, kT);
    add(b, point, torque, force);
    add(tree.parent[b], point, -torque, -force);
  }
  return energy;
}

}  // namespace sestina
