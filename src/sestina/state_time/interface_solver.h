// The solution between the stretches of time of several ranks: the state at the start of each.
//
// Every rank but the last has reduced its stretch to an affine map of joint coordinates and speeds,
//   s_r = P_r s_(r-1) + g_r,   s_0 = g_0                                                              (1)
// and needs the s of the rank before it. Ways to compute it:
//   ScanInterface   composes the maps in log2 N rounds of messages between ranks 1, 2, 4, ... apart, each a
//                   matrix of (2 nu)^2 numbers and as many operations as the product of two of them
//                   (W. D. Hillis, G. L. Steele, Data parallel algorithms, 1986)
//   MUMPS           (1) as one sparse system of equations over all ranks, by a parallel direct solver (mpi/)
#pragma once

#include <span>
#include <string>

#include "sestina/state_time/affine_chain.h"

namespace sestina {

class Communicator;

class InterfaceSolver {
 public:
  virtual ~InterfaceSolver() = default;
  // `own` is this rank's map; the first rank's has no P, the last rank's is ignored. before <- s_(r-1), on
  // the first rank nothing. Collective: called by all ranks, and returns on all of them why there is no
  // solution, or an empty text.
  virtual std::string solve(Communicator& ranks, const AffineMap& own, std::span<double> before) = 0;
};

class ScanInterface final : public InterfaceSolver {
 public:
  std::string solve(Communicator& ranks, const AffineMap& own, std::span<double> before) override;
};

}  // namespace sestina
