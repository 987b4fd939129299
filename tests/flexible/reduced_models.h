// Reduced bodies of a few particles, so that sums over the particles check them.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "sestina/flexible/reduced_body.h"

namespace sestina::testing_support {

struct ParticleBody {
  std::vector<double> masses;
  std::vector<Vec3<double>> places;              // from the centre of mass
  std::vector<std::vector<Vec3<double>>> modes;  // by mode and particle
  std::shared_ptr<ReducedModes> reduced = std::make_shared<ReducedModes>();
};

// Columns: the six motions of a rigid body, then vectors at random; orthonormal in the norm of the masses.
inline Eigen::MatrixXd make_basis(const ParticleBody& body, std::size_t modes,
                                  const std::function<double()>& any) {
  const std::size_t particles = body.masses.size();
  const auto n = static_cast<Eigen::Index>(3 * particles);
  Eigen::MatrixXd basis(n, static_cast<Eigen::Index>(6 + modes));
  Eigen::VectorXd mass(n);
  for (std::size_t a = 0; a < particles; ++a) {
    for (int i = 0; i < 3; ++i) {
      Vec3<double> axis;
      axis[i] = 1.0;
      const Vec3<double> turn = cross(axis, body.places[a]);
      for (int x = 0; x < 3; ++x) {
        const Eigen::Index row = 3 * static_cast<Eigen::Index>(a) + x;
        basis(row, i) = axis[x], basis(row, 3 + i) = turn[x];
        mass[row] = body.masses[a];
      }
    }
  }
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    for (Eigen::Index row = 0; k >= 6 && row < n; ++row) basis(row, k) = any();
    for (int pass = 0; pass < 2; ++pass) {
      for (Eigen::Index j = 0; j < k; ++j) {
        basis.col(k) -= basis.col(j).dot(mass.cwiseProduct(basis.col(k))) * basis.col(j);
      }
    }
    basis.col(k) /= std::sqrt(basis.col(k).dot(mass.cwiseProduct(basis.col(k))));
  }
  return basis;
}

// (4) of reduced_body.h, by sums over the particles.
inline void set_invariants(ParticleBody& body) {
  ReducedModes& reduced = *body.reduced;
  const std::size_t modes = reduced.count, particles = body.masses.size();
  const auto along = [](const Vec3<double>& a, const Vec3<double>& b) {  // a.b 1 - (a b^T + b a^T)/2
    return SymMat3<double>{dot(a, b) - a.x * b.x,          dot(a, b) - a.y * b.y,
                           dot(a, b) - a.z * b.z,          -0.5 * (a.x * b.y + a.y * b.x),
                           -0.5 * (a.x * b.z + a.z * b.x), -0.5 * (a.y * b.z + a.z * b.y)};
  };
  const auto add = [](double s, const SymMat3<double>& m, SymMat3<double>& sum) {
    reduced_body::add_scaled(s, m, sum);
  };
  reduced.J1.resize(modes), reduced.J2.resize(modes * modes), reduced.g.resize(modes * modes);
  for (std::size_t a = 0; a < particles; ++a) {
    for (std::size_t i = 0; i < modes; ++i) {
      add(2.0 * body.masses[a], along(body.places[a], body.modes[i][a]), reduced.J1[i]);
      for (std::size_t j = 0; j < modes; ++j) {
        add(body.masses[a], along(body.modes[i][a], body.modes[j][a]), reduced.J2[i * modes + j]);
        reduced.g[i * modes + j] += body.masses[a] * cross(body.modes[i][a], body.modes[j][a]);
      }
    }
  }
}

// Particles at random places with modes at random, made to satisfy (2) of reduced_body.h. The first two
// particles are interfaces, whose turns and shifts of second order are at random.
inline ParticleBody make_particle_body(unsigned seed, std::size_t particles, std::size_t modes) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  const auto vector = [&] { return Vec3<double>{any(random), any(random), any(random)}; };
  ParticleBody body;
  ReducedModes& reduced = *body.reduced;
  Vec3<double> center;
  for (std::size_t a = 0; a < particles; ++a) {
    body.masses.push_back(1.5 + any(random)), body.places.push_back(vector());
    reduced.mass += body.masses[a], center += body.masses[a] * body.places[a];
  }
  center = (1.0 / reduced.mass) * center;
  for (std::size_t a = 0; a < particles; ++a) {
    body.places[a] -= center;
    reduced.J0 += point_inertia(body.masses[a], body.places[a]);
  }
  const Eigen::MatrixXd basis = make_basis(body, modes, [&] { return any(random); });
  reduced.count = modes, reduced.center_of_mass = {0.3, -0.2, 0.1};
  for (std::size_t i = 0; i < modes; ++i) {
    std::vector<Vec3<double>>& mode = body.modes.emplace_back();
    const Eigen::VectorXd column = std::sqrt(reduced.mass) * basis.col(static_cast<Eigen::Index>(6 + i));
    for (std::size_t a = 0; a < particles; ++a) {
      const auto row = static_cast<Eigen::Index>(3 * a);
      mode.push_back({column[row], column[row + 1], column[row + 2]});
    }
    reduced.frequencies.push_back(8.0 + 3.0 * static_cast<double>(i));
  }
  set_invariants(body);
  for (std::size_t a = 0; a < 2; ++a) {
    ReducedModes::Interface interface;
    interface.name = a == 0 ? "left" : "right";
    interface.position = body.places[a] + reduced.center_of_mass;
    interface.axes = rpy_rotation(any(random), any(random), any(random));
    for (std::size_t i = 0; i < modes; ++i) {
      interface.shifts.push_back(body.modes[i][a]), interface.turns.push_back(vector());
    }
    interface.second.resize(modes * modes);
    for (std::size_t i = 0; i < modes; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        interface.second[i * modes + j] = interface.second[j * modes + i] = 0.5 * vector();
      }
    }
    reduced.interfaces.push_back(std::move(interface));
  }
  return body;
}

}  // namespace sestina::testing_support
