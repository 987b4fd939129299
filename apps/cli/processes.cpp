#include "processes.h"

#include <fmt/format.h>

#include "commands.h"
#include "printing.h"
#include "sestina/base/error.h"
#include "sestina/parallel/communicator.h"
#include "sestina/state_time/interface_solver.h"
#include "sestina/workspace/state_time_options.h"

#ifdef SESTINA_MPI
#include "sestina/mpi/mpi_session.h"
#include "sestina/mpi/mumps_interface.h"
#endif

namespace sestina::cli {
namespace {

Communicator* communicator = nullptr;  // of the session while it exists

void tell(const std::string& message) {
  if (!message.empty()) print_error("{}\n", message);
}

}  // namespace

bool is_first_process() { return communicator == nullptr || communicator->rank() == 0; }
int process_count() { return communicator == nullptr ? 1 : communicator->size(); }

int run_in_processes(const std::function<int(std::string& message)>& work) {
  std::string message;
#ifdef SESTINA_MPI
  if (MpiSession::is_launched()) {
    MpiSession session;
    communicator = &session.communicator();
    const int status = work(message);
    if (is_first_process()) tell(message);
    const bool all_ended = session.await_end(status);
    // A fault that all processes found has already been reported by the first.
    if (!is_first_process() && !(all_ended && session.has_failed_before())) tell(message);
    communicator = nullptr;
    if (!all_ended) MpiSession::abort(status);
    return status;
  }
#endif
  const int status = work(message);
  tell(message);
  return status;
}

ProcessOptions::ProcessOptions() = default;
ProcessOptions::~ProcessOptions() = default;

void ProcessOptions::add_to(CLI::App& command) {
#ifdef SESTINA_MPI
  command
      .add_option("--time-interface", name_,
                  "How several processes (mpirun) connect their stretches of time:\n"
                  "scan (unless given) or mumps")
      ->check(CLI::IsMember({"scan", "mumps"}))
      ->type_name("NAME");
#else
  static_cast<void>(command);
#endif
}

void ProcessOptions::share(Workspace& workspace) {
  if (process_count() == 1) return;
  const Analysis& analysis = workspace.analysis();
  if (!is_state_time(analysis)) {
    throw InputError(
        fmt::format("sestina: {} processes can share a run whose analysis.coordinates are state_time; those "
                    "of this model "
                    "are {}",
                    process_count(), analysis.coordinates));
  }
#ifdef SESTINA_MPI
  if (name_ == "mumps") solver_ = std::make_unique<MumpsInterface>();
#endif
  if (!solver_) solver_ = std::make_unique<ScanInterface>();
  workspace.set_ranks({communicator, solver_.get()});
}

}  // namespace sestina::cli
