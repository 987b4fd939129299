// The threads of an Executor: a caller and workers, which divide the chunks of a LevelTask among them.
//
// A level is opened by storing a ticket, which is its number and its count of chunks in one word. Every
// thread that sees a new ticket takes chunks until none is left, and the thread that finishes the last
// chunk opens the next level. Each thread has a share of the chunks, the same for equal counts, so that its
// data stay in its cache; a thread that has finished its share takes from those of others. Thus no thread
// waits for one that has not begun a chunk: a worker that the operating system has suspended costs
// only its help.
//
// Why taking a chunk is safe. A share is one word {number of the level, chunks taken}, changed only by
// compare-and-swap. Let a thread hold an old ticket. Its level can only have ended after all its chunks were
// taken, so that the word of each share with chunks in that level has the number of that level with all
// chunks taken, or a later number: the thread takes nothing. After it has taken a chunk, the level cannot end
// before the thread reports it in `unfinished_`; until then `level_` does not change and therefore need not
// be atomic.
//
// Waiting: workers wait for another ticket, the caller also for the end of the run. They poll for kSpinTime,
// then sleep until woken. Waking a thread costs microseconds; therefore the caller wakes worker 1, and worker
// k wakes 2k and 2k + 1.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sestina/parallel/level_task.h"

namespace sestina {

class Team {
 public:
  explicit Team(int threads);  // the caller and threads - 1 workers
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Runs the task; rethrows the exception of the first chunk that threw. Returns false without running it if
  // another thread has the workers or the call comes from within a chunk.
  bool try_run(const LevelTask& task);

 private:
  static constexpr std::size_t kCacheLine = 64;  // bytes

  // Number of the level (48 bits: enough for years of levels of a microsecond) and count of chunks (16 bits).
  // A count of 0 means no work.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(std::uint64_t number, int count) : word_(number << 16 | static_cast<std::uint64_t>(count)) {}
    std::uint64_t number() const { return word_ >> 16; }
    int count() const { return static_cast<int>(word_ & 0xffff); }
    bool operator==(const Ticket&) const = default;

   private:
    std::uint64_t word_ = 0;
  };

  struct Member {
    // Number of a level and how many chunks of this member's share are taken.
    alignas(kCacheLine) std::atomic<Ticket> taken{Ticket()};
    alignas(kCacheLine) std::atomic<bool> asleep{false};
    std::atomic<std::uint32_t> calls{0};  // to wake up
    void wake();
  };

  void stop();
  void work(int member);
  void take_part(int member, Ticket ticket);
  void wake_helpers(int member);
  bool run_chunks(int member, Ticket ticket);
  std::optional<int> take_chunk(int owner, Ticket ticket);
  void run_chunk(const Level& level, int chunk);
  bool open_next_level();
  void publish(int count);
  template <class Condition>
  void wait_until(int member, const Condition& condition);
  int first_chunk(int owner, int count) const;

  const int size_;
  const bool may_spin_;  // no more threads than processors
  const int process_;    // id of the process that has the workers

  // One cache line that all members read when they begin a level.
  alignas(kCacheLine) std::atomic<Ticket> ticket_{Ticket()};
  Level level_;
  std::atomic<int> failed_chunk_{0};  // the first that threw; kNone where none has

  // Unfinished chunks of the level, plus kMoreLevels if it is not the last: 0 ends the run.
  alignas(kCacheLine) std::atomic<int> unfinished_{0};
  static constexpr int kMoreLevels = 1 << 20;

  // Used by the member that opens a level.
  alignas(kCacheLine) const LevelTask* task_ = nullptr;
  int next_level_ = 0;
  std::unique_ptr<Member[]> members_;  // 0 is the caller

  std::atomic<bool> busy_{false};
  std::atomic<bool> stopping_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // of failed_chunk_
  std::vector<std::thread> workers_;
};

}  // namespace sestina
