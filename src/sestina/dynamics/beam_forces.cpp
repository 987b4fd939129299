#include "sestina/dynamics/beam_forces.h"

#include <cmath>

namespace sestina {
namespace {

// R A R'^T, block by block.
Mat6<double> to_ground(const Mat6<double>& A, const Rotation<double>& R, const Rotation<double>& R_other) {
  Mat6<double> result;
  for (int row : {0, 3}) {
    for (int column : {0, 3}) {
      Vec3<double> turned[3];  // columns of R A
      for (int j = 0; j < 3; ++j) {
        turned[j] =
            R * Vec3<double>{A.m[row][column + j], A.m[row + 1][column + j], A.m[row + 2][column + j]};
      }
      for (int i = 0; i < 3; ++i) {
        const Vec3<double> line = R_other * Vec3<double>{turned[0][i], turned[1][i], turned[2][i]};
        for (int j = 0; j < 3; ++j) result.m[row + i][column + j] = line[j];
      }
    }
  }
  return result;
}

Vec6<double> to_ground(const Vec6<double>& f, const Rotation<double>& R) {
  return make_vec6(R * angular(f), R * linear(f));
}

// theta x f: the columns of rotations of both parts.
void add_turning(const Vec6<double>& f, Mat6<double>& K) {
  for (int part : {0, 3}) {
    const Vec3<double> x{f[part], f[part + 1], f[part + 2]};
    K.m[part][1] += x.z, K.m[part][2] -= x.y;
    K.m[part + 1][0] -= x.z, K.m[part + 1][2] += x.x;
    K.m[part + 2][0] += x.y, K.m[part + 2][1] -= x.x;
  }
}

// A^T B
Mat6<double> transposed_product(const Mat6<double>& A, const Mat6<double>& B) {
  Mat6<double> result;
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 6; ++k) {
      for (int j = 0; j < 6; ++j) result.m[i][j] += A.m[k][i] * B.m[k][j];
    }
  }
  return result;
}

Mat6<double> scaled(double s, Mat6<double> A) {
  for (auto& row : A.m) {
    for (double& x : row) x *= s;
  }
  return A;
}

Vec6<double> own_motion(const Rotation<double>& R, const double* x) {
  return make_vec6(transpose_times(R, Vec3<double>{x[0], x[1], x[2]}),
                   transpose_times(R, Vec3<double>{x[3], x[4], x[5]}));
}

}  // namespace

BeamForces::BeamForces(const Model& model, const Properties<double>& properties)
    : forces_(properties.forces.connectors.beams),
      cables_(properties.forces.connectors.cables),
      states_(forces_.size()),
      wrenches_(forces_.size()),
      elements_(forces_.size() + cables_.size()),
      R_a_(forces_.size()),
      R_b_(forces_.size()) {
  const auto first_speed = [&](FrameIndex frame) { return model.bodies()[BodyIndex(frame.value())].u_start; };
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    for (int end = 0; end < 2; ++end) {
      const int u = first_speed(end == 0 ? forces_[i].a : forces_[i].b);
      elements_[i].u[end][0] = u, elements_[i].u[end][1] = u + 3;
    }
  }
  for (std::size_t i = 0; i < cables_.size(); ++i) {
    Element& element = elements_[forces_.size() + i];
    for (int end = 0; end < 2; ++end) {
      const CableForce<double>::End& of = end == 0 ? cables_[i].a : cables_[i].b;
      element.u[end][0] = first_speed(of.frame), element.u[end][1] = of.u;
    }
  }
}

void BeamForces::update(const State<double>& state, const Kinematics<double>& kinematics) {
  update_cables(state, kinematics);
  const ForceInput<double> in{0.0, nullptr, nullptr, kinematics.motion.data(), nullptr};
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    states_[i] = forces_[i].relax(in);
    set_forces(i, kinematics);
  }
}

void BeamForces::advance(const State<double>& state, const Kinematics<double>& kinematics) {
  update_cables(state, kinematics);
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const auto a = static_cast<std::size_t>(forces_[i].a.value()),
               b = static_cast<std::size_t>(forces_[i].b.value());
    states_[i].advance(forces_[i].segment, kinematics.motion[a].X_WB, kinematics.motion[b].X_WB,
                       wrenches_[i]);
    set_forces(i, kinematics);
  }
}

void BeamForces::take(const double* displacement) {
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const Element& element = elements_[i];
    const Vec6<double> change = states_[i].twist_rate(own_motion(R_a_[i], displacement + element.u[0][0]),
                                                      own_motion(R_b_[i], displacement + element.u[1][0]));
    wrenches_[i] = states_[i].lambda() + states_[i].stiffness() * change;
  }
}

void BeamForces::keep_wrenches() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    wrenches_[i] = states_[i].lambda();
    for (const double x : wrenches_[i].x) {
      if (!std::isfinite(x)) wrenches_[i] = Vec6<double>();
    }
  }
}

std::optional<ForceIndex> BeamForces::find_non_finite() const {
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    double sum = 0.0;
    for (const Vec6<double>& f : elements_[i].f) {
      for (const double x : f.x) sum += x;
    }
    if (!std::isfinite(sum)) return i < forces_.size() ? forces_[i].index : cables_[i - forces_.size()].index;
  }
  return std::nullopt;
}

void BeamForces::set_forces(std::size_t i, const Kinematics<double>& kinematics) {
  const BeamForce<double>& force = forces_[i];
  const FrameMotion<double>& a = kinematics.motion[static_cast<std::size_t>(force.a.value())];
  const FrameMotion<double>& b = kinematics.motion[static_cast<std::size_t>(force.b.value())];
  const Rotation<double>&R_a = R_a_[i] = a.X_WB.R, &R_b = R_b_[i] = b.X_WB.R;
  Element& element = elements_[i];
  BeamElementTangent<double> K;
  BeamElementForces<double> f;
  states_[i].update_tangent(K, f);
  element.K[0][1] = to_ground(K.ab, R_a, R_b), element.K[1][0] = to_ground(K.ba, R_b, R_a);
  element.K[0][0] = to_ground(K.aa, R_a, R_a), element.K[1][1] = to_ground(K.bb, R_b, R_b);
  if (force.damping > 0.0) {
    Mat6<double> P_a, P_b;
    TwistMap<double>(states_[i].twist()).set_both(P_b, P_a);
    const ForceInput<double> in{0.0, nullptr, nullptr, kinematics.motion.data(), nullptr};
    const Vec6<double> viscous = states_[i].damping_wrench(force.twist_rate(in, states_[i]), force.damping);
    const BeamElementForces<double> own = states_[i].forces(viscous);
    f.a = f.a + own.a, f.b = f.b + own.b;
    P_a = scaled(-1.0, P_a);
    const Mat6<double> S = scaled(force.damping, states_[i].stiffness());
    const Mat6<double> at_a = transposed_product(P_a, S), at_b = transposed_product(P_b, S);
    element.D[0][0] = to_ground(at_a * P_a, R_a, R_a);
    element.D[0][1] = to_ground(at_a * P_b, R_a, R_b);
    element.D[1][0] = to_ground(at_b * P_a, R_b, R_a);
    element.D[1][1] = to_ground(at_b * P_b, R_b, R_b);
  }
  element.f[0] = to_ground(f.a, R_a), element.f[1] = to_ground(f.b, R_b);
  add_turning(element.f[0], element.K[0][0]), add_turning(element.f[1], element.K[1][1]);
}

void BeamForces::update_cables(const State<double>& state, const Kinematics<double>& kinematics) {
  const ForceInput<double> in{state.t, state.q.data(), state.u.data(), kinematics.motion.data(), nullptr};
  for (std::size_t i = 0; i < cables_.size(); ++i) {
    Element& element = elements_[forces_.size() + i];
    const CableNodes<double> e = cables_[i].nodes(in);
    const CableNodes<double> f = calc_cable_forces(cables_[i].segment, e, cables_[i].rates(in));
    const CableTangent tangent = calc_cable_tangent(cables_[i].segment, e);
    for (std::size_t a = 0; a < 4; ++a) {
      for (int k = 0; k < 3; ++k) element.f[a / 2][static_cast<int>(3 * (a % 2)) + k] = f[a][k];
      for (std::size_t b = 0; b < 4; ++b) {
        for (std::size_t k = 0; k < 9; ++k) {
          const std::size_t row = 3 * (a % 2) + k / 3, column = 3 * (b % 2) + k % 3;
          element.K[a / 2][b / 2].m[row][column] = tangent.K[a][b][k / 3][k % 3];
          element.D[a / 2][b / 2].m[row][column] = tangent.D[a][b][k / 3][k % 3];
        }
      }
    }
  }
}

}  // namespace sestina
