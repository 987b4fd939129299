#include "sestina/mpi/mumps_interface.h"

#include <dmumps_c.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sestina/parallel/communicator.h"

namespace sestina {
namespace {

// Values of JOB of MUMPS.
constexpr int kBegin = -1, kEnd = -2, kAnalyse = 1, kFactorAndSolve = 5;
constexpr int kWorldCommunicator = -987654;

}  // namespace

struct MumpsInterface::Instance {
  Instance() {
    id.comm_fortran = kWorldCommunicator;
    id.par = 1;  // rank 0 works, too
    id.sym = 0;
    run(kBegin);
    // Parameters have the numbers of the manual, from 1.
    const auto control = [&](int number) -> MUMPS_INT& { return id.icntl[number - 1]; };
    control(1) = control(2) = control(3) = -1;  // no messages
    control(4) = 0;
    control(18) = 3;  // every rank has its own entries
  }
  ~Instance() { run(kEnd); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  int run(int job) {
    id.job = job;
    dmumps_c(&id);
    return id.infog[0];
  }

  DMUMPS_STRUC_C id{};
  int blocks = 0, m = 0;  // of the last analysis
  std::vector<MUMPS_INT> rows, columns;
  std::vector<double> values, sides;
};

MumpsInterface::MumpsInterface() : instance_(std::make_unique<Instance>()) {}
MumpsInterface::~MumpsInterface() = default;

std::string MumpsInterface::solve(Communicator& ranks, const AffineMap& own, std::span<double> before) {
  Instance& at = *instance_;
  const int rank = ranks.rank(), blocks = ranks.size() - 1, m = static_cast<int>(before.size());
  if (blocks == 0 || m == 0) return {};
  const bool is_new = at.blocks != blocks || at.m != m;
  at.blocks = blocks, at.m = m;
  at.rows.clear(), at.columns.clear(), at.values.clear();
  const auto put = [&](int row, int column, double value) {
    at.rows.push_back(row + 1), at.columns.push_back(column + 1), at.values.push_back(value);
  };
  std::vector<int> ends;
  for (int r = 0; r <= blocks; ++r) ends.push_back(m * std::min(r + 1, blocks));
  at.sides.resize(static_cast<std::size_t>(m * blocks));
  if (rank < blocks) {  // (1)
    for (int i = 0; i < m; ++i) {
      put(m * rank + i, m * rank + i, 1.0);
      for (int j = 0; j < m && rank > 0; ++j) put(m * rank + i, m * (rank - 1) + j, -own.P(i, j));
      at.sides[static_cast<std::size_t>(m * rank + i)] = own.g[i];
    }
  }
  ranks.gather(at.sides, ends);
  at.id.n = m * blocks;
  at.id.nnz_loc = static_cast<MUMPS_INT8>(at.values.size());
  at.id.irn_loc = at.rows.data(), at.id.jcn_loc = at.columns.data(), at.id.a_loc = at.values.data();
  at.id.rhs = at.sides.data();
  // The error is the same on all ranks.
  int error = is_new ? at.run(kAnalyse) : 0;
  if (error >= 0) error = at.run(kFactorAndSolve);
  if (error < 0) {
    at.blocks = 0;
    return fmt::format(
        "MUMPS cannot solve the equations between stretches of time (INFOG(1) = {}, INFOG(2) = {})", error,
        at.id.infog[1]);
  }
  // The whole solution is on rank 0.
  std::fill(ends.begin(), ends.end(), m * blocks);
  ranks.gather(at.sides, ends);
  if (rank > 0) std::copy_n(at.sides.begin() + m * (rank - 1), m, before.begin());
  return {};
}

}  // namespace sestina
