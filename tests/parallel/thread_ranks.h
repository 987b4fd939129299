// Ranks that are threads of this process: a Communicator for tests without MPI.
#pragma once

#include <algorithm>
#include <barrier>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sestina/parallel/communicator.h"

namespace sestina::test {

// Calls work(communicator) on as many threads, each with a rank of its own. The first rank's exception is
// thrown when all have ended.
class ThreadRanks {
 public:
  static void run(int ranks, const std::function<void(Communicator&)>& work) {
    ThreadRanks all(ranks);
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        Rank communicator(all, rank);
        try {
          work(communicator);
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

 private:
  class Rank final : public Communicator {
   public:
    Rank(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size_; }
    void exchange(std::span<const double> out, int to, std::span<double> in, int from) override {
      if (to != kNoRank) all_.put(rank_, to, {out.begin(), out.end()});
      if (from == kNoRank) return;
      const std::vector<double> message = all_.take(from, rank_);
      if (message.size() != in.size()) throw std::logic_error("a message of another size than is awaited");
      std::copy(message.begin(), message.end(), in.begin());
    }
    void take_largest(std::span<double> numbers) override {
      all_.share(rank_, {numbers.begin(), numbers.end()}, [&](const auto& shared) {
        for (const std::vector<double>& other : shared) {
          if (other.size() != numbers.size()) throw std::logic_error("ranks are at different calls");
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double number = std::isnan(other[i]) ? INFINITY : other[i];
            numbers[i] = number > numbers[i] || std::isnan(numbers[i]) ? number : numbers[i];
          }
        }
      });
    }
    void gather(std::span<double> all, std::span<const int> ends) override {
      all_.share(rank_, {all.begin(), all.end()}, [&](const auto& shared) {
        int begin = 0;
        for (std::size_t r = 0; r < ends.size(); ++r) {
          std::copy(shared[r].begin() + begin, shared[r].begin() + ends[r], all.begin() + begin);
          begin = ends[r];
        }
      });
    }
    void broadcast(std::string& text, int from) override {
      all_.share(rank_, {text.begin(), text.end()}, [&](const auto& shared) {
        const std::vector<double>& of = shared[static_cast<std::size_t>(from)];
        text.assign(of.begin(), of.end());
      });
    }

   private:
    ThreadRanks& all_;
    int rank_;
  };

  explicit ThreadRanks(int size) : size_(size), barrier_(size), shared_(static_cast<std::size_t>(size)) {}

  void put(int from, int to, std::vector<double> message) {
    const std::lock_guard lock(mutex_);
    mail_[{from, to}].push_back(std::move(message));
    arrived_.notify_all();
  }
  std::vector<double> take(int from, int to) {
    std::unique_lock lock(mutex_);
    std::deque<std::vector<double>>& mail = mail_[{from, to}];
    arrived_.wait(lock, [&] { return !mail.empty(); });
    std::vector<double> message = std::move(mail.front());
    mail.pop_front();
    return message;
  }
  template <class F>
  void share(int rank, std::vector<double> numbers, F&& look) {
    shared_[static_cast<std::size_t>(rank)] = std::move(numbers);
    barrier_.arrive_and_wait();
    look(shared_);
    barrier_.arrive_and_wait();
  }

  int size_;
  std::barrier<> barrier_;
  std::vector<std::vector<double>> shared_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<std::vector<double>>> mail_;
};

}  // namespace sestina::test
