// A run of a model on a thread of its own, next to the server's, which provides its rows as they
// are computed.
//
// There are two modes: a whole run as by `sestina run`, as fast as possible; or live, in real time, with
// pauses, a spring that pulls at a body, and a start at any earlier state.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sestina/scene/scene.h"
#include "sestina/workspace/workspace.h"

namespace sestina::studio {

struct RunState {
  bool is_running = false;
  bool has_failed = false;
  std::string message;  // how it ended; of a live run that is too slow, its speed
  double t = 0.0;       // s
  double wall_seconds = 0.0;
};

// A spring between a point of a body and a place in the ground.
struct Pull {
  int body = 0;
  Vec3<double> point;   // m, in the body's own frame
  Vec3<double> target;  // m, ground axes
};

// The row at which a live run begins.
struct LiveStart {
  double t = 0.0;  // s
  std::vector<double> q, u, d, x;
  std::vector<double> z;  // as in quadrature_rates.h
  std::vector<double> h;  // coordinates of the joints that close loops
};

// A session asks this of every run.
class PacedRun {
 public:
  PacedRun() = default;
  PacedRun(const PacedRun&) = delete;
  PacedRun& operator=(const PacedRun&) = delete;
  virtual ~PacedRun() = default;
  virtual bool is_live() const = 0;
  virtual void stop() = 0;
  virtual void pause(bool wanted) = 0;
  virtual bool is_paused() const = 0;
  virtual void step() = 0;  // of a run that is paused
  virtual void set_speed(double speed) = 0;
  virtual RunState state() const = 0;
};

class RunThread final : public PacedRun {
 public:
  // Begins at once. `stride`: every stride-th row is kept.
  RunThread(std::unique_ptr<Workspace> workspace, bool reactions, std::size_t stride);
  RunThread(std::unique_ptr<Workspace> workspace, std::optional<LiveStart> start, double speed);
  ~RunThread() override;  // stops it

  const Workspace& workspace() const { return *workspace_; }
  bool is_live() const override { return is_live_; }
  const std::vector<Column>& columns() const { return columns_; }

  void stop() override { stops_ = true; }
  void pause(bool wanted) override { is_paused_ = wanted; }
  bool is_paused() const override { return is_paused_; }
  void step() override { single_steps_ += 1; }
  void set_speed(double speed) override { speed_ = speed; }
  void pull(std::optional<Pull> pull);

  RunState state() const override;
  // Appends the rows computed since the last call (rows x columns) to `rows`.
  void take_rows(std::vector<double>& rows);

 private:
  class Observer;
  void run_whole(std::size_t stride);
  void show_progress(const RunProgress& progress);
  void run_live(const std::optional<LiveStart>& start);
  void tell(std::string message);
  void finish(bool has_failed, std::string message);
  void add_row(std::span<const double> row, double t);
  std::optional<Pull> current_pull() const;

  std::unique_ptr<Workspace> workspace_;
  bool is_live_;
  std::vector<Column> columns_;
  std::atomic<bool> stops_{false}, is_paused_{false};
  std::atomic<int> single_steps_{0};
  std::atomic<double> speed_{1.0};
  mutable std::mutex mutex_;
  std::vector<double> rows_;
  RunState state_;
  std::optional<Pull> pull_;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace sestina::studio
