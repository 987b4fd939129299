// MPI from the start of a program to its end, and its processes as the ranks of a Communicator.
//
//   if (MpiSession::is_launched()) {          // by mpirun, not as a program by itself
//     MpiSession session;
//     int status = work(session.communicator());
//     if (!session.await_end(status)) session.abort(status);
//   }
//
// MPI ends all processes if one of its calls fails. If a rank fails outside MPI, for example because it
// cannot write a file, the other ranks do not notice and would wait for it forever. Therefore each rank that
// has finished its work waits for the others, but a rank that has failed does not wait for long.
#pragma once

#include <memory>

#include "sestina/parallel/communicator.h"

namespace sestina {

class MpiSession {
 public:
  // True in a process that mpirun or an equivalent has started.
  static bool is_launched();

  // Create one for each process.
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  Communicator& communicator();
  // Returns true as soon as all ranks have called this. With a status other than 0, returns false after
  // kPatience without them: they will not come, and the caller must abort().
  static constexpr double kPatience = 2.0;  // s
  bool await_end(int status);
  // After a true await_end: true if a rank before this one has ended with a status other than 0.
  bool has_failed_before() const { return has_failed_before_; }
  // Ends all processes with this status.
  [[noreturn]] static void abort(int status);

 private:
  class Ranks;
  std::unique_ptr<Ranks> ranks_;
  bool has_failed_before_ = false;
};

}  // namespace sestina
