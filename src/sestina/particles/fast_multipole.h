// Sums over all pairs in linear time:
//
//   (1) u(x_i) = sum_{j != i} q_j / |x_i - x_j|    and its gradient
//
// for an open box, or for a periodic cube whose charges add up to zero, where j includes all images
// (set_cube).
//
// The fast multipole method of Greengard and Rokhlin (J. Comput. Phys. 73, 1987) on an adaptive octree
// (octree.h). With solid harmonics (Dehnen, Comput. Astrophys. Cosmol. 1, 2014)
//
//   (2) 1/|x - y| = sum_n sum_m Upsilon_n^m*(y) Theta_n^m(x)                       |y| < |x|
//   (3) Upsilon_n^m(r) = (-1)^m r^n / (n+m)! P_n^m(cos theta) e^(i m phi)          regular
//   (4) Theta_n^m(r) = (-1)^m (n-m)! / r^(n+1) P_n^m(cos theta) e^(i m phi)        irregular
//
// the steps of the paper are:
//
//   step 1  multipole expansions of the leaves            (5) M_n^m = sum_j q_j Upsilon_n^m(x_j - z)
//   step 2  ... of their parents, up the tree
//                            (6) M'_n^m = sum_kl M_k^l Upsilon_{n-k}^{m-l}(z - z')
//   step 3  local expansions from multipoles of list V, R from target to source,
//                            (8) F_j^i = sum_kl (-1)^k M_k^l* Theta_{j+k}^{i+l}(R)
//           and from the particles of list X              (9) F_n^m += q Theta_n^m(x - z)
//   step 4  ... of their children, down the tree
//                           (10) F'_k^l = sum_nm F_n^m Upsilon_{n-k}^{m-l}*(z' - z)
//   step 5  local expansions at the particles            (11) u = sum_nm Upsilon_n^m*(x - z) F_n^m
//           and multipoles of list W                     (12) u = sum_nm M_n^m* Theta_n^m(x - z)
//   step 6  particles of list U, pair by pair             (1)
//   step 7  the sum of 5 and 6
//
// (6), (8) and (10) rotate the expansion such that the translation is along z, which keeps m, and rotate it
// back: p^3 instead of p^4 operations (White and Head-Gordon, J. Chem. Phys. 105, 1996). Expansions are
// stored in the form M / sqrt((n-m)!(n+m)!), in which rotations are orthogonal, in units of the side of their
// box, so that all levels share the same tables. Gradients: (d/dx + i d/dy) Upsilon_n^m* =
// -Upsilon_{n-1}^{m-1}*, d/dz Upsilon_n^m = Upsilon_{n-1}^m, and (d/dx + i d/dy) Theta_n^m =
// Theta_{n+1}^{m+1}, d/dz Theta_n^m = -Theta_{n+1}^m.
//
// In a periodic cube all lists reach into its 26 neighbours, and the root's local expansion begins with that
// of the images beyond (lattice_translation.h). Summing the images sphere by sphere leaves the field of the
// charges on the surface of the sphere. If a conductor surrounds the images, that field is zero, and u is
// zero on average: with V the volume, D = sum_j q_j x_j, x from the centre,
//
//   (13) u(x) -= 4 pi/(3 V) D . x - 2 pi/(3 V) sum_j q_j |x_j|^2
//
// Eight translations in one direction, or eight particles of a box, share a SIMD register. Results have the
// same bits for any number of threads: each box adds up its own lists in their order.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sestina/numerics/cache_line_vector.h"
#include "sestina/particles/kernels/multipole_kernels.h"
#include "sestina/particles/kernels/particle_kernels.h"
#include "sestina/particles/lattice_translation.h"
#include "sestina/particles/multipole_tables.h"
#include "sestina/particles/octree.h"

namespace sestina {

class Executor;

struct MultipoleOptions {
  // The relative error allowed in potential and gradient, in the least-squares sense, 1e-12 to 1e-1; in a
  // periodic cube relative to the values for charges at random places.
  double tolerance = 1e-6;
  int order = 0;         // of the expansions; 0: the one that the tolerance requires
  int most_in_leaf = 0;  // particles; 0: chosen for the order
  int levels = -1;       // every box is cut down to this level and no further
  bool is_periodic = false;
};

class FastMultipole {
 public:
  // Throws InputError for options out of range. The executor must outlive it.
  FastMultipole(const MultipoleOptions& options, Executor& executor,
                InstructionSet set = default_instruction_set());

  // Sets the periodic cube, which `calc` of a periodic method requires. Particles may be anywhere, since
  // their images are found; their charges add up to zero. Throws InputError if the box is not periodic or not
  // a cube.
  void set_cube(const Box& box);

  // Computes the potential (n) and gradient (3 arrays of n) of n charges. A particle does not act on itself,
  // nor on one at the same place.
  void calc(std::span<const double> x, std::span<const double> y, std::span<const double> z,
            std::span<const double> charge, std::span<double> potential, std::span<double> gx,
            std::span<double> gy, std::span<double> gz);

  int order() const { return tables_.order(); }
  const Octree& tree() const { return tree_; }

  // Returns the order whose error is below a tolerance.
  static int order_for(double tolerance, bool is_periodic = false);

 private:
  using Doubles = CacheLineVector<double>;

  void sort(std::span<const double> x, std::span<const double> y, std::span<const double> z,
            std::span<const double> charge);
  void form_multipoles();    // step 1
  void shift_to_parents();   // step 2
  void convert_to_locals();  // steps 3 and 4
  void evaluate();           // steps 5 to 7
  void convert_level(int first, int last, double* scratch);
  void add_surface_field();  // (13)
  void add_far_particles(int node, double* scratch);
  void evaluate_leaf(int node, double* scratch);
  void add_local_fields(int node, PointTask& task, double* fields);
  void add_multipole_fields(int leaf, const Octree::Near& source, PointTask& task, double* fields);
  void add_near_particles(int leaf);
  PointTask point_task(const Octree::Node& particles, const Octree::Node& box, double* scratch,
                       const Vector3d& shift = {});
  double* multipole(int node) { return multipoles_.data() + static_cast<std::size_t>(node) * tables_.size(); }
  double* local(int node) { return locals_.data() + static_cast<std::size_t>(node) * tables_.size(); }

  MultipoleOptions options_;
  Executor& executor_;
  const ParticleKernels& near_;
  const MultipoleKernels& far_;
  MultipoleTables tables_;
  std::optional<LatticeTranslation> lattice_;   // of a periodic cube
  Box cube_;                                    // length zero: not given yet
  std::array<std::vector<double>, 3> wrapped_;  // m, places in the cube
  Octree tree_;
  Doubles x_, y_, z_, charge_, potential_, gx_, gy_, gz_;  // in the order of the tree, padded
  Doubles multipoles_, locals_;                            // (nodes x (p+1)^2)
};

// Potential and gradient of points, (n) each.
struct PointField {
  double *potential, *gx, *gy, *gz;
};

// Adds the same sums by direct summation. All arrays are padded for the kernels.
void add_direct_sum(const ParticleKernels& kernels, const Positions& at, const double* charge, int n,
                    const PointField& field, Executor& executor);

// Computes the same sums directly, for few particles and for comparison.
void calc_direct_sum(std::span<const double> x, std::span<const double> y, std::span<const double> z,
                     std::span<const double> charge, std::span<double> potential, std::span<double> gx,
                     std::span<double> gy, std::span<double> gz, Executor& executor,
                     InstructionSet set = default_instruction_set());

}  // namespace sestina
