// MPI from the beginning of a program to its end, and its processes as the ranks of a Communicator.
//
//   if (MpiSession::is_launched()) {          // by mpirun, not as a program by itself
//     MpiSession session;
//     int status = work(session.communicator());
//     if (!session.await_end(status)) session.abort(status);
//   }
//
// MPI ends all processes where one of its calls fails. What a rank fails at by itself, such as a file that it
// cannot write, the others do not know: they would wait for it for ever. So each rank that has done its work
// awaits that of the others, and one that has failed does not wait for long.
#pragma once

#include <memory>

#include "sestina/parallel/communicator.h"

namespace sestina {

class MpiSession {
 public:
  // True in a process that mpirun, or what does its work, has started.
  static bool is_launched();

  // One for each process.
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  Communicator& communicator();
  // True as soon as all ranks have called this. With a status other than 0, false after kPatience without
  // them: then they will not come, and abort() is what is left.
  static constexpr double kPatience = 2.0;  // s
  bool await_end(int status);
  // After a true await_end: whether a rank before this one has ended with a status other than 0.
  bool has_failed_before() const { return has_failed_before_; }
  // Ends all processes, with this status.
  [[noreturn]] static void abort(int status);

 private:
  class Ranks;
  std::unique_ptr<Ranks> ranks_;
  bool has_failed_before_ = false;
};

}  // namespace sestina
