// A run of a model of particles on a thread of its own, next to the server's: the run of `sestina run`
// without its files. Each of its rows comes with the positions of the particles.
//
// There are two modes: as fast as possible; or live, with at most 60 rows a second times the speed. Both can
// be paused, and then continued row by row. Rows that nobody takes make the run wait.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "sestina/io/result.h"
#include "studio/run_thread.h"

namespace sestina {
class ParticleSystem;
}

namespace sestina::studio {

struct ParticleRows {
  std::vector<Column> columns;
  std::vector<double> values;    // (rows x columns)
  std::vector<float> positions;  // (rows x particles x 3), m, in the box
};

class ParticleThread final : public PacedRun {
 public:
  // Begins at once; `file` is the name of the model file, beside which it looks for others.
  ParticleThread(std::string text, std::string file, bool is_live, double speed);
  ~ParticleThread() override;  // stops it

  bool is_live() const override { return is_live_; }
  bool is_paused() const override;
  void stop() override;
  void pause(bool wanted) override;
  void step() override;  // to the next row
  void set_speed(double speed) override;

  RunState state() const override;
  // Moves the rows computed since the last call out.
  ParticleRows take_rows();

 private:
  class RowReader;
  using Clock = std::chrono::steady_clock;
  void run(const std::string& text, const std::string& file);
  void see_step(const ParticleSystem& system, bool has_row);
  void add_row(const ParticleSystem& system);
  void finish(bool has_failed, std::string message, double wall_seconds);

  const bool is_live_;
  std::atomic<bool> stops_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_paused_ = false;
  int single_steps_ = 0;
  double speed_;
  std::vector<Column> columns_;
  std::vector<double> row_, position_;  // used by the thread of the run alone
  ParticleRows rows_;
  RunState state_;
  Clock::time_point next_ = Clock::now();
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace sestina::studio
