// The states at the starts of stretches of several ranks, by MUMPS, a parallel sparse direct solver.
//
// The maps of all ranks are one system of equations,
//   s_r - P_r s_(r-1) = g_r,   r = 0 ... N-2                                                         (1)
// with m = 2 nu numbers a block. Each rank passes its block row to MUMPS, which orders, distributes and
// factors the matrix and solves; right-hand side and solution go to and from rank 0.
//
// The matrix is block lower bidiagonal: no ordering of this chain gives a tree that is both shallow and free
// of fill. The general solver competes with the scan (docs/state_time_scaling.md).
//
// Source: P. R. Amestoy, I. S. Duff, J. Koster, J.-Y. L'Excellent, A fully asynchronous multifrontal solver
// using distributed dynamic scheduling, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41.
#pragma once

#include <memory>

#include "sestina/state_time/interface_solver.h"

namespace sestina {

// Couples the processes of MPI_COMM_WORLD, in an MpiSession.
class MumpsInterface final : public InterfaceSolver {
 public:
  MumpsInterface();
  ~MumpsInterface() override;
  std::string solve(Communicator& ranks, const AffineMap& own, std::span<double> before) override;

 private:
  struct Instance;
  std::unique_ptr<Instance> instance_;
};

}  // namespace sestina
