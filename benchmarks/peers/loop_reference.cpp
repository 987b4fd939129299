#include "loop_reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../mechanisms.h"

namespace peers {
namespace {

using Real = LoopReference::Real;
using Vec3 = Eigen::Matrix<Real, 3, 1>;
using Mat3 = Eigen::Matrix<Real, 3, 3>;

// A condition counts as implied by others below this fraction of the largest singular value.
constexpr Real kRank = 1e-10L;

Vec3 to_vec(const Vector3& v) { return {v[0], v[1], v[2]}; }

Mat3 to_matrix(const EulerParameters& e) {
  return Eigen::Quaternion<Real>(e[0], e[1], e[2], e[3]).normalized().toRotationMatrix();
}

Mat3 crossing(const Vec3& v) {
  Mat3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

LoopReference::Vector to_vector(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())).cast<Real>();
}

LoopReference::Vector least_solution(const LoopReference::Matrix& A, const LoopReference::Vector& b) {
  Eigen::CompleteOrthogonalDecomposition<LoopReference::Matrix> decomposition;
  decomposition.setThreshold(kRank);
  decomposition.compute(A);
  return decomposition.solve(b);
}

double largest(const LoopReference::Vector& v) {
  return v.size() == 0 ? 0.0 : static_cast<double>(v.cwiseAbs().maxCoeff());
}

// Displaces the coordinates along the speeds' directions.
void displace(const Mechanism& mechanism, const LoopReference::Vector& d, std::vector<double>& q) {
  for (const Link& link : mechanism.links) {
    double* at = q.data() + link.q_start;
    const auto k = static_cast<Eigen::Index>(link.u_start);
    if (link.nu == 1) {
      at[0] = static_cast<double>(at[0] + d[k]);
      continue;
    }
    if (link.joint == Joint::kFree) {
      for (int i = 0; i < 3; ++i) at[i] = static_cast<double>(at[i] + d[k + 3 + i]);
      at += 3;
    }
    const Vec3 turn = d.segment<3>(k);
    const Real angle = turn.norm();
    const Eigen::Quaternion<Real> by(
        Eigen::AngleAxis<Real>(angle, angle > 0 ? Vec3(turn / angle) : Vec3(1, 0, 0)));
    const auto e = (by * Eigen::Quaternion<Real>(at[0], at[1], at[2], at[3])).normalized();
    at[0] = static_cast<double>(e.w()), at[1] = static_cast<double>(e.x());
    at[2] = static_cast<double>(e.y()), at[3] = static_cast<double>(e.z());
  }
}

}  // namespace

void LoopErrors::take_worse(const LoopErrors& other) {
  const auto worse = [](double a, double b) { return a >= b ? a : b; };  // b if a is not a number, or b is
  condition = worse(condition, other.condition);
  motion = worse(motion, other.motion);
  udot = worse(udot, other.udot);
}

LoopReference::LoopReference(const LoopMechanism& mechanism)
    : mechanism_(mechanism), links_(mechanism.tree.links.size()) {}

LoopReference::FrameMotion LoopReference::calc_frame(const LinkFrame& frame) const {
  FrameMotion motion;
  motion.Jw = motion.Jv = Jacobian::Zero(3, mechanism_.tree.nu);
  if (frame.link >= 0) motion = links_[static_cast<std::size_t>(frame.link)];
  const Vec3 s = motion.R * to_vec(frame.position);
  motion.R *= to_matrix(frame.orientation);
  motion.p += s;
  motion.v += motion.w.cross(s);
  motion.a += motion.alpha.cross(s) + motion.w.cross(motion.w.cross(s));
  motion.Jv -= crossing(s) * motion.Jw;
  return motion;
}

LoopReference::FrameMotion LoopReference::calc_link(const DrivenState& state, const Link& link) const {
  FrameMotion motion = calc_frame({link.parent, link.position, link.orientation});
  const Mat3 R_F = motion.R;
  const double* q = state.q.data() + link.q_start;
  const auto u = to_vector(state.u);
  const Eigen::Index k = link.u_start;
  const Vec3 axis = R_F.col(link.axis);
  // The joint's speeds in the ground's axes, which turn with the parent.
  Vec3 moved = Vec3::Zero(), turning = Vec3::Zero(), moving = Vec3::Zero();
  if (link.joint == Joint::kRevolute) {
    motion.Jw.col(k) += axis;
    turning = u[k] * axis;
    motion.R *= Eigen::AngleAxis<Real>(q[0], Vec3::Unit(link.axis)).toRotationMatrix();
  } else if (link.joint == Joint::kPrismatic) {
    moved = q[0] * axis, moving = u[k] * axis;
  } else {
    turning = R_F * u.segment<3>(k);
    motion.Jw.middleCols(k, 3) += R_F;
    if (link.joint == Joint::kFree) {
      moved = R_F * Vec3(q[0], q[1], q[2]);
      moving = R_F * u.segment<3>(k + 3);
      q += 3;
    }
    motion.R *= to_matrix({q[0], q[1], q[2], q[3]});
  }
  // Only the parent's part of Jw takes the origin along.
  Jacobian of_parent = motion.Jw;
  of_parent.middleCols(k, link.nu).setZero();
  motion.Jv -= crossing(moved) * of_parent;
  if (link.joint == Joint::kPrismatic) motion.Jv.col(k) += axis;
  if (link.joint == Joint::kFree) motion.Jv.middleCols(k + 3, 3) += R_F;
  motion.p += moved;
  motion.v += motion.w.cross(moved) + moving;
  motion.a += motion.alpha.cross(moved) + motion.w.cross(motion.w.cross(moved)) + 2 * motion.w.cross(moving);
  motion.alpha += motion.w.cross(turning);
  motion.w += turning;
  return motion;
}

void LoopReference::move(const DrivenState& state) {
  for (std::size_t i = 0; i < links_.size(); ++i) links_[i] = calc_link(state, mechanism_.tree.links[i]);
}

void LoopReference::add_link_to_dynamics(const Link& link, const FrameMotion& motion) {
  const Vec3 c = motion.R * to_vec(link.center_of_mass);
  const auto& J = link.inertia;
  Mat3 inertia;
  inertia << J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2];
  inertia = motion.R * inertia * motion.R.transpose();
  const Vec3 a =
      motion.a + motion.alpha.cross(c) + motion.w.cross(motion.w.cross(c)) - to_vec(mechanism_.tree.gravity);
  const Jacobian Jc = motion.Jv - crossing(c) * motion.Jw;
  const Real mass = link.mass;
  M_ += mass * Jc.transpose() * Jc + motion.Jw.transpose() * inertia * motion.Jw;
  f_ -= mass * Jc.transpose() * a +
        motion.Jw.transpose() * (inertia * motion.alpha + motion.w.cross(inertia * motion.w));
}

void LoopReference::add_row(int& row, Real error, const Vec3& direction, const Jacobian& J,
                            const Vec3& bias) {
  error_[row] = error;
  C_.row(row) = direction.transpose() * J;
  g_[row] = direction.dot(bias);
  ++row;
}

void LoopReference::add_closure(const Closure& closure, int& row) {
  const FrameMotion a = calc_frame(closure.a), b = calc_frame(closure.b);
  const Vec3 away = b.p - a.p;
  for (int i = 0; i < 3; ++i) add_row(row, away[i], Vec3::Unit(i), b.Jv - a.Jv, b.a - a.a);
  const Jacobian Jw = b.Jw - a.Jw;
  if (closure.type == ClosureType::kHinge) {
    const Vec3 z = b.R.col(2), w = b.w - a.w;
    for (int i = 0; i < 2; ++i) {
      const Vec3 x = a.R.col(i), direction = z.cross(x);
      const Vec3 rate = b.w.cross(z).cross(x) + z.cross(a.w.cross(x));
      add_row(row, z.dot(x), direction, Jw, b.alpha - a.alpha);
      g_[row - 1] += w.dot(rate);
    }
  } else if (closure.type == ClosureType::kFrame) {
    const Eigen::AngleAxis<Real> turn(Mat3(b.R * a.R.transpose()));
    const Vec3 R = turn.angle() * turn.axis();
    for (int i = 0; i < 3; ++i) add_row(row, R[i], Vec3::Unit(i), Jw, b.alpha - a.alpha);
  }
}

void LoopReference::update_conditions(const DrivenState& state) {
  move(state);
  const int rows = mechanism_.rows();
  C_.resize(rows, mechanism_.tree.nu), g_.resize(rows), error_.resize(rows);
  int row = 0;
  for (const Closure& closure : mechanism_.closures) add_closure(closure, row);
  speed_ = C_ * to_vector(state.u);
}

void LoopReference::update(const DrivenState& state) {
  update_conditions(state);
  M_.setZero(mechanism_.tree.nu, mechanism_.tree.nu);
  f_ = to_vector(state.tau);
  for (std::size_t i = 0; i < links_.size(); ++i) add_link_to_dynamics(mechanism_.tree.links[i], links_[i]);
  find_udot();
}

// With M = L L^T: the y = L^T udot closest to L^-1 f that satisfies the conditions.
void LoopReference::find_udot() {
  const Eigen::LLT<Matrix> factors(M_);
  const auto L = factors.matrixL();
  const Vector y = L.solve(f_);
  const Matrix G = L.solve(Matrix(C_.transpose())).transpose();
  udot_ = factors.matrixU().solve(Vector(y + least_solution(G, -g_ - G * y)));
}

LoopErrors LoopReference::errors(const std::vector<double>& udot) const {
  const Vector x = to_vector(udot);
  const Vector force = M_ * x - f_;
  const Vector left = force - C_.transpose() * least_solution(C_.transpose(), force);
  LoopErrors errors;
  errors.condition = largest(C_ * x + g_) / largest(C_.cwiseAbs() * x.cwiseAbs() + g_.cwiseAbs());
  errors.motion = largest(left) / largest(M_.cwiseAbs() * x.cwiseAbs() + f_.cwiseAbs());
  errors.udot = largest(x - udot_) / largest(udot_);
  return errors;
}

double LoopReference::position_error() const { return largest(error_); }
double LoopReference::speed_error() const { return largest(speed_); }

bool LoopReference::close(DrivenState& state) {
  constexpr int kMostSteps = 30;
  constexpr double kClosed = 1e-14;
  for (int step = 0; step < kMostSteps; ++step) {
    update_conditions(state);
    if (position_error() < kClosed) break;
    Vector d = least_solution(C_, -error_);
    const Real size = largest(d);
    if (size > 0.5L) d *= 0.5L / size;
    displace(mechanism_.tree, d, state.q);
  }
  if (!(position_error() < 1e2 * kClosed)) return false;
  const Vector u = to_vector(state.u);
  const Vector closed = u - least_solution(C_, speed_);
  for (std::size_t i = 0; i < state.u.size(); ++i) {
    state.u[i] = static_cast<double>(closed[static_cast<Eigen::Index>(i)]);
  }
  update_conditions(state);
  return speed_error() < 1e2 * kClosed;
}

std::vector<DrivenState> make_loop_states(const LoopMechanism& mechanism, int count) {
  const auto nu = static_cast<std::size_t>(mechanism.tree.nu);
  LoopReference reference(mechanism);
  std::vector<DrivenState> states;
  for (int seed = 100; static_cast<int>(states.size()) < count; ++seed) {
    if (seed > 100 + 10 * count) throw std::runtime_error(mechanism.name + ": the loops stay open");
    sestina::benchmarks::Random random(static_cast<std::uint64_t>(seed));
    DrivenState state{mechanism.nominal_q, {}, {}, std::vector<double>(nu)};
    LoopReference::Vector d(mechanism.tree.nu);
    for (Real& x : d) x = mechanism.spread * random.next();
    for (std::size_t i = 0; i < nu; ++i) state.u.push_back(random.next());
    for (std::size_t i = 0; i < nu; ++i) state.tau.push_back(random.next());
    displace(mechanism.tree, d, state.q);
    if (reference.close(state)) states.push_back(std::move(state));
  }
  return states;
}

}  // namespace peers
