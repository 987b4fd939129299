#include "sestina/flexible/cable_element.h"

#include <Eigen/Eigenvalues>

namespace sestina {
namespace {

using Matrix3 = Eigen::Matrix3d;

Eigen::Vector3d to_eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

Matrix3 cross_matrix(const Eigen::Vector3d& a) {
  Matrix3 matrix;
  matrix << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return matrix;
}

// Returns m of (5).
Eigen::Matrix4d mass_of_unit_element() {
  Eigen::Matrix4d m;
  m << 156.0, 22.0, 54.0, -13.0, 22.0, 4.0, 13.0, -3.0, 54.0, 13.0, 156.0, -22.0, -13.0, -3.0, -22.0, 4.0;
  return m / 420.0;
}

CableMass make_mass() {
  const Eigen::Matrix4d m = mass_of_unit_element();
  const Eigen::Vector4d root = m.diagonal().cwiseSqrt();
  const Eigen::Matrix4d scaled = root.cwiseInverse().asDiagonal() * m * root.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> modes(scaled);
  const double share = modes.eigenvalues()[0];
  CableMass mass{};
  for (int i = 0; i < 4; ++i) mass.diagonal[i] = share * m(i, i);
  for (int k = 0; k < 3; ++k) {
    const double size = std::sqrt(modes.eigenvalues()[k + 1] - share);
    for (int i = 0; i < 4; ++i) mass.rows[k][i] = size * root[i] * modes.eigenvectors()(i, k + 1);
  }
  return mass;
}

void add(const Matrix3& from, double factor, CableTangent::Block& to) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      to[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] += factor * from(i, j);
  }
}

void add_axial(const CableSegment<double>& segment, const CableNodes<double>& e, CableTangent& tangent) {
  for (std::size_t p = 0; p < CableSegment<double>::kPoints; ++p) {
    const auto [x, weight] = cable_element::lobatto_points()[p];
    const std::array<double, 4> first = cable_element::first_derivatives(x, segment.length);
    const Vec3<double> a = cable_element::interpolate(first, e);
    const double stretch = norm(a), h = weight * segment.length;
    const Eigen::Vector3d t = to_eigen((1.0 / stretch) * a);
    const Matrix3 along = segment.EA * t * t.transpose();
    const double N = segment.EA * (stretch - segment.eps0[p]);
    const Matrix3 stiffness = along + (N / stretch) * (Matrix3::Identity() - t * t.transpose());
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        add(stiffness, h * first[i] * first[j], tangent.K[i][j]);
        if (segment.damping > 0.0) add(along, h * segment.damping * first[i] * first[j], tangent.D[i][j]);
      }
    }
  }
}

// The derivatives of (4) with respect to a and b at fixed m, and those of k.
struct BendTangent {
  Matrix3 aa, ab, bb;
  Matrix3 k_a, k_b;

  BendTangent(const cable_element::Bend<double>& at, const Vec3<double>& moment) {
    const Eigen::Vector3d a = to_eigen(at.a), b = to_eigen(at.b), k = to_eigen(at.k), m = to_eigen(moment);
    const double A = at.A, inverse = 1.0 / A, km = k.dot(m);
    k_a = -inverse * (cross_matrix(b) + 2.0 * k * a.transpose());
    k_b = inverse * cross_matrix(a);
    const Eigen::Vector3d bm = b.cross(m), ma = m.cross(a);
    aa = (-2.0 * inverse * inverse) * (bm * a.transpose() + a * bm.transpose()) -
         (2.0 * inverse * km) * Matrix3::Identity() + (8.0 * inverse * inverse * km) * a * a.transpose();
    ab = -inverse * cross_matrix(m) - (2.0 * inverse * inverse) * a * ma.transpose();
    bb.setZero();
  }
};

void add_bending(const CableSegment<double>& segment, const CableNodes<double>& e, CableTangent& tangent) {
  for (std::size_t p = 0; p < CableSegment<double>::kPoints; ++p) {
    const auto [x, weight] = cable_element::gauss_points()[p];
    const cable_element::Bend<double> at(x, segment.length, e);
    const double h = weight * segment.length, EI = h * segment.EI;
    BendTangent by(at, EI * (at.k - segment.k0[p]));
    by.aa += EI * by.k_a.transpose() * by.k_a, by.ab += EI * by.k_a.transpose() * by.k_b;
    by.bb += EI * by.k_b.transpose() * by.k_b;
    const auto put = [&](const Matrix3& aa, const Matrix3& ab, const Matrix3& bb, double factor,
                         auto& blocks) {
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          const Matrix3 sum = (at.first[i] * at.first[j]) * aa + (at.first[i] * at.second[j]) * ab +
                              (at.second[i] * at.first[j]) * ab.transpose() +
                              (at.second[i] * at.second[j]) * bb;
          add(sum, factor, blocks[i][j]);
        }
      }
    };
    put(by.aa, by.ab, by.bb, 1.0, tangent.K);
    if (!(segment.damping > 0.0)) continue;
    const Eigen::Vector3d a = to_eigen(at.a), across = a.cross(to_eigen(at.k));
    const Matrix3 P = Matrix3::Identity() - a * a.transpose() / at.A -
                      across * across.transpose() / (at.A * at.square_of_curvature());
    put(by.k_a.transpose() * P * by.k_a, by.k_a.transpose() * P * by.k_b, by.k_b.transpose() * P * by.k_b,
        EI * segment.damping, tangent.D);
  }
}

}  // namespace

const CableMass& CableMass::get() {
  static const CableMass mass = make_mass();
  return mass;
}

void set_natural_shape(CableSegment<double>& segment, const CableNodes<double>& e, bool is_precurved,
                       double strain) {
  for (std::size_t p = 0; p < CableSegment<double>::kPoints; ++p) {
    const std::array<double, 4> first =
        cable_element::first_derivatives(cable_element::lobatto_points()[p].x, segment.length);
    segment.eps0[p] = norm(cable_element::interpolate(first, e)) - strain;
    const cable_element::Bend<double> at(cable_element::gauss_points()[p].x, segment.length, e);
    segment.k0[p] = is_precurved ? at.k : Vec3<double>{};
  }
}

CableTangent calc_cable_tangent(const CableSegment<double>& segment, const CableNodes<double>& e) {
  CableTangent tangent;
  add_axial(segment, e, tangent);
  add_bending(segment, e, tangent);
  return tangent;
}

}  // namespace sestina
