#include "sestina/parallel/executor.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/parallel/team.h"

namespace sestina {
namespace {

int checked_thread_count(int threads) {
  if (threads >= 1 && threads <= kMaxThreads) return threads;
  throw InputError(fmt::format("{} is not a number of threads from 1 to {}", threads, kMaxThreads));
}

void run_alone(const LevelTask& task) {
  for (int k = 0; k < task.levels(); ++k) {
    const Level level = task.level(k);
    const int chunks = level.chunks();
    for (int chunk = 0; chunk < chunks; ++chunk) level.run_chunk(chunk);
  }
}

}  // namespace

Executor::Executor(int threads)
    : threads_(checked_thread_count(threads)),
      team_(threads > 1 ? std::make_unique<Team>(threads) : nullptr) {}

Executor::~Executor() = default;

void Executor::run(const LevelTask& task) {
  if (team_ == nullptr || !team_->try_run(task)) run_alone(task);
}

}  // namespace sestina
