#include "sestina/mpi/mpi_session.h"

#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

namespace sestina {
namespace {

int to_mpi(int rank) { return rank == kNoRank ? MPI_PROC_NULL : rank; }
int count_of(std::span<const double> numbers) { return static_cast<int>(numbers.size()); }

}  // namespace

class MpiSession::Ranks final : public Communicator {
 public:
  Ranks() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void exchange(std::span<const double> out, int to, std::span<double> in, int from) override {
    constexpr int kTag = 0;
    MPI_Sendrecv(out.data(), count_of(out), MPI_DOUBLE, to_mpi(to), kTag, in.data(), count_of(in), MPI_DOUBLE,
                 to_mpi(from), kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  void take_largest(std::span<double> numbers) override {
    for (double& number : numbers) number = std::isnan(number) ? INFINITY : number;
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), count_of(numbers), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  void gather(std::span<double> all, std::span<const int> ends) override {
    std::vector<int> begins, counts;
    for (const int end : ends) {
      begins.push_back(begins.empty() ? 0 : begins.back() + counts.back());
      counts.push_back(end - begins.back());
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), counts.data(), begins.data(), MPI_DOUBLE,
                   MPI_COMM_WORLD);
  }
  void broadcast(std::string& text, int from) override {
    int size = static_cast<int>(text.size());
    MPI_Bcast(&size, 1, MPI_INT, from, MPI_COMM_WORLD);
    text.resize(static_cast<std::size_t>(size));
    MPI_Bcast(text.data(), size, MPI_CHAR, from, MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0, size_ = 1;
};

bool MpiSession::is_launched() {
  // Set by Open MPI; by MPICH and others through PMI; through PMIx.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

MpiSession::MpiSession() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  ranks_ = std::make_unique<Ranks>();
}
MpiSession::~MpiSession() { MPI_Finalize(); }

Communicator& MpiSession::communicator() { return *ranks_; }

bool MpiSession::await_end(int status) {
  const int failed = status == 0 ? ranks_->size() : ranks_->rank();
  int first_failed = 0;
  MPI_Request all_here;
  MPI_Iallreduce(&failed, &first_failed, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &all_here);
  int is_done = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    MPI_Test(&all_here, &is_done, MPI_STATUS_IGNORE);
    if (is_done) break;
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    if (status != 0 && waited.count() > kPatience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  has_failed_before_ = first_failed < ranks_->rank();
  return true;
}

void MpiSession::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // MPI_Abort does not return
}

}  // namespace sestina
