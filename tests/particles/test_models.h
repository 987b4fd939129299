// Particles for tests.
#pragma once

#include <cmath>
#include <vector>

#include "sestina/particles/particle_model.h"
#include "sestina/particles/particle_system.h"
#include "sestina/particles/random_numbers.h"

namespace sestina::testing_support {

// fcc, `cells` along each edge, at a density.
inline ParticleModel make_lattice(int cells, double density) {
  ParticleModel model;
  const double a = std::cbrt(4.0 / density);
  model.box.length = {cells * a, cells * a, cells * a};
  model.species = {{"A", 1.0}};
  constexpr double kBasis[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
  for (int ix = 0; ix < cells; ++ix) {
    for (int iy = 0; iy < cells; ++iy) {
      for (int iz = 0; iz < cells; ++iz) {
        for (const auto& b : kBasis) {
          model.position.insert(model.position.end(), {a * (ix + b[0]), a * (iy + b[1]), a * (iz + b[2])});
          model.species_of.push_back(0);
        }
      }
    }
  }
  return model;
}

// The fluid of LAMMPS' benchmark: cutoff 2.5, not shifted unless asked.
inline ParticleModel make_fluid(int cells, double density = 0.8442, bool is_shifted = false) {
  ParticleModel model = make_lattice(cells, density);
  model.pairs = {{0, 0, 1.0, 1.0, 2.5, is_shifted}};
  return model;
}

// The configuration of oracle/lammps_configuration.py.
inline ParticleModel make_oracle(bool with_terms, int exclude_up_to) {
  ParticleModel model = make_lattice(4, 0.8442);
  model.species = {{"A", 1.0}, {"B", 2.0}};
  for (int i = 0; i < model.size(); ++i) {
    constexpr double kWaves[] = {12.9898, 78.233, 37.719};
    for (int a = 0; a < 3; ++a) model.position[3 * i + a] += 0.08 * std::sin(kWaves[a] * i);
    model.species_of[i] = i % 3 == 0 ? 1 : 0;
  }
  model.pairs = {{0, 0, 1.0, 1.0, 2.5, false}, {0, 1, 0.8, 0.9, 2.2, false}, {1, 1, 0.5, 0.88, 2.0, false}};
  model.exclude_up_to = exclude_up_to;
  if (!with_terms) return model;
  model.term_types = {{TermLaw::kHarmonicBond, 40.0, 1.1, 0.0, 1.0, 1},
                      {TermLaw::kFene, 30.0, 1.5, 1.0, 1.0, 1},
                      {TermLaw::kHarmonicAngle, 3.0, 100.0 * M_PI / 180.0, 0.0, 1.0, 1},
                      {TermLaw::kCosineAngle, 1.5, 0.0, 0.0, 1.0, 1},
                      {TermLaw::kPeriodicDihedral, 0.7, 60.0 * M_PI / 180.0, 0.0, 1.0, 3}};
  for (int i = 0; i < model.size(); ++i) {
    const int parity = i / 4 % 2;
    if (i % 4 < 3) model.terms.push_back({parity, {i, i + 1, -1, -1}});
    if (i % 4 < 2) model.terms.push_back({2 + parity, {i, i + 1, i + 2, -1}});
    if (i % 4 == 0) model.terms.push_back({4, {i, i + 1, i + 2, i + 3}});
  }
  return model;
}

// Numbers in (-1, 1).
inline std::vector<double> make_noise(int count, std::uint32_t seed) {
  std::vector<double> noise;
  for (int i = 0; i < count; ++i) {
    noise.push_back(2.0 * calc_uniform(seed, RandomUse::kWalk, 0, static_cast<std::uint32_t>(i))[0] - 1.0);
  }
  return noise;
}

// By particle, (n x 3).
inline std::vector<double> positions_of(const ParticleSystem& system) {
  std::vector<double> x(3 * static_cast<std::size_t>(system.size()));
  system.copy_positions(x);
  return x;
}

inline std::vector<double> velocities_of(const ParticleSystem& system) {
  std::vector<double> v(3 * static_cast<std::size_t>(system.size()));
  system.copy_velocities(v);
  return v;
}

// Returns the mean of cos^2 of the angle between the two links, of length one, of molecules of three beads,
// which stand bead by bead in x.
inline double mean_square_cosine(const std::vector<double>& x) {
  double sum = 0.0;
  for (std::size_t m = 0; m < x.size(); m += 9) {
    double cosine = 0.0;
    for (std::size_t a = m; a < m + 3; ++a) cosine += (x[a + 3] - x[a]) * (x[a + 6] - x[a + 3]);
    sum += cosine * cosine;
  }
  return 9.0 * sum / static_cast<double>(x.size());
}

}  // namespace sestina::testing_support
