#include "sestina/parallel/team.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include <unistd.h>

#include "sestina/parallel/thread_count.h"

namespace sestina {
namespace {

// About the cost of waking a thread, so that waiting costs at most twice the minimum.
constexpr std::chrono::microseconds kSpinTime{50};
constexpr int kPollsPerClockReading = 32;
constexpr int kNone = std::numeric_limits<int>::max();

thread_local bool inside_chunk = false;

inline void pause_processor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Team::Team(int threads)
    : size_(threads),
      may_spin_(threads <= available_processors()),
      process_(getpid()),
      members_(std::make_unique<Member[]>(static_cast<std::size_t>(threads))) {
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int k = 1; k < threads; ++k) workers_.emplace_back([this, k] { work(k); });
  } catch (...) {
    stop();
    throw;
  }
}

Team::~Team() { stop(); }

void Team::stop() {
  // After fork() the child has the handles but not the threads.
  const bool has_workers = getpid() == process_;
  if (has_workers) {
    stopping_.store(true, std::memory_order_relaxed);
    publish(0);
    for (int k = 1; k < size_; ++k) members_[static_cast<std::size_t>(k)].wake();
  }
  for (std::thread& worker : workers_) has_workers ? worker.join() : worker.detach();
}

bool Team::try_run(const LevelTask& task) {
  if (inside_chunk || busy_.exchange(true, std::memory_order_acquire)) return false;
  inside_chunk = true;
  task_ = &task;
  next_level_ = 0;
  failed_chunk_.store(kNone, std::memory_order_relaxed);
  open_next_level();
  while (unfinished_.load(std::memory_order_acquire) != 0) {
    const Ticket ticket = ticket_.load(std::memory_order_acquire);
    take_part(0, ticket);
    wait_until(0, [&] { return unfinished_.load() == 0 || ticket_.load() != ticket; });
  }
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  inside_chunk = false;
  busy_.store(false, std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
  return true;
}

void Team::work(int member) {
  inside_chunk = true;
  Ticket ticket;
  while (true) {
    wait_until(member, [&, seen = ticket] { return (ticket = ticket_.load()) != seen; });
    if (stopping_.load(std::memory_order_relaxed)) return;
    take_part(member, ticket);
  }
}

// Runs chunks of the level of the ticket, and of the following levels while this member is the one that
// finishes them.
void Team::take_part(int member, Ticket ticket) {
  while (run_chunks(member, ticket) && open_next_level()) ticket = ticket_.load(std::memory_order_acquire);
}

void Team::wake_helpers(int member) {
  const int end = std::min(2 * member + 2, size_);
  for (int k = std::max(1, 2 * member); k < end; ++k) members_[static_cast<std::size_t>(k)].wake();
}

// Takes chunks first from the member's own share, then from those of the others, whose cache lines are slower
// to reach; finished chunks are reported before that, so that no thread waits for it. True if this member
// finished a level that is not the last.
bool Team::run_chunks(int member, Ticket ticket) {
  wake_helpers(member);
  for (int k = 0; k < size_; ++k) {
    const int owner = member + k < size_ ? member + k : member + k - size_;
    int done = 0;
    while (const std::optional<int> chunk = take_chunk(owner, ticket)) {
      run_chunk(level_, *chunk);
      ++done;
    }
    if (done == 0) continue;
    const int left = unfinished_.fetch_sub(done) - done;
    if (left == 0) members_[0].wake();
    if (left == 0 || left == kMoreLevels) return left == kMoreLevels;
  }
  return false;
}

int Team::first_chunk(int owner, int count) const {
  return static_cast<int>((static_cast<std::int64_t>(count) * owner + size_ - 1) / size_);
}

std::optional<int> Team::take_chunk(int owner, Ticket ticket) {
  const int first = first_chunk(owner, ticket.count());
  const int size = first_chunk(owner + 1, ticket.count()) - first;
  if (size == 0) return {};
  std::atomic<Ticket>& word = members_[static_cast<std::size_t>(owner)].taken;
  Ticket taken = word.load(std::memory_order_relaxed);
  while (taken.number() <= ticket.number()) {
    const int next = taken.number() == ticket.number() ? taken.count() : 0;
    if (next == size) break;
    if (word.compare_exchange_weak(taken, Ticket(ticket.number(), next + 1), std::memory_order_relaxed)) {
      return first + next;
    }
  }
  return {};
}

// Chunks after one that threw are skipped: they cannot be the first to throw.
void Team::run_chunk(const Level& level, int chunk) {
  if (chunk > failed_chunk_.load(std::memory_order_relaxed)) return;
  try {
    level.run_chunk(chunk);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (chunk > failed_chunk_.load(std::memory_order_relaxed)) return;
    failed_chunk_.store(chunk, std::memory_order_relaxed);
    failure_ = std::current_exception();
  }
}

// Called by the member that has finished the previous level. Runs a level of one chunk at once. False at the
// end of the run.
bool Team::open_next_level() {
  while (failed_chunk_.load(std::memory_order_relaxed) == kNone && next_level_ < task_->levels()) {
    const Level level = task_->level(next_level_++);
    const int chunks = level.chunks();
    if (chunks > 1) {
      level_ = level;
      unfinished_.store(chunks + (next_level_ < task_->levels() ? kMoreLevels : 0),
                        std::memory_order_relaxed);
      publish(chunks);
      return true;
    }
    if (chunks == 1) run_chunk(level, 0);
  }
  unfinished_.store(0);
  members_[0].wake();
  return false;
}

// take_part wakes the other workers, so that the caller need not wait for them here.
void Team::publish(int count) {
  ticket_.store(Ticket(ticket_.load(std::memory_order_relaxed).number() + 1, count));
  members_[0].wake();
}

// The waker stores the ticket or `unfinished_` before it loads `asleep`; wait_until stores `asleep` before it
// loads those. Since the operations are sequentially consistent, one of the two sees the store of the other.
void Team::Member::wake() {
  if (!asleep.load() || !asleep.exchange(false)) return;
  calls.fetch_add(1);
  calls.notify_one();
}

template <class Condition>
void Team::wait_until(int member, const Condition& condition) {
  if (may_spin_) {
    const auto end = std::chrono::steady_clock::now() + kSpinTime;
    do {
      for (int k = 0; k < kPollsPerClockReading; ++k) {
        if (condition()) return;
        pause_processor();
      }
    } while (std::chrono::steady_clock::now() < end);
  }
  Member& self = members_[static_cast<std::size_t>(member)];
  while (!condition()) {
    const std::uint32_t calls = self.calls.load();
    self.asleep.store(true);
    if (!condition()) self.calls.wait(calls);
    self.asleep.store(false);
  }
}

}  // namespace sestina
