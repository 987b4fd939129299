// Communication between several processes that compute one result together: ranks that exchange numbers.
//
// Every rank calls the same members in the same order. An implementation defines what ranks are: MPI
// processes (mpi/) or threads of a test. The only arithmetic is the largest number, which does not depend on
// the order; results therefore depend on the number of ranks only if callers make them so.
#pragma once

#include <span>
#include <string>

namespace sestina {

inline constexpr int kNoRank = -1;

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Sends `out` to one rank while receiving `in` from another; each may be kNoRank. The receiver knows how
  // many numbers come.
  virtual void exchange(std::span<const double> out, int to, std::span<double> in, int from) = 0;
  // Replaces each number by the largest of all ranks; NaN counts as the largest.
  virtual void take_largest(std::span<double> numbers) = 0;
  // `all` holds the numbers of all ranks one after the other; ends[r] is the end of those of rank r. Each
  // rank fills its own part and then gets all parts.
  virtual void gather(std::span<double> all, std::span<const int> ends) = 0;
  // Sends the text of one rank to all.
  virtual void broadcast(std::string& text, int from) = 0;
};

// Makes a failure known to all ranks: the text of the first rank that has one, or none. A single collective
// call if there is no failure.
std::string agree_on_failure(Communicator& ranks, std::string failure);

}  // namespace sestina
