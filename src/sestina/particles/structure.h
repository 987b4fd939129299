// The structure and the motion of particles and polymers, from frames of a run: sizes of chains, mean square
// displacements, radial distribution, lengths of bonds and angles between them.
//
//   StructureAnalysis analysis(model, {});
//   for (...) analysis.add(t, positions, box);
//   StructureResult result = analysis.finish();
//
// All frames stay in memory, 24 bytes for each particle.
//
// With x the positions without the motion of the common centre of mass, X those of the centres of molecules,
// and means over particles, molecules and all instants as starts (Kremer and Grest, J. Chem. Phys. 92, 1990):
//   R^2  = |x_last - x_first|^2 of chains,   Rg^2 = mean of |x - X|^2 in a molecule
//   g1(t) = mean |x(t) - x(0)|^2
//   g2(t) = mean |(x - X)(t) - (x - X)(0)|^2
//   g3(t) = mean |X(t) - X(0)|^2, from whose slope 6 D comes the coefficient of diffusion D
//   g(r)  = density of pairs at the distance r, relative to that of particles without forces
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/particles/molecules.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

struct StructureOptions {
  double reach = 0.0;     // m, of g(r); 0: half of the shortest periodic length or of the particles' extent
  int bins = 200;         // of g(r); angles have half as many, bonds a quarter
  int most_frames = 200;  // of which g(r) is made
};

// A mean and its standard error, from ten parts of the run.
struct EstimatedMean {
  double value = 0.0, error = 0.0;
};

// Columns to be plotted against the first one.
struct StructureTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
};

struct StructureResult {
  int particles = 0, molecules = 0, chains = 0;  // molecules have bonds; chains have two ends
  int frames = 0;
  double t_first = 0.0, t_last = 0.0;  // s
  EstimatedMean end_to_end_square;     // m^2, of chains
  EstimatedMean gyration_square;       // m^2, of molecules
  EstimatedMean bond_length;           // m
  double diffusion = 0.0;              // m^2/s, of molecules, or of particles if there are none
  StructureTable displacements;  // t, g1; with molecules also g1.inner (middle quarter of chains), g2, g3
  StructureTable radial;         // r, g; with molecules also g.between of particles of different ones
  StructureTable bonds;          // length, density
  StructureTable angles;         // cosine, density: of the angle by which a walk along bonds turns
  StructureTable sizes;          // t, R2, Rg2
};

class StructureAnalysis {
 public:
  // Molecules are the sets of particles connected by bonds of the model.
  StructureAnalysis(const ParticleModel& model, const StructureOptions& options);

  // Positions (n x 3) follow the particles across the faces of the box. Throws InputError if the time does
  // not increase.
  void add(double t, std::span<const double> position, const Box& box);
  // Throws InputError if there are fewer than two frames.
  StructureResult finish() const;

 private:
  struct Molecule {
    std::vector<int> beads;  // of a chain from end to end
    bool is_chain = false;
    double mass = 0.0;  // kg
  };
  struct Frame {
    double t = 0.0;
    std::vector<double> position;  // (n x 3) m, without the motion of the centre of mass
    std::vector<double> centre;    // (molecules x 3) m
    Box box;
    double end_to_end_square = 0.0, gyration_square = 0.0, bond_length = 0.0;  // means
  };

  void set_molecules(const ParticleModel& model);
  void measure_molecules(Frame& frame) const;
  void count_bonds(const Frame& frame);
  EstimatedMean estimate(double Frame::*member) const;
  StructureTable calc_displacements() const;
  StructureTable calc_radial() const;
  double find_diffusion(const StructureTable& displacements) const;
  StructureTable make_density(const char* name, const std::vector<double>& counts, double low,
                              double high) const;

  StructureOptions options_;
  std::vector<double> mass_;  // (n) kg
  Bonds bonds_;
  std::vector<std::array<int, 3>> angles_;  // particles of two bonds; the middle one has both
  std::vector<Molecule> molecules_;
  std::vector<int> molecule_of_;  // of each particle; -1: none
  std::vector<int> inner_;        // particles in the middle quarter of chains
  int chains_ = 0;
  std::vector<Frame> frames_;
  double longest_bond_ = 0.0;  // m, as far as lengths are counted
  std::vector<double> bond_counts_, angle_counts_;
};

}  // namespace sestina
