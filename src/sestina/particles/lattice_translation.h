// The far images of a periodic cube, for the fast multipole method (Berman and Greengard, J. Math. Phys. 35,
// 1994):
//
//   (1) F_j^i = sum_kl (-1)^k M_k^l* T_{j+k}^{i+l}        T_n^m = sum_R Theta_n^m(R)
//
// from the multipole expansion M of the cube to its local expansion F, with the letters of fast_multipole.h,
// in units of the side; R goes through the places of all images except the 27 cubes at most one side away.
// The charges of the cube add up to zero. Three by three by three cubes form a larger cube of three sides, so
// that the sums beyond that are those of (1) again:
//
//   (2) T_n^m = sum_{R near} Theta_n^m(R) + sum_kl (-1)^k N_k^l* T_{n+k}^{m+l} / 3^(n+k+1)
//       N_k^l = sum_s Upsilon_k^l(s)      s: the 27 cubes;  R near: up to four sides away, without the 27
//
// T_n^m is zero unless n is even, at least 4, and m a multiple of 4; T_2 depends on the order of summation
// and is zero for spheres and cubes. FastMultipole then converts the sum to that of a cube in a conductor.
#pragma once

#include <vector>

#include "sestina/particles/kernels/multipole_kernels.h"

namespace sestina {

class LatticeTranslation {
 public:
  // `norms`: of MultipoleTables.
  LatticeTranslation(int order, std::vector<double> norms, const MultipoleKernels& kernels);

  // Adds (1), for expansions in the form of MultipoleTables.
  void add(const double* multipole, double* local) const;

 private:
  int order_;
  std::vector<double> norms_, sums_;  // sums: T, stored like an expansion of twice the order
};

}  // namespace sestina
