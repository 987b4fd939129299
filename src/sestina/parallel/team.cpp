#include "sestina/parallel/team.h"

#include <chrono>
#include <limits>
#include <utility>

#include <unistd.h>

#include "sestina/parallel/thread_count.h"

namespace sestina {
namespace {

// About what it costs to wake a thread, so that waiting costs at most twice what it must.
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
    : threads_(threads),
      may_spin_(threads <= available_processors()),
      process_(getpid()),
      shares_(std::make_unique<Share[]>(static_cast<std::size_t>(threads))) {
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
  // After fork() the child has the handles but not the threads; there is nobody to wait for.
  const bool has_workers = getpid() == process_;
  if (has_workers) {
    stopping_.store(true, std::memory_order_relaxed);
    publish(0);
    worker_bed_.wake_all();
  }
  for (std::thread& worker : workers_) has_workers ? worker.join() : worker.detach();
}

bool Team::try_run(const LevelTask& task) {
  if (inside_chunk || busy_.exchange(true, std::memory_order_acquire)) return false;
  inside_chunk = true;
  task_ = &task;
  level_ = -1;
  failed_chunk_.store(kNone, std::memory_order_relaxed);
  Ticket ticket = open_next_level();
  while ((ticket = take_part(0, ticket)).count() > 0) ticket = wait_for_change(ticket, caller_bed_);
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  inside_chunk = false;
  busy_.store(false, std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
  return true;
}

void Team::work(int thread) {
  inside_chunk = true;
  Ticket ticket;
  while (true) {
    ticket = wait_for_change(ticket, worker_bed_);
    if (stopping_.load(std::memory_order_relaxed)) return;
    ticket = take_part(thread, ticket);
  }
}

// Runs chunks of the level of the ticket, and of the levels after it as long as this thread is the one that
// finishes them. Returns the last ticket it knows of.
Team::Ticket Team::take_part(int thread, Ticket ticket) {
  while (ticket.count() > 0) {
    const int done = run_chunks(thread, ticket);
    if (done == 0 || unfinished_.fetch_sub(done, std::memory_order_acq_rel) != done) break;
    ticket = open_next_level();
  }
  return ticket;
}

int Team::run_chunks(int thread, Ticket ticket) {
  int done = 0;
  for (int k = 0; k < threads_; ++k) {
    const int share = thread + k < threads_ ? thread + k : thread + k - threads_;
    while (const std::optional<int> chunk = take_chunk(share, ticket)) {
      run_chunk(level_, *chunk);
      ++done;
    }
  }
  return done;
}

int Team::first_chunk(int share, int count) const {
  return static_cast<int>((static_cast<std::int64_t>(count) * share + threads_ - 1) / threads_);
}

std::optional<int> Team::take_chunk(int share, Ticket ticket) {
  const int first = first_chunk(share, ticket.count());
  const int size = first_chunk(share + 1, ticket.count()) - first;
  if (size == 0) return {};
  std::atomic<Ticket>& word = shares_[static_cast<std::size_t>(share)].taken;
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

// Chunks after one that threw are left out: they cannot be the first that throws.
void Team::run_chunk(int level, int chunk) {
  if (chunk > failed_chunk_.load(std::memory_order_relaxed)) return;
  try {
    task_->run_chunk(level, chunk);
  } catch (...) {
    const std::lock_guard lock(failure_mutex_);
    if (chunk > failed_chunk_.load(std::memory_order_relaxed)) return;
    failed_chunk_.store(chunk, std::memory_order_relaxed);
    failure_ = std::current_exception();
  }
}

// Called by the one thread that knows the level before to be finished. A level of one chunk is run at once.
Team::Ticket Team::open_next_level() {
  while (failed_chunk_.load(std::memory_order_relaxed) == kNone && ++level_ < task_->levels()) {
    const int chunks = task_->chunks(level_);
    if (chunks > 1) {
      unfinished_.store(chunks, std::memory_order_relaxed);
      return publish(chunks);
    }
    if (chunks == 1) run_chunk(level_, 0);
  }
  return publish(0);
}

// Publishes a ticket and wakes who needs it. The store and the loads of Bed::used, as the store of Bed::used
// and the load of the ticket in wait_for_change, are sequentially consistent: one of the two sees the other.
Team::Ticket Team::publish(int count) {
  const Ticket ticket(ticket_.load(std::memory_order_relaxed).number() + 1, count);
  ticket_.store(ticket);
  caller_bed_.wake_all();
  if (count > 0) worker_bed_.wake_all();
  return ticket;
}

void Team::Bed::wake_all() {
  if (!used.load()) return;
  used.store(false);
  calls.fetch_add(1);
  calls.notify_all();
}

Team::Ticket Team::wait_for_change(Ticket seen, Bed& bed) {
  Ticket ticket = ticket_.load(std::memory_order_acquire);
  if (may_spin_) {
    const auto end = std::chrono::steady_clock::now() + kSpinTime;
    do {
      for (int k = 0; k < kPollsPerClockReading && ticket == seen; ++k) {
        pause_processor();
        ticket = ticket_.load(std::memory_order_acquire);
      }
    } while (ticket == seen && std::chrono::steady_clock::now() < end);
  }
  while (ticket == seen) {
    const std::uint32_t calls = bed.calls.load();
    bed.used.store(true);
    ticket = ticket_.load();
    if (ticket != seen) break;
    bed.calls.wait(calls);
    ticket = ticket_.load();
  }
  return ticket;
}

}  // namespace sestina
