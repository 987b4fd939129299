// The potential of charges in a periodic box, by Ewald's sums (Ann. Phys. 369, 1921): the reference for the
// fast multipole method, and the method for boxes that are not cubes. With the volume V and
// k = 2 pi (n_x/L_x, n_y/L_y, n_z/L_z):
//
//   (1) u(x_i) = sum_j q_j erfc(a r_ij)/r_ij - 2 a/sqrt(pi) q_i
//                + 4 pi/V sum_{k != 0} exp(-k^2/(4 a^2))/k^2 Re(S_k* exp(i k.x_i))
//
// of images surrounded by a conductor, with S_k = sum_j q_j exp(i k.x_j). The first sum is over nearest
// images at r_ij < half the shortest side. The charges add up to zero. a and the largest k follow from the
// tolerance: the terms that either sum omits are exp(-s^2) of its terms, with s = a times half the shortest
// side = largest k/(2 a). The time is that of n^2/2 pairs and of s^6 n times the ratio of the box's volume to
// the cube of its shortest side.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sestina/particles/box.h"

namespace sestina {

class Executor;

class EwaldSum {
 public:
  // `tolerance`: relative, of potential and gradient, 1e-14 to 0.1. The executor must outlive this object.
  EwaldSum(double tolerance, Executor& executor);

  // Computes the potential (n) and gradient (3 arrays of n) of n charges anywhere in a periodic box, with the
  // same bits for any number of threads. Throws InputError if the box is not periodic along all axes.
  void calc(const Box& box, std::span<const double> x, std::span<const double> y, std::span<const double> z,
            std::span<const double> charge, std::span<double> potential, std::span<double> gx,
            std::span<double> gy, std::span<double> gz);

 private:
  struct Wave {
    std::array<int, 3> n;
    std::array<double, 3> k;  // 1/m
    double weight;            // 8 pi/V exp(-k^2/(4 a^2))/k^2, of k and -k together
    double real, imaginary;   // S_k
  };
  struct Points {
    std::span<const double> x, y, z, charge;
  };
  struct Field {
    double u, gx, gy, gz;
  };
  struct Phase {
    double real, imaginary;
  };

  Phase phase(const Wave& wave, std::size_t i) const;  // exp(i k.x) of a point
  void choose_waves(const Box& box);
  void calc_phases(const Box& box, const Points& points);
  void calc_structure_factors(std::span<const double> charge);
  Field calc_near(const Box& box, const Points& points, std::size_t i) const;
  Field calc_far(std::size_t i) const;

  Executor& executor_;
  double reach_;               // s
  double splitting_ = 0.0;     // a, 1/m
  std::array<int, 3> most_{};  // |n|
  std::vector<Wave> waves_;
  std::array<std::vector<double>, 3> cosines_, sines_;  // (n x (most + 1)) of 2 pi n x/L, for n >= 0
};

}  // namespace sestina
