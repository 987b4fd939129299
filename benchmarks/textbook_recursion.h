// The articulated-body algorithm as textbooks print it, the baseline that the recursion of the library is
// timed against: body axes, spatial vectors and 6x6 matrices of Eigen without structure, an inverse of the
// joint's matrix (by Cholesky: the closed form loses all digits on long chains of balls), memory for every
// intermediate result. Revolute and spherical joints.
//
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), table 7.1.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "sestina/joints/joint_list.h"
#include "sestina/model/model.h"

namespace sestina::benchmarks {

class TextbookRecursion {
 public:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  TextbookRecursion(const Model& model, const Properties<double>& properties)
      : model_(model), properties_(properties), links_(static_cast<std::size_t>(model.bodies().size())) {
    for (std::size_t i = 1; i < links_.size(); ++i) {
      const RigidInertia<double>& M = body(i).M;
      const Eigen::Matrix3d c = cross_matrix(to_eigen(M.c));
      links_[i].own_I << matrix(full(M.J)), M.mass * c, -M.mass * c, M.mass * Eigen::Matrix3d::Identity();
    }
  }

  void solve(const State<double>& state, const std::vector<double>& tau, std::vector<double>& udot) {
    links_[0].a << 0, 0, 0, -to_eigen(properties_.gravity);
    for (std::size_t i = 1; i < links_.size(); ++i) move(i, state);
    for (std::size_t i = links_.size(); --i > 0;) eliminate(i, tau);
    for (std::size_t i = 1; i < links_.size(); ++i) accelerate(i, udot);
  }

 private:
  using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 3>;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
  using Vector3 = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;
  struct Link {
    Matrix6 X = Matrix6::Identity();  // motions from the parent's frame to this one
    Matrix6 own_I = Matrix6::Zero(), I = Matrix6::Zero();
    Vector6 v = Vector6::Zero(), c = Vector6::Zero(), p = Vector6::Zero(), a = Vector6::Zero();
    Columns S, U;
    Square D_inverse;
    Vector3 u;
  };

  static Eigen::Vector3d to_eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
  static Eigen::Matrix3d matrix(const Mat3<double>& A) {
    Eigen::Matrix3d result;
    result << A.xx, A.xy, A.xz, A.yx, A.yy, A.yz, A.zx, A.zy, A.zz;
    return result;
  }
  static Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
    Eigen::Matrix3d result;
    result << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return result;
  }
  // v x for motions; for forces it is minus the transpose.
  static Matrix6 cross_matrix(const Vector6& v) {
    const Eigen::Matrix3d w = cross_matrix(Eigen::Vector3d(v.head<3>()));
    Matrix6 result;
    result << w, Eigen::Matrix3d::Zero(), cross_matrix(Eigen::Vector3d(v.tail<3>())), w;
    return result;
  }
  const BodyProperties<double>& body(std::size_t i) const { return properties_.bodies.values()[i]; }
  const BodyInfo& info(std::size_t i) const { return model_.bodies()[BodyIndex(static_cast<int>(i))]; }
  Link& parent(std::size_t i) { return links_[static_cast<std::size_t>(info(i).parent.value())]; }

  void move(std::size_t i, const State<double>& state) {
    Link& link = links_[i];
    const BodyInfo& at = info(i);
    visit_joint<double>(body(i).joint, [&](const auto& joint) {
      const Pose<double> X_FM = joint.pose(state.q.data() + at.q_start), X_PM = body(i).X_PF * X_FM;
      const auto H = joint.H(state.q.data() + at.q_start);
      link.S.resize(6, at.nu);
      for (std::size_t k = 0; k < static_cast<std::size_t>(link.S.cols()); ++k) {
        const SpatialMotion<double> column = rotate(X_FM.R.transpose(), H[k]);
        link.S.col(static_cast<Eigen::Index>(k)) << to_eigen(column.w), to_eigen(column.v);
      }
      const Eigen::Matrix3d R = matrix(X_PM.R.transpose());
      link.X << R, Eigen::Matrix3d::Zero(), -R * cross_matrix(to_eigen(X_PM.p)), R;
    });
    const Vector6 own = link.S * Eigen::Map<const Eigen::VectorXd>(state.u.data() + at.u_start, at.nu);
    link.v = link.X * parent(i).v + own;
    const Matrix6 v_x = cross_matrix(link.v);
    link.c = v_x * own;
    link.I = link.own_I;
    link.p = -v_x.transpose() * (link.own_I * link.v);
  }
  void eliminate(std::size_t i, const std::vector<double>& tau) {
    Link& link = links_[i];
    link.U = link.I * link.S;
    link.D_inverse =
        Square(link.S.transpose() * link.U).llt().solve(Square::Identity(info(i).nu, info(i).nu));
    link.u = Eigen::Map<const Eigen::VectorXd>(tau.data() + info(i).u_start, info(i).nu) -
             link.S.transpose() * link.p;
    const Matrix6 I = link.I - link.U * link.D_inverse * link.U.transpose();
    const Vector6 p = link.p + I * link.c + link.U * (link.D_inverse * link.u);
    parent(i).I += link.X.transpose() * I * link.X;
    parent(i).p += link.X.transpose() * p;
  }
  void accelerate(std::size_t i, std::vector<double>& udot) {
    Link& link = links_[i];
    const Vector6 a = link.X * parent(i).a + link.c;
    const Vector3 own = link.D_inverse * (link.u - link.U.transpose() * a);
    link.a = a + link.S * own;
    for (int k = 0; k < info(i).nu; ++k) udot[static_cast<std::size_t>(info(i).u_start + k)] = own[k];
  }

  const Model& model_;
  const Properties<double>& properties_;
  std::vector<Link, Eigen::aligned_allocator<Link>> links_;
};

}  // namespace sestina::benchmarks
