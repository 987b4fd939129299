// What stretches of several ranks begin with, by MUMPS: a parallel sparse direct solver.
//
// The maps of all ranks are one system of equations,
//   s_r - P_r s_(r-1) = g_r,   r = 0 ... N-2                                                         (1)
// with m = 2 nu numbers a block. Each rank hands its block row to MUMPS, which orders, distributes and
// factors the matrix and solves; right-hand side and solution are on rank 0 and travel from and to all.
//
// The matrix is block lower bidiagonal: a chain, of which no ordering makes a tree that is both shallow and
// free of fill. The general solver has the scan to beat (docs/state_time_scaling.md).
//
// Source: P. R. Amestoy, I. S. Duff, J. Koster, J.-Y. L'Excellent, A fully asynchronous multifrontal solver
// using distributed dynamic scheduling, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41.
#pragma once

#include <memory>

#include "sestina/state_time/interface_solver.h"

namespace sestina {

// Between the processes of MPI_COMM_WORLD, in an MpiSession.
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
