// Several processes that compute one result together: ranks that exchange numbers.
//
// Every rank calls the same members in the same order. What the ranks are, processes of MPI (mpi/) or threads
// of a test, is left to who implements this. Arithmetic is not among what they offer, apart from the largest
// number, which does not depend on the order: so results depend on the number of ranks only where callers
// make them.
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
  // Sends `out` to one rank while receiving `in` from another, each of which may be kNoRank; the receiver
  // knows how many numbers come.
  virtual void exchange(std::span<const double> out, int to, std::span<double> in, int from) = 0;
  // Each number becomes the largest that a rank has; a number that is not one counts as the largest.
  virtual void take_largest(std::span<double> numbers) = 0;
  // `all` holds every rank's numbers one after the other, ends[r] being where those of rank r end: each rank
  // has its own, and then all of them.
  virtual void gather(std::span<double> all, std::span<const int> ends) = 0;
  // The text of one rank on all.
  virtual void broadcast(std::string& text, int from) = 0;
};

// Tells all ranks what went wrong: the text of the first rank that has one, or none. One collective call
// where nothing did.
std::string agree_on_failure(Communicator& ranks, std::string failure);

}  // namespace sestina
